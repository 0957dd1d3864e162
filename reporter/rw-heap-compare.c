/* SPDX-License-Identifier: MIT */
/* Heap slots by path: both walks are followed together, and what is equal is passed over as bytes. */
#include "rw-state-private.h"

#include <string.h>

/* Slots of this many characters in their path; a longer one is damaged. */
#define PATH_LIMIT 100000

/* How far ahead a partner is looked for before it is left to the end. */
#define NEAR 64

/* A key that is a range of text. */
static guint
range_hash (gconstpointer key)
{
  const RwLines *range = key;
  guint hash = 5381;
  for (const char *p = range->start; p < range->end; p++)
    hash = hash * 33 ^ (guint8)*p;
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

/* Passes over the lines that both begin with. */
static void
skip_equal (RwLines *a, RwLines *b)
{
  gsize n = MIN (a->end - a->start, b->end - b->start), i = 0;
  const gsize block = 4096;
  while (i + block <= n && memcmp (a->start + i, b->start + i, block) == 0)
    i += block;
  while (i < n && a->start[i] == b->start[i])
    i++;
  /* The line in which they differ has to stay whole; the last line of one may be the beginning of a longer one of the
   * other. */
  while (i > 0 && a->start[i - 1] != '\n')
    i--;
  a->start += i;
  b->start += i;
}

static gboolean
next_slot (RwLines *lines, Slot *slot)
{
  RwLines line;
  while (rw_lines_next (lines, &line))
    if (scan_slot (&line, slot))
      return TRUE;
  return FALSE;
}

/* Looks for @slot's path among the next slots; those before it are appended to @passed. FALSE changes nothing. */
static gboolean
find_near (RwLines *lines, const Slot *slot, GArray *passed)
{
  RwLines ahead = *lines;
  Slot other;
  guint kept = passed->len;
  for (guint i = 0; i < NEAR && next_slot (&ahead, &other); i++)
    {
      if (range_equal (&other.path, &slot->path))
        return TRUE;
      g_array_append_val (passed, other);
      *lines = ahead;
    }
  g_array_set_size (passed, kept);
  return FALSE;
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
  rw_differences_offer (out, noise,
                        rw_difference_new (RW_ASPECT_HEAP, path, is_new ? NULL : value, is_new ? value : NULL));
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

typedef struct
{
  GArray *only_before, *only_after; /* of Slot: what has no partner where it was looked for */
  RwDifferences *out;
  GHashTable *noise;
} Walk;

/* Both walks go in the same order, so partners are nearly always beside each other. Leaves what is far away to the end.
 */
static void
walk_together (Walk *self, RwLines a, RwLines b)
{
  Slot x, y;
  for (;;)
    {
      skip_equal (&a, &b);
      RwLines a_here = a, b_here = b;
      gboolean has_x = next_slot (&a, &x), has_y = next_slot (&b, &y);
      if (!has_x && !has_y)
        return;
      if (has_x && has_y && range_equal (&x.path, &y.path))
        {
          if (!range_equal (&x.value, &y.value))
            changed_slot (&x, &y, self->out, self->noise);
          continue;
        }
      RwLines a_near = a_here, b_near = b_here;
      if (has_x && has_y && find_near (&b_near, &x, self->only_after))
        {
          a = a_here;
          b = b_near;
        }
      else if (has_x && has_y && find_near (&a_near, &y, self->only_before))
        {
          a = a_near;
          b = b_here;
        }
      else
        {
          if (has_x)
            g_array_append_val (self->only_before, x);
          if (has_y)
            g_array_append_val (self->only_after, y);
        }
    }
}

/* What was passed over on both sides has only changed its place in the walk. */
static void
match_rest (Walk *self)
{
  g_autoptr (GHashTable) index = g_hash_table_new (range_hash, range_equal);
  g_autoptr (GHashTable) roots = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->only_before->len; i++)
    g_hash_table_insert (index, &g_array_index (self->only_before, Slot, i).path,
                         &g_array_index (self->only_before, Slot, i));
  for (guint i = 0; i < self->only_after->len; i++)
    {
      const Slot *slot = &g_array_index (self->only_after, Slot, i);
      Slot *old = g_hash_table_lookup (index, &slot->path);
      if (old != NULL)
        old->found = TRUE;
      if (old == NULL)
        lone_slot (slot, TRUE, roots, self->out, self->noise);
      else if (!range_equal (&old->value, &slot->value))
        changed_slot (old, slot, self->out, self->noise);
    }
  for (guint i = 0; i < self->only_before->len; i++)
    if (!g_array_index (self->only_before, Slot, i).found)
      lone_slot (&g_array_index (self->only_before, Slot, i), FALSE, roots, self->out, self->noise);
}

void
rw_heap_compare (RwLines parent, RwLines child, RwDifferences *out, GHashTable *noise)
{
  Walk self = { g_array_new (FALSE, FALSE, sizeof (Slot)), g_array_new (FALSE, FALSE, sizeof (Slot)), out, noise };
  walk_together (&self, parent, child);
  match_rest (&self);
  g_array_unref (self.only_before);
  g_array_unref (self.only_after);
}
