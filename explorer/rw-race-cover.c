/* SPDX-License-Identifier: MIT */
/* Which races are covered by others, with one pass of clocks instead of comparing races with each other. */
#include "rw-race-private.h"

#include "rw-hb-private.h"

/* A race (a, b) is covered by (a', b') if a is before or equal to a' and b' is before or equal to b: were a' -> b' ordered, so
 * would be a -> b (EventRacer, OOPSLA 2013, section 4.2). Let S(b) be a clock that holds, for every race (a', b') with b' before
 * or equal to b, the event a' and all before it. Then (a, b) is covered iff S(b) has a: a clock's entry for a's chain is the
 * greatest of those it was made from, so one single a' reaches a. S(b) is the join of S over b's arcs and of the uncovered races
 * that end in b, in the order of b's accesses: one question a race, one join for each uncovered one.
 *
 * Several races cover (a, b) together if a way leads from a to b along arcs and at least one race. Let M(b) be a clock of all events
 * from which there is one: the join of M over b's arcs, and for each uncovered race (a', b) of a', all before it, and M(a').
 * Covered this way iff M(b) has a before the access of the race.
 *
 * Both live in happens-before's own store, share blocks with its clocks, and are forgotten at the end. */

typedef struct
{
  const RwHistory *history;
  RwHb *hb;
  RwTrie *clocks;
  RwTrieRoot *single;
  RwTrieRoot *multi;
} Cover;

static void
inherit (Cover *cover, guint node)
{
  guint n_arcs;
  const guint32 *arcs = rw_hb_arcs (cover->hb, node, &n_arcs);

  for (guint i = 0; i < n_arcs; i++)
    {
      cover->single[node] = rw_trie_join (cover->clocks, cover->single[node], cover->single[arcs[i]]);
      cover->multi[node] = rw_trie_join (cover->clocks, cover->multi[node], cover->multi[arcs[i]]);
    }
}

/* The races from @first on that end in the same access of @node; returns how many. */
static guint
cover_access (Cover *cover, RwRaces *races, guint node, guint first)
{
  guint i;

  for (i = first; i < races->races->len; i++)
    {
      RwRace *race = &g_array_index (races->races, RwRace, i);

      if (race->second != node || race->second_at != g_array_index (races->races, RwRace, first).second_at)
        break;
      if (rw_hb_clock_has (cover->hb, cover->single[node], race->first))
        {
          race->coverage = RW_RACE_COVERED;
          continue;
        }
      race->coverage = rw_hb_clock_has (cover->hb, cover->multi[node], race->first) ? RW_RACE_MULTI : RW_RACE_UNCOVERED;
      races->n_multi += race->coverage == RW_RACE_MULTI;
      races->n_uncovered += race->coverage == RW_RACE_UNCOVERED;
      cover->single[node] = rw_hb_clock_add (cover->hb, cover->single[node], race->first);
    }
  /* Only races of earlier accesses count, so these join in afterwards. */
  for (guint j = first; j < i; j++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, j);
      if (race->coverage == RW_RACE_COVERED)
        continue;
      cover->multi[node] = rw_trie_join (cover->clocks, cover->multi[node], cover->multi[race->first]);
      cover->multi[node] = rw_hb_clock_add (cover->hb, cover->multi[node], race->first);
    }
  return i - first;
}

void
rw_races_cover (RwRaces *self, const RwHistory *history)
{
  guint n_nodes = rw_history_n_nodes (history);
  Cover cover = { history, history->hb, rw_hb_clocks (history->hb), NULL, NULL };
  gsize before = cover.clocks->n_blocks;
  guint next = 0;

  if (self->races->len == 0)
    return;
  cover.single = g_new0 (RwTrieRoot, n_nodes);
  cover.multi = g_new0 (RwTrieRoot, n_nodes);
  for (guint node = 0; node < n_nodes && next < self->races->len; node++)
    {
      inherit (&cover, node);
      while (next < self->races->len && g_array_index (self->races, RwRace, next).second == node)
        next += cover_access (&cover, self, node, next);
      rw_trie_freeze (cover.clocks);
    }
  self->cover.bytes
      = (cover.clocks->n_blocks - before) * sizeof (RwTrieBlock) + (gsize) n_nodes * 2 * sizeof (RwTrieRoot);
  rw_trie_release (cover.clocks, before);
  g_free (cover.single);
  g_free (cover.multi);
}
