/* SPDX-License-Identifier: MIT */
/* WebSockets: frames are passed on and written down while recording, and come from what was written while replaying.
 *
 * An exchange with a ws: or wss: address and status 101 holds the conversation as its body, one frame after the other:
 *     DIRECTION TYPE CODE LENGTH \n DATA \n
 * DIRECTION is s (from the server) or c (from the page), TYPE t (text), b (binary) or x (close, with its CODE; DATA is
 * the reason). In a replay the page gets a server's frame when it has sent as many frames as it had sent before in the
 * recording: an answer never overtakes its question. When the page lets its listeners see a frame is up to the runtime.
 */
#include "rw-proxy-private.h"

#include <stdio.h>
#include <string.h>

#define TOKEN "rw-socket"

struct _RwSocket
{
  RwProxy *proxy;
  RwTransaction *transaction; /* until the page's side is open */
  char *url;                  /* ws: or wss: */
  char *protocol;             /* that the server chose, or NULL */
  char *request_headers;
  SoupMessage *message; /* LIVE */
  GCancellable *cancellable;
  SoupWebsocketConnection *server; /* LIVE */
  SoupWebsocketConnection *client;
  GByteArray *frames;
  gboolean full;   /* no more frames are kept */
  gsize at;        /* the next frame for the page */
  guint n_unheard; /* REPLAY: frames of the page that no recorded one was matched with */
  gint64 started;
};

/* --- Frames --- */

void
rw_frames_append (GByteArray *frames, char direction, char type, guint code, const void *data, gsize length)
{
  g_autofree char *head = g_strdup_printf ("%c %c %u %" G_GSIZE_FORMAT "\n", direction, type, code, length);
  g_byte_array_append (frames, (const guint8 *)head, (guint)strlen (head));
  if (length > 0)
    g_byte_array_append (frames, data, (guint)length);
  g_byte_array_append (frames, (const guint8 *)"\n", 1);
}

gboolean
rw_frames_next (const guint8 *data, gsize length, gsize *at, RwFrame *frame)
{
  char head[64];
  gsize left = *at < length ? length - *at : 0;
  gsize room = MIN (left, sizeof head - 1);
  if (left == 0)
    return FALSE;
  memcpy (head, data + *at, room);
  head[room] = '\0';
  char *end = strchr (head, '\n');
  int used = 0;
  if (end == NULL
      || sscanf (head, "%c %c %u %zu%n", &frame->direction, &frame->type, &frame->code, &frame->length, &used) != 4
      || head[used] != '\n' || strchr ("sc", frame->direction) == NULL || strchr ("tbx", frame->type) == NULL
      || frame->length > left - (gsize)used - 1 || left - (gsize)used - 1 - frame->length < 1)
    return FALSE;
  frame->data = (const char *)data + *at + used + 1;
  *at += (gsize)used + 1 + frame->length + 1;
  return TRUE;
}

static void
keep_frame (RwSocket *self, char direction, char type, guint code, const void *data, gsize length)
{
  self->full = self->full || self->frames->len + length > self->proxy->max_body;
  if (!self->full)
    rw_frames_append (self->frames, direction, type, code, data, length);
}

/* --- The page's side --- */

static void
send_frame (SoupWebsocketConnection *to, const RwFrame *frame)
{
  if (to == NULL || soup_websocket_connection_get_state (to) != SOUP_WEBSOCKET_STATE_OPEN)
    return;
  g_autoptr (GBytes) data = g_bytes_new (frame->data, frame->length);
  if (frame->type == 'x')
    {
      g_autofree char *reason = g_strndup (frame->data, MIN (frame->length, 100));
      gboolean sendable = frame->code == 1000 || (frame->code >= 3000 && frame->code < 5000)
                          || (frame->code >= 1001 && frame->code <= 1014 && frame->code != 1004 && frame->code != 1005
                              && frame->code != 1006);
      soup_websocket_connection_close (to, sendable ? (gushort)frame->code : SOUP_WEBSOCKET_CLOSE_NO_STATUS,
                                       sendable ? reason : NULL);
    }
  else if (frame->type == 'b' || g_utf8_validate (frame->data, (gssize)frame->length, NULL))
    soup_websocket_connection_send_message (to,
                                            frame->type == 't' ? SOUP_WEBSOCKET_DATA_TEXT : SOUP_WEBSOCKET_DATA_BINARY,
                                            data);
}

/* Sends the page what it may have now. */
static void
advance (RwSocket *self)
{
  gboolean live = self->proxy->mode == RW_PROXY_LIVE;
  RwFrame frame;
  gsize next = self->at;
  while (self->client != NULL && rw_frames_next (self->frames->data, self->frames->len, &next, &frame))
    {
      if (frame.direction == 'c' && !live && self->n_unheard == 0)
        return;
      if (frame.direction == 'c' && !live)
        self->n_unheard--;
      if (frame.direction == 's')
        send_frame (self->client, &frame);
      self->at = next;
    }
}

static void
on_client_message (SoupWebsocketConnection *connection, SoupWebsocketDataType type, GBytes *message, gpointer user_data)
{
  RwSocket *self = user_data;
  gsize length;
  const void *data = g_bytes_get_data (message, &length);
  self->n_unheard++;
  if (self->proxy->mode == RW_PROXY_LIVE)
    keep_frame (self, 'c', type == SOUP_WEBSOCKET_DATA_TEXT ? 't' : 'b', 0, data, length);
  if (self->server != NULL && soup_websocket_connection_get_state (self->server) == SOUP_WEBSOCKET_STATE_OPEN)
    soup_websocket_connection_send_message (self->server, type, message);
  advance (self);
}

/* LIVE: hands the conversation over, as far as it went. */
static void
report (RwSocket *self)
{
  RwProxy *proxy = self->proxy;
  if (proxy->mode != RW_PROXY_LIVE || self->url == NULL || self->client == NULL)
    return;
  g_autoptr (RwExchange) exchange = g_new0 (RwExchange, 1);
  exchange->number = proxy->n_exchanges++;
  exchange->method = g_strdup ("GET");
  exchange->url = g_steal_pointer (&self->url);
  exchange->request_headers = g_strdup (self->request_headers);
  exchange->status = 101;
  exchange->reason = g_strdup ("Switching Protocols");
  exchange->headers
      = self->protocol != NULL ? g_strdup_printf ("Sec-WebSocket-Protocol: %s\n", self->protocol) : g_strdup ("");
  exchange->body = g_bytes_new (self->frames->data, self->frames->len);
  exchange->latency_ms = (guint)((g_get_monotonic_time () - self->started) / 1000);
  if (proxy->callbacks.exchange != NULL)
    proxy->callbacks.exchange (proxy, exchange, proxy->user_data);
}

void
rw_socket_free (gpointer data)
{
  RwSocket *self = data;
  g_object_set_data (G_OBJECT (self->cancellable), TOKEN, NULL);
  g_cancellable_cancel (self->cancellable);
  SoupWebsocketConnection *ends[] = { self->client, self->server };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (ends[i] != NULL)
      {
        g_signal_handlers_disconnect_by_data (ends[i], self);
        g_io_stream_close (soup_websocket_connection_get_io_stream (ends[i]), NULL, NULL);
        g_object_unref (ends[i]);
      }
  g_clear_object (&self->message);
  g_clear_object (&self->cancellable);
  g_byte_array_unref (self->frames);
  g_free (self->url);
  g_free (self->protocol);
  g_free (self->request_headers);
  g_free (self);
}

static void
on_client_closed (SoupWebsocketConnection *connection, gpointer user_data)
{
  RwSocket *self = user_data;
  guint code = soup_websocket_connection_get_close_code (connection);
  const char *reason = soup_websocket_connection_get_close_data (connection);
  keep_frame (self, 'c', 'x', code, reason, reason != NULL ? strlen (reason) : 0);
  report (self);
  g_ptr_array_remove_fast (self->proxy->sockets, self);
}

/* The answer to the page's handshake is written. */
static void
on_handshake_written (SoupServerMessage *message, gpointer user_data)
{
  RwSocket *self = user_data;
  RwTransaction *transaction = g_steal_pointer (&self->transaction);
  transaction->socket = NULL;
  g_clear_signal_handler (&transaction->finished, message);
  g_signal_handlers_disconnect_by_data (message, self);
  g_autoptr (GIOStream) stream = soup_server_message_steal_connection (message);
  self->client = soup_websocket_connection_new (stream, soup_server_message_get_uri (message),
                                                SOUP_WEBSOCKET_CONNECTION_SERVER, NULL, self->protocol, NULL);
  soup_websocket_connection_set_max_incoming_payload_size (self->client, self->proxy->max_body);
  g_signal_connect (self->client, "message", G_CALLBACK (on_client_message), self);
  g_signal_connect (self->client, "closed", G_CALLBACK (on_client_closed), self);
  g_ptr_array_remove_fast (self->proxy->transactions, transaction);
  advance (self);
}

static void
accept_client (RwSocket *self)
{
  char *protocols[] = { self->protocol, NULL };
  SoupServerMessage *message = self->transaction->message;
  soup_websocket_server_process_handshake (message, NULL, self->protocol != NULL ? protocols : NULL, NULL, NULL);
  g_signal_connect (message, "wrote-informational", G_CALLBACK (on_handshake_written), self);
  self->transaction->state = RW_TRANSACTION_SENDING;
  soup_server_message_unpause (message);
}

/* The page sees a failed connection. */
static void
refuse_client (RwSocket *self, guint status, const char *reason, gboolean missing)
{
  RwTransaction *transaction = g_steal_pointer (&self->transaction);
  RwExchange *exchange = g_new0 (RwExchange, 1);
  transaction->socket = NULL;
  exchange->headers = g_strdup ("");
  exchange->reason = status == 0 ? g_strdup (reason)
                                 : g_strdup_printf ("the server answered %u instead of opening a WebSocket", status);
  g_free (transaction->url);
  transaction->url = g_strdup (self->url);
  transaction->missing = missing;
  g_ptr_array_remove_fast (self->proxy->sockets, self);
  rw_transaction_answer (transaction, exchange, TRUE);
}

/* --- The server's side --- */

static void
on_server_message (SoupWebsocketConnection *connection, SoupWebsocketDataType type, GBytes *message, gpointer user_data)
{
  RwSocket *self = user_data;
  gsize length;
  const void *data = g_bytes_get_data (message, &length);
  keep_frame (self, 's', type == SOUP_WEBSOCKET_DATA_TEXT ? 't' : 'b', 0, data, length);
  advance (self);
}

static void
on_server_closed (SoupWebsocketConnection *connection, gpointer user_data)
{
  RwSocket *self = user_data;
  guint code = soup_websocket_connection_get_close_code (connection);
  const char *reason = soup_websocket_connection_get_close_data (connection);
  keep_frame (self, 's', 'x', code, reason, reason != NULL ? strlen (reason) : 0);
  advance (self);
}

/* @user_data is the socket's cancellable, which knows whether the socket is still there. */
static void
on_connected (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GObject) token = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SoupWebsocketConnection) server
      = soup_session_websocket_connect_finish (SOUP_SESSION (source), result, &error);
  RwSocket *self = g_object_get_data (token, TOKEN);
  if (self == NULL)
    return;
  if (server == NULL)
    {
      const char *forbidden = rw_proxy_guard_reason (self->message);
      guint status = forbidden != NULL ? 0 : soup_message_get_status (self->message);
      refuse_client (self, status, forbidden != NULL ? forbidden : error->message, FALSE);
      return;
    }
  self->server = g_steal_pointer (&server);
  self->protocol = g_strdup (soup_websocket_connection_get_protocol (self->server));
  soup_websocket_connection_set_max_incoming_payload_size (self->server, self->proxy->max_body);
  g_signal_connect (self->server, "message", G_CALLBACK (on_server_message), self);
  g_signal_connect (self->server, "closed", G_CALLBACK (on_server_closed), self);
  accept_client (self);
}

/* The handshake's own headers are libsoup's. */
static void
remove_handshake (SoupMessageHeaders *headers)
{
  static const char *const names[] = { "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions",
                                       "Sec-WebSocket-Protocol", "Origin" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    soup_message_headers_remove (headers, names[i]);
}

static void
connect_server (RwSocket *self)
{
  RwProxy *proxy = self->proxy;
  SoupMessageHeaders *asked = soup_server_message_get_request_headers (self->transaction->message);
  const char *list = soup_message_headers_get_list (asked, "Sec-WebSocket-Protocol");
  const char *origin = soup_message_headers_get_one (asked, "Origin");
  g_auto (GStrv) protocols = list != NULL ? g_strsplit (list, ",", -1) : NULL;
  for (guint i = 0; protocols != NULL && protocols[i] != NULL; i++)
    g_strstrip (protocols[i]);
  self->message = proxy->offline ? NULL : rw_proxy_upstream_message (self->transaction, self->url);
  if (self->message == NULL)
    {
      refuse_client (self, 0,
                     proxy->offline ? "the recording is made without a network" : "the address can't be understood",
                     FALSE);
      return;
    }
  remove_handshake (soup_message_get_request_headers (self->message));
  if (!rw_proxy_guard (proxy, self->message, self->cancellable))
    {
      refuse_client (self, 0, rw_proxy_guard_reason (self->message), FALSE);
      return;
    }
  soup_session_websocket_connect_async (proxy->session, self->message, origin, protocols, G_PRIORITY_DEFAULT,
                                        self->cancellable, on_connected, g_object_ref (self->cancellable));
}

static void
open_recorded (RwSocket *self)
{
  RwExchange *exchange
      = rw_replay_source_find (self->proxy->replay, "GET", self->url, NULL, self->transaction->id, NULL);
  if (exchange == NULL || exchange->status != 101 || exchange->body == NULL)
    {
      refuse_client (self, 0, exchange != NULL ? exchange->reason : "not in the recording", exchange == NULL);
      return;
    }
  gsize length;
  const guint8 *data = g_bytes_get_data (exchange->body, &length);
  if (length > 0)
    g_byte_array_append (self->frames, data, (guint)length);
  self->protocol = rw_headers_get (exchange->headers, "Sec-WebSocket-Protocol");
  accept_client (self);
}

/* --- From the proxy --- */

gboolean
rw_proxy_is_socket (SoupServerMessage *message)
{
  return soup_message_headers_header_equals (soup_server_message_get_request_headers (message), "Upgrade", "websocket");
}

void
rw_proxy_open_socket (RwTransaction *transaction)
{
  RwSocket *self = g_new0 (RwSocket, 1);
  self->proxy = transaction->proxy;
  self->transaction = transaction;
  /* In a tunnel http: stands for ws:, and https: for wss:. */
  gboolean tunnel = g_str_has_prefix (transaction->url, "http");
  self->url = tunnel ? g_strconcat ("ws", transaction->url + strlen ("http"), NULL) : g_strdup (transaction->url);
  self->request_headers = rw_transaction_request_headers (transaction);
  self->cancellable = g_cancellable_new ();
  self->frames = g_byte_array_new ();
  self->started = g_get_monotonic_time ();
  g_object_set_data (G_OBJECT (self->cancellable), TOKEN, self);
  transaction->socket = self;
  g_ptr_array_add (self->proxy->sockets, self);
  if (self->proxy->mode == RW_PROXY_REPLAY)
    open_recorded (self);
  else
    connect_server (self);
}

void
rw_socket_abandon (RwSocket *self)
{
  self->transaction = NULL;
  g_ptr_array_remove_fast (self->proxy->sockets, self);
}

void
rw_proxy_flush_sockets (RwProxy *self)
{
  for (guint i = 0; i < self->sockets->len; i++)
    report (self->sockets->pdata[i]);
}
