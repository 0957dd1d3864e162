/* SPDX-License-Identifier: MIT */
/* Algorithms 1-4 of the R4 paper: persistent sets that grow from what was run, whole sequences in them, and a bound on
 * reversals. Where the algorithms as printed do not work, they are repaired:
 *  - Algorithm 3 never ends once a stored sequence begins with an event that is not enabled there: such events are
 * dropped.
 *  - Algorithm 4 counts a reversal for each position of a run (line 3, called from Algorithm 2, line 4), forgets the
 * depth of a run that does not go as planned, and overwrites depths. Here a run's depth is that of its schedule, a
 * reversal in it adds one, and of equal sequences the lower depth stays.
 *  - lambda in Algorithm 2 is what precedes the later event by dependence, not by happens-before.
 * The races are those between neighbours in the dependence order: all of them are uncovered, and they suffice. With a
 * bound, the test that a sequence begins with an event not visited yet still loses some runs; `exact` does not. */
#include "rw-explore-private.h"

typedef struct
{
  GArray *events; /* of RwEvent */
  guint depth;
  guint parent;
  RwReversal reversal;
} Sequence;

/* A state: the events of the current run up to here lead to it. */
typedef struct
{
  RwEvent event;       /* that the current run goes on with; RW_EVENT_NONE at its end */
  GArray *enabled;     /* of RwEvent */
  GHashTable *visited; /* events: V */
  GPtrArray *todo;     /* of Sequence: T_seq, oldest first */
} State;

typedef struct
{
  GPtrArray *states;           /* of State: prefixes of the current run, the empty one first */
  gboolean out;                /* a run is under way */
  guint at;                    /* state from which it left */
  RwEvent first;               /* its first event there */
  guint64 n_enabled, n_chosen; /* over the states that were left for good */
} R4;

static void
sequence_free (gpointer data)
{
  g_array_unref (((Sequence *)data)->events);
  g_free (data);
}

static void
state_free (gpointer data)
{
  State *state = data;
  g_array_unref (state->enabled);
  g_hash_table_unref (state->visited);
  g_ptr_array_unref (state->todo);
  g_free (state);
}

static R4 *
r4_of (RwExplore *explore)
{
  R4 *self = explore->state;
  if (self == NULL)
    {
      explore->state = self = g_new0 (R4, 1);
      self->states = g_ptr_array_new_with_free_func (state_free);
    }
  return self;
}

static void
r4_free (RwExplore *explore)
{
  R4 *self = explore->state;
  if (self == NULL)
    return;
  g_ptr_array_unref (self->states);
  g_free (self);
}

static gboolean
is_visited (const State *state, RwEvent event)
{
  return g_hash_table_contains (state->visited, GUINT_TO_POINTER (event + 1));
}

static void
visit (State *state, RwEvent event)
{
  g_hash_table_add (state->visited, GUINT_TO_POINTER (event + 1));
}

static gboolean
is_enabled (const State *state, RwEvent event)
{
  for (guint i = 0; i < state->enabled->len; i++)
    if (g_array_index (state->enabled, RwEvent, i) == event)
      return TRUE;
  return FALSE;
}

static gboolean
same_events (const GArray *a, const GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (g_array_index (a, RwEvent, i) != g_array_index (b, RwEvent, i))
      return FALSE;
  return TRUE;
}

/* Adds @events from @from on to T_seq, without what is not enabled at the start. */
static void
insert (State *state, const GArray *events, guint from, const Sequence *like)
{
  while (from < events->len && !is_enabled (state, g_array_index (events, RwEvent, from)))
    from++;
  if (from == events->len)
    return;
  Sequence *sequence = g_new (Sequence, 1);
  *sequence = *like;
  sequence->events = g_array_sized_new (FALSE, FALSE, sizeof (RwEvent), events->len - from);
  g_array_append_vals (sequence->events, &g_array_index (events, RwEvent, from), events->len - from);
  for (guint i = 0; i < state->todo->len; i++)
    {
      Sequence *other = g_ptr_array_index (state->todo, i);
      if (!same_events (other->events, sequence->events))
        continue;
      if (sequence->depth < other->depth)
        {
          other->depth = sequence->depth;
          other->parent = sequence->parent;
          other->reversal = sequence->reversal;
        }
      sequence_free (sequence);
      return;
    }
  g_ptr_array_add (state->todo, sequence);
}

/* --- leaving a state (Algorithm 1, case II) --- */

static void
leave (RwExplore *explore, R4 *self)
{
  const State *state = g_ptr_array_index (self->states, self->states->len - 1);
  self->n_enabled += state->enabled->len;
  self->n_chosen += MIN (g_hash_table_size (state->visited), state->enabled->len);
  explore->stats.pruned = 1.0 - (double)self->n_chosen / (double)MAX (self->n_enabled, 1);
  if (self->n_enabled == 0)
    explore->stats.pruned = 0;
  g_ptr_array_set_size (self->states, (gint)self->states->len - 1);
}

static gboolean
r4_propose (RwExplore *explore, RwCandidate *candidate)
{
  R4 *self = r4_of (explore);
  while (!self->out && self->states->len > 0)
    {
      guint at = self->states->len - 1;
      const State *state = g_ptr_array_index (self->states, at);
      for (guint i = 0; i < state->todo->len; i++)
        {
          const Sequence *sequence = g_ptr_array_index (state->todo, i);
          RwEvent first = g_array_index (sequence->events, RwEvent, 0);
          if (is_visited (state, first) || sequence->depth > explore->options.bound)
            continue;
          GArray *events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
          for (guint j = 0; j < at; j++)
            g_array_append_val (events, ((State *)g_ptr_array_index (self->states, j))->event);
          g_array_append_vals (events, sequence->events->data, sequence->events->len);
          *candidate = (RwCandidate){ events, sequence->parent, sequence->depth, sequence->reversal, at };
          self->out = TRUE;
          self->at = at;
          self->first = first;
          return TRUE;
        }
      for (guint i = 0; i < state->todo->len; i++)
        {
          const Sequence *sequence = g_ptr_array_index (state->todo, i);
          explore->stats.beyond_bound += !is_visited (state, g_array_index (sequence->events, RwEvent, 0));
        }
      leave (explore, self);
    }
  return FALSE;
}

/* --- a run (Algorithm 2, with Algorithms 3 and 4) --- */

static State *
push_state (R4 *self, const RwPool *pool)
{
  State *state = g_new0 (State, 1);
  guint n;
  const RwEvent *pending = rw_pool_pending (pool, &n);

  state->event = RW_EVENT_NONE;
  state->enabled = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  state->visited = g_hash_table_new (NULL, NULL);
  state->todo = g_ptr_array_new_with_free_func (sequence_free);
  for (guint i = 0; i < n; i++)
    if (rw_pool_is_enabled (pool, pending[i]))
      g_array_append_val (state->enabled, pending[i]);
  g_ptr_array_add (self->states, state);
  return state;
}

/* Algorithm 3, line 7: what was planned here with @event first goes on behind it. */
static void
hand_down (const State *from, State *to, RwEvent event)
{
  for (guint i = 0; i < from->todo->len; i++)
    {
      const Sequence *sequence = g_ptr_array_index (from->todo, i);
      if (g_array_index (sequence->events, RwEvent, 0) == event)
        insert (to, sequence->events, 1, sequence);
    }
}

/* The states of the new run; those that it shares with the one before stay. */
static void
enter_states (RwExplore *explore, R4 *self, const RwTaken *run)
{
  RwSim *sim = explore->predictor;
  guint shared = 0;

  rw_sim_reset (sim, explore->initials);
  if (self->states->len == 0)
    push_state (self, rw_sim_pool (sim));
  for (guint i = 0; i < run->instances->len; i++)
    {
      RwInstance instance = g_array_index (run->instances, RwInstance, i);
      RwEvent event = rw_instance_event (explore->instances, instance);
      State *state = g_ptr_array_index (self->states, i);
      rw_sim_replay (sim, instance);
      visit (state, event);
      if (shared == i && state->event == event && i + 1 < self->states->len)
        {
          shared = i + 1;
          continue;
        }
      if (shared == i)
        while (self->states->len > i + 1)
          leave (explore, self);
      state->event = event;
      hand_down (state, push_state (self, rw_sim_pool (sim)), event);
    }
}

/* The schedule that Algorithm 2 stores for a reversal; @from: where it leaves the run. An event that was cancelled
 * while it waited for others is not enabled where lines 5-7 look for it: then those others come first. */
static GArray *
witness (const RwClass *class, guint index, guint *from)
{
  guint exact;
  GArray *child = rw_class_child (class, index, RW_CHILD_KEEP, &exact);
  if (child == NULL)
    child = rw_class_child (class, index, RW_CHILD_FIRST, &exact);
  *from = 0;
  while (child != NULL && *from < rw_class_length (class)
         && g_array_index (child, RwEvent, *from) == rw_class_events (class)[*from])
    ++*from;
  return child;
}

/* Ranked by itself, the run is the least order of its class, and its keep children are the witnesses of Algorithm 2. */
static void
insert_reversals (RwExplore *explore, R4 *self, const RwTaken *run, const RwTrace *trace)
{
  RwRank rank;
  rw_rank_init (&rank, trace);
  RwClass *class = rw_class_new (explore->analyser, explore->initials,
                                 (const RwInstance *)(gpointer)run->instances->data, run->instances->len,
                                 explore->instances, &rank);
  for (guint i = 0; i < rw_class_n_swaps (class); i++)
    {
      guint from;
      g_autoptr (GArray) child = witness (class, i, &from);
      Sequence like = { NULL, run->depth + 1, run->number, rw_class_swap (class, i)->reversal };
      if (child != NULL)
        insert (g_ptr_array_index (self->states, from), child, from, &like);
    }
  rw_class_free (class);
  rw_rank_clear (&rank);
}

static void
r4_taken (RwExplore *explore, RwTaken *run, const RwTrace *trace, gboolean fresh)
{
  R4 *self = r4_of (explore);
  if (self->out && self->at < self->states->len)
    visit (g_ptr_array_index (self->states, self->at), self->first);
  self->out = FALSE;
  if (run->instances == NULL)
    return;
  enter_states (explore, self, run);
  insert_reversals (explore, self, run, trace);
  g_clear_pointer (&run->instances, g_array_unref);
}

static guint
r4_left (RwExplore *explore)
{
  const R4 *self = r4_of (explore);
  guint left = 0;
  for (guint i = 0; i < self->states->len; i++)
    {
      const State *state = g_ptr_array_index (self->states, i);
      for (guint j = 0; j < state->todo->len; j++)
        {
          const Sequence *sequence = g_ptr_array_index (state->todo, j);
          left += sequence->depth <= explore->options.bound
                  && !is_visited (state, g_array_index (sequence->events, RwEvent, 0));
        }
    }
  return left;
}

const RwStrategyImpl rw_strategy_r4 = {
  .propose = r4_propose,
  .taken = r4_taken,
  .free = r4_free,
  .left = r4_left,
  .predicts = FALSE,
};
