/* SPDX-License-Identifier: MIT */
/* Level by level over classes: from each, every reversible conflict gives its children; what was tried is not tried
 * again. */
#include "rw-explore-private.h"

typedef struct
{
  RwClass *class; /* being expanded; NULL: the next one */
  guint parent;   /* its number, or the next one's */
  guint swap;
  RwChild child;
  GHashTable *tried; /* RwHash of schedules */
} Exact;

static Exact *
exact_of (RwExplore *explore)
{
  Exact *self = explore->state;
  if (self == NULL)
    {
      explore->state = self = g_new0 (Exact, 1);
      self->tried = g_hash_table_new_full (rw_hash_hash, rw_hash_equal, g_free, NULL);
    }
  return self;
}

static void
exact_free (RwExplore *explore)
{
  Exact *self = explore->state;
  if (self == NULL)
    return;
  rw_class_free (self->class);
  g_hash_table_unref (self->tried);
  g_free (self);
}

static gboolean
was_tried (Exact *self, const GArray *events)
{
  RwHash hash = { 0 };
  for (guint i = 0; i < events->len; i++)
    hash = rw_hash_mix (hash, g_array_index (events, RwEvent, i));
  return !g_hash_table_add (self->tried, g_memdup2 (&hash, sizeof hash));
}

/* Goes to the next run that can be expanded. FALSE: there is none (yet). */
static gboolean
open_class (RwExplore *explore, Exact *self)
{
  while (self->class == NULL && self->parent < explore->runs->len)
    {
      RwTaken *run = g_ptr_array_index (explore->runs, self->parent);
      if (run->instances == NULL)
        {
          self->parent++;
          continue;
        }
      RwClass *class = rw_explore_classify (explore, run->instances);
      g_clear_pointer (&run->instances, g_array_unref);
      explore->stats.depth = MAX (explore->stats.depth, run->depth);
      if (run->depth < explore->options.bound)
        {
          self->class = class;
          self->swap = 0;
          self->child = RW_CHILD_KEEP;
          return TRUE;
        }
      explore->stats.beyond_bound += rw_class_n_swaps (class);
      rw_class_free (class);
      self->parent++;
    }
  return self->class != NULL;
}

static gboolean
exact_propose (RwExplore *explore, RwCandidate *candidate)
{
  Exact *self = exact_of (explore);
  while (open_class (explore, self))
    {
      const RwTaken *parent = g_ptr_array_index (explore->runs, self->parent);
      while (self->swap < rw_class_n_swaps (self->class))
        {
          const RwSwap *swap = rw_class_swap (self->class, self->swap);
          guint exact;
          g_autoptr (GArray) events = rw_class_child (self->class, self->swap, self->child, &exact);
          self->swap += self->child == RW_CHILD_FIRST;
          self->child = self->child == RW_CHILD_KEEP ? RW_CHILD_FIRST : RW_CHILD_KEEP;
          if (events == NULL || was_tried (self, events))
            continue;
          *candidate
              = (RwCandidate){ g_steal_pointer (&events), parent->number, parent->depth + 1, swap->reversal, exact };
          return TRUE;
        }
      g_clear_pointer (&self->class, rw_class_free);
      self->parent++;
    }
  return FALSE;
}

/* A class that was reached before is not expanded a second time. */
static void
exact_taken (RwExplore *explore, RwTaken *run, const RwTrace *trace, gboolean fresh)
{
  if (!fresh)
    g_clear_pointer (&run->instances, g_array_unref);
}

/* Reversals of the classes that were not expanded, or not to the end. */
static guint
exact_left (RwExplore *explore)
{
  Exact *self = exact_of (explore);
  guint left = self->class == NULL ? 0 : rw_class_n_swaps (self->class) - self->swap;
  for (guint i = self->parent; i < explore->runs->len; i++)
    {
      const RwTaken *run = g_ptr_array_index (explore->runs, i);
      if (run->instances == NULL || run->depth >= explore->options.bound)
        continue;
      g_autoptr (RwClass) class = rw_explore_classify (explore, run->instances);
      left += rw_class_n_swaps (class);
    }
  return left;
}

const RwStrategyImpl rw_strategy_exact = {
  .propose = exact_propose,
  .taken = exact_taken,
  .free = exact_free,
  .left = exact_left,
  .predicts = TRUE,
};
