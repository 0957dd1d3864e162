/* SPDX-License-Identifier: MIT */
/* The program: finds the subcommand and hands over. */
#include "rw-command.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const RwCommand *const commands[] = {
  &rw_command_run,   &rw_command_record, &rw_command_explore, &rw_command_replay,     &rw_command_report,
  &rw_command_races, &rw_command_mark,   &rw_command_model,   &rw_command_instrument, &rw_command_browser_host,
};

static void
print_help (void)
{
  puts ("Usage: racewalk COMMAND [OPTION...] ...\n\n"
        "Finds the event races of a web page, runs both orders of each, and says which ones matter.\n\nCommands:");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (commands[i]->summary != NULL)
      printf ("  %-11s %-22s %s\n", commands[i]->name, commands[i]->arguments, commands[i]->summary);
  puts ("\nracewalk COMMAND --help tells the options of one.\n"
        "Exit status: 0 nothing harmful, 1 something harmful, 2 wrong use, 3 it could not be done.");
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  if (argc < 2)
    return rw_fail (RW_EXIT_USAGE, "no command; see racewalk --help");
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || strcmp (argv[1], "help") == 0)
    {
      print_help ();
      return RW_EXIT_OK;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      puts ("racewalk " RACEWALK_VERSION);
      return RW_EXIT_OK;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i]->name, argv[1]) == 0)
      return commands[i]->main (argc - 1, argv + 1);
  return rw_fail (RW_EXIT_USAGE, "no command '%s'; see racewalk --help", argv[1]);
}
