/* SPDX-License-Identifier: MIT */
/* The interpreter of model programs. */
#include "rw-model-private.h"

#include "rw-class.h"

#include <string.h>

void
rw_model_free (RwModel *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_ptr_array_unref (self->stmts);
  g_ptr_array_unref (self->events);
  g_ptr_array_unref (self->vars);
  g_array_unref (self->starts);
  g_array_unref (self->record);
  g_array_unref (self->expected_within);
  g_array_unref (self->failures);
  g_free (self->ids);
  g_free (self->locations);
  g_free (self->now);
  g_clear_pointer (&self->places, g_hash_table_unref);
  rw_pool_free (self->pool);
  g_clear_pointer (&self->run0, rw_trace_unref);
  rw_space_unref (self->space);
  g_free (self);
}

/* Identities grow with the place of the definition in the text, so that events which run 0 does not have are ranked by
 * it. */
static guint64
identity_of (const RwModel *self, guint place)
{
  const RwModelEvent *event = g_ptr_array_index (self->events, place);
  return (guint64)(event->ordinal + 1) << 32 | (guint32)rw_identity (event->name);
}

static guint64 *
identities_of (const RwModel *self, const GArray *places)
{
  guint64 *ids = g_new (guint64, places->len + 1);
  for (guint i = 0; i < places->len; i++)
    ids[i] = identity_of (self, g_array_index (places, guint, i));
  return ids;
}

static void
define_event (RwModel *self, guint place)
{
  const RwModelEvent *event = g_ptr_array_index (self->events, place);
  g_autofree guint64 *after = identities_of (self, event->after), *blocks = identities_of (self, event->blocks);
  RwEventInfo info = { .id = identity_of (self, place),
                       .kind = event->delay >= 0 ? RW_KIND_TIMER : RW_KIND_OTHER,
                       .label = event->name,
                       .group = event->group == NULL ? 0 : rw_space_group (self->space, event->group),
                       .delay = event->delay,
                       .after = after,
                       .n_after = event->after->len,
                       .blocks = blocks,
                       .n_blocks = event->blocks->len };
  self->ids[place] = rw_space_event (self->space, &info);
  g_hash_table_insert (self->places, GUINT_TO_POINTER (self->ids[place] + 1), GUINT_TO_POINTER (place));
}

static void
prepare (RwModel *self)
{
  if (self->space != NULL)
    return;
  self->space = rw_space_new ();
  self->places = g_hash_table_new (NULL, NULL);
  self->ids = g_new (RwEvent, self->events->len + 1);
  self->locations = g_new (RwLocation, self->vars->len + 1);
  self->now = g_new0 (RwModelVar, self->vars->len + 1);
  for (guint i = 0; i < self->events->len; i++)
    define_event (self, i);
  for (guint i = 0; i < self->vars->len; i++)
    self->locations[i] = rw_space_location (self->space, ((RwModelVar *)g_ptr_array_index (self->vars, i))->name);
}

RwSpace *
rw_model_space (const RwModel *self)
{
  prepare ((RwModel *)self);
  return self->space;
}

void
rw_model_set_timers_any (RwModel *self, gboolean timers_any)
{
  g_return_if_fail (self->pool == NULL);
  self->timers_any = timers_any;
}

/* --- statements --- */

typedef struct
{
  RwModel *model;
  RwTrace *trace;
} Run;

static RwValue
value_of (const Run *run, const RwModelVar *var)
{
  g_autofree char *text = var->defined ? g_strdup_printf ("%" G_GINT64_FORMAT, var->value) : g_strdup ("undefined");
  return rw_space_value (run->model->space, text);
}

static RwPlace
place_of (const Run *run, guint line)
{
  g_autofree char *text = g_strdup_printf ("%s:%u:1", run->model->name, line);
  return rw_space_place (run->model->space, text);
}

static void
log_access (const Run *run, const RwStmt *stmt, guint var, RwOpKind kind, guint flags, RwValue value)
{
  rw_trace_add (run->trace, (RwOp){ .kind = (guint8)kind,
                                    .flags = (guint8)flags,
                                    .target = run->model->locations[var],
                                    .value = value,
                                    .place = place_of (run, stmt->line) });
}

static gint64
run_read (const Run *run, const RwStmt *stmt, guint var)
{
  const RwModelVar *now = &run->model->now[var];
  log_access (run, stmt, var, RW_OP_READ, now->defined ? 0 : RW_OP_FAILED, value_of (run, now));
  return now->defined ? now->value : 0;
}

static void
set (const Run *run, guint var, gint64 value)
{
  run->model->now[var].defined = TRUE;
  run->model->now[var].value = value;
}

static void
run_write (const Run *run, const RwStmt *stmt)
{
  gint64 value = stmt->source == G_MAXUINT ? stmt->value : run_read (run, stmt, stmt->source);
  set (run, stmt->target, value);
  log_access (run, stmt, stmt->target, RW_OP_WRITE, 0, value_of (run, &run->model->now[stmt->target]));
}

static void
run_add (const Run *run, const RwStmt *stmt)
{
  const RwModelVar *now = &run->model->now[stmt->target];
  RwModelVar delta = { NULL, TRUE, stmt->value };
  log_access (run, stmt, stmt->target, RW_OP_WRITE, RW_OP_ADD, value_of (run, &delta));
  set (run, stmt->target, (now->defined ? now->value : 0) + stmt->value);
}

static void
run_init (const Run *run, const RwStmt *stmt)
{
  gboolean empty = !run->model->now[stmt->target].defined;
  RwModelVar value = { NULL, TRUE, stmt->value };
  log_access (run, stmt, stmt->target, RW_OP_WRITE, RW_OP_INIT | (empty ? RW_OP_FAILED : 0), value_of (run, &value));
  if (empty)
    set (run, stmt->target, stmt->value);
}

static gboolean
run_condition (const Run *run, const RwStmt *stmt)
{
  gint64 value = run_read (run, stmt, stmt->target);
  switch (stmt->cmp)
    {
    case RW_CMP_EQ:
      return value == stmt->value;
    case RW_CMP_NE:
      return value != stmt->value;
    case RW_CMP_LT:
      return value < stmt->value;
    case RW_CMP_GT:
      return value > stmt->value;
    case RW_CMP_LE:
      return value <= stmt->value;
    case RW_CMP_GE:
      return value >= stmt->value;
    }
  g_assert_not_reached ();
}

static void run_stmts (const Run *run, const RwStmt *first);

static void
run_stmt (const Run *run, const RwStmt *stmt)
{
  RwModel *model = run->model;
  switch (stmt->kind)
    {
    case RW_STMT_READ:
      run_read (run, stmt, stmt->target);
      break;
    case RW_STMT_WRITE:
      run_write (run, stmt);
      break;
    case RW_STMT_ADD:
      run_add (run, stmt);
      break;
    case RW_STMT_INIT:
      run_init (run, stmt);
      break;
    case RW_STMT_POST:
      rw_trace_post (run->trace, model->ids[stmt->target]);
      rw_pool_post (model->pool, model->ids[stmt->target]);
      break;
    case RW_STMT_CANCEL:
      rw_trace_cancel (run->trace, model->ids[stmt->target], rw_pool_cancel (model->pool, model->ids[stmt->target]));
      break;
    case RW_STMT_IF:
      run_stmts (run, run_condition (run, stmt) ? stmt->then : stmt->otherwise);
      break;
    case RW_STMT_ASSERT:
      if (!run_condition (run, stmt))
        g_array_append_val (model->failures, stmt->line);
      break;
    case RW_STMT_LOCK:
    case RW_STMT_UNLOCK:
      g_assert_not_reached (); /* the parser made posts and cancellations of them */
    }
}

static void
run_stmts (const Run *run, const RwStmt *first)
{
  for (const RwStmt *stmt = first; stmt != NULL; stmt = stmt->next)
    run_stmt (run, stmt);
}

/* --- runs --- */

static void
run_event (const Run *run, RwEvent event)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (run->model->places, GUINT_TO_POINTER (event + 1)));
  const RwModelEvent *code = g_ptr_array_index (run->model->events, place);
  rw_trace_begin (run->trace, event);
  rw_pool_run (run->model->pool, event);
  for (guint i = 0; i < code->body->len; i++)
    run_stmt (run, g_ptr_array_index (code->body, i));
}

static void
run_if_enabled (const Run *run, RwEvent event)
{
  if (rw_pool_is_enabled (run->model->pool, event))
    run_event (run, event);
}

/* The least by rank, or in run 0 the oldest. */
static RwEvent
choose (const Run *run, const RwRank *rank)
{
  const RwPool *pool = run->model->pool;
  RwEvent least = RW_EVENT_NONE;
  guint n;
  const RwEvent *pending = rw_pool_pending (pool, &n);
  for (guint i = 0; i < n; i++)
    if (rw_pool_is_enabled (pool, pending[i])
        && (least == RW_EVENT_NONE
            || (rank != NULL ? rw_rank_less (rank, pending[i], least)
                             : rw_pool_post_order (pool, pending[i]) < rw_pool_post_order (pool, least))))
      least = pending[i];
  return least;
}

static void
run_rest (const Run *run)
{
  RwRank rank = { 0 };
  RwEvent event;
  if (run->model->run0 != NULL)
    rw_rank_init (&rank, run->model->run0);
  while ((event = choose (run, run->model->run0 != NULL ? &rank : NULL)) != RW_EVENT_NONE)
    run_event (run, event);
  rw_rank_clear (&rank);
}

static void
run_start (const Run *run)
{
  RwModel *self = run->model;
  if (self->pool == NULL)
    self->pool = rw_pool_new (self->space, self->timers_any);
  rw_pool_reset (self->pool);
  g_array_set_size (self->failures, 0);
  for (guint i = 0; i < self->vars->len; i++)
    self->now[i] = *(RwModelVar *)g_ptr_array_index (self->vars, i);
  for (guint i = 0; i < self->starts->len; i++)
    {
      RwEvent event = self->ids[g_array_index (self->starts, guint, i)];
      rw_trace_initial (run->trace, event);
      rw_pool_initial (self->pool, event);
    }
}

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
  return *(const guint *)a < *(const guint *)b ? -1 : *(const guint *)a > *(const guint *)b;
}

RwTrace *
rw_model_execute (RwModel *self, const RwSchedule *schedule)
{
  prepare (self);
  Run run = { self, rw_trace_new (self->space) };
  run_start (&run);
  for (guint i = 0; self->run0 == NULL && i < self->record->len; i++)
    run_if_enabled (&run, self->ids[g_array_index (self->record, guint, i)]);
  for (guint i = 0; i < schedule->events->len; i++)
    run_if_enabled (&run, g_array_index (schedule->events, RwEvent, i));
  run_rest (&run);
  g_array_sort (self->failures, compare_lines);
  if (self->run0 == NULL)
    self->run0 = rw_trace_ref (run.trace);
  return run.trace;
}

static RwTrace *
execute_cb (gpointer executor, const RwSchedule *schedule, GError **error)
{
  return rw_model_execute (executor, schedule);
}

RwExecutor
rw_model_executor (RwModel *self)
{
  return (RwExecutor){ execute_cb, self };
}

/* --- results --- */

const GArray *
rw_model_failures (const RwModel *self)
{
  return self->failures;
}

gboolean
rw_model_deadlocked (const RwModel *self)
{
  guint n;
  const RwEvent *pending = self->pool == NULL ? NULL : rw_pool_pending (self->pool, &n);
  for (guint i = 0; pending != NULL && i < n; i++)
    {
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (self->places, GUINT_TO_POINTER (pending[i] + 1)));
      if (((const RwModelEvent *)g_ptr_array_index (self->events, place))->hidden)
        return TRUE;
    }
  return FALSE;
}

char *
rw_model_final_state (const RwModel *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->vars->len && self->now != NULL; i++)
    {
      g_string_append_printf (text, "%s%s=", i > 0 ? " " : "", ((RwModelVar *)g_ptr_array_index (self->vars, i))->name);
      if (self->now[i].defined)
        g_string_append_printf (text, "%" G_GINT64_FORMAT, self->now[i].value);
      else
        g_string_append (text, "undefined");
    }
  return g_string_free (text, FALSE);
}

guint
rw_model_expected_classes (const RwModel *self)
{
  return self->expected_classes;
}

const GArray *
rw_model_expected_within (const RwModel *self)
{
  return self->expected_within;
}
