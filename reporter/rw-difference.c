/* SPDX-License-Identifier: MIT */
/* What differs between two end states: frames, heap slots by path, and the lists item by item. */
#include "rw-state-private.h"

#include <string.h>

static const char *const aspect_names[RW_N_ASPECTS] = {
  "dom",     "form",       "focus",  "scroll",  "title", "url",     "error",  "console",
  "request", "navigation", "dialog", "storage", "heap",  "pending", "pixels", "outcome",
};

const char *
rw_aspect_name (RwAspect aspect)
{
  return aspect < RW_N_ASPECTS ? aspect_names[aspect] : "?";
}

RwDifference *
rw_difference_new (RwAspect aspect, const char *where, const char *before, const char *after)
{
  RwDifference *self = g_new0 (RwDifference, 1);
  self->aspect = aspect;
  self->where = g_strdup (where);
  self->before = g_strdup (before);
  self->after = g_strdup (after);
  return self;
}

void
rw_difference_free (RwDifference *self)
{
  if (self == NULL)
    return;
  g_free (self->where);
  g_free (self->xpath);
  g_free (self->property);
  g_free (self->before);
  g_free (self->after);
  g_free (self);
}

char *
rw_difference_text (const RwDifference *self)
{
  if (self->before == NULL)
    return g_strdup_printf ("%s: only after the reversal: %s", self->where, self->after != NULL ? self->after : "");
  if (self->after == NULL)
    return g_strdup_printf ("%s: not after the reversal: %s", self->where, self->before);
  return g_strdup_printf ("%s: %s -> %s", self->where, self->before, self->after);
}

/* List items have their text as their place; slots and nodes keep their place while the value changes. */
char *
rw_difference_key (const RwDifference *self)
{
  gboolean is_item = self->before == NULL || self->after == NULL;
  const char *text = self->before != NULL ? self->before : self->after;
  return g_strdup_printf ("%s|%s|%s", rw_aspect_name (self->aspect), self->where, is_item && text != NULL ? text : "");
}

RwDifferences *
rw_differences_new (void)
{
  RwDifferences *self = g_new0 (RwDifferences, 1);
  self->list = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_difference_free);
  return self;
}

void
rw_differences_free (RwDifferences *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->list);
  g_free (self);
}

void
rw_differences_add (RwDifferences *self, RwDifference *take)
{
  if (self->counts[take->aspect]++ < RW_DIFFERENCES_KEPT)
    g_ptr_array_add (self->list, take);
  else
    rw_difference_free (take);
}

guint
rw_differences_total (const RwDifferences *self)
{
  guint total = 0;
  for (guint i = 0; i < RW_N_ASPECTS; i++)
    total += self->counts[i];
  return total;
}

void
rw_differences_offer (RwDifferences *self, GHashTable *noise, RwDifference *take)
{
  g_autofree char *key = noise != NULL ? rw_difference_key (take) : NULL;
  if (key != NULL && g_hash_table_contains (noise, key))
    rw_difference_free (take);
  else
    rw_differences_add (self, take);
}

static void
compare_text (RwDifferences *out, GHashTable *noise, RwAspect aspect, const char *where, const char *before,
              const char *after)
{
  if (g_strcmp0 (before, after) != 0)
    rw_differences_offer (out, noise, rw_difference_new (aspect, where, before, after));
}

static RwFrame *
frame_by_path (RwState *self, const char *path)
{
  for (guint i = 0; i < self->frames->len; i++)
    {
      RwFrame *frame = self->frames->pdata[i];
      if (strcmp (frame->path, path) == 0)
        return frame;
    }
  return NULL;
}

static char *
in_frame (const RwFrame *frame, const char *what)
{
  return strcmp (frame->path, "top") == 0 ? g_strdup (what) : g_strdup_printf ("[frame %s] %s", frame->path, what);
}

static void
compare_frame (RwFrame *a, RwFrame *b, RwDifferences *out, GHashTable *noise)
{
  g_autofree char *title = in_frame (b, "title");
  g_autofree char *url = in_frame (b, "address");
  g_autofree char *focus = in_frame (b, "focus");
  g_autofree char *scroll = in_frame (b, "scroll");
  rw_document_compare (a, b, out, noise);
  compare_text (out, noise, RW_ASPECT_FOCUS, focus, a->focus, b->focus);
  compare_text (out, noise, RW_ASPECT_SCROLL, scroll, a->scroll, b->scroll);
  compare_text (out, noise, RW_ASPECT_TITLE, title, a->title, b->title);
  compare_text (out, noise, RW_ASPECT_URL, url, a->url, b->url);
}

static void
compare_frames (RwState *a, RwState *b, RwDifferences *out, GHashTable *noise)
{
  for (guint i = 0; i < b->frames->len; i++)
    {
      RwFrame *frame = b->frames->pdata[i], *other = frame_by_path (a, frame->path);
      if (other != NULL)
        compare_frame (other, frame, out, noise);
      else
        rw_differences_offer (out, noise, rw_difference_new (RW_ASPECT_DOM, "frame", NULL, frame->url));
    }
  for (guint i = 0; i < a->frames->len; i++)
    {
      RwFrame *frame = a->frames->pdata[i];
      if (frame_by_path (b, frame->path) == NULL)
        rw_differences_offer (out, noise, rw_difference_new (RW_ASPECT_DOM, "frame", frame->url, NULL));
    }
}

static const char *
member (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* What two items must share to be the same, which is also what people are shown. Stacks and times are neither. */
static char *
item_text (RwAspect aspect, JsonNode *node)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
               ? g_strdup (json_node_get_string (node))
               : json_to_string (node, FALSE);
  JsonObject *o = json_node_get_object (node);
  const char *text = member (o, "message") ?: member (o, "text") ?: member (o, "label") ?: member (o, "url");
  switch (aspect)
    {
    case RW_ASPECT_ERROR:
      if (member (o, "source") != NULL && *member (o, "source") != '\0')
        return g_strdup_printf ("%s (%s:%" G_GINT64_FORMAT ")", text ?: "?", member (o, "source"),
                                json_object_get_int_member_with_default (o, "line", 0));
      break;
    case RW_ASPECT_CONSOLE:
      return g_strdup_printf ("[%s] %s", member (o, "level") ?: "log", text ?: "");
    case RW_ASPECT_REQUEST:
      return g_strdup_printf ("%s %s%s%s", member (o, "method") ?: "GET", member (o, "url") ?: "?",
                              member (o, "body") != NULL ? " " : "", member (o, "body") ?: "");
    case RW_ASPECT_DIALOG:
      return g_strdup_printf ("%s: %s", member (o, "kind") ?: "dialog", text ?: "");
    default:
      break;
    }
  return text != NULL ? g_strdup (text) : json_to_string (node, FALSE);
}

static GPtrArray *
items_of (JsonObject *rest, const char *name, RwAspect aspect)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_free);
  JsonNode *node = json_object_get_member (rest, name);
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    g_ptr_array_add (items, item_text (aspect, json_array_get_element (array, i)));
  return items;
}

static int
add_to (GHashTable *counts, const char *text, int n)
{
  int value = GPOINTER_TO_INT (g_hash_table_lookup (counts, text));
  g_hash_table_insert (counts, g_strdup (text), GINT_TO_POINTER (value + n));
  return value;
}

/* Takes out of @items what is counted, each as often as it is counted; what was taken is added to @taken. */
static void
take_counted (GPtrArray *items, GHashTable *counts, GHashTable *taken)
{
  guint kept = 0;
  for (guint i = 0; i < items->len; i++)
    if (add_to (counts, items->pdata[i], 0) > 0)
      {
        add_to (counts, items->pdata[i], -1);
        add_to (taken, items->pdata[i], 1);
        g_clear_pointer (&items->pdata[i], g_free);
      }
    else
      items->pdata[kept++] = g_steal_pointer (&items->pdata[i]);
  g_ptr_array_set_size (items, kept);
}

/* Takes the items that both have out of both, each as often as it is in both; what stays is the difference. */
static void
cancel_out (GPtrArray *a, GPtrArray *b)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) shared = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) rest = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < b->len; i++)
    add_to (counts, b->pdata[i], 1);
  take_counted (a, counts, shared);
  take_counted (b, shared, rest);
}

static char *
joined (GPtrArray *items)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < items->len && text->len < 400; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", (const char *)items->pdata[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
compare_list (RwState *a, RwState *b, const char *name, RwAspect aspect, const char *where, gboolean ordered,
              RwDifferences *out, GHashTable *noise)
{
  g_autoptr (GPtrArray) before = items_of (a->rest, name, aspect);
  g_autoptr (GPtrArray) after = items_of (b->rest, name, aspect);
  g_autofree char *all_before = joined (before);
  g_autofree char *all_after = joined (after);
  cancel_out (before, after);
  for (guint i = 0; i < before->len; i++)
    rw_differences_offer (out, noise, rw_difference_new (aspect, where, before->pdata[i], NULL));
  for (guint i = 0; i < after->len; i++)
    rw_differences_offer (out, noise, rw_difference_new (aspect, where, NULL, after->pdata[i]));
  if (ordered && before->len + after->len == 0 && strcmp (all_before, all_after) != 0)
    {
      g_autofree char *order = g_strdup_printf ("order of %ss", where);
      rw_differences_offer (out, noise, rw_difference_new (aspect, order, all_before, all_after));
    }
}

static GHashTable *
storage_of (RwState *self)
{
  static const char *const areas[] = { "local", "session" };
  GHashTable *all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  JsonNode *node = json_object_get_member (self->rest, "storage");
  JsonNode *cookies = json_object_get_member (self->rest, "cookies");
  for (guint i = 0; node != NULL && JSON_NODE_HOLDS_OBJECT (node) && i < G_N_ELEMENTS (areas); i++)
    {
      JsonNode *area = json_object_get_member (json_node_get_object (node), areas[i]);
      JsonObjectIter iter;
      const char *key;
      if (area == NULL || !JSON_NODE_HOLDS_OBJECT (area))
        continue;
      json_object_iter_init (&iter, json_node_get_object (area));
      while (json_object_iter_next (&iter, &key, NULL))
        g_hash_table_insert (all, g_strdup_printf ("%sStorage[\"%s\"]", areas[i], key),
                             g_strdup (member (json_node_get_object (area), key) ?: ""));
    }
  for (guint i = 0;
       cookies != NULL && JSON_NODE_HOLDS_ARRAY (cookies) && i < json_array_get_length (json_node_get_array (cookies));
       i++)
    {
      g_autofree char *text = item_text (RW_ASPECT_STORAGE, json_array_get_element (json_node_get_array (cookies), i));
      char *equals = strchr (text, '=');
      g_hash_table_insert (all, g_strdup_printf ("cookie %.*s", (int)(equals != NULL ? equals - text : 0), text),
                           g_strdup (equals != NULL ? equals + 1 : text));
    }
  return all;
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

static void
compare_storage (RwState *a, RwState *b, RwDifferences *out, GHashTable *noise)
{
  g_autoptr (GHashTable) before = storage_of (a);
  g_autoptr (GHashTable) after = storage_of (b);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (keys, key);
  g_hash_table_iter_init (&iter, after);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_hash_table_contains (before, key))
      g_ptr_array_add (keys, key);
  g_ptr_array_sort (keys, by_text);
  for (guint i = 0; i < keys->len; i++)
    compare_text (out, noise, RW_ASPECT_STORAGE, keys->pdata[i], g_hash_table_lookup (before, keys->pdata[i]),
                  g_hash_table_lookup (after, keys->pdata[i]));
}

static int
by_aspect (gconstpointer a, gconstpointer b, gpointer order)
{
  const RwDifference *x = *(RwDifference *const *)a, *y = *(RwDifference *const *)b;
  return (int)x->aspect - (int)y->aspect;
}

RwDifferences *
rw_state_compare (RwState *parent, RwState *child, GHashTable *noise)
{
  RwDifferences *out = rw_differences_new ();
  if (parent == child || g_bytes_equal (parent->bytes, child->bytes))
    return out;
  compare_frames (parent, child, out, noise);
  compare_list (parent, child, "errors", RW_ASPECT_ERROR, "uncaught error", FALSE, out, noise);
  compare_list (parent, child, "console", RW_ASPECT_CONSOLE, "console message", TRUE, out, noise);
  compare_list (parent, child, "requests", RW_ASPECT_REQUEST, "request", TRUE, out, noise);
  compare_list (parent, child, "navigations", RW_ASPECT_NAVIGATION, "navigation", TRUE, out, noise);
  compare_list (parent, child, "dialogs", RW_ASPECT_DIALOG, "dialog", TRUE, out, noise);
  compare_list (parent, child, "pending", RW_ASPECT_PENDING, "left waiting", FALSE, out, noise);
  compare_storage (parent, child, out, noise);
  rw_heap_compare (parent->heap, child->heap, out, noise);
  /* Stable, so that the order inside an aspect stays. */
  g_ptr_array_sort_with_data (out->list, by_aspect, NULL);
  return out;
}
