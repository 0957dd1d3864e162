/* SPDX-License-Identifier: MIT */
/* Which events are pending and which of them may run: the rule of rw-space.h, in one place for everybody who needs it.
 */
#pragma once

#include "rw-trace.h"

G_BEGIN_DECLS

/* Positions count the events that ran; this one stands for what was there before the first. */
#define RW_POSITION_START G_MAXUINT32
#define RW_POSITION_NONE (G_MAXUINT32 - 1)

typedef enum
{
  RW_POOL_UNPOSTED = 0,
  RW_POOL_PENDING,
  RW_POOL_CANCELLED,
  RW_POOL_RAN
} RwPoolState;

typedef struct _RwPool RwPool;

RwPool *rw_pool_new (RwSpace *space, gboolean timers_any);
void rw_pool_free (RwPool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwPool, rw_pool_free)
void rw_pool_reset (RwPool *self);

/* Pending before anything runs; in order. */
void rw_pool_initial (RwPool *self, RwEvent event);
/* @event runs next and is finished; what it posts and cancels follows. It should be enabled: nothing is checked here.
 * Returns its position. */
guint rw_pool_run (RwPool *self, RwEvent event);
/* By the event that ran last. A post counts once: FALSE if @event was posted before. */
gboolean rw_pool_post (RwPool *self, RwEvent event);
/* TRUE if it was pending and is not any more. */
gboolean rw_pool_cancel (RwPool *self, RwEvent event);

gboolean rw_pool_is_enabled (const RwPool *self, RwEvent event);
RwPoolState rw_pool_state (const RwPool *self, RwEvent event);
const RwEvent *rw_pool_pending (const RwPool *self, guint *n); /* in no order; valid until the next change */

/* Who posted it: a position, RW_POSITION_START or RW_POSITION_NONE. */
guint rw_pool_poster (const RwPool *self, RwEvent event);
/* Who ran or cancelled it: a position or RW_POSITION_NONE. */
guint rw_pool_finisher (const RwPool *self, RwEvent event);
guint rw_pool_post_order (const RwPool *self, RwEvent event); /* counts the posts */

/* Of two positions: by post, after, blocks, FIFO and timer edges, and what follows from them. */
gboolean rw_pool_happens_before (const RwPool *self, guint a, guint b);
/* TRUE iff the timer rule lets @earlier finish before @later may run; both were posted. */
gboolean rw_pool_timer_before (const RwPool *self, RwEvent earlier, RwEvent later);
/* All posted events with a delay, in the order of their posts. */
const RwEvent *rw_pool_timers (const RwPool *self, guint *n);
/* Of the event that ran last: timers that had to finish first, without those that others of them imply. */
const RwEvent *rw_pool_timer_preds (const RwPool *self, guint *n);
/* The last position that removed something from @group, and the oldest post that it removed. FALSE: none. */
gboolean rw_pool_group_removal (const RwPool *self, RwGroup group, guint *position, guint *post_order);

/* Replays the posts and cancellations of @trace and counts the events that ran although they were not enabled, and the
 * cancellations whose flag is wrong. 0: the trace obeys the rule. @why gets one line on the first, or NULL. */
guint rw_pool_check_trace (const RwTrace *trace, gboolean timers_any, char **why);

G_END_DECLS
