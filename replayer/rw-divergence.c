/* SPDX-License-Identifier: MIT */
/* Finds the first event that did something else. */
#include "rw-divergence.h"

#include <string.h>

static const char *
label_of (const RwSpace *space, RwEvent event)
{
  const char *label = rw_space_event_info (space, event)->label;
  return label == NULL ? "?" : label;
}

static char *
describe_op (const RwSpace *space, const RwOp *op)
{
  switch (op->kind)
    {
    case RW_OP_READ:
    case RW_OP_WRITE:
      return g_strdup_printf ("%s %s = %s", op->kind == RW_OP_READ ? "read" : "write",
                              rw_space_location_name (space, op->target),
                              op->value == 0 ? "?" : rw_space_value_text (space, op->value));
    default:
      return g_strdup_printf ("%s '%s'", op->kind == RW_OP_POST ? "post" : "cancel", label_of (space, op->target));
    }
}

static gboolean
same_op (const RwOp *a, const RwOp *b)
{
  return a->kind == b->kind && a->flags == b->flags && a->target == b->target && a->value == b->value;
}

static char *
describe_event (const RwTrace *a, const RwTrace *b, guint position)
{
  const RwSpace *space = rw_trace_space (a);
  guint n, m;
  const RwOp *ours = rw_trace_ops (a, position, &n);
  const RwOp *theirs = rw_trace_ops (b, position, &m);
  for (guint i = 0; i < MAX (n, m); i++)
    {
      if (i < n && i < m && same_op (&ours[i], &theirs[i]))
        continue;
      g_autofree char *was = i < n ? describe_op (space, &ours[i]) : g_strdup ("nothing more");
      g_autofree char *is = i < m ? describe_op (space, &theirs[i]) : g_strdup ("nothing more");
      return g_strdup_printf ("event %u '%s' did something else: recorded %s, now %s", position,
                              label_of (space, rw_trace_event (a, position)), was, is);
    }
  return NULL;
}

static char *
describe_traces (const RwTrace *a, const RwTrace *b)
{
  const RwSpace *space = rw_trace_space (a);
  guint n = rw_trace_length (a), m = rw_trace_length (b);
  for (guint i = 0; i < MIN (n, m); i++)
    {
      RwEvent was = rw_trace_event (a, i), is = rw_trace_event (b, i);
      if (was != is)
        return g_strdup_printf ("event %u is '%s', recorded was '%s'", i, label_of (space, is), label_of (space, was));
      char *how = describe_event (a, b, i);
      if (how != NULL)
        return how;
    }
  if (n == m)
    return NULL;
  return n > m ? g_strdup_printf ("it ended after %u of %u events, before '%s'", m, n, label_of (space, rw_trace_event (a, m)))
               : g_strdup_printf ("it went on after %u events with '%s'", n, label_of (space, rw_trace_event (b, n)));
}

char *
rw_divergence_describe (const RwRun *recorded, const RwRun *again)
{
  if (again->trace == NULL || (again->outcome != RW_OUTCOME_DONE && again->outcome != RW_OUTCOME_LIMIT))
    return g_strdup_printf ("the run failed: %s", again->note == NULL ? "no log" : again->note);
  char *how = describe_traces (recorded->trace, again->trace);
  if (how != NULL)
    return how;
  if (g_strcmp0 (recorded->state_hash, again->state_hash) != 0)
    return g_strdup ("every event did the same, but the end states differ");
  return NULL;
}
