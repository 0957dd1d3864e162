/* SPDX-License-Identifier: MIT */
/* Takes one rule of the explorer away after the other: each time, some program must show it. */
#include "rw-check.h"
#include "rw-explore-break.h"
#include "rw-filter.h"

#define ALL (BRUTE_BRANCHES | BRUTE_POSTS | BRUTE_CANCELS)

typedef struct
{
  const char *name;
  RwBreak rule;
  guint features, filters;
} Mutation;

static const Mutation mutations[] = {
  { "the-timer-rule", RW_BREAK_TIMER_RULE, ALL | BRUTE_TIMERS, 0 },
  { "timers-are-edges", RW_BREAK_TIMER_EDGE, ALL | BRUTE_TIMERS, 0 },
  { "after-is-an-edge", RW_BREAK_AFTER_EDGE, ALL | BRUTE_AFTER, 0 },
  { "blocks-is-an-edge", RW_BREAK_BLOCKS_EDGE, ALL | BRUTE_BLOCKS, 0 },
  { "cancelling-the-head-of-a-queue-is-an-edge", RW_BREAK_HEAD_EDGE, ALL | BRUTE_FIFO, 0 },
  { "a-cancellation-without-effect-depends", RW_BREAK_NOOP_CANCEL, ALL, 0 },
  { "disabled-events-come-back", RW_BREAK_DISABLED, ALL, 0 },
  { "other-cancellers-stay-behind", RW_BREAK_OTHER_CANCELLER, BRUTE_CANCELS, 0 },
  { "blockers-stay-behind", RW_BREAK_BLOCKERS, ALL | BRUTE_BLOCKS, 0 },
  { "the-shared-prefix-moves-along", RW_BREAK_LAMBDA, ALL, 0 },
  { "keep-children", RW_BREAK_KEEP, ALL, 0 },
  { "first-children", RW_BREAK_FIRST, ALL, 0 },
  { "what-enables-is-no-race", RW_BREAK_ENABLING, ALL, 0 },
  { "the-least-order", RW_BREAK_LIN, BRUTE_BRANCHES | BRUTE_CANCELS, 0 },
  { "versions", RW_BREAK_VERSIONS, ALL, 0 },
  { "rank", RW_BREAK_RANK, ALL, 0 },
  { "same-value-compares", RW_BREAK_SAME_VALUE, BRUTE_VALUES | BRUTE_BRANCHES, RW_FILTER_SAME_VALUE },
  { "counter-only-without-reads", RW_BREAK_COUNTER, BRUTE_VALUES | BRUTE_BRANCHES, RW_FILTER_COUNTER },
  { "lazy-init-to-one-value", RW_BREAK_LAZY_INIT, BRUTE_VALUES | BRUTE_BRANCHES, RW_FILTER_LAZY_INIT },
};

static void
would_be_missed (gconstpointer data)
{
  const Mutation *mutation = data;
  gboolean noticed = FALSE;
  for (guint i = 0; i < 3000 && !noticed; i++)
    {
      Check check;
      guint classes;
      check_init (&check, (guint64)300 << 24 | i, mutation->features, mutation->filters);
      check.options.max_runs = 2000; /* a broken rule may also mean that there is no end */
      rw_explore_break = mutation->rule;
      if (check_all_classes (&check, 800, &classes))
        check_bounds (&check);
      rw_explore_break = 0;
      noticed = check.wrong != NULL;
      if (noticed)
        g_test_message ("noticed by program %u: %s", i, check.wrong);
      check_clear (&check);
    }
  g_assert_true (noticed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (mutations); i++)
    {
      g_autofree char *path = g_strdup_printf ("/explorer/mutation/would-be-missed/%s", mutations[i].name);
      g_test_add_data_func (path, &mutations[i], would_be_missed);
    }
  return g_test_run ();
}
