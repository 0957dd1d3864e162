/* SPDX-License-Identifier: MIT */
/* racewalk races: the races of a recording or of an EventRacer log, offline. */
#include "races-print.h"
#include "rw-command.h"
#include "rw-picture.h"
#include "rw-recording.h"

#include <stdio.h>
#include <string.h>

static gboolean option_json;
static gboolean option_stats;
static gboolean option_dot;
static gboolean option_perfetto;
static gboolean option_all;
static char *option_timers;
static char *option_export;
static char *option_output;
static int option_limit = 50;
static int option_run;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &option_json, "JSON instead of the table", NULL },
  { "stats", 0, 0, G_OPTION_ARG_NONE, &option_stats, "Counts, and time and memory of each phase, instead of the table", NULL },
  { "dot", 0, 0, G_OPTION_ARG_NONE, &option_dot, "A graph for Graphviz instead of the table", NULL },
  { "perfetto", 0, 0, G_OPTION_ARG_NONE, &option_perfetto, "A timeline for ui.perfetto.dev instead of the table", NULL },
  { "all", 'a', 0, G_OPTION_ARG_NONE, &option_all, "Covered races, too", NULL },
  { "limit", 'n', 0, G_OPTION_ARG_INT, &option_limit, "Races in the table (50; 0: all)", "N" },
  { "timers", 0, 0, G_OPTION_ARG_STRING, &option_timers, "any: every pending timer may fire before every other", "RULE" },
  { "run", 0, 0, G_OPTION_ARG_INT, &option_run, "Run of the recording (0)", "N" },
  { "export", 0, 0, G_OPTION_ARG_FILENAME, &option_export, "Write the run as an EventRacer log", "FILE" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output, "Write here, not to standard output", "FILE" },
  G_OPTION_ENTRY_NULL,
};

static const char description[]
    = "FILE is a recording (.rwk) or an EventRacer log (ER_actionlog). A race is two events that happens-before does\n"
      "not order and that touch one location, one of them writing. It is covered if ordering the events of another\n"
      "race would order it, too; the table has the ones that are not. Labels are hints: nothing is left out for one.\n"
      "Whether a race matters is for racewalk explore to say.";

/* What is open while the command runs; one of the two. */
typedef struct
{
  RwErLog *log;
  RwTrace *trace;
} Input;

static void
input_clear (Input *input)
{
  g_clear_pointer (&input->log, rw_erlog_free);
  g_clear_pointer (&input->trace, rw_trace_unref);
}

static gboolean
is_recording (const char *path)
{
  char magic[16] = { 0 };
  FILE *file = fopen (path, "rb");
  gsize n = 0;

  if (file != NULL)
    {
      n = fread (magic, 1, sizeof magic, file);
      fclose (file);
    }
  return n == sizeof magic && memcmp (magic, "SQLite format 3", sizeof magic) == 0;
}

static gboolean
open_recording (const char *path, Input *input, GError **error)
{
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_READ, error);
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwRun) run = NULL;

  if (recording == NULL)
    return FALSE;
  run = rw_recording_run (recording, space, option_run, error);
  if (run != NULL && run->trace != NULL)
    {
      input->trace = rw_trace_ref (run->trace);
      return TRUE;
    }
  if (error == NULL || *error == NULL)
    g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_MISSING, "%s: run %d %s", path, option_run,
                 run == NULL ? "is not in this recording" : "left no trace");
  return FALSE;
}

static gboolean
open_log (const char *path, Input *input, GError **error)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, error);
  g_autoptr (GBytes) bytes = NULL;

  if (file == NULL)
    return FALSE;
  bytes = g_mapped_file_get_bytes (file);
  input->log = rw_erlog_from_bytes (bytes, error);
  if (input->log == NULL)
    g_prefix_error (error, "%s is no recording (.rwk), and as a log: ", path);
  return input->log != NULL;
}

static gboolean
export_log (const Input *input, const char *path, GError **error)
{
  g_autoptr (RwErLog) made = input->log == NULL ? rw_erlog_from_trace (input->trace) : NULL;
  g_autoptr (GBytes) bytes = rw_erlog_to_bytes (made != NULL ? made : input->log);
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

  return g_file_set_contents (path, data, length, error);
}

static GString *
render (const RwRacesReport *report)
{
  if (option_dot)
    return rw_picture_dot (report->history, report->races);
  if (option_perfetto)
    return rw_picture_perfetto (report->history, report->races);
  if (option_json)
    return rw_races_print_json (report);
  return option_stats ? rw_races_print_stats (report) : rw_races_print_table (report);
}

static int
write_out (const GString *text)
{
  g_autoptr (GError) error = NULL;

  if (option_output == NULL)
    return fwrite (text->str, 1, text->len, stdout) == text->len && fflush (stdout) == 0
               ? RW_EXIT_OK
               : rw_fail (RW_EXIT_FAILED, "cannot write to standard output");
  if (!g_file_set_contents (option_output, text->str, text->len, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  return RW_EXIT_OK;
}

static double
seconds_since (gint64 start)
{
  return (g_get_monotonic_time () - start) / 1e6;
}

static int
find_and_print (const char *path, const Input *input, double load_seconds)
{
  RwTimers timers = option_timers == NULL ? RW_TIMERS_ORDERED : RW_TIMERS_ANY;
  gint64 start = g_get_monotonic_time ();
  g_autoptr (RwHistory) history = input->log != NULL ? rw_history_from_erlog (input->log, timers)
                                                     : rw_history_from_trace (input->trace, timers);
  double hb_seconds = seconds_since (start);
  g_autoptr (RwRaces) races = rw_races_find (history);
  RwRacesReport report = { path, history, races, option_all, MAX (option_limit, 0), load_seconds, hb_seconds };
  g_autoptr (GString) text = NULL;

  rw_races_label (races, history);
  text = render (&report);
  return write_out (text);
}

static int
races_main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  Input input = { NULL, NULL };
  gint64 start = g_get_monotonic_time ();
  int status;

  if (!rw_command_parse (&rw_command_races, entries, description, &argc, &argv, &status))
    return status;
  if (argc != 2)
    return rw_fail (RW_EXIT_USAGE, "races: name one recording or EventRacer log; see racewalk races --help");
  if (option_json + option_dot + option_perfetto > 1)
    return rw_fail (RW_EXIT_USAGE, "races: --json, --dot and --perfetto exclude each other");
  if (option_timers != NULL && strcmp (option_timers, "any") != 0)
    return rw_fail (RW_EXIT_USAGE, "races: --timers takes 'any', not '%s'", option_timers);
  if (!g_file_test (argv[1], G_FILE_TEST_IS_REGULAR))
    return rw_fail (RW_EXIT_FAILED, "%s: there is no such file", argv[1]);
  if (!(is_recording (argv[1]) ? open_recording (argv[1], &input, &error) : open_log (argv[1], &input, &error)))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  status = find_and_print (argv[1], &input, seconds_since (start));
  if (option_export != NULL && !export_log (&input, option_export, &error))
    status = rw_fail (RW_EXIT_FAILED, "%s", error->message);
  input_clear (&input);
  return status;
}

const RwCommand rw_command_races = {
  .name = "races",
  .arguments = "FILE",
  .summary = "list the races of a recording or an EventRacer log, offline",
  .main = races_main,
};
