/* SPDX-License-Identifier: MIT */
/* The proxy's requests from arrival to the last byte: get the answer, keep it, prepare it, hold it, let it go. */
#include "rw-certificate.h"
#include "rw-proxy-private.h"

#include <string.h>

G_DEFINE_QUARK (rw_proxy_error, rw_proxy_error)

/* --- Transactions --- */

static void
transaction_free (gpointer data)
{
  RwTransaction *self = data;
  if (self->socket != NULL)
    rw_socket_abandon (self->socket);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->finished != 0)
    g_signal_handler_disconnect (self->message, self->finished);
  g_clear_object (&self->message);
  if (self->owns_exchange)
    g_clear_pointer (&self->exchange, rw_exchange_free);
  g_clear_pointer (&self->html, rw_html_unref);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_clear_pointer (&self->stream, g_byte_array_unref);
  g_free (self->method);
  g_free (self->url);
  g_free (self->id);
  g_free (self->hint);
  g_free (self);
}

static RwTransaction *
find_transaction (const RwProxy *self, guint number)
{
  for (guint i = 0; number != 0 && i < self->transactions->len; i++)
    {
      RwTransaction *transaction = self->transactions->pdata[i];
      if (transaction->number == number)
        return transaction;
    }
  return NULL;
}

/* The answer has gone out, or the view has closed the connection. */
static void
on_finished (SoupServerMessage *message, gpointer user_data)
{
  RwTransaction *transaction = user_data;
  RwProxy *self = transaction->proxy;
  guint number = transaction->number;
  rw_transaction_report_stream (transaction);
  if (number != 0 && transaction->state == RW_TRANSACTION_SENDING)
    g_hash_table_add (self->finished, GUINT_TO_POINTER (number));
  g_ptr_array_remove_fast (self->transactions, transaction);
  if (self->callbacks.sent != NULL)
    self->callbacks.sent (self, number, self->user_data);
}

/* What a page sees as a failed network: a connection that ends without an answer. */
static void
hang_up (RwTransaction *self)
{
  RwProxy *proxy = self->proxy;
  guint number = self->number;
  g_clear_signal_handler (&self->finished, self->message);
  g_autoptr (GIOStream) stream = soup_server_message_steal_connection (self->message);
  if (number != 0)
    {
      g_hash_table_add (proxy->finished, GUINT_TO_POINTER (number));
      g_hash_table_add (proxy->failed, GUINT_TO_POINTER (number));
    }
  g_ptr_array_remove_fast (proxy->transactions, self);
  if (stream != NULL)
    g_io_stream_close (stream, NULL, NULL);
  if (proxy->callbacks.sent != NULL)
    proxy->callbacks.sent (proxy, number, proxy->user_data);
}

void
rw_transaction_append (RwTransaction *self, const char *data, gsize length)
{
  /* An empty chunk would end the answer. */
  if (length > 0)
    soup_message_body_append (soup_server_message_get_response_body (self->message), SOUP_MEMORY_COPY, data, length);
}

static void
send_whole (RwTransaction *self)
{
  if (self->exchange->status == 0 || self->missing || self->broken_integrity)
    {
      hang_up (self);
      return;
    }
  self->state = RW_TRANSACTION_SENDING;
  rw_transaction_send_head (self, FALSE);
  if (g_bytes_get_size (self->body) > 0)
    soup_message_body_append_bytes (soup_server_message_get_response_body (self->message), self->body);
  soup_message_body_complete (soup_server_message_get_response_body (self->message));
  soup_server_message_unpause (self->message);
}

/* Sends the segments before @end that were not sent yet. */
static void
send_segments (RwTransaction *self, guint end)
{
  guint n = rw_html_n_segments (self->html);
  end = MIN (end, n);
  if (self->n_sent >= end)
    return;
  if (self->n_sent == 0)
    rw_transaction_send_head (self, TRUE);
  self->state = RW_TRANSACTION_SENDING;
  const RwSegment *first = rw_html_segment (self->html, self->n_sent);
  const RwSegment *last = rw_html_segment (self->html, end - 1);
  rw_transaction_append (self, rw_html_prepared (self->html, NULL) + first->offset,
                         last->offset + last->length - first->offset);
  self->n_sent = end;
  if (end == n)
    soup_message_body_complete (soup_server_message_get_response_body (self->message));
  soup_server_message_unpause (self->message);
}

static void
send_all (RwTransaction *self)
{
  if (self->stream != NULL)
    rw_transaction_send_stream (self);
  else if (self->html != NULL)
    send_segments (self, G_MAXUINT);
  else
    send_whole (self);
}

static RwProxyRequest
describe (const RwTransaction *self)
{
  RwProxyRequest request = {
    .number = self->number,
    .method = self->method,
    .url = self->url,
    .what = self->what,
    .id = self->id,
    .status = self->missing || self->broken_integrity ? 0 : self->exchange->status,
    .reason = self->exchange->reason,
    .html = self->html,
    .missing = self->missing,
  };
  if (self->broken_integrity)
    request.reason = "its content is not what integrity= asks for";
  return request;
}

void
rw_transaction_decide (RwTransaction *self)
{
  RwProxy *proxy = self->proxy;
  RwProxyRequest request = describe (self);
  if (self->missing && proxy->callbacks.missing != NULL)
    proxy->callbacks.missing (proxy, &request, proxy->user_data);
  RwProxyDecision decision = RW_PROXY_LET_GO;
  if (proxy->callbacks.decide != NULL)
    decision = proxy->callbacks.decide (proxy, &request, proxy->user_data);
  guint end = GPOINTER_TO_UINT (g_hash_table_lookup (proxy->released, GUINT_TO_POINTER (self->number)));
  self->state = RW_TRANSACTION_HELD;
  if (decision == RW_PROXY_LET_GO || self->number == 0 || end == G_MAXUINT)
    send_all (self);
  else if (end > 0 && self->html != NULL)
    send_segments (self, end);
}

void
rw_transaction_answer (RwTransaction *self, RwExchange *exchange, gboolean owned)
{
  RwProxy *proxy = self->proxy;
  self->exchange = exchange;
  self->owns_exchange = owned;
  if (proxy->mode == RW_PROXY_LIVE)
    {
      exchange->number = proxy->n_exchanges++;
      rw_transaction_fill (self, exchange);
      if (proxy->callbacks.exchange != NULL)
        proxy->callbacks.exchange (proxy, exchange, proxy->user_data);
    }
  rw_transaction_prepare (self);
  if (self->html != NULL && self->number != 0)
    g_hash_table_insert (proxy->documents, GUINT_TO_POINTER (self->number), rw_html_ref (self->html));
  rw_transaction_decide (self);
}

static void
answer_from_recording (RwTransaction *self)
{
  g_autoptr (GBytes) body = rw_transaction_request_body (self);
  gboolean again;
  RwExchange *exchange = rw_replay_source_find (self->proxy->replay, self->method, self->url, body, self->id, &again);
  if (exchange != NULL && rw_exchange_is_stream (exchange))
    {
      rw_transaction_replay_stream (self, exchange, again);
      return;
    }
  if (exchange != NULL)
    {
      rw_transaction_answer (self, exchange, FALSE);
      return;
    }
  exchange = g_new0 (RwExchange, 1);
  exchange->reason = g_strdup ("not in the recording");
  self->missing = TRUE;
  rw_transaction_answer (self, exchange, TRUE);
}

static void
answer_from_folder (RwTransaction *self)
{
  g_autoptr (GUri) uri = g_uri_parse (self->url, SOUP_HTTP_URI_FLAGS, NULL);
  RwExchange *exchange = g_new0 (RwExchange, 1);
  rw_site_answer (self->proxy->site, self->method, g_uri_get_path (uri), g_uri_get_query (uri), self->proxy->max_body,
                  exchange);
  rw_transaction_answer (self, exchange, TRUE);
}

/* --- Arrival --- */

char *
rw_proxy_normalize_url (const char *url)
{
  g_autoptr (GUri) uri = g_uri_parse (url, SOUP_HTTP_URI_FLAGS, NULL);
  if (uri == NULL)
    return g_strndup (url, strcspn (url, "#"));
  int port = g_uri_get_port (uri);
  const char *scheme = g_uri_get_scheme (uri);
  gboolean secure = strcmp (scheme, "https") == 0 || strcmp (scheme, "wss") == 0;
  if (port == (secure ? 443 : 80))
    port = -1;
  const char *path = g_uri_get_path (uri);
  return g_uri_join (G_URI_FLAGS_ENCODED, scheme, NULL, g_uri_get_host (uri), port, *path != '\0' ? path : "/",
                     g_uri_get_query (uri), NULL);
}

/* The absolute address that was asked for: through a tunnel its scheme and port are those of the tunnel. */
static char *
message_url (SoupServerMessage *message)
{
  GUri *uri = soup_server_message_get_uri (message);
  const char *authority = rw_proxy_authority (message);
  g_autofree char *text = NULL;
  if (authority != NULL)
    {
      const char *query = g_uri_get_query (uri);
      text = g_strconcat (authority, g_uri_get_path (uri), query != NULL ? "?" : "", query, NULL);
    }
  else
    text = g_uri_to_string (uri);
  return rw_proxy_normalize_url (text);
}

static char *
copy_header (SoupServerMessage *message, const char *name)
{
  return g_strdup (soup_message_headers_get_one (soup_server_message_get_request_headers (message), name));
}

static RwTransaction *
transaction_new (RwProxy *proxy, SoupServerMessage *message)
{
  RwTransaction *self = g_new0 (RwTransaction, 1);
  g_autofree char *number = copy_header (message, "X-RW");
  guint64 value = 0;
  self->proxy = proxy;
  self->message = g_object_ref (message);
  self->method = g_strdup (soup_server_message_get_method (message));
  self->url = message_url (message);
  self->id = copy_header (message, "X-RW-Id");
  self->hint = copy_header (message, "X-RW-What");
  self->cancellable = g_cancellable_new ();
  self->started = g_get_monotonic_time ();
  if (number != NULL && g_ascii_string_to_unsigned (number, 10, 1, G_MAXUINT - 1, &value, NULL))
    self->number = (guint)value;
  self->finished = g_signal_connect (message, "finished", G_CALLBACK (on_finished), self);
  g_ptr_array_add (proxy->transactions, self);
  return self;
}

static gboolean
is_site (const RwProxy *self, const char *url)
{
  g_autoptr (GUri) uri = g_uri_parse (url, SOUP_HTTP_URI_FLAGS, NULL);
  return self->site != NULL && uri != NULL && g_ascii_strcasecmp (g_uri_get_host (uri), self->host) == 0;
}

static void
on_request (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query, gpointer user_data)
{
  RwProxy *self = user_data;
  if (strcmp (soup_server_message_get_method (message), "CONNECT") == 0)
    {
      rw_proxy_tunnel (self, message);
      return;
    }
  soup_server_message_pause (message);
  RwTransaction *transaction = transaction_new (self, message);
  if (g_hash_table_contains (self->failed, GUINT_TO_POINTER (transaction->number)))
    /* A client tries once more when a connection that it had used before ends without an answer. */
    hang_up (transaction);
  else if (rw_proxy_is_socket (message))
    rw_proxy_open_socket (transaction);
  else if (self->mode == RW_PROXY_REPLAY)
    answer_from_recording (transaction);
  else if (is_site (self, transaction->url))
    answer_from_folder (transaction);
  else
    rw_proxy_fetch (transaction);
}

/* --- The proxy --- */

static char *
host_and_port (const char *url)
{
  g_autoptr (GUri) uri = url != NULL ? g_uri_parse (url, SOUP_HTTP_URI_FLAGS, NULL) : NULL;
  return uri != NULL ? g_strdup_printf ("%s:%d", g_uri_get_host (uri), g_uri_get_port (uri)) : NULL;
}

static SoupSession *
new_session (guint timeout_s)
{
  SoupSession *session
      = soup_session_new_with_options ("timeout", timeout_s, "max-conns", 32, "max-conns-per-host", 8, NULL);
  /* Cookies and credentials are the view's. */
  soup_session_remove_feature_by_type (session, SOUP_TYPE_AUTH_MANAGER);
  soup_session_remove_feature_by_type (session, SOUP_TYPE_COOKIE_JAR);
  return session;
}

static void
init_tables (RwProxy *self)
{
  self->transactions = g_ptr_array_new_with_free_func (transaction_free);
  self->sockets = g_ptr_array_new_with_free_func (rw_socket_free);
  self->released = g_hash_table_new (NULL, NULL);
  self->finished = g_hash_table_new (NULL, NULL);
  self->failed = g_hash_table_new (NULL, NULL);
  self->documents = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)rw_html_unref);
  self->expected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->integrities = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
}

static void
init_options (RwProxy *self, const RwProxyOptions *options)
{
  self->mode = options->mode;
  self->host = g_strdup (options->host != NULL ? options->host : "site.test");
  self->page_host = host_and_port (options->page_url);
  self->insecure = options->insecure;
  self->offline = options->offline;
  self->max_body = options->max_body != 0 ? options->max_body : RW_PROXY_MAX_BODY;
  self->timeout_s = options->timeout_s != 0 ? options->timeout_s : RW_PROXY_TIMEOUT;
  self->scripts = options->scripts != NULL ? rw_scripts_ref (options->scripts) : NULL;
  if (self->mode == RW_PROXY_REPLAY)
    self->replay = rw_replay_source_new (options->exchanges);
  else
    self->session = new_session (self->timeout_s);
}

RwProxy *
rw_proxy_new (const RwProxyOptions *options, const RwProxyCallbacks *callbacks, gpointer user_data, GError **error)
{
  g_autoptr (RwProxy) self = g_new0 (RwProxy, 1);
  if (callbacks != NULL)
    self->callbacks = *callbacks;
  self->user_data = user_data;
  init_tables (self);
  init_options (self, options);
  if (self->mode == RW_PROXY_LIVE && options->folder != NULL)
    {
      self->site = rw_site_new (options->folder, options->latencies, options->n_latencies, error);
      if (self->site == NULL)
        return NULL;
    }
  self->certificate = rw_certificate_new (error);
  if (self->certificate == NULL)
    return NULL;
  g_object_get (self->certificate, "certificate-pem", &self->certificate_pem, NULL);
  self->server = soup_server_new ("raw-paths", TRUE, "server-header", NULL, NULL);
  soup_server_add_handler (self->server, NULL, on_request, self, NULL);
  if (!rw_proxy_listen (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* Ends every request that is under way, without an answer. */
static void
drop_transactions (RwProxy *self)
{
  while (self->transactions->len > 0)
    {
      RwTransaction *transaction = self->transactions->pdata[self->transactions->len - 1];
      rw_transaction_report_stream (transaction);
      g_clear_signal_handler (&transaction->finished, transaction->message);
      g_autoptr (GIOStream) stream = soup_server_message_steal_connection (transaction->message);
      g_ptr_array_remove_index (self->transactions, self->transactions->len - 1);
      if (stream != NULL)
        g_io_stream_close (stream, NULL, NULL);
    }
  g_ptr_array_set_size (self->sockets, 0);
}

void
rw_proxy_free (RwProxy *self)
{
  if (self == NULL)
    return;
  if (self->service != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->service, self);
      g_socket_service_stop (self->service);
      g_socket_listener_close (G_SOCKET_LISTENER (self->service));
    }
  drop_transactions (self);
  g_clear_pointer (&self->tunnels, g_hash_table_unref);
  if (self->server != NULL)
    soup_server_disconnect (self->server);
  g_clear_object (&self->service);
  g_clear_object (&self->server);
  if (self->session != NULL)
    soup_session_abort (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->certificate);
  g_clear_pointer (&self->site, rw_site_free);
  g_clear_pointer (&self->replay, rw_replay_source_free);
  g_clear_pointer (&self->scripts, rw_scripts_unref);
  g_ptr_array_unref (self->transactions);
  g_ptr_array_unref (self->sockets);
  g_hash_table_unref (self->released);
  g_hash_table_unref (self->finished);
  g_hash_table_unref (self->failed);
  g_hash_table_unref (self->documents);
  g_hash_table_unref (self->expected);
  g_hash_table_unref (self->integrities);
  g_free (self->certificate_pem);
  g_free (self->host);
  g_free (self->page_host);
  g_free (self->uri);
  g_free (self);
}

const char *
rw_proxy_uri (const RwProxy *self)
{
  return self->uri;
}

const char *
rw_proxy_certificate_pem (const RwProxy *self)
{
  return self->certificate_pem;
}

/* Its answer is there, and something of it was not sent. */
static gboolean
is_held (const RwTransaction *self)
{
  return self->state == RW_TRANSACTION_HELD
         || (self->html != NULL && self->state == RW_TRANSACTION_SENDING
             && self->n_sent < rw_html_n_segments (self->html));
}

gboolean
rw_proxy_release (RwProxy *self, guint number)
{
  RwTransaction *transaction = find_transaction (self, number);
  if (g_hash_table_contains (self->finished, GUINT_TO_POINTER (number)))
    return FALSE;
  if (transaction == NULL || transaction->state == RW_TRANSACTION_WAITING)
    g_hash_table_insert (self->released, GUINT_TO_POINTER (number), GUINT_TO_POINTER (G_MAXUINT));
  else if (is_held (transaction))
    send_all (transaction);
  else
    return FALSE;
  return TRUE;
}

gboolean
rw_proxy_release_segment (RwProxy *self, guint number, guint segment)
{
  RwTransaction *transaction = find_transaction (self, number);
  if (g_hash_table_contains (self->finished, GUINT_TO_POINTER (number)) || segment >= G_MAXUINT - 1)
    return FALSE;
  if (transaction == NULL || transaction->state == RW_TRANSACTION_WAITING)
    {
      guint end = GPOINTER_TO_UINT (g_hash_table_lookup (self->released, GUINT_TO_POINTER (number)));
      g_hash_table_insert (self->released, GUINT_TO_POINTER (number), GUINT_TO_POINTER (MAX (end, segment + 1)));
      return TRUE;
    }
  if (transaction->html == NULL || segment >= rw_html_n_segments (transaction->html))
    return FALSE;
  send_segments (transaction, segment + 1);
  return TRUE;
}

RwHtml *
rw_proxy_html (RwProxy *self, guint number)
{
  return g_hash_table_lookup (self->documents, GUINT_TO_POINTER (number));
}

guint
rw_proxy_n_held (const RwProxy *self)
{
  guint n = 0;
  for (guint i = 0; i < self->transactions->len; i++)
    {
      const RwTransaction *transaction = self->transactions->pdata[i];
      n += is_held (transaction);
    }
  return n;
}

void
rw_proxy_flush (RwProxy *self)
{
  rw_proxy_flush_sockets (self);
  for (guint i = 0; i < self->transactions->len; i++)
    rw_transaction_report_stream (self->transactions->pdata[i]);
}

void
rw_proxy_set_plain (RwProxy *self, gboolean plain)
{
  self->plain = plain;
}

void
rw_proxy_begin_run (RwProxy *self)
{
  drop_transactions (self);
  g_hash_table_remove_all (self->released);
  g_hash_table_remove_all (self->finished);
  g_hash_table_remove_all (self->failed);
  g_hash_table_remove_all (self->documents);
  g_hash_table_remove_all (self->expected);
  g_hash_table_remove_all (self->integrities);
  if (self->replay != NULL)
    rw_replay_source_rewind (self->replay);
}
