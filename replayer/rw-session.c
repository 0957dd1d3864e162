/* SPDX-License-Identifier: MIT */
/* Reads what a replay needs out of a recording. */
#include "rw-session.h"

#include <string.h>

static double
number (RwRecording *recording, const char *key, double fallback)
{
  g_autofree char *text = rw_recording_get (recording, key);
  if (text == NULL)
    return fallback;
  double value = g_ascii_strtod (text, NULL);
  return value >= 0 && value < 1e15 ? value : fallback;
}

static gboolean
read_facts (RwSession *self, GError **error)
{
  RwRecording *recording = self->recording;
  g_autofree char *text = rw_recording_get (recording, "scenario");
  self->url = rw_recording_get (recording, "url");
  self->times = rw_recording_get (recording, "times");
  if (self->url == NULL || self->times == NULL)
    {
      g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FORMAT,
                   "%s: lacks the page's address or times; record the page again", rw_recording_path (recording));
      return FALSE;
    }
  self->scenario = rw_scenario_parse (text == NULL ? "" : text, "the recorded scenario", error);
  self->epoch_ms = number (recording, "epoch", 0);
  self->horizon_ms = number (recording, "horizon", RW_CONFIG_HORIZON_MS);
  self->max_events = (guint)number (recording, "max-events", RW_CONFIG_MAX_EVENTS);
  self->width = (guint)CLAMP (number (recording, "width", 1024), 16, 10000);
  self->height = (guint)CLAMP (number (recording, "height", 768), 16, 10000);
  self->silence_ms = RW_BROWSER_SILENCE_MS;
  self->wall_ms = RW_BROWSER_WALL_MS;
  self->memory_mb = RW_BROWSER_MEMORY_MB;
  return self->scenario != NULL;
}

RwSession *
rw_session_open (RwRecording *recording, GError **error)
{
  g_autoptr (RwSession) self = g_new0 (RwSession, 1);
  self->recording = recording;
  self->space = rw_space_new ();
  self->run0 = rw_recording_run (recording, self->space, 0, error);
  if (self->run0 == NULL || self->run0->trace == NULL)
    {
      if (error != NULL && *error == NULL)
        g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FORMAT, "%s: holds no recorded run; record the page again",
                     rw_recording_path (recording));
      return NULL;
    }
  self->exchanges = rw_recording_exchanges (recording, error);
  if (self->exchanges == NULL || !read_facts (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
rw_session_free (RwSession *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->run0, rw_run_free);
  g_clear_pointer (&self->scenario, rw_scenario_free);
  g_clear_pointer (&self->exchanges, g_ptr_array_unref);
  g_clear_pointer (&self->space, rw_space_unref);
  g_free (self->url);
  g_free (self->times);
  g_free (self);
}

RwHost *
rw_session_start_host (RwSession *self, gboolean show, GError **error)
{
  RwHostOptions options = {
    .url = self->url,
    .exchanges = self->exchanges,
    .width = self->width,
    .height = self->height,
    .silence_ms = self->silence_ms,
    .wall_ms = self->wall_ms,
    .memory_mb = self->memory_mb,
    .show = show,
  };
  return rw_host_start (&options, error);
}

char *
rw_session_config (RwSession *self, const GArray *schedule)
{
  RwConfig config = {
    .space = self->space,
    .schedule = schedule,
    .recording = self->run0->trace,
    .times = self->times,
    .exchanges = self->exchanges,
    .scenario = self->scenario,
    .epoch_ms = self->epoch_ms,
    .horizon_ms = self->horizon_ms,
    .max_events = self->max_events,
    .timers_any = self->timers_any,
  };
  return rw_config_to_json (&config);
}

static char *
note_of (const RwLoaded *loaded)
{
  GString *note = g_string_new (loaded->note);
  if (loaded->holes->len > 0)
    g_string_append_printf (note, "%s%u callbacks outside the schedule, first: %s", note->len > 0 ? "; " : "",
                            loaded->holes->len, (char *)loaded->holes->pdata[0]);
  if (loaded->missing->len > 0)
    g_string_append_printf (note, "%s%u requests that were not recorded, first: %s", note->len > 0 ? "; " : "",
                            loaded->missing->len, (char *)loaded->missing->pdata[0]);
  return g_string_free (note, note->len == 0);
}

RwRun *
rw_session_run (RwSession *self, const RwSchedule *schedule, RwLoaded *loaded)
{
  RwRun *run = rw_run_new ();
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  run->number = RW_RUN_UNDECIDED;
  run->key = rw_schedule_key (schedule, self->space);
  run->parent = schedule->parent;
  run->depth = schedule->depth;
  run->reversal = schedule->reversal;
  run->schedule = g_array_ref (schedule->events);
  run->outcome = loaded->outcome;
  run->note = note_of (loaded);
  run->trace = g_steal_pointer (&loaded->trace);
  if (run->trace != NULL)
    run->fingerprint = rw_trace_fingerprint (run->trace, &options);
  run->skipped = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  for (guint i = 0; i < loaded->skipped->len; i++)
    {
      RwEvent event;
      if (rw_space_lookup_event (self->space, g_ascii_strtoull (loaded->skipped->pdata[i], NULL, 16), &event))
        g_array_append_val (run->skipped, event);
    }
  run->state = g_steal_pointer (&loaded->state);
  run->screenshot = g_steal_pointer (&loaded->screenshot);
  if (run->state != NULL)
    run->state_hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, run->state);
  run->wall_ms = loaded->wall_ms;
  return run;
}
