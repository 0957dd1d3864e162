/* SPDX-License-Identifier: MIT */
/* The language of model programs: what it means, and what it says to those who get it wrong. */
#include "rw-model.h"

#include <string.h>

static RwModel *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  RwModel *model = rw_model_parse (text, strlen (text), "p.evt", &error);
  g_assert_no_error (error);
  return model;
}

static void
assert_error (const char *text, const char *expected)
{
  g_autoptr (GError) error = NULL;
  /* Without a terminating zero, so that reading too far is seen. */
  g_autofree char *copy = g_memdup2 (text, strlen (text));
  g_assert_null (rw_model_parse (copy, strlen (text), "p.evt", &error));
  g_assert_nonnull (error);
  if (strstr (error->message, expected) == NULL)
    g_test_message ("'%s' gives '%s', expected '%s'", text, error->message, expected);
  g_assert_nonnull (strstr (error->message, expected));
  g_assert_null (strchr (error->message, '\n'));
}

static void
errors_name_line_and_remedy (void)
{
  assert_error ("event a {", "p.evt:1: expected a statement, found the end");
  assert_error ("event a { write x }", "p.evt:1: expected a number, found }");
  assert_error ("\nevent a { post b }\nstart a", "p.evt:2: there is no such event; define it: b");
  assert_error ("event a { }\nevent a { }", "p.evt:2: defined a second time; give it another name: a");
  assert_error ("event a { lock m }", "p.evt:1: an event runs at once and needs no lock");
  assert_error ("event a on h { }", "declare it first: handler h");
  assert_error ("event a { if x = 1 { } }", "expected a comparison such as ==, found =");
  assert_error ("handler h", "expected fifo or bag, found the end");
  assert_error ("frobnicate", "expected var, event, thread, handler, start, record or expect, found frobnicate");
  assert_error ("event a { write x 99999999999999999999 }", "too large");
  assert_error ("event a delay -3 { }", "must be between 0");
  assert_error ("event 1a { }", "a name must begin with a letter");
  assert_error ("event a { \x01 }", "found \\001");
}

static void
nesting_and_size_are_limited (void)
{
  g_autoptr (GString) deep = g_string_new ("event a { ");
  g_autofree char *large = g_malloc ((1 << 20) + 2);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 1000; i++)
    g_string_append (deep, "if x == 1 { ");
  assert_error (deep->str, "nested too deeply");
  memset (large, ' ', (1 << 20) + 1);
  g_assert_null (rw_model_parse (large, (1 << 20) + 1, "p.evt", &error));
  g_assert_error (error, RW_MODEL_ERROR, RW_MODEL_ERROR_LIMIT);
}

/* Explores all classes; the end states in the order of the runs, a failed assertion as "!line", a deadlock as "?". */
static char *
explore (const char *text, gboolean *undefined_read)
{
  g_autoptr (RwModel) model = parse (text);
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;
  GString *states = g_string_new (NULL);
  RwSchedule *schedule;

  options.bound = G_MAXUINT;
  g_autoptr (RwExplore) explore = rw_explore_new (rw_model_space (model), &options);
  while (rw_explore_next (explore, &schedule) == RW_NEXT_RUN)
    {
      g_autoptr (RwTrace) trace = rw_model_execute (model, schedule);
      g_autofree char *state = rw_model_final_state (model);
      const GArray *failures = rw_model_failures (model);
      g_string_append_printf (states, "%s%s", states->len > 0 ? " | " : "", state);
      for (guint i = 0; i < failures->len; i++)
        g_string_append_printf (states, " !%u", g_array_index (failures, guint, i));
      if (rw_model_deadlocked (model))
        g_string_append (states, " ?");
      for (guint i = 0, n; i < rw_trace_length (trace); i++)
        {
          const RwOp *ops = rw_trace_ops (trace, i, &n);
          for (guint j = 0; j < n && undefined_read != NULL; j++)
            *undefined_read |= ops[j].kind == RW_OP_READ && (ops[j].flags & RW_OP_FAILED) != 0;
        }
      rw_explore_add (explore, schedule, trace);
      rw_schedule_free (schedule);
    }
  return g_string_free (states, FALSE);
}

static void
assert_states (const char *text, const char *expected)
{
  g_autofree char *states = explore (text, NULL);
  g_assert_cmpstr (states, ==, expected);
}

static void
programs_end_as_they_say (void)
{
  assert_states ("var x = 1; event a { add x 2; add x -1 } start a", "x=2");
  assert_states ("event a { write x 5; write y x } start a", "x=5 y=5");
  assert_states ("event a { init x 5 } event b { init x 6 } start a, b", "x=5 | x=6");
  assert_states ("event a { if x < 1 { write y 1 } else { write y 2 } } start a", "x=undefined y=1");
  assert_states ("var x = 3 event a { if x >= 3 { if x != 3 { write y 1 } else { write y 2 } } } start a", "x=3 y=2");
  assert_states ("event a { post b; cancel b } event b { write x 1 } start a", "x=undefined");
  assert_states ("event a in g { write x 1 } event b in g { write x 2 } start b, a", "x=1");
  assert_states ("event a { write x 1 } event b after a { write x 2 } start b, a", "x=2");
  assert_states ("event a blocks b { write x 1 } event b { write x 2 } start b, a", "x=2");
  assert_states ("event a delay 2 { write x 1 } event b delay 1 { write x 2 } start b, a", "x=1");
  assert_states ("event a delay 1 { write x 1 } event b delay 2 { write x 2 } start b, a", "x=1 | x=2");
}

static void
run_0_follows_the_record (void)
{
  assert_states ("event a { write x 1 } event b { write x 2 } start a, b", "x=2 | x=1");
  assert_states ("event a { write x 1 } event b { write x 2 } start a, b record b, a", "x=1 | x=2");
}

static void
assertions_fail_where_they_should (void)
{
  assert_states ("var x = 0\nevent a { write x 1 }\nevent b {\n assert x == 1 }\nstart a, b", "x=1 | x=1 !4");
}

static void
locks_exclude_and_can_deadlock (void)
{
  assert_states (
      "var x = 0 thread a { lock m; write y x; add x 1; unlock m } thread b { lock m; write z x; add x 1; unlock m }",
      "x=2 y=0 z=1 | x=2 y=1 z=0");
  assert_states ("thread a { lock m; lock n; unlock n; unlock m } thread b { lock n; lock m; unlock m; unlock n }",
                 " ? |  | ");
}

static void
a_read_of_an_undefined_variable_is_found_in_the_bad_order (void)
{
  gboolean undefined = FALSE;
  g_autofree char *states
      = explore ("event load { write config 1 } event click { read config } start load, click", &undefined);
  g_assert_cmpstr (states, ==, "config=1 | config=1");
  g_assert_true (undefined);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explorer/model/errors-name-line-and-remedy", errors_name_line_and_remedy);
  g_test_add_func ("/explorer/model/nesting-and-size-are-limited", nesting_and_size_are_limited);
  g_test_add_func ("/explorer/model/programs-end-as-they-say", programs_end_as_they_say);
  g_test_add_func ("/explorer/model/run-0-follows-the-record", run_0_follows_the_record);
  g_test_add_func ("/explorer/model/assertions-fail-where-they-should", assertions_fail_where_they_should);
  g_test_add_func ("/explorer/model/locks-exclude-and-can-deadlock", locks_exclude_and_can_deadlock);
  g_test_add_func ("/explorer/model/a-read-of-an-undefined-variable-is-found-in-the-bad-order",
                   a_read_of_an_undefined_variable_is_found_in_the_bad_order);
  return g_test_run ();
}
