/* SPDX-License-Identifier: MIT */
/* Happens-before over the events of one run: vector clocks on chains, built in the order of the run, then asked. */
#include "rw-hb-private.h"

/* Every node lies on one chain of nodes that are ordered one after the other, and its clock says for each other chain how
 * far that chain is before it: a is before b iff b's clock has a, or a later node, for a's chain (EventRacer, OOPSLA 2013,
 * section 5.2). A full clock for each of 64 000 nodes on 2 600 chains would be 340 MB. Three things keep it small:
 *  - clocks are persistent arrays (rw-trie.h): the clock of a node is its predecessor's clock itself unless arcs from other
 *    chains meet there, and then the two share all blocks in which they agree;
 *  - a node's own chain is not in its clock, so going on along a chain changes nothing;
 *  - a chain gets a column only when an arc leaves it, so the many events that cause nothing need none.
 *
 * The timer rule: the event of post B comes after those of all posts X of no higher class (delay) that were made before B. These
 * lie on chains of posters, and B's poster has a clock that says how far it knows each chain. On one chain a later post comes after
 * the earlier ones of no higher class, so going back along it only posts of a class above all those found so far matter; links to
 * the last post of a higher and of a lower class jump over the rest. The way back ends where everything earlier on the chain was
 * finished before its own poster went on. Chains of which the last timer of the same class knew as much are left out whole.
 * A timer that is late, so that one fired before it that should not have, is the exception; such ones are looked at singly. */

#define NONE G_MAXUINT32
#define MAX_OPEN 8
/* What a run that breaks the timer rule, or cancels most of its timers, may cost: real logs have a few dozen late timers, a log
 * made to waste our time could have any number. Beyond these limits two timers stay unordered. */
#define MAX_BEHIND 1024
#define MAX_LATE 1024
/* How many columns are searched for a chain to go on before a new one is begun. */
#define MAX_SEARCH 256

typedef struct
{
  guint32 chain;
  RwTrieRoot clock;  /* column -> the last node of the chain that is before this one, plus one */
  guint32 last_post; /* on the chain, up to this node; NONE */
} Node;

typedef struct
{
  guint32 last; /* node */
  guint32 column; /* NONE until an arc leaves the chain */
  guint32 first_post;
} Chain;

typedef struct
{
  guint32 klass;
  guint32 node;
  guint32 fired; /* the node that it became, or that took it away; NONE: not yet */
  guint32 previous, next; /* on the chain of its node; NONE */
  guint32 higher, lower;  /* the last one before it there of a higher, a lower class */
  guint32 settled;        /* the last one before it up to which all were finished before @node; NONE */
  guint8 late;            /* one that should have fired after it fired before it */
  guint8 removed;         /* cancelled */
} Post;

struct _RwHb
{
  guint n_classes;
  GArray *nodes;
  GArray *chains;
  GArray *posts;
  GArray *late;      /* guint32, posts */
  GArray *found;     /* guint32, nodes: while the timer rule is applied */
  GArray *arcs;      /* guint32 */
  GArray *first_arc; /* guint32, of each node */
  GArray *last_fired; /* guint32, of each class: the post that fired last; NONE */
  RwTrie clocks;
  guint n_columns;
  GArray *column_chain; /* guint32 */

  /* the node under construction */
  gboolean open;
  RwTrieRoot clock;
  guint32 own[MAX_OPEN]; /* predecessors that are not in @clock themselves yet */
  guint n_own;
};

#define NODE(self, i) g_array_index ((self)->nodes, Node, i)
#define CHAIN(self, i) g_array_index ((self)->chains, Chain, i)
#define POST(self, i) g_array_index ((self)->posts, Post, i)

RwHb *
rw_hb_new (guint n_classes)
{
  RwHb *self = g_new0 (RwHb, 1);

  self->n_classes = n_classes;
  self->nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  self->chains = g_array_new (FALSE, FALSE, sizeof (Chain));
  self->posts = g_array_new (FALSE, FALSE, sizeof (Post));
  self->last_fired = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_set_size (self->last_fired, n_classes);
  for (guint i = 0; i < n_classes; i++)
    g_array_index (self->last_fired, guint32, i) = NONE;
  self->column_chain = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->found = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->late = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->arcs = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->first_arc = g_array_new (FALSE, FALSE, sizeof (guint32));
  rw_trie_init (&self->clocks);
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
  g_array_unref (self->last_fired);
  g_array_unref (self->column_chain);
  g_array_unref (self->found);
  g_array_unref (self->late);
  g_array_unref (self->arcs);
  g_array_unref (self->first_arc);
  rw_trie_clear (&self->clocks);
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

  if (rw_trie_get (&self->clocks, clock, column) > node)
    return clock;
  return rw_trie_set (&self->clocks, clock, column, node + 1);
}

RwTrieRoot
rw_hb_clock_add (RwHb *self, RwTrieRoot clock, guint node)
{
  clock = rw_trie_join (&self->clocks, clock, NODE (self, node).clock);
  return rw_hb_clock_add_one (self, clock, node);
}

gboolean
rw_hb_clock_has (const RwHb *self, RwTrieRoot clock, guint node)
{
  guint column = CHAIN (self, NODE (self, node).chain).column;

  return column != NONE && rw_trie_get (&self->clocks, clock, column) > node;
}

typedef struct
{
  const RwHb *hb;
  guint n;
  guint chain; /* NONE: not found */
} Search;

static gboolean
is_whole_chain (gpointer user_data, guint column, guint32 last)
{
  Search *search = user_data;
  guint chain = g_array_index (search->hb->column_chain, guint32, column);

  if (CHAIN (search->hb, chain).last + 1 == last)
    search->chain = chain;
  return search->chain == NONE && ++search->n < MAX_SEARCH;
}

/* A chain that ends before the open node, among those with the latest columns: all of it is in the clock. */
static guint
find_ended_chain (const RwHb *self)
{
  Search search = { self, 0, NONE };

  rw_trie_foreach_difference (&self->clocks, self->clock, 0, is_whole_chain, &search);
  return search.chain;
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
  Chain chain = { NONE, NONE, NONE };
  g_array_append_val (self->chains, chain);
  return self->chains->len - 1;
}

static void
complete (RwHb *self)
{
  guint id = self->nodes->len;
  guint chain, last;
  Node node;

  if (!self->open)
    return;
  self->open = FALSE;
  chain = choose_chain (self);
  for (guint i = 0; i < self->n_own; i++)
    if (NODE (self, self->own[i]).chain != chain)
      self->clock = rw_hb_clock_add_one (self, self->clock, self->own[i]);
  last = CHAIN (self, chain).last;
  CHAIN (self, chain).last = id;
  node = (Node) { chain, self->clock, last == NONE ? NONE : NODE (self, last).last_post };
  g_array_append_val (self->nodes, node);
  rw_trie_freeze (&self->clocks);
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
  self->n_own = 0;
  return self->nodes->len;
}

void
rw_hb_end (RwHb *self)
{
  complete (self);
  rw_trie_trim (&self->clocks);
}

gboolean
rw_hb_implied (RwHb *self, guint node)
{
  for (guint i = 0; i < self->n_own; i++)
    if (NODE (self, self->own[i]).chain == NODE (self, node).chain && self->own[i] >= node)
      return TRUE;
  return rw_hb_clock_has (self, self->clock, node);
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
  self->clock = rw_trie_join (&self->clocks, self->clock, NODE (self, from).clock);
  g_array_append_val (self->arcs, kept);
}

/* Finished before @node, as far as a post is. */
static gboolean
is_settled (const RwHb *self, guint post, guint node)
{
  guint fired = POST (self, post).fired;

  return fired != NONE && (fired == node || rw_hb_before (self, fired, node));
}

/* Links to the chain's earlier posts. */
static void
link_post (RwHb *self, Post *post)
{
  guint next;

  post->higher = post->lower = post->settled = NONE;
  if (post->previous == NONE)
    return;
  for (post->higher = post->previous; post->higher != NONE && POST (self, post->higher).klass <= post->klass;)
    post->higher = POST (self, post->higher).higher;
  for (post->lower = post->previous; post->lower != NONE && POST (self, post->lower).klass >= post->klass;)
    post->lower = POST (self, post->lower).lower;
  post->settled = POST (self, post->previous).settled;
  next = post->settled == NONE ? CHAIN (self, NODE (self, post->node).chain).first_post : POST (self, post->settled).next;
  for (; next != NONE && is_settled (self, next, post->node); next = POST (self, next).next)
    post->settled = next;
}

RwHbPost
rw_hb_post (RwHb *self, guint klass)
{
  guint32 index = self->posts->len;
  guint node;
  Post post;

  g_assert (klass < self->n_classes);
  complete (self);
  node = self->nodes->len - 1;
  post = (Post) { .klass = klass, .node = node, .fired = NONE, .previous = NODE (self, node).last_post, .next = NONE };
  link_post (self, &post);
  if (post.previous != NONE)
    POST (self, post.previous).next = index;
  else
    CHAIN (self, NODE (self, node).chain).first_post = index;
  NODE (self, node).last_post = index;
  g_array_append_val (self->posts, post);
  return index;
}

static void
mark_late (RwHb *self, guint32 index)
{
  if (POST (self, index).late || self->late->len >= MAX_LATE)
    return;
  POST (self, index).late = TRUE;
  g_array_append_val (self->late, index);
}

static void
find_node (RwHb *self, guint32 node)
{
  if (node != self->nodes->len)
    g_array_append_val (self->found, node);
}

typedef struct
{
  RwHb *hb;
  guint own_chain;
  guint lowest, highest; /* classes */
} Walk;

/* Back along one chain of posts from @index. One that has not fired yet, or never will, says nothing of those before it. */
static void
walk_back (const Walk *walk, guint index)
{
  RwHb *self = walk->hb;
  guint above = walk->lowest; /* what is of interest is of this class or higher */
  guint settled = index == NONE ? NONE : POST (self, index).settled;

  for (guint n = 0; index != NONE && (settled == NONE || index > settled) && n < MAX_BEHIND; n++)
    {
      const Post *post = &POST (self, index);

      if (post->klass > walk->highest)
        index = post->lower;
      else if (post->klass < above)
        index = post->higher;
      else if (post->fired == NONE || post->removed)
        {
          if (post->fired == NONE)
            mark_late (self, index);
          else
            find_node (self, post->fired);
          index = post->previous;
        }
      else
        {
          find_node (self, post->fired);
          above = post->klass + 1;
          index = above > walk->highest ? NONE : post->higher;
        }
    }
}

static gboolean
walk_chain (gpointer user_data, guint column, guint32 last)
{
  const Walk *walk = user_data;
  const Node *node = &NODE (walk->hb, last - 1);

  if (node->chain != walk->own_chain && node->last_post != NONE)
    walk_back (walk, node->last_post);
  return TRUE;
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
        find_node (self, late->fired);
    }
}

static gint
compare_latest_first (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return (x < y) - (x > y);
}

/* The latest first: it implies most of the others, and each arc that is kept costs two joins. */
static void
add_found (RwHb *self)
{
  g_array_sort (self->found, compare_latest_first);
  for (guint i = 0; i < self->found->len; i++)
    rw_hb_arc (self, g_array_index (self->found, guint32, i));
  g_array_set_size (self->found, 0);
}

void
rw_hb_fire (RwHb *self, RwHbPost index, guint lowest)
{
  const Post *post = &POST (self, index);
  const Node *node = &NODE (self, post->node);
  Walk walk = { self, node->chain, lowest, post->klass };
  guint32 *last_fired = &g_array_index (self->last_fired, guint32, post->klass);
  RwTrieRoot known = 0;

  g_assert (self->open);
  find_node (self, post->node);
  if (*last_fired != NONE && rw_hb_before (self, POST (self, *last_fired).node, post->node))
    {
      find_node (self, POST (self, *last_fired).fired);
      known = NODE (self, POST (self, *last_fired).node).clock;
    }
  walk_back (&walk, post->previous);
  rw_trie_foreach_difference (&self->clocks, node->clock, known, walk_chain, &walk);
  after_late (self, index, lowest);
  add_found (self);
  POST (self, index).fired = self->nodes->len;
  *last_fired = index;
}

void
rw_hb_remove (RwHb *self, RwHbPost post)
{
  complete (self);
  POST (self, post).fired = self->nodes->len - 1;
  POST (self, post).removed = TRUE;
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
         + (self->arcs->len + self->first_arc->len) * sizeof (guint32)
         + self->clocks.n_allocated * sizeof (RwTrieBlock);
}

gboolean
rw_hb_before (const RwHb *self, guint a, guint b)
{
  const Node *first = &NODE (self, a);
  const Node *second = &NODE (self, b);

  if (first->chain == second->chain)
    return a < b;
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
