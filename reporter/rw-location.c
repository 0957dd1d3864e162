/* SPDX-License-Identifier: MIT */
/* Locations for people: an object is named by who made it, which holds across runs but says nothing; the trace tells
 * under which variable it was found, and that is what people call it. */
#include "rw-verdict-private.h"

#include <string.h>

#define HOPS 6

/* "Array<3543346807ec2b07:?0#2>.length" -> length of "Array<...>"; 0 if the name has no such object. */
static gsize
object_length (const char *name)
{
  const char *open = strchr (name, '<');
  const char *close = open != NULL ? strchr (open, '>') : NULL;
  return close != NULL && open > name ? (gsize)(close + 1 - name) : 0;
}

/* Names without an unnamed object in them are better, then shorter ones, then by text: the choice must not depend on
 * the order. */
static gboolean
is_better (const char *a, const char *b)
{
  gboolean plain_a = object_length (a) == 0, plain_b = object_length (b) == 0;
  if (plain_a != plain_b)
    return plain_a;
  gsize x = strlen (a), y = strlen (b);
  return x != y ? x < y : strcmp (a, b) < 0;
}

static GHashTable *
aliases_of (const RwTrace *trace, RwSpace *space)
{
  GHashTable *aliases = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      guint n;
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      for (guint k = 0; k < n; k++)
        {
          const char *value
              = ops[k].kind <= RW_OP_WRITE && ops[k].value != 0 ? rw_space_value_text (space, ops[k].value) : NULL;
          if (value == NULL || object_length (value) != strlen (value))
            continue;
          const char *name = rw_space_location_name (space, ops[k].target);
          const char *known = g_hash_table_lookup (aliases, value);
          if (strncmp (name, value, strlen (value)) != 0 && (known == NULL || is_better (name, known)))
            g_hash_table_insert (aliases, (gpointer)value, (gpointer)name);
        }
    }
  return aliases;
}

/* "Array made by “load of a.png”", where no variable is known. */
static char *
by_maker (const char *name, gsize length, RwSpace *space)
{
  const char *open = strchr (name, '<');
  guint64 id = g_ascii_strtoull (open + 1, NULL, 16);
  RwEvent event;
  const char *label
      = id != 0 && rw_space_lookup_event (space, id, &event) ? rw_space_event_info (space, event)->label : NULL;
  if (label == NULL)
    return g_strndup (name, length);
  return g_strdup_printf ("(%.*s made by “%s”)", (int)(open - name), name, label);
}

char *
rw_location_for_people (RwSpace *space, const RwTrace *trace, const char *name)
{
  g_autofree char *text = g_strdup (name);
  gsize length = object_length (text);
  if (length == 0)
    return g_steal_pointer (&text);
  g_autoptr (GHashTable) aliases = trace != NULL ? aliases_of (trace, space) : NULL;
  for (guint hop = 0; hop < HOPS && length > 0; hop++)
    {
      g_autofree char *object = g_strndup (text, length);
      const char *alias = aliases != NULL ? g_hash_table_lookup (aliases, object) : NULL;
      g_autofree char *maker = alias == NULL ? by_maker (text, length, space) : NULL;
      char *better = g_strconcat (alias != NULL ? alias : maker, text + length, NULL);
      g_free (text);
      text = better;
      if (alias == NULL)
        break;
      length = object_length (text);
    }
  return g_steal_pointer (&text);
}
