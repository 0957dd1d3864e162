/* SPDX-License-Identifier: MIT */
/* Fetches answers from the network while recording: whole bodies within limits, no redirects followed, no private
 * addresses. */
#include "rw-proxy-private.h"

#include <string.h>

#define PIECE (64 * 1024)

typedef struct
{
  RwTransaction *transaction; /* NULL once it is gone */
  SoupMessage *message;
  GByteArray *body;
  GCancellable *cancellable;
  GCancellable *owner; /* the transaction's: cancelled when that goes away */
  gulong owner_gone;
  gboolean streams; /* events, which are passed on as they come */
  gsize total;
  guint8 piece[PIECE];
} Fetch;

/* --- Where a page may not send anything --- */

gboolean
rw_address_is_private (GInetAddress *address)
{
  const guint8 *bytes = g_inet_address_to_bytes (address);
  gboolean v4 = g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV4;
  if (g_inet_address_get_is_any (address) || g_inet_address_get_is_loopback (address)
      || g_inet_address_get_is_link_local (address) || g_inet_address_get_is_site_local (address)
      || g_inet_address_get_is_multicast (address))
    return TRUE;
  if (v4)
    /* Carrier-grade NAT, this network, and the reserved block with broadcast. */
    return (bytes[0] == 100 && (bytes[1] & 0xc0) == 64) || bytes[0] == 0 || bytes[0] >= 240;
  static const guint8 mapped[12] = { [10] = 0xff, [11] = 0xff };
  if (memcmp (bytes, mapped, sizeof mapped) == 0)
    {
      g_autoptr (GInetAddress) inner = g_inet_address_new_from_bytes (bytes + 12, G_SOCKET_FAMILY_IPV4);
      return rw_address_is_private (inner);
    }
  return (bytes[0] & 0xfe) == 0xfc;
}

static gboolean
is_page_host (const RwProxy *proxy, GUri *uri)
{
  int port = g_uri_get_port (uri);
  if (port <= 0)
    port = g_str_has_suffix (g_uri_get_scheme (uri), "s") ? 443 : 80;
  g_autofree char *authority = g_strdup_printf ("%s:%d", g_uri_get_host (uri), port);
  return g_strcmp0 (authority, proxy->page_host) == 0;
}

/* Watches over one message; lives as long as that. */
typedef struct
{
  RwProxy *proxy;
  GCancellable *cancellable;
  char *reason;
} Guard;

static void
guard_free (gpointer data)
{
  Guard *self = data;
  g_object_unref (self->cancellable);
  g_free (self->reason);
  g_free (self);
}

static void
forbid (Guard *self, const char *where)
{
  if (self->reason == NULL)
    self->reason = g_strdup_printf ("%s is a private address, and the recorded page is elsewhere", where);
  g_cancellable_cancel (self->cancellable);
}

/* The name was resolved, and nothing has been sent yet: so no name can hide an address. */
static void
on_network_event (SoupMessage *message, GSocketClientEvent event, GIOStream *connection, gpointer user_data)
{
  Guard *self = user_data;
  if ((event != G_SOCKET_CLIENT_CONNECTING && event != G_SOCKET_CLIENT_CONNECTED)
      || !G_IS_SOCKET_CONNECTION (connection) || is_page_host (self->proxy, soup_message_get_uri (message)))
    return;
  g_autoptr (GSocketAddress) address = g_socket_connection_get_remote_address (G_SOCKET_CONNECTION (connection), NULL);
  if (address == NULL || !G_IS_INET_SOCKET_ADDRESS (address) || G_IS_PROXY_ADDRESS (address))
    return;
  GInetAddress *inet = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
  g_autofree char *name = g_inet_address_to_string (inet);
  if (rw_address_is_private (inet))
    forbid (self, name);
}

static gboolean
take_any_certificate (SoupMessage *message, GTlsCertificate *certificate, GTlsCertificateFlags errors,
                      gpointer user_data)
{
  return TRUE;
}

gboolean
rw_proxy_guard (RwProxy *self, SoupMessage *message, GCancellable *cancellable)
{
  GUri *uri = soup_message_get_uri (message);
  Guard *guard = g_new0 (Guard, 1);
  guard->proxy = self;
  guard->cancellable = g_object_ref (cancellable);
  g_object_set_data_full (G_OBJECT (message), "rw-guard", guard, guard_free);
  g_signal_connect (message, "network-event", G_CALLBACK (on_network_event), guard);
  if (self->insecure)
    g_signal_connect (message, "accept-certificate", G_CALLBACK (take_any_certificate), NULL);
  g_autoptr (GInetAddress) literal = g_inet_address_new_from_string (g_uri_get_host (uri));
  if (literal != NULL && rw_address_is_private (literal) && !is_page_host (self, uri))
    forbid (guard, g_uri_get_host (uri));
  return guard->reason == NULL;
}

const char *
rw_proxy_guard_reason (SoupMessage *message)
{
  Guard *guard = message != NULL ? g_object_get_data (G_OBJECT (message), "rw-guard") : NULL;
  return guard != NULL ? guard->reason : NULL;
}

/* --- Ending --- */

/* The transaction, if it still waits; it will not be told of anything again. */
static RwTransaction *
detach (Fetch *self)
{
  if (self->owner != NULL)
    g_cancellable_disconnect (self->owner, self->owner_gone);
  g_clear_object (&self->owner);
  return g_steal_pointer (&self->transaction);
}

static void
fetch_free (Fetch *self)
{
  detach (self);
  g_clear_object (&self->message);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->body, g_byte_array_unref);
  g_free (self);
}

static RwExchange *
new_exchange (const RwTransaction *transaction)
{
  RwExchange *exchange = g_new0 (RwExchange, 1);
  exchange->latency_ms = (guint)((g_get_monotonic_time () - transaction->started) / 1000);
  return exchange;
}

static void
fail (Fetch *self, const char *reason)
{
  RwTransaction *transaction = detach (self);
  if (transaction != NULL && self->streams)
    rw_transaction_end_stream (transaction);
  else if (transaction != NULL)
    {
      RwExchange *exchange = new_exchange (transaction);
      const char *forbidden = rw_proxy_guard_reason (self->message);
      exchange->reason = g_strdup (forbidden != NULL ? forbidden : reason);
      exchange->headers = g_strdup ("");
      rw_transaction_answer (transaction, exchange, TRUE);
    }
  fetch_free (self);
}

static gboolean
is_of_the_connection (const char *name)
{
  static const char *const names[]
      = { "Connection",         "Keep-Alive",       "Transfer-Encoding", "Trailer", "Upgrade",
          "Proxy-Authenticate", "Proxy-Connection", "Content-Length",    NULL };
  for (guint i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], name) == 0)
      return TRUE;
  return FALSE;
}

static char *
response_headers (SoupMessage *message, gboolean decoded)
{
  GString *out = g_string_new (NULL);
  SoupMessageHeadersIter iter;
  const char *name;
  const char *value;
  soup_message_headers_iter_init (&iter, soup_message_get_response_headers (message));
  while (soup_message_headers_iter_next (&iter, &name, &value))
    {
      if (is_of_the_connection (name) || (decoded && g_ascii_strcasecmp (name, "Content-Encoding") == 0)
          || g_ascii_strncasecmp (name, "X-RW", 4) == 0)
        continue;
      g_autofree char *valid = g_utf8_make_valid (value, -1);
      g_string_append_printf (out, "%s: %s\n", name, g_strdelimit (valid, "\r\n", ' '));
    }
  return g_string_free (out, FALSE);
}

/* The decoder leaves the header in place; what it could not decode is passed on for the view to decode. */
static gboolean
is_decoded (SoupMessage *message)
{
  const char *encoding
      = soup_message_headers_get_list (soup_message_get_response_headers (message), "Content-Encoding");
  return encoding == NULL || g_ascii_strcasecmp (encoding, "gzip") == 0 || g_ascii_strcasecmp (encoding, "x-gzip") == 0
         || g_ascii_strcasecmp (encoding, "deflate") == 0 || g_ascii_strcasecmp (encoding, "br") == 0;
}

/* Without its body. */
static RwExchange *
answered_exchange (Fetch *self, const RwTransaction *transaction)
{
  RwExchange *exchange = new_exchange (transaction);
  exchange->status = soup_message_get_status (self->message);
  exchange->reason = g_strdup (soup_message_get_reason_phrase (self->message));
  exchange->headers = response_headers (self->message, is_decoded (self->message));
  return exchange;
}

static void
succeed (Fetch *self)
{
  gboolean streams = self->streams;
  RwTransaction *transaction = detach (self);
  if (transaction != NULL && streams)
    rw_transaction_end_stream (transaction);
  else if (transaction != NULL)
    {
      RwExchange *exchange = answered_exchange (self, transaction);
      exchange->body = g_byte_array_free_to_bytes (g_steal_pointer (&self->body));
      rw_transaction_answer (transaction, exchange, TRUE);
    }
  fetch_free (self);
}

/* --- Reading --- */

static void read_more (Fetch *self, GInputStream *stream);

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Fetch *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream = g_object_ref (G_INPUT_STREAM (source));
  gssize n = g_input_stream_read_finish (stream, result, &error);
  if (n < 0)
    fail (self, error->message);
  else if (n == 0)
    succeed (self);
  else if (self->transaction != NULL && (self->total += (gsize)n) > self->transaction->proxy->max_body)
    {
      g_autofree char *size = g_format_size (self->transaction->proxy->max_body);
      g_autofree char *reason = g_strdup_printf ("the answer is larger than %s, the limit", size);
      g_cancellable_cancel (self->cancellable);
      fail (self, reason);
    }
  else
    {
      if (!self->streams)
        g_byte_array_append (self->body, self->piece, (guint)n);
      else if (self->transaction != NULL)
        rw_transaction_stream (self->transaction, self->piece, (gsize)n);
      read_more (self, stream);
    }
}

static void
read_more (Fetch *self, GInputStream *stream)
{
  g_input_stream_read_async (stream, self->piece, PIECE, G_PRIORITY_DEFAULT, self->cancellable, on_read, self);
}

static void
on_sent (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Fetch *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream = soup_session_send_finish (SOUP_SESSION (source), result, &error);
  if (stream == NULL)
    {
      fail (self, error->message);
      return;
    }
  const char *type = soup_message_headers_get_content_type (soup_message_get_response_headers (self->message), NULL);
  self->streams = soup_message_get_status (self->message) == 200 && g_strcmp0 (type, "text/event-stream") == 0;
  if (self->streams && self->transaction != NULL)
    rw_transaction_open_stream (self->transaction, answered_exchange (self, self->transaction));
  read_more (self, stream);
}

/* --- Asking --- */

static gboolean
is_forwarded (const char *name)
{
  /* Whole answers in an encoding that our side can take apart; nothing conditional, nothing of ours. */
  static const char *const names[]
      = { "Accept-Encoding", "Range", "If-Range", "If-None-Match", "If-Modified-Since", "Host", "Proxy-Authorization",
          "Expect",          "TE",    NULL };
  for (guint i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], name) == 0)
      return FALSE;
  return !is_of_the_connection (name) && g_ascii_strncasecmp (name, "X-RW", 4) != 0;
}

SoupMessage *
rw_proxy_upstream_message (RwTransaction *transaction, const char *url)
{
  SoupMessage *message = soup_message_new (transaction->method, url);
  if (message == NULL)
    return NULL;
  SoupMessageHeadersIter iter;
  const char *name;
  const char *value;
  soup_message_headers_iter_init (&iter, soup_server_message_get_request_headers (transaction->message));
  while (soup_message_headers_iter_next (&iter, &name, &value))
    if (is_forwarded (name))
      soup_message_headers_append (soup_message_get_request_headers (message), name, value);
  soup_message_set_flags (message, SOUP_MESSAGE_NO_REDIRECT | SOUP_MESSAGE_DO_NOT_USE_AUTH_CACHE);
  g_autoptr (GBytes) body = soup_message_body_flatten (soup_server_message_get_request_body (transaction->message));
  if (g_bytes_get_size (body) > 0)
    soup_message_set_request_body_from_bytes (
        message,
        soup_message_headers_get_one (soup_server_message_get_request_headers (transaction->message), "Content-Type"),
        body);
  return message;
}

static void
on_transaction_gone (GCancellable *cancellable, gpointer user_data)
{
  Fetch *self = user_data;
  self->transaction = NULL;
  g_cancellable_cancel (self->cancellable);
}

void
rw_proxy_fetch (RwTransaction *transaction)
{
  RwProxy *proxy = transaction->proxy;
  Fetch *self = g_new0 (Fetch, 1);
  self->transaction = transaction;
  self->body = g_byte_array_new ();
  self->cancellable = g_cancellable_new ();
  self->message = proxy->offline ? NULL : rw_proxy_upstream_message (transaction, transaction->url);
  if (self->message == NULL)
    {
      fail (self, proxy->offline ? "the recording is made without a network" : "the address can't be understood");
      return;
    }
  if (!rw_proxy_guard (proxy, self->message, self->cancellable))
    {
      fail (self, "");
      return;
    }
  self->owner = g_object_ref (transaction->cancellable);
  self->owner_gone = g_cancellable_connect (self->owner, G_CALLBACK (on_transaction_gone), self, NULL);
  soup_session_send_async (proxy->session, self->message, G_PRIORITY_DEFAULT, self->cancellable, on_sent, self);
}
