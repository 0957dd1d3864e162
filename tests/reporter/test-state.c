/* SPDX-License-Identifier: MIT */
/* The heap half of runtime/state.js in a bare JavaScriptCore: the walk is complete, deterministic, and runs no page
 * code. */
#include "rw-runtime.h"
#include "rw-state.h"

#include <jsc/jsc.h>
#include <string.h>

/* The state after @page ran, with @context given to captureState. */
static char *
state_after (const char *page, const char *context)
{
  g_autoptr (JSCContext) js = jsc_context_new ();
  g_autofree char *load = g_strdup_printf (
      "(() => { %s; globalThis.capture$ = captureState; captureState.hide(captureState); captureState.ready(); })()",
      rw_runtime_state);
  g_autofree char *call = g_strdup_printf ("capture$(%s)", context);
  g_autoptr (JSCValue) loaded = jsc_context_evaluate (js, load, -1);
  g_autoptr (JSCValue) ran = jsc_context_evaluate (js, page, -1);
  g_assert_null (jsc_context_get_exception (js));
  g_autoptr (JSCValue) state = jsc_context_evaluate (js, call, -1);
  JSCException *exception = jsc_context_get_exception (js);
  if (exception != NULL)
    g_error ("%s", jsc_exception_report (exception));
  return jsc_value_to_string (state);
}

/* The lines between the braces of the heap. */
static char *
heap_after (const char *page, const char *context)
{
  g_autofree char *text = state_after (page, context);
  const char *start = strstr (text, "\"heap\":{\n") + strlen ("\"heap\":{\n");
  return g_strndup (start, strstr (start, "\n},\n\"errors\"") - start);
}

static const struct
{
  const char *name, *page, *expected;
} rows[] = {
  { "nothing-of-the-runtime-or-the-engine", "", "" },
  { "values", "var a = 1, b = 'x', c = null, d, e = -0, f = 10n, g = NaN, h = true;",
    "\"window.a\":\"1\",\n\"window.b\":\"\\\"x\\\"\",\n\"window.c\":\"null\",\n\"window.d\":\"undefined\",\n\"window."
    "e\":\"-0\",\n"
    "\"window.f\":\"10n\",\n\"window.g\":\"NaN\",\n\"window.h\":\"true\"" },
  { "arrays-and-objects", "var queue = [{ src: 'a.png' }, 2];",
    "\"window.queue\":\"Array(2)\",\n\"window.queue[0]\":\"Object\",\n\"window.queue[1]\":\"2\",\n\"window.queue[0]."
    "src\":\"\\\"a.png\\\"\"" },
  { "cycles-and-sharing", "var o = {}; o.self = o; var p = o;",
    "\"window.o\":\"Object\",\n\"window.p\":\"@window.o\",\n\"window.o.self\":\"@window.o\"" },
  { "keys-in-a-fixed-order", "var o = { z: 1, 'a b': 2, 10: 3, 9: 4 };",
    "\"window.o\":\"Object\",\n\"window.o[9]\":\"4\",\n\"window.o[10]\":\"3\",\n\"window.o[\\\"a "
    "b\\\"]\":\"2\",\n\"window.o.z\":\"1\"" },
  { "maps-and-sets", "var m = new Map([['k', 1]]), s = new Set([2]);",
    "\"window.m\":\"Map(1)\",\n\"window.s\":\"Set(1)\",\n\"window.m.get(\\\"k\\\")\":\"1\",\n\"window.s.item(0)\":"
    "\"2\"" },
  { "classes-and-functions", "class A { constructor() { this.v = 1; } } var i = new A(); function f() {} f.count = 2;",
    "\"window.f\":\"function f\",\n\"window.i\":\"A\",\n\"window.f.count\":\"2\",\n\"window.i.v\":\"1\"" },
  { "getters-are-not-called", "var o = { get x() { throw new Error('called'); } };",
    "\"window.o\":\"Object\",\n\"window.o.x\":\"getter\"" },
  { "dates-and-patterns", "var d = new Date(5), r = /a+/;",
    "\"window.d\":\"Date 5\",\n\"window.r\":\"RegExp /a+/\",\n\"window.r.lastIndex\":\"0\"" },
  { "a-replaced-builtin-is-the-pages", "parseInt = 7;", "\"window.parseInt\":\"7\"" },
  { "broken-strings-are-mended", "var s = 'a\\0\\ud800b';",
    "\"window.s\":\"\\\"a\342\220\200\357\277\275"
    "b\\\"\"" },
};

static void
heap (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *got = heap_after (rows[i].page, "{}");
  g_assert_cmpstr (got, ==, rows[i].expected);
}

static void
top_level_let_is_read_by_name (void)
{
  g_autofree char *got = heap_after ("let queue = [1]; const n = 2;", "{ lexicals: ['queue', 'n', 'gone', 'x y'] }");
  g_assert_cmpstr (got, ==, "\"n\":\"2\",\n\"queue\":\"Array(1)\",\n\"queue[0]\":\"1\"");
}

static void
typed_arrays_by_length_and_hash (void)
{
  g_autofree char *a = heap_after ("var t = new Uint8Array([1, 2, 3]);", "{}");
  g_autofree char *b = heap_after ("var t = new Uint8Array([1, 2, 3]);", "{}");
  g_autofree char *c = heap_after ("var t = new Uint8Array([1, 2, 4]);", "{}");
  g_assert_true (g_str_has_prefix (a, "\"window.t\":\"Uint8Array(3) "));
  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (a, !=, c);
}

/* Whatever the page does to the built-ins, looking goes on as before. */
static void
a_page_that_breaks_the_builtins (void)
{
  const char *page = "var o = { a: [1, { b: 2 }], m: new Map([['k', 1]]) };";
  g_autofree char *breaks
      = g_strconcat (page,
                     "for (const name of ['slice', 'charCodeAt', 'toLowerCase', 'toString']) String.prototype[name] = "
                     "() => { throw 2; };"
                     "Map.prototype.get = Map.prototype.set = Map.prototype.forEach = () => { throw 3; };"
                     "Object.prototype.toJSON = () => { throw 4; }; RegExp.prototype.test = RegExp.prototype.exec = () "
                     "=> { throw 5; };"
                     "JSON.stringify = Reflect.ownKeys = () => { throw 6; }; delete Object.prototype.toJSON;"
                     "for (const name of ['push', 'join', 'sort', 'slice', 'map', 'forEach', Symbol.iterator]) "
                     "Array.prototype[name] = () => { throw 1; };",
                     NULL);
  g_autofree char *before = heap_after (page, "{}");
  g_autofree char *after = heap_after (breaks, "{}");
  g_assert_cmpstr (before, ==, after);
}

static void
limits_are_named (void)
{
  g_autofree char *text
      = state_after ("var o = {}; for (let i = 0, p = o; i < 100; i++) p = p.n = {};", "{ limit: 'horizon' }");
  g_assert_nonnull (strstr (text, "\"limits\":[\"heap deeper than 40, first at window.o."));
  g_assert_nonnull (strstr (text, "\"horizon\"]"));
}

static void
the_context_is_kept_and_the_state_is_readable (void)
{
  g_autofree char *text
      = state_after ("var a = 1;",
                     "{ errors: [{ message: 'x \"y\"', line: 3 }], console: [{ level: 'log', text: 'z' }],"
                     " requests: [], pending: [{ label: 'timer', time: 1.5 }] }");
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (RwState) state = rw_state_new (bytes, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "{\"line\":3,\"message\":\"x \\\"y\\\"\"}"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/reporter/capture/%s", rows[i].name);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), heap);
    }
  g_test_add_func ("/reporter/capture/top-level-let-is-read-by-name", top_level_let_is_read_by_name);
  g_test_add_func ("/reporter/capture/typed-arrays-by-length-and-hash", typed_arrays_by_length_and_hash);
  g_test_add_func ("/reporter/capture/a-page-that-breaks-the-builtins", a_page_that_breaks_the_builtins);
  g_test_add_func ("/reporter/capture/limits-are-named", limits_are_named);
  g_test_add_func ("/reporter/capture/the-context-is-kept", the_context_is_kept_and_the_state_is_readable);
  return g_test_run ();
}
