/* SPDX-License-Identifier: MIT */
/* Finds out what is to be recorded, lets a host load it, and writes the recording. */
#include "rw-record.h"

#include "rw-config.h"
#include "rw-host.h"
#include "rw-session.h"
#include "rw-stop.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

G_DEFINE_QUARK (rw-record-error-quark, rw_record_error)

/* A folder's page always sees the same date, so that two recordings of it are equal. */
#define FOLDER_EPOCH_MS 1767225600000.0 /* 2026-01-01T00:00:00Z */

typedef struct
{
  char *folder; /* NULL: a live URL */
  char *host;
  char *url;
  RwScenario *scenario;
} Target;

static void
target_clear (Target *self)
{
  g_free (self->folder);
  g_free (self->host);
  g_free (self->url);
  g_clear_pointer (&self->scenario, rw_scenario_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Target, target_clear)

void
rw_recorded_free (RwRecorded *self)
{
  if (self == NULL)
    return;
  g_free (self->first_hole);
  g_free (self->note);
  g_free (self);
}

/* "My Site!" -> "my-site.test": a host name that nobody has. */
static char *
host_of_folder (const char *folder)
{
  g_autofree char *canonical = g_canonicalize_filename (folder, NULL);
  g_autofree char *base = g_path_get_basename (canonical);
  GString *host = g_string_new (NULL);
  for (const char *p = base; *p != '\0'; p++)
    if (g_ascii_isalnum (*p))
      g_string_append_c (host, g_ascii_tolower (*p));
    else if (host->len > 0 && host->str[host->len - 1] != '-')
      g_string_append_c (host, '-');
  while (host->len > 0 && host->str[host->len - 1] == '-')
    g_string_truncate (host, host->len - 1);
  g_string_append (host, host->len == 0 ? "page.test" : ".test");
  return g_string_free (host, FALSE);
}

static gboolean
resolve_url (Target *self, const char *target, GError **error)
{
  g_autoptr (GUri) uri = g_uri_parse (target, G_URI_FLAGS_ENCODED, NULL);
  if (uri == NULL || g_uri_get_host (uri) == NULL || *g_uri_get_host (uri) == '\0')
    {
      g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE, "%s: not an address; write http://host/path", target);
      return FALSE;
    }
  const char *path = g_uri_get_path (uri);
  g_autofree char *plain = g_strndup (target, strcspn (target, "#"));
  self->url = *path == '\0' ? g_strconcat (plain, "/", NULL) : g_strdup (plain);
  return TRUE;
}

static gboolean
resolve_path (Target *self, const char *target, GError **error)
{
  g_autofree char *file = NULL;
  if (g_file_test (target, G_FILE_TEST_IS_DIR))
    {
      self->folder = g_strdup (target);
      file = g_strdup ("");
      g_autofree char *index = g_build_filename (target, "index.html", NULL);
      if (!g_file_test (index, G_FILE_TEST_IS_REGULAR))
        {
          g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE,
                       "%s: has no index.html; name the HTML file itself instead of its folder", target);
          return FALSE;
        }
    }
  else if (g_file_test (target, G_FILE_TEST_IS_REGULAR))
    {
      self->folder = g_path_get_dirname (target);
      file = g_path_get_basename (target);
    }
  else
    {
      g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE,
                   "%s: no such folder or file; give a folder with an index.html, an HTML file, or an address with http://",
                   target);
      return FALSE;
    }
  g_autofree char *escaped = g_uri_escape_string (file, NULL, FALSE);
  self->host = host_of_folder (self->folder);
  self->url = g_strdup_printf ("http://%s/%s", self->host, escaped);
  return TRUE;
}

static gboolean
read_scenario (Target *self, const RwRecordOptions *options, GError **error)
{
  g_autofree char *beside = self->folder == NULL ? NULL : g_build_filename (self->folder, "scenario", NULL);
  const char *path = options->scenario;
  g_autofree char *text = NULL;
  g_autoptr (GError) why = NULL;
  if (options->no_input)
    self->scenario = rw_scenario_parse ("", "no input", NULL);
  if (path == NULL && beside != NULL && g_file_test (beside, G_FILE_TEST_IS_REGULAR))
    path = beside;
  if (path == NULL || options->no_input)
    return TRUE;
  if (!g_file_get_contents (path, &text, NULL, &why))
    {
      g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE, "%s: the scenario can't be read: %s", path, why->message);
      return FALSE;
    }
  self->scenario = rw_scenario_parse (text, path, &why);
  if (self->scenario == NULL)
    g_set_error_literal (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE, why->message);
  return self->scenario != NULL;
}

static gboolean
resolve (Target *self, const RwRecordOptions *options, GError **error)
{
  const char *scheme = strstr (options->target, "://");
  gboolean web = g_str_has_prefix (options->target, "http://") || g_str_has_prefix (options->target, "https://");
  if (scheme != NULL && !web)
    {
      g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE, "%s: only http:// and https:// addresses can be recorded",
                   options->target);
      return FALSE;
    }
  return (web ? resolve_url (self, options->target, error) : resolve_path (self, options->target, error))
         && read_scenario (self, options, error);
}

/* ---- loading ------------------------------------------------------------------------------------------------------- */

static RwHost *
start_host (const Target *target, const RwRecordOptions *options, GError **error)
{
  RwHostOptions host = {
    .live = TRUE,
    .folder = target->folder,
    .host = target->host,
    .url = target->url,
    .insecure = options->insecure,
    .latencies = target->scenario == NULL ? NULL : rw_scenario_latencies (target->scenario),
    .width = options->width,
    .height = options->height,
    .silence_ms = RW_BROWSER_SILENCE_MS,
    .wall_ms = RW_BROWSER_WALL_MS,
    .memory_mb = RW_BROWSER_MEMORY_MB,
  };
  g_autoptr (RwHost) self = rw_host_start (&host, error);
  if (self == NULL)
    return NULL;
  return rw_host_await (self, NULL, NULL, error) == RW_HOST_READY ? g_steal_pointer (&self) : NULL;
}

static RwLoaded *
load_once (RwHost *host, RwConfig *config, RwSpace *space, GError **error)
{
  RwLoaded *loaded = NULL;
  g_autofree char *json = rw_config_to_json (config);
  /* If it can't be asked it is gone, and that is what awaiting its answer says. */
  rw_host_load (host, json);
  return rw_host_await (host, space, &loaded, error) == RW_HOST_LOADED ? loaded : NULL;
}

static RwLoaded *
load (const Target *target, const RwRecordOptions *options, double epoch, RwSpace *space, GError **error)
{
  g_autoptr (RwHost) host = start_host (target, options, error);
  if (host == NULL)
    return NULL;
  RwConfig config = {
    .record = TRUE,
    .space = space,
    .scenario = target->scenario,
    .epoch_ms = epoch,
    .horizon_ms = options->seconds * 1000,
    .max_events = options->max_events,
    .find_steps = target->scenario == NULL,
    .max_steps = options->max_steps,
  };
  return load_once (host, &config, space, error);
}

/* What the first load found a user could do, as a scenario. */
static RwScenario *
found_scenario (const RwLoaded *loaded)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; loaded->steps != NULL && i < loaded->steps->len; i++)
    g_string_append_printf (text, "%s\n", (char *)loaded->steps->pdata[i]);
  RwScenario *scenario = rw_scenario_parse (text->str, "automatic input", NULL);
  g_string_free (text, TRUE);
  return scenario != NULL ? scenario : rw_scenario_parse ("", "automatic input", NULL);
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

static gboolean
set_number (RwRecording *recording, const char *key, double value, GError **error)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return rw_recording_set (recording, key, g_ascii_dtostr (text, sizeof text, value), error);
}

static gboolean
write_facts (RwRecording *recording, const Target *target, const RwRecordOptions *options, double epoch,
             const RwLoaded *loaded, GError **error)
{
  return rw_recording_set (recording, "url", target->url, error)
         && rw_recording_set (recording, "target", options->target, error)
         && rw_recording_set (recording, "scenario", rw_scenario_text (target->scenario), error)
         && rw_recording_set (recording, "times", loaded->times, error)
         && rw_recording_set (recording, "version", RACEWALK_VERSION, error)
         && set_number (recording, "epoch", epoch, error)
         && set_number (recording, "horizon", options->seconds * 1000, error)
         && set_number (recording, "max-events", options->max_events, error)
         && set_number (recording, "width", options->width, error)
         && set_number (recording, "height", options->height, error);
}

static gboolean
write_run (RwRecording *recording, RwSpace *space, RwLoaded *loaded, GError **error)
{
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  g_autoptr (RwExplore) explore = rw_explore_new (space, &options);
  g_autoptr (RwSchedule) schedule = NULL;
  rw_explore_next (explore, &schedule);
  RwSession session = { .space = space };
  g_autoptr (RwRun) run = rw_session_run (&session, schedule, loaded);
  run->number = 0;
  return rw_recording_put_run (recording, run, error);
}

static gboolean
write_recording (const Target *target, const RwRecordOptions *options, double epoch, RwSpace *space, RwLoaded *loaded,
                 GError **error)
{
  g_autoptr (RwRecording) recording = rw_recording_open (options->output, RW_RECORDING_NEW, error);
  if (recording == NULL || !write_facts (recording, target, options, epoch, loaded, error))
    return FALSE;
  for (guint i = 0; i < loaded->exchanges->len; i++)
    if (!rw_recording_add_exchange (recording, loaded->exchanges->pdata[i], error))
      return FALSE;
  return write_run (recording, space, loaded, error) && rw_recording_publish (recording, error);
}

static gboolean
check_loaded (const Target *target, const RwLoaded *loaded, GError **error)
{
  if (loaded->outcome == RW_OUTCOME_DONE || loaded->outcome == RW_OUTCOME_LIMIT)
    return TRUE;
  /* The proxy knows better than the view why a page did not come. */
  for (guint i = 0; i < loaded->exchanges->len; i++)
    {
      const RwExchange *exchange = loaded->exchanges->pdata[i];
      if (exchange->status == 0 && strcmp (exchange->url, target->url) == 0)
        {
          g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_FAILED, "%s: %s", target->url, exchange->reason);
          return FALSE;
        }
    }
  g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_FAILED, "%s: %s", target->url,
               loaded->note == NULL ? "could not be loaded" : loaded->note);
  return FALSE;
}

static RwRecorded *
recorded_of (const RwLoaded *loaded, const Target *target, gboolean automatic)
{
  RwRecorded *self = g_new0 (RwRecorded, 1);
  self->events = rw_trace_length (loaded->trace);
  self->accesses = rw_trace_n_ops (loaded->trace);
  self->exchanges = loaded->exchanges->len;
  self->holes = loaded->holes->len;
  self->first_hole = loaded->holes->len > 0 ? g_strdup (loaded->holes->pdata[0]) : NULL;
  self->note = g_strdup (loaded->note);
  self->steps = rw_scenario_steps (target->scenario)->len;
  self->automatic = automatic;
  return self;
}

/* Before the page is loaded, not after. */
static gboolean
check_output (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE, "%s: is a folder; name the file to write", path);
  else if (access (folder, W_OK | X_OK) != 0)
    g_set_error (error, RW_RECORD_ERROR, RW_RECORD_ERROR_FAILED, "%s: %s; choose a folder in which you may write", path,
                 g_strerror (errno));
  else
    return TRUE;
  return FALSE;
}

static RwRecorded *
record (const RwRecordOptions *options, GError **error)
{
  g_auto (Target) target = { 0 };
  g_autoptr (RwSpace) space = rw_space_new ();
  if (!resolve (&target, options, error) || !check_output (options->output, error))
    return NULL;
  double epoch = target.folder != NULL ? FOLDER_EPOCH_MS : (double)(g_get_real_time () / 1000);
  gboolean automatic = target.scenario == NULL;
  if (automatic)
    {
      g_autoptr (RwSpace) scratch = rw_space_new ();
      g_autoptr (RwLoaded) probe = load (&target, options, epoch, scratch, error);
      if (probe == NULL || !check_loaded (&target, probe, error))
        return NULL;
      target.scenario = found_scenario (probe);
    }
  g_autoptr (RwLoaded) loaded = load (&target, options, epoch, space, error);
  if (loaded == NULL || !check_loaded (&target, loaded, error))
    return NULL;
  g_autoptr (RwRecorded) recorded = recorded_of (loaded, &target, automatic);
  if (!write_recording (&target, options, epoch, space, loaded, error))
    return NULL;
  return g_steal_pointer (&recorded);
}

RwRecorded *
rw_record (const RwRecordOptions *options, GError **error)
{
  GError *local = NULL;
  rw_stop_watch ();
  RwRecorded *recorded = record (options, &local);
  if (g_error_matches (local, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (&local);
      g_set_error_literal (&local, RW_RECORD_ERROR, RW_RECORD_ERROR_FAILED, "stopped; nothing was recorded");
    }
  if (local != NULL)
    g_propagate_error (error, local);
  return recorded;
}
