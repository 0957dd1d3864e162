/* SPDX-License-Identifier: MIT */
/* The two orders side by side: what is around the reversal, and what ran in one of the two only. */
#include "rw-report-private.h"

#define BEFORE 2
#define AFTER 4
#define ROWS 40

void
rw_row_free (RwRow *self)
{
  if (self == NULL)
    return;
  g_free (self->label);
  g_free (self);
}

const char *
rw_kind_name (RwEventKind kind)
{
  static const char *const names[]
      = { "other", "parse",   "script",  "load",   "lifecycle", "timer",      "interval",   "frame",
          "idle",  "network", "message", "native", "user",      "navigation", "unscheduled" };
  return (guint)kind < G_N_ELEMENTS (names) ? names[kind] : "other";
}

/* The first position at which the two runs go apart. */
static guint
divergence (const RwTrace *a, const RwTrace *b)
{
  guint i = 0;
  while (i < rw_trace_length (a) && i < rw_trace_length (b) && rw_trace_event (a, i) == rw_trace_event (b, i))
    i++;
  return i;
}

static RwRowMark
mark_of (const RwTrace *other, const RwReversal *reversal, RwEvent event)
{
  if (event == reversal->first)
    return RW_ROW_FIRST;
  if (event == reversal->second)
    return RW_ROW_SECOND;
  return rw_trace_position (other, event) < 0 ? RW_ROW_ONLY : RW_ROW_PLAIN;
}

static void
add_row (GPtrArray *rows, RwRowMark mark, RwEventKind kind, guint position, char *take_label)
{
  RwRow *row = g_new0 (RwRow, 1);
  row->mark = mark;
  row->kind = kind;
  row->position = position;
  row->label = take_label;
  g_ptr_array_add (rows, row);
}

GPtrArray *
rw_timeline (const RwRun *run, const RwRun *other, const RwReversal *reversal, RwSpace *space)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_row_free);
  if (run->trace == NULL || other->trace == NULL)
    return rows;
  guint length = rw_trace_length (run->trace), from = divergence (run->trace, other->trace), hidden = 0;
  gint a = rw_trace_position (run->trace, reversal->first), b = rw_trace_position (run->trace, reversal->second);
  guint until = MAX (MAX (a, b), (gint)from) + AFTER;
  from = from > BEFORE ? from - BEFORE : 0;
  if (from > 0)
    add_row (rows, RW_ROW_GAP, RW_KIND_OTHER, 0, g_strdup_printf ("%u events, the same in both orders", from));
  for (guint i = from; i < length; i++)
    {
      RwEvent event = rw_trace_event (run->trace, i);
      RwRowMark mark = mark_of (other->trace, reversal, event);
      const RwEventInfo *info = rw_space_event_info (space, event);
      if (mark == RW_ROW_PLAIN ? i > until || rows->len > ROWS : mark == RW_ROW_ONLY && rows->len > 2 * ROWS)
        {
          hidden++;
          continue;
        }
      if (hidden > 0)
        add_row (rows, RW_ROW_GAP, RW_KIND_OTHER, 0, g_strdup_printf ("%u more", hidden));
      hidden = 0;
      add_row (rows, mark, info->kind, i, g_strdup (info->label != NULL ? info->label : "an event"));
    }
  if (hidden > 0)
    add_row (rows, RW_ROW_GAP, RW_KIND_OTHER, 0, g_strdup_printf ("%u more", hidden));
  return rows;
}
