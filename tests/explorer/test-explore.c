/* SPDX-License-Identifier: MIT */
/* The state machine where executors misbehave: surprises, failed runs, runs that a limit cut short. */
#include "rw-model.h"
#include "rw-pool.h"

#include <string.h>

typedef struct
{
  RwModel *model;
  RwExplore *explore;
} Fixture;

static void
fixture_init (Fixture *self, const char *text, guint bound)
{
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  options.bound = bound;
  self->model = rw_model_parse (text, strlen (text), "p.evt", NULL);
  g_assert_nonnull (self->model);
  self->explore = rw_explore_new (rw_model_space (self->model), &options);
}

static void
fixture_clear (Fixture *self)
{
  rw_explore_free (self->explore);
  rw_model_free (self->model);
}

static RwEvent
event (const Fixture *self, const char *name)
{
  const RwSpace *space = rw_model_space (self->model);
  for (RwEvent i = 0; i < rw_space_n_events (space); i++)
    if (g_strcmp0 (rw_space_event_info (space, i)->label, name) == 0)
      return i;
  g_assert_not_reached ();
}

typedef RwTrace *(*ChangeFunc) (const Fixture *self, const RwTrace *trace, guint ticket);

/* Runs to the end; @change may put another trace in the place of what really happened, or NULL. */
static RwExploreStats
drive (Fixture *self, ChangeFunc change)
{
  RwExploreStats stats;
  RwSchedule *schedule;
  while (rw_explore_next (self->explore, &schedule) == RW_NEXT_RUN)
    {
      g_autoptr (RwTrace) trace = rw_model_execute (self->model, schedule);
      g_autoptr (RwTrace) changed = change (self, trace, schedule->ticket);
      rw_explore_add (self->explore, schedule, changed);
      rw_schedule_free (schedule);
    }
  rw_explore_stats (self->explore, &stats);
  return stats;
}

/* A copy; @without is left out, @extra is written by each event if it is not NULL. */
static RwTrace *
copy_trace (const RwTrace *trace, RwEvent without, const char *extra)
{
  RwSpace *space = rw_trace_space (trace);
  RwTrace *copy = rw_trace_new (space);
  guint n;
  const RwEvent *initials = rw_trace_initials (trace, &n);
  for (guint i = 0; i < n; i++)
    rw_trace_initial (copy, initials[i]);
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      if (rw_trace_event (trace, i) == without)
        continue;
      rw_trace_begin (copy, rw_trace_event (trace, i));
      for (guint j = 0; j < n; j++)
        rw_trace_add (copy, ops[j]);
      if (extra != NULL)
        rw_trace_write (copy, rw_space_location (space, extra), 0, 0);
    }
  return copy;
}

/* --- surprises --- */

static RwTrace *
write_more (const Fixture *self, const RwTrace *trace, guint ticket)
{
  return copy_trace (trace, RW_EVENT_NONE, ticket == 0 ? NULL : "something that was not there before");
}

static void
a_run_that_contradicts_its_prediction_is_a_surprise (void)
{
  Fixture self;
  guint n;
  fixture_init (&self, "event a { write x 1 } event b { write x 2 } start a, b", 1);
  RwExploreStats stats = drive (&self, write_more);
  const RwSurprise *surprises = rw_explore_surprises (self.explore, &n);
  g_assert_cmpuint (stats.surprises, ==, 1);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (surprises[0].ticket, ==, 1);
  g_assert_cmpuint (surprises[0].position, ==, 0);
  g_assert_cmpuint (surprises[0].event, ==, event (&self, "b"));
  g_assert_nonnull (strstr (surprises[0].what, "did something else than before"));
  fixture_clear (&self);
}

static RwTrace *
lose_event (const Fixture *self, const RwTrace *trace, guint ticket)
{
  return copy_trace (trace, ticket == 0 ? RW_EVENT_NONE : event (self, "c"), NULL);
}

static void
an_event_that_does_not_come_is_a_surprise (void)
{
  Fixture self;
  guint n;
  fixture_init (&self, "event a { write x 1 } event b { write x 2 } event c { } start a, b, c", 1);
  RwExploreStats stats = drive (&self, lose_event);
  const RwSurprise *surprises = rw_explore_surprises (self.explore, &n);
  g_assert_cmpuint (stats.surprises, >=, 1);
  g_assert_cmpuint (surprises[0].event, ==, RW_EVENT_NONE);
  g_assert_cmpstr (surprises[0].what, ==, "the run ended, but c was expected to run");
  fixture_clear (&self);
}

/* --- failures --- */

static RwTrace *
crash_once (const Fixture *self, const RwTrace *trace, guint ticket)
{
  return ticket == 1 ? NULL : rw_trace_ref ((RwTrace *)trace);
}

static void
a_failed_run_is_counted_and_the_rest_goes_on (void)
{
  Fixture self;
  fixture_init (&self, "event a { write x 1 } event b { write x 2 } event c { write x 3 } start a, b, c", 1);
  RwExploreStats stats = drive (&self, crash_once);
  g_assert_cmpuint (stats.failed, ==, 1);
  g_assert_cmpuint (stats.runs, ==, 3);
  g_assert_cmpuint (stats.classes, ==, 2);
  g_assert_cmpuint (rw_explore_number (self.explore, 1), ==, 1);
  g_assert_cmpuint (rw_explore_number (self.explore, 9), ==, RW_RUN_NONE);
  fixture_clear (&self);
}

static RwTrace *
crash_always (const Fixture *self, const RwTrace *trace, guint ticket)
{
  return NULL;
}

static void
without_run_0_there_is_nothing_to_explore (void)
{
  Fixture self;
  fixture_init (&self, "event a { write x 1 } start a", 1);
  RwExploreStats stats = drive (&self, crash_always);
  g_assert_cmpuint (stats.runs, ==, 1);
  g_assert_cmpuint (stats.failed, ==, 1);
  fixture_clear (&self);
}

/* --- limits --- */

static RwTrace *
cut_late (const Fixture *self, const RwTrace *trace, guint ticket)
{
  RwTrace *copy = copy_trace (trace, event (self, "late"), NULL);
  rw_trace_set_cut (copy, "the horizon");
  return copy;
}

static void
what_a_limit_kept_from_running_is_not_waited_for (void)
{
  Fixture self;
  fixture_init (
      &self,
      "event a { write x 1; post late } event b { write x 2 } event c { write x 3 } event late { } start a, b, c",
      G_MAXUINT);
  RwExploreStats stats = drive (&self, cut_late);
  g_assert_cmpuint (stats.runs, ==, 6);
  g_assert_cmpuint (stats.classes, ==, 6);
  g_assert_cmpuint (stats.surprises, ==, 0);
  fixture_clear (&self);
}

/* --- keys, and the checker of traces --- */

static void
keys_depend_on_the_identities_alone (void)
{
  g_autoptr (RwSpace) one = rw_space_new (), two = rw_space_new ();
  RwSchedule a = { .events = g_array_new (FALSE, FALSE, sizeof (RwEvent)) };
  RwSchedule b = { .events = g_array_new (FALSE, FALSE, sizeof (RwEvent)) };
  rw_space_event_by_id (two, 99);
  for (guint64 id = 1; id <= 3; id++)
    {
      RwEvent x = rw_space_event_by_id (one, id), y = rw_space_event_by_id (two, id);
      g_array_append_val (a.events, x);
      g_array_append_val (b.events, y);
    }
  g_autofree char *first = rw_schedule_key (&a, one), *second = rw_schedule_key (&b, two);
  g_assert_cmpstr (first, ==, second);
  g_assert_cmpuint (strlen (first), ==, 32);
  g_array_set_size (b.events, 2);
  g_autofree char *third = rw_schedule_key (&b, two);
  g_assert_cmpstr (first, !=, third);
  g_array_unref (a.events);
  g_array_unref (b.events);
}

static void
a_trace_that_breaks_the_rule_is_found (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwTrace) trace = rw_trace_new (space);
  g_autofree char *why = NULL;
  RwEvent slow = rw_space_event (space, &(RwEventInfo){ .id = 1, .label = "slow", .kind = RW_KIND_TIMER, .delay = 10 });
  RwEvent fast = rw_space_event (space, &(RwEventInfo){ .id = 2, .label = "fast", .kind = RW_KIND_TIMER, .delay = 5 });
  rw_trace_initial (trace, fast);
  rw_trace_initial (trace, slow);
  rw_trace_begin (trace, slow);
  rw_trace_begin (trace, fast);
  g_assert_cmpuint (rw_pool_check_trace (trace, FALSE, &why), ==, 1);
  g_assert_nonnull (strstr (why, "position 0: slow"));
  g_assert_cmpuint (rw_pool_check_trace (trace, TRUE, NULL), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add_func ("/explorer/explore/" name, func)
  ADD ("a-run-that-contradicts-its-prediction-is-a-surprise", a_run_that_contradicts_its_prediction_is_a_surprise);
  ADD ("an-event-that-does-not-come-is-a-surprise", an_event_that_does_not_come_is_a_surprise);
  ADD ("a-failed-run-is-counted-and-the-rest-goes-on", a_failed_run_is_counted_and_the_rest_goes_on);
  ADD ("without-run-0-there-is-nothing-to-explore", without_run_0_there_is_nothing_to_explore);
  ADD ("what-a-limit-kept-from-running-is-not-waited-for", what_a_limit_kept_from_running_is_not_waited_for);
  ADD ("keys-depend-on-the-identities-alone", keys_depend_on_the_identities_alone);
  ADD ("a-trace-that-breaks-the-rule-is-found", a_trace_that_breaks_the_rule_is_found);
#undef ADD
  return g_test_run ();
}
