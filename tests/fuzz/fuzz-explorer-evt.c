/* SPDX-License-Identifier: MIT */
/* Any bytes as a model program: parse, and explore what is small enough; every run is a class of its own, as predicted.
 */
#include "rw-filter.h"
#include "rw-model.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize length);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwModel) model = rw_model_parse ((const char *)data, length, "fuzz", &error);
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  RwSchedule *schedule;
  RwExploreStats stats;

  g_assert_true ((model == NULL) == (error != NULL));
  if (model == NULL || rw_space_n_events (rw_model_space (model)) > 60)
    return 0;
  options.bound = 2;
  options.max_runs = 30;
  options.filters = length % 3 == 0 ? RW_FILTERS_DEFAULT : 0;
  options.timers_any = length % 5 == 0;
  rw_model_set_timers_any (model, options.timers_any);
  g_autoptr (RwExplore) explore = rw_explore_new (rw_model_space (model), &options);
  while (rw_explore_next (explore, &schedule) == RW_NEXT_RUN)
    {
      g_autoptr (RwTrace) trace = rw_model_execute (model, schedule);
      g_assert_true (rw_trace_check (trace, NULL));
      rw_explore_add (explore, schedule, trace);
      rw_schedule_free (schedule);
    }
  rw_explore_stats (explore, &stats);
  g_assert_cmpuint (stats.runs, ==, stats.classes);
  g_assert_cmpuint (stats.surprises, ==, 0);
  return 0;
}
