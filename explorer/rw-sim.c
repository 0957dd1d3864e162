/* SPDX-License-Identifier: MIT */
/* Every location is a sequence of epochs: one write, or accesses of one commuting mode. A new epoch depends on the
 * members of the one before. Beside the program's locations there are four kinds that stand for the event loop:
 *
 *   life (e)   posting, running, cancelling e, and running what had to wait for e
 *   gate (e)   posting and finishing events that block e, and running e
 *   tail (g)   posting into a FIFO group
 *   head (g)   running from it, and cancelling in it
 *
 *   step                          accesses
 *   run e                         WRITE life (e); READ life (x) for x in after (e) and for the timers before e;
 *                                 WRITE gate (e); READ gate (y) for y in blocks (e); WRITE head (group)
 *   post e                        WRITE life (e); if it counts: READ gate (y) for y in blocks (e), WRITE tail (group)
 *   cancel e, effective or not    CANCEL life (e), which commutes with itself; WRITE if e has a group or blocks
 * something, because then it shows which cancellation came first
 *   ... if it was pending         READ gate (y) for y in blocks (e), WRITE head (group)
 */
#include "rw-sim.h"

#include "rw-explore-break.h"
#include "rw-space-private.h"

#define MODE_CANCEL RW_MODE_ADD
#define NO_MEMBER G_MAXUINT32

typedef struct
{
  RwHash before, now;              /* sums over the members of the last epoch but one, and of the last */
  guint32 members_before, members; /* lists */
  guint32 mode;                    /* of the last epoch */
  gboolean used;                   /* there is a last epoch */
  guint32 stamp, touch_mode;       /* the step at hand */
} Slot;

typedef struct
{
  guint32 position, next;
} Member;

struct _RwSim
{
  RwSpace *space;
  RwInstances *instances;
  RwPool *pool;
  RwVersions versions;
  GArray *run;   /* of RwInstance */
  GArray *slots; /* of Slot: locations, life and gate of the events, tail and head of the groups */
  GArray *names; /* of guint64, by slot: a hash that every process agrees on */
  guint n_locations, n_events, n_groups;
  GArray *touched; /* of guint32: slots of the step at hand */
  RwHash sum;
  gboolean graph;
  GArray *members;      /* of Member */
  GArray *preds;        /* of RwPred */
  GArray *pred_start;   /* of guint32, by position, one more than positions */
  GArray *pred_at;      /* of guint32, by position: 1 + index in @preds while they belong to the step at hand */
  GArray *enabling;     /* of guint32: positions */
  GArray *disables;     /* of RwSimDisable */
  GArray *were_enabled; /* of gboolean: the targets of the step at hand, before it */
  guint next_target;    /* in @were_enabled */
};

RwSim *
rw_sim_new (RwSpace *space, RwInstances *instances, gboolean timers_any, gboolean graph)
{
  RwSim *self = g_new0 (RwSim, 1);
  self->space = rw_space_ref (space);
  self->instances = instances;
  self->pool = rw_pool_new (space, timers_any);
  self->graph = graph;
  rw_versions_init (&self->versions);
  self->run = g_array_new (FALSE, FALSE, sizeof (RwInstance));
  self->slots = g_array_new (FALSE, TRUE, sizeof (Slot));
  self->names = g_array_new (FALSE, TRUE, sizeof (guint64));
  self->touched = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->members = g_array_new (FALSE, FALSE, sizeof (Member));
  self->preds = g_array_new (FALSE, FALSE, sizeof (RwPred));
  self->pred_start = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->pred_at = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->enabling = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->disables = g_array_new (FALSE, FALSE, sizeof (RwSimDisable));
  self->were_enabled = g_array_new (FALSE, FALSE, sizeof (gboolean));
  return self;
}

void
rw_sim_free (RwSim *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->run);
  g_array_unref (self->slots);
  g_array_unref (self->names);
  g_array_unref (self->touched);
  g_array_unref (self->members);
  g_array_unref (self->preds);
  g_array_unref (self->pred_start);
  g_array_unref (self->pred_at);
  g_array_unref (self->enabling);
  g_array_unref (self->disables);
  g_array_unref (self->were_enabled);
  rw_versions_clear (&self->versions);
  rw_pool_free (self->pool);
  rw_space_unref (self->space);
  g_free (self);
}

static guint
slot_life (const RwSim *self, RwEvent event)
{
  return self->n_locations + 2 * event;
}

static guint
slot_gate (const RwSim *self, RwEvent event)
{
  return self->n_locations + 2 * event + 1;
}

static guint
slot_tail (const RwSim *self, RwGroup group)
{
  return self->n_locations + 2 * self->n_events + 2 * group;
}

static guint
slot_head (const RwSim *self, RwGroup group)
{
  return self->n_locations + 2 * self->n_events + 2 * group + 1;
}

/* The names are the texts and identities, so that a fingerprint can be kept on disk. */
static void
name_slots (RwSim *self)
{
  guint locations = rw_space_n_locations (self->space), events = rw_space_n_events (self->space),
        groups = rw_space_n_groups (self->space);

  if (self->names->len > 0 && locations == self->n_locations && events == self->n_events && groups == self->n_groups)
    return;
  g_array_set_size (self->names, locations + 2 * events + 2 * groups);
  guint64 *names = (guint64 *)(gpointer)self->names->data;
  self->n_events = events;
  self->n_groups = groups;
  for (guint i = 0; i < locations; i++)
    names[i] = rw_identity (rw_space_location_name (self->space, i));
  self->n_locations = locations;
  for (guint i = 0; i < events; i++)
    {
      guint64 id = rw_space_event_info (self->space, i)->id;
      names[slot_life (self, i)] = rw_mix64 (id + 1);
      names[slot_gate (self, i)] = rw_mix64 (id + 2);
    }
  for (guint i = 1; i < groups; i++)
    {
      guint64 id = rw_identity (rw_space_group_name (self->space, i));
      names[slot_tail (self, i)] = rw_mix64 (id + 3);
      names[slot_head (self, i)] = rw_mix64 (id + 4);
    }
}

void
rw_sim_reset (RwSim *self, const GArray *initials)
{
  GArray *const all[]
      = { self->run, self->slots, self->members, self->preds, self->pred_start, self->pred_at, self->disables };
  guint32 zero = 0;

  name_slots (self);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_array_set_size (all[i], 0);
  g_array_set_size (self->slots, self->names->len);
  g_array_append_val (self->pred_start, zero);
  rw_versions_reset (&self->versions, self->space);
  self->sum = (RwHash){ 0 };
  rw_pool_reset (self->pool);
  for (guint i = 0; i < initials->len; i++)
    rw_pool_initial (self->pool, g_array_index (initials, RwEvent, i));
}

/* --- one step --- */

static void
touch (RwSim *self, guint at, guint32 mode)
{
  Slot *slot = &g_array_index (self->slots, Slot, at);
  guint32 stamp = self->run->len + 1;
  if (slot->stamp == stamp)
    {
      if (slot->touch_mode != mode)
        slot->touch_mode = RW_MODE_WRITE;
      return;
    }
  slot->stamp = stamp;
  slot->touch_mode = mode;
  guint32 index = at;
  g_array_append_val (self->touched, index);
}

static void
touch_gates (RwSim *self, RwEvent event)
{
  guint n;
  const RwEvent *blocks = rw_space_event_blocks (self->space, event, &n);
  if (!rw_explore_breaks (RW_BREAK_BLOCKS_EDGE))
    for (guint i = 0; i < n; i++)
      touch (self, slot_gate (self, blocks[i]), RW_MODE_READ);
}

static void
enabled_by (RwSim *self, guint32 position)
{
  if (self->graph && position < self->run->len)
    g_array_append_val (self->enabling, position);
}

static void
touch_waits (RwSim *self, const RwEvent *events, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      touch (self, slot_life (self, events[i]), RW_MODE_READ);
      enabled_by (self, rw_pool_finisher (self->pool, events[i]));
    }
}

static void
touch_group (RwSim *self, RwEvent event, RwGroup group)
{
  guint remover, order;
  touch (self, slot_head (self, group), RW_MODE_WRITE);
  if (rw_pool_group_removal (self->pool, group, &remover, &order) && order < rw_pool_post_order (self->pool, event))
    enabled_by (self, remover);
}

/* An event that was posted and finished by one and the same event never stood in the way. */
static void
find_unblockers (RwSim *self, RwEvent event)
{
  guint n;
  const RwEvent *blockers = rw_space_event_blockers (self->space, event, &n);
  for (guint i = 0; i < n; i++)
    if (rw_pool_finisher (self->pool, blockers[i]) != rw_pool_poster (self->pool, blockers[i]))
      enabled_by (self, rw_pool_finisher (self->pool, blockers[i]));
}

static void
step_run (RwSim *self, RwEvent event)
{
  RwGroup group = rw_space_event_info (self->space, event)->group;
  guint n;

  touch (self, slot_life (self, event), RW_MODE_WRITE);
  enabled_by (self, rw_pool_poster (self->pool, event));
  touch (self, slot_gate (self, event), RW_MODE_WRITE);
  touch_gates (self, event);
  find_unblockers (self, event);
  const RwEvent *after = rw_space_event_after (self->space, event, &n);
  if (!rw_explore_breaks (RW_BREAK_AFTER_EDGE))
    touch_waits (self, after, n);
  if (group != 0)
    touch_group (self, event, group);
  rw_pool_run (self->pool, event);
  const RwEvent *timers = rw_pool_timer_preds (self->pool, &n);
  if (!rw_explore_breaks (RW_BREAK_TIMER_EDGE))
    touch_waits (self, timers, n);
}

/* Notes which targets of @effect are enabled, in the order in which disable () will ask. */
static void
look_at_targets (RwSim *self, const RwEffect *effect)
{
  g_array_set_size (self->were_enabled, 0);
  self->next_target = 0;
  for (guint i = 0; i < effect->n_acts && self->graph; i++)
    {
      guint n = 1;
      const RwEvent *targets = effect->acts[i].cancel ? &effect->acts[i].event
                                                      : rw_space_event_blocks (self->space, effect->acts[i].event, &n);
      for (guint j = 0; j < n; j++)
        {
          gboolean enabled = rw_pool_is_enabled (self->pool, targets[j]);
          g_array_append_val (self->were_enabled, enabled);
        }
    }
}

static void
disable (RwSim *self, RwEvent target, gboolean cancel, gboolean effective)
{
  if (!self->graph)
    return;
  RwSimDisable entry = { self->run->len, target, cancel, effective,
                         g_array_index (self->were_enabled, gboolean, self->next_target++) };
  g_array_append_val (self->disables, entry);
}

static void
step_post (RwSim *self, RwEvent event)
{
  RwGroup group = rw_space_event_info (self->space, event)->group;
  gboolean effective = rw_pool_post (self->pool, event);
  guint n;
  const RwEvent *blocks = rw_space_event_blocks (self->space, event, &n);

  touch (self, slot_life (self, event), RW_MODE_WRITE);
  for (guint i = 0; i < n; i++)
    disable (self, blocks[i], FALSE, effective);
  if (!effective)
    return;
  touch_gates (self, event);
  if (group != 0)
    touch (self, slot_tail (self, group), RW_MODE_WRITE);
}

static void
step_cancel (RwSim *self, RwEvent event)
{
  const RwEventInfo *info = rw_space_event_info (self->space, event);
  gboolean effective = rw_pool_cancel (self->pool, event);

  disable (self, event, TRUE, effective);
  if (effective || !rw_explore_breaks (RW_BREAK_NOOP_CANCEL))
    touch (self, slot_life (self, event), info->group != 0 || info->n_blocks > 0 ? RW_MODE_WRITE : MODE_CANCEL);
  if (!effective)
    return;
  touch_gates (self, event);
  if (info->group != 0 && !rw_explore_breaks (RW_BREAK_HEAD_EDGE))
    touch (self, slot_head (self, info->group), RW_MODE_WRITE);
}

/* --- epochs --- */

static gboolean
is_enabling (const RwSim *self, guint32 position)
{
  for (guint i = 0; i < self->enabling->len; i++)
    if (g_array_index (self->enabling, guint32, i) == position)
      return TRUE;
  return FALSE;
}

/* @member and what follows it: the step at hand depends on them. */
static void
add_preds (RwSim *self, guint32 member, guint32 slot)
{
  guint32 first = g_array_index (self->pred_start, guint32, self->run->len);
  for (; member != NO_MEMBER; member = g_array_index (self->members, Member, member).next)
    {
      guint32 position = g_array_index (self->members, Member, member).position;
      guint32 *at = &g_array_index (self->pred_at, guint32, position);
      if (*at > first)
        continue;
      RwPred pred = { position, slot, is_enabling (self, position) };
      g_array_append_val (self->preds, pred);
      *at = self->preds->len;
    }
}

static void
open_epoch (Slot *slot)
{
  gboolean same = slot->used && slot->mode == slot->touch_mode && slot->mode != RW_MODE_WRITE;
  if (same)
    return;
  slot->before = slot->now;
  slot->now = (RwHash){ 0 };
  slot->members_before = slot->used ? slot->members : NO_MEMBER;
  slot->members = NO_MEMBER;
  slot->mode = slot->touch_mode;
  slot->used = TRUE;
}

/* H (event), from what it accessed and whom each access depends on; then the event joins the epochs. */
static void
close_step (RwSim *self, RwInstance instance)
{
  RwHash hash = { 0 };
  const guint32 *touched = (const guint32 *)(gpointer)self->touched->data;
  guint64 id = rw_space_event_info (self->space, rw_instance_event (self->instances, instance))->id;

  for (guint i = 0; i < self->touched->len; i++)
    {
      Slot *slot = &g_array_index (self->slots, Slot, touched[i]);
      open_epoch (slot);
      RwHash access = rw_hash_mix (slot->before, g_array_index (self->names, guint64, touched[i]));
      hash = rw_hash_sum (hash, rw_hash_mix (access, slot->mode));
      if (self->graph)
        add_preds (self, slot->members_before, touched[i]);
    }
  hash = rw_hash_mix (hash, id);
  for (guint i = 0; i < self->touched->len; i++)
    {
      Slot *slot = &g_array_index (self->slots, Slot, touched[i]);
      slot->now = rw_hash_sum (slot->now, hash);
      if (!self->graph)
        continue;
      Member member = { self->run->len, slot->members };
      slot->members = self->members->len;
      g_array_append_val (self->members, member);
    }
  self->sum = rw_hash_sum (self->sum, hash);
}

void
rw_sim_replay (RwSim *self, RwInstance instance)
{
  const RwEffect *effect = rw_instance_effect (self->instances, instance);

  g_array_set_size (self->touched, 0);
  g_array_set_size (self->enabling, 0);
  for (guint i = 0; i < effect->n_accesses; i++)
    touch (self, effect->accesses[i].location, effect->accesses[i].mode);
  look_at_targets (self, effect);
  step_run (self, rw_instance_event (self->instances, instance));
  for (guint i = 0; i < effect->n_acts; i++)
    if (effect->acts[i].cancel)
      step_cancel (self, effect->acts[i].event);
    else
      step_post (self, effect->acts[i].event);
  close_step (self, instance);
  g_array_append_val (self->run, instance);
  if (self->graph)
    {
      guint32 end = self->preds->len;
      g_array_append_val (self->pred_start, end);
      g_array_set_size (self->pred_at, self->run->len);
    }
  rw_instances_apply (self->instances, instance, &self->versions);
}

gboolean
rw_sim_run (RwSim *self, RwEvent event)
{
  RwInstance instance = rw_instances_find (self->instances, event, &self->versions);
  if (instance == 0)
    return FALSE;
  rw_sim_replay (self, instance);
  return TRUE;
}

/* --- results --- */

RwPool *
rw_sim_pool (const RwSim *self)
{
  return self->pool;
}

guint
rw_sim_length (const RwSim *self)
{
  return self->run->len;
}

const RwInstance *
rw_sim_instances (const RwSim *self)
{
  return (const RwInstance *)(gpointer)self->run->data;
}

RwHash
rw_sim_fingerprint (const RwSim *self, gboolean cut)
{
  RwHash left = { 0 };
  guint n;
  const RwEvent *pending = rw_pool_pending (self->pool, &n);
  for (guint i = 0; cut && i < n; i++)
    left = rw_hash_sum (left, rw_hash_mix ((RwHash){ 5, 5 }, rw_space_event_info (self->space, pending[i])->id));
  return rw_hash_mix (rw_hash_sum (self->sum, left), self->run->len);
}

const RwPred *
rw_sim_preds (const RwSim *self, guint position, guint *n)
{
  guint32 start = g_array_index (self->pred_start, guint32, position);
  *n = g_array_index (self->pred_start, guint32, position + 1) - start;
  return *n == 0 ? NULL : &g_array_index (self->preds, RwPred, start);
}

const RwSimDisable *
rw_sim_disables (const RwSim *self, guint *n)
{
  *n = self->disables->len;
  return (const RwSimDisable *)(gpointer)self->disables->data;
}
