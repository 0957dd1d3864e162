/* SPDX-License-Identifier: MIT */
/* racewalk model: explores a model program. */
#include "rw-command.h"
#include "rw-filter.h"
#include "rw-model.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *option_strategy;
static char *option_bound;
static char *option_timers;
static char *option_filters;
static int option_runs;
static gint64 option_seed = 1;
static gboolean option_list;
static gboolean option_dot;
static gboolean option_json;

static const GOptionEntry entries[] = {
  { "strategy", 's', 0, G_OPTION_ARG_STRING, &option_strategy, "exact (default), r4, wave or delay", "NAME" },
  { "bound", 'b', 0, G_OPTION_ARG_STRING, &option_bound, "At most K reversals from run 0 (none: no bound, the default)",
    "K" },
  { "runs", 0, 0, G_OPTION_ARG_INT, &option_runs, "At most N runs", "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &option_seed, "Of wave and delay (1)", "N" },
  { "timers", 0, 0, G_OPTION_ARG_STRING, &option_timers, "any: every pending timer may fire before every other",
    "RULE" },
  { "filters", 0, 0, G_OPTION_ARG_STRING, &option_filters,
    "Commuting accesses: same-value, counter, lazy-init, all or none (default)", "LIST" },
  { "list", 'l', 0, G_OPTION_ARG_NONE, &option_list, "One line a run", NULL },
  { "dot", 0, 0, G_OPTION_ARG_NONE, &option_dot, "The tree of runs for Graphviz", NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &option_json, "JSON", NULL },
  G_OPTION_ENTRY_NULL,
};

static const char description[]
    = "FILE is a program in the language of explorer/README.md. Run 0 is what the program records; each further run\n"
      "reverses one conflict of an earlier one. Exit status 1: an assertion failed, a run deadlocked, or the program\n"
      "expects another number of classes than were found.";

typedef struct
{
  guint number, parent, depth;
  char *reversal; /* "a before b" */
  char *order;
  char *state;
  char *failures; /* lines; "" if none */
  gboolean deadlock;
} Line;

static void
line_free (gpointer data)
{
  Line *line = data;
  g_free (line->reversal);
  g_free (line->order);
  g_free (line->state);
  g_free (line->failures);
  g_free (line);
}

typedef struct
{
  RwExploreOptions options;
  RwExploreStats stats;
  GPtrArray *lines; /* of Line */
  guint states, failed, deadlocks;
  gboolean limited;
  gboolean unexpected;
} Result;

static const char *
label (const RwSpace *space, RwEvent event)
{
  return rw_space_event_info (space, event)->label;
}

static Line *
line_of (RwModel *model, const RwSchedule *schedule, const RwTrace *trace)
{
  const RwSpace *space = rw_model_space (model);
  const GArray *failures = rw_model_failures (model);
  Line *line = g_new0 (Line, 1);
  GString *order = g_string_new (NULL), *failed = g_string_new (NULL);

  line->parent = schedule->parent;
  line->depth = schedule->depth;
  line->state = rw_model_final_state (model);
  line->deadlock = rw_model_deadlocked (model);
  line->reversal = schedule->reversal.kind == RW_REVERSAL_NONE
                       ? g_strdup ("")
                       : g_strdup_printf ("%s before %s", label (space, schedule->reversal.second),
                                          label (space, schedule->reversal.first));
  for (guint i = 0; i < rw_trace_length (trace); i++)
    g_string_append_printf (order, "%s%s", i > 0 ? " " : "", label (space, rw_trace_event (trace, i)));
  for (guint i = 0; i < failures->len; i++)
    g_string_append_printf (failed, "%s%u", i > 0 ? " " : "", g_array_index (failures, guint, i));
  line->order = g_string_free (order, FALSE);
  line->failures = g_string_free (failed, FALSE);
  return line;
}

static void
explore (RwModel *model, Result *result)
{
  g_autoptr (RwExplore) explore = rw_explore_new (rw_model_space (model), &result->options);
  g_autoptr (GHashTable) states = g_hash_table_new (g_str_hash, g_str_equal);
  RwSchedule *schedule;
  RwNext next;

  while ((next = rw_explore_next (explore, &schedule)) == RW_NEXT_RUN)
    {
      g_autoptr (RwTrace) trace = rw_model_execute (model, schedule);
      Line *line = line_of (model, schedule, trace);
      rw_explore_add (explore, schedule, trace);
      line->number = rw_explore_number (explore, schedule->ticket);
      g_ptr_array_add (result->lines, line);
      g_hash_table_add (states, line->state);
      result->failed += line->failures[0] != '\0';
      result->deadlocks += line->deadlock;
      rw_schedule_free (schedule);
    }
  result->limited = next == RW_NEXT_LIMIT;
  result->states = g_hash_table_size (states);
  rw_explore_stats (explore, &result->stats);
}

/* --- output --- */

static char *
bound_text (const Result *result)
{
  return result->options.bound == G_MAXUINT ? g_strdup ("no bound")
                                            : g_strdup_printf ("bound %u", result->options.bound);
}

static void
print_summary (const Result *result)
{
  g_autofree char *bound = bound_text (result);
  const RwExploreStats *stats = &result->stats;

  printf ("%s, %s: %u classes in %u runs, %u end states\n", rw_strategy_name (result->options.strategy), bound,
          stats->classes, stats->runs, result->states);
  printf ("not run: %u predicted to be equivalent, %u reversals beyond the bound", stats->skipped, stats->beyond_bound);
  if (result->limited)
    printf (", at most %u reversals left by --runs", stats->queued);
  putchar ('\n');
  if (stats->pruned >= 0)
    printf ("persistent sets leave out %.0f %% of the enabled events\n", 100 * stats->pruned);
  if (result->failed > 0 || result->deadlocks > 0)
    printf ("assertions fail in %u runs, %u runs deadlock\n", result->failed, result->deadlocks);
}

static void
print_list (const Result *result)
{
  for (guint i = 0; i < result->lines->len; i++)
    {
      const Line *line = g_ptr_array_index (result->lines, i);
      printf ("%u\tdepth %u\t", line->number, line->depth);
      if (line->reversal[0] != '\0')
        printf ("from %u: %s", line->parent, line->reversal);
      else
        printf ("%s", line->number == 0 ? "recorded" : "drawn");
      printf ("\t%s\t%s%s%s%s\n", line->order, line->state, line->failures[0] != '\0' ? "\tfails at line " : "",
              line->failures, line->deadlock ? "\tdeadlock" : "");
    }
}

static void
print_dot (const Result *result)
{
  puts ("digraph runs {\n  node [shape=box, fontname=\"sans-serif\"];");
  for (guint i = 0; i < result->lines->len; i++)
    {
      const Line *line = g_ptr_array_index (result->lines, i);
      g_autofree char *order = g_strescape (line->order, NULL), *state = g_strescape (line->state, NULL);
      printf ("  r%u [label=\"%u: %s\\n%s\"%s];\n", line->number, line->number, order, state,
              line->failures[0] != '\0' || line->deadlock ? ", color=red" : "");
      if (line->parent != RW_RUN_NONE)
        printf ("  r%u -> r%u [label=\"%s\"];\n", line->parent, line->number, line->reversal);
    }
  puts ("}");
}

static void
add_number (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_text (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_line (JsonBuilder *builder, const Line *line)
{
  json_builder_begin_object (builder);
  add_number (builder, "number", line->number);
  if (line->parent != RW_RUN_NONE)
    add_number (builder, "parent", line->parent);
  add_number (builder, "depth", line->depth);
  add_text (builder, "reversal", line->reversal);
  add_text (builder, "order", line->order);
  add_text (builder, "state", line->state);
  add_text (builder, "failed_lines", line->failures);
  json_builder_set_member_name (builder, "deadlock");
  json_builder_add_boolean_value (builder, line->deadlock);
  json_builder_end_object (builder);
}

static void
print_json (const Result *result)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const RwExploreStats *stats = &result->stats;

  json_builder_begin_object (builder);
  add_text (builder, "strategy", rw_strategy_name (result->options.strategy));
  if (result->options.bound != G_MAXUINT)
    add_number (builder, "bound", result->options.bound);
  add_number (builder, "runs", stats->runs);
  add_number (builder, "classes", stats->classes);
  add_number (builder, "end_states", result->states);
  add_number (builder, "predicted_equivalent", stats->skipped);
  add_number (builder, "beyond_bound", stats->beyond_bound);
  add_number (builder, "left", result->limited ? stats->queued : 0);
  if (stats->pruned >= 0)
    {
      json_builder_set_member_name (builder, "pruned");
      json_builder_add_double_value (builder, stats->pruned);
    }
  json_builder_set_member_name (builder, "list");
  json_builder_begin_array (builder);
  for (guint i = 0; i < result->lines->len; i++)
    add_line (builder, g_ptr_array_index (result->lines, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, TRUE);
  puts (text);
}

/* What the program itself says must be found, where this exploration can tell. */
static void
compare_expected (const RwModel *model, Result *result)
{
  const GArray *within = rw_model_expected_within (model);
  guint bound = result->options.bound, expected = 0;
  if (result->options.strategy != RW_STRATEGY_EXACT || result->limited || result->options.filters != 0)
    return;
  if (bound == G_MAXUINT)
    expected = rw_model_expected_classes (model);
  else if (bound < within->len)
    expected = g_array_index (within, guint, bound);
  result->unexpected = expected != 0 && expected != result->stats.classes;
  if (result->unexpected)
    g_printerr ("racewalk: model: %u classes, but the program expects %u\n", result->stats.classes, expected);
}

/* --- options --- */

static gboolean
parse_options (Result *result, int *status)
{
  RwExploreOptions *options = &result->options;
  g_autofree char *unknown = NULL;
  char *end = NULL;

  *options = (RwExploreOptions)RW_EXPLORE_OPTIONS_DEFAULT;
  options->bound = G_MAXUINT;
  options->seed = (guint64)option_seed;
  options->max_runs = (guint)MAX (option_runs, 0);
  options->timers_any = option_timers != NULL;
  if (option_strategy != NULL && !rw_strategy_from_name (option_strategy, &options->strategy))
    *status = rw_fail (RW_EXIT_USAGE, "model: no strategy '%s'; use exact, r4, wave or delay", option_strategy);
  else if (option_timers != NULL && strcmp (option_timers, "any") != 0)
    *status = rw_fail (RW_EXIT_USAGE, "model: --timers takes 'any', not '%s'", option_timers);
  else if (option_filters != NULL && !rw_filters_from_names (option_filters, &options->filters, &unknown))
    *status = rw_fail (RW_EXIT_USAGE, "model: no filter '%s'; see racewalk model --help", unknown);
  else if (option_list + option_dot + option_json > 1)
    *status = rw_fail (RW_EXIT_USAGE, "model: --list, --dot and --json exclude each other");
  else if (option_bound != NULL && strcmp (option_bound, "none") != 0)
    {
      guint64 bound = g_ascii_strtoull (option_bound, &end, 10);
      if (!g_ascii_isdigit (option_bound[0]) || *end != '\0' || bound >= G_MAXUINT)
        *status = rw_fail (RW_EXIT_USAGE, "model: --bound takes a number or 'none', not '%s'", option_bound);
      else
        options->bound = (guint)bound;
    }
  return *status == RW_EXIT_OK;
}

static int
model_main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  Result result = { 0 };
  gsize length;
  int status = RW_EXIT_OK;

  if (!rw_command_parse (&rw_command_model, entries, description, &argc, &argv, &status)
      || !parse_options (&result, &status))
    return status;
  if (argc != 2)
    return rw_fail (RW_EXIT_USAGE, "model: name one program; see racewalk model --help");
  if (!g_file_get_contents (argv[1], &text, &length, &error))
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  g_autoptr (RwModel) model = rw_model_parse (text, length, argv[1], &error);
  if (model == NULL)
    return rw_fail (RW_EXIT_FAILED, "%s", error->message);
  rw_model_set_timers_any (model, result.options.timers_any);
  result.lines = g_ptr_array_new_with_free_func (line_free);
  explore (model, &result);
  if (option_json)
    print_json (&result);
  else if (option_dot)
    print_dot (&result);
  else if (option_list)
    print_list (&result);
  else
    print_summary (&result);
  compare_expected (model, &result);
  g_ptr_array_unref (result.lines);
  return result.failed > 0 || result.deadlocks > 0 || result.unexpected ? RW_EXIT_HARMFUL : RW_EXIT_OK;
}

const RwCommand rw_command_model = {
  .name = "model",
  .arguments = "FILE",
  .summary = "explore a model program (.evt)",
  .main = model_main,
};
