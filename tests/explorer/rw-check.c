/* SPDX-License-Identifier: MIT */
/* What is claimed of every program. */
#include "rw-check.h"

#include "rw-class.h"

#include <string.h>

void
check_init (Check *self, guint64 number, guint features, guint filters)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32)(number * 2654435761u + 17));
  g_autoptr (GError) error = NULL;

  memset (self, 0, sizeof *self);
  brute_generate (&self->program, rand, features);
  brute_find_known (&self->program);
  self->program.filters = filters;
  self->text = brute_to_text (&self->program);
  self->model = rw_model_parse (self->text, strlen (self->text), "random", &error);
  g_assert_no_error (error);
  self->options = (RwExploreOptions)RW_EXPLORE_OPTIONS_DEFAULT;
  self->options.filters = filters;
}

void
check_clear (Check *self)
{
  rw_model_free (self->model);
  g_free (self->text);
  g_free (self->wrong);
}

void
check_run_free (gpointer data)
{
  CheckRun *run = data;
  if (run == NULL)
    return;
  g_free (run->class);
  rw_trace_unref (run->trace);
  g_free (run);
}

static void fail (Check *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
fail (Check *self, const char *format, ...)
{
  va_list args;
  if (self->wrong != NULL)
    return;
  va_start (args, format);
  self->wrong = g_strdup_vprintf (format, args);
  va_end (args);
}

BruteOrder
check_order_of (const Check *self, const RwTrace *trace)
{
  BruteOrder order = { 0 };
  for (guint i = 0; i < rw_trace_length (trace); i++)
    order.at[order.n++]
        = (int)g_ascii_strtoll (rw_space_event_info (rw_trace_space (trace), rw_trace_event (trace, i))->label + 1,
                                NULL, 10);
  return order;
}

static CheckRun *
run_of (Check *self, const RwSchedule *schedule, RwTrace *trace)
{
  CheckRun *run = g_new0 (CheckRun, 1);
  run->order = check_order_of (self, trace);
  run->class = brute_class (&self->program, &run->order);
  run->parent = schedule->parent;
  run->depth = schedule->depth;
  run->reversal = schedule->reversal;
  run->trace = rw_trace_ref (trace);
  return run;
}

/* Runs that are out, and what came of them. */
typedef struct
{
  GPtrArray *schedules, *runs;
} Out;

static void
bring_back (Check *self, RwExplore *explore, Out *out, guint index, GPtrArray *all)
{
  RwSchedule *schedule = g_ptr_array_index (out->schedules, index);
  CheckRun *run = g_ptr_array_index (out->runs, index);
  rw_explore_add (explore, schedule, run->trace);
  if (all->len <= schedule->ticket)
    g_ptr_array_set_size (all, (gint)schedule->ticket + 1);
  g_ptr_array_index (all, schedule->ticket) = run;
  g_ptr_array_remove_index (out->schedules, index);
  g_ptr_array_remove_index (out->runs, index);
}

/* From tickets to numbers. */
static GPtrArray *
by_number (RwExplore *explore, GPtrArray *by_ticket)
{
  GPtrArray *runs = g_ptr_array_new_with_free_func (check_run_free);
  for (guint ticket = 0; ticket < by_ticket->len; ticket++)
    {
      guint number = rw_explore_number (explore, ticket);
      CheckRun *run = g_ptr_array_index (by_ticket, ticket);
      if (number >= RW_RUN_REDUNDANT)
        {
          check_run_free (run);
          continue;
        }
      if (runs->len <= number)
        g_ptr_array_set_size (runs, (gint)number + 1);
      g_ptr_array_index (runs, number) = run;
    }
  return runs;
}

GPtrArray *
check_explore (Check *self, guint bound, GRand *rand, RwExploreStats *stats)
{
  g_autoptr (GPtrArray) by_ticket = g_ptr_array_new ();
  g_autoptr (GPtrArray) schedules = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_schedule_free);
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  Out out = { schedules, runs };
  RwNext next;

  self->options.bound = bound;
  g_autoptr (RwExplore) explore = rw_explore_new (rw_model_space (self->model), &self->options);
  do
    {
      RwSchedule *schedule = NULL;
      guint most = rand == NULL ? 1 : 4;
      next = schedules->len < most ? rw_explore_next (explore, &schedule) : RW_NEXT_WAIT;
      if (next == RW_NEXT_RUN)
        {
          g_autoptr (RwTrace) trace = rw_model_execute (self->model, schedule);
          g_ptr_array_add (schedules, schedule);
          g_ptr_array_add (runs, run_of (self, schedule, trace));
        }
      if (schedules->len > 0 && (rand == NULL || next == RW_NEXT_WAIT || g_rand_boolean (rand)))
        bring_back (self, explore, &out, rand == NULL ? 0 : (guint)g_rand_int_range (rand, 0, (gint)schedules->len),
                    by_ticket);
    }
  while (next == RW_NEXT_RUN || next == RW_NEXT_WAIT || schedules->len > 0);
  rw_explore_stats (explore, stats);
  return by_number (explore, by_ticket);
}

RwEvent *
check_least_order (const RwTrace *trace, const RwTrace *run0, const RwExploreOptions *options)
{
  RwSpace *space = rw_trace_space (trace);
  RwInstances *instances = rw_instances_new (space, options->filters);
  RwSim *sim = rw_sim_new (space, instances, options->timers_any, TRUE);
  g_autoptr (GArray) initials = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  RwRank rank;
  guint n;

  const RwEvent *list = rw_trace_initials (trace, &n);
  g_array_append_vals (initials, list, n);
  rw_instances_set_start (instances, run0);
  g_autoptr (GArray) run = rw_instances_learn (instances, trace, NULL);
  rw_rank_init (&rank, run0);
  RwClass *class = rw_class_new (sim, initials, (const RwInstance *)(gpointer)run->data, run->len, instances, &rank);
  RwEvent *events = g_memdup2 (rw_class_events (class), sizeof (RwEvent) * rw_class_length (class));
  rw_class_free (class);
  rw_rank_clear (&rank);
  rw_sim_free (sim);
  rw_instances_free (instances);
  return events;
}

/* --- claims --- */

typedef struct
{
  Check *self;
  GHashTable *classes, *states;
} All;

static void
collect_cb (const BruteOrder *order, gpointer data)
{
  All *all = data;
  g_hash_table_add (all->classes, brute_class (&all->self->program, order));
  g_hash_table_add (all->states, brute_state (&all->self->program, order));
}

/* Each run is a class of its own, all classes are there, and all states. */
static void
compare_classes (Check *self, const All *all, const GPtrArray *runs)
{
  g_autoptr (GHashTable) classes = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) states = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < runs->len; i++)
    {
      const CheckRun *run = g_ptr_array_index (runs, i);
      if (!g_hash_table_add (classes, run->class))
        fail (self, "run %u repeats the class %s", i, run->class);
      if (!g_hash_table_contains (all->classes, run->class))
        fail (self, "run %u has the class %s, which there is not", i, run->class);
      g_hash_table_add (states, brute_state (&self->program, &run->order));
    }
  if (g_hash_table_size (classes) != g_hash_table_size (all->classes))
    fail (self, "%u classes in place of %u", g_hash_table_size (classes), g_hash_table_size (all->classes));
  if (g_hash_table_size (states) != g_hash_table_size (all->states))
    fail (self, "%u end states in place of %u", g_hash_table_size (states), g_hash_table_size (all->states));
}

gboolean
check_all_classes (Check *self, guint limit, guint *classes)
{
  All all = { self, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
              g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gboolean small = brute_enumerate (&self->program, limit, collect_cb, &all);
  RwExploreStats stats;

  *classes = g_hash_table_size (all.classes);
  if (small)
    {
      g_autoptr (GPtrArray) runs = check_explore (self, G_MAXUINT, NULL, &stats);
      compare_classes (self, &all, runs);
      if (stats.surprises != 0)
        fail (self, "%u surprises", stats.surprises);
      if (stats.runs != stats.classes || stats.classes != *classes)
        fail (self, "%u runs, %u classes counted", stats.runs, stats.classes);
    }
  g_hash_table_unref (all.classes);
  g_hash_table_unref (all.states);
  return small;
}

void
check_bounds (Check *self)
{
  g_autoptr (GHashTable) depths = brute_depths (&self->program, 4);
  for (guint bound = 0; bound <= 4 && self->wrong == NULL; bound++)
    {
      RwExploreStats stats;
      guint expected = 0;
      GHashTableIter iter;
      gpointer depth;
      g_autoptr (GPtrArray) runs = check_explore (self, bound, NULL, &stats);

      g_hash_table_iter_init (&iter, depths);
      while (g_hash_table_iter_next (&iter, NULL, &depth))
        expected += GPOINTER_TO_UINT (depth) <= bound;
      if (runs->len != expected)
        fail (self, "%u runs within bound %u in place of %u", runs->len, bound, expected);
      for (guint i = 0; i < runs->len; i++)
        {
          const CheckRun *run = g_ptr_array_index (runs, i);
          if (!g_hash_table_lookup_extended (depths, run->class, NULL, &depth)
              || GPOINTER_TO_UINT (depth) != run->depth)
            fail (self, "run %u has depth %u, and not that of its class %s", i, run->depth, run->class);
        }
    }
}
