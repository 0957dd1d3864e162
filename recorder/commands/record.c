/* SPDX-License-Identifier: MIT */
/* racewalk record: load a page once and keep everything. */
#include "rw-command.h"
#include "rw-record-options.h"

static int
record_main (int argc, char **argv)
{
  RwRecordOptions options = RW_RECORD_OPTIONS_DEFAULT;
  g_autofree char *output = NULL;
  gboolean quiet = FALSE;
  int status;
  const GOptionEntry own[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "the recording to write (page.rwk)", "FILE" },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "say nothing but errors", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autofree GOptionEntry *entries = rw_record_entries (own, &options);
  if (!rw_command_parse (&rw_command_record, entries, RW_SCENARIO_HELP, &argc, &argv, &status))
    return status;
  if (argc != 2)
    return rw_fail (RW_EXIT_USAGE, "record: name one page to record: URL, folder or HTML file");
  options.target = argv[1];
  options.output = output == NULL ? "page.rwk" : output;
  if (!rw_record_check_options (&options, &status))
    return status;
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecorded) recorded = rw_record (&options, &error);
  if (recorded == NULL)
    return rw_fail (g_error_matches (error, RW_RECORD_ERROR, RW_RECORD_ERROR_USAGE) ? RW_EXIT_USAGE : RW_EXIT_FAILED,
                    "%s", error->message);
  if (!quiet)
    rw_record_print (recorded, options.output);
  return RW_EXIT_OK;
}

const RwCommand rw_command_record = {
  .name = "record",
  .arguments = "URL|DIR|FILE",
  .summary = "load a page once and keep its events, accesses and answers",
  .main = record_main,
};
