/* SPDX-License-Identifier: MIT */
/* A bit for each pair of positions tells what precedes what; the rest is reading it. */
#include "rw-class.h"

#include "rw-explore-break.h"
#include "rw-space-private.h"

struct _RwClass
{
  guint n;
  guint words;      /* of a row */
  RwEvent *events;  /* in the least order */
  guint64 *rows;    /* row j: what precedes position j */
  GArray *swaps;    /* of RwSwap */
  GArray *disables; /* of RwSimDisable */
};

/* --- rank --- */

void
rw_rank_init (RwRank *self, const RwTrace *run0)
{
  guint32 none = G_MAXUINT32;
  self->space = rw_trace_space (run0);
  self->position = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < rw_trace_length (run0); i++)
    {
      RwEvent event = rw_trace_event (run0, i);
      while (self->position->len <= event)
        g_array_append_val (self->position, none);
      g_array_index (self->position, guint32, event) = i;
    }
}

void
rw_rank_clear (RwRank *self)
{
  g_clear_pointer (&self->position, g_array_unref);
}

static guint32
rank_position (const RwRank *self, RwEvent event)
{
  return event < self->position->len ? g_array_index (self->position, guint32, event) : G_MAXUINT32;
}

gboolean
rw_rank_less (const RwRank *self, RwEvent a, RwEvent b)
{
  guint32 x = rank_position (self, a), y = rank_position (self, b);
  return x != y ? x < y : rw_space_event_info (self->space, a)->id < rw_space_event_info (self->space, b)->id;
}

gboolean
rw_rank_before (const RwTrace *run0, RwEvent a, RwEvent b)
{
  const RwSpace *space = rw_trace_space (run0);
  guint x = (guint)rw_trace_position (run0, a), y = (guint)rw_trace_position (run0, b); /* -1 becomes the largest */
  return x != y ? x < y : rw_space_event_info (space, a)->id < rw_space_event_info (space, b)->id;
}

/* --- the least order: a heap of what all predecessors have left --- */

typedef struct
{
  const RwRank *rank;
  const RwEvent *events; /* by position */
  guint32 *heap;
  guint n;
} Heap;

static gboolean
heap_less (const Heap *heap, guint a, guint b)
{
  return rw_rank_less (heap->rank, heap->events[heap->heap[a]], heap->events[heap->heap[b]]);
}

static void
heap_swap (Heap *heap, guint a, guint b)
{
  guint32 kept = heap->heap[a];
  heap->heap[a] = heap->heap[b];
  heap->heap[b] = kept;
}

static void
heap_push (Heap *heap, guint32 position)
{
  guint at = heap->n++;
  heap->heap[at] = position;
  for (; at > 0 && heap_less (heap, at, (at - 1) / 2); at = (at - 1) / 2)
    heap_swap (heap, at, (at - 1) / 2);
}

static guint32
heap_pop (Heap *heap)
{
  guint32 least = heap->heap[0];
  heap->heap[0] = heap->heap[--heap->n];
  for (guint at = 0;;)
    {
      guint next = at, left = 2 * at + 1;
      if (left < heap->n && heap_less (heap, left, next))
        next = left;
      if (left + 1 < heap->n && heap_less (heap, left + 1, next))
        next = left + 1;
      if (next == at)
        return least;
      heap_swap (heap, at, next);
      at = next;
    }
}

/* Successors in compressed rows, from the predecessors that @sim knows. */
static guint32 *
successors (const RwSim *sim, guint n, guint32 **starts)
{
  guint32 *start = g_new0 (guint32, n + 2);
  guint m;
  for (guint j = 0; j < n; j++)
    {
      const RwPred *preds = rw_sim_preds (sim, j, &m);
      for (guint k = 0; k < m; k++)
        start[preds[k].position + 2]++;
    }
  for (guint i = 2; i < n + 2; i++)
    start[i] += start[i - 1];
  guint32 *list = g_new (guint32, start[n + 1] + 1);
  for (guint j = 0; j < n; j++)
    {
      const RwPred *preds = rw_sim_preds (sim, j, &m);
      for (guint k = 0; k < m; k++)
        list[start[preds[k].position + 1]++] = j;
    }
  *starts = start;
  return list;
}

/* Positions of @run in the least order. */
static guint32 *
least_order (const RwSim *sim, const RwEvent *events, guint n, const RwRank *rank)
{
  g_autofree guint32 *starts = NULL;
  g_autofree guint32 *next = successors (sim, n, &starts);
  g_autofree guint32 *missing = g_new (guint32, n + 1);
  g_autofree guint32 *space = g_new (guint32, n + 1);
  guint32 *order = g_new (guint32, n + 1);
  Heap heap = { rank, events, space, 0 };

  for (guint j = 0; j < n; j++)
    {
      guint m;
      rw_sim_preds (sim, j, &m);
      missing[j] = m;
      if (m == 0)
        heap_push (&heap, j);
    }
  for (guint at = 0; at < n; at++)
    {
      guint32 position = order[at] = heap_pop (&heap);
      for (guint32 k = starts[position]; k < starts[position + 1]; k++)
        if (--missing[next[k]] == 0)
          heap_push (&heap, next[k]);
    }
  return order;
}

/* --- reversals --- */

static guint64 *
row_of (const RwClass *self, guint position)
{
  return self->rows + (gsize)position * self->words;
}

gboolean
rw_class_before (const RwClass *self, guint a, guint b)
{
  return (row_of (self, b)[a / 64] >> (a % 64)) & 1;
}

static gint
compare_descending (gconstpointer a, gconstpointer b)
{
  guint32 x = ((const RwPred *)a)->position, y = ((const RwPred *)b)->position;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void
add_race (RwClass *self, guint j, const RwPred *pred, guint n_locations)
{
  RwSwap swap = { { RW_REVERSAL_RACE, self->events[pred->position], self->events[j],
                    pred->slot < n_locations ? pred->slot : G_MAXUINT32 },
                  pred->position,
                  j,
                  TRUE };
  g_array_append_val (self->swaps, swap);
}

/* Row j, and the races that end at j: predecessors that nothing stands between, and without which j is enabled all the
 * same. Then it is enabled after U, too: every other event that enabled it precedes it without following the first, so
 * it is in U. */
static void
find_races (RwClass *self, const RwSim *sim, guint j, guint n_locations)
{
  guint m;
  const RwPred *preds = rw_sim_preds (sim, j, &m);
  g_autofree RwPred *sorted = g_memdup2 (preds, sizeof *preds * m);
  guint64 *row = row_of (self, j);

  if (m > 1)
    qsort (sorted, m, sizeof *sorted, compare_descending);
  for (guint k = 0; k < m; k++)
    {
      guint32 i = sorted[k].position;
      if (rw_class_before (self, i, j))
        continue;
      const guint64 *from = row_of (self, i);
      for (guint w = 0; w <= i / 64; w++)
        row[w] |= from[w];
      row[i / 64] |= G_GUINT64_CONSTANT (1) << (i % 64);
      if (!sorted[k].enabling || rw_explore_breaks (RW_BREAK_ENABLING))
        add_race (self, j, &sorted[k], n_locations);
    }
}

static gboolean
follows (const RwClass *self, guint root, guint position)
{
  return position == root || rw_class_before (self, root, position);
}

/* TRUE for what a reversal touches: the complement of U. */
static gboolean
is_affected (const RwClass *self, const RwSwap *swap, guint position)
{
  if (swap->roots == NULL)
    return follows (self, swap->first, position) || follows (self, swap->second, position);
  for (guint i = 0; i < swap->roots->len; i++)
    if (follows (self, g_array_index (swap->roots, guint32, i), position))
      return TRUE;
  return FALSE;
}

/* --- events that another one kept from running ---
 * Event i cancelled e, or posted something that blocks e. To run e first, everything that follows i has to wait, and so
 * has everything else that would still keep e from running: cancellations of e that come later, and posts of events
 * that block e and are not finished in the rest U. What P, a prefix that the proof of completeness extends by e,
 * contains is never moved: e is enabled after P, so a cancellation of e in P comes before its post, and a blocker
 * posted in P is finished in P. */

typedef struct
{
  const RwClass *self;
  const RwSwap *swap;
  const RwPool *pool;
  const RwSpace *space;
} Rest;

/* @position is in U, or from before the start. */
static gboolean
in_rest (const Rest *rest, guint position)
{
  return position == RW_POSITION_START
         || (position != RW_POSITION_NONE && !is_affected (rest->self, rest->swap, position));
}

static gboolean
finished_in_rest (const Rest *rest, RwEvent event)
{
  return in_rest (rest, rw_pool_finisher (rest->pool, event));
}

/* Posts of blockers that U does not finish leave U as well. FALSE if one is from before the start. */
static gboolean
move_blockers (const Rest *rest)
{
  guint n;
  const RwEvent *blockers = rw_space_event_blockers (rest->space, rest->swap->reversal.second, &n);
  for (guint k = 0; k < n && !rw_explore_breaks (RW_BREAK_BLOCKERS); k++)
    {
      guint32 poster = rw_pool_poster (rest->pool, blockers[k]);
      if (!in_rest (rest, poster) || finished_in_rest (rest, blockers[k]))
        continue;
      if (poster == RW_POSITION_START)
        return FALSE;
      g_array_append_val (rest->swap->roots, poster);
      k = G_MAXUINT; /* from the first again: what was finished in U may not be any more */
    }
  return TRUE;
}

/* The rest of the rule of rw-space.h, for U. */
static gboolean
enabled_after_rest (const Rest *rest)
{
  RwEvent event = rest->swap->reversal.second;
  const RwEventInfo *info = rw_space_event_info (rest->space, event);
  guint n;

  const RwEvent *after = rw_space_event_after (rest->space, event, &n);
  for (guint k = 0; k < n; k++)
    if (!finished_in_rest (rest, after[k]))
      return FALSE;
  const RwEvent *timers = rw_pool_timers (rest->pool, &n);
  for (guint k = 0; k < n && info->delay >= 0; k++)
    if (rw_pool_timer_before (rest->pool, timers[k], event) && !finished_in_rest (rest, timers[k]))
      return FALSE;
  for (RwEvent other = 0; info->group != 0 && other < rw_space_n_events (rest->space); other++)
    if (other != event && rw_space_event_info (rest->space, other)->group == info->group
        && rw_pool_state (rest->pool, other) != RW_POOL_UNPOSTED
        && rw_pool_post_order (rest->pool, other) < rw_pool_post_order (rest->pool, event)
        && !finished_in_rest (rest, other))
      return FALSE;
  return in_rest (rest, rw_pool_poster (rest->pool, event));
}

static GArray *
disabling_roots (const RwClass *self, const RwSimDisable *disabler)
{
  GArray *roots = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (roots, disabler->position);
  for (guint k = 0; k < self->disables->len && !rw_explore_breaks (RW_BREAK_OTHER_CANCELLER); k++)
    {
      const RwSimDisable *other = &g_array_index (self->disables, RwSimDisable, k);
      if (other->cancel && other->target == disabler->target && other->position > disabler->position)
        g_array_append_val (roots, other->position);
    }
  return roots;
}

static void
find_disabled (RwClass *self, const RwPool *pool, const RwSpace *space, const RwSimDisable *disabler)
{
  RwEvent event = disabler->target;
  gboolean ran = rw_pool_state (pool, event) == RW_POOL_RAN;
  guint32 finisher = rw_pool_finisher (pool, event);

  if (!disabler->effective || (finisher < disabler->position && !disabler->cancel))
    return;
  RwSwap swap
      = { { ran ? RW_REVERSAL_RACE : RW_REVERSAL_CANCELLED, self->events[disabler->position], event, G_MAXUINT32 },
          disabler->position,
          ran ? finisher : G_MAXUINT32,
          disabler->was_enabled,
          disabling_roots (self, disabler) };
  Rest rest = { self, &swap, pool, space };
  if (move_blockers (&rest) && enabled_after_rest (&rest))
    g_array_append_val (self->swaps, swap);
  else
    g_array_unref (swap.roots);
}

/* --- construction --- */

static void
swap_clear (gpointer data)
{
  g_clear_pointer (&((RwSwap *)data)->roots, g_array_unref);
}

static void
replay (RwSim *sim, const GArray *initials, const RwInstance *run, const guint32 *order, guint n)
{
  rw_sim_reset (sim, initials);
  for (guint i = 0; i < n; i++)
    rw_sim_replay (sim, run[order == NULL ? i : order[i]]);
}

RwClass *
rw_class_new (RwSim *sim, const GArray *initials, const RwInstance *run, guint length, RwInstances *instances,
              const RwRank *rank)
{
  RwClass *self = g_new0 (RwClass, 1);
  const RwSpace *space = rank->space;
  guint n_locations = rw_space_n_locations (space), n;

  self->n = length;
  self->words = length / 64 + 1;
  self->events = g_new (RwEvent, length + 1);
  self->rows = g_new0 (guint64, (gsize)length * self->words + 1);
  self->swaps = g_array_new (FALSE, FALSE, sizeof (RwSwap));
  self->disables = g_array_new (FALSE, FALSE, sizeof (RwSimDisable));
  g_array_set_clear_func (self->swaps, swap_clear);
  for (guint i = 0; i < length; i++)
    self->events[i] = rw_instance_event (instances, run[i]);
  replay (sim, initials, run, NULL, length);
  if (!rw_explore_breaks (RW_BREAK_LIN))
    {
      g_autofree guint32 *order = least_order (sim, self->events, length, rank);
      replay (sim, initials, run, order, length);
      for (guint i = 0; i < length; i++)
        self->events[i] = rw_instance_event (instances, run[order[i]]);
    }
  const RwSimDisable *disables = rw_sim_disables (sim, &n);
  if (n > 0)
    g_array_append_vals (self->disables, disables, n);
  for (guint j = 0; j < length; j++)
    find_races (self, sim, j, n_locations);
  for (guint k = 0; k < n && !rw_explore_breaks (RW_BREAK_DISABLED); k++)
    find_disabled (self, rw_sim_pool (sim), space, &disables[k]);
  return self;
}

void
rw_class_free (RwClass *self)
{
  if (self == NULL)
    return;
  g_free (self->events);
  g_free (self->rows);
  g_array_unref (self->swaps);
  g_array_unref (self->disables);
  g_free (self);
}

guint
rw_class_length (const RwClass *self)
{
  return self->n;
}

const RwEvent *
rw_class_events (const RwClass *self)
{
  return self->events;
}

guint
rw_class_n_swaps (const RwClass *self)
{
  return self->swaps->len;
}

const RwSwap *
rw_class_swap (const RwClass *self, guint index)
{
  return &g_array_index (self->swaps, RwSwap, index);
}

/* --- children --- */

/* The part that stays, then the event that now comes first. */
static gboolean
goes_first (const RwClass *self, const RwSwap *swap, RwChild child, guint position)
{
  if (child == RW_CHILD_FIRST)
    return !is_affected (self, swap, position);
  if (position < swap->first || swap->roots != NULL)
    return position < swap->first;
  return position != swap->first && position < swap->second && rw_class_before (self, position, swap->second)
         && !rw_explore_breaks (RW_BREAK_LAMBDA);
}

GArray *
rw_class_child (const RwClass *self, guint index, RwChild child, guint *exact)
{
  const RwSwap *swap = rw_class_swap (self, index);
  RwEvent second = swap->reversal.second;

  if ((child == RW_CHILD_KEEP && (!swap->keep || rw_explore_breaks (RW_BREAK_KEEP)))
      || (child == RW_CHILD_FIRST && rw_explore_breaks (RW_BREAK_FIRST)))
    return NULL;
  GArray *events = g_array_sized_new (FALSE, FALSE, sizeof (RwEvent), self->n + 1);
  for (guint i = 0; i < self->n; i++)
    if (goes_first (self, swap, child, i))
      g_array_append_val (events, self->events[i]);
  *exact = events->len;
  g_array_append_val (events, second);
  for (guint i = 0; i < self->n; i++)
    if (i != swap->second && !goes_first (self, swap, child, i))
      g_array_append_val (events, self->events[i]);
  return events;
}
