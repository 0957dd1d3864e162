/* SPDX-License-Identifier: MIT */
/* Pages of tests/recorder/pages recorded in a real WebKit, and what the log says of them.
 *
 * A page's claims are the comments that begin with "log:" in its index.html, one access each:
 *   log: EVENT | read or write or add or fail | LOCATION [| VALUE]     * stands for anything
 *   log: EVENT | ran | *                                              the event ran
 *   never: EVENT | ACCESS | LOCATION                                   the event has no such access
 * and "holes: N" at most so many entries of page code outside an event (0 if nothing is said).
 * With --dump FILE.rwk the program prints what a recording holds, to write claims by. */
#include "rw-recording.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

static const char *
access_name (const RwOp *op)
{
  if (op->kind == RW_OP_READ)
    return (op->flags & RW_OP_FAILED) != 0 ? "fail" : "read";
  return (op->flags & RW_OP_ADD) != 0 ? "add" : "write";
}

/* One line an access: EVENT | ACCESS | LOCATION | VALUE | PLACE */
static GPtrArray *
lines_of (RwTrace *trace)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  RwSpace *space = rw_trace_space (trace);
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      guint n;
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      const char *label = rw_space_event_info (space, rw_trace_event (trace, i))->label;
      g_ptr_array_add (lines, g_strdup_printf ("%s | ran | - | - | -", label));
      for (guint j = 0; j < n; j++)
        {
          if (ops[j].kind != RW_OP_READ && ops[j].kind != RW_OP_WRITE)
            continue;
          const char *value = ops[j].value == 0 ? "" : rw_space_value_text (space, ops[j].value);
          const char *place = ops[j].place == 0 ? "" : rw_space_place_text (space, ops[j].place);
          g_ptr_array_add (lines, g_strdup_printf ("%s | %s | %s | %s | %s", label, access_name (&ops[j]),
                                                   rw_space_location_name (space, ops[j].target), value, place));
        }
    }
  return lines;
}

static GPtrArray *
read_recording (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_READ, &error);
  g_assert_no_error (error);
  g_autoptr (RwRun) run = rw_recording_run (recording, space, 0, &error);
  g_assert_no_error (error);
  g_assert_nonnull (run);
  return lines_of (run->trace);
}

static gboolean
have (GPtrArray *lines, const char *claim)
{
  g_auto (GStrv) parts = g_strsplit (claim, " | ", -1);
  static const char *const rest[] = { " | * | *", " | *", "" };
  guint n = CLAMP (g_strv_length (parts), 3, 5);
  g_autofree char *glob = g_strconcat (claim, rest[n - 3], NULL);
  for (guint i = 0; i < lines->len; i++)
    if (g_pattern_match_simple (glob, lines->pdata[i]))
      return TRUE;
  return FALSE;
}

static char *
record (const char *folder, char **said)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *out = g_dir_make_tmp ("racewalk-dom-XXXXXX", &error);
  g_assert_no_error (error);
  char *path = g_build_filename (out, "page.rwk", NULL);
  g_autofree char *scenario = g_build_filename (folder, "scenario", NULL);
  gboolean input = g_file_test (scenario, G_FILE_TEST_EXISTS);
  const char *argv[] = { g_getenv ("RACEWALK"), "record", folder, "-o", path, input ? NULL : "--no-input", NULL };
  int status;
  g_autofree char *errors = NULL;
  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, said, &errors, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, &error))
    g_error ("%s: %s", folder, errors);
  return path;
}

static guint
holes_of (const char *said)
{
  const char *word = strstr (said, "outside");
  guint n = 0;
  while (word != NULL && word > said && word[-1] != '\n')
    word--;
  return word != NULL && sscanf (word, "%u", &n) == 1 ? n : word != NULL;
}

static void
check_page (gconstpointer data)
{
  g_autofree char *folder = g_build_filename (RW_SOURCE_DIR, "tests/recorder/pages", data, NULL);
  g_autofree char *page = g_build_filename (folder, "index.html", NULL);
  g_autofree char *text = NULL, *said = NULL;
  g_assert_true (g_file_get_contents (page, &text, NULL, NULL));
  g_autofree char *path = record (folder, &said);
  g_autoptr (GPtrArray) lines = read_recording (path);
  g_auto (GStrv) rows = g_strsplit (text, "\n", -1);
  guint allowed = 0;
  for (char **row = rows; *row != NULL; row++)
    {
      g_strstrip (*row);
      if (g_str_has_prefix (*row, "log: ") && !have (lines, *row + 5))
        g_test_fail_printf ("%s: not in the log: %s", (const char *)data, *row + 5);
      if (g_str_has_prefix (*row, "never: ") && have (lines, *row + 7))
        g_test_fail_printf ("%s: in the log: %s", (const char *)data, *row + 7);
      if (g_str_has_prefix (*row, "holes: "))
        allowed = (guint)g_ascii_strtoull (*row + 7, NULL, 10);
    }
  if (holes_of (said) > allowed)
    g_test_fail_printf ("%s: %s", (const char *)data, said);
  g_autofree char *out = g_path_get_dirname (path);
  g_remove (path);
  g_rmdir (out);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--dump") == 0)
    {
      g_autoptr (GPtrArray) lines = read_recording (argv[2]);
      for (guint i = 0; i < lines->len; i++)
        g_print ("%s\n", (char *)lines->pdata[i]);
      return 0;
    }
  g_test_init (&argc, &argv, NULL);
  g_autofree char *folder = g_build_filename (RW_SOURCE_DIR, "tests/recorder/pages", NULL);
  g_autoptr (GDir) pages = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  while ((name = g_dir_read_name (pages)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *claim = g_strdup_printf ("/recorder/page/%s", (char *)names->pdata[i]);
      g_test_add_data_func (claim, names->pdata[i], check_page);
    }
  return g_test_run ();
}
