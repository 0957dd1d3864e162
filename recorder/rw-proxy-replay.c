/* SPDX-License-Identifier: MIT */
/* Answers from a recording: by identity where there is one, else by address and ordinal. */
#include "rw-proxy-private.h"

#include <string.h>

/* The exchanges of one key, in the order of the recording, and how many of them were used in this run. */
typedef struct
{
  GPtrArray *exchanges; /* not owned */
  guint next;
} Line;

struct _RwReplaySource
{
  GPtrArray *exchanges;
  GHashTable *lines; /* key -> Line; each exchange is in the line of its address, and in that of its identity */
};

static void
line_free (gpointer data)
{
  Line *line = data;
  g_ptr_array_unref (line->exchanges);
  g_free (line);
}

static char *
key_of (const char *method, const char *url, GBytes *body, const char *id)
{
  g_autofree char *hash = NULL;
  if (body != NULL && g_bytes_get_size (body) > 0)
    hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, body);
  return g_strdup_printf ("%s\n%s\n%s\n%s", method, url, hash != NULL ? hash : "", id != NULL ? id : "");
}

static void
add_to_line (RwReplaySource *self, RwExchange *exchange, const char *id)
{
  g_autofree char *url = rw_proxy_normalize_url (exchange->url);
  g_autofree char *key = key_of (exchange->method, url, exchange->request_body, id);
  Line *line = g_hash_table_lookup (self->lines, key);
  if (line == NULL)
    {
      line = g_new0 (Line, 1);
      line->exchanges = g_ptr_array_new ();
      g_hash_table_insert (self->lines, g_steal_pointer (&key), line);
    }
  g_ptr_array_add (line->exchanges, exchange);
}

RwReplaySource *
rw_replay_source_new (GPtrArray *exchanges)
{
  RwReplaySource *self = g_new0 (RwReplaySource, 1);
  self->exchanges = exchanges != NULL ? g_ptr_array_ref (exchanges) : g_ptr_array_new ();
  self->lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, line_free);
  for (guint i = 0; i < self->exchanges->len; i++)
    {
      RwExchange *exchange = self->exchanges->pdata[i];
      if (exchange->method == NULL || exchange->url == NULL)
        continue;
      g_autofree char *id = rw_headers_get (exchange->request_headers, "X-RW-Id");
      add_to_line (self, exchange, NULL);
      if (id != NULL)
        add_to_line (self, exchange, id);
    }
  return self;
}

void
rw_replay_source_free (RwReplaySource *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->lines);
  g_ptr_array_unref (self->exchanges);
  g_free (self);
}

void
rw_replay_source_rewind (RwReplaySource *self)
{
  GHashTableIter iter;
  gpointer line;
  g_hash_table_iter_init (&iter, self->lines);
  while (g_hash_table_iter_next (&iter, NULL, &line))
    ((Line *)line)->next = 0;
}

RwExchange *
rw_replay_source_find (RwReplaySource *self, const char *method, const char *url, GBytes *body, const char *id,
                       gboolean *again)
{
  Line *line = NULL;
  if (again != NULL)
    *again = FALSE;
  if (id != NULL)
    {
      g_autofree char *key = key_of (method, url, body, id);
      line = g_hash_table_lookup (self->lines, key);
    }
  if (line == NULL)
    {
      g_autofree char *key = key_of (method, url, body, NULL);
      line = g_hash_table_lookup (self->lines, key);
    }
  if (line == NULL)
    return NULL;
  if (line->next < line->exchanges->len)
    return line->exchanges->pdata[line->next++];
  if (again != NULL)
    *again = TRUE;
  /* Asking again changes nothing on a server; anything else might have. */
  gboolean safe = strcmp (method, "GET") == 0 || strcmp (method, "HEAD") == 0 || strcmp (method, "OPTIONS") == 0;
  return safe ? line->exchanges->pdata[line->exchanges->len - 1] : NULL;
}
