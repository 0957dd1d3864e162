/* SPDX-License-Identifier: MIT */
/* The proxy between a real client and a real server, both on loopback: recording, limits, streams of events,
 * WebSockets. */
#include <string.h>

#include "rw-certificate.h"
#include "rw-proxy-fixture.h"

/* --- The server of the page --- */

/* What it was asked, and a page for each thing to be tried. */
static void
on_upstream (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query, gpointer user_data)
{
  Fixture *self = user_data;
  SoupMessageHeaders *asked = soup_server_message_get_request_headers (message);
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);
  SoupMessageBody *body = soup_server_message_get_request_body (message);
  SoupMessageHeadersIter iter;
  const char *name;
  const char *value;
  self->n_upstream++;
  soup_message_headers_iter_init (&iter, asked);
  while (soup_message_headers_iter_next (&iter, &name, &value))
    g_assert_false (g_ascii_strncasecmp (name, "X-RW", 4) == 0 || g_ascii_strcasecmp (name, "Range") == 0);
  soup_server_message_set_status (message, 200, NULL);
  if (strcmp (path, "/echo") == 0)
    {
      g_autofree char *text
          = g_strdup_printf ("%s %s %.*s", soup_server_message_get_method (message),
                             soup_message_headers_get_one (asked, "Cookie"), (int)body->length, body->data);
      soup_server_message_set_response (message, "text/plain", SOUP_MEMORY_COPY, text, strlen (text));
    }
  else if (strcmp (path, "/redirect") == 0)
    soup_server_message_set_redirect (message, 302, "/echo");
  else if (strcmp (path, "/cookies") == 0)
    {
      soup_message_headers_append (headers, "Set-Cookie", "a=1; HttpOnly");
      soup_message_headers_append (headers, "Set-Cookie", "b=2");
      soup_message_headers_append (headers, "Cache-Control", "max-age=1000");
      soup_message_headers_append (headers, "Strict-Transport-Security", "max-age=1000");
      soup_message_headers_append (headers, "X-Content-Type-Options", "nosniff");
      soup_server_message_set_response (message, "text/plain", SOUP_MEMORY_STATIC, "c", 1);
    }
  else if (strcmp (path, "/gzip") == 0)
    {
      static const guint8 zipped[] = { 0x1f, 0x8b, 0x08, 0,    0,    0,    0,    0,    0, 0x03, 0x4b, 0x4c,
                                       0x4a, 0x06, 0,    0xc2, 0x41, 0x24, 0x35, 0x03, 0, 0,    0 };
      soup_message_headers_append (headers, "Content-Encoding", "gzip");
      soup_server_message_set_response (message, "text/plain", SOUP_MEMORY_STATIC, (const char *)zipped, sizeof zipped);
    }
  else if (strcmp (path, "/large") == 0)
    {
      g_autofree char *text = g_strnfill (100000, 'x');
      soup_server_message_set_response (message, "text/plain", SOUP_MEMORY_COPY, text, 100000);
    }
  else
    soup_server_message_set_status (message, 404, NULL);
}

/* Starts it, and a proxy that records it; returns its address without a slash at the end. */
static char *
start_upstream (Fixture *self, GTlsCertificate *certificate, RwProxyOptions options)
{
  g_autoptr (GError) error = NULL;
  self->upstream = soup_server_new ("tls-certificate", certificate, NULL);
  soup_server_add_handler (self->upstream, NULL, on_upstream, self, NULL);
  soup_server_listen_local (self->upstream, 0,
                            (certificate != NULL ? SOUP_SERVER_LISTEN_HTTPS : 0) | SOUP_SERVER_LISTEN_IPV4_ONLY,
                            &error);
  g_assert_no_error (error);
  GSList *uris = soup_server_get_uris (self->upstream);
  char *base
      = g_strdup_printf ("%s://127.0.0.1:%d", certificate != NULL ? "https" : "http", g_uri_get_port (uris->data));
  g_slist_free_full (uris, (GDestroyNotify)g_uri_unref);
  g_autofree char *page = g_strconcat (base, "/", NULL);
  options.page_url = page;
  rw_test_start (self, options);
  return base;
}

/* --- Recording a server --- */

static void
test_upstream (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autofree char *url = g_strconcat (base, "/echo", NULL);
  g_autoptr (Answer) post = rw_test_new_answer ("POST", url, 4);
  g_autoptr (GBytes) sent = g_bytes_new_static ("hello", 5);
  soup_message_set_request_body_from_bytes (post->message, "text/plain", sent);
  soup_message_headers_append (soup_message_get_request_headers (post->message), "Cookie", "k=v");
  soup_message_headers_append (soup_message_get_request_headers (post->message), "X-RW-Id", "click/1");
  rw_test_send_and_wait (self, post);
  rw_test_assert_body (post, 200, "POST k=v hello");
  RwExchange *exchange = rw_test_last_exchange (self);
  g_assert_cmpstr (exchange->method, ==, "POST");
  g_assert_cmpuint (g_bytes_get_size (exchange->request_body), ==, 5);
  g_assert_nonnull (strstr (exchange->request_headers, "Cookie: k=v\n"));
  g_assert_nonnull (strstr (exchange->request_headers, "X-RW-Id: click/1\n"));
  g_assert_null (strstr (exchange->request_headers, "X-RW: "));
}

static void
test_answers (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .max_body = 50000 });
  g_autoptr (Answer) redirect = rw_test_get_from (self, base, "/redirect");
  rw_test_assert_body (redirect, 302, "");
  g_assert_nonnull (strstr (rw_test_response_header (redirect, "Location"), "/echo"));
  g_autoptr (Answer) cookies = rw_test_get_from (self, base, "/cookies");
  rw_test_assert_body (cookies, 200, "c");
  g_assert_nonnull (strstr (rw_test_last_exchange (self)->headers, "Set-Cookie: a=1; HttpOnly\nSet-Cookie: b=2\n"));
  g_assert_nonnull (strstr (rw_test_last_exchange (self)->headers, "Cache-Control: max-age=1000\n"));
  g_assert_cmpstr (rw_test_response_header (cookies, "Cache-Control"), ==, "no-store");
  g_assert_cmpstr (rw_test_response_header (cookies, "X-Content-Type-Options"), ==, "nosniff");
  g_assert_null (rw_test_response_header (cookies, "Strict-Transport-Security"));
  g_autoptr (Answer) gzip = rw_test_get_from (self, base, "/gzip");
  rw_test_assert_body (gzip, 200, "abc");
  g_assert_null (strstr (rw_test_last_exchange (self)->headers, "Content-Encoding"));
  g_autoptr (Answer) large = rw_test_get_from (self, base, "/large");
  g_assert_nonnull (large->error);
  g_assert_cmpuint (rw_test_last_exchange (self)->status, ==, 0);
  g_assert_nonnull (strstr (rw_test_last_exchange (self)->reason, "larger than"));
}

static void
test_record_and_replay (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autoptr (Answer) live = rw_test_get_from (self, base, "/gzip");
  rw_test_start_replay (self);
  self->n_upstream = 0;
  g_autoptr (Answer) again = rw_test_get_from (self, base, "/gzip");
  rw_test_assert_body (again, 200, "abc");
  g_assert_cmpuint (self->n_upstream, ==, 0);
}

static void
test_private_addresses (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autofree char *elsewhere = g_strdup_printf ("http://localhost:%s", strrchr (base, ':') + 1);
  self->n_upstream = 0;
  g_autoptr (Answer) by_name = rw_test_get_from (self, elsewhere, "/echo");
  g_assert_nonnull (by_name->error);
  g_assert_nonnull (strstr (rw_test_last_exchange (self)->reason, "private address"));
  g_autoptr (Answer) literal = rw_test_get (self, "http://10.0.0.1/");
  g_assert_nonnull (literal->error);
  g_assert_nonnull (strstr (rw_test_last_exchange (self)->reason, "private address"));
  g_assert_cmpuint (self->n_upstream, ==, 0);
}

static void
test_failures (Fixture *self, gconstpointer data)
{
  rw_test_start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .page_url = "http://127.0.0.1:9/" });
  g_autoptr (Answer) refused = rw_test_get (self, "http://127.0.0.1:9/");
  g_assert_nonnull (refused->error);
  g_assert_cmpuint (rw_test_last_exchange (self)->status, ==, 0);
  g_assert_cmpstr (rw_test_last_exchange (self)->reason, !=, "");
  rw_test_start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .offline = TRUE });
  g_autoptr (Answer) offline = rw_test_get (self, "http://a.test/");
  g_assert_nonnull (offline->error);
  g_assert_nonnull (strstr (rw_test_last_exchange (self)->reason, "without a network"));
}

static void
test_certificates (Fixture *self, gconstpointer data)
{
  g_autoptr (GTlsCertificate) certificate = rw_certificate_new (NULL);
  g_autofree char *base = start_upstream (self, certificate, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autoptr (Answer) refused = rw_test_get_from (self, base, "/echo");
  g_assert_nonnull (refused->error);
  g_assert_nonnull (strstr (rw_test_last_exchange (self)->reason, "certificate"));
  g_autofree char *page = g_strconcat (base, "/", NULL);
  rw_test_start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .page_url = page, .insecure = TRUE });
  g_autoptr (Answer) taken = rw_test_get_from (self, base, "/echo");
  rw_test_assert_body (taken, 200, "GET (null) ");
}

static void
test_private_ranges (Fixture *self, gconstpointer data)
{
  static const char *const private[]
      = { "127.0.0.1", "10.1.2.3",   "172.16.0.1",      "192.168.1.1",      "169.254.1.1",
          "0.0.0.0",   "100.64.0.1", "255.255.255.255", "224.0.0.1",        "::1",
          "::",        "fe80::1",    "fd00::1",         "::ffff:127.0.0.1", "::ffff:10.0.0.1" };
  static const char *const public[] = { "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8" };
  for (guint i = 0; i < G_N_ELEMENTS (private); i++)
    {
      g_autoptr (GInetAddress) address = g_inet_address_new_from_string (private[i]);
      g_test_message ("%s", private[i]);
      g_assert_true (rw_address_is_private (address));
    }
  for (guint i = 0; i < G_N_ELEMENTS (public); i++)
    {
      g_autoptr (GInetAddress) address = g_inet_address_new_from_string (public[i]);
      g_assert_false (rw_address_is_private (address));
    }
}

/* --- Streams of events --- */

static void
on_events (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query, gpointer user_data)
{
  Fixture *self = user_data;
  soup_server_message_set_status (message, 200, NULL);
  soup_message_headers_append (soup_server_message_get_response_headers (message), "Content-Type", "text/event-stream");
  soup_message_headers_set_encoding (soup_server_message_get_response_headers (message), SOUP_ENCODING_CHUNKED);
  soup_message_body_append (soup_server_message_get_response_body (message), SOUP_MEMORY_STATIC, "data: 1\n\n", 9);
  self->events = g_object_ref (message);
}

/* Reads a stream as it comes. */
typedef struct
{
  GInputStream *stream;
  GString *got;
  gboolean ended;
  char piece[256];
} Reader;

static void
on_piece (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Reader *self = user_data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (source), result, NULL);
  self->ended = n <= 0;
  if (n > 0)
    {
      g_string_append_len (self->got, self->piece, n);
      g_input_stream_read_async (self->stream, self->piece, sizeof self->piece, 0, NULL, on_piece, self);
    }
}

static void
on_stream (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Reader *self = user_data;
  self->stream = soup_session_send_finish (SOUP_SESSION (source), result, NULL);
  g_assert_nonnull (self->stream);
  g_input_stream_read_async (self->stream, self->piece, sizeof self->piece, 0, NULL, on_piece, self);
}

static Reader *
read_events (Fixture *self, const char *url)
{
  Reader *reader = g_new0 (Reader, 1);
  reader->got = g_string_new (NULL);
  g_autoptr (SoupMessage) message = soup_message_new ("GET", url);
  soup_session_send_async (self->session, message, 0, NULL, on_stream, reader);
  rw_test_run_for (80);
  return reader;
}

static void
reader_free (Reader *self)
{
  while (!self->ended)
    g_main_context_iteration (NULL, TRUE);
  g_clear_object (&self->stream);
  g_string_free (self->got, TRUE);
  g_free (self);
}

static void
test_event_streams (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  soup_server_add_handler (self->upstream, "/events", on_events, self, NULL);
  g_autofree char *url = g_strconcat (base, "/events", NULL);
  Reader *live = read_events (self, url);
  g_assert_cmpstr (live->got->str, ==, "data: 1\n\n");
  soup_message_body_append (soup_server_message_get_response_body (self->events), SOUP_MEMORY_STATIC, "data: 2\n\n", 9);
  soup_server_message_unpause (self->events);
  rw_test_run_for (80);
  g_assert_cmpstr (live->got->str, ==, "data: 1\n\ndata: 2\n\n");
  g_assert_false (live->ended);
  g_assert_cmpuint (self->exchanges->len, ==, 0);
  rw_proxy_flush (self->proxy);
  g_assert_cmpuint (g_bytes_get_size (rw_test_last_exchange (self)->body), ==, 18);
  rw_proxy_begin_run (self->proxy);
  reader_free (live);
  g_assert_cmpuint (self->exchanges->len, ==, 1);
  /* It had not ended, so it does not end; and asked for again, it has nothing new. */
  rw_test_start_replay (self);
  Reader *first = read_events (self, url);
  Reader *second = read_events (self, url);
  g_assert_cmpstr (first->got->str, ==, "data: 1\n\ndata: 2\n\n");
  g_assert_cmpstr (second->got->str, ==, "");
  g_assert_true (!first->ended && !second->ended);
  rw_proxy_begin_run (self->proxy);
  reader_free (first);
  reader_free (second);
  g_clear_object (&self->events);
}

/* --- WebSockets --- */

typedef struct
{
  SoupWebsocketConnection *connection;
  GError *error;
  GString *got;
  gboolean done;
  gboolean closed;
} Talk;

static void
on_upstream_message (SoupWebsocketConnection *connection, SoupWebsocketDataType type, GBytes *message, gpointer data)
{
  g_autofree char *text
      = g_strdup_printf ("echo %.*s", (int)g_bytes_get_size (message), (const char *)g_bytes_get_data (message, NULL));
  if (strcmp (text, "echo bye") == 0)
    soup_websocket_connection_close (connection, 3001, "enough");
  else
    soup_websocket_connection_send_text (connection, text);
}

static void
on_upstream_socket (SoupServer *server, SoupServerMessage *message, const char *path,
                    SoupWebsocketConnection *connection, gpointer user_data)
{
  g_signal_connect (connection, "message", G_CALLBACK (on_upstream_message), NULL);
  g_object_set_data_full (G_OBJECT (server), "socket", g_object_ref (connection), g_object_unref);
  soup_websocket_connection_send_text (connection, "welcome");
}

static void
on_talk_message (SoupWebsocketConnection *connection, SoupWebsocketDataType type, GBytes *message, gpointer user_data)
{
  g_string_append_printf (((Talk *)user_data)->got, "%.*s|", (int)g_bytes_get_size (message),
                          (const char *)g_bytes_get_data (message, NULL));
}

static void
on_talk_closed (SoupWebsocketConnection *connection, gpointer user_data)
{
  Talk *self = user_data;
  g_string_append_printf (self->got, "closed %u %s|", soup_websocket_connection_get_close_code (connection),
                          soup_websocket_connection_get_close_data (connection));
  self->closed = TRUE;
}

static void
on_talk_connected (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Talk *self = user_data;
  self->connection = soup_session_websocket_connect_finish (SOUP_SESSION (source), result, &self->error);
  if (self->connection != NULL)
    {
      g_signal_connect (self->connection, "message", G_CALLBACK (on_talk_message), self);
      g_signal_connect (self->connection, "closed", G_CALLBACK (on_talk_closed), self);
    }
  self->done = TRUE;
}

/* Opens a socket, says @words one after the other, each after an answer to the one before, and returns what it heard.
 */
static char *
talk (Fixture *self, const char *url, const char *const *words)
{
  char *protocols[] = { (char *)"chat", NULL };
  Talk talk = { .got = g_string_new (NULL) };
  g_autoptr (SoupMessage) message = soup_message_new ("GET", url);
  g_signal_connect (message, "accept-certificate", G_CALLBACK (rw_test_take_certificate), NULL);
  soup_session_websocket_connect_async (self->session, message, NULL, protocols, G_PRIORITY_DEFAULT, NULL,
                                        on_talk_connected, &talk);
  while (!talk.done)
    g_main_context_iteration (NULL, TRUE);
  for (guint i = 0; talk.connection != NULL && words[i] != NULL; i++)
    {
      rw_test_run_for (30);
      soup_websocket_connection_send_text (talk.connection, words[i]);
    }
  rw_test_run_for (60);
  if (talk.error != NULL)
    {
      g_test_message ("%s", talk.error->message);
      g_string_append (talk.got, "failed");
    }
  else
    {
      g_assert_cmpstr (soup_websocket_connection_get_protocol (talk.connection), ==, "chat");
      g_signal_handlers_disconnect_by_data (talk.connection, &talk);
      g_io_stream_close (soup_websocket_connection_get_io_stream (talk.connection), NULL, NULL);
    }
  g_clear_error (&talk.error);
  g_clear_object (&talk.connection);
  return g_string_free (talk.got, FALSE);
}

static void
test_websockets (Fixture *self, gconstpointer data)
{
  static const char *const words[] = { "one", "two", "bye", NULL };
  static const char *const fewer[] = { "one", NULL };
  const char *expected = "welcome|echo one|echo two|closed 3001 enough|";
  char *protocols[] = { (char *)"chat", NULL };
  g_autoptr (GTlsCertificate) certificate = data != NULL ? rw_certificate_new (NULL) : NULL;
  g_autofree char *base
      = start_upstream (self, certificate, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .insecure = TRUE });
  soup_server_add_websocket_handler (self->upstream, "/socket", NULL, protocols, on_upstream_socket, NULL, NULL);
  g_autofree char *url = g_strdup_printf ("ws%s/socket", base + strlen ("http"));
  g_autofree char *live = talk (self, url, words);
  g_assert_cmpstr (live, ==, expected);
  rw_test_run_for (30);
  RwExchange *exchange = rw_test_last_exchange (self);
  g_assert_cmpstr (exchange->url, ==, url);
  g_assert_cmpuint (exchange->status, ==, 101);
  g_autofree char *frames = g_strndup (g_bytes_get_data (exchange->body, NULL), g_bytes_get_size (exchange->body));
  g_assert_true (g_str_has_prefix (frames, "s t 0 7\nwelcome\nc t 0 3\none\ns t 0 8\necho one\n"));
  rw_test_start_replay (self);
  g_autofree char *again = talk (self, url, words);
  g_assert_cmpstr (again, ==, expected);
  rw_proxy_begin_run (self->proxy);
  g_autofree char *part = talk (self, url, fewer);
  g_assert_cmpstr (part, ==, "welcome|echo one|");
}

static void
test_open_websocket (Fixture *self, gconstpointer data)
{
  static const char *const words[] = { "one", NULL };
  char *protocols[] = { (char *)"chat", NULL };
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  soup_server_add_websocket_handler (self->upstream, "/socket", NULL, protocols, on_upstream_socket, NULL, NULL);
  g_autofree char *url = g_strdup_printf ("ws%s/socket", base + strlen ("http"));
  Talk open = { .got = g_string_new (NULL) };
  g_autoptr (SoupMessage) message = soup_message_new ("GET", url);
  soup_session_websocket_connect_async (self->session, message, NULL, protocols, G_PRIORITY_DEFAULT, NULL,
                                        on_talk_connected, &open);
  while (!open.done)
    g_main_context_iteration (NULL, TRUE);
  rw_test_run_for (30);
  g_assert_cmpuint (self->exchanges->len, ==, 0);
  rw_proxy_flush (self->proxy);
  g_assert_cmpuint (rw_test_last_exchange (self)->status, ==, 101);
  /* What was handed over is not handed over again. */
  rw_proxy_begin_run (self->proxy);
  rw_test_run_for (30);
  g_assert_cmpuint (self->exchanges->len, ==, 1);
  g_clear_object (&open.connection);
  g_string_free (open.got, TRUE);
  rw_test_start_replay (self);
  g_autofree char *missing = talk (self, "ws://a.test/none", words);
  g_assert_cmpstr (missing, ==, "failed");
  g_assert_nonnull (strstr (self->log->str, "missing ws://a.test/none|"));
}

static void
test_frames (Fixture *self, gconstpointer data)
{
  static const char *const bad[] = { "",
                                     "s",
                                     "s t 0 5\nabc",
                                     "s t 0 3\nabc",
                                     "q t 0 0\n\n",
                                     "s q 0 0\n\n",
                                     "s t 0 -1\n\n",
                                     "s t 0 99999999999999999999\na\n",
                                     "s t 0 1 \na\n",
                                     "\n" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      gsize at = 0;
      RwFrame frame;
      /* Exactly as long as it says, so that reading on shows. */
      gsize length = strlen (bad[i]);
      g_autofree guint8 *copy = g_memdup2 (bad[i], length);
      g_test_message ("%s", bad[i]);
      g_assert_false (rw_frames_next (copy, length, &at, &frame));
    }
  g_autoptr (GByteArray) frames = g_byte_array_new ();
  rw_frames_append (frames, 's', 'b', 0, "\n\0x", 3);
  rw_frames_append (frames, 'c', 'x', 1000, NULL, 0);
  gsize at = 0;
  RwFrame frame;
  g_assert_true (rw_frames_next (frames->data, frames->len, &at, &frame));
  g_assert_cmpmem (frame.data, frame.length, "\n\0x", 3);
  g_assert_true (rw_frames_next (frames->data, frames->len, &at, &frame));
  g_assert_cmpuint (frame.code, ==, 1000);
  g_assert_false (rw_frames_next (frames->data, frames->len, &at, &frame));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/recorder/proxy/records-requests", Fixture, NULL, rw_test_set_up, test_upstream, rw_test_tear_down);
  g_test_add ("/recorder/proxy/records-answers", Fixture, NULL, rw_test_set_up, test_answers, rw_test_tear_down);
  g_test_add ("/recorder/proxy/replays-what-it-recorded", Fixture, NULL, rw_test_set_up, test_record_and_replay,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/private-addresses-are-refused", Fixture, NULL, rw_test_set_up, test_private_addresses,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/failures-are-recorded", Fixture, NULL, rw_test_set_up, test_failures, rw_test_tear_down);
  g_test_add ("/recorder/proxy/certificates-are-verified", Fixture, NULL, rw_test_set_up, test_certificates,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/private-ranges", Fixture, NULL, rw_test_set_up, test_private_ranges, rw_test_tear_down);
  g_test_add ("/recorder/proxy/event-streams-are-recorded-and-replayed", Fixture, NULL, rw_test_set_up,
              test_event_streams, rw_test_tear_down);
  g_test_add ("/recorder/proxy/websockets-are-recorded-and-replayed", Fixture, NULL, rw_test_set_up, test_websockets,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/secure-websockets-too", Fixture, "tls", rw_test_set_up, test_websockets,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/open-websockets-are-handed-over", Fixture, NULL, rw_test_set_up, test_open_websocket,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/frames-are-checked", Fixture, NULL, rw_test_set_up, test_frames, rw_test_tear_down);
  return g_test_run ();
}
