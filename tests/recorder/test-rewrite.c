/* SPDX-License-Identifier: MIT */
/* Snippets evaluated plain and rewritten in a bare JavaScriptCore: same value, same errors, same order of side effects. */
#include "rw-rewrite.h"
#include "rw-runtime.h"

#include <jsc/jsc.h>
#include <string.h>

/* What snippets may use: log(...) writes into a list that is compared. */
static const char helpers[] = "var $out = []; var log = (...a) => { $out.push(a.map((x) => typeof x === 'symbol' ? x.toString() :"
                              " typeof x === 'bigint' ? x + 'n' : Object.is(x, -0) ? '-0' : String(x)).join(' ')); };";

typedef struct
{
  JSCContext *context;
  guint place_base;
} Page;

static char *
native_rewrite_cb (const char *source, const char *name, gboolean strict, Page *page)
{
  RwScriptKind kind;
  g_assert_true (rw_script_kind_from_name (name, &kind));
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  char *result = rw_rewrite (source, strlen (source), kind, strict, page->place_base, places, NULL, NULL);
  page->place_base += places->len + 1;
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

/* "VALUE / ERROR | side effects" */
static char *
evaluate (JSCVirtualMachine *machine, const char *code, gsize length, gboolean with_runtime)
{
  g_autoptr (JSCContext) context = jsc_context_new_with_virtual_machine (machine);
  Page page = { context, 1000000 };
  g_autoptr (JSCValue) ready = jsc_context_evaluate (context, helpers, -1);
  if (with_runtime)
    add_runtime (&page);
  g_autoptr (JSCValue) value = jsc_context_evaluate_with_source_uri (context, code, length, "test:///snippet.js", 1);
  JSCException *exception = jsc_context_get_exception (context);
  g_autofree char *failed = NULL;
  if (exception != NULL)
    failed = g_strdup_printf ("%s: %s", jsc_exception_get_name (exception), jsc_exception_get_message (exception));
  jsc_context_clear_exception (context);
  g_autofree char *text = failed == NULL ? jsc_value_to_string (value) : NULL;
  jsc_context_clear_exception (context);
  g_autoptr (JSCValue) out = jsc_context_evaluate (context, "$out.join('; ')", -1);
  g_autofree char *effects = jsc_value_to_string (out);
  return g_strdup_printf ("%s | %s", failed != NULL ? failed : text, effects);
}

static void
check_snippet (JSCVirtualMachine *machine, const char *name, const char *code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  gsize length;
  g_autofree char *rewritten = rw_rewrite (code, strlen (code), RW_SCRIPT_CLASSIC, FALSE, 1, places, &length, &error);
  /* The grammar has holes; such a script is served as it is. When one is mended, the snippet gets another name. */
  if (rewritten == NULL && g_str_has_prefix (name, "as it is: "))
    return;
  if (rewritten == NULL || g_str_has_prefix (name, "as it is: "))
    {
      g_test_message ("%s: %s", name, error != NULL ? error->message : "is understood now");
      g_test_fail ();
      return;
    }
  g_autofree char *plain = evaluate (machine, code, -1, FALSE);
  g_autofree char *logged = evaluate (machine, rewritten, length, TRUE);
  if (g_strcmp0 (plain, logged) == 0)
    return;
  g_test_message ("%s\nplain:     %s\nrewritten: %s\ncode:      %s\nbecame:    %s", name, plain, logged, code, rewritten);
  g_test_fail ();
}

/* snippets.txt: "# NAME" lines, each followed by the code. */
static void
test_same_behaviour (void)
{
  g_autofree char *path = g_build_filename (RW_SOURCE_DIR, "tests", "recorder", "snippets.txt", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JSCVirtualMachine) machine = jsc_virtual_machine_new ();
  guint n = 0;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_auto (GStrv) snippets = g_strsplit (text, "\n# ", -1);
  for (guint i = 1; snippets[i] != NULL; i++)
    {
      char *code = strchr (snippets[i], '\n');
      g_assert_nonnull (code);
      *code++ = '\0';
      check_snippet (machine, snippets[i], code);
      n++;
    }
  g_test_message ("%u snippets", n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/rewrite/code-behaves-as-before", test_same_behaviour);
  return g_test_run ();
}
