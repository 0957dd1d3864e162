/* SPDX-License-Identifier: MIT */
/* The strategies beside `exact`: r4 is complete without a bound, the baselines are functions of their seed. */
#include "rw-check.h"
#include "rw-pool.h"

#include <string.h>

static void
collect_cb (const BruteOrder *order, gpointer data)
{
  const Check *check = ((gpointer *)data)[0];
  g_hash_table_add (((gpointer *)data)[1], brute_class (&check->program, order));
}

static void
r4_reaches_every_class (gconstpointer data)
{
  guint features = GPOINTER_TO_UINT (data), n = g_getenv ("RW_LONG") != NULL ? 2500 : 120, runs_sum = 0,
        classes_sum = 0;
  for (guint i = 0; i < n && !g_test_failed (); i++)
    {
      Check check;
      RwExploreStats stats;
      check_init (&check, (guint64)200 << 24 | i, features, 0);
      g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_autoptr (GHashTable) found = g_hash_table_new (g_str_hash, g_str_equal);
      gpointer pair[] = { &check, all };
      check.options.strategy = RW_STRATEGY_R4;
      if (brute_enumerate (&check.program, 2000, collect_cb, pair))
        {
          g_autoptr (GPtrArray) runs = check_explore (&check, G_MAXUINT, NULL, &stats);
          for (guint k = 0; k < runs->len; k++)
            g_hash_table_add (found, ((CheckRun *)g_ptr_array_index (runs, k))->class);
          runs_sum += runs->len;
          classes_sum += g_hash_table_size (all);
          if (g_hash_table_size (found) != g_hash_table_size (all) || stats.classes != g_hash_table_size (all))
            {
              g_test_message ("program %u: %u of %u classes in %u runs\n%s", i, g_hash_table_size (found),
                              g_hash_table_size (all), runs->len, check.text);
              g_test_fail ();
            }
          if (stats.pruned < 0 || stats.pruned > 1)
            g_test_fail ();
        }
      check_clear (&check);
    }
  g_test_message ("%u runs for %u classes", runs_sum, classes_sum);
}

/* Within a bound r4 may lose runs, but it never leaves the bound and never goes on for ever. */
static void
r4_stays_within_its_bound (void)
{
  guint found = 0, all = 0;
  for (guint i = 0; i < 200; i++)
    {
      Check check;
      RwExploreStats stats;
      check_init (&check, (guint64)201 << 24 | i, BRUTE_BRANCHES | BRUTE_POSTS, 0);
      g_autoptr (GHashTable) depths = brute_depths (&check.program, 2);
      check.options.strategy = RW_STRATEGY_R4;
      g_autoptr (GPtrArray) runs = check_explore (&check, 2, NULL, &stats);
      for (guint k = 0; k < runs->len; k++)
        g_assert_cmpuint (((CheckRun *)g_ptr_array_index (runs, k))->depth, <=, 2);
      found += stats.classes;
      all += g_hash_table_size (depths);
      check_clear (&check);
    }
  g_test_message ("r4 finds %u classes within 2 reversals, exact %u", found, all);
  g_assert_cmpuint (found, >, all * 9 / 10);
}

static void
baselines_are_functions_of_the_seed (gconstpointer data)
{
  guint differ = 0;
  for (guint i = 0; i < 20; i++)
    {
      Check check;
      RwExploreStats stats;
      g_autoptr (GRand) rand = g_rand_new_with_seed (i);
      check_init (&check, (guint64)202 << 24 | i, BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_TIMERS, 0);
      check.options.strategy = (RwStrategy)GPOINTER_TO_UINT (data);
      check.options.max_runs = 12;
      g_autoptr (GPtrArray) first = check_explore (&check, 1, NULL, &stats);
      g_autoptr (GPtrArray) again = check_explore (&check, 1, rand, &stats);
      check.options.seed = 77;
      g_autoptr (GPtrArray) other = check_explore (&check, 1, NULL, &stats);
      g_assert_cmpuint (first->len, ==, 12);
      g_assert_cmpuint (again->len, ==, 12);
      for (guint k = 0; k < 12; k++)
        {
          const CheckRun *a = g_ptr_array_index (first, k), *b = g_ptr_array_index (again, k);
          g_assert_cmpmem (&a->order, sizeof a->order, &b->order, sizeof b->order);
          g_assert_cmpuint (rw_pool_check_trace (a->trace, FALSE, NULL), ==, 0);
          differ += memcmp (&a->order, &((CheckRun *)g_ptr_array_index (other, k))->order, sizeof a->order) != 0;
        }
      check_clear (&check);
    }
  g_assert_cmpuint (differ, >, 20);
}

static void
names_go_both_ways (void)
{
  RwStrategy strategy;
  for (guint i = 0; i <= RW_STRATEGY_DELAY; i++)
    {
      g_assert_true (rw_strategy_from_name (rw_strategy_name ((RwStrategy)i), &strategy));
      g_assert_cmpuint (strategy, ==, i);
    }
  g_assert_false (rw_strategy_from_name ("random", &strategy));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define R4(name, features)                                                                                             \
  g_test_add_data_func ("/explorer/strategies/r4-reaches-every-class/" name, GUINT_TO_POINTER (features),              \
                        r4_reaches_every_class)
  R4 ("branch", BRUTE_BRANCHES);
  R4 ("cancel", BRUTE_CANCELS);
  R4 ("branch-post-cancel-fifo", BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_FIFO);
  R4 ("timers", BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_TIMERS);
  R4 ("blocks-after", BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_BLOCKS | BRUTE_AFTER);
#undef R4
  g_test_add_func ("/explorer/strategies/r4-stays-within-its-bound", r4_stays_within_its_bound);
  g_test_add_data_func ("/explorer/strategies/baselines-are-functions-of-the-seed/wave",
                        GUINT_TO_POINTER (RW_STRATEGY_WAVE), baselines_are_functions_of_the_seed);
  g_test_add_data_func ("/explorer/strategies/baselines-are-functions-of-the-seed/delay",
                        GUINT_TO_POINTER (RW_STRATEGY_DELAY), baselines_are_functions_of_the_seed);
  g_test_add_func ("/explorer/strategies/names-go-both-ways", names_go_both_ways);
  return g_test_run ();
}
