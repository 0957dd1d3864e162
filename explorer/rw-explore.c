/* SPDX-License-Identifier: MIT */
/* The state machine around every strategy. Schedules are proposed one after the other, as if each had been run before
 * the next; several may be out at a time, and what comes back early waits until everything proposed before it is
 * decided. */
#include "rw-explore-private.h"

#include "rw-filter.h"
#include "rw-space-private.h"

#include <string.h>

guint rw_explore_break;

typedef enum
{
  SLOT_READY,    /* to be given out */
  SLOT_DEFERRED, /* predicted to equal one that is undecided itself */
  SLOT_OUT,
  SLOT_BACK
} SlotState;

typedef struct
{
  SlotState state;
  RwCandidate candidate;
  RwPrediction prediction;
  guint predicted_at; /* RwExplore.taken */
  guint ticket;
  RwTrace *trace; /* BACK; NULL: failed */
} Slot;

static void
slot_free (gpointer data)
{
  Slot *slot = data;
  g_clear_pointer (&slot->candidate.events, g_array_unref);
  rw_prediction_clear (&slot->prediction);
  g_clear_pointer (&slot->trace, rw_trace_unref);
  g_free (slot);
}

static void
taken_free (gpointer data)
{
  RwTaken *run = data;
  g_clear_pointer (&run->instances, g_array_unref);
  g_free (run);
}

void
rw_prediction_clear (RwPrediction *self)
{
  g_clear_pointer (&self->instances, g_array_unref);
}

static void
surprise_clear (gpointer data)
{
  g_free ((char *)((RwSurprise *)data)->what);
}

RwExplore *
rw_explore_new (RwSpace *space, const RwExploreOptions *options)
{
  static const RwStrategyImpl *const impls[]
      = { &rw_strategy_exact, &rw_strategy_r4, &rw_strategy_wave, &rw_strategy_delay };
  g_return_val_if_fail (options->strategy < G_N_ELEMENTS (impls), NULL);
  RwExplore *self = g_new0 (RwExplore, 1);

  self->space = rw_space_ref (space);
  self->options = *options;
  self->impl = impls[options->strategy];
  self->instances = rw_instances_new (space, options->filters);
  self->predictor = rw_sim_new (space, self->instances, options->timers_any, FALSE);
  self->analyser = rw_sim_new (space, self->instances, options->timers_any, TRUE);
  self->initials = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  self->runs = g_ptr_array_new_with_free_func (taken_free);
  self->table = g_hash_table_new (rw_hash_hash, rw_hash_equal);
  self->left_out = g_hash_table_new (NULL, NULL);
  self->numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  self->surprises = g_array_new (FALSE, FALSE, sizeof (RwSurprise));
  g_array_set_clear_func (self->surprises, surprise_clear);
  g_queue_init (&self->slots);
  self->stats.pruned = -1;
  return self;
}

void
rw_explore_free (RwExplore *self)
{
  if (self == NULL)
    return;
  if (self->impl->free != NULL)
    self->impl->free (self);
  g_queue_clear_full (&self->slots, slot_free);
  g_hash_table_unref (self->table);
  g_hash_table_unref (self->left_out);
  g_ptr_array_unref (self->runs);
  g_array_unref (self->initials);
  g_array_unref (self->numbers);
  g_array_unref (self->surprises);
  rw_rank_clear (&self->rank);
  rw_sim_free (self->predictor);
  rw_sim_free (self->analyser);
  rw_instances_free (self->instances);
  rw_space_unref (self->space);
  g_free (self);
}

/* --- prediction --- */

/* The least enabled event; RW_EVENT_NONE if there is none. An event that a limit kept from running in an earlier run,
 * and that never ran in any, is taken to be beyond the limit here as well. */
static RwEvent
least_enabled (RwExplore *self, gboolean *cut)
{
  RwEvent least = RW_EVENT_NONE;
  guint n;
  const RwEvent *pending = rw_pool_pending (rw_sim_pool (self->predictor), &n);
  for (guint i = 0; i < n; i++)
    {
      RwEvent event = pending[i];
      if (!rw_pool_is_enabled (rw_sim_pool (self->predictor), event))
        continue;
      if (!rw_instances_knows (self->instances, event)
          && g_hash_table_contains (self->left_out, GUINT_TO_POINTER (event + 1)))
        *cut = TRUE;
      else if (least == RW_EVENT_NONE
               || (rw_explore_breaks (RW_BREAK_RANK) ? event > least : rw_rank_less (&self->rank, event, least)))
        least = event;
    }
  return least;
}

void
rw_explore_predict (RwExplore *self, const GArray *events, RwPrediction *prediction)
{
  RwSim *sim = self->predictor;
  RwEvent event;
  gboolean cut = FALSE, known = TRUE;

  rw_sim_reset (sim, self->initials);
  for (guint i = 0; i < events->len && known; i++)
    {
      event = g_array_index (events, RwEvent, i);
      if (rw_pool_is_enabled (rw_sim_pool (sim), event))
        known = rw_sim_run (sim, event);
    }
  while (known && (event = least_enabled (self, &cut)) != RW_EVENT_NONE)
    known = rw_sim_run (sim, event);
  prediction->kind = known ? RW_PREDICTION_KNOWN : RW_PREDICTION_UNKNOWN;
  prediction->fingerprint = rw_sim_fingerprint (sim, cut);
  prediction->instances = g_array_sized_new (FALSE, FALSE, sizeof (RwInstance), rw_sim_length (sim));
  if (rw_sim_length (sim) > 0)
    g_array_append_vals (prediction->instances, rw_sim_instances (sim), rw_sim_length (sim));
}

RwClass *
rw_explore_classify (RwExplore *self, const GArray *instances)
{
  return rw_class_new (self->analyser, self->initials, (const RwInstance *)(gpointer)instances->data, instances->len,
                       self->instances, &self->rank);
}

static void
predict_slot (RwExplore *self, Slot *slot)
{
  if (slot->prediction.instances != NULL && slot->predicted_at == self->taken)
    return;
  rw_prediction_clear (&slot->prediction);
  rw_explore_predict (self, slot->candidate.events, &slot->prediction);
  slot->predicted_at = self->taken;
}

static gboolean
is_redundant (RwExplore *self, Slot *slot)
{
  if (!self->impl->predicts || slot->ticket == 0)
    return FALSE;
  predict_slot (self, slot);
  return slot->prediction.kind == RW_PREDICTION_KNOWN
         && g_hash_table_contains (self->table, &slot->prediction.fingerprint);
}

/* --- surprises --- */

static const char *
event_name (const RwExplore *self, RwEvent event)
{
  const char *label = rw_space_event_info (self->space, event)->label;
  return label != NULL ? label : "an event without a label";
}

static void
add_surprise (RwExplore *self, guint ticket, guint position, RwEvent event, char *what)
{
  RwSurprise surprise = { ticket, position, event, what };
  g_array_append_val (self->surprises, surprise);
  self->stats.surprises++;
}

/* Compares what was predicted with what came; a prediction that is not known to the end is compared as far as it goes.
 */
static void
check_prediction (RwExplore *self, const Slot *slot, const GArray *came)
{
  const GArray *told = slot->prediction.instances;
  gboolean whole = slot->prediction.kind == RW_PREDICTION_KNOWN, cut = rw_trace_cut (slot->trace) != NULL;
  guint i = 0;

  while (i < told->len && i < came->len && g_array_index (told, RwInstance, i) == g_array_index (came, RwInstance, i))
    i++;
  RwEvent expected
      = i < told->len ? rw_instance_event (self->instances, g_array_index (told, RwInstance, i)) : RW_EVENT_NONE;
  RwEvent actual
      = i < came->len ? rw_instance_event (self->instances, g_array_index (came, RwInstance, i)) : RW_EVENT_NONE;
  if (i == told->len && (i == came->len || !whole))
    return;
  if (actual == RW_EVENT_NONE && !cut)
    add_surprise (self, slot->ticket, i, RW_EVENT_NONE,
                  g_strdup_printf ("the run ended, but %s was expected to run", event_name (self, expected)));
  else if (expected == RW_EVENT_NONE)
    add_surprise (self, slot->ticket, i, actual,
                  g_strdup_printf ("%s ran, but the run was expected to end", event_name (self, actual)));
  else if (actual != RW_EVENT_NONE && expected != actual)
    add_surprise (self, slot->ticket, i, actual,
                  g_strdup_printf ("%s ran, but %s was expected", event_name (self, actual),
                                   event_name (self, expected)));
  else if (actual != RW_EVENT_NONE)
    add_surprise (self, slot->ticket, i, actual,
                  g_strdup_printf ("%s did something else than before, although it read the same",
                                   event_name (self, actual)));
}

/* --- deciding --- */

static void
start (RwExplore *self, const RwTrace *trace)
{
  guint n;
  const RwEvent *initials = rw_trace_initials (trace, &n);
  if (n > 0)
    g_array_append_vals (self->initials, initials, n);
  rw_rank_init (&self->rank, trace);
  rw_instances_set_start (self->instances, trace);
}

/* Adds the class to the table; FALSE if it was there. */
static gboolean
add_class (RwExplore *self, RwTaken *run, const RwTrace *trace)
{
  RwSim *sim = self->predictor;
  gboolean cut = rw_trace_cut (trace) != NULL;
  guint n;

  rw_sim_reset (sim, self->initials);
  for (guint i = 0; i < run->instances->len; i++)
    rw_sim_replay (sim, g_array_index (run->instances, RwInstance, i));
  run->fingerprint = rw_sim_fingerprint (sim, cut);
  const RwEvent *pending = rw_pool_pending (rw_sim_pool (sim), &n);
  for (guint i = 0; cut && i < n; i++)
    g_hash_table_add (self->left_out, GUINT_TO_POINTER (pending[i] + 1));
  if (g_hash_table_contains (self->table, &run->fingerprint))
    return FALSE;
  g_hash_table_insert (self->table, &run->fingerprint, run);
  self->stats.classes++;
  return TRUE;
}

static void
take (RwExplore *self, Slot *slot)
{
  RwTaken *run = g_new0 (RwTaken, 1);
  gboolean fresh = FALSE;

  run->number = self->runs->len;
  run->parent = slot->candidate.parent;
  run->depth = slot->candidate.depth;
  run->reversal = slot->candidate.reversal;
  g_ptr_array_add (self->runs, run);
  g_array_index (self->numbers, guint, slot->ticket) = run->number;
  self->taken++;
  self->stats.runs++;
  if (slot->trace == NULL || !rw_trace_check (slot->trace, NULL))
    self->stats.failed++;
  else
    {
      if (self->rank.position == NULL)
        start (self, slot->trace);
      run->instances = rw_instances_learn (self->instances, slot->trace, NULL);
      if (slot->prediction.instances != NULL)
        check_prediction (self, slot, run->instances);
      fresh = add_class (self, run, slot->trace);
    }
  self->impl->taken (self, run, slot->trace, fresh);
}

static void
decide (RwExplore *self)
{
  Slot *slot;
  while ((slot = g_queue_peek_head (&self->slots)) != NULL)
    {
      if (slot->state == SLOT_READY || slot->state == SLOT_OUT)
        return;
      gboolean redundant = is_redundant (self, slot);
      if (slot->state == SLOT_DEFERRED && !redundant)
        {
          slot->state = SLOT_READY;
          return;
        }
      if (slot->state == SLOT_DEFERRED)
        self->stats.skipped++;
      else if (redundant)
        g_array_index (self->numbers, guint, slot->ticket) = RW_RUN_REDUNDANT;
      else
        take (self, slot);
      slot_free (g_queue_pop_head (&self->slots));
    }
}

/* --- the door out --- */

static gboolean
equals_undecided (RwExplore *self, const Slot *slot)
{
  if (slot->prediction.kind != RW_PREDICTION_KNOWN)
    return FALSE;
  for (GList *link = self->slots.head; link != NULL; link = link->next)
    {
      const Slot *other = link->data;
      if (other->prediction.instances != NULL && other->prediction.kind == RW_PREDICTION_KNOWN
          && rw_hash_equal (&other->prediction.fingerprint, &slot->prediction.fingerprint))
        return TRUE;
    }
  return FALSE;
}

/* The next schedule that is worth running, queued; NULL if there is none now. */
static Slot *
find_ready (RwExplore *self)
{
  RwCandidate candidate = { 0 };
  for (GList *link = self->slots.head; link != NULL; link = link->next)
    if (((Slot *)link->data)->state == SLOT_READY)
      return link->data;
  while (self->impl->propose (self, &candidate))
    {
      Slot *slot = g_new0 (Slot, 1);
      slot->candidate = candidate;
      slot->ticket = RW_RUN_NONE;
      if (is_redundant (self, slot))
        {
          self->stats.skipped++;
          slot_free (slot);
          continue;
        }
      slot->state = self->impl->predicts && equals_undecided (self, slot) ? SLOT_DEFERRED : SLOT_READY;
      g_queue_push_tail (&self->slots, slot);
      if (slot->state == SLOT_READY)
        return slot;
    }
  return NULL;
}

static RwSchedule *
give_out (RwExplore *self, Slot *slot)
{
  RwSchedule *schedule = g_new0 (RwSchedule, 1);
  guint undecided = RW_RUN_UNDECIDED;

  slot->state = SLOT_OUT;
  slot->ticket = self->numbers->len;
  g_array_append_val (self->numbers, undecided);
  self->stats.out++;
  schedule->ticket = slot->ticket;
  schedule->parent = slot->candidate.parent;
  schedule->depth = slot->candidate.depth;
  schedule->reversal = slot->candidate.reversal;
  schedule->exact_prefix = slot->candidate.exact_prefix;
  schedule->events = g_array_ref (slot->candidate.events);
  schedule->predicted = slot->prediction.instances != NULL && slot->prediction.kind == RW_PREDICTION_KNOWN;
  return schedule;
}

static Slot *
first_slot (RwExplore *self)
{
  Slot *slot = g_new0 (Slot, 1);
  slot->candidate.events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  slot->candidate.parent = RW_RUN_NONE;
  slot->candidate.reversal = (RwReversal){ RW_REVERSAL_NONE, RW_EVENT_NONE, RW_EVENT_NONE, G_MAXUINT32 };
  g_queue_push_tail (&self->slots, slot);
  return slot;
}

static guint
in_flight (const RwExplore *self)
{
  guint n = 0;
  for (GList *link = self->slots.head; link != NULL; link = link->next)
    n += ((const Slot *)link->data)->state >= SLOT_OUT;
  return n;
}

RwNext
rw_explore_next (RwExplore *self, RwSchedule **schedule)
{
  Slot *slot = NULL;

  *schedule = NULL;
  if (self->numbers->len == 0)
    slot = self->slots.length > 0 ? g_queue_peek_head (&self->slots) : first_slot (self);
  else if (self->rank.position != NULL)
    slot = find_ready (self);
  guint flying = in_flight (self);
  if (slot == NULL)
    return flying > 0 ? RW_NEXT_WAIT : RW_NEXT_FINISHED;
  if (self->options.max_runs > 0 && self->stats.runs + flying >= self->options.max_runs)
    return flying > 0 ? RW_NEXT_WAIT : RW_NEXT_LIMIT;
  *schedule = give_out (self, slot);
  return RW_NEXT_RUN;
}

/* --- the door in --- */

void
rw_explore_add (RwExplore *self, const RwSchedule *schedule, RwTrace *trace)
{
  g_return_if_fail (trace == NULL || rw_trace_space (trace) == self->space);
  for (GList *link = self->slots.head; link != NULL; link = link->next)
    {
      Slot *slot = link->data;
      if (slot->state != SLOT_OUT || slot->ticket != schedule->ticket)
        continue;
      slot->state = SLOT_BACK;
      slot->trace = trace == NULL ? NULL : rw_trace_ref (trace);
      self->stats.out--;
      decide (self);
      return;
    }
  g_return_if_reached ();
}

guint
rw_explore_number (const RwExplore *self, guint ticket)
{
  return ticket < self->numbers->len ? g_array_index (self->numbers, guint, ticket) : RW_RUN_NONE;
}

void
rw_explore_stats (const RwExplore *self, RwExploreStats *stats)
{
  *stats = self->stats;
  for (GList *link = self->slots.head; link != NULL; link = link->next)
    stats->queued += ((const Slot *)link->data)->state < SLOT_OUT;
  if (self->impl->left != NULL)
    stats->queued += self->impl->left ((RwExplore *)self);
}

const RwSurprise *
rw_explore_surprises (const RwExplore *self, guint *n)
{
  *n = self->surprises->len;
  return (const RwSurprise *)(gpointer)self->surprises->data;
}

void
rw_schedule_free (RwSchedule *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->events, g_array_unref);
  g_free (self);
}
