/* SPDX-License-Identifier: MIT */
/* Real libraries, changed at random: whatever the engine accepts as it is, it accepts rewritten. */
#include "rw-rewrite-engine.h"

#include <string.h>

#define MAX_SIZE 12000

typedef struct
{
  char *text;
  gsize length;
  gboolean module;
} Seed;

static void
seed_free (gpointer data)
{
  Seed *seed = data;
  g_free (seed->text);
  g_free (seed);
}

static void
add_seeds (GPtrArray *seeds, const char *folder, const char *suffix, gboolean module)
{
  g_autoptr (GPtrArray) files = rw_engine_files (folder, suffix);
  for (guint i = 0; i < files->len; i++)
    {
      Seed *seed = g_new0 (Seed, 1);
      seed->module = module;
      if (g_file_get_contents (files->pdata[i], &seed->text, &seed->length, NULL) && seed->length < MAX_SIZE)
        g_ptr_array_add (seeds, seed);
      else
        seed_free (seed);
    }
}

/* Where a word, a number, or a mark begins at or after a random position, and where it ends. */
static void
pick_token (GRand *rand, const char *text, gsize length, gsize *start, gsize *end)
{
  gsize i = g_rand_int_range (rand, 0, MAX (length, 1));
  while (i > 0 && i < length && (g_ascii_isalnum (text[i]) && g_ascii_isalnum (text[i - 1])))
    i--;
  *start = i;
  while (i < length && g_ascii_isalnum (text[i]))
    i++;
  *end = i > *start ? i : MIN (*start + 1, length);
}

static const char *const pieces[] = {
  "a", "?.", "...", "=>", "await ", "yield ", "async ", "static ", "get ", "#p", "`", "${", "}", "/", "/*", "*/", "//", "\n", ";", ",", "(", ")", "[",
  "]", "{", "++", "--", "?" "?=", "||=", "&&=", "**=", "=", "in ", "of ", "let ", "const ", "var ", "new ", "delete ", "typeof ", "void ", "super",
  "this", "new.target", "import(x)", "import.meta", "eval(x)", "arguments", "with(a)", "a:", "break ", "continue ", "return ", "throw ", "class ",
  "extends ", "function ", "function*", "0", "1n", "'s'", "/r/", "\\u0061", "\xc3\xa9", "=>{}", "()=>", "[a]=", "{a}=", "a?.b", "a?.[b]", "a?.(b)",
  "a.b", "a[b]", "a`x`", "x=x||y", "for(let i of a)", "for(a.b in c)", "try{}catch{}", "switch(a){case b:let c}", "{let q;()=>q++}", "<!--", "-->",
};

static void
change (GRand *rand, GString *text, const Seed *other)
{
  gsize start, end, from, to;
  pick_token (rand, text->str, text->len, &start, &end);
  pick_token (rand, other->text, other->length, &from, &to);
  switch (g_rand_int_range (rand, 0, 7))
    {
    case 0:
      g_string_erase (text, start, end - start);
      break;
    case 1:
      g_string_erase (text, start, end - start);
      g_string_insert_len (text, start, other->text + from, to - from);
      break;
    case 2:
      g_string_insert_len (text, start, other->text + from, to - from);
      break;
    case 3:
      g_string_insert (text, start, g_rand_boolean (rand) ? "\n" : "/**/");
      break;
    case 4: /* a longer piece of another file, mostly cut at line ends */
      while (from > 0 && other->text[from - 1] != '\n')
        from--;
      to = from + g_rand_int_range (rand, 1, 300);
      to = MIN (to, other->length);
      while (to < other->length && other->text[to] != '\n')
        to++;
      while (start > 0 && start < text->len && text->str[start - 1] != '\n')
        start--;
      g_string_insert_len (text, start, other->text + from, to - from);
      break;
    case 5: /* white space goes */
      while (start < text->len && !g_ascii_isspace (text->str[start]))
        start++;
      if (start < text->len)
        g_string_erase (text, start, 1);
      break;
    default:
      g_string_insert (text, start, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
    }
}

static void
report (const GString *text, guint n)
{
  g_autofree char *path = g_strdup_printf ("%s/rewrite-fuzz-%u.js", g_get_tmp_dir (), n);
  g_file_set_contents (path, text->str, text->len, NULL);
  g_test_message ("the engine accepts %s, but not rewritten", path);
  g_test_fail ();
}

static void
test_changed_libraries (void)
{
  g_autoptr (GPtrArray) seeds = g_ptr_array_new_with_free_func (seed_free);
  g_autoptr (JSCContext) context = jsc_context_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  guint n = 0, accepted = 0, refused_accepted = 0;
  if (rw_engine_packages () == NULL)
    {
      g_test_skip ("the packages of rewrite-packages/package.json can't be fetched");
      return;
    }
  add_seeds (seeds, "lodash", ".js", FALSE);
  add_seeds (seeds, "rxjs/dist/esm/internal", ".js", TRUE);
  add_seeds (seeds, "svelte/src/internal/client", ".js", TRUE);
  add_seeds (seeds, "lit", ".js", TRUE);
  add_seeds (seeds, "lit-html", ".js", TRUE);
  add_seeds (seeds, "underscore/modules", ".js", TRUE);
  add_seeds (seeds, "react/umd", ".min.js", FALSE);
  add_seeds (seeds, "preact", ".mjs", TRUE);
  add_seeds (seeds, "test262-parser-tests/pass", ".js", FALSE);
  gint64 end = g_get_monotonic_time () + (g_getenv ("RW_LONG") != NULL ? 300 : 8) * G_USEC_PER_SEC;
  for (; g_get_monotonic_time () < end; n++)
    {
      const Seed *seed = seeds->pdata[g_rand_int_range (rand, 0, seeds->len)];
      const Seed *other = seeds->pdata[g_rand_int_range (rand, 0, seeds->len)];
      g_autoptr (GString) text = g_string_new_len (seed->text, seed->length);
      gboolean refused;
      for (guint changes = g_rand_int_range (rand, 1, 4); changes > 0; changes--)
        change (rand, text, other);
      if (!g_utf8_validate (text->str, text->len, NULL) || !rw_engine_accepts (context, text->str, text->len, seed->module))
        continue;
      accepted++;
      if (!rw_engine_check (context, text->str, text->len, seed->module, &refused))
        report (text, n);
      refused_accepted += refused;
    }
  g_test_message ("%u scripts, %u accepted by the engine, %u of these refused by the rewriter", n, accepted, refused_accepted);
  g_assert_cmpuint (accepted, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/rewrite-fuzz/changed-libraries", test_changed_libraries);
  return g_test_run ();
}
