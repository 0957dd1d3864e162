/* SPDX-License-Identifier: MIT */
/* What differs between two end states, as the lines that people read; and states that are none. */
#include "rw-fixture.h"

#include <string.h>

static RwState *
state_of (const FixtureState *spec)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = fixture_state (spec);
  RwState *state = rw_state_new (bytes, &error);
  g_assert_no_error (error);
  return state;
}

static char *
lines (const FixtureState *before, const FixtureState *after)
{
  g_autoptr (RwState) a = state_of (before);
  g_autoptr (RwState) b = state_of (after);
  g_autoptr (RwDifferences) differences = rw_state_compare (a, b, NULL);
  g_autoptr (GString) out = g_string_new (NULL);
  for (guint i = 0; i < differences->list->len; i++)
    {
      g_autofree char *text = rw_difference_text (differences->list->pdata[i]);
      g_string_append_printf (out, "%s%s", i > 0 ? " | " : "", text);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

#define BODY "[0,\"html\",{}],\n[1,\"body\",{}],\n"

static const struct
{
  const char *name, *before, *after, *expected;
} dom_rows[] = {
  { "equal", BODY "[2,\"p\",{}]", BODY "[2,\"p\",{}]", "" },
  { "text", BODY "[2,\"p\",{}],\n[3,\"#text\",\"a\"]", BODY "[2,\"p\",{}],\n[3,\"#text\",\"b\"]", "html > body > p > text: a -> b" },
  { "an-id-is-enough-of-a-path", BODY "[2,\"p\",{\"id\":\"x\"}],\n[3,\"#text\",\"a\"]", BODY "[2,\"p\",{\"id\":\"x\"}],\n[3,\"#text\",\"b\"]",
    "p#x > text: a -> b" },
  { "attribute", BODY "[2,\"p\",{\"class\":\"a\"}]", BODY "[2,\"p\",{\"class\":\"b\"}]", "html > body > p class: a -> b" },
  { "attribute-gone", BODY "[2,\"p\",{\"hidden\":\"\"}]", BODY "[2,\"p\",{}]", "html > body > p hidden: not after the reversal: " },
  { "property", BODY "[2,\"input\",{\":checked\":\"false\"}]", BODY "[2,\"input\",{\":checked\":\"true\"}]",
    "html > body > input :checked: false -> true" },
  { "a-new-element", BODY "[2,\"ul\",{}],\n[3,\"li\",{}],\n[4,\"#text\",\"1\"]",
    BODY "[2,\"ul\",{}],\n[3,\"li\",{}],\n[4,\"#text\",\"1\"],\n[3,\"li\",{\"class\":\"n\"}],\n[4,\"#text\",\"2\"]",
    "html > body > ul > li:2: only after the reversal: <li class=\"n\">2" },
  { "an-element-in-front", BODY "[2,\"i\",{}],\n[2,\"b\",{}]", BODY "[2,\"u\",{}],\n[2,\"i\",{}],\n[2,\"b\",{}]",
    "html > body > u: only after the reversal: <u>" },
  { "an-element-gone", BODY "[2,\"i\",{}],\n[2,\"b\",{}]", BODY "[2,\"b\",{}]", "html > body > i: not after the reversal: <i>" },
  { "two-changed-places", BODY "[2,\"a\",{\"x\":\"1\"}],\n[2,\"i\",{}],\n[2,\"b\",{\"x\":\"1\"}]",
    BODY "[2,\"a\",{\"x\":\"2\"}],\n[2,\"i\",{}],\n[2,\"b\",{\"x\":\"2\"}]", "html > body > a x: 1 -> 2 | html > body > b x: 1 -> 2" },
  { "an-element-that-moved", BODY "[2,\"i\",{}],\n[2,\"b\",{}]", BODY "[2,\"b\",{}],\n[2,\"i\",{}]", "html > body > b (place): 2 -> 1" },
  { "blank-text-is-formatting", BODY "[2,\"p\",{}]", BODY "[2,\"p\",{}],\n[2,\"#text\",\"\\n  \"]", "" },
  { "a-shadow-root", BODY "[2,\"x-a\",{}],\n[3,\"#shadow\",{}],\n[4,\"b\",{}]", BODY "[2,\"x-a\",{}],\n[3,\"#shadow\",{}],\n[4,\"i\",{}]",
    "html > body > x-a > #shadow > i: only after the reversal: <i> | html > body > x-a > #shadow > b: not after the reversal: <b>" },
  { "strange-attribute-names", BODY "[2,\"p\",{\"@click\":\"a\"}]", BODY "[2,\"p\",{\"@click\":\"b\"}]", "html > body > p @click: a -> b" },
};

static void
dom (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  FixtureState before = { .dom = dom_rows[i].before }, after = { .dom = dom_rows[i].after };
  g_autofree char *got = lines (&before, &after);
  g_assert_cmpstr (got, ==, dom_rows[i].expected);
}

static const struct
{
  const char *name, *before, *after, *expected;
} heap_rows[] = {
  { "value", "\"window.queue[1].src\":\"\\\"a.png\\\"\"", "\"window.queue[1].src\":\"\\\"b.png\\\"\"", "window.queue[1].src: \"a.png\" -> \"b.png\"" },
  { "a-new-object-speaks-for-what-is-below", "\"window.a\":\"1\"",
    "\"window.a\":\"1\",\n\"window.o\":\"Object\",\n\"window.o.p\":\"1\",\n\"window.o.q[0]\":\"2\"", "window.o: only after the reversal: Object" },
  { "gone", "\"window.a\":\"1\",\n\"window.b\":\"2\"", "\"window.b\":\"2\"", "window.a: not after the reversal: 1" },
  { "another-place-in-the-walk-is-no-difference", "\"window.a\":\"1\",\n\"window.b\":\"2\",\n\"window.c\":\"3\"",
    "\"window.b\":\"2\",\n\"window.a\":\"1\",\n\"window.c\":\"3\"", "" },
  { "a-name-that-begins-like-another", "\"window.ab\":\"1\"", "\"window.ab\":\"1\",\n\"window.a\":\"Object\",\n\"window.abc\":\"2\"",
    "window.a: only after the reversal: Object | window.abc: only after the reversal: 2" },
  { "escapes", "\"window[\\\"a b\\\"]\":\"\\\"x\\\\n\\\"\"", "\"window[\\\"a b\\\"]\":\"\\\"y\\\"\"", "window[\"a b\"]: \"x\\n\" -> \"y\"" },
};

static void
heap (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  FixtureState before = { .heap = heap_rows[i].before }, after = { .heap = heap_rows[i].after };
  g_autofree char *got = lines (&before, &after);
  g_assert_cmpstr (got, ==, heap_rows[i].expected);
}

static void
items_are_compared_as_often_as_they_come (void)
{
  FixtureState before = { .rest = "\"console\":[{\"text\":\"a\"},{\"text\":\"a\"},{\"text\":\"b\"}]" };
  FixtureState after = { .rest = "\"console\":[{\"text\":\"a\"},{\"text\":\"b\"},{\"text\":\"c\"}]" };
  g_autofree char *got = lines (&before, &after);
  g_assert_cmpstr (got, ==, "console message: not after the reversal: [log] a | console message: only after the reversal: [log] c");
}

static void
a_difference_has_an_xpath (void)
{
  FixtureState before = { .dom = BODY "[2,\"ul\",{}],\n[3,\"li\",{}],\n[3,\"li\",{\"x\":\"1\"}]" };
  FixtureState after = { .dom = BODY "[2,\"ul\",{}],\n[3,\"li\",{}],\n[3,\"li\",{\"x\":\"2\"}]" };
  g_autoptr (RwState) a = state_of (&before);
  g_autoptr (RwState) b = state_of (&after);
  g_autoptr (RwDifferences) differences = rw_state_compare (a, b, NULL);
  g_assert_cmpstr (((RwDifference *) differences->list->pdata[0])->xpath, ==, "/html/body/ul/li[2]");
}

static void
many_are_counted_and_some_are_kept (void)
{
  g_autoptr (GString) one = g_string_new (NULL);
  g_autoptr (GString) two = g_string_new (NULL);
  for (guint i = 0; i < 1000; i++)
    {
      g_string_append_printf (one, "%s\"window.a%u\":\"1\"", i > 0 ? ",\n" : "", i);
      g_string_append_printf (two, "%s\"window.a%u\":\"2\"", i > 0 ? ",\n" : "", i);
    }
  FixtureState before = { .heap = one->str }, after = { .heap = two->str };
  g_autoptr (RwState) a = state_of (&before);
  g_autoptr (RwState) b = state_of (&after);
  g_autoptr (RwDifferences) differences = rw_state_compare (a, b, NULL);
  g_assert_cmpuint (differences->counts[RW_ASPECT_HEAP], ==, 1000);
  g_assert_cmpuint (differences->list->len, ==, RW_DIFFERENCES_KEPT);
}

static void
a_newer_state_says_so (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static ("{\"version\":2,\n", 14);
  g_assert_null (rw_state_new (bytes, &error));
  g_assert_error (error, RW_STATE_ERROR, RW_STATE_ERROR_VERSION);
}

/* Cut anywhere, changed anywhere: an error or a state, never a crash. */
static void
damaged_states_are_survived (void)
{
  FixtureState spec = { .dom = BODY "[2,\"p\",{\"id\":\"x\"}],\n[3,\"#text\",\"a\"]", .heap = "\"window.a\":\"1\",\n\"window.b\":\"2\"",
                        .rest = "\"errors\":[{\"message\":\"x\"}]" };
  g_autoptr (RwState) whole = state_of (&spec);
  g_autoptr (GBytes) bytes = fixture_state (&spec);
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  for (guint i = 0; i < size + 2000; i++)
    {
      /* A copy of exactly this length, so that reading one byte too far shows. */
      gsize length = i < size ? i : size;
      char *copy = g_memdup2 (data, length);
      for (guint k = 0; i >= size && k < 3; k++)
        copy[g_test_rand_int_range (0, (gint32) size)] = "\"\\[]{},:\n0a\xff"[g_test_rand_int_range (0, 12)];
      g_autoptr (GBytes) changed = g_bytes_new_take (copy, length);
      g_autoptr (RwState) state = rw_state_new (changed, NULL);
      if (state == NULL)
        continue;
      g_autoptr (RwDifferences) one = rw_state_compare (whole, state, NULL);
      g_autoptr (RwDifferences) two = rw_state_compare (state, whole, NULL);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (dom_rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/reporter/difference/dom/%s", dom_rows[i].name);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), dom);
    }
  for (guint i = 0; i < G_N_ELEMENTS (heap_rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/reporter/difference/heap/%s", heap_rows[i].name);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), heap);
    }
  g_test_add_func ("/reporter/difference/items-are-compared-as-often-as-they-come", items_are_compared_as_often_as_they_come);
  g_test_add_func ("/reporter/difference/has-an-xpath", a_difference_has_an_xpath);
  g_test_add_func ("/reporter/difference/many-are-counted-and-some-are-kept", many_are_counted_and_some_are_kept);
  g_test_add_func ("/reporter/state/a-newer-one-says-so", a_newer_state_says_so);
  g_test_add_func ("/reporter/state/damaged-ones-are-survived", damaged_states_are_survived);
  return g_test_run ();
}
