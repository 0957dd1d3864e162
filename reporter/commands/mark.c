/* SPDX-License-Identifier: MIT */
/* racewalk mark: keeps a person's word about a finding. */
#include <string.h>

#include "rw-command.h"
#include "rw-report.h"

static char *note;
static char *ignore;
static gboolean only_recording;

static const GOptionEntry entries[] = {
  { "note", 'n', 0, G_OPTION_ARG_STRING, &note, "why", "TEXT" },
  { "ignore", 0, 0, G_OPTION_ARG_FILENAME, &ignore,
    "the file of suppressions (default: .racewalk-ignore in the working directory)", "FILE" },
  { "only-recording", 0, 0, G_OPTION_ARG_NONE, &only_recording, "leave the file of suppressions alone", NULL },
  { NULL },
};

static const char description[]
    = "WHICH is a run's number or (the beginning of) a finding's fingerprint, VERDICT is harmless, harmful, or\n"
      "none to take the mark away. A harmless finding is also added to the file of suppressions, which can be\n"
      "committed and is honoured by later reports of any recording.";

static int
mark (const char *path, const char *which, const char *verdict)
{
  g_autoptr (GError) error = NULL;
  const char *file = only_recording ? NULL : ignore != NULL ? ignore : ".racewalk-ignore";
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_WRITE, &error);
  g_autoptr (RwReport) report = recording != NULL ? rw_report_new (recording, NULL, &error) : NULL;
  const char *fingerprint = report != NULL ? rw_report_find (report, which, &error) : NULL;
  if (fingerprint == NULL)
    return rw_fail (g_error_matches (error, RW_REPORT_ERROR, RW_REPORT_ERROR_RUN) ? RW_EXIT_USAGE : RW_EXIT_FAILED,
                    "%s", error->message);
  if (!rw_triage (recording, file, fingerprint, verdict, note, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_print ("%s %s%s%s\n", fingerprint, verdict != NULL ? verdict : "not marked", file != NULL ? ", " : "",
           file != NULL ? file : "");
  return RW_EXIT_OK;
}

static int
mark_main (int argc, char **argv)
{
  int status;
  if (!rw_command_parse (&rw_command_mark, entries, description, &argc, &argv, &status))
    return status;
  if (argc != 4)
    return rw_fail (
        RW_EXIT_USAGE,
        "mark: name a recording, a run or finding, and harmless, harmful or none; see racewalk mark --help");
  gboolean none = strcmp (argv[3], "none") == 0;
  if (!none && strcmp (argv[3], "harmless") != 0 && strcmp (argv[3], "harmful") != 0)
    return rw_fail (RW_EXIT_USAGE, "mark: the verdict is harmless, harmful or none, not '%s'", argv[3]);
  return mark (argv[1], argv[2], none ? NULL : argv[3]);
}

const RwCommand rw_command_mark
    = { "mark", "FILE.rwk WHICH VERDICT", "keeps a person's verdict about a finding", mark_main };
