/* SPDX-License-Identifier: MIT */
/* Decodes the page's log into a trace. */
#include "rw-log.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* Kinds beyond those of a trace: see recorder/runtime/scheduler.js. */
enum
{
  LOG_BEGIN = 16,
  LOG_INITIAL = 17
};

struct _RwLog
{
  RwSpace *space;
  RwScripts *scripts;
  RwTrace *trace;
  GPtrArray *strings; /* of char *; index 0 is nothing */
  GArray *locations;  /* string number -> RwLocation + 1, 0: not yet */
  GArray *values;     /* string number -> RwValue + 1 */
  GHashTable *places; /* place number -> RwPlace */
  GString *times;
  gboolean begun;
};

RwLog *
rw_log_new (RwSpace *space, RwScripts *scripts)
{
  RwLog *self = g_new0 (RwLog, 1);
  self->space = rw_space_ref (space);
  self->scripts = scripts == NULL ? NULL : rw_scripts_ref (scripts);
  self->trace = rw_trace_new (space);
  self->strings = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->strings, g_strdup (""));
  self->locations = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->values = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->places = g_hash_table_new (NULL, NULL);
  self->times = g_string_new ("{");
  return self;
}

void
rw_log_free (RwLog *self)
{
  if (self == NULL)
    return;
  rw_space_unref (self->space);
  g_clear_pointer (&self->scripts, rw_scripts_unref);
  rw_trace_unref (self->trace);
  g_ptr_array_unref (self->strings);
  g_array_unref (self->locations);
  g_array_unref (self->values);
  g_hash_table_unref (self->places);
  g_string_free (self->times, TRUE);
  g_free (self);
}

RwTrace *
rw_log_trace (RwLog *self)
{
  return self->trace;
}

char *
rw_log_times (RwLog *self)
{
  return g_strdup_printf ("%s}", self->times->str);
}

static void
add_strings (RwLog *self, const char *strings, gsize length)
{
  const char *end = strings + length;
  while (strings < end)
    {
      const char *stop = memchr (strings, '\0', (gsize)(end - strings));
      gsize n = (gsize)((stop == NULL ? end : stop) - strings);
      g_ptr_array_add (self->strings, g_utf8_make_valid (strings, (gssize)n));
      if (stop == NULL)
        return;
      strings = stop + 1;
      if (strings == end) /* a last empty string */
        g_ptr_array_add (self->strings, g_strdup (""));
    }
}

static guint64
parse_id (const char *text)
{
  char *end;
  if (text == NULL || strlen (text) != 16)
    return 0;
  guint64 id = g_ascii_strtoull (text, &end, 16);
  return *end == '\0' ? id : 0;
}

static GArray *
parse_ids (JsonObject *object, const char *member)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  JsonNode *node = json_object_get_member (object, member);
  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return ids;
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *item = json_array_get_element (array, i);
      guint64 id = json_node_get_value_type (item) == G_TYPE_STRING ? parse_id (json_node_get_string (item)) : 0;
      if (id != 0)
        g_array_append_val (ids, id);
    }
  return ids;
}

static void
define_event (RwLog *self, JsonObject *object)
{
  guint64 id = parse_id (json_object_get_string_member_with_default (object, "id", NULL));
  const char *group = json_object_get_string_member_with_default (object, "group", "");
  g_autoptr (GArray) after = parse_ids (object, "after");
  g_autoptr (GArray) blocks = parse_ids (object, "blocks");
  gint64 kind = json_object_get_int_member_with_default (object, "kind", 0);
  double delay = json_object_get_double_member_with_default (object, "delay", -1);
  if (id == 0)
    return;
  RwEventInfo info = {
    .id = id,
    .kind = kind >= 0 && kind <= RW_KIND_UNSCHEDULED ? (RwEventKind)kind : RW_KIND_OTHER,
    .label = json_object_get_string_member_with_default (object, "label", "?"),
    .group = *group == '\0' ? 0 : rw_space_group (self->space, group),
    .delay = delay < 0 ? -1 : (gint32)MIN (delay, G_MAXINT32),
    .after = (const guint64 *)(gpointer)after->data,
    .n_after = after->len,
    .blocks = (const guint64 *)(gpointer)blocks->data,
    .n_blocks = blocks->len,
  };
  rw_space_event (self->space, &info);
}

/* When an event ran, in virtual time. */
static void
note_time (RwLog *self, JsonObject *object)
{
  guint64 id = parse_id (json_object_get_string_member_with_default (object, "ran", NULL));
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  double time = json_object_get_double_member_with_default (object, "time", 0);
  if (id != 0)
    g_string_append_printf (self->times, "%s\"%016" G_GINT64_MODIFIER "x\":%s", self->times->len > 1 ? "," : "", id,
                            g_ascii_formatd (number, sizeof number, "%.3f", time));
}

static gboolean
define_events (RwLog *self, const char *text, gsize length)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (length == 0)
    return TRUE;
  if (!json_parser_load_from_data (parser, text, (gssize)length, NULL))
    return FALSE;
  JsonNode *root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_ARRAY (root))
    return FALSE;
  JsonArray *array = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      JsonObject *object = json_node_get_object (node);
      if (json_object_has_member (object, "ran"))
        note_time (self, object);
      else
        define_event (self, object);
    }
  return TRUE;
}

/* The numbers of strings are dense, so a table remembers what each became in the space. */
static guint32 *
cell (GArray *table, guint index)
{
  if (index >= table->len)
    g_array_set_size (table, index + 64);
  return &g_array_index (table, guint32, index);
}

static RwLocation
location_of (RwLog *self, guint string)
{
  guint32 *known = cell (self->locations, string);
  if (*known == 0)
    *known = rw_space_location (self->space, self->strings->pdata[string]) + 1;
  return *known - 1;
}

static RwValue
value_of (RwLog *self, guint string)
{
  if (string == 0)
    return 0;
  guint32 *known = cell (self->values, string);
  if (*known == 0)
    *known = rw_space_value (self->space, self->strings->pdata[string]) + 1;
  return *known - 1;
}

static RwPlace
place_of (RwLog *self, guint number)
{
  gpointer known;
  if (number == 0 || self->scripts == NULL)
    return 0;
  if (g_hash_table_lookup_extended (self->places, GUINT_TO_POINTER (number), NULL, &known))
    return GPOINTER_TO_UINT (known);
  RwPlace place = rw_space_place (self->space, rw_scripts_place (self->scripts, number));
  g_hash_table_insert (self->places, GUINT_TO_POINTER (number), GUINT_TO_POINTER (place));
  return place;
}

static gboolean
begin_event (RwLog *self, RwEvent event)
{
  if (rw_trace_position (self->trace, event) >= 0)
    return FALSE;
  rw_trace_begin (self->trace, event);
  self->begun = TRUE;
  return TRUE;
}

static gboolean
add_event_op (RwLog *self, guint kind, guint flags, const char *target)
{
  guint64 id = parse_id (target);
  RwEvent event;
  if (id == 0 || !rw_space_lookup_event (self->space, id, &event))
    return FALSE;
  switch (kind)
    {
    case LOG_BEGIN:
      return begin_event (self, event);
    case LOG_INITIAL:
      rw_trace_initial (self->trace, event);
      return TRUE;
    default:
      if (!self->begun)
        return FALSE;
      rw_trace_add (self->trace, (RwOp){ .kind = (guint8)kind, .flags = (guint8)flags, .target = event });
      return TRUE;
    }
}

static gboolean
add_op (RwLog *self, const gint32 *op)
{
  guint kind = (guint)op[0] & 0xff, flags = ((guint)op[0] >> 8) & 0xff;
  guint target = (guint)op[1], value = (guint)op[2];
  if (target == 0 || target >= self->strings->len || value >= self->strings->len)
    return FALSE;
  if (kind != RW_OP_READ && kind != RW_OP_WRITE)
    return (kind == RW_OP_POST || kind == RW_OP_CANCEL || kind == LOG_BEGIN || kind == LOG_INITIAL)
           && add_event_op (self, kind, flags, self->strings->pdata[target]);
  if (self->begun) /* what happened before the first event is the runtime's own start */
    rw_trace_add (self->trace, (RwOp){ .kind = (guint8)kind,
                                       .flags = (guint8)flags,
                                       .target = location_of (self, target),
                                       .value = value_of (self, value),
                                       .place = place_of (self, (guint)op[3]) });
  return TRUE;
}

gboolean
rw_log_add (RwLog *self, const gint32 *ops, gsize n_ints, const char *strings, gsize strings_length, const char *events,
            gsize events_length, char **why)
{
  add_strings (self, strings, strings_length);
  if (!define_events (self, events, events_length))
    {
      *why = g_strdup ("an event definition is not JSON");
      return FALSE;
    }
  for (gsize i = 0; i + 4 <= n_ints; i += 4)
    if (!add_op (self, ops + i))
      {
        *why = g_strdup_printf ("operation %" G_GSIZE_FORMAT " (%d %d %d %d) makes no sense", i / 4, ops[i], ops[i + 1],
                                ops[i + 2], ops[i + 3]);
        return FALSE;
      }
  return TRUE;
}
