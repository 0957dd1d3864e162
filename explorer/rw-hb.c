/* SPDX-License-Identifier: MIT */
/* Happens-before over the events of one run: vector clocks on chains, built in the order of the run, then asked. */
#include "rw-hb-private.h"

/* Every node lies on one chain of nodes that are ordered one after the other, and its clock says for each other chain how
 * many of that chain's nodes come before it: a is before b iff b's clock has a's position on a's chain (EventRacer, OOPSLA
 * 2013, section 5.2). A full clock for each of 64 000 nodes on 2 600 chains would be 340 MB. Three things keep it small:
 *  - clocks are persistent arrays (rw-trie.h): the clock of a node is its predecessor's clock itself unless arcs from other
 *    chains meet there, and then the two share all blocks in which they agree;
 *  - a node's own chain is not in its clock, so going on along a chain changes nothing;
 *  - a chain gets a column only when an arc leaves it, so the many events that cause nothing need none.
 *
 * The timer rule: let P(n) be the posts made by n or before it, and in it for each class (delay) the latest ones; it is a
 * persistent array too. The event of post B comes after those of P(B), which is P as it was when B was made, with classes up to
 * B's own. Going down from B's class, the first post A that is found has its own P(A) already before it, and the parts that
 * P(A) and P(B) share are the same blocks: they are skipped. What is left to look at is what was posted between A and B.
 * A timer that is late, so that A fired although it belongs to P(A), is the exception; such ones are looked at singly. */

#define NONE G_MAXUINT32
#define MAX_OPEN 8
/* What a run that breaks the timer rule, or cancels most of its timers, may cost: real logs have a few dozen late timers, a log
 * made to waste our time could have any number. Beyond these limits two timers stay unordered. */
#define MAX_BEHIND 256
#define MAX_LATE 1024
/* How many columns are searched for a chain to go on before a new one is begun. */
#define MAX_SEARCH 256

typedef struct
{
  guint32 chain;
  guint32 position; /* on the chain, from 1 */
  RwTrieRoot clock;
  RwTrieRoot posts; /* P */
} Node;

typedef struct
{
  guint32 last; /* node */
  guint32 length;
  guint32 column; /* NONE until an arc leaves the chain */
} Chain;

typedef struct
{
  guint32 klass;
  guint32 node;
  guint32 fired; /* the node that it became, or that took it away; NONE: not yet */
  RwTrieRoot posts;
  guint8 late;    /* one that should have fired after it fired before it */
  guint8 removed; /* cancelled */
} Post;

/* A list of posts of one class, none made before another; entry 0 is unused, 0 ends a list. */
typedef struct
{
  guint32 post;
  guint32 next;
} Cell;

struct _RwHb
{
  guint n_classes;
  GArray *nodes;
  GArray *chains;
  GArray *posts;
  GArray *cells;
  GArray *late;      /* guint32, posts */
  GArray *arcs;      /* guint32 */
  GArray *first_arc; /* guint32, of each node */
  RwTrie clocks;
  RwTrie pending; /* the P arrays */
  guint n_columns;
  GArray *column_chain; /* guint32 */

  /* the node under construction */
  gboolean open;
  RwTrieRoot clock;
  RwTrieRoot p;
  guint32 own[MAX_OPEN]; /* predecessors that are not in @clock themselves yet */
  guint n_own;
};

#define NODE(self, i) g_array_index ((self)->nodes, Node, i)
#define CHAIN(self, i) g_array_index ((self)->chains, Chain, i)
#define POST(self, i) g_array_index ((self)->posts, Post, i)
#define CELL(self, i) g_array_index ((self)->cells, Cell, i)

RwHb *
rw_hb_new (guint n_classes)
{
  RwHb *self = g_new0 (RwHb, 1);
  Cell none = { 0, 0 };

  self->n_classes = n_classes;
  self->nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  self->chains = g_array_new (FALSE, FALSE, sizeof (Chain));
  self->posts = g_array_new (FALSE, FALSE, sizeof (Post));
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  self->column_chain = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->late = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->arcs = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->first_arc = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (self->cells, none);
  rw_trie_init (&self->clocks);
  rw_trie_init (&self->pending);
  return self;
}

void
rw_hb_free (RwHb *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->nodes);
  g_array_unref (self->chains);
  g_array_unref (self->posts);
  g_array_unref (self->cells);
  g_array_unref (self->column_chain);
  g_array_unref (self->late);
  g_array_unref (self->arcs);
  g_array_unref (self->first_arc);
  rw_trie_clear (&self->clocks);
  rw_trie_clear (&self->pending);
  g_free (self);
}

RwTrie *
rw_hb_clocks (RwHb *self)
{
  return &self->clocks;
}

static guint
column_of (RwHb *self, guint32 chain)
{
  if (CHAIN (self, chain).column == NONE)
    {
      CHAIN (self, chain).column = self->n_columns++;
      g_array_append_val (self->column_chain, chain);
    }
  return CHAIN (self, chain).column;
}

RwTrieRoot
rw_hb_clock_add_one (RwHb *self, RwTrieRoot clock, guint node)
{
  guint column = column_of (self, NODE (self, node).chain);

  if (rw_trie_get (&self->clocks, clock, column) >= NODE (self, node).position)
    return clock;
  return rw_trie_set (&self->clocks, clock, column, NODE (self, node).position);
}

RwTrieRoot
rw_hb_clock_add (RwHb *self, RwTrieRoot clock, guint node)
{
  clock = rw_trie_join (&self->clocks, clock, NODE (self, node).clock, NULL, NULL);
  return rw_hb_clock_add_one (self, clock, node);
}

gboolean
rw_hb_clock_has (const RwHb *self, RwTrieRoot clock, guint node)
{
  guint column = CHAIN (self, NODE (self, node).chain).column;

  return column != NONE && rw_trie_get (&self->clocks, clock, column) >= NODE (self, node).position;
}

/* A chain that ends before the open node, among those with the latest columns: its whole length is in the clock. */
static guint
find_ended_chain (RwHb *self)
{
  guint end = self->n_columns;
  guint stop = end > MAX_SEARCH ? end - MAX_SEARCH : 0;
  guint column;

  while (end > stop && rw_trie_find_difference (&self->clocks, self->clock, 0, stop, end - 1, &column))
    {
      guint chain = g_array_index (self->column_chain, guint32, column);
      if (rw_trie_get (&self->clocks, self->clock, column) == CHAIN (self, chain).length)
        return chain;
      end = column;
    }
  return NONE;
}

/* The chain that the open node goes on: that of the earliest predecessor which is the last of its chain. A later
 * one is more likely to be gone on from by another node. */
static guint
choose_chain (RwHb *self)
{
  guint first = g_array_index (self->first_arc, guint32, self->first_arc->len - 1);
  guint best = NONE;

  for (guint i = first; i < self->arcs->len; i++)
    {
      guint from = g_array_index (self->arcs, guint32, i);
      if (CHAIN (self, NODE (self, from).chain).last == from && (best == NONE || from < best))
        best = from;
    }
  if (best != NONE)
    return NODE (self, best).chain;
  best = find_ended_chain (self);
  if (best != NONE)
    return best;
  Chain chain = { NONE, 0, NONE };
  g_array_append_val (self->chains, chain);
  return self->chains->len - 1;
}

static void
complete (RwHb *self)
{
  guint id = self->nodes->len;
  guint chain;
  Node node;

  if (!self->open)
    return;
  self->open = FALSE;
  chain = choose_chain (self);
  for (guint i = 0; i < self->n_own; i++)
    if (NODE (self, self->own[i]).chain != chain)
      self->clock = rw_hb_clock_add_one (self, self->clock, self->own[i]);
  CHAIN (self, chain).last = id;
  CHAIN (self, chain).length++;
  node = (Node) { chain, CHAIN (self, chain).length, self->clock, self->p };
  g_array_append_val (self->nodes, node);
  rw_trie_freeze (&self->clocks);
  rw_trie_freeze (&self->pending);
}

guint
rw_hb_begin (RwHb *self)
{
  guint32 first;

  complete (self);
  first = self->arcs->len;
  g_array_append_val (self->first_arc, first);
  self->open = TRUE;
  self->clock = 0;
  self->p = 0;
  self->n_own = 0;
  return self->nodes->len;
}

void
rw_hb_end (RwHb *self)
{
  complete (self);
}

gboolean
rw_hb_implied (RwHb *self, guint node)
{
  for (guint i = 0; i < self->n_own; i++)
    if (NODE (self, self->own[i]).chain == NODE (self, node).chain
        && NODE (self, self->own[i]).position >= NODE (self, node).position)
      return TRUE;
  return rw_hb_clock_has (self, self->clock, node);
}

/* Of two lists of posts of one class those that were not made before another one. */
static guint32
merge_posts (gpointer user_data, guint32 a, guint32 b)
{
  RwHb *self = user_data;
  guint32 result = 0;

  for (guint side = 0; side < 2; side++)
    for (guint32 i = side == 0 ? a : b; i != 0; i = CELL (self, i).next)
      {
        guint post = CELL (self, i).post;
        gboolean keep = TRUE;

        for (guint32 j = side == 0 ? b : a; j != 0 && keep; j = CELL (self, j).next)
          {
            guint other = CELL (self, j).post;
            if (other == post)
              keep = side == 0;
            else
              keep = !(POST (self, post).node == POST (self, other).node
                           ? post < other
                           : rw_hb_before (self, POST (self, post).node, POST (self, other).node));
          }
        if (keep)
          {
            Cell cell = { post, result };
            g_array_append_val (self->cells, cell);
            result = self->cells->len - 1;
          }
      }
  return result;
}

void
rw_hb_arc (RwHb *self, guint from)
{
  guint32 kept = from;

  g_assert (self->open && from < self->nodes->len);
  if (rw_hb_implied (self, from))
    return;
  if (self->n_own == MAX_OPEN)
    {
      for (guint i = 0; i < self->n_own; i++)
        self->clock = rw_hb_clock_add_one (self, self->clock, self->own[i]);
      self->n_own = 0;
    }
  self->own[self->n_own++] = from;
  self->clock = rw_trie_join (&self->clocks, self->clock, NODE (self, from).clock, NULL, NULL);
  if (self->n_classes > 0)
    self->p = rw_trie_join (&self->pending, self->p, NODE (self, from).posts, merge_posts, self);
  g_array_append_val (self->arcs, kept);
}

RwHbPost
rw_hb_post (RwHb *self, guint klass)
{
  Post post;
  Cell cell;
  guint node;

  g_assert (klass < self->n_classes);
  complete (self);
  node = self->nodes->len - 1;
  post = (Post) { klass, node, NONE, NODE (self, node).posts, FALSE, FALSE };
  g_array_append_val (self->posts, post);
  /* All that is pending here was posted before, so this one stands for its class alone. */
  cell = (Cell) { self->posts->len - 1, 0 };
  g_array_append_val (self->cells, cell);
  NODE (self, node).posts = rw_trie_set (&self->pending, post.posts, klass, self->cells->len - 1);
  rw_trie_freeze (&self->pending);
  return self->posts->len - 1;
}

typedef struct
{
  guint reference; /* the latest post that was found */
  guint n_behind;  /* posts that gave way to those behind them */
} Walk;

static void
mark_late (RwHb *self, guint32 index)
{
  if (POST (self, index).late || self->late->len >= MAX_LATE)
    return;
  POST (self, index).late = TRUE;
  g_array_append_val (self->late, index);
}

static void
after_post (RwHb *self, const Post *post)
{
  if (post->fired != self->nodes->len)
    rw_hb_arc (self, post->fired);
}

/* Orders the open node after the posts of one list. Those that have not fired yet, or never will, say nothing of the ones before
 * them, which are looked at in their place. */
static void
after_list (RwHb *self, guint32 list, guint klass, Walk *walk)
{
  for (guint32 i = list; i != 0; i = CELL (self, i).next)
    {
      guint index = CELL (self, i).post;
      const Post *post = &POST (self, index);

      if (post->fired == NONE)
        mark_late (self, index);
      else
        after_post (self, post);
      if (post->fired == NONE || post->removed)
        {
          if (walk->n_behind++ < MAX_BEHIND)
            after_list (self, rw_trie_get (&self->pending, post->posts, klass), klass, walk);
        }
      else if (walk->reference == NONE || post->node > POST (self, walk->reference).node)
        walk->reference = index;
    }
}

static void
after_late (RwHb *self, RwHbPost index, guint lowest)
{
  const Post *post = &POST (self, index);

  for (guint i = 0; i < self->late->len; i++)
    {
      guint other = g_array_index (self->late, guint32, i);
      const Post *late = &POST (self, other);

      if (late->fired != NONE && late->klass >= lowest && late->klass <= post->klass
          && (late->node == post->node ? other < index : rw_hb_before (self, late->node, post->node)))
        after_post (self, late);
    }
}

void
rw_hb_fire (RwHb *self, RwHbPost index, guint lowest)
{
  Post post = POST (self, index);
  Walk walk = { NONE, 0 };
  guint klass = post.klass;

  g_assert (self->open);
  rw_hb_arc (self, post.node);
  while (rw_trie_find_difference (&self->pending, post.posts,
                                  walk.reference == NONE ? 0 : POST (self, walk.reference).posts, lowest, klass, &klass))
    {
      after_list (self, rw_trie_get (&self->pending, post.posts, klass), klass, &walk);
      if (klass-- == lowest)
        break;
    }
  after_late (self, index, lowest);
  POST (self, index).fired = self->nodes->len;
}

void
rw_hb_remove (RwHb *self, RwHbPost index)
{
  Post *post = &POST (self, index);
  guint node;
  guint32 list;

  complete (self);
  node = self->nodes->len - 1;
  post->fired = node;
  post->removed = TRUE;
  /* What is posted from here on comes after this node anyway, and needs to know only what was behind the cancelled one. So a
   * timer that is set anew again and again does not grow a tail. */
  list = rw_trie_get (&self->pending, NODE (self, node).posts, post->klass);
  if (list == 0 || CELL (self, list).post != index || CELL (self, list).next != 0)
    return;
  list = rw_trie_get (&self->pending, post->posts, post->klass);
  NODE (self, node).posts = rw_trie_set (&self->pending, NODE (self, node).posts, post->klass, list);
  rw_trie_freeze (&self->pending);
}

guint
rw_hb_n_nodes (const RwHb *self)
{
  return self->nodes->len + (self->open ? 1 : 0);
}

guint
rw_hb_n_chains (const RwHb *self)
{
  return self->chains->len;
}

guint
rw_hb_n_arcs (const RwHb *self)
{
  return self->arcs->len;
}

gsize
rw_hb_memory (const RwHb *self)
{
  return self->nodes->len * sizeof (Node) + self->chains->len * sizeof (Chain) + self->posts->len * sizeof (Post)
         + self->cells->len * sizeof (Cell) + (self->arcs->len + self->first_arc->len) * sizeof (guint32)
         + (self->clocks.n_allocated + self->pending.n_allocated) * sizeof (RwTrieBlock);
}

gboolean
rw_hb_before (const RwHb *self, guint a, guint b)
{
  const Node *first = &NODE (self, a);
  const Node *second = &NODE (self, b);

  if (first->chain == second->chain)
    return first->position < second->position;
  return rw_hb_clock_has (self, second->clock, a);
}

guint
rw_hb_chain (const RwHb *self, guint node)
{
  return NODE (self, node).chain;
}

const guint32 *
rw_hb_arcs (const RwHb *self, guint node, guint *n_arcs)
{
  guint first = g_array_index (self->first_arc, guint32, node);
  guint end = node + 1 < self->first_arc->len ? g_array_index (self->first_arc, guint32, node + 1) : self->arcs->len;

  *n_arcs = end - first;
  return end == first ? NULL : &g_array_index (self->arcs, guint32, first);
}
