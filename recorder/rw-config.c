/* SPDX-License-Identifier: MIT */
/* Writes the runtime's configuration. */
#include "rw-config.h"

static void
add_id (JsonBuilder *builder, const RwSpace *space, RwEvent event)
{
  char id[17];
  g_snprintf (id, sizeof id, "%016" G_GINT64_MODIFIER "x", rw_space_event_info (space, event)->id);
  json_builder_add_string_value (builder, id);
}

static void
add_events (const RwConfig *self, JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "schedule");
  json_builder_begin_array (builder);
  for (guint i = 0; self->schedule != NULL && i < self->schedule->len; i++)
    add_id (builder, self->space, g_array_index (self->schedule, RwEvent, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "ranks");
  json_builder_begin_array (builder);
  for (guint i = 0; self->recording != NULL && i < rw_trace_length (self->recording); i++)
    add_id (builder, self->space, rw_trace_event (self->recording, i));
  json_builder_end_array (builder);
}

static void
add_latencies (const RwConfig *self, JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "latencies");
  json_builder_begin_array (builder);
  for (guint i = 0; self->exchanges != NULL && i < self->exchanges->len; i++)
    {
      const RwExchange *exchange = self->exchanges->pdata[i];
      json_builder_begin_array (builder);
      json_builder_add_string_value (builder, exchange->url);
      json_builder_add_int_value (builder, exchange->latency_ms);
      json_builder_end_array (builder);
    }
  json_builder_end_array (builder);
}

static JsonNode *
node_of_times (const char *times)
{
  JsonNode *node = times == NULL ? NULL : json_from_string (times, NULL);
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    return node;
  g_clear_pointer (&node, json_node_unref);
  node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, json_object_new ());
  return node;
}

char *
rw_config_to_json (const RwConfig *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *secret = g_uuid_string_random ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "mode");
  json_builder_add_string_value (builder, self->record ? "record" : "replay");
  add_events (self, builder);
  add_latencies (self, builder);
  json_builder_set_member_name (builder, "times");
  json_builder_add_value (builder, node_of_times (self->times));
  json_builder_set_member_name (builder, "steps");
  if (self->scenario != NULL)
    json_builder_add_value (builder, rw_scenario_to_json (self->scenario));
  else
    {
      json_builder_begin_array (builder);
      json_builder_end_array (builder);
    }
  json_builder_set_member_name (builder, "epoch");
  json_builder_add_double_value (builder, self->epoch_ms);
  json_builder_set_member_name (builder, "horizon");
  json_builder_add_double_value (builder, self->horizon_ms);
  json_builder_set_member_name (builder, "maxEvents");
  json_builder_add_int_value (builder, self->max_events);
  json_builder_set_member_name (builder, "timersAny");
  json_builder_add_boolean_value (builder, self->timers_any);
  json_builder_set_member_name (builder, "findSteps");
  json_builder_add_int_value (builder, self->find_steps ? self->max_steps : 0);
  json_builder_set_member_name (builder, "secret");
  json_builder_add_string_value (builder, secret);
  json_builder_end_object (builder);
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_to_string (root, FALSE);
}
