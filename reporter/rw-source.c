/* SPDX-License-Identifier: MIT */
/* The page's own source lines, out of the recorded answers. */
#include "rw-report-private.h"

#include <string.h>

#define CONTEXT 2
#define LINE_LIMIT 200

struct _RwSources
{
  GHashTable *bodies; /* url -> GBytes, the last answer that had one */
};

void
rw_source_free (RwSource *self)
{
  if (self == NULL)
    return;
  g_free (self->url);
  g_strfreev (self->lines);
  g_free (self);
}

static char *
without_fragment (const char *url)
{
  return g_strndup (url, strcspn (url, "#"));
}

RwSources *
rw_sources_new (RwRecording *recording, GError **error)
{
  g_autoptr (GPtrArray) exchanges = rw_recording_exchanges (recording, error);
  if (exchanges == NULL)
    return NULL;
  RwSources *self = g_new0 (RwSources, 1);
  self->bodies = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < exchanges->len; i++)
    {
      const RwExchange *exchange = exchanges->pdata[i];
      if (exchange->body != NULL)
        g_hash_table_insert (self->bodies, without_fragment (exchange->url), g_bytes_ref (exchange->body));
    }
  return self;
}

void
rw_sources_free (RwSources *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->bodies);
  g_free (self);
}

static gboolean
take_number (const char *place, gsize *length, guint *number)
{
  gsize end = *length, start = end;
  while (start > 0 && g_ascii_isdigit (place[start - 1]))
    start--;
  if (start == end || start == 0 || place[start - 1] != ':' || end - start > 9)
    return FALSE;
  *number = (guint)g_ascii_strtoull (place + start, NULL, 10);
  *length = start - 1;
  return TRUE;
}

gboolean
rw_place_parse (const char *place, char **url, guint *line, guint *column)
{
  gsize length = place != NULL ? strlen (place) : 0;
  guint last, before;
  if (!take_number (place, &length, &last))
    return FALSE;
  gsize shorter = length;
  if (take_number (place, &shorter, &before) && shorter > 0)
    {
      *line = before;
      *column = last;
      length = shorter;
    }
  else
    {
      *line = last;
      *column = 0;
    }
  if (length == 0 || *line == 0)
    return FALSE;
  *url = g_strndup (place, length);
  return TRUE;
}

static const char *
line_start (const char *data, const char *end, guint line)
{
  for (guint i = 1; i < line; i++)
    {
      data = memchr (data, '\n', end - data);
      if (data == NULL)
        return NULL;
      data++;
    }
  return data < end ? data : NULL;
}

/* A minified file is one line of a million characters: only what is around the column is quoted. */
static char *
quote_line (const char *start, const char *end, guint column)
{
  const char *from = start, *stop = memchr (start, '\n', end - start);
  if (stop == NULL)
    stop = end;
  if (stop - from > LINE_LIMIT && column > LINE_LIMIT / 2)
    from = MIN (from + column - LINE_LIMIT / 2, stop);
  g_autofree char *text = g_utf8_make_valid (from, MIN (stop - from, LINE_LIMIT));
  g_strdelimit (text, "\r", ' ');
  g_strchomp (text);
  return g_strdup_printf ("%s%s%s", from > start ? "\342\200\246" : "", text,
                          stop - from > LINE_LIMIT ? "\342\200\246" : "");
}

RwSource *
rw_sources_find (RwSources *self, const char *place)
{
  g_autofree char *url = NULL;
  guint line, column;
  if (place == NULL || !rw_place_parse (place, &url, &line, &column))
    return NULL;
  RwSource *source = g_new0 (RwSource, 1);
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  g_autofree char *key = without_fragment (url);
  GBytes *body = g_hash_table_lookup (self->bodies, key);
  gsize size = 0;
  const char *data = body != NULL ? g_bytes_get_data (body, &size) : NULL;
  source->line = line > CONTEXT ? line - CONTEXT : 1;
  source->marked = line;
  source->column = column;
  for (guint i = source->line; data != NULL && i <= line + CONTEXT; i++)
    {
      const char *start = line_start (data, data + size, i);
      if (start == NULL)
        break;
      g_ptr_array_add (lines, quote_line (start, data + size, i == line ? column : 0));
    }
  g_ptr_array_add (lines, NULL);
  source->lines = (char **)g_ptr_array_steal (lines, NULL);
  source->url = g_steal_pointer (&url);
  return source;
}

char *
rw_sources_anchor (RwSources *self, const char *place)
{
  RwSource *source = rw_sources_find (self, place);
  char *anchor = NULL;
  for (guint i = 0; source != NULL && source->lines[i] != NULL; i++)
    if (source->line + i == source->marked)
      anchor = g_strdup_printf ("%s|%s", source->url, g_strstrip (source->lines[i]));
  rw_source_free (source);
  return anchor != NULL ? anchor : g_strdup (place != NULL ? place : "");
}
