/* SPDX-License-Identifier: MIT */
/* racewalk run: record, explore, report, in one go. */
#include "rw-command.h"
#include "rw-explore-options.h"
#include "rw-record-options.h"
#include "rw-report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  char *output;
  char *html;
  RwRecordOptions record;
  RwExploreArguments explore;
} Arguments;

static GOptionEntry *
entries_new (Arguments *arguments)
{
  const GOptionEntry own[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &arguments->output, "the recording to write (NAME.rwk)", "FILE" },
    { "html", 0, 0, G_OPTION_ARG_FILENAME, &arguments->html, "the report to write (NAME.html)", "FILE" },
    G_OPTION_ENTRY_NULL,
  };
  g_autofree GOptionEntry *with_explore = rw_explore_entries (own, &arguments->explore);
  return rw_record_entries (with_explore, &arguments->record);
}

/* "sites/shop/" -> "shop", "http://example.org/a?b" -> "example.org". */
static char *
name_of (const char *target)
{
  const char *host = strstr (target, "://");
  if (host != NULL)
    {
      g_autofree char *name = g_strndup (host + 3, strcspn (host + 3, "/?#:"));
      return *name == '\0' ? g_strdup ("page") : g_steal_pointer (&name);
    }
  g_autofree char *full = g_canonicalize_filename (target, NULL);
  g_autofree char *base = g_path_get_basename (full);
  char *dot = strrchr (base, '.');
  if (dot != NULL && dot != base)
    *dot = '\0';
  return g_strcmp0 (base, "/") == 0 ? g_strdup ("page") : g_steal_pointer (&base);
}

static int
report (const char *recording_path, const char *html)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecording) recording = rw_recording_open (recording_path, RW_RECORDING_READ, &error);
  g_autoptr (RwReport) made = recording == NULL ? NULL : rw_report_new (recording, NULL, &error);
  if (made == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_autofree char *text = rw_report_text (made, rw_is_terminal (STDOUT_FILENO));
  fputs (text, stdout);
  if (!rw_report_write (made, RW_REPORT_HTML, html, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  printf ("Report: %s\nRecording: %s\n", html, recording_path);
  return rw_report_fails (made, RW_FAIL_ON_HARMFUL) ? RW_EXIT_HARMFUL : RW_EXIT_OK;
}

static int
run_main (int argc, char **argv)
{
  Arguments arguments = { .record = RW_RECORD_OPTIONS_DEFAULT, .explore = RW_EXPLORE_ARGUMENTS_DEFAULT };
  RwLoopOptions loop;
  int status;
  g_autofree GOptionEntry *entries = entries_new (&arguments);
  if (!rw_command_parse (&rw_command_run, entries, RW_SCENARIO_HELP, &argc, &argv, &status))
    return status;
  if (argc != 2)
    return rw_fail (RW_EXIT_USAGE, "run: name one page: URL, folder or HTML file");
  g_autofree char *name = name_of (argv[1]);
  g_autofree char *output = arguments.output == NULL ? g_strconcat (name, ".rwk", NULL) : g_strdup (arguments.output);
  g_autofree char *html = arguments.html == NULL ? g_strconcat (name, ".html", NULL) : g_strdup (arguments.html);
  arguments.record.target = argv[1];
  arguments.record.output = output;
  if (!rw_record_check_options (&arguments.record, &status)
      || !rw_explore_check_arguments (&arguments.explore, &loop, &status))
    return status;
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecorded) recorded = rw_record (&arguments.record, &error);
  if (recorded == NULL)
    return rw_fail (g_error_matches (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE) ? RW_EXIT_USAGE : RW_EXIT_FAILED,
                    "%s", error->message);
  if (!arguments.explore.quiet)
    rw_record_print (recorded, output);
  status = rw_explore_run (output, &arguments.explore, &loop);
  return status != RW_EXIT_OK ? status : report (output, html);
}

const RwCommand rw_command_run = {
  .name = "run",
  .arguments = "URL|DIR|FILE",
  .summary = "record, explore and report in one go",
  .main = run_main,
};
