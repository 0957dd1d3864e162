/* SPDX-License-Identifier: MIT */
/* Arrays of 32-bit numbers that share what they have in common: an update costs a path, not a copy. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A root is a value: an array that is all zero outside what was set. Blocks of 16 numbers form a tree of the height that the
 * greatest index needs; arrays made from one another share every block in which they agree, so comparing two blocks by number
 * answers "is anything different below?". Vector clocks are kept this way (rw-hb.c): neighbours in the event graph differ in a
 * few entries out of thousands. */
typedef guint32 RwTrieRoot; /* block << 3 | height; 0: all zero */

#define RW_TRIE_WIDTH 16
#define RW_TRIE_BITS 4

typedef struct
{
  guint32 slot[RW_TRIE_WIDTH];
} RwTrieBlock;

typedef struct
{
  RwTrieBlock *blocks; /* block 0 is all zero for ever */
  gsize n_blocks;
  gsize n_allocated;
  gsize fresh; /* blocks from here on belong to the array under construction and may be changed in place */
} RwTrie;

void rw_trie_init (RwTrie *self);
void rw_trie_clear (RwTrie *self);

/* From here on the arrays made so far are fixed: a later change makes new blocks. */
void rw_trie_freeze (RwTrie *self);
/* Forgets every block made since the trie had @n_blocks; roots made since are invalid. */
void rw_trie_release (RwTrie *self, gsize n_blocks);
/* Gives back memory that growing took in advance. */
void rw_trie_trim (RwTrie *self);

RwTrieRoot rw_trie_set (RwTrie *self, RwTrieRoot root, guint index, guint32 value);
/* Entry by entry the greater of the two. */
RwTrieRoot rw_trie_join (RwTrie *self, RwTrieRoot a, RwTrieRoot b);

/* FALSE ends the visit. @func must not change the trie. */
typedef gboolean (*RwTrieFunc) (gpointer user_data, guint index, guint32 value);
/* The entries of @a that are not the same in @b, from the greatest index down. */
void rw_trie_foreach_difference (const RwTrie *self, RwTrieRoot a, RwTrieRoot b, RwTrieFunc func, gpointer user_data);

static inline guint32
rw_trie_get (const RwTrie *self, RwTrieRoot root, guint index)
{
  guint height = root & 7;
  guint32 block = root >> 3;

  if (((guint64) index >> (RW_TRIE_BITS * (height + 1))) != 0)
    return 0;
  for (; height > 0; height--)
    block = self->blocks[block].slot[(index >> (RW_TRIE_BITS * height)) & (RW_TRIE_WIDTH - 1)];
  return self->blocks[block].slot[index & (RW_TRIE_WIDTH - 1)];
}

G_END_DECLS
