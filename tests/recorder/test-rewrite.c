/* SPDX-License-Identifier: MIT */
/* Snippets evaluated plain and rewritten in a bare JavaScriptCore: same value, same errors, same order of side effects. */
#include "rw-rewrite-engine.h"

#include <string.h>

typedef void (*SnippetFunc) (JSCVirtualMachine *machine, const char *name, const char *code);

static void
compare (JSCVirtualMachine *machine, const char *name, const char *code)
{
  const char *scripts[] = { code, NULL };
  g_autofree char *plain = rw_engine_run (machine, scripts, FALSE);
  g_autofree char *logged = rw_engine_run (machine, scripts, TRUE);
  if (g_strcmp0 (plain, logged) == 0)
    return;
  g_test_message ("%s\nplain:     %s\nrewritten: %s\ncode:      %s", name, plain, logged, code);
  g_test_fail ();
}

/* The grammar has holes; such a script is served as it is. When one is mended, the snippet gets another name. */
static gboolean
is_hole (const char *name, const char *code)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean expected = g_str_has_prefix (name, "as it is: ");
  g_autofree char *rewritten = rw_rewrite (code, strlen (code), RW_SCRIPT_CLASSIC, FALSE, 1, places, NULL, NULL);
  if ((rewritten == NULL) != expected)
    {
      g_test_message ("%s: %s", name, expected ? "is understood now" : "is not understood");
      g_test_fail ();
    }
  return rewritten == NULL;
}

static void
check_script (JSCVirtualMachine *machine, const char *name, const char *code)
{
  if (!is_hole (name, code))
    compare (machine, name, code);
}

/* The same code as the argument of a direct eval, inside a function that has variables of its own. */
static void
check_eval (JSCVirtualMachine *machine, const char *name, const char *code)
{
  g_autoptr (JSCContext) context = jsc_context_new_with_virtual_machine (machine);
  g_autoptr (JSCValue) string = jsc_value_new_string (context, code);
  g_autofree char *quoted = jsc_value_to_json (string, 0);
  g_autofree char *script = g_strdup_printf ("(function (local) { return eval(%s); })(1)", quoted);
  compare (machine, name, script);
}

/* snippets.txt: "# NAME" lines, each followed by the code. */
static void
for_each_snippet (SnippetFunc func)
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
      func (machine, snippets[i], code);
      n++;
    }
  g_test_message ("%u snippets", n);
  g_assert_cmpuint (n, >=, 400);
}

static void
test_scripts (void)
{
  for_each_snippet (check_script);
}

static void
test_evals (void)
{
  for_each_snippet (check_eval);
}

static void
test_lines (void)
{
  const char *code = "var a = {\n  b: 1 }\na\n.b\n.c\n?.d\na[\n0\n](\n1)\n;a.b\n=\n2\nfor (let i\nof\n[])\n() => i++\n`${a\n.b}`\n";
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  gsize length;
  g_autoptr (GError) error = NULL;
  g_autofree char *rewritten = rw_rewrite (code, strlen (code), RW_SCRIPT_CLASSIC, FALSE, 1, places, &length, &error);
  guint lines = 0, rewritten_lines = 0;
  g_assert_no_error (error);
  for (const char *c = code; *c != '\0'; c++)
    lines += *c == '\n';
  for (const char *c = rewritten; *c != '\0'; c++)
    rewritten_lines += *c == '\n';
  g_assert_cmpuint (lines, ==, rewritten_lines);
}

static void
test_places (void)
{
  const char *code = "foo.bar = baz[1]";
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 before = 99;
  g_array_append_val (places, before);
  g_autofree char *rewritten = rw_rewrite (code, strlen (code), RW_SCRIPT_CLASSIC, FALSE, 500, places, NULL, NULL);
  g_assert_nonnull (strstr (rewritten, "\"bar\",501,"));
  g_assert_cmpuint (g_array_index (places, guint32, 0), ==, 99);
  g_assert_cmpuint (g_array_index (places, guint32, 1), ==, 0);
  g_assert_cmpuint (g_array_index (places, guint32, 2), ==, 4);
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *code;
    RwRewriteError error;
  } cases[] = { { "var = 1", RW_REWRITE_ERROR_SYNTAX },
                { "$rw$.g(1)", RW_REWRITE_ERROR_RESERVED },
                { "<div/>", RW_REWRITE_ERROR_SYNTAX },
                { "a(", RW_REWRITE_ERROR_SYNTAX } };
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (rw_rewrite (cases[i].code, strlen (cases[i].code), RW_SCRIPT_CLASSIC, FALSE, 1, places, NULL, &error));
      g_assert_error (error, RW_REWRITE_ERROR, (int) cases[i].error);
    }
}

static void
test_nesting (void)
{
  g_autoptr (GString) code = g_string_new ("a");
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 20000; i++)
    g_string_append (code, ".b[c(1)]");
  g_assert_null (rw_rewrite (code->str, code->len, RW_SCRIPT_CLASSIC, FALSE, 1, places, NULL, &error));
  g_assert_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_LIMIT);
}

/* Not terminated: reading one byte too far shows under the sanitizer. */
static void
test_length (void)
{
  const char *code = "a.b = c;";
  g_autofree char *bytes = g_memdup2 (code, strlen (code));
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree char *rewritten = rw_rewrite (bytes, strlen (code), RW_SCRIPT_CLASSIC, FALSE, 1, places, NULL, NULL);
  g_assert_nonnull (rewritten);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/rewrite/code-behaves-as-before", test_scripts);
  g_test_add_func ("/recorder/rewrite/code-given-to-eval-behaves-as-before", test_evals);
  g_test_add_func ("/recorder/rewrite/lines-stay", test_lines);
  g_test_add_func ("/recorder/rewrite/places-are-numbered-from-the-base", test_places);
  g_test_add_func ("/recorder/rewrite/what-is-not-javascript-is-refused", test_refusals);
  g_test_add_func ("/recorder/rewrite/deep-nesting-is-refused", test_nesting);
  g_test_add_func ("/recorder/rewrite/the-source-needs-no-end-mark", test_length);
  return g_test_run ();
}
