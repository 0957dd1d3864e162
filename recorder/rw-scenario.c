/* SPDX-License-Identifier: MIT */
/* Reads scenario files. */
#include "rw-scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A person does not write more; a file that does is not one of ours. */
#define MAX_STEPS 10000
#define THINK_MS 10

struct _RwScenario
{
  char *text;
  GPtrArray *steps;
  GPtrArray *latencies;
};

G_DEFINE_QUARK (rw-scenario-error-quark, rw_scenario_error)

/* What each step takes after its name. */
static const struct
{
  const char *op;
  guint min;
  guint max;
  const char *usage;
} grammar[] = {
  { "click", 1, 1, "click SELECTOR" },        { "hover", 1, 1, "hover SELECTOR" },
  { "check", 1, 1, "check SELECTOR" },        { "uncheck", 1, 1, "uncheck SELECTOR" },
  { "blur", 1, 1, "blur SELECTOR" },          { "type", 2, 2, "type SELECTOR \"TEXT\"" },
  { "select", 2, 2, "select SELECTOR \"TEXT\"" }, { "press", 1, 2, "press KEY [SELECTOR]" },
  { "wait", 0, 1, "wait [MS]" },              { "latency", 2, 2, "latency PATTERN MS" },
};

static void
step_free (gpointer data)
{
  RwStep *step = data;
  g_free (step->op);
  g_free (step->selector);
  g_free (step->text);
  g_free (step->line);
  g_free (step);
}

static void
latency_free (gpointer data)
{
  RwStepLatency *latency = data;
  g_free (latency->pattern);
  g_free (latency);
}

void
rw_scenario_free (RwScenario *self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_ptr_array_unref (self->steps);
  g_ptr_array_unref (self->latencies);
  g_free (self);
}

/* Words by blanks; "..." keeps blanks, with \" and \\ inside. NULL: a quote is not closed. */
static GPtrArray *
split (const char *line)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  for (const char *p = line; *p != '\0';)
    {
      while (*p == ' ' || *p == '\t')
        p++;
      if (*p == '\0')
        break;
      GString *word = g_string_new (NULL);
      if (*p == '"')
        {
          for (p++; *p != '\0' && *p != '"'; p++)
            {
              if (*p == '\\' && (p[1] == '"' || p[1] == '\\'))
                p++;
              g_string_append_c (word, *p);
            }
          if (*p++ != '"')
            {
              g_string_free (word, TRUE);
              return NULL;
            }
        }
      else
        while (*p != '\0' && *p != ' ' && *p != '\t')
          g_string_append_c (word, *p++);
      g_ptr_array_add (words, g_string_free (word, FALSE));
    }
  return g_steal_pointer (&words);
}

static gboolean
parse_ms (const char *text, guint *ms)
{
  char *end;
  errno = 0;
  guint64 value = g_ascii_strtoull (text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value > 3600 * 1000)
    return FALSE;
  *ms = (guint)value;
  return TRUE;
}

static gboolean
add_line (RwScenario *self, GPtrArray *words, const char *line, gint *wait, const char *usage, GError **error)
{
  const char *op = words->pdata[0];
  const char *first = words->len > 1 ? words->pdata[1] : NULL;
  const char *second = words->len > 2 ? words->pdata[2] : NULL;
  guint ms = 0;
  if (strcmp (op, "wait") == 0)
    {
      if (first != NULL && !parse_ms (first, &ms))
        g_set_error (error, RW_SCENARIO_ERROR, 0, "'%s' is no number of milliseconds up to an hour; write: %s", first, usage);
      *wait = first == NULL ? -1 : *wait < 0 ? *wait : *wait + (gint)ms;
      return first == NULL || *error == NULL;
    }
  if (strcmp (op, "latency") == 0)
    {
      if (!parse_ms (second, &ms))
        {
          g_set_error (error, RW_SCENARIO_ERROR, 0, "'%s' is no number of milliseconds up to an hour; write: %s", second, usage);
          return FALSE;
        }
      RwStepLatency *latency = g_new0 (RwStepLatency, 1);
      latency->pattern = g_strdup (first);
      latency->latency_ms = ms;
      g_ptr_array_add (self->latencies, latency);
      return TRUE;
    }
  gboolean press = strcmp (op, "press") == 0;
  RwStep *step = g_new0 (RwStep, 1);
  step->op = g_strdup (op);
  step->selector = g_strdup (press ? second : first);
  step->text = g_strdup (press ? first : second);
  step->wait = *wait < 0 ? -1 : THINK_MS + *wait;
  step->line = g_strdup (line);
  g_ptr_array_add (self->steps, step);
  *wait = 0;
  return TRUE;
}

static gboolean
parse_line (RwScenario *self, const char *line, gint *wait, GError **error)
{
  g_autoptr (GPtrArray) words = split (line);
  if (words == NULL)
    {
      g_set_error_literal (error, RW_SCENARIO_ERROR, 0, "a quote is not closed");
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (grammar); i++)
    if (strcmp (grammar[i].op, words->pdata[0]) == 0)
      {
        if (words->len - 1 >= grammar[i].min && words->len - 1 <= grammar[i].max)
          return add_line (self, words, line, wait, grammar[i].usage, error);
        g_set_error (error, RW_SCENARIO_ERROR, 0, "wrong number of words; write: %s", grammar[i].usage);
        return FALSE;
      }
  g_set_error (error, RW_SCENARIO_ERROR, 0,
               "no step '%s'; there are click, type, press, hover, select, check, uncheck, blur, wait, latency",
               (char *)words->pdata[0]);
  return FALSE;
}

RwScenario *
rw_scenario_parse (const char *text, const char *name, GError **error)
{
  g_autoptr (RwScenario) self = g_new0 (RwScenario, 1);
  gint wait = 0;
  self->text = g_strdup (text);
  self->steps = g_ptr_array_new_with_free_func (step_free);
  self->latencies = g_ptr_array_new_with_free_func (latency_free);
  if (!g_utf8_validate (text, -1, NULL))
    {
      g_set_error (error, RW_SCENARIO_ERROR, 0, "%s: not UTF-8 text", name);
      return NULL;
    }
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (GError) why = NULL;
      char *line = g_strstrip (lines[i]);
      if (*line == '\0' || *line == '#')
        continue;
      if (self->steps->len >= MAX_STEPS)
        g_set_error (&why, RW_SCENARIO_ERROR, 0, "more than %d steps", MAX_STEPS);
      else
        parse_line (self, line, &wait, &why);
      if (why != NULL)
        {
          g_set_error (error, RW_SCENARIO_ERROR, 0, "%s:%u: %s", name, i + 1, why->message);
          return NULL;
        }
    }
  return g_steal_pointer (&self);
}

const GPtrArray *
rw_scenario_steps (const RwScenario *self)
{
  return self->steps;
}

const GPtrArray *
rw_scenario_latencies (const RwScenario *self)
{
  return self->latencies;
}

const char *
rw_scenario_text (const RwScenario *self)
{
  return self->text;
}

JsonNode *
rw_scenario_to_json (const RwScenario *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->steps->len; i++)
    {
      const RwStep *step = self->steps->pdata[i];
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "op");
      json_builder_add_string_value (builder, step->op);
      json_builder_set_member_name (builder, "selector");
      json_builder_add_string_value (builder, step->selector);
      json_builder_set_member_name (builder, "text");
      json_builder_add_string_value (builder, step->text);
      json_builder_set_member_name (builder, "wait");
      json_builder_add_int_value (builder, step->wait);
      json_builder_set_member_name (builder, "line");
      json_builder_add_string_value (builder, step->line);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  return json_builder_get_root (builder);
}
