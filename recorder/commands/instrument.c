/* SPDX-License-Identifier: MIT */
/* racewalk instrument: shows what the rewriter makes of a script. */
#include "rw-command.h"
#include "rw-rewrite.h"
#include "rw-runtime.h"

#include <stdio.h>

static gboolean option_module;
static gboolean option_standalone;

static const GOptionEntry entries[] = {
  { "module", 0, 0, G_OPTION_ARG_NONE, &option_module, "The script is a module", NULL },
  { "standalone", 0, 0, G_OPTION_ARG_NONE, &option_standalone, "Put the runtime in front, to run it without a browser", NULL },
  { NULL }
};

/* The runtime as the page gets it, but nothing that needs a page. */
static void
print_prelude (void)
{
  fputs ("const $rw$ = (() => { \"use strict\";\n", stdout);
  fputs (rw_runtime_natives, stdout);
  fputs (rw_runtime_access, stdout);
  fputs ("\nlogBegin(\"1\");\nreturn accessHooks; })();\n", stdout);
}

static int
instrument_main (int argc, char **argv)
{
  int status;
  g_autofree char *source = NULL;
  gsize length;
  gsize out_length;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!rw_command_parse (&rw_command_instrument, entries, NULL, &argc, &argv, &status))
    return status;
  if (argc != 2)
    return rw_fail (RW_EXIT_USAGE, "instrument: needs one FILE; see racewalk instrument --help");
  if (!g_file_get_contents (argv[1], &source, &length, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_autofree char *result = rw_rewrite (source, length, option_module ? RW_SCRIPT_MODULE : RW_SCRIPT_CLASSIC, FALSE, 1, places,
                                        &out_length, &error);
  if (result == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s: cannot be rewritten: %s", argv[1], error->message);
  if (option_standalone)
    print_prelude ();
  fwrite (result, 1, out_length, stdout);
  return RW_EXIT_OK;
}

const RwCommand rw_command_instrument = { "instrument", "FILE", "Prints a script as the recorder rewrites it", instrument_main };
