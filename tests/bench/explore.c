/* SPDX-License-Identifier: MIT */
/* How fast the explorer is: runs a second and memory on model programs, and what one large run costs to analyse and
 * predict. */
#include "rw-model.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Processor time, in microseconds: the machine may have other work. */
static gint64
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gint64)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static double
seconds_since (gint64 start)
{
  return (double)(now () - start) / 1e6;
}

static double
mebibytes_in_use (void)
{
  struct mallinfo2 info = mallinfo2 ();
  return (double)(info.uordblks + info.hblkhd) / (1 << 20);
}

/* --- model programs --- */

static char *
writers (guint n)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "event e%u { write x %u }\n", i, i);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s e%u", i == 0 ? "start" : ",", i);
  return g_string_free (text, FALSE);
}

/* Pairs that race, each on its own variable, with some crossing: many classes within few reversals. */
static char *
pairs (guint n)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "event e%u { write x%u %u; read x%u }\n", i, i / 2, i, (i + 3) % n / 2);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s e%u", i == 0 ? "start" : ",", i);
  return g_string_free (text, FALSE);
}

static void
bench_model (const char *name, char *text, RwStrategy strategy, guint bound)
{
  g_autoptr (RwModel) model = rw_model_parse (text, strlen (text), name, NULL);
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  RwExploreStats stats;
  RwSchedule *schedule;
  double executing = 0, before = mebibytes_in_use ();
  gint64 start = now ();

  options.strategy = strategy;
  options.bound = bound;
  g_autoptr (RwExplore) explore = rw_explore_new (rw_model_space (model), &options);
  while (rw_explore_next (explore, &schedule) == RW_NEXT_RUN)
    {
      gint64 run = now ();
      g_autoptr (RwTrace) trace = rw_model_execute (model, schedule);
      executing += seconds_since (run);
      rw_explore_add (explore, schedule, trace);
      rw_schedule_free (schedule);
    }
  double all = seconds_since (start);
  rw_explore_stats (explore, &stats);
  printf ("%-22s %-6s %8u runs %8u classes %8u predicted %9.0f runs/s without executing %8.0f bytes a class\n", name,
          rw_strategy_name (strategy), stats.runs, stats.classes, stats.skipped, stats.runs / (all - executing),
          (mebibytes_in_use () - before) * (1 << 20) / stats.classes);
  g_free (text);
}

/* --- one large run, of the size of a real page --- */

/* Chains of posts and timers; @shared of a thousand accesses go to locations that others use, too. */
static RwTrace *
large_trace (RwSpace *space, guint n, guint accesses, guint shared)
{
  RwTrace *trace = rw_trace_new (space);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint i = 0; i < n; i++)
    {
      RwEventInfo info = { .id = i + 1, .label = "event", .delay = i % 3 == 0 ? (gint32)(i % 7) : -1 };
      rw_space_event (space, &info);
    }
  rw_trace_initial (trace, 0);
  for (guint i = 0; i < n; i++)
    {
      rw_trace_begin (trace, i);
      for (guint k = 0; k < accesses; k++)
        {
          gboolean common = (guint)g_rand_int_range (rand, 0, 1000) < shared;
          g_autofree char *name = common ? g_strdup_printf ("shared %d", g_rand_int_range (rand, 0, (gint)n))
                                         : g_strdup_printf ("own %u.%d", i / 8, g_rand_int_range (rand, 0, 100));
          RwLocation location = rw_space_location (space, name);
          if (g_rand_int_range (rand, 0, 5) == 0 && common)
            rw_trace_write (trace, location, 0, 0);
          else
            rw_trace_read (trace, location, 0, 0);
        }
      for (guint k = 4 * i + 1; k <= 4 * i + 4 && k < n; k++)
        rw_trace_post (trace, k);
    }
  return trace;
}

static void
bench_large (guint n, guint accesses, guint shared)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwTrace) trace = large_trace (space, n, accesses, shared);
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  RwSchedule *schedule;
  double before = mebibytes_in_use ();

  g_autoptr (RwExplore) explore = rw_explore_new (space, &options);
  rw_explore_next (explore, &schedule);
  gint64 start = now ();
  rw_explore_add (explore, schedule, trace);
  double learning = seconds_since (start);
  rw_schedule_free (schedule);
  start = now ();
  g_autoptr (GArray) conflicts = rw_trace_conflicts (trace, &options);
  double analysing = seconds_since (start);
  start = now ();
  guint given = 0;
  for (; given < 10 && rw_explore_next (explore, &schedule) == RW_NEXT_RUN; given++)
    rw_schedule_free (schedule);
  double proposing = seconds_since (start);
  printf ("%5u events %8" G_GUINT64_FORMAT
          " ops: taken in %.3f s, analysed in %.3f s, %u conflicts; first %u schedules in %.3f s; "
          "%.0f MiB\n",
          n, rw_trace_n_ops (trace), learning, analysing, conflicts->len, given, proposing,
          mebibytes_in_use () - before);
}

int
main (void)
{
  for (guint n = 4; n <= 6; n++)
    {
      g_autofree char *name = g_strdup_printf ("%u writers", n);
      bench_model (name, writers (n), RW_STRATEGY_EXACT, G_MAXUINT);
      bench_model (name, writers (n), RW_STRATEGY_R4, G_MAXUINT);
    }
  for (guint bound = 1; bound <= 3; bound++)
    {
      g_autofree char *name = g_strdup_printf ("16 in pairs, bound %u", bound);
      bench_model (name, pairs (16), RW_STRATEGY_EXACT, bound);
      bench_model (name, pairs (16), RW_STRATEGY_R4, bound);
    }
  bench_large (1000, 100, 10);
  bench_large (5000, 20, 10);
  bench_large (5000, 200, 10);
  return 0;
}
