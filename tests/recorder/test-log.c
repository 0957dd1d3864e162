/* SPDX-License-Identifier: MIT */
/* The page's log becomes a trace; nonsense becomes an error and nothing else. */
#include "rw-log.h"

#include <string.h>

#define EVENTS                                                                                                             \
  "[{\"id\":\"00000000000000aa\",\"kind\":1,\"label\":\"parse\",\"group\":\"\",\"delay\":-1,\"after\":[],\"blocks\":[]}," \
  "{\"id\":\"00000000000000bb\",\"kind\":5,\"label\":\"timer\",\"group\":\"g\",\"delay\":100,"                             \
  "\"after\":[\"00000000000000aa\"],\"blocks\":[]},{\"ran\":\"00000000000000aa\",\"time\":1.5},"                       \
  "{\"ran\":\"00000000000000bb\",\"time\":2}]"
/* 1: the first event, 2: the second, 3: a location, 4: a value */
#define STRINGS "00000000000000aa\0" "00000000000000bb\0" "window.x\0" "7"

static gboolean
add (RwLog *log, const gint32 *ops, gsize n, char **why)
{
  return rw_log_add (log, ops, n, STRINGS, sizeof STRINGS - 1, EVENTS, strlen (EVENTS), why);
}

static void
test_becomes_a_trace (void)
{
  static const gint32 ops[] = {
    17, 1, 0, 0, /* initial aa */
    16, 1, 0, 0, /* begin aa */
    1, 3, 4, 0,  /* write window.x = 7 */
    2, 2, 0, 0,  /* post bb */
    16, 2, 0, 0, 0 | 2 << 8, 3, 0, 0, /* begin bb, failed read of window.x */
  };
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwLog) log = rw_log_new (space, NULL);
  g_autofree char *why = NULL;
  g_assert_true (add (log, ops, G_N_ELEMENTS (ops), &why));
  RwTrace *trace = rw_log_trace (log);
  guint n;
  g_assert_true (rw_trace_check (trace, &why));
  g_assert_cmpuint (rw_trace_length (trace), ==, 2);
  const RwOp *got = rw_trace_ops (trace, 0, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (rw_space_location_name (space, got[0].target), ==, "window.x");
  g_assert_cmpstr (rw_space_value_text (space, got[0].value), ==, "7");
  g_assert_cmpuint (got[1].kind, ==, RW_OP_POST);
  got = rw_trace_ops (trace, 1, &n);
  g_assert_cmpuint (got[0].flags, ==, RW_OP_FAILED);
  const RwEventInfo *info = rw_space_event_info (space, rw_trace_event (trace, 1));
  g_assert_cmpint (info->delay, ==, 100);
  g_assert_cmpuint (info->n_after, ==, 1);
  g_assert_cmpstr (rw_space_group_name (space, info->group), ==, "g");
  g_autofree char *times = rw_log_times (log);
  g_assert_cmpstr (times, ==, "{\"00000000000000aa\":1.500,\"00000000000000bb\":2.000}");
}

static void
test_nonsense_is_an_error (void)
{
  static const gint32 cases[][8] = {
    { 1, 99, 0, 0 },               /* no such string */
    { 1, -1, 0, 0 },               /* nor such */
    { 9, 1, 0, 0 },                /* no such kind */
    { 16, 3, 0, 0 },               /* a location is no event */
    { 2, 2, 0, 0 },                /* a post before any event */
    { 16, 1, 0, 0, 16, 1, 0, 0 },  /* an event runs once */
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (RwSpace) space = rw_space_new ();
      g_autoptr (RwLog) log = rw_log_new (space, NULL);
      g_autofree char *why = NULL;
      g_assert_false (add (log, cases[i], i == 5 ? 8 : 4, &why));
      g_assert_nonnull (why);
    }
}

static void
test_definitions_must_be_json (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwLog) log = rw_log_new (space, NULL);
  g_autofree char *why = NULL;
  g_assert_false (rw_log_add (log, NULL, 0, "", 0, "{]", 2, &why));
  g_assert_nonnull (why);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/log/becomes-a-trace", test_becomes_a_trace);
  g_test_add_func ("/recorder/log/nonsense-is-an-error", test_nonsense_is_an_error);
  g_test_add_func ("/recorder/log/definitions-must-be-json", test_definitions_must_be_json);
  return g_test_run ();
}
