/* SPDX-License-Identifier: MIT */
/* racewalk instrument: shows what the rewriter makes of a script, or of many. */
#include "rw-command.h"
#include "rw-rewrite.h"
#include "rw-runtime.h"

#include <errno.h>
#include <jsc/jsc.h>
#include <stdio.h>
#include <string.h>

static gboolean option_module;
static gboolean option_standalone;
static char *option_batch;
static char *option_out;

static const GOptionEntry entries[] = {
  { "module", 0, 0, G_OPTION_ARG_NONE, &option_module, "The script is a module (so is a name that ends in .mjs or .module.js)", NULL },
  { "standalone", 0, 0, G_OPTION_ARG_NONE, &option_standalone, "Put the runtime in front, to run it without a browser", NULL },
  { "batch", 0, 0, G_OPTION_ARG_FILENAME, &option_batch, "Rewrite every file that LIST names, one a line", "LIST" },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &option_out, "Where a batch goes, under the names that the list gives", "DIR" },
  { NULL }
};

static const char description[]
    = "A script that the engine would not accept, before or after rewriting, comes out as it is. A batch says which on\n"
      "standard error, and how many on standard output.";

typedef enum
{
  RESULT_REWRITTEN,
  RESULT_REJECTED, /* by the engine, as it is */
  RESULT_AS_IT_IS, /* by the rewriter */
  RESULT_BROKEN    /* by the engine, as rewritten */
} Result;

static gboolean
is_syntax_fine (JSCContext *context, const char *code, gsize length, gboolean module, char **message)
{
  g_autoptr (JSCException) exception = NULL;
  JSCCheckSyntaxMode mode = module ? JSC_CHECK_SYNTAX_MODE_MODULE : JSC_CHECK_SYNTAX_MODE_SCRIPT;
  if (jsc_context_check_syntax (context, code, length, mode, "instrument:", 1, &exception) == JSC_CHECK_SYNTAX_RESULT_SUCCESS)
    return TRUE;
  if (exception != NULL && message != NULL)
    *message = jsc_exception_to_string (exception);
  return FALSE;
}

/* *@text gets what to serve; *@why, unless it was rewritten, the reason. */
static Result
instrument (JSCContext *context, const char *source, gsize length, gboolean module, char **text, gsize *text_length, char **why)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  RwScriptKind kind = module ? RW_SCRIPT_MODULE : RW_SCRIPT_CLASSIC;
  Result result = RESULT_REWRITTEN;
  g_autofree char *rewritten = NULL;

  if (!is_syntax_fine (context, source, length, module, why))
    result = RESULT_REJECTED;
  else if ((rewritten = rw_rewrite (source, length, kind, FALSE, 1, places, text_length, &error)) == NULL)
    {
      result = RESULT_AS_IT_IS;
      *why = g_strdup (error->message);
    }
  else if (!is_syntax_fine (context, rewritten, *text_length, module, why))
    result = RESULT_BROKEN;
  if (result == RESULT_REWRITTEN)
    *text = g_steal_pointer (&rewritten);
  else
    {
      *text = g_memdup2 (source, length + 1);
      *text_length = length;
    }
  return result;
}

static gboolean
is_module (const char *path)
{
  return option_module || g_str_has_suffix (path, ".mjs") || g_str_has_suffix (path, ".module.js");
}

/* The runtime as the page gets it, without what needs a page; everything is one event. */
static char *
make_prelude (void)
{
  return g_strconcat ("const $rw$ = (() => { \"use strict\";\n", rw_runtime_natives, rw_runtime_access,
                      "\nlogBegin(\"1\");\nreturn accessHooks; })();\n", NULL);
}

static gboolean
write_output (const char *name, const char *text, gsize length, GError **error)
{
  const char *relative = name + strspn (name, "/.");
  g_autofree char *path = g_build_filename (option_out, relative, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  if (strstr (relative, "/../") != NULL || g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "cannot make the folder %s", folder);
      return FALSE;
    }
  if (!option_standalone)
    return g_file_set_contents_full (path, text, length, G_FILE_SET_CONTENTS_NONE, 0666, error);
  g_autofree char *prelude = make_prelude ();
  g_autofree char *whole = g_strconcat (prelude, text, NULL);
  return g_file_set_contents_full (path, whole, -1, G_FILE_SET_CONTENTS_NONE, 0666, error);
}

static int
instrument_batch (JSCContext *context)
{
  g_autofree char *list = NULL;
  g_autoptr (GError) error = NULL;
  guint counts[RESULT_BROKEN + 1] = { 0 };
  if (!g_file_get_contents (option_batch, &list, NULL, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_auto (GStrv) names = g_strsplit (list, "\n", -1);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *source = NULL;
      g_autofree char *text = NULL;
      g_autofree char *why = NULL;
      gsize length;
      gsize text_length;
      if (*g_strchomp (names[i]) == '\0')
        continue;
      if (!g_file_get_contents (names[i], &source, &length, &error))
        return rw_fail (RW_EXIT_FAILED, "%s", error->message);
      Result result = instrument (context, source, length, is_module (names[i]), &text, &text_length, &why);
      counts[result]++;
      if (result == RESULT_AS_IT_IS || result == RESULT_BROKEN)
        g_printerr ("%s: %s: %s\n", names[i], result == RESULT_BROKEN ? "broken" : "as it is", why);
      if (!write_output (names[i], text, text_length, &error))
        return rw_fail (RW_EXIT_FAILED, "%s", error->message);
    }
  printf ("%u rewritten, %u as they are, %u broken, %u not accepted by the engine\n", counts[RESULT_REWRITTEN],
          counts[RESULT_AS_IT_IS], counts[RESULT_BROKEN], counts[RESULT_REJECTED]);
  return RW_EXIT_OK;
}

static int
instrument_one (JSCContext *context, const char *path)
{
  g_autofree char *source = NULL;
  g_autofree char *text = NULL;
  g_autofree char *why = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;
  gsize text_length;
  if (!g_file_get_contents (path, &source, &length, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  Result result = instrument (context, source, length, is_module (path), &text, &text_length, &why);
  if (result != RESULT_REWRITTEN)
    return rw_fail (RW_EXIT_FAILED, "%s: cannot be rewritten, it would be served as it is: %s", path, why);
  if (option_standalone)
    {
      g_autofree char *prelude = make_prelude ();
      fputs (prelude, stdout);
    }
  fwrite (text, 1, text_length, stdout);
  return fflush (stdout) == 0 ? RW_EXIT_OK : rw_fail (RW_EXIT_FAILED, "cannot write: %s", g_strerror (errno));
}

static int
instrument_main (int argc, char **argv)
{
  int status;
  if (!rw_command_parse (&rw_command_instrument, entries, description, &argc, &argv, &status))
    return status;
  if ((option_batch != NULL) != (option_out != NULL))
    return rw_fail (RW_EXIT_USAGE, "instrument: --batch and --out go together");
  if (argc != (option_batch != NULL ? 1 : 2))
    return rw_fail (RW_EXIT_USAGE, "instrument: needs one FILE, or --batch and --out; see racewalk instrument --help");
  g_autoptr (JSCContext) context = jsc_context_new ();
  return option_batch != NULL ? instrument_batch (context) : instrument_one (context, argv[1]);
}

const RwCommand rw_command_instrument = { "instrument", "FILE", "Prints a script as the recorder rewrites it", instrument_main };
