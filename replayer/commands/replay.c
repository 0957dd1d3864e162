/* SPDX-License-Identifier: MIT */
/* racewalk replay: run one schedule of a recording again and say how it went. */
#include "replay-list.h"
#include "replay-profile.h"
#include "replay-schedule.h"
#include "rw-command.h"
#include "rw-divergence.h"
#include "rw-session.h"
#include "rw-stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  gboolean check;
  gboolean show;
  gboolean list;
  gboolean profile;
  int times;
  char *shots;
  char *schedule;
  gboolean skip;
  gboolean from_parent;
} Arguments;

static gboolean
parse_run (const char *text, guint *number)
{
  char *end;
  errno = 0;
  guint64 value = g_ascii_strtoull (text, &end, 10);
  *number = (guint)value;
  return end != text && *end == '\0' && errno == 0 && value < RW_RUN_REDUNDANT;
}

static GArray *
events_of (const RwTrace *trace)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      RwEvent event = rw_trace_event (trace, i);
      g_array_append_val (events, event);
    }
  return events;
}

/* One replay of @events in place of what @run did. NULL: it has been said why not. */
static RwRun *
replay_once (RwSession *session, RwHost *host, const RwRun *run, GArray *events)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwLoaded) loaded = NULL;
  RwSchedule schedule = { .parent = run->parent, .depth = run->depth, .reversal = run->reversal, .events = events };
  g_autofree char *config = rw_session_config (session, schedule.events);
  rw_host_load (host, config);
  RwHostAnswer answer = rw_host_await (host, session->space, &loaded, &error);
  RwRun *again = answer == RW_HOST_LOADED ? rw_session_run (session, &schedule, loaded) : NULL;
  if (again == NULL)
    rw_fail (RW_EXIT_FAILED, "replay: %s", error->message);
  return again;
}

static gboolean
write_shot (const RwRun *run, const char *folder, guint n)
{
  g_autofree char *name = g_strdup_printf ("run-%u.png", n);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  gsize size;
  const char *data = run->screenshot == NULL ? NULL : g_bytes_get_data (run->screenshot, &size);
  return data == NULL || g_file_set_contents (path, data, (gssize)size, NULL);
}

static int
replay_times (RwSession *session, RwHost *host, const RwRun *run, const Arguments *arguments)
{
  guint divergences = 0;
  g_autoptr (GArray) events = events_of (run->trace);
  for (int i = 0; i < arguments->times; i++)
    {
      g_autoptr (RwRun) again = replay_once (session, host, run, events);
      if (again == NULL)
        return RW_EXIT_FAILED;
      g_autofree char *how = rw_divergence_describe (run, again);
      if (i == 0 && arguments->list)
        rw_list_events (again);
      if (arguments->shots != NULL && !write_shot (again, arguments->shots, run->number))
        return rw_fail (RW_EXIT_FAILED, "%s: a picture can't be written there", arguments->shots);
      if (how != NULL)
        printf ("replay %d of run %u diverged: %s\n", i + 1, run->number, how);
      divergences += how != NULL;
    }
  printf ("Run %u replayed %d time%s, %u divergence%s.\n", run->number, arguments->times, arguments->times == 1 ? "" : "s",
          divergences, divergences == 1 ? "" : "s");
  return divergences > 0 && arguments->check ? RW_EXIT_HARMFUL : RW_EXIT_OK;
}

/* A person's own order. What can't be run where it stands is an error, or counted. */
static int
replay_schedule (RwSession *session, RwHost *host, const RwRun *run, GArray *events, guint left_out, const Arguments *arguments)
{
  g_autoptr (RwRun) again = replay_once (session, host, run, events);
  if (again == NULL)
    return RW_EXIT_FAILED;
  if (again->trace == NULL || again->outcome == RW_OUTCOME_HANG || again->outcome == RW_OUTCOME_CRASH)
    return rw_fail (RW_EXIT_FAILED, "replay: %s", again->note == NULL ? "the run failed" : again->note);
  if (arguments->list)
    rw_list_events (again);
  if (arguments->shots != NULL && !write_shot (again, arguments->shots, run->number))
    return rw_fail (RW_EXIT_FAILED, "%s: a picture can't be written there", arguments->shots);
  if (again->skipped->len > 0 && !arguments->skip)
    return rw_fail (RW_EXIT_FAILED, "%s: %u events can't be run where they stand, first: '%s'; --skip leaves them out",
                    arguments->schedule, again->skipped->len,
                    rw_event_label (session->space, g_array_index (again->skipped, RwEvent, 0)));
  printf ("Ran %u events, %u of them listed; %u skipped, %u lines left out; the end state is %s that of run %u.\n",
          rw_trace_length (again->trace), events->len - again->skipped->len, again->skipped->len, left_out,
          g_strcmp0 (again->state_hash, run->state_hash) == 0 ? "the same as" : "another than", run->number);
  return RW_EXIT_OK;
}

static void
wait_for_enter (void)
{
  if (!isatty (STDIN_FILENO))
    return;
  printf ("Press Enter to close the window.\n");
  fflush (stdout);
  getchar ();
}

static RwHost *
start_host (RwSession *session, gboolean show, GError **error)
{
  g_autoptr (RwHost) host = rw_session_start_host (session, show, error);
  return host != NULL && rw_host_await (host, NULL, NULL, error) == RW_HOST_READY ? g_steal_pointer (&host) : NULL;
}

static int
replay_as_asked (RwSession *session, const RwRun *run, const Arguments *arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) events = NULL;
  guint left_out = 0;
  if (arguments->schedule != NULL)
    {
      events = rw_schedule_read (session, arguments->schedule, arguments->skip, &left_out, &error);
      if (events == NULL)
        return rw_fail (RW_EXIT_USAGE, "%s", error->message);
    }
  g_autoptr (RwHost) host = start_host (session, arguments->show, &error);
  if (host == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  if (arguments->profile)
    {
      events = events == NULL ? events_of (run->trace) : events;
      return rw_profile (session, host, events, (guint)arguments->times, &error)
                 ? RW_EXIT_OK
                 : rw_fail (RW_EXIT_FAILED, "%s", error->message);
    }
  int status = events != NULL ? replay_schedule (session, host, run, events, left_out, arguments)
                              : replay_times (session, host, run, arguments);
  if (arguments->show && status != RW_EXIT_FAILED)
    wait_for_enter ();
  return status;
}

static int
replay_run (const char *path, guint number, const Arguments *arguments)
{
  g_autoptr (GError) error = NULL;
  rw_stop_watch ();
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_READ, &error);
  if (recording == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_autoptr (RwSession) session = rw_session_open (recording, &error);
  if (session == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  if (number == RW_RUN_NONE)
    return rw_list_runs (session, &error) ? RW_EXIT_OK : rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_autoptr (RwRun) run = rw_recording_run (recording, session->space, number, &error);
  if (run == NULL && error == NULL)
    return rw_fail (RW_EXIT_USAGE, "%s: there is no run %u; `racewalk replay %s --list` lists them", path, number, path);
  if (run == NULL || run->trace == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error == NULL ? "that run left no trace" : error->message);
  if (!arguments->from_parent)
    return replay_as_asked (session, run, arguments);
  if (run->parent == RW_RUN_NONE)
    return rw_fail (RW_EXIT_USAGE, "--from-parent: run %u is the recording and has no parent", number);
  g_autoptr (RwRun) parent = rw_recording_run (recording, session->space, run->parent, &error);
  if (parent == NULL || parent->trace == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error == NULL ? "its parent left no trace" : error->message);
  return replay_as_asked (session, parent, arguments);
}

static int
replay_main (int argc, char **argv)
{
  Arguments arguments = { .times = 1 };
  int status;
  guint number = 0;
  const GOptionEntry entries[] = {
    { "check", 0, 0, G_OPTION_ARG_NONE, &arguments.check, "exit with 1 if the run is not what it was", NULL },
    { "list", 'l', 0, G_OPTION_ARG_NONE, &arguments.list, "list the events of RUN as they ran; without RUN, the runs that there are", NULL },
    { "times", 'n', 0, G_OPTION_ARG_INT, &arguments.times, "so many times (1)", "N" },
    { "profile", 0, 0, G_OPTION_ARG_NONE, &arguments.profile, "compare its time with that of plain loads; use -n", NULL },
    { "schedule", 0, 0, G_OPTION_ARG_FILENAME, &arguments.schedule, "run these events, one identity or label a line", "FILE" },
    { "skip", 0, 0, G_OPTION_ARG_NONE, &arguments.skip, "with --schedule: leave out and count what can't be run", NULL },
    { "from-parent", 0, 0, G_OPTION_ARG_NONE, &arguments.from_parent, "the other order: that of the run's parent", NULL },
    { "shots", 0, 0, G_OPTION_ARG_FILENAME, &arguments.shots, "leave a picture of the end in this folder", "DIR" },
    { "show", 0, 0, G_OPTION_ARG_NONE, &arguments.show, "in a window, on the display that is there", NULL },
    G_OPTION_ENTRY_NULL,
  };
  if (!rw_command_parse (&rw_command_replay, entries, NULL, &argc, &argv, &status))
    return status;
  if (argc < 2 || argc > 3)
    return rw_fail (RW_EXIT_USAGE, "replay: name a recording and the number of a run (0: the recording itself)");
  if (argc == 3 && !parse_run (argv[2], &number))
    return rw_fail (RW_EXIT_USAGE, "replay: '%s' is no number of a run", argv[2]);
  if (arguments.times < 1)
    return rw_fail (RW_EXIT_USAGE, "--times is at least 1");
  if (argc == 2 && arguments.list)
    number = RW_RUN_NONE;
  return replay_run (argv[1], number, &arguments);
}

const RwCommand rw_command_replay = {
  .name = "replay",
  .arguments = "PAGE.rwk [RUN]",
  .summary = "run one order again, exactly",
  .main = replay_main,
};
