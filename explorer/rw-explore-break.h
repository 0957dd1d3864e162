/* SPDX-License-Identifier: MIT */
/* For tests only: each bit takes one rule of the explorer away, so that a test can show that it would be missed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  RW_BREAK_TIMER_RULE = 1 << 0,      /* pending timers do not wait for each other */
  RW_BREAK_TIMER_EDGE = 1 << 1,      /* the timers before an event are no dependence */
  RW_BREAK_AFTER_EDGE = 1 << 2,      /* nor are those named in its after list */
  RW_BREAK_BLOCKS_EDGE = 1 << 3,     /* nor those that name it in blocks */
  RW_BREAK_HEAD_EDGE = 1 << 4,       /* cancelling in a FIFO group is no dependence for the group */
  RW_BREAK_NOOP_CANCEL = 1 << 5,     /* a cancellation without effect depends on nothing */
  RW_BREAK_DISABLED = 1 << 6,        /* cancelled events are not brought back */
  RW_BREAK_OTHER_CANCELLER = 1 << 7, /* other cancellers may stay before an event that is brought back */
  RW_BREAK_LAMBDA = 1 << 8,          /* keep children do not move the predecessors of the later event */
  RW_BREAK_KEEP = 1 << 9,            /* no keep children */
  RW_BREAK_FIRST = 1 << 10,          /* no first children */
  RW_BREAK_ENABLING = 1 << 11,       /* conflicts with what enabled an event are reversed as well */
  RW_BREAK_LIN = 1 << 12,            /* the run as it was, in place of the least order of its class */
  RW_BREAK_VERSIONS = 1 << 13,       /* predictions ignore what an event read */
  RW_BREAK_RANK = 1 << 14,           /* predictions run what is left in the order of discovery */
  RW_BREAK_BLOCKERS = 1 << 15,       /* posts of what blocks an event that is brought back may stay before it */
  RW_BREAK_SAME_VALUE = 1 << 16,     /* that filter: whatever is written was there */
  RW_BREAK_COUNTER = 1 << 17,        /* that filter: an event that adds may read as well */
  RW_BREAK_LAZY_INIT = 1 << 18       /* that filter: initialisations to different values commute */
} RwBreak;

extern guint rw_explore_break; /* RwBreak bits; 0 */

static inline gboolean
rw_explore_breaks (RwBreak rule)
{
  return G_UNLIKELY ((rw_explore_break & (guint)rule) != 0);
}

G_END_DECLS
