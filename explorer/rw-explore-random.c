/* SPDX-License-Identifier: MIT */
/* Two baselines to be measured against: orders drawn at random around run 0, each from the seed and its number alone.
 */
#include "rw-explore-private.h"

/* So many runs if no limit is given: they would never end by themselves. */
#define RUNS 100

typedef struct
{
  GArray *events; /* of RwEvent: run 0 */
  RwPool *pool;   /* after run 0 */
  guint drawn;
} Random;

static void
random_free (RwExplore *explore)
{
  Random *self = explore->state;
  if (self == NULL)
    return;
  g_array_unref (self->events);
  rw_pool_free (self->pool);
  g_free (self);
}

static void
keep_run0 (RwExplore *explore, const RwTrace *trace)
{
  Random *self = explore->state = g_new0 (Random, 1);
  guint n;
  const RwEvent *initials = rw_trace_initials (trace, &n);

  self->events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->pool = rw_pool_new (explore->space, explore->options.timers_any);
  for (guint i = 0; i < n; i++)
    rw_pool_initial (self->pool, initials[i]);
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      RwEvent event = rw_trace_event (trace, i);
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      g_array_append_val (self->events, event);
      rw_pool_run (self->pool, event);
      for (guint j = 0; j < n; j++)
        if (ops[j].kind == RW_OP_POST)
          rw_pool_post (self->pool, ops[j].target);
        else if (ops[j].kind == RW_OP_CANCEL)
          rw_pool_cancel (self->pool, ops[j].target);
    }
}

static void
random_taken (RwExplore *explore, RwTaken *run, const RwTrace *trace, gboolean fresh)
{
  if (run->number == 0 && run->instances != NULL)
    keep_run0 (explore, trace);
  g_clear_pointer (&run->instances, g_array_unref);
}

/* Positions of run 0 in a new order; @order holds them in the old one. */
typedef void (*DrawFunc) (const Random *self, guint32 *order, guint n, GRand *rand);

static gboolean
propose (RwExplore *explore, RwCandidate *candidate, DrawFunc draw)
{
  Random *self = explore->state;
  guint limit = explore->options.max_runs > 0 ? G_MAXUINT : RUNS;
  if (self == NULL || self->drawn + 1 >= limit || explore->options.bound == 0)
    return FALSE;
  guint64 seed = rw_mix64 (explore->options.seed + rw_mix64 (++self->drawn));
  g_autoptr (GRand) rand = g_rand_new_with_seed_array ((guint32[]){ (guint32)seed, (guint32)(seed >> 32) }, 2);
  guint n = self->events->len;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  draw (self, order, n, rand);
  *candidate = (RwCandidate){ .events = g_array_new (FALSE, FALSE, sizeof (RwEvent)), .depth = 1 };
  candidate->reversal = (RwReversal){ RW_REVERSAL_NONE, RW_EVENT_NONE, RW_EVENT_NONE, G_MAXUINT32 };
  for (guint i = 0; i < n; i++)
    {
      g_array_append_val (candidate->events, g_array_index (self->events, RwEvent, order[i]));
      if (order[i] == i && candidate->exact_prefix == i)
        candidate->exact_prefix++;
    }
  return TRUE;
}

/* As WAVE does: neighbours change places wherever happens-before allows it. */
static void
draw_swaps (const Random *self, guint32 *order, guint n, GRand *rand)
{
  for (guint k = 0; n > 1 && k < 2 * n; k++)
    {
      guint i = (guint)g_rand_int_range (rand, 0, (gint)n - 1);
      guint32 first = order[i];
      if (rw_pool_happens_before (self->pool, first, order[i + 1]))
        continue;
      order[i] = order[i + 1];
      order[i + 1] = first;
    }
}

static gint
compare_keys (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
  return x < y ? -1 : x > y;
}

/* Every fourth event, on average, comes late by up to the length of the run; what had to follow it is late as well,
 * because it is not enabled before. */
static void
draw_delays (const Random *self, guint32 *order, guint n, GRand *rand)
{
  g_autofree guint64 *keys = g_new (guint64, n + 1);
  for (guint i = 0; i < n; i++)
    {
      guint64 late = g_rand_int_range (rand, 0, 4) == 0 ? (guint64)g_rand_int_range (rand, 1, (gint)n + 1) : 0;
      keys[i] = (i + late) << 32 | i;
    }
  qsort (keys, n, sizeof *keys, compare_keys);
  for (guint i = 0; i < n; i++)
    order[i] = (guint32)keys[i];
}

static gboolean
wave_propose (RwExplore *explore, RwCandidate *candidate)
{
  return propose (explore, candidate, draw_swaps);
}

static gboolean
delay_propose (RwExplore *explore, RwCandidate *candidate)
{
  return propose (explore, candidate, draw_delays);
}

const RwStrategyImpl rw_strategy_wave = { .propose = wave_propose, .taken = random_taken, .free = random_free };
const RwStrategyImpl rw_strategy_delay = { .propose = delay_propose, .taken = random_taken, .free = random_free };
