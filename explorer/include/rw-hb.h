/* SPDX-License-Identifier: MIT */
/* Happens-before over the events of one run: vector clocks on chains, built in the order of the run, then asked. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Nodes are numbered in the order in which they are begun, which is the order of the run; every arc goes forward. Arcs to a
 * node are over when it posts or the next one begins; rw_hb_end () follows the last one. */
typedef struct _RwHb RwHb;

/* @n_classes: classes of posts, for rw_hb_post (). Timers get a class for each distinct delay, in ascending order. */
RwHb *rw_hb_new (guint n_classes);
void rw_hb_free (RwHb *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwHb, rw_hb_free)

guint rw_hb_begin (RwHb *self);
/* @from, a complete node, happens before the one begun last. Arcs that are implied cost a look-up and are not kept. */
void rw_hb_arc (RwHb *self, guint from);
/* TRUE iff the arcs to the node begun last, up to now, put @node before it. */
gboolean rw_hb_implied (RwHb *self, guint node);

typedef guint RwHbPost;

/* The node begun last makes something pending; rw_hb_fire () says when it runs, rw_hb_remove () that it was cancelled. What
 * does neither in this run must not be posted. */
RwHbPost rw_hb_post (RwHb *self, guint klass);
/* The node begun last is what @post made pending: it comes after its poster, and (the timer rule) after every post of a
 * class in [@lowest, its own] that was made no later: earlier by the same node, or by one that happens before the poster.
 * A post that breaks the rule in this run, by firing after a later and longer one, is not ordered with that one. */
void rw_hb_fire (RwHb *self, RwHbPost post, guint lowest);

/* The node begun last cancels @post: what would have waited for its event comes after this node. */
void rw_hb_remove (RwHb *self, RwHbPost post);
void rw_hb_end (RwHb *self);

/* From here on: after rw_hb_end (), or of complete nodes only. */
guint rw_hb_n_nodes (const RwHb *self);
guint rw_hb_n_chains (const RwHb *self);
guint rw_hb_n_arcs (const RwHb *self); /* kept, those of the timer rule included */
gsize rw_hb_memory (const RwHb *self); /* bytes */

/* TRUE iff @a happens before @b in every schedule that the run allows; irreflexive. O(1), never allocates. */
gboolean rw_hb_before (const RwHb *self, guint a, guint b);
guint rw_hb_chain (const RwHb *self, guint node);
/* The arcs to @node that were kept. */
const guint32 *rw_hb_arcs (const RwHb *self, guint node, guint *n_arcs);

typedef enum
{
  RW_TIMERS_ORDERED = 0, /* the timer rule */
  RW_TIMERS_ANY = 1      /* every pending timer may run before every other */
} RwTimers;

G_END_DECLS
