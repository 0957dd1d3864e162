/* SPDX-License-Identifier: MIT */
/* A trace: built in order, readable while it grows, the same after a trip through bytes, and damage is refused. */
#include "rw-trace.h"

#include <string.h>

static RwEvent
event (RwSpace *space, const char *path)
{
  return rw_space_event (space, &(RwEventInfo){ .id = rw_identity (path), .label = path, .delay = -1 });
}

/* a posts b (a timer that waits for a, in a group) and cancels c; b reads what a wrote. */
static RwTrace *
sample (RwSpace *space)
{
  RwTrace *trace = rw_trace_new (space);
  guint64 after = rw_identity ("a"), blocks = rw_identity ("late");
  RwEvent a = event (space, "a"), c = event (space, "c");
  RwEvent b = rw_space_event (space, &(RwEventInfo){ .id = rw_identity ("b"),
                                                     .kind = RW_KIND_TIMER,
                                                     .label = "timer b",
                                                     .group = rw_space_group (space, "g"),
                                                     .delay = 10,
                                                     .after = &after,
                                                     .n_after = 1,
                                                     .blocks = &blocks,
                                                     .n_blocks = 1 });
  rw_trace_initial (trace, a);
  rw_trace_initial (trace, c);
  rw_trace_begin (trace, a);
  rw_trace_write (trace, rw_space_location (space, "global x"), rw_space_value (space, "1"),
                  rw_space_place (space, "p:1:2"));
  rw_trace_post (trace, b);
  rw_trace_cancel (trace, c, TRUE);
  rw_trace_begin (trace, b);
  rw_trace_add (trace,
                (RwOp){ .kind = RW_OP_READ, .flags = RW_OP_FAILED, .target = rw_space_location (space, "global y") });
  rw_trace_read (trace, rw_space_location (space, "global x"), rw_space_value (space, "1"), 0);
  rw_trace_cancel (trace, c, FALSE);
  rw_trace_set_cut (trace, "1000 events");
  return trace;
}

static char *
show (const RwTrace *trace)
{
  GString *text = g_string_new (NULL);
  RwSpace *space = rw_trace_space (trace);
  guint n, length = rw_trace_length (trace);
  const RwEvent *initials = rw_trace_initials (trace, &n);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "+%s ", rw_space_event_info (space, initials[i])->label);
  for (guint i = 0; i < length; i++)
    {
      const RwEventInfo *info = rw_space_event_info (space, rw_trace_event (trace, i));
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      g_string_append_printf (text, "%s/%d/%d/%u/%u:", info->label, info->kind, info->delay, info->n_after,
                              info->n_blocks);
      for (guint j = 0; j < n; j++)
        {
          gboolean access = ops[j].kind <= RW_OP_WRITE;
          g_string_append_printf (text, " %d.%d %s %s %s;", ops[j].kind, ops[j].flags,
                                  access ? rw_space_location_name (space, ops[j].target)
                                         : rw_space_event_info (space, ops[j].target)->label,
                                  rw_space_value_text (space, ops[j].value), rw_space_place_text (space, ops[j].place));
        }
    }
  g_string_append_printf (text, " cut %s", rw_trace_cut (trace));
  return g_string_free (text, FALSE);
}

static void
it_can_be_read_while_it_grows (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwTrace) trace = rw_trace_new (space);
  RwEvent a = event (space, "a"), b = event (space, "b");
  guint n;

  rw_trace_initial (trace, a);
  g_assert_cmpint (rw_trace_position (trace, a), ==, -1);
  g_assert_cmpuint (rw_trace_begin (trace, a), ==, 0);
  rw_trace_post (trace, b);
  g_assert_cmpint (rw_trace_position (trace, a), ==, 0);
  g_assert_cmpuint (rw_trace_ops (trace, 0, &n)->target, ==, b);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (rw_trace_poster (trace, b), ==, a);
  g_assert_cmpuint (rw_trace_poster (trace, a), ==, RW_EVENT_NONE);
  g_assert_cmpuint (rw_trace_begin (trace, b), ==, 1);
  g_assert_null (rw_trace_ops (trace, 1, &n));
  g_assert_cmpuint (rw_trace_n_ops (trace), ==, 1);
}

static void
bytes_bring_back_the_same_trace (void)
{
  g_autoptr (RwSpace) space = rw_space_new (), other = rw_space_new ();
  g_autoptr (RwTrace) trace = sample (space);
  g_autoptr (GBytes) bytes = rw_trace_to_bytes (trace);
  g_autoptr (GError) error = NULL;

  event (other, "something first, so that the numbers differ");
  rw_space_location (other, "z");
  g_autoptr (RwTrace) back = rw_trace_from_bytes (other, bytes, &error);
  g_assert_no_error (error);
  g_autofree char *before = show (trace), *after = show (back);
  g_assert_cmpstr (before, ==, after);
  g_autoptr (GBytes) again = rw_trace_to_bytes (back);
  g_assert_true (g_bytes_equal (bytes, again));
  RwEvent late;
  g_assert_true (rw_space_lookup_event (other, rw_identity ("late"), &late));
}

static void
bytes_are_compact (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwTrace) trace = rw_trace_new (space);
  RwEvent a = event (space, "a");
  RwPlace place = rw_space_place (space, "p");
  rw_trace_initial (trace, a);
  rw_trace_begin (trace, a);
  for (guint i = 0; i < 10000; i++)
    {
      g_autofree char *name = g_strdup_printf ("window.list[%u]", i % 50);
      rw_trace_read (trace, rw_space_location (space, name), rw_space_value (space, "1"), place);
    }
  g_autoptr (GBytes) bytes = rw_trace_to_bytes (trace);
  g_assert_cmpuint (g_bytes_get_size (bytes), <, 45000);
}

static void
every_truncation_is_refused (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwTrace) trace = sample (space);
  g_autoptr (GBytes) bytes = rw_trace_to_bytes (trace);

  for (gsize size = 0; size < g_bytes_get_size (bytes); size++)
    {
      /* A copy of exactly that size, so that one byte too far is seen by the sanitizer. */
      g_autofree gpointer copy = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
      g_autoptr (GBytes) part = g_bytes_new_static (copy, size);
      g_autoptr (GError) error = NULL;
      g_assert_null (rw_trace_from_bytes (space, part, &error));
      g_assert_error (error, RW_TRACE_ERROR, RW_TRACE_ERROR_FORMAT);
      g_assert_null (strchr (error->message, '\n'));
    }
}

static void
every_changed_byte_is_refused_or_harmless (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwTrace) trace = sample (space);
  g_autoptr (GBytes) bytes = rw_trace_to_bytes (trace);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < size; i++)
    for (guint change = 1; change < 256; change++)
      {
        g_autofree guint8 *copy = g_memdup2 (data, size);
        copy[i] ^= (guint8)change;
        g_autoptr (GBytes) part = g_bytes_new_static (copy, size);
        g_autoptr (RwSpace) fresh = rw_space_new ();
        g_autoptr (GError) error = NULL;
        g_autoptr (RwTrace) back = rw_trace_from_bytes (fresh, part, &error);
        g_assert_true ((back == NULL) == (error != NULL));
        g_assert_true (back == NULL || rw_trace_check (back, NULL));
      }
}

static void
a_newer_version_is_named_as_such (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (GBytes) bytes = g_bytes_new_static ("RWT\x02zzzz", 8);
  g_autoptr (GError) error = NULL;
  g_assert_null (rw_trace_from_bytes (space, bytes, &error));
  g_assert_error (error, RW_TRACE_ERROR, RW_TRACE_ERROR_VERSION);
}

static void
texts_that_multiply_are_refused (void)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (GByteArray) out = g_byte_array_new ();
  /* No group, 100 000 locations: the first is a megabyte long, each other one repeats it for four bytes. */
  static const guint8 head[] = { 'R', 'W', 'T', 1, 0, 0xa0, 0x8d, 0x06, 0, 0x80, 0x80, 0x40 };
  static const guint8 repeat[] = { 0x80, 0x80, 0x40, 0 };
  g_autofree guint8 *text = g_malloc (1 << 20);
  g_autoptr (GError) error = NULL;

  memset (text, 'a', 1 << 20);
  g_byte_array_append (out, head, sizeof head);
  g_byte_array_append (out, text, 1 << 20);
  for (guint i = 1; i < 100000; i++)
    g_byte_array_append (out, repeat, sizeof repeat);
  g_autoptr (GBytes) bytes = g_bytes_new (out->data, out->len);
  g_assert_null (rw_trace_from_bytes (space, bytes, &error));
  g_assert_error (error, RW_TRACE_ERROR, RW_TRACE_ERROR_LIMIT);
}

static void
check_names_what_is_wrong (void)
{
  static const struct
  {
    const char *steps; /* +a initial, a runs, >a posted, xa cancelled with effect */
    const char *why;   /* NULL: nothing */
  } cases[] = {
    { "+a a", NULL },
    { "a", "runs before it was posted" },
    { "+a a a", "runs after it ran" },
    { "+a +b a xb b", "runs after it ran or was cancelled" },
    { "+a a >b b", NULL },
    { "+a a xb", "was not pending" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (RwSpace) space = rw_space_new ();
      g_autoptr (RwTrace) trace = rw_trace_new (space);
      g_auto (GStrv) steps = g_strsplit (cases[i].steps, " ", -1);
      g_autofree char *why = NULL;
      for (char **step = steps; *step != NULL; step++)
        switch (**step)
          {
          case '+':
            rw_trace_initial (trace, event (space, *step + 1));
            break;
          case '>':
            rw_trace_post (trace, event (space, *step + 1));
            break;
          case 'x':
            rw_trace_cancel (trace, event (space, *step + 1), TRUE);
            break;
          default:
            rw_trace_begin (trace, event (space, *step));
          }
      g_assert_cmpint (rw_trace_check (trace, &why), ==, cases[i].why == NULL);
      if (cases[i].why != NULL)
        g_assert_nonnull (strstr (why, cases[i].why));
    }
}

static void
check_refuses_indices_out_of_range (void)
{
  static const RwOp ops[] = {
    { .kind = RW_OP_READ, .target = 5 },
    { .kind = RW_OP_CANCEL, .target = 77 },
    { .kind = RW_OP_READ, .value = 9 },
    { .kind = RW_OP_READ, .place = 9 },
    { .kind = 9 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (RwSpace) space = rw_space_new ();
      g_autoptr (RwTrace) trace = rw_trace_new (space);
      g_autofree char *why = NULL;
      rw_space_location (space, "x");
      rw_trace_initial (trace, event (space, "a"));
      rw_trace_begin (trace, event (space, "a"));
      rw_trace_add (trace, ops[i]);
      g_assert_false (rw_trace_check (trace, &why));
      g_assert_nonnull (why);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explorer/trace/it-can-be-read-while-it-grows", it_can_be_read_while_it_grows);
  g_test_add_func ("/explorer/trace/bytes-bring-back-the-same-trace", bytes_bring_back_the_same_trace);
  g_test_add_func ("/explorer/trace/bytes-are-compact", bytes_are_compact);
  g_test_add_func ("/explorer/trace/every-truncation-is-refused", every_truncation_is_refused);
  g_test_add_func ("/explorer/trace/every-changed-byte-is-refused-or-harmless",
                   every_changed_byte_is_refused_or_harmless);
  g_test_add_func ("/explorer/trace/a-newer-version-is-named-as-such", a_newer_version_is_named_as_such);
  g_test_add_func ("/explorer/trace/texts-that-multiply-are-refused", texts_that_multiply_are_refused);
  g_test_add_func ("/explorer/trace/check-names-what-is-wrong", check_names_what_is_wrong);
  g_test_add_func ("/explorer/trace/check-refuses-indices-out-of-range", check_refuses_indices_out_of_range);
  return g_test_run ();
}
