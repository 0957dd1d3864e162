/* SPDX-License-Identifier: MIT */
/* Measures replayed runs against plain loads of the same page. */
#include "replay-profile.h"

#include <stdio.h>
#include <stdlib.h>

/* Times of one kind of load, in microseconds. */
typedef struct
{
  GArray *phases[RW_N_PHASES];
  GArray *page;  /* from the address to the end of the page: no cleaning, no picture */
  GArray *whole; /* as racewalk sees it */
  guint events;
} Times;

static void
times_init (Times *self)
{
  for (guint i = 0; i < RW_N_PHASES; i++)
    self->phases[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->page = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->whole = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->events = 0;
}

static void
times_clear (Times *self)
{
  for (guint i = 0; i < RW_N_PHASES; i++)
    g_array_unref (self->phases[i]);
  g_array_unref (self->page);
  g_array_unref (self->whole);
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

static double
median_ms (GArray *times)
{
  qsort (times->data, times->len, sizeof (gint64), compare);
  return times->len == 0 ? 0 : (double)g_array_index (times, gint64, times->len / 2) / 1000;
}

static gboolean
measure (RwSession *session, RwHost *host, const GArray *events, Times *times, GError **error)
{
  g_autoptr (RwLoaded) loaded = NULL;
  gint64 began = g_get_monotonic_time (), page = 0;
  g_autofree char *config = events == NULL ? NULL : rw_session_config (session, events);
  rw_host_load (host, config);
  if (rw_host_await (host, session->space, &loaded, error) != RW_HOST_LOADED)
    return FALSE;
  gint64 whole = g_get_monotonic_time () - began;
  for (guint i = 0; i < RW_N_PHASES; i++)
    {
      gint64 us = loaded->phases_us[i];
      g_array_append_val (times->phases[i], us);
      page += i == RW_PHASE_START || i == RW_PHASE_EVENTS ? us : 0;
    }
  g_array_append_val (times->page, page);
  g_array_append_val (times->whole, whole);
  times->events = rw_trace_length (loaded->trace);
  return TRUE;
}

static void
print_times (const Times *plain, const Times *replayed)
{
  static const char *const names[] = { "cleaning up", "start of the document", "events", "end state", "picture" };
  double load = median_ms (plain->page), whole = median_ms (replayed->whole), known = 0;
  printf ("plain load      %8.1f ms\nreplayed run    %8.1f ms, %u events\nratio           %8.2f\n", load, whole,
          replayed->events, load > 0 ? whole / load : 0);
  printf ("of that:\n");
  for (guint i = 0; i < RW_N_PHASES; i++)
    {
      double ms = median_ms (replayed->phases[i]);
      known += ms;
      printf ("  %-22s %8.1f ms\n", names[i], ms);
    }
  printf ("  %-22s %8.1f ms\n", "outside the host", MAX (0, whole - known));
}

gboolean
rw_profile (RwSession *session, RwHost *host, const GArray *events, guint times, GError **error)
{
  Times plain, replayed, warm;
  times_init (&plain);
  times_init (&replayed);
  times_init (&warm);
  gboolean good = measure (session, host, NULL, &warm, error) && measure (session, host, events, &warm, error);
  for (guint i = 0; i < times && good; i++)
    good = measure (session, host, NULL, &plain, error) && measure (session, host, events, &replayed, error);
  if (good)
    print_times (&plain, &replayed);
  times_clear (&plain);
  times_clear (&replayed);
  times_clear (&warm);
  return good;
}
