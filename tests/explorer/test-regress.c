/* SPDX-License-Identifier: MIT */
/* The programs in models/ say how many classes there are, and how many within each bound; exploration must agree. */
#include "rw-model.h"

/* Number of runs; checks that each is a class of its own. */
static guint
explore (RwModel *model, guint bound)
{
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  RwSchedule *schedule;
  RwExploreStats stats;

  options.bound = bound;
  g_autoptr (RwExplore) explore = rw_explore_new (rw_model_space (model), &options);
  while (rw_explore_next (explore, &schedule) == RW_NEXT_RUN)
    {
      g_autoptr (RwTrace) trace = rw_model_execute (model, schedule);
      rw_explore_add (explore, schedule, trace);
      g_assert_cmpuint (rw_explore_number (explore, schedule->ticket), ==, schedule->ticket);
      rw_schedule_free (schedule);
    }
  rw_explore_stats (explore, &stats);
  g_assert_cmpuint (stats.surprises, ==, 0);
  g_assert_cmpuint (stats.runs, ==, stats.classes);
  return stats.runs;
}

static void
counts_are_as_expected (gconstpointer path)
{
  g_autofree char *text = NULL;
  gsize length;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  g_autoptr (RwModel) model = rw_model_parse (text, length, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (rw_model_expected_classes (model), >, 0);
  g_assert_cmpuint (explore (model, G_MAXUINT), ==, rw_model_expected_classes (model));
  for (guint k = 0; k < rw_model_expected_within (model)->len; k++)
    g_assert_cmpuint (explore (model, k), ==, g_array_index (rw_model_expected_within (model), guint, k));
}

int
main (int argc, char **argv)
{
  g_autoptr (GDir) dir = g_dir_open (RW_SOURCE_DIR "/tests/explorer/models", 0, NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".evt"))
      {
        char *path = g_build_filename (RW_SOURCE_DIR "/tests/explorer/models", name, NULL);
        g_autofree char *test = g_strdup_printf ("/explorer/regress/%.*s", (int)strlen (name) - 4, name);
        g_ptr_array_add (paths, path);
        g_test_add_data_func (test, path, counts_are_as_expected);
      }
  return g_test_run ();
}
