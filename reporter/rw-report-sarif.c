/* SPDX-License-Identifier: MIT */
/* The report as SARIF 2.1.0: one result a finding, located in the page's own files. */
#include "rw-report-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const struct
{
  RwClass class;
  const char *text;
} rules[] = {
  { RW_CLASS_CRASH, "In one order of events the page's process crashes." },
  { RW_CLASS_HANG, "In one order of events the page hangs." },
  { RW_CLASS_USED_BEFORE_DEFINED, "In one order of events something is used before it is defined." },
  { RW_CLASS_ERROR, "In one order of events the page throws an error." },
  { RW_CLASS_LATE_HANDLER, "An event may come before its handler is registered, and is lost." },
  { RW_CLASS_LOST_INPUT, "What the user entered may be overwritten." },
  { RW_CLASS_NAVIGATION, "Whether the page is left depends on the order of events." },
  { RW_CLASS_AJAX_ORDER, "The page depends on the order in which answers arrive." },
  { RW_CLASS_INIT_ORDER, "The page depends on the order in which its parts load." },
  { RW_CLASS_VISIBLE, "What can be seen depends on the order of events." },
  { RW_CLASS_REQUEST, "What is asked of the network depends on the order of events." },
  { RW_CLASS_HIDDEN_STATE, "State that can't be seen depends on the order of events." },
  { RW_CLASS_AD_HOC, "The page waits by trying again; both orders end in the same state." },
  { RW_CLASS_NONE, "Two events conflict, and both orders end in the same state." },
  { RW_CLASS_UNKNOWN, "The two orders could not be compared." },
};

static void
string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

static void
object (JsonBuilder *b, const char *name)
{
  if (name != NULL)
    json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
}

static void
array (JsonBuilder *b, const char *name)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
}

static void
text (JsonBuilder *b, const char *name, const char *value)
{
  object (b, name);
  string (b, "text", value);
  json_builder_end_object (b);
}

/* SARIF wants a URI; what is none (a label of the recorder) is escaped into one. */
static char *
uri_of (const char *url)
{
  if (g_uri_is_valid (url, G_URI_FLAGS_NONE, NULL))
    return g_strdup (url);
  return g_uri_escape_string (url, "/:", FALSE);
}

static void
location (JsonBuilder *b, const RwAccess *access, gint id)
{
  g_autofree char *url = NULL;
  guint line, column;
  if (access->place == NULL || !rw_place_parse (access->place, &url, &line, &column))
    return;
  g_autofree char *uri = uri_of (url);
  object (b, NULL);
  if (id >= 0)
    {
      json_builder_set_member_name (b, "id");
      json_builder_add_int_value (b, id);
    }
  object (b, "physicalLocation");
  object (b, "artifactLocation");
  string (b, "uri", uri);
  json_builder_end_object (b);
  object (b, "region");
  json_builder_set_member_name (b, "startLine");
  json_builder_add_int_value (b, line);
  if (column > 0)
    {
      json_builder_set_member_name (b, "startColumn");
      json_builder_add_int_value (b, column);
    }
  json_builder_end_object (b);
  json_builder_end_object (b);
  g_autofree char *message = g_strdup_printf ("%s %s", access->event, access->action);
  text (b, "message", message);
  json_builder_end_object (b);
}

static const char *
level_of (RwHarm harm)
{
  return harm == RW_HARM_HARMFUL ? "error" : harm == RW_HARM_SUSPICIOUS ? "warning" : "note";
}

static void
suppressions (JsonBuilder *b, const RwFinding *finding)
{
  gboolean marked = g_strcmp0 (finding->mark, "harmless") == 0;
  array (b, "suppressions");
  if (marked || finding->status == RW_STATUS_SUPPRESSED)
    {
      object (b, NULL);
      string (b, "kind", "external");
      string (b, "justification", finding->note != NULL ? finding->note : "");
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
result (JsonBuilder *b, const RwReport *self, const RwFinding *finding)
{
  const RwVerdict *v = finding->verdict;
  g_autofree char *message
      = g_strdup_printf ("%s %s Replay: racewalk replay %s %u --show", v->reason, v->needs, self->path, finding->run);
  object (b, NULL);
  string (b, "ruleId", rw_class_name (v->class));
  string (b, "level", level_of (finding->harm));
  text (b, "message", message);
  array (b, "locations");
  location (b, v->second.place != NULL ? &v->second : &v->first, -1);
  json_builder_end_array (b);
  array (b, "relatedLocations");
  location (b, &v->first, 0);
  location (b, &v->second, 1);
  json_builder_end_array (b);
  object (b, "partialFingerprints");
  string (b, "racewalk/v1", finding->fingerprint);
  json_builder_end_object (b);
  suppressions (b, finding);
  object (b, "properties");
  string (b, "grade", rw_grade_name (v->grade));
  string (b, "harm", rw_harm_name (finding->harm));
  string (b, "likelihood", rw_likelihood_name (v->likelihood));
  json_builder_end_object (b);
  json_builder_end_object (b);
}

static void
driver (JsonBuilder *b)
{
  object (b, "tool");
  object (b, "driver");
  string (b, "name", "racewalk");
  string (b, "version", RACEWALK_VERSION);
  array (b, "rules");
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      object (b, NULL);
      string (b, "id", rw_class_name (rules[i].class));
      text (b, "shortDescription", rules[i].text);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_end_object (b);
  json_builder_end_object (b);
}

void
rw_report_emit_sarif (const RwReport *self, GString *out)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  object (b, NULL);
  string (b, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  string (b, "version", "2.1.0");
  array (b, "runs");
  object (b, NULL);
  driver (b);
  string (b, "columnKind", "utf16CodeUnits");
  array (b, "results");
  for (guint i = 0; i < self->findings->len; i++)
    result (b, self, self->findings->pdata[i]);
  json_builder_end_array (b);
  json_builder_end_object (b);
  json_builder_end_array (b);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  json_generator_to_gstring (generator, out);
  g_string_append_c (out, '\n');
}
