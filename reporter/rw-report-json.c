/* SPDX-License-Identifier: MIT */
/* The report as JSON; the schema is told in reporter/README.md. No times, no machine names: the same runs give the same
 * bytes. */
#include "rw-report-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define VERSION 1

static void
string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  if (value != NULL)
    json_builder_add_string_value (b, value);
  else
    json_builder_add_null_value (b);
}

static void
number (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

static void
strings (JsonBuilder *b, const char *name, GPtrArray *values)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < values->len; i++)
    json_builder_add_string_value (b, values->pdata[i]);
  json_builder_end_array (b);
}

static void
add_access (JsonBuilder *b, const char *name, const RwAccess *value)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
  string (b, "event", value->event);
  string (b, "action", value->action);
  string (b, "value", value->value);
  string (b, "place", value->place);
  json_builder_end_object (b);
}

static void
differences (JsonBuilder *b, const RwDifferences *all)
{
  json_builder_set_member_name (b, "counts");
  json_builder_begin_object (b);
  for (guint i = 0; i < RW_N_ASPECTS; i++)
    if (all->counts[i] > 0)
      number (b, rw_aspect_name ((RwAspect)i), all->counts[i]);
  json_builder_end_object (b);
  json_builder_set_member_name (b, "differences");
  json_builder_begin_array (b);
  for (guint i = 0; i < all->list->len; i++)
    {
      const RwDifference *d = all->list->pdata[i];
      json_builder_begin_object (b);
      string (b, "aspect", rw_aspect_name (d->aspect));
      string (b, "where", d->where);
      if (d->xpath != NULL)
        string (b, "xpath", d->xpath);
      string (b, "before", d->before);
      string (b, "after", d->after);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
label_names (JsonBuilder *b, guint labels)
{
  g_autofree const char **names = rw_label_names (labels);
  json_builder_set_member_name (b, "labels");
  json_builder_begin_array (b);
  for (guint i = 0; names[i] != NULL; i++)
    json_builder_add_string_value (b, names[i]);
  json_builder_end_array (b);
}

static void
finding (JsonBuilder *b, const RwFinding *f)
{
  const RwVerdict *v = f->verdict;
  json_builder_begin_object (b);
  string (b, "fingerprint", f->fingerprint);
  string (b, "harm", rw_harm_name (f->harm));
  string (b, "verdict", rw_harm_name (v->harm));
  string (b, "class", rw_class_name (v->class));
  string (b, "grade", rw_grade_name (v->grade));
  string (b, "likelihood", rw_likelihood_name (v->likelihood));
  label_names (b, v->labels);
  string (b, "status", rw_status_name (f->status));
  string (b, "mark", f->mark);
  string (b, "note", f->note);
  string (b, "reason", v->reason);
  string (b, "needs", v->needs);
  string (b, "unordered", v->unordered);
  string (b, "location", v->location);
  add_access (b, "first", &v->first);
  add_access (b, "second", &v->second);
  number (b, "run", f->run);
  number (b, "parent", f->parent);
  number (b, "depth", f->depth);
  json_builder_set_member_name (b, "runs");
  json_builder_begin_array (b);
  for (guint i = 0; i < f->runs->len; i++)
    json_builder_add_int_value (b, g_array_index (f->runs, guint, i));
  json_builder_end_array (b);
  differences (b, v->differences);
  strings (b, "onlyBefore", v->only_parent);
  strings (b, "onlyAfter", v->only_child);
  json_builder_end_object (b);
}

static void
summary (JsonBuilder *b, const RwReport *self)
{
  json_builder_set_member_name (b, "summary");
  json_builder_begin_object (b);
  number (b, "runs", self->n_runs);
  number (b, "depth", self->max_depth);
  number (b, "harmful", rw_report_count (self, RW_HARM_HARMFUL));
  number (b, "suspicious", rw_report_count (self, RW_HARM_SUSPICIOUS));
  number (b, "harmless", rw_report_count (self, RW_HARM_HARMLESS));
  number (b, "known", self->n_known);
  number (b, "equivalent", self->grades[RW_GRADE_EQUIVALENT]);
  number (b, "approximatelyEquivalent", self->grades[RW_GRADE_APPROXIMATE]);
  number (b, "different", self->grades[RW_GRADE_DIFFERENT]);
  strings (b, "limits", self->limits);
  json_builder_end_object (b);
}

void
rw_report_emit_json (const RwReport *self, GString *out)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  json_builder_begin_object (b);
  number (b, "version", VERSION);
  string (b, "tool", "racewalk " RACEWALK_VERSION);
  string (b, "url", self->url);
  summary (b, self);
  json_builder_set_member_name (b, "findings");
  json_builder_begin_array (b);
  for (guint i = 0; i < self->findings->len; i++)
    finding (b, self->findings->pdata[i]);
  json_builder_end_array (b);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  json_generator_to_gstring (generator, out);
  g_string_append_c (out, '\n');
}
