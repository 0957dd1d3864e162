/* SPDX-License-Identifier: MIT */
/* The DOM of a frame as a libxml2 document, and the difference of two. Attributes stay text until they are needed. */
#include "rw-state-private.h"

#include <stdlib.h>
#include <string.h>

/* Deeper trees than any parser makes; what claims more is damaged, and is hung in at the limit. */
#define DEPTH_LIMIT 2000

void
rw_document_free (xmlDoc *document)
{
  xmlNode *node = (xmlNode *)document;
  while (node != NULL)
    {
      if (node != (xmlNode *)document)
        g_free (node->_private);
      if (node->children != NULL)
        node = node->children;
      else
        {
          while (node != NULL && node->next == NULL)
            node = node->parent;
          if (node != NULL)
            node = node->next;
        }
    }
  xmlFreeDoc (document);
}

/* [depth,"name",rest] -> depth, name, and where the rest begins; FALSE if it is no such line. Element names that need
 * escapes are kept escaped: they are only compared and shown. */
static gboolean
scan_line (const RwLines *line, guint *depth, char **name, const char **rest)
{
  const char *p = line->start;
  if (line->end - p < 6 || *p++ != '[' || line->end[-1] != ']')
    return FALSE;
  for (*depth = 0; p < line->end && g_ascii_isdigit (*p); p++)
    *depth = MIN (*depth * 10 + (*p - '0'), DEPTH_LIMIT);
  if (line->end - p < 4 || p[0] != ',' || p[1] != '"')
    return FALSE;
  const char *stop = p += 2;
  while (stop < line->end && *stop != '"')
    stop += *stop == '\\' ? 2 : 1;
  if (stop + 2 >= line->end || stop[1] != ',')
    return FALSE;
  *name = g_utf8_make_valid (p, stop - p);
  *rest = stop + 2;
  return TRUE;
}

static guint64
mix (guint64 hash, guint64 value)
{
  hash ^= value;
  hash *= G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

static guint64
hash_bytes (const char *start, const char *end)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  for (; end - start >= 8; start += 8)
    {
      guint64 word;
      memcpy (&word, start, 8);
      hash = mix (hash, word);
    }
  for (; start < end; start++)
    hash = mix (hash, (guint8)*start);
  return hash;
}

static void
hash_subtree (xmlNode *node)
{
  RwNode *self = node->_private;
  for (xmlNode *child = node->children; child != NULL; child = child->next)
    self->hash = mix (self->hash, ((RwNode *)child->_private)->hash + 1);
}

static xmlNode *
make_node (xmlDoc *document, const RwLines *line, const char *name, const char *rest)
{
  xmlNode *node = g_str_equal (name, "#text")      ? xmlNewDocText (document, NULL)
                  : g_str_equal (name, "#comment") ? xmlNewDocComment (document, NULL)
                                                   : xmlNewDocNode (document, NULL, (const xmlChar *)name, NULL);
  RwNode *data = g_new0 (RwNode, 1);
  data->line = *line;
  data->rest = rest;
  /* The depth is not part of it: a subtree that moved is still the same subtree. */
  data->hash = mix (hash_bytes (name, name + strlen (name)), hash_bytes (rest, line->end));
  node->_private = data;
  return node;
}

/* xmlAddChild () merges neighbouring texts, which would lose a node. */
static void
append (xmlNode *parent, xmlNode *child)
{
  child->parent = parent;
  child->prev = parent->last;
  if (parent->last != NULL)
    parent->last->next = child;
  else
    parent->children = child;
  parent->last = child;
}

xmlDoc *
rw_frame_document (RwFrame *self)
{
  if (self->doc != NULL)
    return self->doc;
  self->doc = xmlNewDoc ((const xmlChar *)"1.0");
  /* The open elements, by depth; each line closes those that are not above it. */
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  RwLines lines = self->dom, line;
  while (rw_lines_next (&lines, &line))
    {
      guint depth;
      g_autofree char *name = NULL;
      const char *rest;
      if (!scan_line (&line, &depth, &name, &rest))
        continue;
      for (depth = MIN (depth, open->len); open->len > depth;)
        hash_subtree (g_ptr_array_steal_index (open, open->len - 1));
      xmlNode *node = make_node (self->doc, &line, name, rest);
      xmlNode *parent = open->len > 0 ? open->pdata[open->len - 1] : (xmlNode *)self->doc;
      if (parent->type != XML_ELEMENT_NODE && parent->type != XML_DOCUMENT_NODE)
        parent = parent->parent;
      append (parent, node);
      g_ptr_array_add (open, node);
    }
  while (open->len > 0)
    hash_subtree (g_ptr_array_steal_index (open, open->len - 1));
  return self->doc;
}

static JsonNode *
parse_rest (const xmlNode *node)
{
  const RwNode *self = node->_private;
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  /* Without the closing bracket of the line. */
  gsize length = self->line.end - 1 - self->rest;
  if (!g_utf8_validate_len (self->rest, length, NULL) || !json_parser_load_from_data (parser, self->rest, length, NULL))
    return NULL;
  return json_parser_steal_root (parser);
}

JsonObject *
rw_node_attributes (const xmlNode *node)
{
  g_autoptr (JsonNode) json = node->type == XML_ELEMENT_NODE ? parse_rest (node) : NULL;
  return json != NULL && JSON_NODE_HOLDS_OBJECT (json) ? json_object_ref (json_node_get_object (json))
                                                       : json_object_new ();
}

char *
rw_node_text (const xmlNode *node)
{
  g_autoptr (JsonNode) json = parse_rest (node);
  if (json == NULL || !JSON_NODE_HOLDS_VALUE (json) || json_node_get_value_type (json) != G_TYPE_STRING)
    return g_strdup ("");
  return g_strdup (json_node_get_string (json));
}

static char *
attribute (const xmlNode *node, const char *name)
{
  g_autoptr (JsonObject) attributes = rw_node_attributes (node);
  const char *value = json_object_get_string_member_with_default (attributes, name, NULL);
  return value != NULL && *value != '\0' ? g_strdup (value) : NULL;
}

static char *
path_step (xmlNode *node)
{
  const char *name = node->type == XML_TEXT_NODE      ? "text"
                     : node->type == XML_COMMENT_NODE ? "comment"
                                                      : (const char *)node->name;
  g_autofree char *id = attribute (node, "id");
  guint same = 0, place = 0;
  if (id != NULL)
    return g_strdup_printf ("%s#%s", name, id);
  for (xmlNode *n = node->parent->children; n != NULL; n = n->next)
    if (n->type == node->type && g_strcmp0 ((const char *)n->name, (const char *)node->name) == 0)
      {
        same++;
        if (n == node)
          place = same;
      }
  return same > 1 ? g_strdup_printf ("%s:%u", name, place) : g_strdup (name);
}

char *
rw_node_path (xmlNode *node)
{
  g_autoptr (GString) path = g_string_new (NULL);
  for (; node != NULL && node->type != XML_DOCUMENT_NODE; node = node->parent)
    {
      g_autofree char *step = path_step (node);
      gboolean anchored = strchr (step + 1, '#') != NULL && node->type == XML_ELEMENT_NODE;
      if (path->len > 0)
        g_string_prepend (path, " > ");
      g_string_prepend (path, step);
      /* An id is enough: what is above it says nothing more. */
      if (anchored)
        break;
    }
  return g_string_free (g_steal_pointer (&path), FALSE);
}
