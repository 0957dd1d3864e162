/* SPDX-License-Identifier: MIT */
/* The difference of two documents: equal subtrees are passed over by their hash, the rest is matched level by level. */
#include "rw-state-private.h"

#include <string.h>

#define SUMMARY_LIMIT 160

typedef struct
{
  const char *frame; /* "" for the top one */
  RwDifferences *out;
  GHashTable *noise;
} Compare;

static guint64
hash_of (const xmlNode *node)
{
  return ((const RwNode *)node->_private)->hash;
}

static void
offer (Compare *self, RwAspect aspect, xmlNode *node, const char *property, const char *before, const char *after)
{
  g_autofree char *path = rw_node_path (node);
  g_autofree char *where = property != NULL ? g_strdup_printf ("%s%s %s", self->frame, path, property)
                                            : g_strdup_printf ("%s%s", self->frame, path);
  RwDifference *difference = rw_difference_new (aspect, where, before, after);
  xmlChar *xpath = xmlGetNodePath (node);
  difference->property = g_strdup (property);
  difference->xpath = g_strdup ((const char *)xpath);
  xmlFree (xpath);
  rw_differences_offer (self->out, self->noise, difference);
}

static void
summarize (xmlNode *node, GString *text)
{
  if (text->len > SUMMARY_LIMIT)
    return;
  if (node->type != XML_ELEMENT_NODE)
    {
      g_autofree char *content = rw_node_text (node);
      g_strstrip (content);
      g_string_append (text, content);
      return;
    }
  g_autoptr (JsonObject) attributes = rw_node_attributes (node);
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;
  g_string_append_printf (text, "<%s", (const char *)node->name);
  json_object_iter_init_ordered (&iter, attributes);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    if (name[0] != ':' && text->len < SUMMARY_LIMIT && json_node_get_value_type (value) == G_TYPE_STRING)
      g_string_append_printf (text, " %s=\"%s\"", name, json_node_get_string (value));
  g_string_append_c (text, '>');
  for (xmlNode *child = node->children; child != NULL; child = child->next)
    summarize (child, text);
}

/* A node that only one of the two has; its markup says what it is. Blank text is formatting. */
static void
lone (Compare *self, xmlNode *node, gboolean is_new)
{
  g_autoptr (GString) text = g_string_new (NULL);
  summarize (node, text);
  if (text->len == 0)
    return;
  if (text->len > SUMMARY_LIMIT)
    {
      const char *end = g_utf8_find_prev_char (text->str, text->str + SUMMARY_LIMIT);
      g_string_truncate (text, end != NULL ? end - text->str : 0);
      g_string_append (text, "\342\200\246");
    }
  offer (self, RW_ASPECT_DOM, node, NULL, is_new ? NULL : text->str, is_new ? text->str : NULL);
}

static RwAspect
aspect_of_property (const char *name)
{
  static const char *const form[] = { ":value", ":checked", ":indeterminate", ":selectedIndex", ":selected", NULL };
  if (g_strv_contains (form, name))
    return RW_ASPECT_FORM;
  return strcmp (name, ":scroll") == 0 ? RW_ASPECT_SCROLL : RW_ASPECT_DOM;
}

static const char *
string_member (JsonObject *object, const char *name)
{
  return json_object_get_string_member_with_default (object, name, NULL);
}

static void
compare_attributes (Compare *self, xmlNode *a, xmlNode *b)
{
  g_autoptr (JsonObject) before = rw_node_attributes (a);
  g_autoptr (JsonObject) after = rw_node_attributes (b);
  JsonObjectIter iter;
  const char *name;
  json_object_iter_init_ordered (&iter, before);
  while (json_object_iter_next_ordered (&iter, &name, NULL))
    if (g_strcmp0 (string_member (before, name), string_member (after, name)) != 0)
      offer (self, aspect_of_property (name), b, name, string_member (before, name), string_member (after, name));
  json_object_iter_init_ordered (&iter, after);
  while (json_object_iter_next_ordered (&iter, &name, NULL))
    if (!json_object_has_member (before, name))
      offer (self, aspect_of_property (name), b, name, NULL, string_member (after, name));
}

static void compare_children (Compare *self, xmlNode *a, xmlNode *b);

static void
compare_nodes (Compare *self, xmlNode *a, xmlNode *b)
{
  const RwNode *x = a->_private, *y = b->_private;
  if (x->hash == y->hash)
    return;
  if (a->type != XML_ELEMENT_NODE)
    {
      g_autofree char *before = rw_node_text (a);
      g_autofree char *after = rw_node_text (b);
      offer (self, RW_ASPECT_DOM, b, NULL, before, after);
      return;
    }
  gsize length = x->line.end - x->rest;
  if (length != (gsize)(y->line.end - y->rest) || memcmp (x->rest, y->rest, length) != 0)
    compare_attributes (self, a, b);
  compare_children (self, a, b);
}

/* Two that may be the same thing changed: kind and name, and the same id or none. */
static gboolean
alike (xmlNode *a, xmlNode *b)
{
  if (a->type != b->type || g_strcmp0 ((const char *)a->name, (const char *)b->name) != 0)
    return FALSE;
  if (a->type != XML_ELEMENT_NODE)
    return TRUE;
  g_autoptr (JsonObject) x = rw_node_attributes (a);
  g_autoptr (JsonObject) y = rw_node_attributes (b);
  return g_strcmp0 (string_member (x, "id"), string_member (y, "id")) == 0;
}

/* Between two pairs of equal subtrees: what is alike is compared in order, what is left over is gone or new. */
static void
compare_gap (Compare *self, xmlNode **a, xmlNode **a_end, xmlNode **b, xmlNode **b_end, GPtrArray *gone,
             GPtrArray *added)
{
  while (a < a_end || b < b_end)
    {
      if (a < a_end && b < b_end && alike (*a, *b))
        compare_nodes (self, *a++, *b++);
      else if (a < a_end && (b == b_end || a_end - a >= b_end - b))
        g_ptr_array_add (gone, *a++);
      else
        g_ptr_array_add (added, *b++);
    }
}

static guint
place_of (const xmlNode *node)
{
  guint place = 1;
  for (const xmlNode *n = node->prev; n != NULL; n = n->prev)
    place += n->type == XML_ELEMENT_NODE;
  return place;
}

/* What is gone here and new there, the same with all that is below it, has only moved. */
static void
tell_lone (Compare *self, GPtrArray *gone, GPtrArray *added)
{
  g_autoptr (GHashTable) by_hash = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < gone->len; i++)
    g_hash_table_insert (by_hash, &((RwNode *)((xmlNode *)gone->pdata[i])->_private)->hash, gone->pdata[i]);
  for (guint i = 0; i < added->len; i++)
    {
      xmlNode *node = added->pdata[i], *old = g_hash_table_lookup (by_hash, &((RwNode *)node->_private)->hash);
      if (old == NULL || node->type != XML_ELEMENT_NODE)
        {
          lone (self, node, TRUE);
          continue;
        }
      g_autofree char *before = g_strdup_printf ("%u", place_of (old));
      g_autofree char *after = g_strdup_printf ("%u", place_of (node));
      offer (self, RW_ASPECT_DOM, node, "(place)", before, after);
      g_hash_table_remove (by_hash, &((RwNode *)node->_private)->hash);
      g_ptr_array_remove (gone, old);
    }
  for (guint i = 0; i < gone->len; i++)
    lone (self, gone->pdata[i], FALSE);
}

static GPtrArray *
children_of (xmlNode *node)
{
  GPtrArray *all = g_ptr_array_new ();
  for (xmlNode *child = node->children; child != NULL; child = child->next)
    g_ptr_array_add (all, child);
  return all;
}

/* Where each subtree hash occurs in the children of the other side: the first place that is not used up. */
static void
match_middle (Compare *self, xmlNode **a, xmlNode **a_end, xmlNode **b, xmlNode **b_end)
{
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GPtrArray) gone = g_ptr_array_new ();
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  for (xmlNode **p = b_end; p > b; p--)
    g_hash_table_insert (places, &((RwNode *)p[-1]->_private)->hash, p - 1);
  for (xmlNode **p = a; p < a_end; p++)
    {
      xmlNode **q = g_hash_table_lookup (places, &((RwNode *)(*p)->_private)->hash);
      while (q != NULL && q < b_end && (q < b || hash_of (*q) != hash_of (*p)))
        q++;
      /* Blank text is everywhere and would tie the wrong things together. */
      if (q == NULL || q >= b_end || (*p)->type == XML_TEXT_NODE)
        continue;
      compare_gap (self, a, p, b, q, gone, added);
      a = p + 1;
      b = q + 1;
    }
  compare_gap (self, a, a_end, b, b_end, gone, added);
  tell_lone (self, gone, added);
}

static void
compare_children (Compare *self, xmlNode *a, xmlNode *b)
{
  g_autoptr (GPtrArray) before = children_of (a);
  g_autoptr (GPtrArray) after = children_of (b);
  guint start = 0, x = before->len, y = after->len;
  while (start < x && start < y && hash_of (before->pdata[start]) == hash_of (after->pdata[start]))
    start++;
  while (x > start && y > start && hash_of (before->pdata[x - 1]) == hash_of (after->pdata[y - 1]))
    {
      x--;
      y--;
    }
  match_middle (self, (xmlNode **)before->pdata + start, (xmlNode **)before->pdata + x,
                (xmlNode **)after->pdata + start, (xmlNode **)after->pdata + y);
}

void
rw_document_compare (RwFrame *parent, RwFrame *child, RwDifferences *out, GHashTable *noise)
{
  gsize length = parent->dom.end - parent->dom.start;
  if (length == (gsize)(child->dom.end - child->dom.start) && memcmp (parent->dom.start, child->dom.start, length) == 0)
    return;
  g_autofree char *frame
      = strcmp (child->path, "top") == 0 ? g_strdup ("") : g_strdup_printf ("[frame %s] ", child->path);
  Compare compare = { frame, out, noise };
  compare_children (&compare, (xmlNode *)rw_frame_document (parent), (xmlNode *)rw_frame_document (child));
}
