/* SPDX-License-Identifier: MIT */
/* Lists of runs and of events. */
#include "replay-list.h"

#include <stdio.h>

const char *
rw_event_label (const RwSpace *space, RwEvent event)
{
  const char *label = rw_space_event_info (space, event)->label;
  return label == NULL ? "?" : label;
}

void
rw_list_events (const RwRun *run)
{
  const RwSpace *space = rw_trace_space (run->trace);
  for (guint i = 0; i < rw_trace_length (run->trace); i++)
    {
      RwEvent event = rw_trace_event (run->trace, i);
      guint n;
      rw_trace_ops (run->trace, i, &n);
      printf ("%5u  %016" G_GINT64_MODIFIER "x  %s (%u operations)\n", i, rw_space_event_info (space, event)->id,
              rw_event_label (space, event), n);
    }
  for (guint i = 0; i < run->skipped->len; i++)
    printf ("skipped: %s\n", rw_event_label (space, g_array_index (run->skipped, RwEvent, i)));
}

static void
list_run (const RwRun *run, const RwSpace *space)
{
  static const char *const outcomes[] = { "done", "limit", "hang", "crash" };
  g_autofree char *parent = run->parent == RW_RUN_NONE ? g_strdup ("-") : g_strdup_printf ("%u", run->parent);
  printf ("%5u %7s %6u %-8s %7u  %.16s  %.16s  ", run->number, parent, run->depth, outcomes[run->outcome],
          run->trace == NULL ? 0 : rw_trace_length (run->trace), run->fingerprint == NULL ? "-" : run->fingerprint,
          run->state_hash == NULL ? "-" : run->state_hash);
  if (run->reversal.kind == RW_REVERSAL_NONE)
    puts ("the recording");
  else
    printf ("'%s' before '%s'\n", rw_event_label (space, run->reversal.second), rw_event_label (space, run->reversal.first));
}

gboolean
rw_list_runs (RwSession *session, GError **error)
{
  g_autoptr (GArray) numbers = rw_recording_run_numbers (session->recording, error);
  if (numbers == NULL)
    return FALSE;
  puts ("  run  parent  depth outcome   events  fingerprint       end state         what was reversed");
  for (guint i = 0; i < numbers->len; i++)
    {
      g_autoptr (RwRun) run = rw_recording_run (session->recording, session->space, g_array_index (numbers, guint, i), error);
      if (run == NULL)
        return FALSE;
      list_run (run, session->space);
    }
  return TRUE;
}
