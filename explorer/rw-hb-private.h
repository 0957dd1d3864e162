/* SPDX-License-Identifier: MIT */
/* What the coverage of races borrows from happens-before: its clocks, and the store that they share. */
#pragma once

#include "rw-hb.h"
#include "rw-trie.h"

G_BEGIN_DECLS

RwTrie *rw_hb_clocks (RwHb *self);
/* @clock with @node and all that happens before it added. */
RwTrieRoot rw_hb_clock_add (RwHb *self, RwTrieRoot clock, guint node);
/* The same, of @node alone. */
RwTrieRoot rw_hb_clock_add_one (RwHb *self, RwTrieRoot clock, guint node);
gboolean rw_hb_clock_has (const RwHb *self, RwTrieRoot clock, guint node);

G_END_DECLS
