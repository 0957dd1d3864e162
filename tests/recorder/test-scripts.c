/* SPDX-License-Identifier: MIT */
/* The registry of rewritten scripts: stable texts and places, syntax checked, nothing rewritten twice. */
#include <string.h>

#include "rw-scripts-private.h"

static const char *
rewrite (RwScripts *scripts, const char *url, guint line, guint column, RwScriptKind kind, const char *source)
{
  RwScriptSource where = { .url = url, .line = line, .column = column, .kind = kind };
  return rw_scripts_rewrite (scripts, &where, source, -1, NULL);
}

static const char *
rewrite_file (RwScripts *scripts, const char *url, const char *source)
{
  return rewrite (scripts, url, 1, 1, RW_SCRIPT_CLASSIC, source);
}

static void
test_same (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  const char *first = rewrite_file (scripts, "http://a/x.js", "x = 1");
  const char *other = rewrite_file (scripts, "http://a/y.js", "x = 1");
  guint places = rw_scripts_n_places (scripts);
  g_assert_true (rewrite_file (scripts, "http://a/x.js", "x = 1") == first);
  g_assert_cmpuint (rw_scripts_n_places (scripts), ==, places);
  g_assert_cmpuint (rw_scripts_n_rewritten (scripts), ==, 2);
  /* The same text elsewhere has places of its own. */
  g_assert_cmpstr (first, !=, other);
  g_assert_cmpstr (rewrite (scripts, "http://a/x.js", 1, 1, RW_SCRIPT_MODULE, "x = 1"), !=, first);
}

/* Places of a script, in order, as one text. */
static char *
places_of (RwScripts *scripts, guint first)
{
  GString *out = g_string_new (NULL);
  for (guint i = first; i <= rw_scripts_n_places (scripts); i++)
    g_string_append_printf (out, "%s ", rw_scripts_place (scripts, i));
  return g_string_free (out, FALSE);
}

static void
test_places (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  g_assert_null (rw_scripts_place (scripts, 0));
  g_assert_null (rw_scripts_place (scripts, 1));
  rewrite_file (scripts, "http://a/x.js", "aa = 1;\r\n  b = 2;\xe2\x80\xa8 '😀', c = 3");
  g_autofree char *file = places_of (scripts, 1);
  g_assert_nonnull (strstr (file, "http://a/x.js:1:1 "));
  g_assert_nonnull (strstr (file, "http://a/x.js:2:3 "));
  g_assert_nonnull (strstr (file, "http://a/x.js:3:8 "));
  guint first = rw_scripts_n_places (scripts) + 1;
  rewrite (scripts, "http://a/", 5, 20, RW_SCRIPT_CLASSIC, "d = 1\ne = 2");
  g_autofree char *inlined = places_of (scripts, first);
  g_assert_nonnull (strstr (inlined, "http://a/:5:20 "));
  g_assert_nonnull (strstr (inlined, "http://a/:6:1 "));
  g_assert_null (rw_scripts_place (scripts, rw_scripts_n_places (scripts) + 1));
  g_assert_true (rw_scripts_place (scripts, 1) == rw_scripts_place (scripts, 1));
}

static void
test_positions (void)
{
  /* Longer than a checkpoint, in one line and in many. */
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < 5000; i++)
    g_string_append (text, i % 1000 == 999 ? "\n" : "é");
  RwPositions *positions = rw_positions_new (text->str, text->len, RW_LINES_HTML);
  guint line = 1;
  guint column = 1;
  for (gsize i = 0; i <= text->len; i++)
    {
      guint found_line, found_column;
      rw_positions_find (positions, i, &found_line, &found_column);
      gboolean inside = i < text->len && ((guchar)text->str[i] & 0xc0) == 0x80;
      if (!inside)
        {
          g_assert_cmpuint (found_line, ==, line);
          g_assert_cmpuint (found_column, ==, column);
        }
      if (i < text->len && text->str[i] == '\n')
        {
          line++;
          column = 1;
        }
      else if (!inside)
        column++;
    }
  rw_positions_free (positions);
}

static void
test_twice (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  const char *original = NULL;
  const char *served = rewrite_file (scripts, "http://a/x.js", "x = 1");
  g_assert_cmpstr (rewrite (scripts, "http://a/", 3, 1, RW_SCRIPT_CLASSIC, served), ==, served);
  g_assert_cmpuint (rw_scripts_n_rewritten (scripts), ==, 1);
  g_assert_true (rw_scripts_original (scripts, served, -1, &original));
  g_assert_cmpstr (original, ==, "x = 1");
  g_assert_false (rw_scripts_original (scripts, "x = 1", -1, NULL));
}

static void
test_broken (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  g_assert_cmpstr (rewrite_file (scripts, "u", "x = "), ==, "x = ");
  g_assert_cmpstr (rewrite_file (scripts, "u", "let a; let a"), ==, "let a; let a");
  g_assert_cmpstr (rewrite_file (scripts, "u", "import 'a'"), ==, "import 'a'");
  g_assert_cmpstr (rewrite (scripts, "u", 1, 1, RW_SCRIPT_HANDLER, "a b"), ==, "a b");
  g_assert_cmpuint (rw_scripts_failures (scripts)->len, ==, 0);
  g_assert_cmpuint (rw_scripts_n_rewritten (scripts), ==, 0);
}

static void
test_refused (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  g_assert_cmpstr (rewrite (scripts, "http://a/", 4, 9, RW_SCRIPT_CLASSIC, "$rw$ = 1"), ==, "$rw$ = 1");
  g_assert_cmpuint (rw_scripts_failures (scripts)->len, ==, 1);
  g_assert_true (g_str_has_prefix (rw_scripts_failures (scripts)->pdata[0], "http://a/:4:9: "));
  /* Counted once, however often it is served. */
  rewrite (scripts, "http://a/", 4, 9, RW_SCRIPT_CLASSIC, "$rw$ = 1");
  g_assert_cmpuint (rw_scripts_failures (scripts)->len, ==, 1);
}

static void
test_kinds (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  g_assert_nonnull (strstr (rewrite (scripts, "u", 1, 1, RW_SCRIPT_MODULE, "import 'a'; x = await 1"), "$rw$"));
  g_assert_nonnull (strstr (rewrite (scripts, "u", 1, 1, RW_SCRIPT_HANDLER, "return x = event"), "$rw$"));
  g_assert_nonnull (strstr (rewrite (scripts, "u", 1, 1, RW_SCRIPT_EVAL, "x = 1"), "$rw$"));
  g_assert_nonnull (
      strstr (rewrite (scripts, "u", 1, 1, RW_SCRIPT_FUNCTION, "function anonymous(a\n) {\nreturn a.b\n}"), "$rw$"));
  g_assert_cmpuint (rw_scripts_failures (scripts)->len, ==, 0);
}

static void
test_empty_and_nul (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  gsize length;
  RwScriptSource where = { .url = "u", .kind = RW_SCRIPT_CLASSIC };
  g_assert_nonnull (rw_scripts_rewrite (scripts, &where, "", 0, &length));
  const char *text = rw_scripts_rewrite (scripts, &where, "a = 1 // \0 b", 12, &length);
  g_assert_cmpuint (length, >=, 12);
  g_assert_nonnull (text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/scripts/same-text-same-places", test_same);
  g_test_add_func ("/recorder/scripts/places-are-those-of-the-document", test_places);
  g_test_add_func ("/recorder/scripts/positions-in-long-lines", test_positions);
  g_test_add_func ("/recorder/scripts/nothing-is-rewritten-twice", test_twice);
  g_test_add_func ("/recorder/scripts/syntax-errors-stay-the-pages-own", test_broken);
  g_test_add_func ("/recorder/scripts/refused-scripts-are-counted-and-named", test_refused);
  g_test_add_func ("/recorder/scripts/every-kind-is-rewritten", test_kinds);
  g_test_add_func ("/recorder/scripts/empty-texts-and-nul-bytes", test_empty_and_nul);
  return g_test_run ();
}
