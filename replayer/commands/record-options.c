/* SPDX-License-Identifier: MIT */
/* The options of recording on the command line. */
#include "rw-record-options.h"

#include "rw-command.h"

#include <stdio.h>

GOptionEntry *
rw_record_entries (const GOptionEntry *own, RwRecordOptions *options)
{
  const GOptionEntry shared[] = {
    { "scenario", 's', 0, G_OPTION_ARG_FILENAME, (gpointer)&options->scenario, "what the user does", "FILE" },
    { "no-input", 0, 0, G_OPTION_ARG_NONE, &options->no_input, "nobody touches the page", NULL },
    { "events", 0, 0, G_OPTION_ARG_INT, &options->max_steps, "at most so many steps of automatic input (20)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options->seconds, "stop after so much virtual time (10)", "S" },
    { "max-events", 0, 0, G_OPTION_ARG_INT, &options->max_events, "stop after so many events of the page (20000)", "N" },
    { "width", 0, 0, G_OPTION_ARG_INT, &options->width, "of the window (1024)", "PX" },
    { "height", 0, 0, G_OPTION_ARG_INT, &options->height, "of the window (768)", "PX" },
    { "insecure", 0, 0, G_OPTION_ARG_NONE, &options->insecure, "take certificates that do not verify", NULL },
    G_OPTION_ENTRY_NULL,
  };
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (GOptionEntry));
  for (; own->long_name != NULL; own++)
    g_array_append_val (entries, *own);
  g_array_append_vals (entries, shared, G_N_ELEMENTS (shared));
  return (GOptionEntry *)(gpointer)g_array_free (entries, FALSE);
}

gboolean
rw_record_check_options (const RwRecordOptions *options, int *status)
{
  *status = RW_EXIT_OK;
  if ((int)options->width < 100 || options->width > 8192 || (int)options->height < 100 || options->height > 8192)
    *status = rw_fail (RW_EXIT_USAGE, "--width and --height lie between 100 and 8192");
  else if (!(options->seconds > 0 && options->seconds <= 3600))
    *status = rw_fail (RW_EXIT_USAGE, "--seconds lies between 0 and 3600");
  else if ((int)options->max_events < 1)
    *status = rw_fail (RW_EXIT_USAGE, "--max-events is at least 1");
  else if ((int)options->max_steps < 0)
    *status = rw_fail (RW_EXIT_USAGE, "--events is at least 0");
  return *status == RW_EXIT_OK;
}

void
rw_record_print (const RwRecorded *recorded, const char *path)
{
  printf ("Recorded %u events, %" G_GUINT64_FORMAT " accesses, %u network answers, %u steps of %s input in %s.\n",
          recorded->events, recorded->accesses, recorded->exchanges, recorded->steps,
          recorded->automatic ? "automatic" : "given", path);
  if (recorded->note != NULL)
    printf ("The recording was cut by a %s.\n", recorded->note);
  if (recorded->holes > 0)
    printf ("%u callbacks were entered outside the schedule and are not explored; first: %s.\n", recorded->holes,
            recorded->first_hole);
}
