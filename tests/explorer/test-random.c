/* SPDX-License-Identifier: MIT */
/* Thousands of random programs: exploration finds every class in as many runs as there are, and exactly C_k within a
 * bound. */
#include "rw-check.h"
#include "rw-filter.h"

typedef struct
{
  const char *name;
  guint features;
  guint filters;
  guint share; /* of the programs, in hundredths */
} Kind;

static const Kind kinds[] = {
  { "plain", 0, 0, 5 },
  { "branch", BRUTE_BRANCHES, 0, 8 },
  { "post", BRUTE_POSTS, 0, 5 },
  { "cancel", BRUTE_CANCELS, 0, 6 },
  { "post-cancel", BRUTE_POSTS | BRUTE_CANCELS, 0, 8 },
  { "post-fifo", BRUTE_POSTS | BRUTE_FIFO, 0, 6 },
  { "post-cancel-fifo", BRUTE_POSTS | BRUTE_CANCELS | BRUTE_FIFO, 0, 8 },
  { "branch-post", BRUTE_BRANCHES | BRUTE_POSTS, 0, 6 },
  { "branch-post-cancel", BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS, 0, 8 },
  { "all", BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_FIFO, 0, 8 },
  { "large", BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS | BRUTE_FIFO | BRUTE_LARGE, 0, 6 },
  { "timers", BRUTE_POSTS | BRUTE_CANCELS | BRUTE_TIMERS | BRUTE_BRANCHES, 0, 8 },
  { "after", BRUTE_POSTS | BRUTE_CANCELS | BRUTE_AFTER | BRUTE_BRANCHES, 0, 6 },
  { "blocks", BRUTE_POSTS | BRUTE_CANCELS | BRUTE_BLOCKS | BRUTE_BRANCHES, 0, 6 },
  { "posters", BRUTE_POSTS | BRUTE_CANCELS | BRUTE_POSTERS | BRUTE_BRANCHES, 0, 4 },
  { "everything",
    BRUTE_POSTS | BRUTE_CANCELS | BRUTE_POSTERS | BRUTE_BRANCHES | BRUTE_TIMERS | BRUTE_AFTER | BRUTE_BLOCKS
        | BRUTE_FIFO,
    0, 6 },
  { "values-unfiltered", BRUTE_VALUES | BRUTE_BRANCHES, 0, 6 },
  { "same-value", BRUTE_VALUES | BRUTE_BRANCHES, RW_FILTER_SAME_VALUE, 10 },
  { "counter", BRUTE_VALUES | BRUTE_BRANCHES, RW_FILTER_COUNTER, 10 },
  { "lazy-init", BRUTE_VALUES | BRUTE_BRANCHES, RW_FILTER_LAZY_INIT, 10 },
  { "all-filters", BRUTE_VALUES | BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS,
    RW_FILTER_SAME_VALUE | RW_FILTER_COUNTER | RW_FILTER_LAZY_INIT, 10 },
};

static guint
programs (const Kind *kind)
{
  return (g_getenv ("RW_LONG") != NULL ? 220 : 20) * kind->share;
}

static void
every_class_once_and_exactly_c_k (gconstpointer data)
{
  const Kind *kind = data;
  guint classes = 0, compared = 0;
  for (guint i = 0; i < programs (kind); i++)
    {
      Check check;
      guint found;
      check_init (&check, (guint64)(kind - kinds) << 24 | i, kind->features, kind->filters);
      if (check_all_classes (&check, 3000, &found))
        {
          check_bounds (&check);
          classes += found;
          compared++;
        }
      if (check.wrong != NULL)
        {
          g_test_message ("program %u: %s\n%s", i, check.wrong, check.text);
          g_test_fail ();
        }
      check_clear (&check);
      if (g_test_failed ())
        return;
    }
  g_test_message ("%u programs, %u classes, as many runs", compared, classes);
  g_assert_cmpuint (compared, >, programs (kind) / 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strdup_printf ("/explorer/random/every-class-once-and-exactly-c-k/%s", kinds[i].name);
      g_test_add_data_func (path, &kinds[i], every_class_once_and_exactly_c_k);
    }
  return g_test_run ();
}
