/* SPDX-License-Identifier: MIT */
/* Verdicts: each observable alone, each class, and what must come out harmless. */
#include "rw-fixture.h"

#include <string.h>

#define DOM(text) "[0,\"html\",{}],\n[1,\"body\",{}],\n[2,\"p\",{\"id\":\"a\"}],\n[3,\"#text\",\"" text "\"]"
#define INPUT(value) "[0,\"html\",{}],\n[1,\"body\",{}],\n[2,\"input\",{\"id\":\"q\",\":value\":\"" value "\"}]"

typedef struct
{
  const char *name;
  FixtureRun parent, child;
  const char *expected; /* grade, harm, class */
  const char *says;     /* part of the reason; NULL: any */
} Row;

#define PAIR(a, b) .first = a, .second = b

static const Row rows[] = {
  { "equal-states-are-equivalent",
    { .events = "answer 1; answer 2" }, { .events = "answer 2; answer 1", PAIR ("answer 1", "answer 2") },
    "equivalent harmless none", "same state" },
  { "a-timer-that-is-no-longer-needed-is-ad-hoc-synchronisation",
    { .events = "load of 2.png; click #next; load of 3.png; timer 100 ms (showNextImage)" },
    { .events = "load of 2.png; load of 3.png; click #next", PAIR ("click #next", "load of 3.png"),
      .skipped = "timer 100 ms (showNextImage)" },
    "approximately equivalent harmless ad-hoc-synchronisation", "timer 100 ms (showNextImage)" },
  { "a-timer-that-tries-again-is-ad-hoc-synchronisation",
    { .events = "load of 3.png; timer 100 ms" },
    { .events = "timer 100 ms; load of 3.png; timer 100 ms again", PAIR ("load of 3.png", "timer 100 ms") },
    "approximately equivalent harmless ad-hoc-synchronisation", "again" },
  { "only-pending-timers-are-approximately-equivalent",
    { .events = "answer 1; answer 2" },
    { .events = "answer 2; answer 1", PAIR ("answer 1", "answer 2"), .state = { .rest = "\"pending\":[{\"label\":\"timer 50 ms\"}]" } },
    "approximately equivalent harmless ad-hoc-synchronisation", "timers that are still waiting" },
  { "something-else-left-waiting-is-suspicious",
    { .events = "answer 1; answer 2" },
    { .events = "answer 2; answer 1", PAIR ("answer 1", "answer 2"), .state = { .rest = "\"pending\":[{\"label\":\"answer to GET /x\"}]" } },
    "different suspicious hidden-state", "left waiting" },
  { "events-that-ran-only-in-one-are-approximately-equivalent",
    { .events = "answer 1; answer 2" }, { .events = "answer 2; answer 1; answer 3", PAIR ("answer 1", "answer 2") },
    "approximately equivalent harmless none", "1 events" },
  { "overwritten-input-is-lost-input",
    { .events = "script app.js; type #q", .state = { .dom = INPUT ("tea") } },
    { .events = "type #q; script app.js", PAIR ("script app.js", "type #q"), .state = { .dom = INPUT ("") } },
    "different harmful lost-input", "overwritten" },
  { "input-that-was-lost-when-recorded-is-told-from-there",
    { .events = "type #q; script app.js", .state = { .dom = INPUT ("default") } },
    { .events = "script app.js; type #q", PAIR ("type #q", "script app.js"), .state = { .dom = INPUT ("tea") } },
    "different harmful lost-input", "If “type #q” comes before “script app.js”, what the user entered is overwritten: input#q :value is “default” instead of “tea”" },
  { "a-form-value-without-a-user-is-visible",
    { .events = "script a.js; script b.js", .state = { .dom = INPUT ("1") } },
    { .events = "script b.js; script a.js", PAIR ("script a.js", "script b.js"), .state = { .dom = INPUT ("2") } },
    "different harmful visible", NULL },
  { "stolen-focus-is-lost-input",
    { .events = "script app.js; click #q", .state = { .focus = "html>body>input#q" } },
    { .events = "click #q; script app.js", PAIR ("script app.js", "click #q"), .state = { .focus = "html>body>input#first" } },
    "different harmful lost-input", "focus" },
  { "focus-without-a-user-is-suspicious",
    { .events = "script a.js; script b.js", .state = { .focus = "html>body>input#q" } },
    { .events = "script b.js; script a.js", PAIR ("script a.js", "script b.js") }, "different suspicious visible", NULL },
  { "a-click-before-its-handler-is-a-late-handler",
    { .events = "script app.js; click #buy", .state = { .dom = DOM ("bought") } },
    { .events = "click #buy; script app.js", PAIR ("script app.js", "click #buy"), .location = "button#buy@click", .state = { .dom = DOM ("hello") } },
    "different harmful late-handler", "no handler" },
  { "a-late-handler-without-effect-is-harmless",
    { .events = "script app.js; click #buy" },
    { .events = "click #buy; script app.js", PAIR ("script app.js", "click #buy"), .location = "button#buy@click" },
    "equivalent harmless none", NULL },
  { "a-late-handler-that-only-changes-the-heap-is-suspicious",
    { .events = "script app.js; click #buy", .state = { .heap = "\"window.n\":\"1\"" } },
    { .events = "click #buy; script app.js", PAIR ("script app.js", "click #buy"), .location = "button#buy@click" },
    "different suspicious hidden-state", NULL },
  { "an-undefined-function-is-used-before-defined",
    { .events = "script app.js; click #a" },
    { .events = "click #a; script app.js", PAIR ("script app.js", "click #a"),
      .state = { .rest = "\"errors\":[{\"message\":\"ReferenceError: Can't find variable: init\",\"source\":\"http://page.test/\",\"line\":3}]" } },
    "different harmful used-before-defined", "Can't find variable: init" },
  { "another-error-is-an-error",
    { .events = "answer 1; answer 2" },
    { .events = "answer 2; answer 1", PAIR ("answer 1", "answer 2"), .state = { .rest = "\"errors\":[{\"message\":\"Error: bad order\"}]" } },
    "different harmful error", "throws" },
  { "an-error-of-the-recorded-order-is-an-error",
    { .events = "answer 1; answer 2", .state = { .rest = "\"errors\":[{\"message\":\"Error: bad order\"}]" } },
    { .events = "answer 2; answer 1", PAIR ("answer 1", "answer 2") }, "different harmful error", "in the other order" },
  { "an-error-in-every-order-is-no-race",
    { .events = "answer 1; answer 2", .state = { .rest = "\"errors\":[{\"message\":\"Error: always\",\"stack\":\"a\"}]" } },
    { .events = "answer 2; answer 1", PAIR ("answer 1", "answer 2"),
      .state = { .rest = "\"errors\":[{\"message\":\"Error: always\",\"stack\":\"b\"}]" } },
    "equivalent harmless none", NULL },
  { "a-navigation-is-harmful",
    { .events = "script app.js; click #a" },
    { .events = "click #a; script app.js", PAIR ("script app.js", "click #a"), .state = { .rest = "\"navigations\":[{\"url\":\"http://page.test/away\"}]" } },
    "different harmful navigation", "away" },
  { "answers-in-the-wrong-order-are-ajax-order",
    { .events = "answer sea; answer search", .state = { .dom = DOM ("search results") } },
    { .events = "answer search; answer sea", PAIR ("answer sea", "answer search"), .state = { .dom = DOM ("sea results") } },
    "different harmful ajax-order", "sea results" },
  { "scripts-in-the-wrong-order-are-init-order",
    { .events = "script a.js; load of b.png", .state = { .dom = DOM ("ready") } },
    { .events = "load of b.png; script a.js", PAIR ("script a.js", "load of b.png"), .state = { .dom = DOM ("loading") } },
    "different harmful init-order", NULL },
  { "a-title-alone-is-visible",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .title = "Other" } }, "different harmful visible", "title" },
  { "a-dialog-alone-is-visible",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .rest = "\"dialogs\":[{\"kind\":\"alert\",\"text\":\"no\"}]" } },
    "different harmful visible", "alert: no" },
  { "scroll-alone-is-suspicious",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .scroll = "[0,300]" } }, "different suspicious visible", NULL },
  { "a-request-alone-is-suspicious",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .rest = "\"requests\":[{\"method\":\"GET\",\"url\":\"/stats\"}]" } },
    "different suspicious request", "GET /stats" },
  { "the-order-of-reading-requests-is-harmless",
    { .events = "timer 5 ms; answer 1", .state = { .rest = "\"requests\":[{\"url\":\"/a\"},{\"url\":\"/b\"}]" } },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .rest = "\"requests\":[{\"url\":\"/b\"},{\"url\":\"/a\"}]" } },
    "approximately equivalent harmless none", "order" },
  { "the-order-of-writing-requests-is-suspicious",
    { .events = "timer 5 ms; answer 1", .state = { .rest = "\"requests\":[{\"method\":\"POST\",\"url\":\"/a\"},{\"url\":\"/b\"}]" } },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .rest = "\"requests\":[{\"url\":\"/b\"},{\"method\":\"POST\",\"url\":\"/a\"}]" } },
    "different suspicious request", NULL },
  { "storage-alone-is-hidden-state",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .rest = "\"storage\":{\"local\":{\"k\":\"v\"},\"session\":{}}" } },
    "different suspicious hidden-state", "localStorage" },
  { "a-cookie-alone-is-hidden-state",
    { .events = "timer 5 ms; answer 1", .state = { .rest = "\"cookies\":[\"a=1\"]" } },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .rest = "\"cookies\":[\"a=2\"]" } },
    "different suspicious hidden-state", "cookie a" },
  { "console-alone-is-hidden-state",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .state = { .rest = "\"console\":[{\"level\":\"warn\",\"text\":\"late\"}]" } },
    "different suspicious hidden-state", "late" },
  { "heap-alone-is-hidden-state",
    { .events = "timer 5 ms; answer 1", .state = { .heap = "\"window.queue\":\"Array(1)\",\n\"window.queue[0]\":\"\\\"a.png\\\"\"" } },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"),
      .state = { .heap = "\"window.queue\":\"Array(1)\",\n\"window.queue[0]\":\"\\\"b.png\\\"\"" } },
    "different suspicious hidden-state", "window.queue[0] is “\"b.png\"” instead of “\"a.png\"”" },
  { "a-hang-is-harmful",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .outcome = RW_OUTCOME_HANG }, "different harmful hang", "hangs" },
  { "a-crash-is-harmful",
    { .events = "timer 5 ms; answer 1" },
    { .events = "answer 1; timer 5 ms", PAIR ("timer 5 ms", "answer 1"), .outcome = RW_OUTCOME_CRASH }, "different harmful crash", "crashes" },
  { "what-happens-while-leaving-is-one-grade-lower",
    { .events = "answer 1; unload", .state = { .dom = DOM ("x") } },
    { .events = "unload; answer 1", PAIR ("answer 1", "unload"), .state = { .dom = DOM ("y") } }, "different suspicious visible", "left" },
  { "what-a-limit-cut-is-one-grade-lower",
    { .events = "answer 1; timer 5 ms", .state = { .dom = DOM ("x") } },
    { .events = "timer 5 ms; answer 1", PAIR ("answer 1", "timer 5 ms"), .outcome = RW_OUTCOME_LIMIT, .state = { .dom = DOM ("y") } },
    "different suspicious visible", "limit" },
};

static void
verdict (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwRun) parent = fixture_run (space, 0, RW_RUN_NONE, 0, &row->parent);
  g_autoptr (RwRun) child = fixture_run (space, 1, 0, 1, &row->child);
  g_autoptr (RwVerdict) v = rw_verdict_of (parent, child, space, NULL);
  g_autofree char *got = g_strdup_printf ("%s %s %s", rw_grade_name (v->grade), rw_harm_name (v->harm), rw_class_name (v->class));
  g_test_message ("%s", v->reason);
  g_assert_cmpstr (got, ==, row->expected);
  if (row->says != NULL && strstr (v->reason, row->says) == NULL)
    g_error ("“%s” does not say “%s”", v->reason, row->says);
  g_assert_nonnull (v->needs);
  g_assert_nonnull (v->unordered);
}

static void
noise_is_never_evidence (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  FixtureRun one = { .events = "answer 1; timer 5 ms", .state = { .heap = "\"window.t\":\"1\"", .dom = DOM ("x") } };
  FixtureRun two = { .events = "answer 1; timer 5 ms", .state = { .heap = "\"window.t\":\"2\"", .dom = DOM ("x") } };
  FixtureRun other = { .events = "timer 5 ms; answer 1", PAIR ("answer 1", "timer 5 ms"), .state = { .heap = "\"window.t\":\"3\"", .dom = DOM ("x") } };
  g_autoptr (RwRun) a = fixture_run (space, 0, RW_RUN_NONE, 0, &one);
  g_autoptr (RwRun) b = fixture_run (space, 0, RW_RUN_NONE, 0, &two);
  g_autoptr (RwRun) c = fixture_run (space, 1, 0, 1, &other);
  g_autoptr (GHashTable) noise = rw_noise_new ();
  rw_noise_add (noise, a, b);
  g_autofree char *text = rw_noise_to_text (noise);
  g_autoptr (GHashTable) again = rw_noise_from_text (text);
  g_autoptr (RwVerdict) v = rw_verdict_of (a, c, space, again);
  g_assert_cmpint (v->grade, ==, RW_GRADE_EQUIVALENT);
  g_autoptr (RwVerdict) without = rw_verdict_of (a, c, space, NULL);
  g_assert_cmpint (without->grade, ==, RW_GRADE_DIFFERENT);
}

static void
pixels_alone_are_harmful (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  FixtureRun one = { .events = "answer 1; timer 5 ms" }, two = { .events = "timer 5 ms; answer 1", PAIR ("answer 1", "timer 5 ms") };
  g_autoptr (RwRun) a = fixture_run (space, 0, RW_RUN_NONE, 0, &one);
  g_autoptr (RwRun) b = fixture_run (space, 1, 0, 1, &two);
  a->screenshot = fixture_png (0xff0000, 10);
  b->screenshot = fixture_png (0xff0000, 10);
  g_autoptr (RwVerdict) same = rw_verdict_of (a, b, space, NULL);
  g_assert_cmpint (same->harm, ==, RW_HARM_HARMLESS);
  g_bytes_unref (b->screenshot);
  b->screenshot = fixture_png (0x00ff00, 10);
  g_autoptr (RwVerdict) v = rw_verdict_of (a, b, space, NULL);
  g_assert_cmpint (v->harm, ==, RW_HARM_HARMFUL);
  g_assert_cmpint (v->class, ==, RW_CLASS_VISIBLE);
  g_bytes_unref (b->screenshot);
  b->screenshot = g_bytes_new_static ("not a picture", 13);
  g_autoptr (RwVerdict) broken = rw_verdict_of (a, b, space, NULL);
  g_assert_cmpint (broken->harm, ==, RW_HARM_HARMLESS);
}

static const struct
{
  const char *first, *second, *expected;
} likelihoods[] = {
  { "script app.js", "click #a", "likely" },  { "parse the button", "click #a", "unlikely" }, { "timer 500 ms", "click #a", "possible" },
  { "answer 1", "answer 2", "likely" },       { "timer 10 ms", "timer 20 ms", "unlikely" },   { "timer 100 ms", "answer 1", "possible" },
  { "click #a", "answer 1", "likely" },       { "parse a", "parse b", "unlikely" },
};

static void
likelihood_follows_from_the_kinds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (likelihoods); i++)
    {
      g_autoptr (RwSpace) space = rw_space_new ();
      g_autofree char *before = g_strdup_printf ("%s; %s", likelihoods[i].first, likelihoods[i].second);
      g_autofree char *after = g_strdup_printf ("%s; %s", likelihoods[i].second, likelihoods[i].first);
      FixtureRun one = { .events = before }, two = { .events = after, PAIR (likelihoods[i].first, likelihoods[i].second) };
      g_autoptr (RwRun) a = fixture_run (space, 0, RW_RUN_NONE, 0, &one);
      g_autoptr (RwRun) b = fixture_run (space, 1, 0, 1, &two);
      g_autoptr (RwVerdict) v = rw_verdict_of (a, b, space, NULL);
      g_test_message ("%s: %s", before, v->needs);
      g_assert_cmpstr (rw_likelihood_name (v->likelihood), ==, likelihoods[i].expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/reporter/verdict/%s", rows[i].name);
      g_test_add_data_func (path, &rows[i], verdict);
    }
  g_test_add_func ("/reporter/verdict/noise-is-never-evidence", noise_is_never_evidence);
  g_test_add_func ("/reporter/verdict/pixels-alone-are-harmful", pixels_alone_are_harmful);
  g_test_add_func ("/reporter/verdict/likelihood-follows-from-the-kinds", likelihood_follows_from_the_kinds);
  return g_test_run ();
}
