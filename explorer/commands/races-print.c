/* SPDX-License-Identifier: MIT */
/* What racewalk races prints: table, statistics, JSON. */
#include "races-print.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define WIDTH 110

/* How many races each pair of events has, on whatever location: only the first of them can be uncovered. */
static GHashTable *
count_pairs (const RwRaces *races)
{
  GHashTable *pairs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < races->races->len; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i);
      gint64 key = (gint64) race->first << 32 | race->second;
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (pairs, &key));

      g_hash_table_replace (pairs, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (n + 1));
    }
  return pairs;
}

static guint
pair_count (GHashTable *pairs, const RwRace *race)
{
  gint64 key = (gint64) race->first << 32 | race->second;

  return GPOINTER_TO_UINT (g_hash_table_lookup (pairs, &key));
}

static gboolean
is_shown (const RwRacesReport *report, const RwRace *race)
{
  return report->all || race->coverage != RW_RACE_COVERED;
}

/* Objects are named by the identity of the event that made them, "Array<0123456789abcdef:1f0e.22#0>": people know that event by its
 * number. */
static char *
name_makers (const RwHistory *history, const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      const char *digits = text + 1;
      gsize n = *text == '<' ? strspn (digits, "0123456789abcdef") : 0;
      RwEvent event;

      if (n == 16 && digits[16] == ':' && history->trace != NULL
          && rw_space_lookup_event (rw_trace_space (history->trace), g_ascii_strtoull (digits, NULL, 16), &event)
          && rw_trace_position (history->trace, event) >= 0)
        {
          const char *dot = digits + 17 + strcspn (digits + 17, ".>");
          g_string_append_printf (out, "<event %d, ", rw_trace_position (history->trace, event));
          text = *dot == '.' ? dot + 1 : digits + 17;
          continue;
        }
      g_string_append_c (out, *text++);
    }
  return g_string_free (out, FALSE);
}

/* Printable, and at most @max characters: the middle goes, since paths differ at their ends. */
static char *
shorten (const RwHistory *history, const char *text, glong max)
{
  g_autofree char *named = name_makers (history, text);
  g_autofree char *valid = g_utf8_make_valid (named, -1);
  glong length = g_utf8_strlen (valid, -1);

  for (char *p = valid; *p != '\0'; p++)
    if ((guchar) *p < 0x20 || *p == 0x7f)
      *p = ' ';
  if (length <= max)
    return g_steal_pointer (&valid);
  g_autofree char *start = g_utf8_substring (valid, 0, max / 2 - 1);
  g_autofree char *end = g_utf8_substring (valid, length - (max - max / 2 - 1), length);
  return g_strdup_printf ("%s..%s", start, end);
}

static void
append_side (GString *out, const RwRacesReport *report, const RwRace *race, gboolean second)
{
  guint node = second ? race->second : race->first;
  guint kind = second ? race->second_kind : race->first_kind;
  g_autofree char *full = rw_history_label (report->history, node);
  g_autofree char *label = shorten (report->history, full, 70);
  RwAccessInfo info;

  rw_history_access (report->history, node, second ? race->second_at : race->first_at, &info);
  g_string_append_printf (out, "     %-6s  event %-6" G_GINT64_FORMAT " %s", rw_access_kind_name (kind),
                          rw_history_number (report->history, node), label);
  /* Who dispatches looks for handlers and logs no value. */
  if ((info.failed && (race->labels & RW_RACE_LATE_HANDLER) == 0) || (!info.failed && info.value != NULL))
    {
      g_autofree char *value = shorten (report->history, info.failed ? "(not found)" : info.value, 40);
      g_string_append_printf (out, "  = %s", value);
    }
  g_string_append_c (out, '\n');
  if (info.place != NULL && strcmp (info.place, full) != 0)
    {
      g_autofree char *place = shorten (report->history, info.place, WIDTH - 16);
      g_string_append_printf (out, "             at %s\n", place);
    }
}

static void
append_labels (GString *out, const RwRace *race)
{
  for (guint bit = 0; bit < RW_RACE_N_LABELS; bit++)
    if (race->labels & (1u << bit))
      g_string_append_printf (out, "  [%s]", rw_race_label_name (bit));
  if (race->coverage == RW_RACE_MULTI)
    g_string_append (out, "  [covered by several]");
  else if (race->coverage == RW_RACE_COVERED)
    g_string_append (out, "  [covered]");
}

static void
append_race (GString *out, const RwRacesReport *report, const RwRace *race, guint number, guint n_pair)
{
  g_autofree char *location = shorten (report->history, rw_history_location (report->history, race->location), WIDTH - 30);

  g_string_append_printf (out, "\n%3u. %s", number, location);
  append_labels (out, race);
  g_string_append_c (out, '\n');
  append_side (out, report, race, FALSE);
  append_side (out, report, race, TRUE);
  if (n_pair > 1)
    g_string_append_printf (out, "     and %u more between these two\n", n_pair - 1);
}

/* First the races that nothing speaks for being harmless. */
static GArray *
order_races (const RwRacesReport *report)
{
  const guint hints = RW_RACE_LATE_HANDLER | RW_RACE_LAZY_INIT | RW_RACE_UNLOAD | RW_RACE_SAME_VALUE;
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint rank = 0; rank < 4; rank++)
    for (guint i = 0; i < report->races->races->len; i++)
      {
        const RwRace *race = &g_array_index (report->races->races, RwRace, i);
        guint own = race->coverage == RW_RACE_COVERED ? 3 : race->coverage == RW_RACE_MULTI ? 2 : (race->labels & hints) != 0;

        if (own == rank && is_shown (report, race))
          g_array_append_val (order, i);
      }
  return order;
}

static void
append_summary (GString *out, const RwRacesReport *report)
{
  g_string_append_printf (out,
                          "%u events, %" G_GUINT64_FORMAT " accesses: %u race%s, %u of them not covered by another"
                          " (and %u only by several together)\n",
                          rw_history_n_events (report->history), rw_history_n_accesses (report->history),
                          report->races->races->len, report->races->races->len == 1 ? "" : "s",
                          report->races->n_uncovered, report->races->n_multi);
}

GString *
rw_races_print_table (const RwRacesReport *report)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GHashTable) pairs = count_pairs (report->races);
  g_autoptr (GArray) order = order_races (report);
  guint n = report->limit == 0 ? order->len : MIN (order->len, report->limit);

  append_summary (out, report);
  for (guint i = 0; i < n; i++)
    {
      const RwRace *race = &g_array_index (report->races->races, RwRace, g_array_index (order, guint, i));
      append_race (out, report, race, i + 1, pair_count (pairs, race));
    }
  if (n < order->len)
    g_string_append_printf (out, "\n%u more; --limit 0 shows all of them\n", order->len - n);
  return out;
}

typedef struct
{
  const char *name;
  double seconds;
  gsize bytes;
} Phase;

#define N_PHASES 5

static void
collect_phases (const RwRacesReport *report, Phase *phases)
{
  const RwRaces *races = report->races;

  phases[0] = (Phase) { "load", report->load_seconds, rw_history_source_memory (report->history) };
  phases[1] = (Phase) { "happens-before", report->hb_seconds,
                        rw_hb_memory (report->history->hb) + rw_history_memory (report->history) };
  phases[2] = (Phase) { "group accesses", races->group.seconds, races->group.bytes };
  phases[3] = (Phase) { "detect races", races->detect.seconds, races->detect.bytes };
  phases[4] = (Phase) { "cover", races->cover.seconds, races->cover.bytes };
}

typedef struct
{
  const char *name;
  guint64 value;
} Count;

#define N_COUNTS 10

static void
collect_counts (const RwRacesReport *report, Count *counts)
{
  const RwHistory *history = report->history;
  const RwRaces *races = report->races;

  counts[0] = (Count) { "events", rw_history_n_events (history) };
  counts[1] = (Count) { "nodes", rw_history_n_nodes (history) };
  counts[2] = (Count) { "arcs", rw_hb_n_arcs (history->hb) };
  counts[3] = (Count) { "chains", rw_hb_n_chains (history->hb) };
  counts[4] = (Count) { "accesses", rw_history_n_accesses (history) };
  counts[5] = (Count) { "shared accesses", races->n_shared_accesses };
  counts[6] = (Count) { "races", races->races->len };
  counts[7] = (Count) { "covered", races->races->len - races->n_uncovered - races->n_multi };
  counts[8] = (Count) { "multi-covered", races->n_multi };
  counts[9] = (Count) { "uncovered", races->n_uncovered };
}

GString *
rw_races_print_stats (const RwRacesReport *report)
{
  GString *out = g_string_new (NULL);
  Count counts[N_COUNTS];
  Phase phases[N_PHASES];

  collect_counts (report, counts);
  collect_phases (report, phases);
  for (guint i = 0; i < N_COUNTS; i++)
    g_string_append_printf (out, "%-16s %10" G_GUINT64_FORMAT "\n", counts[i].name, counts[i].value);
  g_string_append_printf (out, "\n%-16s %10s %10s\n", "phase", "ms", "KiB");
  for (guint i = 0; i < N_PHASES; i++)
    g_string_append_printf (out, "%-16s %10.1f %10" G_GSIZE_FORMAT "\n", phases[i].name, phases[i].seconds * 1e3,
                            phases[i].bytes / 1024);
  return out;
}

static void
add_text (JsonBuilder *json, const char *name, const char *text)
{
  g_autofree char *valid = text == NULL ? NULL : g_utf8_make_valid (text, -1);

  if (valid == NULL)
    return;
  json_builder_set_member_name (json, name);
  json_builder_add_string_value (json, valid);
}

static void
add_int (JsonBuilder *json, const char *name, gint64 value)
{
  json_builder_set_member_name (json, name);
  json_builder_add_int_value (json, value);
}

static void
add_side (JsonBuilder *json, const RwRacesReport *report, const RwRace *race, gboolean second)
{
  guint node = second ? race->second : race->first;
  g_autofree char *label = rw_history_label (report->history, node);
  RwAccessInfo info;

  rw_history_access (report->history, node, second ? race->second_at : race->first_at, &info);
  json_builder_set_member_name (json, second ? "second" : "first");
  json_builder_begin_object (json);
  add_int (json, "event", rw_history_number (report->history, node));
  add_text (json, "kind", rw_history_kind (report->history, node));
  add_text (json, "label", label);
  add_text (json, "access", rw_access_kind_name (second ? race->second_kind : race->first_kind));
  add_text (json, "value", info.value);
  add_text (json, "place", info.place);
  if (info.failed)
    {
      json_builder_set_member_name (json, "failed");
      json_builder_add_boolean_value (json, TRUE);
    }
  json_builder_end_object (json);
}

static void
add_race (JsonBuilder *json, const RwRacesReport *report, const RwRace *race, guint n_pair)
{
  static const char *const coverage[] = { "uncovered", "covered", "multi-covered" };

  json_builder_begin_object (json);
  add_text (json, "location", rw_history_location (report->history, race->location));
  add_text (json, "coverage", coverage[race->coverage]);
  add_side (json, report, race, FALSE);
  add_side (json, report, race, TRUE);
  add_int (json, "races_of_these_events", n_pair);
  json_builder_set_member_name (json, "labels");
  json_builder_begin_array (json);
  for (guint bit = 0; bit < RW_RACE_N_LABELS; bit++)
    if (race->labels & (1u << bit))
      json_builder_add_string_value (json, rw_race_label_name (bit));
  json_builder_end_array (json);
  json_builder_end_object (json);
}

static void
add_statistics (JsonBuilder *json, const RwRacesReport *report)
{
  Count counts[N_COUNTS];
  Phase phases[N_PHASES];

  collect_counts (report, counts);
  collect_phases (report, phases);
  json_builder_set_member_name (json, "counts");
  json_builder_begin_object (json);
  for (guint i = 0; i < N_COUNTS; i++)
    {
      g_autofree char *name = g_strdelimit (g_strdup (counts[i].name), " -", '_');
      add_int (json, name, counts[i].value);
    }
  json_builder_end_object (json);
  json_builder_set_member_name (json, "phases");
  json_builder_begin_array (json);
  for (guint i = 0; i < N_PHASES; i++)
    {
      json_builder_begin_object (json);
      add_text (json, "name", phases[i].name);
      json_builder_set_member_name (json, "ms");
      json_builder_add_double_value (json, phases[i].seconds * 1e3);
      add_int (json, "bytes", phases[i].bytes);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

GString *
rw_races_print_json (const RwRacesReport *report)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GHashTable) pairs = count_pairs (report->races);
  GString *out = g_string_new (NULL);

  json_builder_begin_object (json);
  add_text (json, "file", report->path);
  add_text (json, "source", report->history->log != NULL ? "eventracer" : "recording");
  add_statistics (json, report);
  json_builder_set_member_name (json, "races");
  json_builder_begin_array (json);
  for (guint i = 0; i < report->races->races->len; i++)
    {
      const RwRace *race = &g_array_index (report->races->races, RwRace, i);
      if (is_shown (report, race))
        add_race (json, report, race, pair_count (pairs, race));
    }
  json_builder_end_array (json);
  json_builder_end_object (json);
  root = json_builder_get_root (json);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  json_generator_to_gstring (generator, out);
  return g_string_append_c (out, '\n');
}
