/* SPDX-License-Identifier: MIT */
/* Pictures of a run and its races: a graph for Graphviz, a timeline for Perfetto. */
#include "rw-picture.h"

#include <string.h>

/* Text from a page, in double quotes, for both formats: valid UTF-8, no control characters, nothing that ends the string. */
static void
append_quoted (GString *out, const char *text, gsize max_chars)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  gsize n = 0;

  g_string_append_c (out, '"');
  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (n++ == max_chars)
        {
          g_string_append (out, "...");
          break;
        }
      if (c == '"' || c == '\\')
        g_string_append_printf (out, "\\%c", (char) c);
      else if (c < 0x20 || c == 0x7f)
        g_string_append_c (out, ' ');
      else
        g_string_append_unichar (out, c);
    }
  g_string_append_c (out, '"');
}

static void
append_label (GString *out, const RwHistory *history, guint node, gsize max_chars)
{
  g_autofree char *label = rw_history_label (history, node);
  g_autofree char *numbered = g_strdup_printf ("%" G_GINT64_FORMAT " %s", rw_history_number (history, node), label);

  append_quoted (out, numbered, max_chars);
}

static gint
compare_nodes (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return (x > y) - (x < y);
}

/* The events to draw, in the order of the run; @n_all gets how many there would be. */
static GArray *
choose_nodes (const RwHistory *history, const RwRaces *races, guint *n_all)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint8 *chosen = g_new0 (guint8, rw_history_n_nodes (history) + 1);

  *n_all = 0;
  for (guint i = 0; i < races->races->len * 2; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i / 2);
      guint32 node = i % 2 == 0 ? race->first : race->second;

      if (race->coverage == RW_RACE_COVERED || chosen[node])
        continue;
      chosen[node] = TRUE;
      if (++*n_all <= RW_PICTURE_MAX_NODES)
        g_array_append_val (nodes, node);
    }
  if (*n_all == 0)
    {
      *n_all = rw_history_n_nodes (history);
      for (guint32 node = 0; node < MIN (*n_all, RW_PICTURE_MAX_NODES); node++)
        g_array_append_val (nodes, node);
    }
  g_array_sort (nodes, compare_nodes);
  return nodes;
}

/* Only arcs that no way over a third event implies: for each node its predecessors from the latest on, without those that are
 * before one that was taken. */
static void
append_order (GString *out, const RwHistory *history, const GArray *nodes)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < nodes->len; i++)
    {
      guint node = g_array_index (nodes, guint32, i);

      g_array_set_size (taken, 0);
      for (guint j = i; j-- > 0;)
        {
          guint32 earlier = g_array_index (nodes, guint32, j);
          gboolean implied = !rw_hb_before (history->hb, earlier, node);

          for (guint k = 0; k < taken->len && !implied; k++)
            implied = rw_hb_before (history->hb, earlier, g_array_index (taken, guint32, k));
          if (implied)
            continue;
          g_array_append_val (taken, earlier);
          g_string_append_printf (out, "  e%u -> e%u;\n", earlier, node);
        }
    }
}

static gboolean
has_node (const GArray *nodes, guint32 node)
{
  return g_array_binary_search ((GArray *) nodes, &node, compare_nodes, NULL);
}

GString *
rw_picture_dot (const RwHistory *history, const RwRaces *races)
{
  GString *out = g_string_new ("digraph races {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
                               "  edge [fontname=\"sans-serif\", fontsize=9];\n");
  guint n_all;
  g_autoptr (GArray) nodes = choose_nodes (history, races, &n_all);

  if (n_all > nodes->len)
    g_string_append_printf (out, "  label=\"the first %u of %u events\";\n", nodes->len, n_all);
  for (guint i = 0; i < nodes->len; i++)
    {
      guint node = g_array_index (nodes, guint32, i);
      g_string_append_printf (out, "  e%u [label=", node);
      append_label (out, history, node, 60);
      g_string_append (out, "];\n");
    }
  append_order (out, history, nodes);
  for (guint i = 0; i < races->races->len; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i);

      if (race->coverage == RW_RACE_COVERED || !has_node (nodes, race->first) || !has_node (nodes, race->second))
        continue;
      g_string_append_printf (out, "  e%u -> e%u [constraint=false, dir=none, color=red, fontcolor=red, style=%s, label=",
                              race->first, race->second, race->coverage == RW_RACE_MULTI ? "dashed" : "solid");
      append_quoted (out, rw_history_location (history, race->location), 60);
      g_string_append (out, "];\n");
    }
  g_string_append (out, "}\n");
  return out;
}

/* One process for the run; tracks are numbered from 1, microseconds. */
static void
append_slice (GString *out, const RwHistory *history, guint node)
{
  g_string_append (out, ",\n{\"ph\":\"X\",\"pid\":1,\"name\":");
  append_label (out, history, node, 120);
  g_string_append_printf (out, ",\"cat\":\"%s\",\"tid\":%u,\"ts\":%u,\"dur\":900,\"args\":{\"event\":%" G_GINT64_FORMAT "}}",
                          rw_history_kind (history, node), rw_hb_chain (history->hb, node) + 1, node * 1000,
                          rw_history_number (history, node));
}

static void
append_flow (GString *out, const RwHistory *history, guint id, guint from, guint to, const char *category, const char *name)
{
  for (guint end = 0; end < 2; end++)
    {
      guint node = end == 0 ? from : to;
      g_string_append_printf (out, ",\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%u,\"ts\":%u,\"id\":%u,\"cat\":\"%s\",\"name\":",
                              end == 0 ? "s" : "f\",\"bp\":\"e", rw_hb_chain (history->hb, node) + 1,
                              node * 1000 + (end == 0 ? 800 : 100), id, category);
      append_quoted (out, name, 120);
      g_string_append_c (out, '}');
    }
}

GString *
rw_picture_perfetto (const RwHistory *history, const RwRaces *races)
{
  GString *out = g_string_new ("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
                               "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"page\"}}");
  guint id = 1;

  for (guint i = 0; i < rw_hb_n_chains (history->hb); i++)
    g_string_append_printf (
        out, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"chain %u\"}}", i + 1, i + 1);
  for (guint node = 0; node < rw_history_n_nodes (history); node++)
    append_slice (out, history, node);
  for (guint node = 0; node < rw_history_n_nodes (history); node++)
    {
      guint n_arcs;
      const guint32 *arcs = rw_hb_arcs (history->hb, node, &n_arcs);

      for (guint i = 0; i < n_arcs; i++)
        if (rw_hb_chain (history->hb, arcs[i]) != rw_hb_chain (history->hb, node))
          append_flow (out, history, id++, arcs[i], node, "happens-before", "happens before");
    }
  for (guint i = 0; i < races->races->len; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i);
      if (race->coverage != RW_RACE_COVERED)
        append_flow (out, history, id++, race->first, race->second, "race",
                     rw_history_location (history, race->location));
    }
  g_string_append (out, "\n]}\n");
  return out;
}
