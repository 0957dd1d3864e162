/* SPDX-License-Identifier: MIT */
/* One class of runs: its least order, what can be reversed in it, and the schedules that reverse it. */
#pragma once

#include "rw-explore.h"
#include "rw-sim.h"

G_BEGIN_DECLS

/* Least first; the same in every run. Events of run 0 by their position there, then all others by identity. */
typedef struct
{
  const RwSpace *space;
  GArray *position; /* of guint32, by event: in run 0; G_MAXUINT32: not there */
} RwRank;
void rw_rank_init (RwRank *self, const RwTrace *run0);
void rw_rank_clear (RwRank *self);
gboolean rw_rank_less (const RwRank *self, RwEvent a, RwEvent b);

typedef enum
{
  RW_CHILD_KEEP = 0, /* everything that can stay where it was does */
  RW_CHILD_FIRST = 1 /* everything that the reversal cannot touch comes first */
} RwChild;

typedef struct
{
  RwReversal reversal;
  guint32 first;  /* position of the earlier event, or of the one that cancels */
  guint32 second; /* position of the later event; G_MAXUINT32: it did not run */
  gboolean keep;  /* there is a keep child */
  GArray *roots;  /* of guint32: the reversal touches these positions and what follows them; NULL: both events */
} RwSwap;

typedef struct _RwClass RwClass;

/* From any run of the class. @sim must keep graphs; it is used up, and not needed afterwards. */
RwClass *rw_class_new (RwSim *sim, const GArray *initials, const RwInstance *run, guint length, RwInstances *instances,
                       const RwRank *rank);
void rw_class_free (RwClass *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwClass, rw_class_free)

guint rw_class_length (const RwClass *self);
const RwEvent *rw_class_events (const RwClass *self); /* the least order */
guint rw_class_n_swaps (const RwClass *self);
const RwSwap *rw_class_swap (const RwClass *self, guint index);
/* Of RwEvent; @exact: so many events at the start do what they did. NULL: there is no such child. */
GArray *rw_class_child (const RwClass *self, guint index, RwChild child, guint *exact);
/* TRUE iff the event at @a precedes the one at @b in every order of the class. */
gboolean rw_class_before (const RwClass *self, guint a, guint b);

G_END_DECLS
