/* SPDX-License-Identifier: MIT */
/* racewalk explore: run the other orders of a recording. */
#include "rw-command.h"
#include "rw-explore-options.h"

static int
explore_main (int argc, char **argv)
{
  RwExploreArguments arguments = RW_EXPLORE_ARGUMENTS_DEFAULT;
  RwLoopOptions options;
  const GOptionEntry none[] = { G_OPTION_ENTRY_NULL };
  int status;
  g_autofree GOptionEntry *entries = rw_explore_entries (none, &arguments);
  if (!rw_command_parse (&rw_command_explore, entries,
                         "Every run is saved as soon as it is done: after Ctrl-C the same command goes on where it stopped.",
                         &argc, &argv, &status))
    return status;
  if (argc != 2)
    return rw_fail (RW_EXIT_USAGE, "explore: name one recording");
  if (!rw_explore_check_arguments (&arguments, &options, &status))
    return status;
  return rw_explore_run (argv[1], &arguments, &options);
}

const RwCommand rw_command_explore = {
  .name = "explore",
  .arguments = "PAGE.rwk",
  .summary = "reverse the conflicts of a recording and run the new orders",
  .main = explore_main,
};
