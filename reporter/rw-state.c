/* SPDX-License-Identifier: MIT */
/* Finds the parts of an end state by its lines; only the small ones are parsed at once. */
#define _GNU_SOURCE /* memmem () */
#include "rw-state-private.h"

#include <string.h>

#define VERSION 1

G_DEFINE_QUARK (rw - state - error - quark, rw_state_error)

static void
frame_free (RwFrame *self)
{
  g_free (self->path);
  g_free (self->url);
  g_free (self->title);
  g_free (self->focus);
  g_free (self->scroll);
  if (self->doc != NULL)
    rw_document_free (self->doc);
  g_free (self);
}

static gboolean
malformed (const char *where, GError **error)
{
  g_set_error (error, RW_STATE_ERROR, RW_STATE_ERROR_FORMAT, "the end state is damaged (%s)", where);
  return FALSE;
}

gboolean
rw_lines_next (RwLines *self, RwLines *line)
{
  if (self->start >= self->end)
    return FALSE;
  const char *stop = memchr (self->start, '\n', self->end - self->start);
  line->start = self->start;
  line->end = stop != NULL ? stop : self->end;
  self->start = stop != NULL ? stop + 1 : self->end;
  if (line->end > line->start && line->end[-1] == ',')
    line->end--;
  return TRUE;
}

static gboolean
line_is (const RwLines *line, const char *text)
{
  gsize length = strlen (text);
  return (gsize)(line->end - line->start) == length && memcmp (line->start, text, length) == 0;
}

static JsonNode *
parse (const char *before, const char *start, const char *end, const char *after)
{
  g_autoptr (GString) text = g_string_new (before);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_string_append_len (text, start, end - start);
  g_string_append (text, after);
  if (!g_utf8_validate_len (text->str, text->len, NULL)
      || !json_parser_load_from_data (parser, text->str, text->len, NULL))
    return NULL;
  return json_parser_steal_root (parser);
}

static char *
member_text (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  if (node == NULL)
    return g_strdup ("");
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  return json_to_string (node, FALSE);
}

/* {"path":...,"dom":[ / nodes / ]} */
static RwFrame *
parse_frame (RwLines head, RwLines *lines, GError **error)
{
  g_autoptr (JsonNode) node = parse ("", head.start, head.end, "]}");
  RwLines line;
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    {
      malformed ("a frame", error);
      return NULL;
    }
  RwFrame *self = g_new0 (RwFrame, 1);
  JsonObject *object = json_node_get_object (node);
  self->path = member_text (object, "path");
  self->url = member_text (object, "url");
  self->title = member_text (object, "title");
  self->focus = member_text (object, "focus");
  self->scroll = member_text (object, "scroll");
  self->dom.start = self->dom.end = lines->start;
  while (rw_lines_next (lines, &line))
    {
      if (line_is (&line, "]}"))
        return self;
      self->dom.end = line.end;
    }
  frame_free (self);
  malformed ("a frame without its end", error);
  return NULL;
}

static gboolean
parse_frames (RwState *self, RwLines *lines, GError **error)
{
  RwLines line;
  while (rw_lines_next (lines, &line))
    {
      if (line_is (&line, "]"))
        return TRUE;
      if (line.start == line.end)
        continue;
      RwFrame *frame = parse_frame (line, lines, error);
      if (frame == NULL)
        return FALSE;
      g_ptr_array_add (self->frames, frame);
    }
  return malformed ("no end of the frames", error);
}

static gboolean
parse_heap (RwState *self, RwLines *lines, GError **error)
{
  self->heap.start = self->heap.end = lines->start;
  static const char mark[] = "\n},\n\"errors\":";
  const char *stop = memmem (lines->start, lines->end - lines->start, mark, strlen (mark));
  if (stop == NULL)
    {
      /* An empty heap: the closing line comes at once, behind an empty one. */
      RwLines line;
      while (rw_lines_next (lines, &line))
        if (line_is (&line, "}"))
          return TRUE;
      return malformed ("no end of the heap", error);
    }
  self->heap.end = stop;
  lines->start = stop + strlen ("\n},\n");
  return TRUE;
}

static gboolean
parse_rest (RwState *self, RwLines lines, GError **error)
{
  g_autoptr (JsonNode) node = parse ("{", lines.start, lines.end, "");
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return malformed ("behind the heap", error);
  self->rest = json_object_ref (json_node_get_object (node));
  return TRUE;
}

static gboolean
parse_head (RwLines *lines, GError **error)
{
  RwLines line;
  if (!rw_lines_next (lines, &line))
    return malformed ("it is empty", error);
  g_autofree char *text = g_strndup (line.start, line.end - line.start);
  if (!g_str_has_prefix (text, "{\"version\":"))
    return malformed ("no version", error);
  gint64 version = g_ascii_strtoll (text + strlen ("{\"version\":"), NULL, 10);
  if (version > VERSION)
    {
      g_set_error (error, RW_STATE_ERROR, RW_STATE_ERROR_VERSION,
                   "the end state was made by a newer racewalk; update racewalk");
      return FALSE;
    }
  return (version == VERSION && rw_lines_next (lines, &line) && line_is (&line, "\"frames\":["))
         || malformed ("no frames", error);
}

RwState *
rw_state_new (GBytes *bytes, GError **error)
{
  g_autoptr (RwState) self = g_new0 (RwState, 1);
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  RwLines lines = { data, data + size }, line;
  g_ref_count_init (&self->references);
  self->bytes = g_bytes_ref (bytes);
  self->frames = g_ptr_array_new_with_free_func ((GDestroyNotify)frame_free);
  if (data == NULL)
    {
      malformed ("it is empty", error);
      return NULL;
    }
  if (!parse_head (&lines, error) || !parse_frames (self, &lines, error))
    return NULL;
  if (!rw_lines_next (&lines, &line) || !line_is (&line, "\"heap\":{"))
    {
      malformed ("no heap", error);
      return NULL;
    }
  if (!parse_heap (self, &lines, error) || !parse_rest (self, lines, error))
    return NULL;
  return g_steal_pointer (&self);
}

RwState *
rw_state_ref (RwState *self)
{
  g_ref_count_inc (&self->references);
  return self;
}

void
rw_state_unref (RwState *self)
{
  if (self == NULL || !g_ref_count_dec (&self->references))
    return;
  g_ptr_array_unref (self->frames);
  g_clear_pointer (&self->rest, json_object_unref);
  g_bytes_unref (self->bytes);
  g_free (self);
}
