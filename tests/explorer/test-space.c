/* SPDX-License-Identifier: MIT */
/* The names that runs share: dense, stable, completed by their first definition. */
#include "rw-space-private.h"

static void
identities_are_fnv1a (void)
{
  g_assert_cmphex (rw_identity (""), ==, 0xcbf29ce484222325);
  g_assert_cmphex (rw_identity ("a"), ==, 0xaf63dc4c8601ec8c);
  g_assert_cmphex (rw_identity ("foobar"), ==, 0x85944171f73967e8);
}

static void
names_are_dense_and_stable (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_assert_cmpuint (rw_space_location (space, "x"), ==, 0);
  g_assert_cmpuint (rw_space_location (space, "y"), ==, 1);
  g_assert_cmpuint (rw_space_location (space, "x"), ==, 0);
  g_assert_cmpuint (rw_space_n_locations (space), ==, 2);
  g_assert_cmpuint (rw_space_group (space, "g"), ==, 1);
  g_assert_cmpuint (rw_space_value (space, NULL), ==, 0);
  g_assert_cmpuint (rw_space_value (space, ""), ==, 1);
  g_assert_cmpuint (rw_space_place (space, NULL), ==, 0);
  g_assert_cmpstr (rw_space_value_text (space, 0), ==, NULL);
  g_assert_cmpstr (rw_space_location_name (space, 1), ==, "y");
}

static void
texts_become_utf8 (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  RwLocation location = rw_space_location (space, "a\xff");
  g_assert_true (g_utf8_validate (rw_space_location_name (space, location), -1, NULL));
  g_assert_cmpuint (rw_space_location (space, "a\xff"), ==, location);
}

static void
a_mention_is_completed_by_its_definition (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  guint64 after = 7;
  RwEventInfo info = { .id = 3,
                       .kind = RW_KIND_TIMER,
                       .label = "t",
                       .delay = 5,
                       .after = &after,
                       .n_after = 1,
                       .blocks = &after,
                       .n_blocks = 1 };
  RwEvent event = rw_space_event (space, &info), mentioned;
  guint n;

  g_assert_true (rw_space_lookup_event (space, 7, &mentioned));
  g_assert_false (rw_space_event_is_defined (space, mentioned));
  g_assert_cmpstr (rw_space_event_info (space, mentioned)->label, ==, NULL);
  g_assert_cmpuint (rw_space_event_after (space, event, &n)[0], ==, mentioned);
  g_assert_cmpuint (rw_space_event_blockers (space, mentioned, &n)[0], ==, event);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (rw_space_event (space, &(RwEventInfo){ .id = 7, .kind = RW_KIND_USER, .delay = -1 }), ==,
                    mentioned);
  g_assert_cmpint (rw_space_event_info (space, mentioned)->kind, ==, RW_KIND_USER);
  g_assert_cmpuint (rw_space_unstable (space), ==, 0);
  g_assert_cmpuint (rw_space_n_events (space), ==, 2);
}

static void
a_definition_that_differs_is_counted (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  RwEventInfo info = { .id = 3, .kind = RW_KIND_TIMER, .label = "t", .delay = 5 };
  RwEvent event = rw_space_event (space, &info);
  info.label = "other";
  rw_space_event (space, &info);
  g_assert_cmpuint (rw_space_unstable (space), ==, 0);
  g_assert_cmpstr (rw_space_event_info (space, event)->label, ==, "t");
  info.delay = 6;
  g_assert_cmpuint (rw_space_event (space, &info), ==, event);
  g_assert_cmpuint (rw_space_unstable (space), ==, 1);
  g_assert_cmpint (rw_space_event_info (space, event)->delay, ==, 5);
}

static void
an_unknown_identity_is_not_made_by_asking (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  RwEvent event = 0;
  g_assert_false (rw_space_lookup_event (space, 9, &event));
  g_assert_cmpuint (event, ==, RW_EVENT_NONE);
  g_assert_cmpuint (rw_space_n_events (space), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explorer/space/identities-are-fnv1a", identities_are_fnv1a);
  g_test_add_func ("/explorer/space/names-are-dense-and-stable", names_are_dense_and_stable);
  g_test_add_func ("/explorer/space/texts-become-utf8", texts_become_utf8);
  g_test_add_func ("/explorer/space/a-mention-is-completed-by-its-definition",
                   a_mention_is_completed_by_its_definition);
  g_test_add_func ("/explorer/space/a-definition-that-differs-is-counted", a_definition_that_differs_is_counted);
  g_test_add_func ("/explorer/space/an-unknown-identity-is-not-made-by-asking",
                   an_unknown_identity_is_not_made_by_asking);
  return g_test_run ();
}
