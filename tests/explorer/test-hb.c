/* SPDX-License-Identifier: MIT */
/* Happens-before: chains, clocks and the timer rule against a matrix that is closed by brute force. */
#include "rw-hb.h"

typedef struct
{
  guint tail, head;
  gint32 duration; /* -1: a plain arc */
} Arc;

static gint
compare_int (gconstpointer a, gconstpointer b)
{
  return *(const gint32 *)a - *(const gint32 *)b;
}

/* Arcs by ascending head; timers of one tail are posted in the order of the array. */
static RwHb *
build (guint n_nodes, const Arc *arcs, guint n_arcs)
{
  g_autofree gint32 *delays = g_new (gint32, n_arcs + 1);
  g_autofree RwHbPost *posts = g_new (RwHbPost, n_arcs + 1);
  guint n_delays = 0;
  RwHb *hb;

  for (guint i = 0; i < n_arcs; i++)
    if (arcs[i].duration >= 0)
      delays[n_delays++] = arcs[i].duration;
  qsort (delays, n_delays, sizeof *delays, compare_int);
  hb = rw_hb_new (n_delays);
  for (guint node = 0; node < n_nodes; node++)
    {
      g_assert_cmpuint (rw_hb_begin (hb), ==, node);
      for (guint i = 0; i < n_arcs; i++)
        if (arcs[i].head == node && arcs[i].duration < 0)
          rw_hb_arc (hb, arcs[i].tail);
        else if (arcs[i].head == node)
          rw_hb_fire (hb, posts[i], 0);
      for (guint i = 0; i < n_arcs; i++)
        for (guint c = 0; c < n_delays; c++)
          if (arcs[i].tail == node && arcs[i].duration >= 0 && delays[c] == arcs[i].duration)
            {
              posts[i] = rw_hb_post (hb, c);
              break;
            }
    }
  rw_hb_end (hb);
  return hb;
}

static void
close_matrix (gboolean *before, guint n)
{
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < n; i++)
      if (before[i * n + k])
        for (guint j = 0; j < n; j++)
          before[i * n + j] |= before[k * n + j];
}

/* The definition, applied until nothing changes. */
static gboolean *
brute_force (guint n, const Arc *arcs, guint n_arcs)
{
  gboolean *before = g_new0 (gboolean, n * n);
  gboolean changed = TRUE;

  for (guint i = 0; i < n_arcs; i++)
    before[arcs[i].tail * n + arcs[i].head] = TRUE;
  while (changed)
    {
      changed = FALSE;
      close_matrix (before, n);
      for (guint a = 0; a < n_arcs; a++)
        for (guint b = 0; b < n_arcs; b++)
          {
            const Arc *x = &arcs[a], *y = &arcs[b];
            gboolean no_later = x->tail == y->tail ? a < b : before[x->tail * n + y->tail];
            if (x->duration < 0 || y->duration < x->duration || !no_later || x->head >= y->head)
              continue;
            changed |= !before[x->head * n + y->head];
            before[x->head * n + y->head] = TRUE;
          }
    }
  return before;
}

static void
assert_before (guint n_nodes, const Arc *arcs, guint n_arcs)
{
  g_autoptr (RwHb) hb = build (n_nodes, arcs, n_arcs);
  g_autofree gboolean *before = brute_force (n_nodes, arcs, n_arcs);

  for (guint i = 0; i < n_nodes; i++)
    for (guint j = 0; j < n_nodes; j++)
      if (rw_hb_before (hb, i, j) != before[i * n_nodes + j])
        {
          for (guint k = 0; k < n_arcs; k++)
            g_printerr ("# %u -> %u (%d)\n", arcs[k].tail, arcs[k].head, arcs[k].duration);
          g_error ("node %u is %sbefore %u", i, before[i * n_nodes + j] ? "" : "not ", j);
        }
}

static void
test_random_graphs (gconstpointer data)
{
  guint timers = GPOINTER_TO_UINT (data); /* percent */
  g_autoptr (GRand) rand = g_rand_new_with_seed (timers + 1);

  for (guint round = 0; round < 1500; round++)
    {
      guint n_nodes = g_rand_int_range (rand, 2, round % 50 == 0 ? 80 : 20);
      g_autoptr (GArray) arcs = g_array_new (FALSE, FALSE, sizeof (Arc));
      guint n_delays = g_rand_int_range (rand, 1, 40);

      for (guint node = 1; node < n_nodes; node++)
        for (guint i = g_rand_int_range (rand, 0, 4); i-- > 0;)
          {
            Arc arc = { g_rand_int_range (rand, 0, node), node, -1 };
            if ((guint)g_rand_int_range (rand, 0, 100) < timers)
              arc.duration = g_rand_int_range (rand, 0, n_delays);
            g_array_append_val (arcs, arc);
          }
      assert_before (n_nodes, (const Arc *)arcs->data, arcs->len);
    }
}

static void
test_many_columns (void)
{
  g_autoptr (RwHb) hb = rw_hb_new (0);
  guint n = 3000;

  /* n branches of two nodes, all joined at the end: clocks several blocks high. */
  rw_hb_begin (hb);
  for (guint i = 0; i < n; i++)
    {
      rw_hb_begin (hb);
      rw_hb_arc (hb, 0);
    }
  for (guint i = 0; i < n; i++)
    {
      rw_hb_begin (hb);
      rw_hb_arc (hb, 1 + i);
      rw_hb_arc (hb, 1 + (i + 1) % n);
    }
  rw_hb_begin (hb);
  for (guint i = 0; i < n; i++)
    rw_hb_arc (hb, n + 1 + i);
  rw_hb_end (hb);
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (rw_hb_before (hb, 1 + i, 2 * n + 1));
      g_assert_true (rw_hb_before (hb, 1 + i, n + 1 + i));
      g_assert_true (rw_hb_before (hb, 1 + (i + 1) % n, n + 1 + i));
      g_assert_false (rw_hb_before (hb, 1 + (i + 2) % n, n + 1 + i));
      g_assert_false (rw_hb_before (hb, 2 * n + 1, i));
    }
}

static void
test_shorter_first (void)
{
  const Arc arcs[] = { { 0, 1, 10 }, { 0, 2, 20 } };
  const Arc reversed[] = { { 0, 2, 20 }, { 0, 1, 10 } };
  g_autoptr (RwHb) ordered = build (3, arcs, 2);
  g_autoptr (RwHb) racing = build (3, reversed, 2);

  g_assert_true (rw_hb_before (ordered, 1, 2));
  g_assert_false (rw_hb_before (racing, 1, 2));
}

static void
test_equal_delays_in_order (void)
{
  const Arc arcs[] = { { 0, 1, -1 }, { 0, 2, 5 }, { 1, 3, 5 } };
  g_autoptr (RwHb) hb = build (4, arcs, 3);

  g_assert_true (rw_hb_before (hb, 2, 3));
}

static void
test_unordered_installers (void)
{
  const Arc arcs[] = { { 0, 1, -1 }, { 0, 2, -1 }, { 1, 3, 5 }, { 2, 4, 5 } };
  g_autoptr (RwHb) hb = build (5, arcs, 4);

  g_assert_false (rw_hb_before (hb, 3, 4));
}

static void
test_late_timer (void)
{
  /* The timer that node 0 set first fires last: it is ordered with what is set afterwards, not with what overtook it.
   */
  const Arc arcs[] = { { 0, 1, -1 }, { 1, 2, 5 }, { 0, 3, 5 }, { 1, 4, 5 } };
  g_autoptr (RwHb) hb = build (5, arcs, 4);

  g_assert_false (rw_hb_before (hb, 2, 3));
  g_assert_false (rw_hb_before (hb, 3, 2));
  g_assert_true (rw_hb_before (hb, 3, 4));
}

static void
test_cancelled_timer (void)
{
  g_autoptr (RwHb) hb = rw_hb_new (1);
  RwHbPost first, second;

  rw_hb_begin (hb);
  first = rw_hb_post (hb, 0);
  second = rw_hb_post (hb, 0);
  rw_hb_begin (hb); /* cancels the first, unordered with anything */
  rw_hb_remove (hb, first);
  rw_hb_begin (hb);
  rw_hb_fire (hb, second, 0);
  rw_hb_end (hb);
  g_assert_true (rw_hb_before (hb, 1, 2));
}

static void
test_chain_is_one (void)
{
  g_autoptr (RwHb) hb = rw_hb_new (0);

  for (guint i = 0; i < 100000; i++)
    {
      rw_hb_begin (hb);
      if (i > 0)
        rw_hb_arc (hb, i - 1);
    }
  rw_hb_end (hb);
  g_assert_cmpuint (rw_hb_n_chains (hb), ==, 1);
  g_assert_cmpuint (rw_hb_memory (hb), <, 100000 * 40);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/explorer/hb/random-graphs/plain", GUINT_TO_POINTER (0), test_random_graphs);
  g_test_add_data_func ("/explorer/hb/random-graphs/some-timers", GUINT_TO_POINTER (40), test_random_graphs);
  g_test_add_data_func ("/explorer/hb/random-graphs/all-timers", GUINT_TO_POINTER (100), test_random_graphs);
  g_test_add_func ("/explorer/hb/many-branches-join", test_many_columns);
  g_test_add_func ("/explorer/hb/a-shorter-timer-set-first-fires-first", test_shorter_first);
  g_test_add_func ("/explorer/hb/equal-delays-in-order", test_equal_delays_in_order);
  g_test_add_func ("/explorer/hb/timers-of-unordered-events-are-unordered", test_unordered_installers);
  g_test_add_func ("/explorer/hb/a-late-timer-comes-before-what-is-set-later", test_late_timer);
  g_test_add_func ("/explorer/hb/a-cancelled-timer-hands-its-place-on", test_cancelled_timer);
  g_test_add_func ("/explorer/hb/a-chain-costs-no-clocks", test_chain_is_one);
  return g_test_run ();
}
