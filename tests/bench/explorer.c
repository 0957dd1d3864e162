/* SPDX-License-Identifier: MIT */
/* How time and memory of the race detector grow: generated logs, one parameter at a time. */
#include "rw-race.h"
#include "rw-synthetic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct
{
  double load, hb, races; /* seconds */
  double hb_bytes, race_bytes;
  guint nodes, chains, n_races, n_uncovered, n_multi;
  guint64 accesses;
} Figures;

/* Of this process alone: the machine may have other things to do. */
static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void
measure (GBytes *bytes, Figures *figures)
{
  double start = now ();
  g_autoptr (RwErLog) log = rw_erlog_from_bytes (bytes, NULL);
  figures->load = now () - start;

  start = now ();
  g_autoptr (RwHistory) history = rw_history_from_erlog (log, RW_TIMERS_ORDERED);
  figures->hb = now () - start;

  start = now ();
  g_autoptr (RwRaces) races = rw_races_find (history);
  figures->races = now () - start;

  figures->nodes = rw_history_n_nodes (history);
  figures->accesses = rw_history_n_accesses (history);
  figures->chains = rw_hb_n_chains (history->hb);
  figures->n_races = races->races->len;
  figures->n_uncovered = races->n_uncovered + races->n_multi;
  figures->n_multi = races->n_multi;
  figures->hb_bytes = rw_hb_memory (history->hb) + rw_history_memory (history);
  /* The accesses by location are gone when races are sorted, the copy for sorting when they are covered. */
  figures->race_bytes = MAX (races->group.bytes + races->detect.bytes / 2, races->detect.bytes);
  figures->race_bytes = MAX (figures->race_bytes, races->detect.bytes / 2 + races->cover.bytes);
}

/* In a process of its own, so that one measurement leaves nothing to the next; the best of @repeat. */
static void
measure_apart (const RwSynthetic *options, guint repeat, Figures *best)
{
  int ends[2];
  pid_t child;

  g_assert_cmpint (pipe (ends), ==, 0);
  child = fork ();
  if (child == 0)
    {
      GBytes *bytes;
      {
        g_autoptr (RwErLog) log = rw_synthetic_log (options);
        bytes = rw_erlog_to_bytes (log);
      }
      for (guint i = 0; i < repeat; i++)
        {
          Figures figures;
          measure (bytes, &figures);
          if (i == 0 || figures.hb + figures.races < best->hb + best->races)
            *best = figures;
        }
      _exit (write (ends[1], best, sizeof *best) == sizeof *best ? 0 : 1);
    }
  close (ends[1]);
  g_assert_cmpint (read (ends[0], best, sizeof *best), ==, sizeof *best);
  close (ends[0]);
  waitpid (child, NULL, 0);
}

static void
print_header (const char *what)
{
  printf ("\n%s\n%7s %9s %6s %6s %7s %8s %9s %8s | %8s %8s %8s %9s | %9s %9s\n", what, "events", "accesses", "timers", "shared",
          "chains", "races", "uncovered", "multi", "load s", "order s", "races s", "us/access", "MB", "B/access");
}

static void
print_row (const RwSynthetic *options, const Figures *figures)
{
  double bytes = figures->hb_bytes + figures->race_bytes;

  printf ("%7u %9" G_GUINT64_FORMAT " %5.0f%% %5.0f%% %7u %8u %9u %8u | %8.3f %8.3f %8.3f %9.3f | %9.1f %9.1f\n",
          options->events, figures->accesses, options->timers * 100, options->shared * 100, figures->chains,
          figures->n_races, figures->n_uncovered, figures->n_multi, figures->load, figures->hb, figures->races,
          (figures->hb + figures->races) * 1e6 / figures->accesses, bytes / 1e6, bytes / figures->accesses);
  fflush (stdout);
}

/* The slope of a line through the logarithms: 1 is linear, 2 quadratic. */
static double
exponent (const double *x, const double *y, guint n)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;

  for (guint i = 0; i < n; i++)
    {
      double a = log (x[i]), b = log (MAX (y[i], 1e-6));
      sx += a;
      sy += b;
      sxx += a * a;
      sxy += a * b;
    }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

#define MAX_STEPS 8

typedef struct
{
  const char *what;
  const char *variable; /* "events" or "accesses": what grows; NULL: no exponent */
  guint n;
  struct
  {
    guint events, accesses;
    double timers, shared;
    guint pending, delays;
  } steps[MAX_STEPS];
} Series;

static const Series series[] = {
  { "Accesses (4 000 events)", "accesses", 5,
    { { 4000, 100000, .05, .01, 64, 20 }, { 4000, 300000, .05, .01, 64, 20 }, { 4000, 1000000, .05, .01, 64, 20 },
      { 4000, 2000000, .05, .01, 64, 20 }, { 4000, 4000000, .05, .01, 64, 20 } } },
  { "Events (500 000 accesses)", "events", 4,
    { { 1000, 500000, .05, .01, 64, 20 }, { 4000, 500000, .05, .01, 64, 20 }, { 16000, 500000, .05, .01, 64, 20 },
      { 64000, 500000, .05, .01, 64, 20 } } },
  { "Events, many at a time (500 000 accesses, 2 000 pending)", "events", 3,
    { { 4000, 500000, .05, .01, 2000, 20 }, { 16000, 500000, .05, .01, 2000, 20 }, { 64000, 500000, .05, .01, 2000, 20 } } },
  { "Timers (16 000 events, 20 delays)", NULL, 4,
    { { 16000, 100000, 0, .01, 64, 20 }, { 16000, 100000, .05, .01, 64, 20 }, { 16000, 100000, .3, .01, 64, 20 },
      { 16000, 100000, 1, .01, 64, 20 } } },
  { "Events, all of them timers (20 delays)", "events", 3,
    { { 4000, 100000, 1, .01, 64, 20 }, { 16000, 100000, 1, .01, 64, 20 }, { 64000, 128000, 1, .01, 64, 20 } } },
  { "All of them timers, hardly any ordered (2 000 delays, 1 000 pending)", "events", 2,
    { { 4000, 100000, 1, .01, 1000, 2000 }, { 8000, 100000, 1, .01, 1000, 2000 } } },
  { "Shared accesses (4 000 events, 500 000 accesses)", NULL, 5,
    { { 4000, 500000, .05, .01, 64, 20 }, { 4000, 500000, .05, .02, 64, 20 }, { 4000, 500000, .05, .05, 64, 20 },
      { 4000, 500000, .05, .1, 64, 20 }, { 4000, 500000, .05, .2, 64, 20 } } },
  { "Everything (20 % timers, 20 % shared)", "events", 3,
    { { 4000, 400000, .2, .2, 64, 20 }, { 16000, 1600000, .2, .2, 64, 20 }, { 40000, 4000000, .2, .2, 64, 20 } } },
};

static void
run_series (const Series *one, guint repeat)
{
  double x[MAX_STEPS], seconds[MAX_STEPS], bytes[MAX_STEPS];

  print_header (one->what);
  for (guint i = 0; i < one->n; i++)
    {
      RwSynthetic options = RW_SYNTHETIC_DEFAULT;
      Figures figures;

      options.events = one->steps[i].events;
      options.accesses = one->steps[i].accesses;
      options.timers = one->steps[i].timers;
      options.shared = one->steps[i].shared;
      options.pending = one->steps[i].pending;
      options.delays = one->steps[i].delays;
      measure_apart (&options, repeat, &figures);
      print_row (&options, &figures);
      x[i] = one->variable != NULL && strcmp (one->variable, "events") == 0 ? options.events : figures.accesses;
      seconds[i] = figures.hb + figures.races;
      bytes[i] = figures.hb_bytes + figures.race_bytes;
    }
  if (one->variable != NULL)
    printf ("grows with %s: time ^%.2f, memory ^%.2f\n", one->variable, exponent (x, seconds, one->n),
            exponent (x, bytes, one->n));
}

int
main (int argc, char **argv)
{
  guint repeat = argc > 1 ? MAX (atoi (argv[1]), 1) : 3;

  printf ("CPU time, the best of %u; \"order\" is happens-before with the timer rule, memory is beyond the log itself.\n", repeat);
  for (guint i = 0; i < G_N_ELEMENTS (series); i++)
    if (argc < 3 || strstr (series[i].what, argv[2]) != NULL)
      run_series (&series[i], repeat);
  return 0;
}
