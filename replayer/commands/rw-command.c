/* SPDX-License-Identifier: MIT */
/* What all subcommands share: errors in one line, option parsing, terminal checks. */
#include "rw-command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
rw_fail (RwExit status, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_strdelimit (message, "\r\n", ' ');
  g_printerr ("racewalk: %s\n", message);
  return status;
}

gboolean
rw_is_terminal (int fd)
{
  const char *term = g_getenv ("TERM");
  return isatty (fd) && g_getenv ("NO_COLOR") == NULL && term != NULL && strcmp (term, "dumb") != 0;
}

gboolean
rw_command_parse (const RwCommand *self, const GOptionEntry *entries, const char *description, int *argc, char ***argv,
                  int *status)
{
  g_autoptr (GOptionContext) context = g_option_context_new (self->arguments);
  g_autofree char *program = g_strdup_printf ("racewalk %s", self->name);
  g_autoptr (GError) error = NULL;
  gboolean help = FALSE;

  for (int i = 1; i < *argc; i++)
    if (strcmp ((*argv)[i], "--") == 0)
      break;
    else if (strcmp ((*argv)[i], "--help") == 0 || strcmp ((*argv)[i], "-h") == 0)
      help = TRUE;
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_summary (context, self->summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  if (help)
    {
      g_set_prgname (program);
      g_autofree char *text = g_option_context_get_help (context, TRUE, NULL);
      fputs (text, stdout);
      *status = RW_EXIT_OK;
      return FALSE;
    }
  if (g_option_context_parse (context, argc, argv, &error))
    return TRUE;
  *status = rw_fail (RW_EXIT_USAGE, "%s: %s; see racewalk %s --help", self->name, error->message, self->name);
  return FALSE;
}
