/* SPDX-License-Identifier: MIT */
/* Questions about one run, and the names of strategies and schedules. */
#include "rw-explore-private.h"

#include <string.h>

static const char *const strategies[] = { "exact", "r4", "wave", "delay" };

gboolean
rw_strategy_from_name (const char *name, RwStrategy *strategy)
{
  for (guint i = 0; i < G_N_ELEMENTS (strategies); i++)
    if (strcmp (name, strategies[i]) == 0)
      {
        *strategy = (RwStrategy)i;
        return TRUE;
      }
  return FALSE;
}

const char *
rw_strategy_name (RwStrategy strategy)
{
  return strategies[strategy];
}

static char *
to_hex (RwHash hash)
{
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", hash.a, hash.b);
}

char *
rw_schedule_key (const RwSchedule *self, const RwSpace *space)
{
  RwHash hash = { 1, 1 };
  for (guint i = 0; i < self->events->len; i++)
    hash = rw_hash_mix (hash, rw_space_event_info (space, g_array_index (self->events, RwEvent, i))->id);
  return to_hex (rw_hash_mix (hash, self->events->len));
}

/* A memory of this one run. */
typedef struct
{
  RwInstances *instances;
  GArray *run; /* of RwInstance */
  GArray *initials;
  RwSim *sim;
} Single;

static void
single_init (Single *self, const RwTrace *trace, const RwExploreOptions *options, gboolean graph)
{
  RwSpace *space = rw_trace_space (trace);
  guint n;
  const RwEvent *initials = rw_trace_initials (trace, &n);

  self->instances = rw_instances_new (space, options->filters);
  /* What run 0 shows of the values at the start would have to be the same for all fingerprints: so they do without. */
  if (graph)
    rw_instances_set_start (self->instances, trace);
  self->run = rw_instances_learn (self->instances, trace, NULL);
  self->initials = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  if (n > 0)
    g_array_append_vals (self->initials, initials, n);
  self->sim = rw_sim_new (space, self->instances, options->timers_any, graph);
}

static void
single_clear (Single *self)
{
  rw_sim_free (self->sim);
  g_array_unref (self->initials);
  g_array_unref (self->run);
  rw_instances_free (self->instances);
}

char *
rw_trace_fingerprint (const RwTrace *trace, const RwExploreOptions *options)
{
  Single single;
  single_init (&single, trace, options, FALSE);
  rw_sim_reset (single.sim, single.initials);
  for (guint i = 0; i < single.run->len; i++)
    rw_sim_replay (single.sim, g_array_index (single.run, RwInstance, i));
  char *text = to_hex (rw_sim_fingerprint (single.sim, rw_trace_cut (trace) != NULL));
  single_clear (&single);
  return text;
}

GArray *
rw_trace_conflicts (const RwTrace *trace, const RwExploreOptions *options)
{
  GArray *reversals = g_array_new (FALSE, FALSE, sizeof (RwReversal));
  Single single;
  RwRank rank;

  single_init (&single, trace, options, TRUE);
  rw_rank_init (&rank, trace);
  RwClass *class = rw_class_new (single.sim, single.initials, (const RwInstance *)(gpointer)single.run->data,
                                 single.run->len, single.instances, &rank);
  for (guint i = 0; i < rw_class_n_swaps (class); i++)
    g_array_append_val (reversals, rw_class_swap (class, i)->reversal);
  rw_class_free (class);
  rw_rank_clear (&rank);
  single_clear (&single);
  return reversals;
}
