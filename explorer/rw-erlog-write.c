/* SPDX-License-Identifier: MIT */
/* EventRacer's log, the way out. */
#include "rw-erlog.h"

#include <string.h>

static void
put (GByteArray *out, gint32 value)
{
  guint32 little = GUINT32_TO_LE ((guint32) value);

  g_byte_array_append (out, (const guint8 *) &little, sizeof little);
}

static void
put_strings (GByteArray *out, const RwErStrings *set)
{
  guint n = set->offsets->len;

  put (out, set->length);
  if (set->length > 0)
    g_byte_array_append (out, (const guint8 *) set->start, set->length);
  /* The reader fills a table of this size by linear probing: one that is too small makes it loop for ever. */
  put (out, set->hash_size > n || (n == 0 && set->hash_size == 0) ? set->hash_size : n == 0 ? 0 : 2 * n + 3);
}

static gint32
target_of (const RwErLog *self, const RwErCommand *command)
{
  static const RwErSet set_of[] = { RW_ER_SCOPES, 0, RW_ER_VARIABLES, RW_ER_VARIABLES, 0, RW_ER_VALUES };

  if (command->kind == RW_ER_EXIT || command->kind == RW_ER_TRIGGER)
    return command->target;
  return g_array_index (self->sets[set_of[command->kind]].offsets, guint32, command->target);
}

static void
put_event (GByteArray *out, const RwErLog *self, const RwErEvent *event)
{
  put (out, event->id);
  put (out, event->type);
  put (out, event->n_commands);
  for (guint i = 0; i < event->n_commands; i++)
    {
      const RwErCommand *command = &g_array_index (self->commands, RwErCommand, event->first + i);
      put (out, command->kind);
      put (out, target_of (self, command));
    }
}

GBytes *
rw_erlog_to_bytes (const RwErLog *self)
{
  GByteArray *out = g_byte_array_new ();
  guint n_events = 0;

  put_strings (out, &self->sets[RW_ER_VARIABLES]);
  put_strings (out, &self->sets[RW_ER_SCOPES]);
  for (guint i = 0; i < self->events->len; i++)
    n_events += !g_array_index (self->events, RwErEvent, i).silent;
  put (out, n_events);
  put (out, self->arcs->len);
  for (guint i = 0; i < self->arcs->len; i++)
    {
      const RwErArc *arc = &g_array_index (self->arcs, RwErArc, i);
      put (out, g_array_index (self->events, RwErEvent, arc->tail).id);
      put (out, g_array_index (self->events, RwErEvent, arc->head).id);
      put (out, arc->duration);
    }
  for (guint i = 0; i < self->events->len; i++)
    if (!g_array_index (self->events, RwErEvent, i).silent)
      put_event (out, self, &g_array_index (self->events, RwErEvent, i));
  put_strings (out, &self->sets[RW_ER_SOURCES]);
  put_strings (out, &self->sets[RW_ER_VALUES]);
  return g_byte_array_free_to_bytes (out);
}
