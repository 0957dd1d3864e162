/* SPDX-License-Identifier: MIT */
/* Serves the report to the one browser that was given the address.
 *
 * Any page that the user visits can send requests to a loopback port, and any local user can connect to it. So the
 * address holds a token that works once and is exchanged for a cookie; every request must name this very host (which
 * stops DNS rebinding), and one that changes something must come from our own page. */
#include "rw-serve.h"

#include <json-glib/json-glib.h>
#include <libsoup/soup.h>
#include <string.h>
#include <sys/random.h>

#define BODY_LIMIT 65536

struct _RwServe
{
  SoupServer *server;
  char *path;
  char *suppressions;
  char *baseline;
  char *host; /* "127.0.0.1:4711" */
  char *url;
  char *token; /* NULL once it was used */
  char *session;
};

static char *
secret (void)
{
  guint8 bytes[24];
  char *text = g_new0 (char, 2 * sizeof bytes + 1);
  if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    g_error ("the kernel gives no random bytes");
  for (guint i = 0; i < sizeof bytes; i++)
    g_snprintf (text + 2 * i, 3, "%02x", bytes[i]);
  return text;
}

/* In a time that does not depend on how much of it is right. */
static gboolean
same_secret (const char *given, const char *ours)
{
  guint8 difference = 0;
  if (given == NULL || ours == NULL || strlen (given) != strlen (ours))
    return FALSE;
  for (gsize i = 0; ours[i] != '\0'; i++)
    difference |= (guint8)(given[i] ^ ours[i]);
  return difference == 0;
}

static void
answer (SoupServerMessage *message, guint status, const char *type, const char *text, gsize length)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);
  soup_message_headers_replace (headers, "Cache-Control", "no-store");
  soup_message_headers_replace (headers, "X-Content-Type-Options", "nosniff");
  soup_message_headers_replace (headers, "Content-Security-Policy", "frame-ancestors 'none'");
  soup_message_headers_replace (headers, "Cross-Origin-Resource-Policy", "same-origin");
  soup_server_message_set_status (message, status, NULL);
  soup_server_message_set_response (message, type, SOUP_MEMORY_COPY, text, length);
}

static void
answer_text (SoupServerMessage *message, guint status, const char *text)
{
  answer (message, status, "text/plain; charset=utf-8", text, strlen (text));
}

static gboolean
has_session (RwServe *self, SoupServerMessage *message)
{
  const char *cookies = soup_message_headers_get_list (soup_server_message_get_request_headers (message), "Cookie");
  g_auto (GStrv) parts = g_strsplit (cookies != NULL ? cookies : "", ";", 64);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      const char *part = g_strstrip (parts[i]);
      if (g_str_has_prefix (part, "racewalk=") && same_secret (part + strlen ("racewalk="), self->session))
        return TRUE;
    }
  return FALSE;
}

static gboolean
names_us (RwServe *self, SoupServerMessage *message)
{
  const char *host = soup_message_headers_get_one (soup_server_message_get_request_headers (message), "Host");
  return g_strcmp0 (host, self->host) == 0;
}

static gboolean
comes_from_us (RwServe *self, SoupServerMessage *message)
{
  SoupMessageHeaders *headers = soup_server_message_get_request_headers (message);
  const char *origin = soup_message_headers_get_one (headers, "Origin");
  const char *type = soup_message_headers_get_content_type (headers, NULL);
  return origin != NULL && g_str_has_prefix (origin, "http://") && strcmp (origin + strlen ("http://"), self->host) == 0
         && g_strcmp0 (type, "application/json") == 0;
}

static RwReport *
build (RwServe *self, GError **error)
{
  RwReportOptions options = { .baseline = self->baseline, .suppressions = self->suppressions, .served = TRUE };
  g_autoptr (RwRecording) recording = rw_recording_open (self->path, RW_RECORDING_READ, error);
  return recording != NULL ? rw_report_new (recording, &options, error) : NULL;
}

static void
serve_report (RwServe *self, SoupServerMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwReport) report = build (self, &error);
  if (report == NULL)
    {
      answer_text (message, SOUP_STATUS_INTERNAL_SERVER_ERROR, error->message);
      return;
    }
  g_autoptr (GBytes) html = rw_report_emit (report, RW_REPORT_HTML);
  answer (message, SOUP_STATUS_OK, "text/html; charset=utf-8", g_bytes_get_data (html, NULL), g_bytes_get_size (html));
}

static void
start_session (RwServe *self, SoupServerMessage *message)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);
  g_autofree char *cookie = g_strdup_printf ("racewalk=%s; HttpOnly; SameSite=Strict; Path=/", self->session);
  g_clear_pointer (&self->token, g_free);
  soup_message_headers_replace (headers, "Set-Cookie", cookie);
  /* A page rather than a redirect: behind a link from elsewhere a Strict cookie would not be sent to the redirect's
   * target. */
  static const char page[]
      = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url=/\">"
        "<title>Racewalk</title><p><a href=\"/\">The report</a></p></html>";
  answer (message, SOUP_STATUS_OK, "text/html; charset=utf-8", page, strlen (page));
}

static const char *
string_member (JsonObject *object, const char *name)
{
  return json_object_get_string_member_with_default (object, name, "");
}

static void
set_mark (RwServe *self, SoupServerMessage *message)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  SoupMessageBody *body = soup_server_message_get_request_body (message);
  g_autoptr (GBytes) bytes = soup_message_body_flatten (body);
  JsonNode *root = NULL;
  if (g_bytes_get_size (bytes) <= BODY_LIMIT
      && json_parser_load_from_data (parser, g_bytes_get_data (bytes, NULL), (gssize)g_bytes_get_size (bytes), NULL))
    root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      answer_text (message, SOUP_STATUS_BAD_REQUEST, "not JSON");
      return;
    }
  JsonObject *object = json_node_get_object (root);
  const char *verdict = string_member (object, "verdict");
  if (strcmp (verdict, "harmless") != 0 && strcmp (verdict, "harmful") != 0 && *verdict != '\0')
    {
      answer_text (message, SOUP_STATUS_BAD_REQUEST, "the verdict is harmless, harmful or empty");
      return;
    }
  g_autoptr (RwReport) report = build (self, &error);
  const char *fingerprint
      = report != NULL ? rw_report_find (report, string_member (object, "fingerprint"), &error) : NULL;
  g_autoptr (RwRecording) recording
      = fingerprint != NULL ? rw_recording_open (self->path, RW_RECORDING_WRITE, &error) : NULL;
  if (recording == NULL
      || !rw_triage (recording, self->suppressions, fingerprint, *verdict != '\0' ? verdict : NULL,
                     string_member (object, "note"), &error))
    answer_text (message, SOUP_STATUS_CONFLICT, error->message);
  else
    answer_text (message, SOUP_STATUS_OK, "kept");
}

static void
request_cb (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query, gpointer data)
{
  RwServe *self = data;
  const char *method = soup_server_message_get_method (message);
  const char *token = query != NULL ? g_hash_table_lookup (query, "token") : NULL;
  gboolean is_get = strcmp (method, "GET") == 0;
  if (!names_us (self, message))
    answer_text (message, SOUP_STATUS_FORBIDDEN, "another host was asked for");
  else if (is_get && strcmp (path, "/") == 0 && self->token != NULL && same_secret (token, self->token))
    start_session (self, message);
  else if (!has_session (self, message))
    answer_text (message, SOUP_STATUS_FORBIDDEN,
                 "open the address that racewalk report --serve printed; it works once");
  else if (is_get && strcmp (path, "/") == 0)
    serve_report (self, message);
  else if (strcmp (method, "POST") == 0 && strcmp (path, "/mark") == 0 && comes_from_us (self, message))
    set_mark (self, message);
  else
    answer_text (message, SOUP_STATUS_NOT_FOUND, "nothing here");
}

RwServe *
rw_serve_new (const char *path, const RwReportOptions *options, guint port, GError **error)
{
  g_autoptr (RwServe) self = g_new0 (RwServe, 1);
  self->path = g_strdup (path);
  self->suppressions = g_strdup (options->suppressions);
  self->baseline = g_strdup (options->baseline);
  self->token = secret ();
  self->session = secret ();
  /* What can't be reported now should be said now, not in the browser. */
  g_autoptr (RwReport) report = build (self, error);
  if (report == NULL)
    return NULL;
  self->server = soup_server_new ("server-header", "racewalk", NULL);
  soup_server_add_handler (self->server, NULL, request_cb, self, NULL);
  if (!soup_server_listen_local (self->server, port, SOUP_SERVER_LISTEN_IPV4_ONLY, error))
    return NULL;
  GSList *uris = soup_server_get_uris (self->server);
  self->host = g_strdup_printf ("127.0.0.1:%d", g_uri_get_port (uris->data));
  self->url = g_strdup_printf ("http://%s/?token=%s", self->host, self->token);
  g_slist_free_full (uris, (GDestroyNotify)g_uri_unref);
  return g_steal_pointer (&self);
}

void
rw_serve_free (RwServe *self)
{
  if (self == NULL)
    return;
  if (self->server != NULL)
    soup_server_disconnect (self->server);
  g_clear_object (&self->server);
  g_free (self->path);
  g_free (self->suppressions);
  g_free (self->baseline);
  g_free (self->host);
  g_free (self->url);
  g_free (self->token);
  g_free (self->session);
  g_free (self);
}

const char *
rw_serve_url (const RwServe *self)
{
  return self->url;
}
