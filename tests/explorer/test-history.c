/* SPDX-License-Identifier: MIT */
/* Histories from traces: an event is ordered after its neighbour exactly where it could not have run before it. */
#include "rw-race.h"

#include <string.h>

#define MAX_EVENTS 12

/* A random program: what each event is, posts, cancels and touches. */
typedef struct
{
  RwSpace *space;
  guint n;
  RwEvent event[MAX_EVENTS];
  gint poster[MAX_EVENTS]; /* -1: pending from the start */
  gboolean cancels[MAX_EVENTS][MAX_EVENTS];
  guint accesses[MAX_EVENTS]; /* a bit for each of four reads and four writes */
  RwLocation locations[4];
} Program;

static void
program_init (Program *program, GRand *rand, guint features)
{
  guint64 ids[MAX_EVENTS];

  memset (program, 0, sizeof *program);
  program->space = rw_space_new ();
  program->n = g_rand_int_range (rand, 3, MAX_EVENTS + 1);
  for (guint i = 0; i < program->n; i++)
    {
      g_autofree char *label = g_strdup_printf ("e%u", i);
      guint64 after[1], blocks[1];
      RwEventInfo info = { .id = ids[i] = rw_identity (label), .kind = RW_KIND_OTHER, .label = label, .delay = -1 };

      program->poster[i] = i == 0 || g_rand_int_range (rand, 0, 3) == 0 ? -1 : g_rand_int_range (rand, 0, i);
      if ((features & 1) && g_rand_boolean (rand))
        info.delay = g_rand_int_range (rand, 0, 3);
      if ((features & 2) && g_rand_int_range (rand, 0, 3) == 0)
        info.group = rw_space_group (program->space, g_rand_boolean (rand) ? "g" : "h");
      if ((features & 4) && i > 0 && g_rand_int_range (rand, 0, 3) == 0)
        {
          after[0] = ids[g_rand_int_range (rand, 0, i)];
          info.after = after;
          info.n_after = 1;
        }
      if ((features & 8) && i > 0 && g_rand_int_range (rand, 0, 3) == 0)
        {
          blocks[0] = ids[g_rand_int_range (rand, 0, i)];
          info.blocks = blocks;
          info.n_blocks = 1;
        }
      for (guint j = 0; j < program->n; j++)
        program->cancels[i][j] = (features & 16) && i != j && g_rand_int_range (rand, 0, 12) == 0;
      program->accesses[i] = g_rand_int (rand) & g_rand_int (rand) & 0xff;
      program->event[i] = rw_space_event (program->space, &info);
    }
  for (guint i = 0; i < 4; i++)
    program->locations[i] = rw_space_location (program->space, (const char *[]){ "w", "x", "y", "z" }[i]);
}

typedef struct
{
  gboolean posted[MAX_EVENTS], finished[MAX_EVENTS];
  guint order[MAX_EVENTS]; /* of the posts */
  guint n_posts;
  guint ran[MAX_EVENTS];
  guint n_ran;
} State;

static void
post (State *state, guint i)
{
  state->posted[i] = TRUE;
  state->order[i] = state->n_posts++;
}

static void
run_event (const Program *program, State *state, RwTrace *trace, guint i)
{
  state->finished[i] = TRUE;
  state->ran[state->n_ran++] = i;
  rw_trace_begin (trace, program->event[i]);
  for (guint bit = 0; bit < 8; bit++)
    if (program->accesses[i] & (1u << bit))
      (bit & 1 ? rw_trace_write : rw_trace_read) (trace, program->locations[bit / 2], 0, 0);
  for (guint j = 0; j < program->n; j++)
    if (program->poster[j] == (gint)i)
      {
        post (state, j);
        rw_trace_post (trace, program->event[j]);
      }
  for (guint j = 0; j < program->n; j++)
    if (program->cancels[i][j])
      {
        gboolean effective = state->posted[j] && !state->finished[j];
        rw_trace_cancel (trace, program->event[j], effective);
        state->finished[j] |= effective;
      }
}

static gint
node_of (const RwTrace *trace, const Program *program, gint i)
{
  return i < 0 ? 0 : rw_trace_position (trace, program->event[i]) + 1;
}

/* The rule of rw-space.h; @history is of the events that ran so far. */
static gboolean
is_enabled (const Program *program, const State *state, const RwTrace *trace, const RwHistory *history, guint y)
{
  const RwEventInfo *info = rw_space_event_info (program->space, program->event[y]);

  if (!state->posted[y] || state->finished[y])
    return FALSE;
  for (guint x = 0; x < program->n; x++)
    {
      const RwEventInfo *other = rw_space_event_info (program->space, program->event[x]);
      gboolean pending = state->posted[x] && !state->finished[x] && x != y;

      if (info->n_after == 1 && info->after[0] == other->id && !state->finished[x])
        return FALSE;
      if (pending && other->n_blocks == 1 && other->blocks[0] == info->id)
        return FALSE;
      if (pending && info->group != 0 && other->group == info->group && state->order[x] < state->order[y])
        return FALSE;
      if (pending && info->delay >= 0 && other->delay >= 0 && other->delay <= info->delay
          && (program->poster[x] == program->poster[y]
                  ? state->order[x] < state->order[y]
                  : rw_hb_before (history->hb, node_of (trace, program, program->poster[x]),
                                  node_of (trace, program, program->poster[y]))))
        return FALSE;
    }
  return TRUE;
}

static RwTrace *
new_trace (const Program *program, State *state)
{
  RwTrace *trace = rw_trace_new (program->space);

  memset (state, 0, sizeof *state);
  for (guint i = 0; i < program->n; i++)
    if (program->poster[i] < 0)
      {
        post (state, i);
        rw_trace_initial (trace, program->event[i]);
      }
  return trace;
}

static gboolean
run_random (const Program *program, GRand *rand, State *state, RwTrace *trace)
{
  g_autoptr (RwHistory) history = rw_history_from_trace (trace, RW_TIMERS_ORDERED);
  guint enabled[MAX_EVENTS], n = 0;

  for (guint i = 0; i < program->n; i++)
    if (is_enabled (program, state, trace, history, i))
      enabled[n++] = i;
  if (n == 0)
    return FALSE;
  run_event (program, state, trace, enabled[g_rand_int_range (rand, 0, n)]);
  return TRUE;
}

static gboolean
has_race (const RwRaces *races, guint a, guint b)
{
  for (guint i = 0; i < races->races->len; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i);
      if ((race->first == a && race->second == b) || (race->first == b && race->second == a))
        return TRUE;
    }
  return FALSE;
}

/* What y waits for in this run it need not wait for in another: whoever posted it is not ordered with who posted y to
 * the same queue, which both write, or not ordered with y, which then is in a race with it. */
static gboolean
waits_by_chance (const Program *program, const State *state, const RwTrace *trace, const RwHistory *history,
                 const RwRaces *races, guint y)
{
  const RwEventInfo *info = rw_space_event_info (program->space, program->event[y]);
  guint node = state->n_ran + 2;
  gboolean by_chance = FALSE;

  for (guint x = 0; x < program->n; x++)
    {
      const RwEventInfo *other = rw_space_event_info (program->space, program->event[x]);
      guint poster = node_of (trace, program, program->poster[x]);
      guint own_poster = node_of (trace, program, program->poster[y]);

      if (!state->posted[x] || state->finished[x] || x == y)
        continue;
      if (other->n_blocks == 1 && other->blocks[0] == info->id && !rw_hb_before (history->hb, poster, node))
        by_chance |= has_race (races, poster, node);
      if (info->group != 0 && other->group == info->group && poster != own_poster
          && !rw_hb_before (history->hb, poster, own_poster))
        by_chance = TRUE;
    }
  return by_chance;
}

/* For each two neighbours of the run: is the second one enabled where the first one ran? */
static guint
check_neighbours (const Program *program, const State *state, const RwHistory *history, const RwRaces *races,
                  guint features)
{
  guint n_ordered = 0;
  State replay;
  g_autoptr (RwTrace) prefix = new_trace (program, &replay);

  for (guint i = 0; i + 1 < state->n_ran; i++)
    {
      g_autoptr (RwHistory) before = rw_history_from_trace (prefix, RW_TIMERS_ORDERED);
      gboolean ordered = rw_hb_before (history->hb, i + 1, i + 2);
      gboolean enabled = is_enabled (program, &replay, prefix, before, state->ran[i + 1]);
      const RwEventInfo *x = rw_space_event_info (program->space, program->event[state->ran[i]]);
      const RwEventInfo *y = rw_space_event_info (program->space, program->event[state->ran[i + 1]]);

      if (ordered == enabled
          && !(ordered == FALSE && waits_by_chance (program, &replay, prefix, history, races, state->ran[i + 1])))
        g_error ("features %u: %s and %s are %sordered, but the second is %senabled without the first", features,
                 x->label, y->label, ordered ? "" : "not ", enabled ? "" : "not ");
      n_ordered += ordered;
      run_event (program, &replay, prefix, state->ran[i]);
    }
  return n_ordered;
}

static void
test_neighbours (gconstpointer data)
{
  guint features = GPOINTER_TO_UINT (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (features);
  guint n_rounds = g_getenv ("RW_LONG") == NULL ? 1500 : 15000;
  guint n_ordered = 0, n_pairs = 0;

  for (guint round = 0; round < n_rounds; round++)
    {
      Program program;
      State state;

      program_init (&program, rand, features);
      g_autoptr (RwTrace) trace = new_trace (&program, &state);
      while (run_random (&program, rand, &state, trace))
        ;
      g_autoptr (RwHistory) history = rw_history_from_trace (trace, RW_TIMERS_ORDERED);
      g_assert_true (rw_trace_check (trace, NULL));
      g_autoptr (RwRaces) races = rw_races_find (history);
      n_ordered += check_neighbours (&program, &state, history, races, features);
      n_pairs += MAX (state.n_ran, 1) - 1;
      rw_space_unref (program.space);
    }
  g_test_message ("%u of %u neighbours are ordered", n_ordered, n_pairs);
  g_assert_cmpuint (n_ordered, >, n_pairs / 10);
  g_assert_cmpuint (n_ordered, <, n_pairs * 9 / 10);
}

/* A page by hand. */
typedef struct
{
  RwSpace *space;
  RwTrace *trace;
} Page;

static RwEvent
event (Page *page, const char *name, const char *group, gint32 delay)
{
  RwEventInfo info = { .id = rw_identity (name), .kind = RW_KIND_OTHER, .label = name, .delay = delay };

  info.group = group == NULL ? 0 : rw_space_group (page->space, group);
  return rw_space_event (page->space, &info);
}

static void
page_init (Page *page)
{
  page->space = rw_space_new ();
  page->trace = rw_trace_new (page->space);
}

static void
page_clear (Page *page)
{
  rw_trace_unref (page->trace);
  rw_space_unref (page->space);
}

/* The races of a history as "first-second:location", by label. */
static char *
spell (const RwHistory *history)
{
  g_autoptr (RwRaces) races = rw_races_find (history);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < races->races->len; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i);
      g_autofree char *first = rw_history_label (history, race->first);
      g_autofree char *second = rw_history_label (history, race->second);

      g_string_append_printf (out, "%s%s-%s:%s", i == 0 ? "" : " ", first, second,
                              rw_history_location (history, race->location));
    }
  return g_string_free (out, FALSE);
}

static void
assert_page (Page *page, const char *expected)
{
  g_autoptr (RwHistory) history = rw_history_from_trace (page->trace, RW_TIMERS_ORDERED);
  g_autofree char *found = spell (history);

  g_assert_true (rw_trace_check (page->trace, NULL));
  g_assert_cmpstr (found, ==, expected);
}

static void
test_failed_lookup (void)
{
  /* <img onload="loaded()"> fires before the script that defines loaded () has run: EventRacer's issue 5. */
  Page page;
  page_init (&page);
  RwEvent load = event (&page, "load", NULL, -1), script = event (&page, "script", NULL, -1);
  RwLocation location = rw_space_location (page.space, "loaded");

  rw_trace_initial (page.trace, load);
  rw_trace_initial (page.trace, script);
  rw_trace_begin (page.trace, load);
  rw_trace_add (page.trace, (RwOp){ .kind = RW_OP_READ, .flags = RW_OP_FAILED, .target = location });
  rw_trace_begin (page.trace, script);
  rw_trace_write (page.trace, location, rw_space_value (page.space, "Function"),
                  rw_space_place (page.space, "a.js:1:1"));
  assert_page (&page, "load-script:loaded");

  g_autoptr (RwHistory) history = rw_history_from_trace (page.trace, RW_TIMERS_ORDERED);
  g_autoptr (RwRaces) races = rw_races_find (history);
  RwAccessInfo info;
  rw_races_label (races, history);
  g_assert_cmpuint (g_array_index (races->races, RwRace, 0).labels, ==, RW_RACE_FAILED_LOOKUP);
  rw_history_access (history, 2, 0, &info);
  g_assert_cmpstr (info.place, ==, "a.js:1:1");
  page_clear (&page);
}

static void
test_cancel_after_run (void)
{
  /* clearTimeout comes too late: it conflicts with the timer, and two of them do not conflict with each other. */
  Page page;
  page_init (&page);
  RwEvent timer = event (&page, "timer", NULL, 10), a = event (&page, "a", NULL, -1), b = event (&page, "b", NULL, -1);

  rw_trace_initial (page.trace, timer);
  rw_trace_initial (page.trace, a);
  rw_trace_initial (page.trace, b);
  rw_trace_begin (page.trace, timer);
  rw_trace_begin (page.trace, a);
  rw_trace_cancel (page.trace, timer, FALSE);
  rw_trace_begin (page.trace, b);
  rw_trace_cancel (page.trace, timer, FALSE);
  assert_page (&page, "timer-a:slot of timer timer-b:slot of timer");
  page_clear (&page);
}

static void
test_queue (void)
{
  /* Two events send a message on one channel: the messages come in the order of the posts, so the posts race. */
  Page page;
  page_init (&page);
  RwEvent a = event (&page, "a", NULL, -1), b = event (&page, "b", NULL, -1);
  RwEvent first = event (&page, "first", "port", -1), second = event (&page, "second", "port", -1);

  rw_trace_initial (page.trace, a);
  rw_trace_initial (page.trace, b);
  rw_trace_begin (page.trace, a);
  rw_trace_post (page.trace, first);
  rw_trace_begin (page.trace, b);
  rw_trace_post (page.trace, second);
  rw_trace_begin (page.trace, first);
  rw_trace_begin (page.trace, second);
  assert_page (&page, "a-b:queue port");
  page_clear (&page);
}

static void
test_debounce (void)
{
  /* A timer that is set anew by each of many keys: all that is cancelled leaves the first one before the last. */
  Page page;
  page_init (&page);
  RwEvent first = event (&page, "first", NULL, 10), previous = RW_EVENT_NONE;
  RwLocation x = rw_space_location (page.space, "x");
  RwEvent start = event (&page, "start", NULL, -1);

  rw_trace_initial (page.trace, start);
  rw_trace_begin (page.trace, start);
  rw_trace_post (page.trace, first);
  for (guint i = 0; i < 2000; i++)
    {
      g_autofree char *key_name = g_strdup_printf ("key %u", i), *timer_name = g_strdup_printf ("timer %u", i);
      RwEvent key = event (&page, key_name, "keys", -1), timer = event (&page, timer_name, NULL, 10);

      rw_trace_post (page.trace, key);
      rw_trace_begin (page.trace, key);
      if (previous != RW_EVENT_NONE)
        rw_trace_cancel (page.trace, previous, TRUE);
      rw_trace_post (page.trace, timer);
      previous = timer;
    }
  rw_trace_begin (page.trace, first);
  rw_trace_write (page.trace, x, 0, 0);
  rw_trace_begin (page.trace, previous);
  rw_trace_write (page.trace, x, 0, 0);
  assert_page (&page, "");
  page_clear (&page);
}

static void
test_export (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  /* Timers of one event that are set in the order 20, 10 are ordered by EventRacer and not by us, so there are none
   * here. */
  for (guint round = 0; round < 500; round++)
    {
      Program program;
      State state;

      program_init (&program, rand, 2 + 4 + 8);
      g_autoptr (RwTrace) trace = new_trace (&program, &state);
      while (run_random (&program, rand, &state, trace))
        ;
      g_autoptr (RwHistory) history = rw_history_from_trace (trace, RW_TIMERS_ORDERED);
      g_autoptr (RwErLog) log = rw_erlog_from_trace (trace);
      g_autoptr (GBytes) bytes = rw_erlog_to_bytes (log);
      g_autoptr (RwErLog) read = rw_erlog_from_bytes (bytes, NULL);
      g_autoptr (RwHistory) again = rw_history_from_erlog (read, RW_TIMERS_ORDERED);
      g_autofree char *expected = spell (history), *found = spell (again);

      g_assert_cmpstr (found, ==, expected);
      rw_space_unref (program.space);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    guint features;
  } kinds[] = {
    { "posts", 0 },   { "timers", 1 },         { "queues", 2 },         { "after", 4 },         { "blocks", 8 },
    { "cancel", 16 }, { "timers-cancel", 17 }, { "queues-cancel", 18 }, { "after-cancel", 20 }, { "blocks-cancel", 24 },
    { "all", 31 }
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strdup_printf ("/explorer/history/ordered-iff-not-enabled-before/%s", kinds[i].name);
      g_test_add_data_func (path, GUINT_TO_POINTER (kinds[i].features), test_neighbours);
    }
  g_test_add_func ("/explorer/history/a-failed-look-up-races-with-the-definition", test_failed_lookup);
  g_test_add_func ("/explorer/history/cancelling-races-with-running", test_cancel_after_run);
  g_test_add_func ("/explorer/history/posts-to-one-queue-race", test_queue);
  g_test_add_func ("/explorer/history/cancelled-timers-hide-nothing", test_debounce);
  g_test_add_func ("/explorer/history/exported-runs-have-the-same-races", test_export);
  return g_test_run ();
}
