/* SPDX-License-Identifier: MIT */
/* Races and their coverage: small runs with known answers, and thousands of random ones against the definitions. */
#include "rw-spell.h"

#include <string.h>

static void
assert_races_with (const char *run, RwTimers timers, const char *expected)
{
  g_autoptr (RwErLog) log = rw_spell_log (run);
  g_autoptr (RwHistory) history = rw_history_from_erlog (log, timers);
  g_autoptr (RwRaces) races = rw_races_find (history);
  g_autofree char *found = rw_spell_races (history, races);

  g_assert_cmpstr (found, ==, expected);
}

static void
assert_races (const char *run, const char *expected)
{
  assert_races_with (run, RW_TIMERS_ORDERED, expected);
}

static void
test_conflicts (void)
{
  assert_races ("A: w x; B: r x", "A-B:x");
  assert_races ("A: r x; B: w x", "A-B:x");
  assert_races ("A: w x; B: w x", "A-B:x");
  assert_races ("A: r x; B: r x", "");
  assert_races ("A: w x; B: r y", "");
  assert_races ("A: w x; B: r x; A<B", "");
  assert_races ("A: w x; B: ; C: r x; A<B; B<C", "");
  assert_races ("A: w x, r x", "");
}

static void
test_neighbours_only (void)
{
  /* A and C conflict, but B's write lies between them: whoever reorders A and C reorders one of them with B. */
  assert_races ("A: w x; B: w x; C: r x", "A-B:x B-C:x");
  assert_races ("A: r x; B: r x; C: w x", "B-C:x A-C:x");
}

static void
test_coverage (void)
{
  /* Both races of one pair of events: the second is covered by the first. */
  assert_races ("A: w x, w y; B: r x, r y", "A-B:x (A-B:y)");
  /* A -> B and C -> D: ordering B before C would order A before D. */
  assert_races ("A: w x; B: w y; C: r y; D: r x; A<B; C<D", "B-C:y (A-D:x)");
  /* Ordering B before C would order A before C, but y is read too late for that. */
  assert_races ("A: w x; B: w y; C: r x, r y; A<B", "A-C:x B-C:y");
  /* Now it is read first. */
  assert_races ("A: w x; B: w y; C: r y, r x; A<B", "B-C:y (A-C:x)");
}

static void
test_multi_coverage (void)
{
  /* A - B and B - C order A and C between them. */
  assert_races ("A: w x, w z; B: r x, w y; C: r y, r z", "A-B:x B-C:y [A-C:z]");
  /* Not if z is read before y. */
  assert_races ("A: w x, w z; B: r x, w y; C: r z, r y", "A-B:x A-C:z B-C:y");
}

static void
test_timers (void)
{
  const char *run = "A: ; B: w x; C: r x; A>B@10; A>C@20";

  assert_races (run, "");
  assert_races_with (run, RW_TIMERS_ANY, "B-C:x");
  assert_races ("A: ; B: w x; C: r x; A>B@20; A>C@10", "B-C:x");
}

static void
test_fixes (void)
{
  /* EventRacer's corrections, one by one. */
  assert_races ("A: w ScriptRunner-1, w x; B: r CachedResource-1, r x", "");
  assert_races ("A: w ScriptRunner-1, w x; B: r CachedResource-2, r x", "A-B:x");
  assert_races ("A: w NodeTree:1, w x; B: r NodeTree:1, r x", "");
  assert_races ("A: w NodeTree:1; B: w NodeTree:1", "");
  assert_races ("A: r NodeTree:1, w x; B: w NodeTree:1, r x", "A-B:x");
  /* User events are chained, but those that were explored automatically are only tied to real ones. */
  assert_races ("!A: {eh:load; !B: {auto:explore, w x; !C: {auto:explore, r x; !D: {eh:unload, w x; A<B; B<C; C<D",
                "B-C:x");
  assert_races ("!A: {eh:load; !B: {eh:key, w x; !C: {eh:key, r x; A<B; B<C", "");
}

static void
test_kinds (void)
{
  g_autoptr (RwErLog) log = rw_spell_log ("A: r x, w x; B: w x, r x; C: r x");
  g_autoptr (RwHistory) history = rw_history_from_erlog (log, RW_TIMERS_ORDERED);
  g_autoptr (RwRaces) races = rw_races_find (history);
  const RwRace *race = &g_array_index (races->races, RwRace, 0);

  g_assert_cmpuint (races->races->len, ==, 2);
  g_assert_cmpuint (race[0].first_kind, ==, RW_ACCESS_UPDATE);
  g_assert_cmpuint (race[0].second_kind, ==, RW_ACCESS_WRITE);
  g_assert_cmpuint (race[1].second_kind, ==, RW_ACCESS_READ);
}

static void
assert_label (const char *run, guint expected)
{
  g_autoptr (RwErLog) log = rw_spell_log (run);
  g_autoptr (RwHistory) history = rw_history_from_erlog (log, RW_TIMERS_ORDERED);
  g_autoptr (RwRaces) races = rw_races_find (history);

  rw_races_label (races, history);
  g_assert_cmpuint (races->races->len, >, 0);
  g_assert_cmpuint (g_array_index (races->races, RwRace, 0).labels, ==, expected);
}

static void
test_labels (void)
{
  assert_label ("A: w P[1].click; B: {event:click, r P[1].click", RW_RACE_LATE_HANDLER);
  assert_label ("A: w P[1].click; B: {event:load, r P[1].click", 0);
  assert_label ("A: {addEventListener, w P[1].load; B: r P[1].load", RW_RACE_LATE_HANDLER);
  assert_label ("A: w x=1; B: w x=1", RW_RACE_SAME_VALUE);
  assert_label ("A: w x=1; B: w x=2", 0);
  assert_label ("A: w x; B: w x", 0);
  assert_label ("A: w x=1; B: w x=1; C: w x=2; A<C; B<C", 0);
  assert_label ("A: r x=undefined, w x=1; B: r x=1", RW_RACE_LAZY_INIT);
  assert_label ("A: r x=0, w x=1; B: r x=1", 0);
  assert_label ("A: r x=undefined; B: w x=1", RW_RACE_FAILED_LOOKUP);
  assert_label ("A: w x=1; B: {fire:unload @ TARGET, r x=1", RW_RACE_UNLOAD);
}

/* The definition of coverage, race by race and pair by pair, as published: races in order of their second access; an
 * uncovered race covers the later ones that it would order; a chain of uncovered ones covers what it connects. */
static gboolean
leq (const RwHb *hb, guint a, guint b)
{
  return a == b || rw_hb_before (hb, a, b);
}

static gboolean
reaches (const RwHb *hb, const RwRace *races, guint n, const RwRace *from, const RwRace *target)
{
  if ((from->second == target->second && from->second_at < target->second_at)
      || (from->second != target->second && rw_hb_before (hb, from->second, target->second)))
    return TRUE;
  for (guint i = 0; i < n; i++)
    if (races[i].coverage != RW_RACE_COVERED && leq (hb, from->second, races[i].first)
        && races[i].second <= target->second && reaches (hb, races, n, &races[i], target))
      return TRUE;
  return FALSE;
}

static void
cover_by_definition (const RwHb *hb, RwRace *races, guint n)
{
  for (guint i = 0; i < n; i++)
    races[i].coverage = RW_RACE_UNCOVERED;
  for (guint j = 0; j < n; j++)
    for (guint i = j + 1; races[j].coverage == RW_RACE_UNCOVERED && i < n; i++)
      if (leq (hb, races[j].second, races[i].second) && leq (hb, races[i].first, races[j].first))
        races[i].coverage = RW_RACE_COVERED;
  g_autofree guint8 *multi = g_new0 (guint8, n + 1);
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n && races[i].coverage == RW_RACE_UNCOVERED; j++)
      if (races[j].coverage == RW_RACE_UNCOVERED && leq (hb, races[i].first, races[j].first)
          && reaches (hb, races, n, &races[j], &races[i]))
        multi[i] = TRUE;
  for (guint i = 0; i < n; i++)
    if (multi[i])
      races[i].coverage = RW_RACE_MULTI;
}

static gboolean
conflict (const RwHistory *history, guint a, guint b)
{
  const guint32 *first = (const guint32 *)history->first->data;

  for (guint32 i = first[a]; i < first[a + 1]; i++)
    for (guint32 j = first[b]; j < first[b + 1]; j++)
      {
        guint32 x = g_array_index (history->access, guint32, i), y = g_array_index (history->access, guint32, j);
        if (x >> 1 == y >> 1 && ((x | y) & 1) != 0)
          return TRUE;
      }
  return FALSE;
}

/* Two events that conflict, are not ordered, and have nobody between them in the order of dependence are reported. */
static void
assert_neighbours_found (const RwHistory *history, const RwRaces *races)
{
  guint n = rw_history_n_nodes (history);
  g_autofree gboolean *depends = g_new0 (gboolean, n * n);

  for (guint j = 0; j < n; j++)
    for (guint i = 0; i < j; i++)
      depends[i * n + j] = rw_hb_before (history->hb, i, j) || conflict (history, i, j);
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < n; i++)
      for (guint j = 0; depends[i * n + k] && j < n; j++)
        depends[i * n + j] |= depends[k * n + j];
  for (guint j = 0; j < n; j++)
    for (guint i = 0; i < j; i++)
      {
        gboolean neighbours = conflict (history, i, j) && !rw_hb_before (history->hb, i, j);
        gboolean found = FALSE;

        for (guint k = i + 1; k < j; k++)
          neighbours &= !(depends[i * n + k] && depends[k * n + j]);
        for (guint r = 0; r < races->races->len && neighbours; r++)
          {
            const RwRace *race = &g_array_index (races->races, RwRace, r);
            found |= race->first == i && race->second == j && race->coverage == RW_RACE_UNCOVERED;
          }
        g_assert_true (found || !neighbours);
      }
}

static void
assert_races_are_races (const RwHistory *history, const RwRaces *races)
{
  for (guint i = 0; i < races->races->len; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i);
      guint32 a = g_array_index (history->access, guint32,
                                 g_array_index (history->first, guint32, race->first) + race->first_at);
      guint32 b = g_array_index (history->access, guint32,
                                 g_array_index (history->first, guint32, race->second) + race->second_at);

      g_assert_cmpuint (race->first, <, race->second);
      g_assert_false (rw_hb_before (history->hb, race->first, race->second));
      g_assert_cmpuint (a >> 1, ==, race->location);
      g_assert_cmpuint (b >> 1, ==, race->location);
      g_assert_true (((a | b) & 1) != 0);
    }
}

static RwErLog *
random_log (GRand *rand)
{
  RwErLog *log = rw_erlog_new ();
  guint n = g_rand_int_range (rand, 2, 14);
  guint n_locations = g_rand_int_range (rand, 1, 6);
  double density = g_rand_double (rand);

  for (guint e = 0; e < n; e++)
    {
      rw_erlog_add_event (log, RW_ER_UNKNOWN);
      for (guint i = g_rand_int_range (rand, 0, 5); i-- > 0;)
        {
          char name[] = { 'p' + (char)g_rand_int_range (rand, 0, n_locations), '\0' };
          rw_erlog_add_command (log, g_rand_boolean (rand) ? RW_ER_WRITE : RW_ER_READ,
                                rw_erlog_add_string (log, RW_ER_VARIABLES, name));
        }
      for (guint i = 0; i < e; i++)
        if (g_rand_double (rand) < density * 2 / n)
          rw_erlog_add_arc (log, i, e, g_rand_boolean (rand) ? -1 : g_rand_int_range (rand, 0, 4));
    }
  return log;
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint64 n_races = 0, n_multi = 0, n_covered = 0;

  for (guint round = 0; round < 20000; round++)
    {
      g_autoptr (RwErLog) log = random_log (rand);
      g_autoptr (RwHistory) history = rw_history_from_erlog (log, RW_TIMERS_ORDERED);
      g_autoptr (RwRaces) races = rw_races_find (history);
      guint n = races->races->len;
      g_autofree RwRace *expected = g_memdup2 (races->races->data, n * sizeof (RwRace));

      assert_races_are_races (history, races);
      assert_neighbours_found (history, races);
      cover_by_definition (history->hb, expected, n);
      for (guint i = 0; i < n; i++)
        g_assert_cmpuint (g_array_index (races->races, RwRace, i).coverage, ==, expected[i].coverage);
      n_races += n;
      n_multi += races->n_multi;
      n_covered += n - races->n_uncovered - races->n_multi;
    }
  g_test_message ("%" G_GUINT64_FORMAT " races, %" G_GUINT64_FORMAT " covered, %" G_GUINT64_FORMAT " by several",
                  n_races, n_covered, n_multi);
  g_assert_cmpuint (n_multi, >, 1000);
  g_assert_cmpuint (n_covered, >, 10000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explorer/race/two-events-one-of-them-writes", test_conflicts);
  g_test_add_func ("/explorer/race/only-neighbours-are-compared", test_neighbours_only);
  g_test_add_func ("/explorer/race/one-race-covers-another", test_coverage);
  g_test_add_func ("/explorer/race/several-cover-one", test_multi_coverage);
  g_test_add_func ("/explorer/race/timers-are-ordered-unless-asked-otherwise", test_timers);
  g_test_add_func ("/explorer/race/eventracers-corrections", test_fixes);
  g_test_add_func ("/explorer/race/kinds-of-access", test_kinds);
  g_test_add_func ("/explorer/race/labels-hold-for-the-race", test_labels);
  g_test_add_func ("/explorer/race/random-runs-agree-with-the-definitions", test_random);
  return g_test_run ();
}
