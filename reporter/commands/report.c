/* SPDX-License-Identifier: MIT */
/* racewalk report: writes the report of a recording in one or more formats. */
#include <errno.h>
#include <stdio.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "rw-command.h"
#include "rw-report.h"
#include "rw-serve.h"

static char **format_names;
static char *output;
static char *fail_on_name;
static char *baseline;
static char *ignore;
static char *playwright;
static gboolean serve;
static int port;

static const GOptionEntry entries[] = {
  { "format", 'f', 0, G_OPTION_ARG_STRING_ARRAY, &format_names,
    "html, json, sarif, junit or text; may be given several times", "FORMAT" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "where to write; with several formats each gets its own ending",
    "FILE" },
  { "fail-on", 0, 0, G_OPTION_ARG_STRING, &fail_on_name, "exit status 1 on: harmful (default), suspicious, any, none",
    "WHAT" },
  { "baseline", 0, 0, G_OPTION_ARG_FILENAME, &baseline, "report only what this JSON report does not have",
    "FILE.json" },
  { "ignore", 0, 0, G_OPTION_ARG_FILENAME, &ignore, "suppressions (default: .racewalk-ignore in the working directory)",
    "FILE" },
  { "playwright", 0, 0, G_OPTION_ARG_STRING, &playwright, "write a Playwright test for this run or finding instead",
    "WHICH" },
  { "serve", 0, 0, G_OPTION_ARG_NONE, &serve,
    "serve the report on a loopback address, with buttons for marks, until Ctrl-C", NULL },
  { "port", 0, 0, G_OPTION_ARG_INT, &port, "the port for --serve (default: any)", "N" },
  { NULL },
};

static const char description[]
    = "Without --output, text and the other texts for machines go to standard output, and HTML to the recording's name "
      "with .html.\n"
      "Exit status: 0 nothing harmful, 1 something harmful (see --fail-on), 2 wrong use, 3 it could not be done.";

static gboolean
parse_formats (GArray *formats, int *status)
{
  static char *text_only[] = { (char *)"text", NULL };
  for (char **name = format_names != NULL ? format_names : text_only; *name != NULL; name++)
    {
      g_auto (GStrv) parts = g_strsplit (*name, ",", -1);
      for (guint i = 0; parts[i] != NULL; i++)
        {
          RwReportFormat format;
          if (!rw_report_format_from_name (parts[i], &format))
            {
              *status = rw_fail (RW_EXIT_USAGE, "report: no format '%s'; there are html, json, sarif, junit, text",
                                 parts[i]);
              return FALSE;
            }
          g_array_append_val (formats, format);
        }
    }
  return TRUE;
}

static char *
replace_extension (const char *path, const char *extension)
{
  const char *dot = strrchr (path, '.'), *slash = strrchr (path, '/');
  gsize length = dot != NULL && (slash == NULL || dot > slash + 1) && dot != path ? (gsize)(dot - path) : strlen (path);
  return g_strdup_printf ("%.*s.%s", (int)length, path, extension);
}

/* NULL: standard output. */
static char *
target_of (const char *recording, RwReportFormat format, guint n_formats)
{
  if (output != NULL && strcmp (output, "-") == 0)
    return NULL;
  if (output != NULL)
    return n_formats == 1 ? g_strdup (output) : replace_extension (output, rw_report_format_extension (format));
  if (format == RW_REPORT_HTML || (n_formats > 1 && format != RW_REPORT_TEXT))
    return replace_extension (recording, rw_report_format_extension (format));
  return NULL;
}

static gboolean
write_one (const RwReport *report, RwReportFormat format, const char *target, int *status)
{
  g_autoptr (GError) error = NULL;
  if (target != NULL)
    {
      if (rw_report_write (report, format, target, &error))
        {
          g_printerr ("wrote %s\n", target);
          return TRUE;
        }
      *status = rw_fail (RW_EXIT_FAILED, "%s cannot be written: %s", target, error->message);
      return FALSE;
    }
  g_autofree char *text = format == RW_REPORT_TEXT ? rw_report_text (report, rw_is_terminal (STDOUT_FILENO)) : NULL;
  g_autoptr (GBytes) bytes = text == NULL ? rw_report_emit (report, format) : g_bytes_new (text, strlen (text));
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);
  if (fwrite (data, 1, size, stdout) == size && fflush (stdout) == 0)
    return TRUE;
  *status = rw_fail (RW_EXIT_FAILED, "the report cannot be written to standard output: %s", g_strerror (errno));
  return FALSE;
}

static const char *
suppressions (void)
{
  return ignore != NULL ? ignore : ".racewalk-ignore";
}

static int
serve_report (const char *path)
{
  g_autoptr (GError) error = NULL;
  RwReportOptions options = { .baseline = baseline, .suppressions = suppressions () };
  if (port < 0 || port > 65535)
    return rw_fail (RW_EXIT_USAGE, "report: --port is 0 to 65535, not %d", port);
  g_autoptr (RwServe) server = rw_serve_new (path, &options, (guint)port, &error);
  if (server == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_unix_signal_add (SIGINT, (GSourceFunc)(void (*) (void))g_main_loop_quit, loop);
  g_unix_signal_add (SIGTERM, (GSourceFunc)(void (*) (void))g_main_loop_quit, loop);
  printf ("%s\n", rw_serve_url (server));
  fflush (stdout);
  g_printerr ("The address works once. Ctrl-C ends it.\n");
  g_main_loop_run (loop);
  return RW_EXIT_OK;
}

static int
write_playwright (const RwReport *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = rw_report_playwright (self, playwright, &error);
  if (text == NULL)
    return rw_fail (RW_EXIT_USAGE, "%s", error->message);
  if (output == NULL || strcmp (output, "-") == 0)
    fputs (text, stdout);
  else if (!g_file_set_contents (output, text, -1, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  return RW_EXIT_OK;
}

static int
report (const char *path, GArray *formats, RwFailOn fail_on)
{
  g_autoptr (GError) error = NULL;
  RwReportOptions options = { .baseline = baseline, .suppressions = suppressions () };
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_READ, &error);
  g_autoptr (RwReport) self = recording != NULL ? rw_report_new (recording, &options, &error) : NULL;
  int status = RW_EXIT_OK;
  if (self == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  if (playwright != NULL)
    return write_playwright (self);
  for (guint i = 0; i < formats->len; i++)
    {
      RwReportFormat format = g_array_index (formats, RwReportFormat, i);
      g_autofree char *target = target_of (path, format, formats->len);
      if (!write_one (self, format, target, &status))
        return status;
    }
  return rw_report_fails (self, fail_on) ? RW_EXIT_HARMFUL : RW_EXIT_OK;
}

static int
report_main (int argc, char **argv)
{
  g_autoptr (GArray) formats = g_array_new (FALSE, FALSE, sizeof (RwReportFormat));
  RwFailOn fail_on = RW_FAIL_ON_HARMFUL;
  int status;
  if (!rw_command_parse (&rw_command_report, entries, description, &argc, &argv, &status)
      || !parse_formats (formats, &status))
    return status;
  if (argc != 2)
    return rw_fail (RW_EXIT_USAGE, "report: name one recording; see racewalk report --help");
  if (fail_on_name != NULL && !rw_fail_on_from_name (fail_on_name, &fail_on))
    return rw_fail (RW_EXIT_USAGE, "report: --fail-on is harmful, suspicious, any or none, not '%s'", fail_on_name);
  return serve ? serve_report (argv[1]) : report (argv[1], formats, fail_on);
}

const RwCommand rw_command_report = { "report", "FILE.rwk", "writes the report of a recording", report_main };
