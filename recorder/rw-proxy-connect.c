/* SPDX-License-Identifier: MIT */
/* The proxy's connections: who may connect, and tunnels with our own certificate at their end. */
#include "rw-proxy-private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Kept with the address object that the server hands back with every message of a connection. */
#define AUTHORITY "rw-authority"
#define SOCKET "rw-socket"

/* A connection on which a CONNECT was answered, until its first byte says what it carries. */
typedef struct
{
  RwProxy *proxy;
  GIOStream *stream;
  GSocket *socket;
  GSource *source;
  char *authority; /* host:port */
} Tunnel;

static void
tunnel_free (gpointer data)
{
  Tunnel *self = data;
  if (self->source != NULL)
    {
      g_source_destroy (self->source);
      g_source_unref (self->source);
    }
  g_clear_object (&self->stream);
  g_clear_object (&self->socket);
  g_free (self->authority);
  g_free (self);
}

/* --- Who connects --- */

/* The owner of the loopback socket whose own port is @port and which is connected to @to; -1 if the kernel does not
 * say. */
static gint64
socket_owner (guint16 port, guint16 to)
{
  g_autofree char *table = NULL;
  if (!g_file_get_contents ("/proc/net/tcp", &table, NULL, NULL))
    return -1;
  for (const char *line = strchr (table, '\n'); line != NULL; line = strchr (line + 1, '\n'))
    {
      guint local_address, local_port, remote_address, remote_port, uid;
      if (sscanf (line + 1, "%*s %x:%x %x:%x %*x %*s %*s %*s %u", &local_address, &local_port, &remote_address,
                  &remote_port, &uid)
              == 5
          && local_port == port && remote_port == to && local_address == remote_address)
        return uid;
    }
  return -1;
}

/* Cheap and not waterproof: it keeps other users of the machine out, not other programs of this user. */
static gboolean
may_connect (GSocketConnection *connection)
{
  g_autoptr (GSocketAddress) remote = g_socket_connection_get_remote_address (connection, NULL);
  g_autoptr (GSocketAddress) local = g_socket_connection_get_local_address (connection, NULL);
  if (!G_IS_INET_SOCKET_ADDRESS (remote) || !G_IS_INET_SOCKET_ADDRESS (local))
    return FALSE;
  gint64 owner = socket_owner (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (remote)),
                               g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local)));
  return owner < 0 || owner == (gint64)getuid ();
}

static gboolean
on_incoming (GSocketService *service, GSocketConnection *connection, GObject *source, gpointer user_data)
{
  RwProxy *self = user_data;
  if (!may_connect (connection))
    return TRUE;
  g_autoptr (GSocketAddress) local = g_socket_connection_get_local_address (connection, NULL);
  g_autoptr (GSocketAddress) remote = g_socket_connection_get_remote_address (connection, NULL);
  g_autoptr (GError) error = NULL;
  g_object_set_data_full (G_OBJECT (local), SOCKET, g_object_ref (g_socket_connection_get_socket (connection)),
                          g_object_unref);
  g_socket_set_option (g_socket_connection_get_socket (connection), 6 /* IPPROTO_TCP */, 1 /* TCP_NODELAY */, 1, NULL);
  if (!soup_server_accept_iostream (self->server, G_IO_STREAM (connection), local, remote, &error))
    g_debug ("proxy: %s", error->message);
  return TRUE;
}

gboolean
rw_proxy_listen (RwProxy *self, GError **error)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;
  g_autoptr (GError) cause = NULL;
  self->tunnels = g_hash_table_new_full (NULL, NULL, tunnel_free, NULL);
  self->service = g_socket_service_new ();
  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (self->service), address, G_SOCKET_TYPE_STREAM,
                                      G_SOCKET_PROTOCOL_TCP, NULL, &bound, &cause))
    {
      g_set_error (error, RW_PROXY_ERROR, RW_PROXY_ERROR_LISTEN, "the proxy can't listen on 127.0.0.1: %s",
                   cause->message);
      return FALSE;
    }
  self->uri = g_strdup_printf ("http://127.0.0.1:%u", g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)));
  g_signal_connect (self->service, "incoming", G_CALLBACK (on_incoming), self);
  g_socket_service_start (self->service);
  return TRUE;
}

/* --- Tunnels --- */

/* An address object of its own for each tunnel: the server hands it back with every message that comes through. */
static GSocketAddress *
tag_address (const char *scheme, const char *authority)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *address = g_inet_socket_address_new (loopback, 0);
  g_object_set_data_full (G_OBJECT (address), AUTHORITY, g_strdup_printf ("%s://%s", scheme, authority), g_free);
  return address;
}

const char *
rw_proxy_authority (SoupServerMessage *message)
{
  GSocketAddress *address = soup_server_message_get_local_address (message);
  return address != NULL ? g_object_get_data (G_OBJECT (address), AUTHORITY) : NULL;
}

static gboolean
accept_any_certificate (GTlsConnection *connection, GTlsCertificate *certificate, GTlsCertificateFlags errors,
                        gpointer data)
{
  return TRUE;
}

/* The first byte of a TLS client is that of a handshake record; a WebSocket without TLS starts with a letter. */
static gboolean
open_tunnel (Tunnel *self)
{
  RwProxy *proxy = self->proxy;
  guint8 first = 0;
  GInputVector vector = { &first, 1 };
  int flags = G_SOCKET_MSG_PEEK;
  if (g_socket_receive_message (self->socket, NULL, &vector, 1, NULL, NULL, &flags, NULL, NULL) != 1)
    return FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (GIOStream) stream = g_object_ref (self->stream);
  if (first == 0x16)
    {
      g_clear_object (&stream);
      stream = g_tls_server_connection_new (self->stream, proxy->certificate, &error);
      if (stream == NULL)
        return FALSE;
      g_signal_connect (stream, "accept-certificate", G_CALLBACK (accept_any_certificate), NULL);
      g_tls_connection_set_require_close_notify (G_TLS_CONNECTION (stream), FALSE);
    }
  g_autoptr (GSocketAddress) local = tag_address (first == 0x16 ? "https" : "http", self->authority);
  g_autoptr (GSocketAddress) remote = tag_address ("tunnel", self->authority);
  return soup_server_accept_iostream (proxy->server, stream, local, remote, &error);
}

static gboolean
on_tunnel_readable (GSocket *socket, GIOCondition condition, gpointer user_data)
{
  Tunnel *self = user_data;
  if (!open_tunnel (self))
    g_io_stream_close (self->stream, NULL, NULL);
  g_hash_table_remove (self->proxy->tunnels, self);
  return G_SOURCE_REMOVE;
}

void
rw_proxy_tunnel (RwProxy *self, SoupServerMessage *message)
{
  static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
  GUri *uri = soup_server_message_get_uri (message);
  int port = g_uri_get_port (uri);
  Tunnel *tunnel = g_new0 (Tunnel, 1);
  tunnel->proxy = self;
  tunnel->authority = g_strdup_printf ("%s:%d", g_uri_get_host (uri), port > 0 ? port : 443);
  GSocket *socket = g_object_get_data (G_OBJECT (soup_server_message_get_local_address (message)), SOCKET);
  tunnel->socket = socket != NULL ? g_object_ref (socket) : NULL;
  tunnel->stream = soup_server_message_steal_connection (message);
  g_hash_table_add (self->tunnels, tunnel);
  /* A new connection's buffer has room for a line, so this does not block. */
  if (tunnel->socket == NULL
      || g_socket_send (tunnel->socket, established, sizeof established - 1, NULL, NULL)
             != (gssize)sizeof established - 1)
    {
      g_hash_table_remove (self->tunnels, tunnel);
      return;
    }
  tunnel->source = g_socket_create_source (tunnel->socket, G_IO_IN | G_IO_HUP, NULL);
  g_source_set_callback (tunnel->source, G_SOURCE_FUNC (on_tunnel_readable), tunnel, NULL);
  g_source_attach (tunnel->source, g_main_context_get_thread_default ());
}
