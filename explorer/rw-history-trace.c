/* SPDX-License-Identifier: MIT */
/* A history from a trace of our own: the rules by which the browser orders events, and what cancelling and queues touch. */
#include "rw-history-private.h"

/* The rules (explorer/README.md has them with their sources), for an event y:
 *  post    the event that posted y comes before it
 *  after   what y waits for comes before it
 *  blocks  x, which keeps y back while it is pending, comes before y if whoever posted x does
 *  group   what was posted earlier to y's queue comes before it, "earlier" by happens-before
 *  timer   the same for timers with a delay that is no longer
 * Where x was cancelled instead of run, the event that cancelled it takes its place: y could not run before that, either.
 *
 * Beside what a trace logs, events conflict through the slot of a pending event (who cancels it conflicts with who posts it and
 * with its run; two cancels commute), through the end of a queue (two that post to it), and through the gate of an event that
 * can be blocked (who posts a blocker conflicts with the run of what it blocks; two such posts commute). */

#define NOT_POSTED G_MAXUINT32

typedef struct
{
  guint32 posted;   /* node that posted it; NOT_POSTED */
  guint32 finished; /* node that it became or that cancelled it; 0: neither in this run */
  guint32 slot;     /* location + 1; 0: nobody cancels it */
  guint32 gate;     /* location + 1; 0: nothing that blocks it is posted */
  RwHbPost timer;   /* valid if the event has a delay, and so on */
  RwHbPost queued;
} EventState;

typedef struct
{
  RwTrace *trace;
  RwSpace *space;
  RwHistory *history;
  RwTimers timers;
  GArray *delays;    /* gint32, ascending */
  EventState *state; /* of each event of the space */
  GHashTable *blockers; /* event + 1 -> GArray of RwEvent that name it in their blocks */
  guint32 *queues;   /* group -> location + 1 */
  guint32 *seen;     /* location * 2 + is a write -> node + 1 that accessed it last */
} Import;

static gint
compare_delays (gconstpointer a, gconstpointer b)
{
  gint32 x = *(const gint32 *) a, y = *(const gint32 *) b;

  return (x > y) - (x < y);
}

static guint
max_group (const Import *import)
{
  RwGroup max = 0;

  for (RwEvent e = 0; e < rw_space_n_events (import->space); e++)
    max = MAX (max, rw_space_event_info (import->space, e)->group);
  return max;
}

static gboolean
is_timer (const Import *import, const RwEventInfo *info)
{
  return info->delay >= 0 && import->timers == RW_TIMERS_ORDERED;
}

static void
collect_delays (Import *import)
{
  guint n = 0;

  for (RwEvent e = 0; e < rw_space_n_events (import->space); e++)
    {
      gint32 delay = rw_space_event_info (import->space, e)->delay;
      if (delay >= 0)
        g_array_append_val (import->delays, delay);
    }
  g_array_sort (import->delays, compare_delays);
  for (guint i = 0; i < import->delays->len; i++)
    {
      gint32 delay = g_array_index (import->delays, gint32, i);
      if (n == 0 || g_array_index (import->delays, gint32, n - 1) != delay)
        g_array_index (import->delays, gint32, n++) = delay;
    }
  g_array_set_size (import->delays, n);
}

static void
collect_blockers (Import *import)
{
  for (RwEvent e = 0; e < rw_space_n_events (import->space); e++)
    {
      const RwEventInfo *info = rw_space_event_info (import->space, e);
      for (guint i = 0; i < info->n_blocks; i++)
        {
          RwEvent blocked;
          GArray *list;

          if (!rw_space_lookup_event (import->space, info->blocks[i], &blocked))
            continue;
          list = g_hash_table_lookup (import->blockers, GUINT_TO_POINTER (blocked + 1));
          if (list == NULL)
            {
              list = g_array_new (FALSE, FALSE, sizeof (RwEvent));
              g_hash_table_insert (import->blockers, GUINT_TO_POINTER (blocked + 1), list);
            }
          g_array_append_val (list, e);
        }
    }
}

static guint32
add_location (Import *import, char *name)
{
  g_ptr_array_add (import->history->names, name);
  return ++import->history->n_locations;
}

static void
add_named (Import *import, guint32 *location, const char *what, const RwEventInfo *info)
{
  if (*location != 0)
    return;
  *location = add_location (import, info->label == NULL ? g_strdup_printf ("%s of %016" G_GINT64_MODIFIER "x", what, info->id)
                                                        : g_strdup_printf ("%s of %s", what, info->label));
}

static EventState *
blocked_by (const Import *import, const RwEventInfo *blocker, guint i, const RwEventInfo **info)
{
  RwEvent event;

  if (!rw_space_lookup_event (import->space, blocker->blocks[i], &event))
    return NULL;
  *info = rw_space_event_info (import->space, event);
  return &import->state[event];
}

static void
look_at_post (Import *import, RwEvent event)
{
  const RwEventInfo *info = rw_space_event_info (import->space, event);
  const RwEventInfo *other;

  if (info->group != 0 && import->queues[info->group] == 0)
    import->queues[info->group]
        = add_location (import, g_strdup_printf ("queue %s", rw_space_group_name (import->space, info->group)));
  for (guint i = 0; i < info->n_blocks; i++)
    {
      EventState *blocked = blocked_by (import, info, i, &other);
      if (blocked != NULL)
        add_named (import, &blocked->gate, "gate", other);
    }
}

/* Who finishes each event, and which slots, queues and gates there are, must be known before the first post. */
static void
look_ahead (Import *import)
{
  for (guint i = 0; i < rw_trace_length (import->trace); i++)
    {
      guint n_ops;
      const RwOp *ops = rw_trace_ops (import->trace, i, &n_ops);

      import->state[rw_trace_event (import->trace, i)].finished = i + 1;
      for (guint j = 0; j < n_ops; j++)
        {
          if (ops[j].kind == RW_OP_POST)
            look_at_post (import, ops[j].target);
          else if (ops[j].kind == RW_OP_CANCEL)
            {
              EventState *state = &import->state[ops[j].target];
              add_named (import, &state->slot, "slot", rw_space_event_info (import->space, ops[j].target));
              if ((ops[j].flags & RW_OP_EFFECTIVE) != 0 && state->finished == 0)
                state->finished = i + 1;
            }
        }
    }
}

static void
access_location (Import *import, guint node, guint32 location, gboolean is_write, guint32 at)
{
  guint32 access = location << 1 | (is_write ? 1 : 0);

  if (import->seen[access] == node + 1)
    return;
  import->seen[access] = node + 1;
  g_array_append_val (import->history->access, access);
  g_array_append_val (import->history->at, at);
}

static void
post_event (Import *import, guint node, RwEvent event)
{
  const RwEventInfo *info = rw_space_event_info (import->space, event);
  EventState *state = &import->state[event];
  guint klass = 0;

  if (state->posted != NOT_POSTED)
    return;
  state->posted = node;
  if (state->finished == 0)
    return;
  if (is_timer (import, info))
    {
      g_array_binary_search (import->delays, &info->delay, compare_delays, &klass);
      state->timer = rw_hb_post (import->history->hb, klass);
    }
  if (info->group != 0)
    state->queued = rw_hb_post (import->history->hb, import->delays->len + info->group);
}

/* What keeps @event back, while the arcs that are there show that it was pending. An arc may show it of another one. */
static void
after_blockers (Import *import, guint node, RwEvent event)
{
  GArray *blockers = g_hash_table_lookup (import->blockers, GUINT_TO_POINTER (event + 1));
  gboolean changed = blockers != NULL;

  while (changed)
    {
      changed = FALSE;
      for (guint i = 0; i < blockers->len; i++)
        {
          const EventState *state = &import->state[g_array_index (blockers, RwEvent, i)];

          if (state->posted == NOT_POSTED || state->finished == 0 || state->finished >= node
              || rw_hb_implied (import->history->hb, state->finished)
              || !(state->posted == 0 || rw_hb_implied (import->history->hb, state->posted)))
            continue;
          rw_hb_arc (import->history->hb, state->finished);
          changed = TRUE;
        }
    }
}

static void
order_event (Import *import, guint node, RwEvent event)
{
  const RwEventInfo *info = rw_space_event_info (import->space, event);
  const EventState *state = &import->state[event];
  RwHb *hb = import->history->hb;
  gboolean posted = state->posted != NOT_POSTED;

  rw_hb_arc (hb, posted ? state->posted : 0);
  for (guint i = 0; i < info->n_after; i++)
    {
      RwEvent before;
      if (rw_space_lookup_event (import->space, info->after[i], &before) && import->state[before].finished != 0
          && import->state[before].finished < node)
        rw_hb_arc (hb, import->state[before].finished);
    }
  if (posted && is_timer (import, info))
    rw_hb_fire (hb, state->timer, 0);
  if (posted && info->group != 0)
    rw_hb_fire (hb, state->queued, import->delays->len + info->group);
  after_blockers (import, node, event);
}

static void
cancel_event (Import *import, guint node, RwEvent event)
{
  const RwEventInfo *info = rw_space_event_info (import->space, event);
  const EventState *state = &import->state[event];

  if (state->posted == NOT_POSTED || state->finished != node)
    return;
  if (is_timer (import, info))
    rw_hb_remove (import->history->hb, state->timer);
  if (info->group != 0)
    rw_hb_remove (import->history->hb, state->queued);
}

static void
take_op (Import *import, guint node, const RwOp *op, guint at)
{
  const RwEventInfo *info;
  guint32 slot;

  if (op->kind == RW_OP_READ || op->kind == RW_OP_WRITE)
    {
      access_location (import, node, op->target, op->kind == RW_OP_WRITE, at);
      return;
    }
  info = rw_space_event_info (import->space, op->target);
  slot = import->state[op->target].slot;
  if (op->kind == RW_OP_POST)
    {
      post_event (import, node, op->target);
      if (slot != 0)
        access_location (import, node, slot - 1, TRUE, at);
      if (info->group != 0)
        access_location (import, node, import->queues[info->group] - 1, TRUE, at);
      for (guint i = 0; i < info->n_blocks; i++)
        {
          const RwEventInfo *other;
          const EventState *blocked = blocked_by (import, info, i, &other);
          if (blocked != NULL)
            access_location (import, node, blocked->gate - 1, FALSE, at);
        }
      return;
    }
  if (slot != 0)
    access_location (import, node, slot - 1, info->group != 0, at);
  if ((op->flags & RW_OP_EFFECTIVE) != 0)
    cancel_event (import, node, op->target);
}

static void
take_event (Import *import, guint position)
{
  RwEvent event = rw_trace_event (import->trace, position);
  const RwEventInfo *info = rw_space_event_info (import->space, event);
  guint32 first = import->history->access->len;
  guint node = rw_hb_begin (import->history->hb);
  guint n_ops;
  const RwOp *ops = rw_trace_ops (import->trace, position, &n_ops);

  g_array_append_val (import->history->first, first);
  order_event (import, node, event);
  if (import->state[event].slot != 0)
    access_location (import, node, import->state[event].slot - 1, info->group == 0, G_MAXUINT32);
  if (import->state[event].gate != 0)
    access_location (import, node, import->state[event].gate - 1, TRUE, G_MAXUINT32);
  for (guint i = 0; i < n_ops; i++)
    take_op (import, node, &ops[i], i);
}

static void
take_trace (Import *import)
{
  guint n_initials;
  const RwEvent *initials = rw_trace_initials (import->trace, &n_initials);
  guint32 first = 0;

  rw_hb_begin (import->history->hb);
  g_array_append_val (import->history->first, first);
  for (guint i = 0; i < n_initials; i++)
    post_event (import, 0, initials[i]);
  for (guint i = 0; i < rw_trace_length (import->trace); i++)
    take_event (import, i);
  rw_hb_end (import->history->hb);
  first = import->history->access->len;
  g_array_append_val (import->history->first, first);
}

RwHistory *
rw_history_from_trace (RwTrace *trace, RwTimers timers)
{
  RwHistory *history = rw_history_new ();
  RwSpace *space = rw_trace_space (trace);
  Import import = { .trace = trace, .space = space, .history = history, .timers = timers };
  guint n_events = rw_space_n_events (space);
  guint n_groups;

  history->trace = rw_trace_ref (trace);
  history->n_locations = rw_space_n_locations (space);
  import.delays = g_array_new (FALSE, FALSE, sizeof (gint32));
  import.state = g_new0 (EventState, n_events + 1);
  for (guint i = 0; i < n_events; i++)
    import.state[i].posted = NOT_POSTED;
  import.blockers = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  n_groups = max_group (&import) + 1;
  import.queues = g_new0 (guint32, n_groups);
  collect_delays (&import);
  collect_blockers (&import);
  look_ahead (&import);
  import.seen = g_new0 (guint32, (gsize) history->n_locations * 2 + 2);
  history->hb = rw_hb_new (import.delays->len + n_groups);
  take_trace (&import);

  g_array_unref (import.delays);
  g_free (import.state);
  g_hash_table_unref (import.blockers);
  g_free (import.queues);
  g_free (import.seen);
  return history;
}
