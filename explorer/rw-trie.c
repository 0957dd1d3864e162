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

static guint32
add_block (RwTrie *self, const RwTrieBlock *block)
{
  g_assert (self->n_blocks < MAX_BLOCKS);
  if (self->n_blocks == self->n_allocated)
    {
      /* By a half: doubling would make the peak of a large graph twice what it needs. */
      self->n_allocated += self->n_allocated / 2;
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

typedef struct
{
  RwTrie *trie;
  RwTrieMerge merge;
  gpointer user_data;
} Join;

static guint32
join_entries (const Join *join, guint32 a, guint32 b)
{
  if (a == b || b == 0)
    return a;
  return a == 0 ? b : join->merge (join->user_data, a, b);
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
join_blocks (const Join *join, guint32 a, guint32 b, guint height)
{
  RwTrieBlock result;

  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  /* Blocks are looked up anew each time: a join below may move them. */
  if (height > 0)
    for (guint i = 0; i < RW_TRIE_WIDTH; i++)
      result.slot[i] = join_blocks (join, join->trie->blocks[a].slot[i], join->trie->blocks[b].slot[i], height - 1);
  else if (join->merge == NULL)
    for (guint i = 0; i < RW_TRIE_WIDTH; i++)
      result.slot[i] = MAX (join->trie->blocks[a].slot[i], join->trie->blocks[b].slot[i]);
  else
    for (guint i = 0; i < RW_TRIE_WIDTH; i++)
      result.slot[i] = join_entries (join, join->trie->blocks[a].slot[i], join->trie->blocks[b].slot[i]);
  return finish_block (join->trie, a, b, &result);
}

RwTrieRoot
rw_trie_join (RwTrie *self, RwTrieRoot a, RwTrieRoot b, RwTrieMerge merge, gpointer user_data)
{
  Join join = { self, merge, user_data };
  guint height = MAX (a & 7, b & 7);
  guint32 block_a, block_b;

  if (a == b || b >> 3 == 0)
    return a;
  if (a >> 3 == 0)
    return b;
  block_a = lift (self, a, height);
  block_b = lift (self, b, height);
  return join_blocks (&join, block_a, block_b, height) << 3 | height;
}

static gboolean
find_in_block (const RwTrie *self, guint32 a, guint32 b, guint height, guint base, guint low, guint high, guint *index)
{
  guint step = 1u << (RW_TRIE_BITS * height);

  for (guint i = RW_TRIE_WIDTH; i-- > 0;)
    {
      guint32 child = self->blocks[a].slot[i];
      guint start = base + i * step;

      if (child == 0 || child == self->blocks[b].slot[i] || start > high)
        continue;
      if (start + (step - 1) < low)
        return FALSE;
      if (height == 0)
        {
          *index = start;
          return TRUE;
        }
      if (find_in_block (self, child, self->blocks[b].slot[i], height - 1, start, low, high, index))
        return TRUE;
    }
  return FALSE;
}

gboolean
rw_trie_find_difference (const RwTrie *self, RwTrieRoot a, RwTrieRoot b, guint low, guint high, guint *index)
{
  guint height = a & 7;
  guint32 block_b = b >> 3;

  if (a == b || a >> 3 == 0)
    return FALSE;
  /* The other array may be higher, in which case all of this one lies in its first subtree; if it is lower, all of it lies
   * in this one's first subtree, and is then not recognised as shared: that costs time only. */
  for (guint h = b & 7; h > height; h--)
    block_b = self->blocks[block_b].slot[0];
  if ((b & 7) < height)
    block_b = 0;
  return find_in_block (self, a >> 3, block_b, height, 0, low, high, index);
}
