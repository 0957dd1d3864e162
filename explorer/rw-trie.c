/* SPDX-License-Identifier: MIT */
/* Arrays of 32-bit numbers that share what they have in common: an update costs a path, not a copy. */
#include "rw-trie.h"

#include <string.h>

#define MAX_BLOCKS (G_MAXUINT32 >> 3)

void
rw_trie_init (RwTrie *self)
{
  self->n_allocated = 64;
  self->blocks = g_new0 (RwTrieBlock, self->n_allocated);
  self->n_blocks = 1;
  self->fresh = 1;
}

void
rw_trie_clear (RwTrie *self)
{
  g_clear_pointer (&self->blocks, g_free);
}

void
rw_trie_freeze (RwTrie *self)
{
  self->fresh = self->n_blocks;
}

void
rw_trie_release (RwTrie *self, gsize n_blocks)
{
  self->n_blocks = n_blocks;
  self->fresh = n_blocks;
}

void
rw_trie_trim (RwTrie *self)
{
  self->n_allocated = self->n_blocks;
  self->blocks = g_renew (RwTrieBlock, self->blocks, self->n_allocated);
}

static guint32
add_block (RwTrie *self, const RwTrieBlock *block)
{
  g_assert (self->n_blocks < MAX_BLOCKS);
  if (self->n_blocks == self->n_allocated)
    {
      /* By a half: doubling would make the peak of a large graph twice what it needs. */
      self->n_allocated += self->n_allocated / 2 + 1;
      self->blocks = g_renew (RwTrieBlock, self->blocks, self->n_allocated);
    }
  self->blocks[self->n_blocks] = *block;
  return self->n_blocks++;
}

static guint
height_for (guint index)
{
  guint height = 0;

  while (((guint64) index >> (RW_TRIE_BITS * (height + 1))) != 0)
    height++;
  return height;
}

/* The same array under a root of greater height. */
static guint32
lift (RwTrie *self, RwTrieRoot root, guint height)
{
  guint32 block = root >> 3;

  if (block == 0)
    return 0;
  for (guint h = root & 7; h < height; h++)
    {
      RwTrieBlock above = { { block } };
      block = add_block (self, &above);
    }
  return block;
}

static guint32
set_in_block (RwTrie *self, guint32 block, guint height, guint index, guint32 value)
{
  guint slot = (index >> (RW_TRIE_BITS * height)) & (RW_TRIE_WIDTH - 1);
  RwTrieBlock copy;

  if (height > 0)
    value = set_in_block (self, self->blocks[block].slot[slot], height - 1, index, value);
  if (self->blocks[block].slot[slot] == value)
    return block;
  if (block >= self->fresh)
    {
      self->blocks[block].slot[slot] = value;
      return block;
    }
  copy = self->blocks[block];
  copy.slot[slot] = value;
  return add_block (self, &copy);
}

RwTrieRoot
rw_trie_set (RwTrie *self, RwTrieRoot root, guint index, guint32 value)
{
  guint height = MAX (root & 7, height_for (index));
  guint32 block = lift (self, root, height);

  return set_in_block (self, block, height, index, value) << 3 | height;
}

static guint32
finish_block (RwTrie *trie, guint32 a, guint32 b, const RwTrieBlock *result)
{
  if (memcmp (result, &trie->blocks[a], sizeof *result) == 0)
    return a;
  if (memcmp (result, &trie->blocks[b], sizeof *result) == 0)
    return b;
  if (a >= trie->fresh)
    {
      trie->blocks[a] = *result;
      return a;
    }
  return add_block (trie, result);
}

static guint32
join_blocks (RwTrie *trie, guint32 a, guint32 b, guint height)
{
  RwTrieBlock result;

  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  /* Blocks are looked up anew each time: a join below may move them. */
  if (height > 0)
    for (guint i = 0; i < RW_TRIE_WIDTH; i++)
      result.slot[i] = join_blocks (trie, trie->blocks[a].slot[i], trie->blocks[b].slot[i], height - 1);
  else
    for (guint i = 0; i < RW_TRIE_WIDTH; i++)
      result.slot[i] = MAX (trie->blocks[a].slot[i], trie->blocks[b].slot[i]);
  return finish_block (trie, a, b, &result);
}

RwTrieRoot
rw_trie_join (RwTrie *self, RwTrieRoot a, RwTrieRoot b)
{
  guint height = MAX (a & 7, b & 7);
  guint32 block_a, block_b;

  if (a == b || b >> 3 == 0)
    return a;
  if (a >> 3 == 0)
    return b;
  block_a = lift (self, a, height);
  block_b = lift (self, b, height);
  return join_blocks (self, block_a, block_b, height) << 3 | height;
}

typedef struct
{
  const RwTrie *trie;
  RwTrieFunc func;
  gpointer user_data;
} Visit;

static gboolean
visit_blocks (const Visit *visit, guint32 a, guint32 b, guint height, guint base)
{
  const RwTrieBlock *mine = &visit->trie->blocks[a], *other = &visit->trie->blocks[b];

  for (guint i = RW_TRIE_WIDTH; i-- > 0;)
    {
      guint index = base + (i << (RW_TRIE_BITS * height));

      if (mine->slot[i] == 0 || mine->slot[i] == other->slot[i])
        continue;
      if (!(height > 0 ? visit_blocks (visit, mine->slot[i], other->slot[i], height - 1, index)
                       : visit->func (visit->user_data, index, mine->slot[i])))
        return FALSE;
    }
  return TRUE;
}

void
rw_trie_foreach_difference (const RwTrie *self, RwTrieRoot a, RwTrieRoot b, RwTrieFunc func, gpointer user_data)
{
  Visit visit = { self, func, user_data };
  guint height = a & 7;
  guint32 block = b >> 3;

  if (a == b || a >> 3 == 0)
    return;
  /* The other array may be higher: then all of this one lies in its first subtree. If it is lower, it is in this one's first
   * subtree; what they share is then not recognised, which costs time only. */
  for (guint h = b & 7; h > height; h--)
    block = self->blocks[block].slot[0];
  visit_blocks (&visit, a >> 3, (b & 7) < height ? 0 : block, height, 0);
}
