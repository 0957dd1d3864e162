/* SPDX-License-Identifier: MIT */
/* What holds of every exploration, whatever the program: the invariants of the specification, on random programs. */
#include "rw-check.h"
#include "rw-filter.h"
#include "rw-pool.h"

#include <string.h>

#define ALL_RULES                                                                                                      \
  (BRUTE_POSTS | BRUTE_CANCELS | BRUTE_POSTERS | BRUTE_BRANCHES | BRUTE_TIMERS | BRUTE_AFTER | BRUTE_BLOCKS            \
   | BRUTE_FIFO)

static const struct
{
  guint features, filters;
} kinds[] = {
  { BRUTE_BRANCHES, 0 },
  { BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS, 0 },
  { BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_FIFO, 0 },
  { BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_TIMERS, 0 },
  { BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_BLOCKS | BRUTE_AFTER, 0 },
  { ALL_RULES, 0 },
  { BRUTE_VALUES | BRUTE_BRANCHES | BRUTE_CANCELS, RW_FILTERS_DEFAULT },
};

typedef void (*CheckFunc) (Check *check);

/* Calls @func on programs of every kind; the first that it finds wrong fails the test. */
static void
on_programs (CheckFunc func, guint each, guint features, guint without)
{
  guint n = g_getenv ("RW_LONG") != NULL ? 10 * each : each;
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    for (guint i = 0; i < n && !g_test_failed (); i++)
      {
        Check check;
        check_init (&check, (guint64)(kind + 100) << 24 | i, (kinds[kind].features | features) & ~without,
                    kinds[kind].filters);
        func (&check);
        if (check.wrong != NULL)
          {
            g_test_message ("kind %u, program %u: %s\n%s", kind, i, check.wrong, check.text);
            g_test_fail ();
          }
        check_clear (&check);
      }
}

static void wrong (Check *check, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
wrong (Check *check, const char *format, ...)
{
  va_list args;
  if (check->wrong != NULL)
    return;
  va_start (args, format);
  check->wrong = g_strdup_vprintf (format, args);
  va_end (args);
}

/* --- I1 --- */

static void
swap_cb (const BruteOrder *order, gpointer data)
{
  Check *check = data;
  if (check->wrong == NULL)
    check->wrong = brute_check_independence (&check->program, order);
}

static void
swap_neighbours (Check *check)
{
  brute_enumerate (&check->program, 100, swap_cb, check);
}

static void
independent_neighbours_can_be_swapped (void)
{
  on_programs (swap_neighbours, 30, 0, 0);
}

/* --- I2, and that the interpreter and the enumerator agree --- */

typedef struct
{
  Check *check;
  GHashTable *class_of, *fingerprint_of;
} Bijection;

static RwTrace *
execute (Check *check, const BruteOrder *order)
{
  g_autoptr (RwSchedule) schedule = g_new0 (RwSchedule, 1);
  RwSpace *space = rw_model_space (check->model);
  schedule->events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  for (int i = 0; i < order->n; i++)
    for (RwEvent event = 0; event < rw_space_n_events (space); event++)
      if (rw_space_event_info (space, event)->label[1] == '0' + order->at[i])
        g_array_append_val (schedule->events, event);
  return rw_model_execute (check->model, schedule);
}

static void
fingerprint_cb (const BruteOrder *order, gpointer data)
{
  Bijection *self = data;
  Check *check = self->check;
  g_autoptr (RwTrace) trace = execute (check, order);
  BruteOrder ran = check_order_of (check, trace);
  g_autofree char *state = rw_model_final_state (check->model), *brute = brute_state (&check->program, order);

  if (ran.n != order->n || memcmp (ran.at, order->at, sizeof (int) * (gsize)ran.n) != 0)
    wrong (check, "the interpreter runs something else");
  if (strcmp (state, brute) != 0)
    wrong (check, "the interpreter ends with %s in place of %s", state, brute);
  char *fingerprint = rw_trace_fingerprint (trace, &check->options), *class = brute_class (&check->program, order);
  const char *old_class = g_hash_table_lookup (self->class_of, fingerprint);
  const char *old_fingerprint = g_hash_table_lookup (self->fingerprint_of, class);
  if (old_class != NULL && strcmp (old_class, class) != 0)
    wrong (check, "one fingerprint for %s and %s", old_class, class);
  if (old_fingerprint != NULL && strcmp (old_fingerprint, fingerprint) != 0)
    wrong (check, "two fingerprints for %s", class);
  g_hash_table_insert (self->class_of, g_strdup (fingerprint), g_strdup (class));
  g_hash_table_insert (self->fingerprint_of, class, fingerprint);
}

static void
compare_fingerprints (Check *check)
{
  Bijection self = { check, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                     g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  BruteOrder none = { 0 };
  g_autoptr (RwTrace) run0 = execute (check, &none);
  check->program.known = 0; /* fingerprints do without run 0 */
  brute_enumerate (&check->program, 150, fingerprint_cb, &self);
  g_hash_table_unref (self.class_of);
  g_hash_table_unref (self.fingerprint_of);
}

static void
fingerprints_are_equal_iff_classes_are (void)
{
  on_programs (compare_fingerprints, 30, 0, 0);
}

/* --- I4, I6, I8, I9, I12, I13 and the enabledness of every run --- */

static gboolean
same_ops (const RwTrace *a, const RwTrace *b, RwEvent event)
{
  gint i = rw_trace_position (a, event), j = rw_trace_position (b, event);
  guint n, m;
  if (i < 0 || j < 0)
    return FALSE;
  const RwOp *x = rw_trace_ops (a, (guint)i, &n), *y = rw_trace_ops (b, (guint)j, &m);
  return n == m && (n == 0 || memcmp (x, y, sizeof *x * n) == 0);
}

typedef struct
{
  GPtrArray *traces; /* by number */
  guint depth;
} Runs;

static void
check_schedule (Check *check, const RwSchedule *schedule, const RwTrace *trace, const Runs *runs)
{
  g_autofree char *why = NULL;
  if (rw_pool_check_trace (trace, FALSE, &why) != 0)
    wrong (check, "%s", why);
  if (schedule->parent == RW_RUN_NONE)
    return;
  const RwTrace *parent = g_ptr_array_index (runs->traces, schedule->parent);
  for (guint i = 0; i < schedule->exact_prefix; i++)
    {
      RwEvent event = g_array_index (schedule->events, RwEvent, i);
      if (rw_trace_event (trace, i) != event || !same_ops (trace, parent, event))
        wrong (check, "run %u: the event at %u is not exactly as in the parent", schedule->ticket, i);
    }
  if (rw_trace_event (trace, schedule->exact_prefix) != schedule->reversal.second)
    wrong (check, "run %u: what should come first did not run there", schedule->ticket);
  if (schedule->depth < runs->depth)
    wrong (check, "run %u: shallower than one before", schedule->ticket);
}

static void
follow (Check *check)
{
  Runs runs = { g_ptr_array_new_with_free_func ((GDestroyNotify)rw_trace_unref), 0 };
  RwSchedule *schedule;
  RwExploreStats stats;

  check->options.bound = 3;
  g_autoptr (RwExplore) explore = rw_explore_new (rw_model_space (check->model), &check->options);
  while (rw_explore_next (explore, &schedule) == RW_NEXT_RUN)
    {
      g_autoptr (RwTrace) trace = rw_model_execute (check->model, schedule);
      check_schedule (check, schedule, trace, &runs);
      runs.depth = schedule->depth;
      rw_explore_add (explore, schedule, trace);
      g_ptr_array_add (runs.traces, rw_trace_ref (trace));
      rw_schedule_free (schedule);
    }
  rw_explore_stats (explore, &stats);
  if (stats.runs != stats.classes || stats.surprises != 0 || stats.out != 0 || stats.queued != 0)
    wrong (check, "%u runs, %u classes, %u surprises", stats.runs, stats.classes, stats.surprises);
  g_ptr_array_unref (runs.traces);
}

static void
runs_do_what_their_schedules_promise (void)
{
  on_programs (follow, 60, 0, 0);
}

/* --- I7: any order of return, several at a time --- */

static void
compare_runs (Check *check, const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len)
    wrong (check, "%u runs in place of %u", b->len, a->len);
  for (guint i = 0; i < MIN (a->len, b->len); i++)
    {
      const CheckRun *x = g_ptr_array_index (a, i), *y = g_ptr_array_index (b, i);
      if (y == NULL || memcmp (&x->order, &y->order, sizeof x->order) != 0 || x->parent != y->parent
          || x->depth != y->depth || memcmp (&x->reversal, &y->reversal, sizeof x->reversal) != 0)
        wrong (check, "run %u is another one", i);
    }
}

static void
return_in_any_order (Check *check)
{
  RwExploreStats first, second;
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (check->text));
  g_autoptr (GPtrArray) one = check_explore (check, 3, NULL, &first);
  g_autoptr (GPtrArray) many = check_explore (check, 3, rand, &second);
  compare_runs (check, one, many);
  if (first.classes != second.classes || first.beyond_bound != second.beyond_bound)
    wrong (check, "%u classes in place of %u", second.classes, first.classes);
}

static void
the_order_of_return_changes_nothing (void)
{
  on_programs (return_in_any_order, 40, 0, 0);
}

static void
limit_runs (Check *check)
{
  RwExploreStats first, second;
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (check->text));
  check->options.max_runs = 4;
  g_autoptr (GPtrArray) one = check_explore (check, G_MAXUINT, NULL, &first);
  g_autoptr (GPtrArray) many = check_explore (check, G_MAXUINT, rand, &second);
  compare_runs (check, one, many);
  if (one->len > 4)
    wrong (check, "%u runs", one->len);
  check->options.max_runs = 0;
  g_autoptr (GPtrArray) all = check_explore (check, G_MAXUINT, NULL, &second);
  if (all->len > 4 && (one->len != 4 || first.queued == 0))
    wrong (check, "%u runs of %u, but %u left", one->len, all->len, first.queued);
}

static void
a_limit_cuts_the_same_list_of_runs (void)
{
  on_programs (limit_runs, 20, 0, 0);
}

/* --- I8 --- */

static void
compare_bounds (Check *check)
{
  RwExploreStats stats;
  g_autoptr (GPtrArray) all = check_explore (check, G_MAXUINT, NULL, &stats);
  for (guint bound = 0; bound < 4; bound++)
    {
      g_autoptr (GPtrArray) some = check_explore (check, bound, NULL, &stats);
      guint within = 0;
      for (guint i = 0; i < all->len; i++)
        within += ((const CheckRun *)g_ptr_array_index (all, i))->depth <= bound;
      if (some->len != within)
        wrong (check, "%u runs within %u in place of %u", some->len, bound, within);
    }
}

static void
a_bound_cuts_by_depth_and_by_nothing_else (void)
{
  on_programs (compare_bounds, 20, 0, 0);
}

/* --- I10 --- */

static void
count_pairs (Check *check)
{
  RwExploreStats stats;
  check->options.filters = check->program.filters = 0;
  g_autoptr (GPtrArray) runs = check_explore (check, G_MAXUINT, NULL, &stats);
  const CheckRun *run0 = g_ptr_array_index (runs, 0);
  for (guint i = 0; i < runs->len; i++)
    {
      const CheckRun *run = g_ptr_array_index (runs, i);
      int pairs = brute_reversed_pairs (&check->program, &run0->order, &run->order);
      if (pairs != (int)run->depth)
        wrong (check, "run %u of depth %u reverses %d pairs", i, run->depth, pairs);
    }
}

static void
depth_counts_reversed_pairs_of_static_programs (void)
{
  on_programs (count_pairs, 20, 0,
               BRUTE_BRANCHES | BRUTE_CANCELS | BRUTE_FIFO | BRUTE_TIMERS | BRUTE_AFTER | BRUTE_BLOCKS | BRUTE_POSTERS
                   | BRUTE_VALUES);
}

/* --- I11 --- */

static void
reverse_back (Check *check)
{
  RwExploreStats stats;
  RwSpace *space = rw_model_space (check->model);
  /* A write of the value that is there may become one only by the reversal. */
  check->options.filters = check->program.filters = check->options.filters & ~(guint)RW_FILTER_SAME_VALUE;
  g_autoptr (GPtrArray) runs = check_explore (check, 2, NULL, &stats);
  for (guint i = 1; i < runs->len; i++)
    {
      const CheckRun *run = g_ptr_array_index (runs, i);
      g_autoptr (GArray) conflicts = rw_trace_conflicts (run->trace, &check->options);
      gboolean back = FALSE;
      if (run->reversal.kind != RW_REVERSAL_RACE || rw_trace_position (run->trace, run->reversal.first) < 0)
        continue;
      for (guint k = 0; k < conflicts->len; k++)
        back |= g_array_index (conflicts, RwReversal, k).first == run->reversal.second
                && g_array_index (conflicts, RwReversal, k).second == run->reversal.first;
      /* It may have been skipped there and have run later, behind others. */
      gint first = rw_trace_position (run->trace, run->reversal.first);
      gint second = rw_trace_position (run->trace, run->reversal.second);
      if (!back && first == second + 1)
        wrong (check, "run %u: %s and %s cannot be reversed back", i,
               rw_space_event_info (space, run->reversal.first)->label,
               rw_space_event_info (space, run->reversal.second)->label);
    }
}

static void
a_reversal_can_be_reversed (void)
{
  on_programs (reverse_back, 40, 0, BRUTE_TIMERS | BRUTE_BLOCKS | BRUTE_AFTER | BRUTE_POSTERS);
}

/* --- I3 --- */

static void
replay_least (Check *check)
{
  RwExploreStats stats;
  g_autoptr (GPtrArray) runs = check_explore (check, 2, NULL, &stats);
  const CheckRun *run0 = g_ptr_array_index (runs, 0);
  for (guint i = 0; i < runs->len; i++)
    {
      const CheckRun *run = g_ptr_array_index (runs, i);
      g_autofree RwEvent *events = check_least_order (run->trace, run0->trace, &check->options);
      BruteOrder order = { 0 };
      for (int k = 0; k < run->order.n; k++)
        order.at[order.n++] = rw_space_event_info (rw_model_space (check->model), events[k])->label[1] - '0';
      g_autoptr (RwTrace) again = execute (check, &order);
      BruteOrder ran = check_order_of (check, again);
      g_autofree char *class = brute_class (&check->program, &ran);
      if (memcmp (&ran, &order, sizeof order) != 0 || strcmp (class, run->class) != 0)
        wrong (check, "the least order of run %u is of another class", i);
    }
}

static void
the_least_order_of_a_class_is_in_it (void)
{
  on_programs (replay_least, 30, 0, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add_func ("/explorer/invariants/" name, func)
  ADD ("i1/independent-neighbours-can-be-swapped", independent_neighbours_can_be_swapped);
  ADD ("i2/fingerprints-are-equal-iff-classes-are", fingerprints_are_equal_iff_classes_are);
  ADD ("i3/the-least-order-of-a-class-is-in-it", the_least_order_of_a_class_is_in_it);
  ADD ("i4-i9-i12-i13/runs-do-what-their-schedules-promise", runs_do_what_their_schedules_promise);
  ADD ("i7/the-order-of-return-changes-nothing", the_order_of_return_changes_nothing);
  ADD ("i7/a-limit-cuts-the-same-list-of-runs", a_limit_cuts_the_same_list_of_runs);
  ADD ("i8/a-bound-cuts-by-depth-and-by-nothing-else", a_bound_cuts_by_depth_and_by_nothing_else);
  ADD ("i10/depth-counts-reversed-pairs-of-static-programs", depth_counts_reversed_pairs_of_static_programs);
  ADD ("i11/a-reversal-can-be-reversed", a_reversal_can_be_reversed);
#undef ADD
  return g_test_run ();
}
