/* SPDX-License-Identifier: MIT */
/* Commutativity that the log proves: accesses that look like conflicts and are none. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Values in the log are compared by their text, so a recorder must write equal texts only for values that no program
 * can tell apart, and leave the value out otherwise. With a filter on, dependence, classes, fingerprints and
 * predictions all see the filtered accesses, so exploration is exact over the classes of the coarser dependence. A
 * filter drops a conflict only where the two events, as neighbours, can be swapped, and then both do what they did and
 * leave the same values behind. */
typedef enum
{
  /* Same value: an event whose last write to a location leaves the value that was there before the event counts as a
   * reader of it. Proof: between two real writes the location holds one value v throughout; swapping the event with a
   * reader, or with another event that leaves v, changes nothing that either sees or leaves. With a real writer it
   * still conflicts. Whether it leaves the old value depends only on the last real write before it, which every order
   * of the class shares; initial values count as known only if run 0 shows them, for the same reason. */
  RW_FILTER_SAME_VALUE = 1 << 0,

  /* Counters: writes flagged RW_OP_ADD, "adds an integer, and the event learns nothing of what was there", commute with
   * each other. Proof: integer addition is commutative and associative, and neither event can behave differently by the
   * order. With reads and plain writes, also of the same event, they conflict: "nobody else reads in between". */
  RW_FILTER_COUNTER = 1 << 1,

  /* Lazy initialisation: accesses flagged RW_OP_INIT, "gives the location @value if it had none, and goes on with what
   * is there then", commute with others of the same value. Proof: if the location had no value, the first of two such
   * events gives it v and both go on with v, in either order; if it had one, both only read it. With plain reads (which
   * may see that there is nothing), writes, and initialisations to another value they conflict. */
  RW_FILTER_LAZY_INIT = 1 << 2

  /* Set insertion and class-list additions need no filter of their own: each entry is a location, adding it is a write
   * of "present" (twice the same is SAME_VALUE), and the size is a COUNTER. Whoever can see the order of insertion
   * reads the order, which is a location that insertions write. */
} RwFilters;

#define RW_FILTERS_DEFAULT (RW_FILTER_SAME_VALUE | RW_FILTER_COUNTER | RW_FILTER_LAZY_INIT)

/* "same-value,counter", "none", "all", "default"; FALSE: @unknown is set to the first name that is none of them. */
gboolean rw_filters_from_names (const char *names, guint *filters, char **unknown);
char *rw_filters_to_names (guint filters);

G_END_DECLS
