/* SPDX-License-Identifier: MIT */
/* Counters decide who is enabled: each event knows how many others must finish first, each finish tells who waited for
 * it. */
#include "rw-pool.h"

#include "rw-explore-break.h"
#include "rw-space-private.h"

#include <string.h>

#define NO_NODE G_MAXUINT32

typedef struct
{
  guint8 state;
  guint32 waits; /* events named in after, and timers before it, that are not finished */
  guint32 gates; /* pending events that name it in blocks */
  guint32 poster, finisher, position, order;
  gint32 delay;           /* from its post on */
  guint32 timer_slot;     /* index in @timers_pending */
  guint32 waiters;        /* list in @nodes of the events that wait for it */
  guint32 slot;           /* index in @pending */
  RwEvent older, younger; /* in its group's queue */
} Item;

typedef struct
{
  RwEvent oldest, youngest;
  guint32 last_run; /* position, for happens-before */
  guint32 remover, removed_order;
} Queue;

typedef struct
{
  RwEvent event;
  guint32 next;
} Node;

struct _RwPool
{
  RwSpace *space;
  gboolean timers_any;
  GArray *items;            /* of Item, by event */
  GArray *queues;           /* of Queue, by group */
  GArray *nodes;            /* of Node */
  GArray *pending;          /* of RwEvent */
  GArray *timers;           /* of RwEvent, by post */
  GArray *timers_ran;       /* of RwEvent, by position */
  GArray *timers_cancelled; /* of RwEvent */
  GArray *timers_pending;   /* of RwEvent, in no order */
  GArray *preds;            /* of RwEvent: rw_pool_timer_preds () */
  GArray *rows;             /* of guint64: what happens before each position, one bit a position */
  GArray *row_at;           /* of guint32: where a position's row begins */
  guint32 n_run, n_posts;
};

RwPool *
rw_pool_new (RwSpace *space, gboolean timers_any)
{
  RwPool *self = g_new0 (RwPool, 1);
  self->space = rw_space_ref (space);
  self->timers_any = timers_any;
  self->items = g_array_new (FALSE, FALSE, sizeof (Item));
  self->queues = g_array_new (FALSE, FALSE, sizeof (Queue));
  self->nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  self->pending = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->timers = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->timers_ran = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->timers_cancelled = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->timers_pending = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->preds = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->rows = g_array_new (FALSE, TRUE, sizeof (guint64));
  self->row_at = g_array_new (FALSE, FALSE, sizeof (guint32));
  return self;
}

void
rw_pool_free (RwPool *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->items);
  g_array_unref (self->queues);
  g_array_unref (self->nodes);
  g_array_unref (self->pending);
  g_array_unref (self->timers);
  g_array_unref (self->timers_ran);
  g_array_unref (self->timers_cancelled);
  g_array_unref (self->timers_pending);
  g_array_unref (self->preds);
  g_array_unref (self->rows);
  g_array_unref (self->row_at);
  rw_space_unref (self->space);
  g_free (self);
}

void
rw_pool_reset (RwPool *self)
{
  GArray *const all[] = { self->items,      self->queues,           self->nodes,          self->pending, self->timers,
                          self->timers_ran, self->timers_cancelled, self->timers_pending, self->preds,   self->rows,
                          self->row_at };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_array_set_size (all[i], 0);
  self->n_run = self->n_posts = 0;
}

/* The space may grow while the pool is in use. */
static void
grow_items (const RwPool *self, RwEvent event)
{
  while (self->items->len <= event)
    {
      Item fresh = { .poster = RW_POSITION_NONE,
                     .finisher = RW_POSITION_NONE,
                     .position = RW_POSITION_NONE,
                     .delay = -1,
                     .waiters = NO_NODE,
                     .older = RW_EVENT_NONE,
                     .younger = RW_EVENT_NONE };
      g_array_append_val (self->items, fresh);
    }
}

static inline Item *
item_of (const RwPool *self, RwEvent event)
{
  if (G_UNLIKELY (self->items->len <= event))
    grow_items (self, event);
  return &g_array_index (self->items, Item, event);
}

static Queue *
queue_of (const RwPool *self, RwGroup group)
{
  while (self->queues->len <= group)
    {
      Queue fresh = { RW_EVENT_NONE, RW_EVENT_NONE, RW_POSITION_NONE, RW_POSITION_NONE, 0 };
      g_array_append_val (self->queues, fresh);
    }
  return &g_array_index (self->queues, Queue, group);
}

/* --- happens-before, for the timer rule --- */

static gboolean
happens_before (const RwPool *self, guint32 a, guint32 b)
{
  if (b == RW_POSITION_START)
    return FALSE;
  if (a == RW_POSITION_START)
    return TRUE;
  if (a >= b)
    return FALSE;
  guint32 at = g_array_index (self->row_at, guint32, b);
  return (g_array_index (self->rows, guint64, at + a / 64) >> (a % 64)) & 1;
}

static void
begin_row (RwPool *self, guint32 position)
{
  guint32 at = self->rows->len;
  g_array_append_val (self->row_at, at);
  g_array_set_size (self->rows, at + position / 64 + 1);
}

/* Position @before, and all that happens before it, happens before the position whose row was begun last. */
static void
add_to_row (RwPool *self, guint32 position, guint32 before)
{
  if (before >= position) /* also RW_POSITION_START and RW_POSITION_NONE */
    return;
  guint64 *row = &g_array_index (self->rows, guint64, g_array_index (self->row_at, guint32, position));
  const guint64 *from = &g_array_index (self->rows, guint64, g_array_index (self->row_at, guint32, before));
  if ((row[before / 64] >> (before % 64)) & 1)
    return;
  for (guint32 i = 0; i <= before / 64; i++)
    row[i] |= from[i];
  row[before / 64] |= G_GUINT64_CONSTANT (1) << (before % 64);
}

gboolean
rw_pool_happens_before (const RwPool *self, guint a, guint b)
{
  return happens_before (self, a, b);
}

static inline gboolean
item_before (const RwPool *self, const Item *a, const Item *b)
{
  if (a->delay < 0 || a->delay > b->delay || self->timers_any || rw_explore_breaks (RW_BREAK_TIMER_RULE))
    return FALSE;
  return a->poster == b->poster ? a->order < b->order : happens_before (self, a->poster, b->poster);
}

gboolean
rw_pool_timer_before (const RwPool *self, RwEvent earlier, RwEvent later)
{
  item_of (self, MAX (earlier, later)); /* so that the next two stay where they are */
  return item_before (self, item_of (self, earlier), item_of (self, later));
}

/* Of the timers before @event: those that ran and do not happen before another such, and those that were cancelled and
 * had not to finish before one of these either. Both sets depend only on happens-before, so every order of a class
 * gives the same ones. */
static void
find_timer_preds (RwPool *self, RwEvent event)
{
  g_array_set_size (self->preds, 0);
  if (self->timers_any || rw_space_event_info (self->space, event)->delay < 0)
    return;
  for (guint i = self->timers_ran->len; i-- > 0;)
    {
      RwEvent timer = g_array_index (self->timers_ran, RwEvent, i);
      gboolean needed = TRUE;
      for (guint j = 0; j < self->preds->len && needed; j++)
        needed = !happens_before (self, item_of (self, timer)->position,
                                  item_of (self, g_array_index (self->preds, RwEvent, j))->position);
      if (needed && rw_pool_timer_before (self, timer, event))
        g_array_append_val (self->preds, timer);
    }
  for (guint i = 0, n_ran = self->preds->len; i < self->timers_cancelled->len; i++)
    {
      RwEvent timer = g_array_index (self->timers_cancelled, RwEvent, i);
      gboolean needed = rw_pool_timer_before (self, timer, event);
      for (guint j = 0; j < n_ran && needed; j++)
        needed = !rw_pool_timer_before (self, timer, g_array_index (self->preds, RwEvent, j));
      if (needed)
        g_array_append_val (self->preds, timer);
    }
}

/* Everything that happens directly before @event goes into its row; see rw-space.h. */
static void
fill_row (RwPool *self, RwEvent event, guint32 position)
{
  RwGroup group = rw_space_event_info (self->space, event)->group;
  guint n;

  begin_row (self, position);
  add_to_row (self, position, item_of (self, event)->poster);
  const RwEvent *after = rw_space_event_after (self->space, event, &n);
  for (guint i = 0; i < n; i++)
    add_to_row (self, position, item_of (self, after[i])->position);
  const RwEvent *blockers = rw_space_event_blockers (self->space, event, &n);
  for (guint i = 0; i < n; i++)
    add_to_row (self, position, item_of (self, blockers[i])->position);
  if (group != 0)
    add_to_row (self, position, queue_of (self, group)->last_run);
  for (guint i = 0; i < self->preds->len; i++)
    add_to_row (self, position, item_of (self, g_array_index (self->preds, RwEvent, i))->position);
}

/* --- posting and finishing --- */

static void
wait_for (RwPool *self, RwEvent event, RwEvent other)
{
  Node node = { event, item_of (self, other)->waiters };
  item_of (self, other)->waiters = self->nodes->len;
  g_array_append_val (self->nodes, node);
  item_of (self, event)->waits++;
}

static void
enqueue (RwPool *self, RwEvent event, RwGroup group)
{
  Queue *queue = queue_of (self, group);
  item_of (self, event)->older = queue->youngest;
  item_of (self, event)->younger = RW_EVENT_NONE;
  if (queue->youngest != RW_EVENT_NONE)
    item_of (self, queue->youngest)->younger = event;
  else
    queue->oldest = event;
  queue->youngest = event;
}

static void
dequeue (RwPool *self, RwEvent event, RwGroup group, guint32 remover)
{
  Queue *queue = queue_of (self, group);
  const Item *item = item_of (self, event);
  if (item->older != RW_EVENT_NONE)
    item_of (self, item->older)->younger = item->younger;
  else
    queue->oldest = item->younger;
  if (item->younger != RW_EVENT_NONE)
    item_of (self, item->younger)->older = item->older;
  else
    queue->youngest = item->older;
  queue->removed_order = queue->remover == remover ? MIN (queue->removed_order, item->order) : item->order;
  queue->remover = remover;
}

static void
make_pending (RwPool *self, RwEvent event, guint32 poster)
{
  const RwEventInfo *info = rw_space_event_info (self->space, event);
  guint n;
  const RwEvent *after = rw_space_event_after (self->space, event, &n);
  const RwEvent *blocks;

  item_of (self, rw_space_n_events (self->space) - 1); /* grown once, so that items stay where they are */
  Item *item = item_of (self, event);
  item->state = RW_POOL_PENDING;
  item->poster = poster;
  item->order = self->n_posts++;
  item->delay = info->delay;
  item->slot = self->pending->len;
  g_array_append_val (self->pending, event);
  for (guint i = 0; i < n; i++)
    if (item_of (self, after[i])->finisher == RW_POSITION_NONE)
      wait_for (self, event, after[i]);
  blocks = rw_space_event_blocks (self->space, event, &n);
  for (guint i = 0; i < n; i++)
    item_of (self, blocks[i])->gates++;
  if (info->group != 0)
    enqueue (self, event, info->group);
  if (info->delay < 0 || self->timers_any)
    return;
  for (guint i = 0; i < self->timers_pending->len; i++)
    {
      RwEvent other = g_array_index (self->timers_pending, RwEvent, i);
      if (item_before (self, item_of (self, other), item))
        wait_for (self, event, other);
    }
  item->timer_slot = self->timers_pending->len;
  g_array_append_val (self->timers_pending, event);
  g_array_append_val (self->timers, event);
}

/* It ran or was cancelled, by the event at @position. */
static void
finish (RwPool *self, RwEvent event, RwPoolState state, guint32 position)
{
  Item *item = item_of (self, event);
  RwGroup group = rw_space_event_info (self->space, event)->group;
  gboolean was_pending = item->state == RW_POOL_PENDING;
  guint n;

  item->state = state;
  item->finisher = position;
  for (guint32 at = item->waiters; at != NO_NODE; at = g_array_index (self->nodes, Node, at).next)
    item_of (self, g_array_index (self->nodes, Node, at).event)->waits--;
  item->waiters = NO_NODE;
  if (!was_pending)
    return;
  RwEvent last = g_array_index (self->pending, RwEvent, self->pending->len - 1);
  g_array_index (self->pending, RwEvent, item->slot) = last;
  item_of (self, last)->slot = item->slot;
  g_array_set_size (self->pending, self->pending->len - 1);
  if (item->delay >= 0 && !self->timers_any)
    {
      last = g_array_index (self->timers_pending, RwEvent, self->timers_pending->len - 1);
      g_array_index (self->timers_pending, RwEvent, item->timer_slot) = last;
      item_of (self, last)->timer_slot = item->timer_slot;
      g_array_set_size (self->timers_pending, self->timers_pending->len - 1);
    }
  const RwEvent *blocks = rw_space_event_blocks (self->space, event, &n);
  for (guint i = 0; i < n; i++)
    item_of (self, blocks[i])->gates--;
  if (group != 0)
    dequeue (self, event, group, position);
}

void
rw_pool_initial (RwPool *self, RwEvent event)
{
  if (item_of (self, event)->state == RW_POOL_UNPOSTED)
    make_pending (self, event, RW_POSITION_START);
}

guint
rw_pool_run (RwPool *self, RwEvent event)
{
  guint32 position = self->n_run++;
  RwGroup group = rw_space_event_info (self->space, event)->group;

  item_of (self, rw_space_n_events (self->space) - 1);
  item_of (self, event)->position = position;
  find_timer_preds (self, event);
  fill_row (self, event, position);
  finish (self, event, RW_POOL_RAN, position);
  if (group != 0)
    queue_of (self, group)->last_run = position;
  if (rw_space_event_info (self->space, event)->delay >= 0)
    g_array_append_val (self->timers_ran, event);
  return position;
}

gboolean
rw_pool_post (RwPool *self, RwEvent event)
{
  if (item_of (self, event)->state != RW_POOL_UNPOSTED)
    return FALSE;
  make_pending (self, event, self->n_run - 1);
  return TRUE;
}

gboolean
rw_pool_cancel (RwPool *self, RwEvent event)
{
  if (item_of (self, event)->state != RW_POOL_PENDING)
    return FALSE;
  finish (self, event, RW_POOL_CANCELLED, self->n_run - 1);
  if (rw_space_event_info (self->space, event)->delay >= 0)
    g_array_append_val (self->timers_cancelled, event);
  return TRUE;
}

/* --- questions --- */

gboolean
rw_pool_is_enabled (const RwPool *self, RwEvent event)
{
  const Item *item = item_of (self, event);
  if (item->state != RW_POOL_PENDING || item->waits > 0 || item->gates > 0)
    return FALSE;
  RwGroup group = rw_space_event_info (self->space, event)->group;
  return group == 0 || queue_of (self, group)->oldest == event;
}

RwPoolState
rw_pool_state (const RwPool *self, RwEvent event)
{
  return item_of (self, event)->state;
}

const RwEvent *
rw_pool_pending (const RwPool *self, guint *n)
{
  *n = self->pending->len;
  return (const RwEvent *)(gpointer)self->pending->data;
}

guint
rw_pool_poster (const RwPool *self, RwEvent event)
{
  return item_of (self, event)->poster;
}

guint
rw_pool_finisher (const RwPool *self, RwEvent event)
{
  return item_of (self, event)->finisher;
}

guint
rw_pool_post_order (const RwPool *self, RwEvent event)
{
  return item_of (self, event)->order;
}

const RwEvent *
rw_pool_timers (const RwPool *self, guint *n)
{
  *n = self->timers->len;
  return (const RwEvent *)(gpointer)self->timers->data;
}

const RwEvent *
rw_pool_timer_preds (const RwPool *self, guint *n)
{
  *n = self->preds->len;
  return (const RwEvent *)(gpointer)self->preds->data;
}

gboolean
rw_pool_group_removal (const RwPool *self, RwGroup group, guint *position, guint *post_order)
{
  const Queue *queue = queue_of (self, group);
  *position = queue->remover;
  *post_order = queue->removed_order;
  return queue->remover != RW_POSITION_NONE;
}

/* --- traces from outside --- */

static void
note (char **why, const RwSpace *space, guint position, RwEvent event, const char *what)
{
  const RwEventInfo *info = rw_space_event_info (space, event);
  if (why != NULL && *why == NULL)
    *why = g_strdup_printf ("position %u: %s (%016" G_GINT64_MODIFIER "x) %s", position,
                            info->label != NULL ? info->label : "event", info->id, what);
}

guint
rw_pool_check_trace (const RwTrace *trace, gboolean timers_any, char **why)
{
  RwSpace *space = rw_trace_space (trace);
  g_autoptr (RwPool) pool = rw_pool_new (space, timers_any);
  guint n, wrong = 0;
  const RwEvent *initials = rw_trace_initials (trace, &n);

  if (why != NULL)
    *why = NULL;
  for (guint i = 0; i < n; i++)
    rw_pool_initial (pool, initials[i]);
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      RwEvent event = rw_trace_event (trace, i);
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      if (!rw_pool_is_enabled (pool, event))
        {
          wrong++;
          note (why, space, i, event, "ran although it was not enabled");
        }
      rw_pool_run (pool, event);
      for (guint j = 0; j < n; j++)
        if (ops[j].kind == RW_OP_POST)
          rw_pool_post (pool, ops[j].target);
        else if (ops[j].kind == RW_OP_CANCEL
                 && rw_pool_cancel (pool, ops[j].target) != ((ops[j].flags & RW_OP_EFFECTIVE) != 0))
          {
            wrong++;
            note (why, space, i, ops[j].target, "was cancelled with the wrong flag");
          }
    }
  return wrong;
}
