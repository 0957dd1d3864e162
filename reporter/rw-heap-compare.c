/* SPDX-License-Identifier: MIT */
/* Heap slots by path: the equal beginning and end are passed over as bytes, only what lies between is looked at. */
#include "rw-state-private.h"

#include <string.h>

/* Slots of this many characters in their path; a longer one is damaged. */
#define PATH_LIMIT 100000

/* A key that is a range of text. */
static guint
range_hash (gconstpointer key)
{
  const RwLines *range = key;
  guint hash = 5381;
  for (const char *p = range->start; p < range->end; p++)
    hash = hash * 33 ^ (guint8) *p;
  return hash;
}

static gboolean
range_equal (gconstpointer a, gconstpointer b)
{
  const RwLines *x = a, *y = b;
  return x->end - x->start == y->end - y->start && memcmp (x->start, y->start, x->end - x->start) == 0;
}

typedef struct
{
  RwLines path;  /* with its quotes, as written */
  RwLines value; /* likewise */
  gboolean found;
} Slot;

static gboolean
scan_slot (const RwLines *line, Slot *slot)
{
  const char *p = line->start;
  if (line->end - p < 5 || *p != '"' || line->end - p > PATH_LIMIT)
    return FALSE;
  for (p++; p < line->end && *p != '"'; p++)
    if (*p == '\\')
      p++;
  if (p + 3 > line->end || p[1] != ':')
    return FALSE;
  slot->path = (RwLines){ line->start, p + 1 };
  slot->value = (RwLines){ p + 2, line->end };
  slot->found = FALSE;
  return TRUE;
}

static char *
decode (RwLines range)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (JsonNode) node = NULL;
  gsize length = range.end - range.start;
  if (g_utf8_validate_len (range.start, length, NULL) && json_parser_load_from_data (parser, range.start, length, NULL))
    node = json_parser_steal_root (parser);
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
    return g_utf8_make_valid (range.start, length);
  return g_strdup (json_node_get_string (node));
}

/* Drops what both begin with and what both end with, in whole lines. */
static void
trim (RwLines *a, RwLines *b)
{
  gsize n = MIN (a->end - a->start, b->end - b->start), i = 0, line = 0;
  const gsize block = 4096;
  while (i + block <= n && memcmp (a->start + i, b->start + i, block) == 0)
    i += block;
  for (; i < n && a->start[i] == b->start[i]; i++)
    ;
  for (line = i; line > 0 && a->start[line - 1] != '\n'; line--)
    ;
  a->start += line;
  b->start += line;

  n = MIN (a->end - a->start, b->end - b->start);
  for (i = 0; i + block <= n && memcmp (a->end - i - block, b->end - i - block, block) == 0; i += block)
    ;
  for (; i < n && a->end[-1 - (gssize) i] == b->end[-1 - (gssize) i]; i++)
    ;
  /* Forward to the next line's beginning: the line in which they differ has to stay whole. */
  for (; i > 0 && a->end[-(gssize) i] != '\n'; i--)
    ;
  a->end -= i;
  b->end -= i;
}

static GArray *
slots_of (RwLines lines)
{
  GArray *slots = g_array_new (FALSE, FALSE, sizeof (Slot));
  RwLines line;
  Slot slot;
  while (rw_lines_next (&lines, &line))
    if (scan_slot (&line, &slot))
      g_array_append_val (slots, slot);
  return slots;
}

/* An object that is new or gone speaks for everything below it. */
static gboolean
is_below (GHashTable *roots, const char *path)
{
  for (const char *p = path + 1; *path != '\0' && *p != '\0'; p++)
    if (*p == '.' || *p == '[')
      {
        g_autofree char *prefix = g_strndup (path, p - path);
        if (g_hash_table_contains (roots, prefix))
          return TRUE;
      }
  return FALSE;
}

static void
lone_slot (const Slot *slot, gboolean is_new, GHashTable *roots, RwDifferences *out, GHashTable *noise)
{
  g_autofree char *path = decode (slot->path);
  g_autofree char *value = decode (slot->value);
  if (is_below (roots, path))
    return;
  rw_differences_offer (out, noise, rw_difference_new (RW_ASPECT_HEAP, path, is_new ? NULL : value, is_new ? value : NULL));
  g_hash_table_add (roots, g_steal_pointer (&path));
}

static void
changed_slot (const Slot *a, const Slot *b, RwDifferences *out, GHashTable *noise)
{
  g_autofree char *path = decode (b->path);
  g_autofree char *before = decode (a->value);
  g_autofree char *after = decode (b->value);
  rw_differences_offer (out, noise, rw_difference_new (RW_ASPECT_HEAP, path, before, after));
}

void
rw_heap_compare (RwLines parent, RwLines child, RwDifferences *out, GHashTable *noise)
{
  trim (&parent, &child);
  g_autoptr (GArray) before = slots_of (parent);
  g_autoptr (GArray) after = slots_of (child);
  g_autoptr (GHashTable) index = g_hash_table_new (range_hash, range_equal);
  g_autoptr (GHashTable) roots = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < before->len; i++)
    g_hash_table_insert (index, &g_array_index (before, Slot, i).path, &g_array_index (before, Slot, i));
  for (guint i = 0; i < after->len; i++)
    {
      const Slot *slot = &g_array_index (after, Slot, i);
      Slot *old = g_hash_table_lookup (index, &slot->path);
      if (old != NULL)
        old->found = TRUE;
      if (old == NULL)
        lone_slot (slot, TRUE, roots, out, noise);
      else if (!range_equal (&old->value, &slot->value))
        changed_slot (old, slot, out, noise);
    }
  for (guint i = 0; i < before->len; i++)
    if (!g_array_index (before, Slot, i).found)
      lone_slot (&g_array_index (before, Slot, i), FALSE, roots, out, noise);
}
