/* SPDX-License-Identifier: MIT */
/* A bare JavaScriptCore for the rewriter's tests. */
#include "rw-rewrite-engine.h"

#include "rw-runtime.h"

#include <string.h>

/* What scripts may use: log(...) writes into a list that is compared. */
static const char helpers[] = "var $out = []; var log = (...a) => { $out.push(a.map((x) => typeof x === 'symbol' ? x.toString() :"
                              " typeof x === 'bigint' ? x + 'n' : Object.is(x, -0) ? '-0' : String(x)).join(' ')); };";

typedef struct
{
  JSCContext *context;
  guint place;
} Page;

static char *
native_rewrite_cb (const char *source, const char *name, gboolean strict, Page *page)
{
  RwScriptKind kind;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_assert_true (rw_script_kind_from_name (name, &kind));
  char *result = rw_rewrite (source, strlen (source), kind, strict, page->place, places, NULL, NULL);
  page->place += places->len + 1;
  return result != NULL ? result : g_strdup (source);
}

static void
add_runtime (Page *page)
{
  g_autoptr (JSCValue) rewrite
      = jsc_value_new_function (page->context, "nativeRewrite", G_CALLBACK (native_rewrite_cb), page, NULL, G_TYPE_STRING, 3,
                                G_TYPE_STRING, G_TYPE_STRING, G_TYPE_BOOLEAN);
  jsc_context_set_value (page->context, "$nativeRewrite", rewrite);
  g_autofree char *runtime = g_strconcat ("const $rw$ = ((nativeRewrite) => { \"use strict\";\n", rw_runtime_natives,
                                          rw_runtime_access, "\nlogBegin(\"e1\"); return accessHooks; })($nativeRewrite);"
                                          "delete globalThis.$nativeRewrite;", NULL);
  g_autoptr (JSCValue) done = jsc_context_evaluate_with_source_uri (page->context, runtime, -1, "runtime:///", 1);
  JSCException *exception = jsc_context_get_exception (page->context);
  if (exception != NULL)
    g_error ("the runtime does not run: %s", jsc_exception_report (exception));
}

static char *
evaluate (Page *page, const char *code, gboolean rewrite, gboolean *failed)
{
  g_autofree char *rewritten = NULL;
  gsize length = strlen (code);
  if (rewrite)
    {
      g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_autoptr (GError) error = NULL;
      rewritten = rw_rewrite (code, strlen (code), RW_SCRIPT_CLASSIC, FALSE, page->place, places, &length, &error);
      g_assert_no_error (error);
      page->place += places->len + 1;
    }
  g_autoptr (JSCValue) value = jsc_context_evaluate_with_source_uri (page->context, rewrite ? rewritten : code, length,
                                                                    "test:///script.js", 1);
  JSCException *exception = jsc_context_get_exception (page->context);
  char *text = exception != NULL ? g_strdup_printf ("%s: %s", jsc_exception_get_name (exception),
                                                    jsc_exception_get_message (exception))
                                 : jsc_value_to_string (value);
  *failed = exception != NULL;
  jsc_context_clear_exception (page->context);
  return text;
}

char *
rw_engine_run (JSCVirtualMachine *machine, const char *const *scripts, gboolean rewrite)
{
  g_autoptr (JSCContext) context = jsc_context_new_with_virtual_machine (machine);
  Page page = { context, 1 };
  g_autofree char *result = NULL;
  g_autoptr (JSCValue) ready = jsc_context_evaluate (context, helpers, -1);
  if (rewrite)
    add_runtime (&page);
  gboolean failed = FALSE;
  for (guint i = 0; scripts[i] != NULL && !failed; i++)
    {
      g_free (result);
      result = evaluate (&page, scripts[i], rewrite, &failed);
    }
  g_autoptr (JSCValue) out = jsc_context_evaluate (context, "$out.join('; ')", -1);
  g_autofree char *effects = jsc_value_to_string (out);
  return g_strdup_printf ("%s | %s", result, effects);
}

gboolean
rw_engine_accepts (JSCContext *context, const char *code, gsize length, gboolean module)
{
  g_autoptr (JSCException) exception = NULL;
  JSCCheckSyntaxMode mode = module ? JSC_CHECK_SYNTAX_MODE_MODULE : JSC_CHECK_SYNTAX_MODE_SCRIPT;
  return jsc_context_check_syntax (context, code, length, mode, "test:///script.js", 1, &exception)
         == JSC_CHECK_SYNTAX_RESULT_SUCCESS;
}

gboolean
rw_engine_check (JSCContext *context, const char *code, gsize length, gboolean module, gboolean *refused)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  gsize rewritten_length;
  g_autofree char *rewritten = rw_rewrite (code, length, module ? RW_SCRIPT_MODULE : RW_SCRIPT_CLASSIC, FALSE, 1, places,
                                           &rewritten_length, NULL);
  if (refused != NULL)
    *refused = rewritten == NULL;
  return rewritten == NULL || rw_engine_accepts (context, rewritten, rewritten_length, module)
         || !rw_engine_accepts (context, code, length, module);
}

const char *
rw_engine_packages (void)
{
  static char *folder;
  if (folder == NULL)
    {
      g_autofree char *to = g_build_filename (RW_SOURCE_DIR, ".build", "rewrite-packages", NULL);
      g_autofree char *fetch = g_build_filename (RW_SOURCE_DIR, "tests", "recorder", "rewrite-packages", "fetch", NULL);
      const char *argv[] = { "bash", fetch, to, NULL };
      int status = 1;
      if (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL) && status == 0)
        folder = g_build_filename (to, "node_modules", NULL);
      else
        folder = g_strdup ("");
    }
  return *folder != '\0' ? folder : NULL;
}

static void
collect (GPtrArray *files, const char *folder, const char *suffix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        collect (files, path, suffix);
      else if (g_str_has_suffix (name, suffix))
        g_ptr_array_add (files, g_steal_pointer (&path));
    }
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
rw_engine_files (const char *folder, const char *suffix)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *path = g_build_filename (rw_engine_packages (), folder, NULL);
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    g_ptr_array_add (files, g_steal_pointer (&path));
  else
    collect (files, path, suffix);
  g_ptr_array_sort (files, compare_paths);
  return files;
}
