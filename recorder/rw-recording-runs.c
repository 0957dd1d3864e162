/* SPDX-License-Identifier: MIT */
/* Exchanges and runs in the recording. */
#include "rw-recording-private.h"

#include <string.h>

/* More events than any schedule has; what claims more is damaged. */
#define SCHEDULE_LIMIT 4000000

void
rw_exchange_free (RwExchange *self)
{
  if (self == NULL)
    return;
  g_free (self->method);
  g_free (self->url);
  g_free (self->request_headers);
  g_clear_pointer (&self->request_body, g_bytes_unref);
  g_free (self->reason);
  g_free (self->headers);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_free (self);
}

static gboolean
insert_exchange (RwRecording *self, const RwExchange *exchange, GError **error)
{
  gint64 request_body, body;
  const char *request_headers = exchange->request_headers != NULL ? exchange->request_headers : "";
  const char *headers = exchange->headers != NULL ? exchange->headers : "";
  g_autoptr (sqlite3_stmt) s
      = rw_recording_prepare (self, "INSERT OR REPLACE INTO exchanges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", error);
  if (s == NULL || !rw_recording_put_blob (self, exchange->request_body, &request_body, error)
      || !rw_recording_put_blob (self, exchange->body, &body, error))
    return FALSE;
  sqlite3_bind_int64 (s, 1, exchange->number);
  rw_bind_text (s, 2, exchange->method);
  rw_bind_text (s, 3, exchange->url);
  sqlite3_bind_blob (s, 4, request_headers, strlen (request_headers), SQLITE_STATIC);
  rw_bind_blob (s, 5, request_body);
  sqlite3_bind_int64 (s, 6, exchange->status);
  rw_bind_text (s, 7, exchange->reason);
  sqlite3_bind_blob (s, 8, headers, strlen (headers), SQLITE_STATIC);
  rw_bind_blob (s, 9, body);
  sqlite3_bind_int64 (s, 10, exchange->latency_ms);
  return rw_recording_do (self, s, error);
}

gboolean
rw_recording_add_exchange (RwRecording *self, const RwExchange *exchange, GError **error)
{
  return rw_recording_begin (self, error) && rw_recording_end (self, insert_exchange (self, exchange, error), error);
}

static RwExchange *
read_exchange (RwRecording *self, sqlite3_stmt *s, GError **error)
{
  g_autoptr (RwExchange) exchange = g_new0 (RwExchange, 1);
  gint64 status;
  if (!rw_column_uint (self, s, 0, &exchange->number, error)
      || !rw_column_text (self, s, 1, FALSE, &exchange->method, error)
      || !rw_column_text (self, s, 2, FALSE, &exchange->url, error)
      || !rw_column_bytes (self, s, 3, &exchange->request_headers, error)
      || !rw_column_blob (self, s, 4, &exchange->request_body, error)
      || !rw_column_int (self, s, 5, 0, 999, &status, error)
      || !rw_column_text (self, s, 6, TRUE, &exchange->reason, error)
      || !rw_column_bytes (self, s, 7, &exchange->headers, error)
      || !rw_column_blob (self, s, 8, &exchange->body, error)
      || !rw_column_uint (self, s, 9, &exchange->latency_ms, error))
    return NULL;
  exchange->status = (guint)status;
  return g_steal_pointer (&exchange);
}

GPtrArray *
rw_recording_exchanges (RwRecording *self, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_exchange_free);
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (
      self,
      "SELECT number, method, url, request_headers, request_body, status, reason, headers, body, latency_ms"
      " FROM exchanges ORDER BY number",
      error);
  gboolean row = FALSE;
  for (;;)
    {
      if (s == NULL || !rw_recording_step (self, s, &row, error))
        return NULL;
      if (!row)
        return g_steal_pointer (&all);
      RwExchange *exchange = read_exchange (self, s, error);
      if (exchange == NULL)
        return NULL;
      g_ptr_array_add (all, exchange);
    }
}

RwRun *
rw_run_new (void)
{
  RwRun *self = g_new0 (RwRun, 1);
  self->number = RW_RUN_UNDECIDED;
  self->parent = RW_RUN_NONE;
  self->reversal.first = self->reversal.second = RW_EVENT_NONE;
  self->reversal.location = G_MAXUINT32;
  self->schedule = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->skipped = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  return self;
}

void
rw_run_free (RwRun *self)
{
  if (self == NULL)
    return;
  g_free (self->key);
  g_clear_pointer (&self->schedule, g_array_unref);
  g_clear_pointer (&self->trace, rw_trace_unref);
  g_free (self->note);
  g_free (self->fingerprint);
  g_clear_pointer (&self->skipped, g_array_unref);
  g_free (self->state_hash);
  g_clear_pointer (&self->state, g_bytes_unref);
  g_clear_pointer (&self->screenshot, g_bytes_unref);
  g_clear_pointer (&self->space, rw_space_unref);
  g_free (self);
}

static guint64
identity_of (RwSpace *space, RwEvent event)
{
  return event != RW_EVENT_NONE && space != NULL ? rw_space_event_info (space, event)->id : 0;
}

/* Identities, little endian, 8 bytes each. */
static GBytes *
pack_events (RwSpace *space, const GArray *events)
{
  if (events == NULL || events->len == 0 || space == NULL)
    return NULL;
  guint64 *packed = g_new (guint64, events->len);
  for (guint i = 0; i < events->len; i++)
    packed[i] = GUINT64_TO_LE (identity_of (space, g_array_index (events, RwEvent, i)));
  return g_bytes_new_take (packed, events->len * sizeof (guint64));
}

static gboolean
unpack_events (RwRecording *self, RwSpace *space, GBytes *bytes, GArray *events, GError **error)
{
  gsize size = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  if (size % sizeof (guint64) != 0 || size / sizeof (guint64) > SCHEDULE_LIMIT)
    return rw_recording_damaged (self, "a list of events", error);
  for (gsize at = 0; at < size; at += sizeof (guint64))
    {
      guint64 id;
      memcpy (&id, data + at, sizeof id);
      if (id == 0)
        return rw_recording_damaged (self, "a list of events", error);
      RwEvent event = rw_space_event_by_id (space, GUINT64_FROM_LE (id));
      g_array_append_val (events, event);
    }
  return TRUE;
}

/* Undecided and redundant runs have no number; run numbers are small, so the ends of the range say it. */
static gint64
number_to_file (guint number)
{
  return number >= RW_RUN_REDUNDANT ? (gint64)number - (gint64)G_MAXUINT - 1 : (gint64)number;
}

static gboolean
read_number (RwRecording *self, sqlite3_stmt *s, int column, guint *number, GError **error)
{
  gint64 value;
  if (!rw_column_int (self, s, column, -3, G_MAXINT32, &value, error))
    return FALSE;
  *number = value < 0 ? (guint)(value + (gint64)G_MAXUINT + 1) : (guint)value;
  return TRUE;
}

/* A number belongs to one run: an exploration that is started anew with other options may number in another way. */
static gboolean
free_number (RwRecording *self, const char *key, guint number, GError **error)
{
  g_autoptr (sqlite3_stmt) s = NULL;
  if (number >= RW_RUN_REDUNDANT)
    return TRUE;
  s = rw_recording_prepare (self, "UPDATE runs SET number = ?1 WHERE number = ?2 AND key <> ?3", error);
  if (s == NULL)
    return FALSE;
  sqlite3_bind_int64 (s, 1, number_to_file (RW_RUN_UNDECIDED));
  sqlite3_bind_int64 (s, 2, number_to_file (number));
  rw_bind_text (s, 3, key);
  return rw_recording_do (self, s, error);
}

static gboolean
forget_verdict (RwRecording *self, const char *key, GError **error)
{
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (self, "DELETE FROM verdicts WHERE key = ?", error);
  if (s == NULL)
    return FALSE;
  rw_bind_text (s, 1, key);
  return rw_recording_do (self, s, error);
}

static void
bind_reversal (sqlite3_stmt *s, RwSpace *space, const RwReversal *reversal)
{
  sqlite3_bind_int64 (s, 5, reversal->kind);
  sqlite3_bind_int64 (s, 6,
                      (gint64)identity_of (space,
                                           reversal->kind != RW_REVERSAL_NONE ? reversal->first : RW_EVENT_NONE));
  sqlite3_bind_int64 (s, 7,
                      (gint64)identity_of (space,
                                           reversal->kind != RW_REVERSAL_NONE ? reversal->second : RW_EVENT_NONE));
  rw_bind_text (s, 8,
                reversal->kind != RW_REVERSAL_NONE && reversal->location != G_MAXUINT32 && space != NULL
                    ? rw_space_location_name (space, reversal->location)
                    : NULL);
}

static gboolean
insert_run (RwRecording *self, const RwRun *run, GError **error)
{
  RwSpace *space = run->space != NULL ? run->space : run->trace != NULL ? rw_trace_space (run->trace) : NULL;
  g_autoptr (GBytes) schedule = pack_events (space, run->schedule);
  g_autoptr (GBytes) skipped = pack_events (space, run->skipped);
  g_autoptr (GBytes) trace = run->trace != NULL ? rw_trace_to_bytes (run->trace) : NULL;
  gint64 schedule_id, skipped_id, trace_id, state_id, screenshot_id;
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (
      self,
      "INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)"
      " ON CONFLICT (key) DO UPDATE SET number = ?2, parent = ?3, depth = ?4, reversal = ?5, first = ?6, second = ?7,"
      " location = ?8, schedule = ?9, trace = ?10, outcome = ?11, note = ?12, fingerprint = ?13, skipped = ?14,"
      " state_hash = ?15, state = ?16, screenshot = ?17, wall_ms = ?18",
      error);
  if (s == NULL || !free_number (self, run->key, run->number, error) || !forget_verdict (self, run->key, error)
      || !rw_recording_put_blob (self, schedule, &schedule_id, error)
      || !rw_recording_put_blob (self, skipped, &skipped_id, error)
      || !rw_recording_put_blob (self, trace, &trace_id, error)
      || !rw_recording_put_blob (self, run->state, &state_id, error)
      || !rw_recording_put_blob (self, run->screenshot, &screenshot_id, error))
    return FALSE;
  rw_bind_text (s, 1, run->key);
  sqlite3_bind_int64 (s, 2, number_to_file (run->number));
  sqlite3_bind_int64 (s, 3, number_to_file (run->parent));
  sqlite3_bind_int64 (s, 4, run->depth);
  bind_reversal (s, space, &run->reversal);
  rw_bind_blob (s, 9, schedule_id);
  rw_bind_blob (s, 10, trace_id);
  sqlite3_bind_int64 (s, 11, run->outcome);
  rw_bind_text (s, 12, run->note);
  rw_bind_text (s, 13, run->fingerprint);
  rw_bind_blob (s, 14, skipped_id);
  rw_bind_text (s, 15, run->state_hash);
  rw_bind_blob (s, 16, state_id);
  rw_bind_blob (s, 17, screenshot_id);
  sqlite3_bind_int64 (s, 18, run->wall_ms);
  return rw_recording_do (self, s, error);
}

gboolean
rw_recording_put_run (RwRecording *self, const RwRun *run, GError **error)
{
  g_return_val_if_fail (run->key != NULL, FALSE);
  g_return_val_if_fail (run->space != NULL || run->trace != NULL || run->schedule == NULL || run->schedule->len == 0,
                        FALSE);
  return rw_recording_begin (self, error) && rw_recording_end (self, insert_run (self, run, error), error);
}

static gboolean
renumber (RwRecording *self, const char *key, guint number, GError **error)
{
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (self, "UPDATE runs SET number = ? WHERE key = ?", error);
  if (s == NULL || !free_number (self, key, number, error))
    return FALSE;
  sqlite3_bind_int64 (s, 1, number_to_file (number));
  rw_bind_text (s, 2, key);
  return rw_recording_do (self, s, error);
}

gboolean
rw_recording_set_run_number (RwRecording *self, const char *key, guint number, GError **error)
{
  return rw_recording_begin (self, error) && rw_recording_end (self, renumber (self, key, number, error), error);
}

static gboolean
read_event (RwRecording *self, RwSpace *space, sqlite3_stmt *s, int column, gboolean wanted, RwEvent *event,
            GError **error)
{
  gint64 id;
  if (!rw_column_int (self, s, column, G_MININT64, G_MAXINT64, &id, error))
    return FALSE;
  if (wanted && id == 0)
    return rw_recording_damaged (self, "a reversal without its events", error);
  *event = wanted ? rw_space_event_by_id (space, (guint64)id) : RW_EVENT_NONE;
  return TRUE;
}

static gboolean
read_reversal (RwRecording *self, RwSpace *space, sqlite3_stmt *s, RwReversal *reversal, GError **error)
{
  gint64 kind;
  g_autofree char *location = NULL;
  if (!rw_column_int (self, s, 4, RW_REVERSAL_NONE, RW_REVERSAL_CANCELLED, &kind, error))
    return FALSE;
  reversal->kind = (RwReversalKind)kind;
  if (!read_event (self, space, s, 5, kind != RW_REVERSAL_NONE, &reversal->first, error)
      || !read_event (self, space, s, 6, kind != RW_REVERSAL_NONE, &reversal->second, error)
      || !rw_column_text (self, s, 7, TRUE, &location, error))
    return FALSE;
  reversal->location = location != NULL ? rw_space_location (space, location) : G_MAXUINT32;
  return TRUE;
}

static gboolean
read_pieces (RwRecording *self, RwSpace *space, sqlite3_stmt *s, RwRun *run, GError **error)
{
  g_autoptr (GBytes) schedule = NULL;
  g_autoptr (GBytes) trace = NULL;
  g_autoptr (GBytes) skipped = NULL;
  g_autoptr (GError) local = NULL;
  if (!rw_column_blob (self, s, 9, &trace, error))
    return FALSE;
  /* The trace first: it defines the events that the lists only mention. */
  if (trace != NULL && (run->trace = rw_trace_from_bytes (space, trace, &local)) == NULL)
    return rw_recording_damaged (self, local->message, error);
  return rw_column_blob (self, s, 8, &schedule, error) && unpack_events (self, space, schedule, run->schedule, error)
         && rw_column_blob (self, s, 13, &skipped, error) && unpack_events (self, space, skipped, run->skipped, error)
         && rw_column_blob (self, s, 15, &run->state, error) && rw_column_blob (self, s, 16, &run->screenshot, error);
}

static RwRun *
read_run (RwRecording *self, RwSpace *space, sqlite3_stmt *s, GError **error)
{
  g_autoptr (RwRun) run = rw_run_new ();
  gint64 outcome;
  run->space = rw_space_ref (space);
  if (!rw_column_text (self, s, 0, FALSE, &run->key, error) || !read_number (self, s, 1, &run->number, error)
      || !read_number (self, s, 2, &run->parent, error) || !rw_column_uint (self, s, 3, &run->depth, error)
      || !read_pieces (self, space, s, run, error) || !read_reversal (self, space, s, &run->reversal, error)
      || !rw_column_int (self, s, 10, RW_OUTCOME_DONE, RW_OUTCOME_CRASH, &outcome, error)
      || !rw_column_text (self, s, 11, TRUE, &run->note, error)
      || !rw_column_text (self, s, 12, TRUE, &run->fingerprint, error)
      || !rw_column_text (self, s, 14, TRUE, &run->state_hash, error)
      || !rw_column_uint (self, s, 17, &run->wall_ms, error))
    return NULL;
  run->outcome = (RwOutcome)outcome;
  return g_steal_pointer (&run);
}

#define RUN_COLUMNS                                                                                                    \
  "SELECT key, number, parent, depth, reversal, first, second, location, schedule, trace, outcome, note, fingerprint," \
  " skipped, state_hash, state, screenshot, wall_ms FROM runs"

static RwRun *
find_run (RwRecording *self, RwSpace *space, sqlite3_stmt *s, GError **error)
{
  gboolean row = FALSE;
  return rw_recording_step (self, s, &row, error) && row ? read_run (self, space, s, error) : NULL;
}

RwRun *
rw_recording_run_by_key (RwRecording *self, RwSpace *space, const char *key, GError **error)
{
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (self, RUN_COLUMNS " WHERE key = ?", error);
  if (s == NULL)
    return NULL;
  rw_bind_text (s, 1, key);
  return find_run (self, space, s, error);
}

RwRun *
rw_recording_run (RwRecording *self, RwSpace *space, guint number, GError **error)
{
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (self, RUN_COLUMNS " WHERE number = ? ORDER BY key LIMIT 1", error);
  if (s == NULL)
    return NULL;
  sqlite3_bind_int64 (s, 1, number_to_file (number));
  return find_run (self, space, s, error);
}

GArray *
rw_recording_run_numbers (RwRecording *self, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (sqlite3_stmt) s
      = rw_recording_prepare (self, "SELECT DISTINCT number FROM runs WHERE number >= 0 ORDER BY number", error);
  gboolean row = FALSE;
  for (;;)
    {
      guint number;
      if (s == NULL || !rw_recording_step (self, s, &row, error)
          || (row && !rw_column_uint (self, s, 0, &number, error)))
        return NULL;
      if (!row)
        return g_steal_pointer (&numbers);
      g_array_append_val (numbers, number);
    }
}
