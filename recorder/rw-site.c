/* SPDX-License-Identifier: MIT */
/* Serves the files of a folder: content types by name, an index, error pages, and no way out of the folder. */
#include "rw-site.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <libsoup/soup.h>
#include <stdlib.h>
#include <string.h>

struct _RwSite
{
  char *root;          /* canonical, without a slash at the end */
  GPtrArray *patterns; /* of GPatternSpec */
  GArray *delays;      /* of guint, one for each pattern */
};

static const struct
{
  const char *ending;
  const char *type;
} content_types[] = {
  { "html", "text/html; charset=utf-8" },
  { "htm", "text/html; charset=utf-8" },
  { "xhtml", "application/xhtml+xml" },
  { "css", "text/css; charset=utf-8" },
  { "js", "text/javascript; charset=utf-8" },
  { "mjs", "text/javascript; charset=utf-8" },
  { "json", "application/json" },
  { "map", "application/json" },
  { "txt", "text/plain; charset=utf-8" },
  { "md", "text/markdown; charset=utf-8" },
  { "csv", "text/csv; charset=utf-8" },
  { "xml", "text/xml; charset=utf-8" },
  { "svg", "image/svg+xml" },
  { "png", "image/png" },
  { "apng", "image/apng" },
  { "jpg", "image/jpeg" },
  { "jpeg", "image/jpeg" },
  { "gif", "image/gif" },
  { "webp", "image/webp" },
  { "avif", "image/avif" },
  { "ico", "image/x-icon" },
  { "bmp", "image/bmp" },
  { "woff", "font/woff" },
  { "woff2", "font/woff2" },
  { "ttf", "font/ttf" },
  { "otf", "font/otf" },
  { "mp3", "audio/mpeg" },
  { "ogg", "audio/ogg" },
  { "oga", "audio/ogg" },
  { "opus", "audio/ogg" },
  { "wav", "audio/wav" },
  { "m4a", "audio/mp4" },
  { "flac", "audio/flac" },
  { "mp4", "video/mp4" },
  { "webm", "video/webm" },
  { "ogv", "video/ogg" },
  { "vtt", "text/vtt; charset=utf-8" },
  { "wasm", "application/wasm" },
  { "pdf", "application/pdf" },
  { "webmanifest", "application/manifest+json" },
};

const char *
rw_site_content_type (const char *name)
{
  const char *dot = strrchr (name, '.');
  for (guint i = 0; dot != NULL && i < G_N_ELEMENTS (content_types); i++)
    if (g_ascii_strcasecmp (dot + 1, content_types[i].ending) == 0)
      return content_types[i].type;
  return "application/octet-stream";
}

RwSite *
rw_site_new (const char *folder, const RwProxyLatency *latencies, guint n_latencies, GError **error)
{
  char *root = realpath (folder, NULL);
  if (root == NULL || !g_file_test (root, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, RW_PROXY_ERROR, RW_PROXY_ERROR_FOLDER, "%s: there is no such folder", folder);
      free (root);
      return NULL;
    }
  RwSite *self = g_new0 (RwSite, 1);
  self->root = g_strdup (strcmp (root, "/") == 0 ? "" : root);
  free (root);
  self->patterns = g_ptr_array_new_with_free_func ((GDestroyNotify)g_pattern_spec_free);
  self->delays = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < n_latencies; i++)
    {
      g_ptr_array_add (self->patterns, g_pattern_spec_new (latencies[i].pattern));
      g_array_append_val (self->delays, latencies[i].latency_ms);
    }
  return self;
}

void
rw_site_free (RwSite *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->patterns);
  g_array_unref (self->delays);
  g_free (self->root);
  g_free (self);
}

/* A made-up network: a round trip, and 4 KB every millisecond. */
static guint
latency_of (const RwSite *self, const char *path, const char *query, gsize size)
{
  g_autofree char *whole = query != NULL ? g_strconcat (path, "?", query, NULL) : g_strdup (path);
  for (guint i = 0; i < self->patterns->len; i++)
    if (g_pattern_spec_match_string (self->patterns->pdata[i], whole))
      return g_array_index (self->delays, guint, i);
  return 10 + (guint)(size / 4096);
}

static void
set_answer (RwExchange *exchange, guint status, const char *reason, const char *headers, GBytes *body)
{
  exchange->status = status;
  exchange->reason = g_strdup (reason);
  exchange->headers = g_strdup (headers);
  exchange->body = body;
}

static void
set_error (RwExchange *exchange, guint status, const char *reason, const char *path)
{
  g_autofree char *name = g_markup_escape_text (path, -1);
  char *page = g_strdup_printf ("<!DOCTYPE html>\n<title>%u %s</title>\n<h1>%u %s</h1>\n<p>%s\n", status, reason,
                                status, reason, name);
  set_answer (exchange, status, reason, "Content-Type: text/html; charset=utf-8\n",
              g_bytes_new_take (page, strlen (page)));
}

/* The file's canonical name if it exists inside the folder and no part of its name is hidden; else NULL. */
static char *
find_file (const RwSite *self, const char *path)
{
  g_autofree char *plain = g_uri_unescape_string (path, "/");
  if (plain == NULL || strstr (plain, "/.") != NULL)
    return NULL;
  g_autofree char *name = g_strconcat (self->root, *plain == '/' ? "" : "/", plain, NULL);
  char *real = realpath (name, NULL);
  gsize root_length = strlen (self->root);
  char *found = NULL;
  if (real != NULL && strncmp (real, self->root, root_length) == 0
      && (real[root_length] == '/' || real[root_length] == '\0'))
    found = g_strdup (real);
  free (real);
  return found;
}

static void
answer_file (const char *file, const char *path, gsize max_body, RwExchange *exchange)
{
  GStatBuf info;
  char *data;
  gsize length;
  g_autoptr (GError) error = NULL;
  if (g_stat (file, &info) != 0 || !S_ISREG (info.st_mode))
    set_error (exchange, 404, "Not Found", path);
  else if ((guint64)info.st_size > max_body)
    set_error (exchange, 500, "File Too Large", path);
  else if (!g_file_get_contents (file, &data, &length, &error))
    set_error (exchange, error->code == G_FILE_ERROR_ACCES ? 403 : 500, "Not Readable", path);
  else
    {
      /* document.lastModified shows it, and would be the time of the load without it. */
      g_autoptr (GDateTime) modified = g_date_time_new_from_unix_utc (info.st_mtime);
      g_autofree char *date = soup_date_time_to_string (modified, SOUP_DATE_HTTP);
      g_autofree char *headers
          = g_strdup_printf ("Content-Type: %s\nLast-Modified: %s\n", rw_site_content_type (file), date);
      set_answer (exchange, 200, "OK", headers, g_bytes_new_take (data, length));
    }
}

void
rw_site_answer (const RwSite *self, const char *method, const char *path, const char *query, gsize max_body,
                RwExchange *exchange)
{
  g_autofree char *file = find_file (self, path);
  gboolean is_folder = file != NULL && g_file_test (file, G_FILE_TEST_IS_DIR);
  if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
    set_error (exchange, 405, "Method Not Allowed", path);
  else if (is_folder && !g_str_has_suffix (path, "/"))
    {
      g_autofree char *headers
          = g_strdup_printf ("Location: %s/%s%s\n", path, query != NULL ? "?" : "", query != NULL ? query : "");
      set_answer (exchange, 301, "Moved Permanently", headers, g_bytes_new_static ("", 0));
    }
  else if (is_folder)
    {
      g_autofree char *index_path = g_strconcat (path, "index.html", NULL);
      g_autofree char *index = find_file (self, index_path);
      answer_file (index != NULL ? index : "", path, max_body, exchange);
    }
  else if (file != NULL && !g_str_has_suffix (path, "/"))
    answer_file (file, path, max_body, exchange);
  else
    set_error (exchange, 404, "Not Found", path);
  exchange->latency_ms = latency_of (self, path, query, g_bytes_get_size (exchange->body));
}
