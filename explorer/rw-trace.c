/* SPDX-License-Identifier: MIT */
/* A run in columns: the events, where the ops of each begin, the ops; and by event its position and its poster. */
#include "rw-trace.h"

#include "rw-space-private.h"

struct _RwTrace
{
  gatomicrefcount refs;
  RwSpace *space;
  GArray *initials; /* of RwEvent */
  GArray *events;   /* of RwEvent, by position */
  GArray *starts;   /* of guint64, by position: the first op */
  GArray *ops;      /* of RwOp */
  GArray *facts;    /* of Fact, by event */
  char *cut;
};

typedef struct
{
  gint32 position; /* -1: did not run */
  RwEvent poster;  /* RW_EVENT_NONE: initial, or not posted */
  gboolean posted;
} Fact;

GQuark
rw_trace_error_quark (void)
{
  return g_quark_from_static_string ("rw-trace-error-quark");
}

RwTrace *
rw_trace_new (RwSpace *space)
{
  RwTrace *self = g_new0 (RwTrace, 1);
  g_atomic_ref_count_init (&self->refs);
  self->space = rw_space_ref (space);
  self->initials = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->starts = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->ops = g_array_new (FALSE, FALSE, sizeof (RwOp));
  self->facts = g_array_new (FALSE, FALSE, sizeof (Fact));
  return self;
}

RwTrace *
rw_trace_ref (RwTrace *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
rw_trace_unref (RwTrace *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  g_array_unref (self->initials);
  g_array_unref (self->events);
  g_array_unref (self->starts);
  g_array_unref (self->ops);
  g_array_unref (self->facts);
  g_free (self->cut);
  rw_space_unref (self->space);
  g_free (self);
}

static Fact *
fact_of (RwTrace *self, RwEvent event)
{
  g_assert (event < rw_space_n_events (self->space));
  while (self->facts->len <= event)
    {
      Fact none = { .position = -1, .poster = RW_EVENT_NONE };
      g_array_append_val (self->facts, none);
    }
  return &g_array_index (self->facts, Fact, event);
}

void
rw_trace_initial (RwTrace *self, RwEvent event)
{
  fact_of (self, event)->posted = TRUE;
  g_array_append_val (self->initials, event);
}

guint
rw_trace_begin (RwTrace *self, RwEvent event)
{
  Fact *fact = fact_of (self, event);
  guint position = self->events->len;
  guint64 start = self->ops->len;
  if (fact->position < 0)
    fact->position = (gint32)position;
  g_array_append_val (self->events, event);
  g_array_append_val (self->starts, start);
  return position;
}

void
rw_trace_add (RwTrace *self, RwOp op)
{
  g_return_if_fail (self->events->len > 0);
  if (op.kind == RW_OP_POST)
    {
      Fact *fact = fact_of (self, op.target);
      if (!fact->posted)
        fact->poster = g_array_index (self->events, RwEvent, self->events->len - 1);
      fact->posted = TRUE;
    }
  g_array_append_val (self->ops, op);
}

void
rw_trace_read (RwTrace *self, RwLocation location, RwValue value, RwPlace place)
{
  rw_trace_add (self, (RwOp){ .kind = RW_OP_READ, .target = location, .value = value, .place = place });
}

void
rw_trace_write (RwTrace *self, RwLocation location, RwValue value, RwPlace place)
{
  rw_trace_add (self, (RwOp){ .kind = RW_OP_WRITE, .target = location, .value = value, .place = place });
}

void
rw_trace_post (RwTrace *self, RwEvent event)
{
  rw_trace_add (self, (RwOp){ .kind = RW_OP_POST, .target = event });
}

void
rw_trace_cancel (RwTrace *self, RwEvent event, gboolean effective)
{
  rw_trace_add (self, (RwOp){ .kind = RW_OP_CANCEL, .flags = effective ? RW_OP_EFFECTIVE : 0, .target = event });
}

void
rw_trace_set_cut (RwTrace *self, const char *limit)
{
  g_autofree char *old = self->cut;
  self->cut = limit == NULL ? NULL : g_utf8_make_valid (limit, -1);
}

RwSpace *
rw_trace_space (const RwTrace *self)
{
  return self->space;
}

guint
rw_trace_length (const RwTrace *self)
{
  return self->events->len;
}

RwEvent
rw_trace_event (const RwTrace *self, guint position)
{
  g_assert (position < self->events->len);
  return g_array_index (self->events, RwEvent, position);
}

const RwOp *
rw_trace_ops (const RwTrace *self, guint position, guint *n_ops)
{
  g_assert (position < self->events->len);
  guint64 start = g_array_index (self->starts, guint64, position);
  guint64 end = position + 1 < self->events->len ? g_array_index (self->starts, guint64, position + 1) : self->ops->len;
  *n_ops = (guint)(end - start);
  return *n_ops == 0 ? NULL : &g_array_index (self->ops, RwOp, start);
}

const RwEvent *
rw_trace_initials (const RwTrace *self, guint *n)
{
  *n = self->initials->len;
  return (const RwEvent *)(gpointer)self->initials->data;
}

gint
rw_trace_position (const RwTrace *self, RwEvent event)
{
  return event < self->facts->len ? g_array_index (self->facts, Fact, event).position : -1;
}

RwEvent
rw_trace_poster (const RwTrace *self, RwEvent event)
{
  return event < self->facts->len ? g_array_index (self->facts, Fact, event).poster : RW_EVENT_NONE;
}

const char *
rw_trace_cut (const RwTrace *self)
{
  return self->cut;
}

guint64
rw_trace_n_ops (const RwTrace *self)
{
  return self->ops->len;
}

/* --- checking --- */

typedef enum
{
  STATE_UNPOSTED = 0,
  STATE_PENDING,
  STATE_CANCELLED,
  STATE_RAN
} State;

typedef struct
{
  const RwTrace *trace;
  guint8 *states; /* of State, by event */
  guint position;
  char **why;
} Check;

static gboolean complain (const Check *check, const char *format, RwEvent event) G_GNUC_PRINTF (2, 0);

/* @format has one %s, which becomes the event's identity. */
static gboolean
complain (const Check *check, const char *format, RwEvent event)
{
  g_autofree char *name = NULL;
  if (check->why == NULL)
    return FALSE;
  if (event < rw_space_n_events (check->trace->space))
    name = g_strdup_printf ("event %016" G_GINT64_MODIFIER "x", rw_space_event_info (check->trace->space, event)->id);
  else
    name = g_strdup_printf ("event number %u", event);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  g_autofree char *text = g_strdup_printf (format, name);
#pragma GCC diagnostic pop
  *check->why = g_strdup_printf ("position %u: %s", check->position, text);
  return FALSE;
}

static gboolean
check_texts (const Check *check, const RwOp *op)
{
  const RwSpace *space = check->trace->space;
  if (op->value >= rw_space_n_values (space) || op->place >= rw_space_n_places (space))
    return complain (check, "%s names a value or a place that does not exist",
                     rw_trace_event (check->trace, check->position));
  return TRUE;
}

static gboolean
check_op (const Check *check, const RwOp *op)
{
  const RwSpace *space = check->trace->space;
  RwEvent runner = rw_trace_event (check->trace, check->position);

  if (!check_texts (check, op))
    return FALSE;
  switch (op->kind)
    {
    case RW_OP_READ:
    case RW_OP_WRITE:
      return op->target < rw_space_n_locations (space)
             || complain (check, "%s accesses a location that does not exist", runner);
    case RW_OP_POST:
      if (op->target >= rw_space_n_events (space))
        return complain (check, "%s is posted but does not exist", op->target);
      if (check->states[op->target] == STATE_UNPOSTED)
        check->states[op->target] = STATE_PENDING;
      return TRUE;
    case RW_OP_CANCEL:
      if (op->target >= rw_space_n_events (space))
        return complain (check, "%s is cancelled but does not exist", op->target);
      if ((op->flags & RW_OP_EFFECTIVE) != 0 && check->states[op->target] != STATE_PENDING)
        return complain (check, "%s is cancelled with effect but was not pending", op->target);
      if ((op->flags & RW_OP_EFFECTIVE) != 0)
        check->states[op->target] = STATE_CANCELLED;
      return TRUE;
    default:
      return complain (check, "%s has an operation of an unknown kind", runner);
    }
}

static gboolean
check_step (const Check *check)
{
  RwEvent event = rw_trace_event (check->trace, check->position);
  guint n_ops;
  const RwOp *ops = rw_trace_ops (check->trace, check->position, &n_ops);

  if (event >= rw_space_n_events (check->trace->space))
    return complain (check, "%s runs but does not exist", event);
  if (check->states[event] == STATE_UNPOSTED)
    return complain (check, "%s runs before it was posted", event);
  if (check->states[event] != STATE_PENDING)
    return complain (check, "%s runs after it ran or was cancelled", event);
  check->states[event] = STATE_RAN;
  for (guint i = 0; i < n_ops; i++)
    if (!check_op (check, &ops[i]))
      return FALSE;
  return TRUE;
}

gboolean
rw_trace_check (const RwTrace *self, char **why)
{
  g_autofree guint8 *states = g_new0 (guint8, rw_space_n_events (self->space) + 1);
  Check check = { self, states, 0, why };

  if (why != NULL)
    *why = NULL;
  for (guint i = 0; i < self->initials->len; i++)
    {
      RwEvent event = g_array_index (self->initials, RwEvent, i);
      if (event >= rw_space_n_events (self->space))
        return complain (&check, "%s is pending from the start but does not exist", event);
      states[event] = STATE_PENDING;
    }
  for (check.position = 0; check.position < self->events->len; check.position++)
    if (!check_step (&check))
      return FALSE;
  return TRUE;
}
