/* SPDX-License-Identifier: MIT */
/* A run as the race detector sees it, wherever it came from: happens-before, who reads and writes what, and names to show. */
#include "rw-history-private.h"

#include <string.h>

RwHistory *
rw_history_new (void)
{
  RwHistory *self = g_new0 (RwHistory, 1);

  self->first = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->access = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->origin = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->location = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->at = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->names = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
rw_history_free (RwHistory *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->hb, rw_hb_free);
  g_clear_pointer (&self->trace, rw_trace_unref);
  g_array_unref (self->first);
  g_array_unref (self->access);
  g_array_unref (self->origin);
  g_array_unref (self->location);
  g_array_unref (self->at);
  g_ptr_array_unref (self->names);
  g_free (self);
}

guint
rw_history_n_nodes (const RwHistory *self)
{
  return self->first->len - 1;
}

guint
rw_history_n_events (const RwHistory *self)
{
  return self->log != NULL ? self->log->events->len : rw_trace_length (self->trace);
}

guint64
rw_history_n_accesses (const RwHistory *self)
{
  return self->access->len;
}

gsize
rw_history_memory (const RwHistory *self)
{
  return (gsize) (self->first->len + self->access->len + self->origin->len + self->location->len + self->at->len)
         * sizeof (guint32);
}

gsize
rw_history_source_memory (const RwHistory *self)
{
  const RwErLog *log = self->log;
  gsize size;

  if (log == NULL)
    return rw_trace_n_ops (self->trace) * sizeof (RwOp);
  size = log->commands->len * sizeof (RwErCommand) + log->events->len * sizeof (RwErEvent)
         + log->arcs->len * sizeof (RwErArc);
  for (guint i = 0; i < RW_ER_N_SETS; i++)
    size += log->sets[i].length + log->sets[i].offsets->len * sizeof (guint32);
  return size;
}

static const RwErEvent *
logged_event (const RwHistory *self, guint node)
{
  return &g_array_index (self->log->events, RwErEvent, g_array_index (self->origin, guint32, node));
}

gint64
rw_history_number (const RwHistory *self, guint node)
{
  return self->log != NULL ? logged_event (self, node)->id : (gint64) node - 1;
}

/* The outermost scope says what kind of task it was. */
static char *
logged_label (const RwHistory *self, guint node)
{
  const RwErEvent *event = logged_event (self, node);

  for (guint i = 0; i < event->n_commands; i++)
    {
      const RwErCommand *command = &g_array_index (self->log->commands, RwErCommand, event->first + i);
      if (command->kind == RW_ER_ENTER)
        return g_utf8_make_valid (rw_erlog_string (self->log, RW_ER_SCOPES, command->target), -1);
    }
  return g_strdup ("(no scope)");
}

char *
rw_history_label (const RwHistory *self, guint node)
{
  const RwEventInfo *info;

  if (self->log != NULL)
    return logged_label (self, node);
  if (node == 0)
    return g_strdup ("(start)");
  info = rw_space_event_info (rw_trace_space (self->trace), rw_trace_event (self->trace, node - 1));
  return info->label == NULL ? g_strdup_printf ("event %016" G_GINT64_MODIFIER "x", info->id)
                             : g_utf8_make_valid (info->label, -1);
}

const char *
rw_history_kind (const RwHistory *self, guint node)
{
  static const char *const logged[] = { "other", "timer", "user", "network", "continuation" };
  static const char *const kinds[] = { "other",   "parse",   "script", "load",   "lifecycle", "timer",      "interval",  "frame",
                                       "idle", "network", "message", "native", "user",      "navigation", "unscheduled" };
  guint kind;

  if (self->log != NULL)
    return logged[MIN (logged_event (self, node)->type, G_N_ELEMENTS (logged) - 1)];
  if (node == 0)
    return "start";
  kind = rw_space_event_info (rw_trace_space (self->trace), rw_trace_event (self->trace, node - 1))->kind;
  return kinds[kind < G_N_ELEMENTS (kinds) ? kind : 0];
}

const char *
rw_history_location (const RwHistory *self, guint location)
{
  guint n_known;

  if (self->log != NULL)
    {
      n_known = rw_erlog_n_strings (self->log, RW_ER_VARIABLES);
      if (location >= n_known)
        location = g_array_index (self->location, guint32, location - n_known);
      return rw_erlog_string (self->log, RW_ER_VARIABLES, location);
    }
  n_known = self->n_locations - self->names->len;
  if (location >= n_known)
    return g_ptr_array_index (self->names, location - n_known);
  return rw_space_location_name (rw_trace_space (self->trace), location);
}

/* The innermost scope that was entered before the command and not left. */
static const char *
logged_scope (const RwErLog *log, const RwErEvent *event, guint32 command)
{
  guint left = 0;

  for (guint32 i = command; i-- > event->first;)
    {
      const RwErCommand *earlier = &g_array_index (log->commands, RwErCommand, i);
      if (earlier->kind == RW_ER_EXIT)
        left++;
      else if (earlier->kind == RW_ER_ENTER && left-- == 0)
        return rw_erlog_string (log, RW_ER_SCOPES, earlier->target);
    }
  return NULL;
}

static void
logged_access (const RwHistory *self, guint node, guint32 command, RwAccessInfo *info)
{
  const RwErEvent *event = logged_event (self, node);
  const RwErCommand *next = &g_array_index (self->log->commands, RwErCommand, command + 1);

  if (command + 1 < event->first + event->n_commands && next->kind == RW_ER_VALUE)
    info->value = rw_erlog_string (self->log, RW_ER_VALUES, next->target);
  info->place = logged_scope (self->log, event, command);
}

void
rw_history_access (const RwHistory *self, guint node, guint at, RwAccessInfo *info)
{
  guint op_index = g_array_index (self->at, guint32, g_array_index (self->first, guint32, node) + at);
  guint n_ops;
  const RwOp *ops;

  *info = (RwAccessInfo) { NULL, NULL, FALSE };
  if (self->log != NULL)
    {
      logged_access (self, node, op_index, info);
      return;
    }
  if (node == 0 || op_index == G_MAXUINT32)
    return;
  ops = rw_trace_ops (self->trace, node - 1, &n_ops);
  info->place = rw_space_place_text (rw_trace_space (self->trace), ops[op_index].place);
  if (ops[op_index].kind == RW_OP_READ || ops[op_index].kind == RW_OP_WRITE)
    info->value = rw_space_value_text (rw_trace_space (self->trace), ops[op_index].value);
  info->failed = ops[op_index].kind == RW_OP_READ && (ops[op_index].flags & RW_OP_FAILED) != 0;
}
