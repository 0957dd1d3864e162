/* SPDX-License-Identifier: MIT */
/* Exploring from the command line: options, progress, Ctrl-C, and what is said at the end. */
#include "rw-explore-options.h"

#include "rw-command.h"
#include "rw-filter.h"
#include "rw-stop.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

GOptionEntry *
rw_explore_entries (const GOptionEntry *own, RwExploreArguments *arguments)
{
  const GOptionEntry shared[] = {
    { "bound", 'k', 0, G_OPTION_ARG_INT, &arguments->bound, "at most so many conflict reversals a run (1); -1: no bound", "K" },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &arguments->jobs, "browsers side by side (number of cores)", "N" },
    { "budget", 0, 0, G_OPTION_ARG_STRING, &arguments->budget, "stop after this time: 90s, 10m, 2h", "TIME" },
    { "runs", 0, 0, G_OPTION_ARG_INT, &arguments->runs, "stop after so many runs", "N" },
    { "strategy", 0, 0, G_OPTION_ARG_STRING, &arguments->strategy, "exact (default), r4, wave or delay", "NAME" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &arguments->seed, "for wave and delay (1)", "N" },
    { "timers", 0, 0, G_OPTION_ARG_STRING, &arguments->timers, "any: every pending timer may fire first", "any" },
    { "no-check", 0, 0, G_OPTION_ARG_NONE, &arguments->no_check, "do not replay the unchanged recording first", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &arguments->quiet, "no progress", NULL },
    G_OPTION_ENTRY_NULL,
  };
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (GOptionEntry));
  for (; own->long_name != NULL; own++)
    g_array_append_val (entries, *own);
  g_array_append_vals (entries, shared, G_N_ELEMENTS (shared));
  return (GOptionEntry *)(gpointer)g_array_free (entries, FALSE);
}

static gboolean
parse_time (const char *text, gint64 *ms)
{
  char *end;
  double value = g_ascii_strtod (text, &end);
  double unit = *end == '\0' || strcmp (end, "s") == 0 ? 1000 : strcmp (end, "m") == 0 ? 60000 : strcmp (end, "h") == 0 ? 3600000 : 0;
  if (end == text || unit == 0 || !(value > 0 && value < 1e6))
    return FALSE;
  *ms = (gint64)(value * unit);
  return *ms > 0;
}

gboolean
rw_explore_check_arguments (const RwExploreArguments *arguments, RwLoopOptions *options, int *status)
{
  RwExploreOptions explore = RW_EXPLORE_OPTIONS_DEFAULT;
  *status = RW_EXIT_OK;
  *options = (RwLoopOptions){ .explore = explore, .check = !arguments->no_check };
  options->explore.filters = RW_FILTERS_DEFAULT;
  options->explore.bound = arguments->bound < 0 ? G_MAXUINT : (guint)arguments->bound;
  options->explore.max_runs = (guint)MAX (arguments->runs, 0);
  options->explore.seed = (guint64)arguments->seed;
  options->jobs = arguments->jobs > 0 ? (guint)arguments->jobs : g_get_num_processors ();
  options->explore.timers_any = arguments->timers != NULL;
  if (arguments->strategy != NULL && !rw_strategy_from_name (arguments->strategy, &options->explore.strategy))
    *status = rw_fail (RW_EXIT_USAGE, "no strategy '%s'; there are exact, r4, wave and delay", arguments->strategy);
  else if (arguments->budget != NULL && !parse_time (arguments->budget, &options->budget_ms))
    *status = rw_fail (RW_EXIT_USAGE, "--budget %s: write a time such as 90s, 10m or 2h", arguments->budget);
  else if (arguments->timers != NULL && strcmp (arguments->timers, "any") != 0)
    *status = rw_fail (RW_EXIT_USAGE, "--timers %s: the only choice is any", arguments->timers);
  else if (arguments->bound < -1 || arguments->jobs < 0 || arguments->jobs > 64 || arguments->runs < 0)
    *status = rw_fail (RW_EXIT_USAGE, "--bound is at least -1, --jobs lies between 1 and 64, --runs is at least 1");
  return *status == RW_EXIT_OK;
}

/* A moving line on a terminal; elsewhere a plain line now and then. */
static void
progress_cb (const RwLoopResult *so_far, gpointer data)
{
  static gint64 last;
  const RwExploreStats *stats = &so_far->stats;
  gboolean terminal = rw_is_terminal (STDERR_FILENO);
  gint64 now = g_get_monotonic_time ();
  if (now - last < (terminal ? 100000 : 5000000))
    return;
  last = now;
  fprintf (stderr, "%s%u runs done, %u queued, depth %u, %u skipped as equivalent%s", terminal ? "\r\033[K" : "",
           stats->runs, stats->queued + stats->out, stats->depth, stats->skipped, terminal ? "" : "\n");
  fflush (stderr);
}

static void
print_end (const RwLoopResult *result, const RwLoopOptions *options)
{
  const RwExploreStats *stats = &result->stats;
  static const char *const ends[] = {
    "everything within the bound was explored",
    "stopped at the limit of runs",
    "stopped at the end of the budget",
    "stopped; what was found is kept, and the same command goes on from here",
  };
  printf ("Explored %u runs (%u executed now, %u from the recording), %u equivalent ones skipped; %s.\n", stats->runs,
          result->executed, result->reused, stats->skipped, ends[result->end]);
  if (stats->queued + stats->out > 0 && result->end != RW_LOOP_FINISHED)
    printf ("Left unexplored: %u schedules that are known, and what they would lead to.\n", stats->queued + stats->out);
  if (stats->beyond_bound > 0)
    printf ("%u reversals lie beyond the bound.\n", stats->beyond_bound);
  if (stats->pruned >= 0 && options->explore.strategy == RW_STRATEGY_R4)
    printf ("Persistent sets left out %.1f %% of the enabled events.\n", 100 * stats->pruned);
  if (result->crashed > 0)
    printf ("%u runs ended in a crash or hang of the page.\n", result->crashed);
  if (result->diverged)
    printf ("Warning: replaying the recording unchanged did not give the recorded run: %s.\n", result->divergence);
  for (guint i = 0; i < result->surprises->len && i < 3; i++)
    printf ("Warning: an uninstrumented channel or nondeterminism: %s.\n", (char *)result->surprises->pdata[i]);
  if (result->surprises->len > 3)
    printf ("... and %u more such warnings.\n", result->surprises->len - 3);
}

int
rw_explore_run (const char *path, const RwExploreArguments *arguments, const RwLoopOptions *given)
{
  g_autoptr (GError) error = NULL;
  RwLoopOptions options = *given;
  RwLoopResult result;
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_WRITE, &error);
  if (recording == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_autoptr (RwSession) session = rw_session_open (recording, &error);
  if (session == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  session->timers_any = options.explore.timers_any;
  options.progress = arguments->quiet ? NULL : progress_cb;
  rw_stop_watch ();
  gboolean done = rw_loop (session, &options, &result, &error);
  if (!arguments->quiet && rw_is_terminal (STDERR_FILENO))
    fputs ("\r\033[K", stderr);
  if (done && !arguments->quiet)
    print_end (&result, &options);
  rw_loop_result_clear (&result);
  return done ? RW_EXIT_OK : rw_fail (RW_EXIT_FAILED, "%s", error->message);
}
