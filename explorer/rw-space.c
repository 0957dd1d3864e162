/* SPDX-License-Identifier: MIT */
/* Interning: each name gets the next dense index, and keeps it. */
#include "rw-space.h"

#include "rw-space-private.h"

#include <string.h>

typedef struct
{
  GHashTable *index; /* text, owned by @texts -> index */
  GPtrArray *texts;
} Pool;

typedef struct
{
  RwEventInfo info; /* its pointers are owned */
  gboolean defined;
  RwEvent *after;
  RwEvent *blocks;
  GArray *blockers; /* of RwEvent; NULL: none */
} Entry;

struct _RwSpace
{
  gatomicrefcount refs;
  GPtrArray *entries; /* of Entry */
  GHashTable *by_id;  /* guint64, inside the entry -> RwEvent */
  guint unstable;
  Pool groups, locations, values, places;
};

static void
pool_init (Pool *pool, guint first)
{
  pool->index = g_hash_table_new (g_str_hash, g_str_equal);
  pool->texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < first; i++)
    g_ptr_array_add (pool->texts, NULL);
}

static void
pool_clear (Pool *pool)
{
  g_hash_table_unref (pool->index);
  g_ptr_array_unref (pool->texts);
}

/* Page texts need not be UTF-8; everything that leaves a space is, so that no reader has to ask. */
static guint32
pool_intern (Pool *pool, const char *text)
{
  gpointer found;
  g_autofree char *valid = NULL;

  if (g_hash_table_lookup_extended (pool->index, text, NULL, &found))
    return GPOINTER_TO_UINT (found);
  if (!g_utf8_validate (text, -1, NULL))
    {
      valid = g_utf8_make_valid (text, -1);
      if (g_hash_table_lookup_extended (pool->index, valid, NULL, &found))
        return GPOINTER_TO_UINT (found);
    }
  char *copy = valid != NULL ? g_steal_pointer (&valid) : g_strdup (text);
  guint32 index = pool->texts->len;
  g_ptr_array_add (pool->texts, copy);
  g_hash_table_insert (pool->index, copy, GUINT_TO_POINTER (index));
  return index;
}

static const char *
pool_text (const Pool *pool, guint32 index)
{
  g_return_val_if_fail (index < pool->texts->len, NULL);
  return g_ptr_array_index (pool->texts, index);
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  g_free ((char *)entry->info.label);
  g_free ((guint64 *)entry->info.after);
  g_free ((guint64 *)entry->info.blocks);
  g_free (entry->after);
  g_free (entry->blocks);
  g_clear_pointer (&entry->blockers, g_array_unref);
  g_free (entry);
}

RwSpace *
rw_space_new (void)
{
  RwSpace *self = g_new0 (RwSpace, 1);
  g_atomic_ref_count_init (&self->refs);
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  self->by_id = g_hash_table_new (g_int64_hash, g_int64_equal);
  pool_init (&self->groups, 1);
  pool_init (&self->locations, 0);
  pool_init (&self->values, 1);
  pool_init (&self->places, 1);
  return self;
}

RwSpace *
rw_space_ref (RwSpace *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
rw_space_unref (RwSpace *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  g_hash_table_unref (self->by_id);
  g_ptr_array_unref (self->entries);
  pool_clear (&self->groups);
  pool_clear (&self->locations);
  pool_clear (&self->values);
  pool_clear (&self->places);
  g_free (self);
}

static Entry *
entry_of (const RwSpace *self, RwEvent event)
{
  g_assert (event < self->entries->len);
  return g_ptr_array_index (self->entries, event);
}

gboolean
rw_space_lookup_event (const RwSpace *self, guint64 id, RwEvent *event)
{
  gpointer found;
  gboolean known = g_hash_table_lookup_extended (self->by_id, &id, NULL, &found);
  *event = known ? GPOINTER_TO_UINT (found) : RW_EVENT_NONE;
  return known;
}

RwEvent
rw_space_event_by_id (RwSpace *self, guint64 id)
{
  RwEvent event;
  g_return_val_if_fail (id != 0, RW_EVENT_NONE);
  if (rw_space_lookup_event (self, id, &event))
    return event;

  Entry *entry = g_new0 (Entry, 1);
  entry->info.id = id;
  entry->info.delay = -1;
  event = self->entries->len;
  g_ptr_array_add (self->entries, entry);
  g_hash_table_insert (self->by_id, &entry->info.id, GUINT_TO_POINTER (event));
  return event;
}

static RwEvent *
resolve (RwSpace *self, const guint64 *ids, guint n)
{
  RwEvent *events = g_new (RwEvent, n);
  for (guint i = 0; i < n; i++)
    events[i] = rw_space_event_by_id (self, ids[i]);
  return events;
}

static void
define (RwSpace *self, RwEvent event, const RwEventInfo *info)
{
  Entry *entry = entry_of (self, event);
  entry->defined = TRUE;
  entry->info = *info;
  entry->info.label = info->label == NULL ? NULL : g_utf8_make_valid (info->label, -1);
  entry->info.after = g_memdup2 (info->after, sizeof (guint64) * info->n_after);
  entry->info.blocks = g_memdup2 (info->blocks, sizeof (guint64) * info->n_blocks);
  entry->after = resolve (self, info->after, info->n_after);
  entry->blocks = resolve (self, info->blocks, info->n_blocks);
  for (guint i = 0; i < info->n_blocks; i++)
    {
      Entry *blocked = entry_of (self, entry->blocks[i]);
      if (blocked->blockers == NULL)
        blocked->blockers = g_array_new (FALSE, FALSE, sizeof (RwEvent));
      g_array_append_val (blocked->blockers, event);
    }
}

static gboolean
same_ids (const guint64 *a, guint n_a, const guint64 *b, guint n_b)
{
  return n_a == n_b && (n_a == 0 || memcmp (a, b, sizeof *a * n_a) == 0);
}

static gboolean
same_definition (const RwEventInfo *a, const RwEventInfo *b)
{
  return a->kind == b->kind && a->group == b->group && a->delay == b->delay
         && same_ids (a->after, a->n_after, b->after, b->n_after)
         && same_ids (a->blocks, a->n_blocks, b->blocks, b->n_blocks);
}

RwEvent
rw_space_event (RwSpace *self, const RwEventInfo *info)
{
  g_return_val_if_fail (info->group < self->groups.texts->len, RW_EVENT_NONE);
  RwEvent event = rw_space_event_by_id (self, info->id);
  g_return_val_if_fail (event != RW_EVENT_NONE, RW_EVENT_NONE);
  Entry *entry = entry_of (self, event);
  if (!entry->defined)
    define (self, event, info);
  else if (!same_definition (&entry->info, info))
    self->unstable++;
  return event;
}

const RwEventInfo *
rw_space_event_info (const RwSpace *self, RwEvent event)
{
  return &entry_of (self, event)->info;
}

guint
rw_space_n_events (const RwSpace *self)
{
  return self->entries->len;
}

guint
rw_space_unstable (const RwSpace *self)
{
  return self->unstable;
}

gboolean
rw_space_event_is_defined (const RwSpace *self, RwEvent event)
{
  return entry_of (self, event)->defined;
}

const RwEvent *
rw_space_event_after (const RwSpace *self, RwEvent event, guint *n)
{
  const Entry *entry = entry_of (self, event);
  *n = entry->info.n_after;
  return entry->after;
}

const RwEvent *
rw_space_event_blocks (const RwSpace *self, RwEvent event, guint *n)
{
  const Entry *entry = entry_of (self, event);
  *n = entry->info.n_blocks;
  return entry->blocks;
}

const RwEvent *
rw_space_event_blockers (const RwSpace *self, RwEvent event, guint *n)
{
  const Entry *entry = entry_of (self, event);
  *n = entry->blockers == NULL ? 0 : entry->blockers->len;
  return entry->blockers == NULL ? NULL : (const RwEvent *)(gpointer)entry->blockers->data;
}

RwGroup
rw_space_group (RwSpace *self, const char *name)
{
  return pool_intern (&self->groups, name);
}

const char *
rw_space_group_name (const RwSpace *self, RwGroup group)
{
  return pool_text (&self->groups, group);
}

guint
rw_space_n_groups (const RwSpace *self)
{
  return self->groups.texts->len;
}

RwLocation
rw_space_location (RwSpace *self, const char *name)
{
  return pool_intern (&self->locations, name);
}

const char *
rw_space_location_name (const RwSpace *self, RwLocation location)
{
  return pool_text (&self->locations, location);
}

guint
rw_space_n_locations (const RwSpace *self)
{
  return self->locations.texts->len;
}

RwValue
rw_space_value (RwSpace *self, const char *text)
{
  return text == NULL ? 0 : pool_intern (&self->values, text);
}

const char *
rw_space_value_text (const RwSpace *self, RwValue value)
{
  return pool_text (&self->values, value);
}

guint
rw_space_n_values (const RwSpace *self)
{
  return self->values.texts->len;
}

RwPlace
rw_space_place (RwSpace *self, const char *place)
{
  return place == NULL ? 0 : pool_intern (&self->places, place);
}

const char *
rw_space_place_text (const RwSpace *self, RwPlace place)
{
  return pool_text (&self->places, place);
}

guint
rw_space_n_places (const RwSpace *self)
{
  return self->places.texts->len;
}

guint64
rw_identity (const char *path)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  for (const guchar *byte = (const guchar *)path; *byte != 0; byte++)
    hash = (hash ^ *byte) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash == 0 ? 1 : hash;
}
