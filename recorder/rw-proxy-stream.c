/* SPDX-License-Identifier: MIT */
/* Streams of events (EventSource), which may have no end: passed on as they come, kept as far as they came. */
#include "rw-proxy-private.h"

/* Kept with the exchange of a stream that had not ended. */
#define RW_STREAM_OPEN "X-RW-Stream: open"

void
rw_transaction_report_stream (RwTransaction *self)
{
  RwProxy *proxy = self->proxy;
  RwExchange *exchange = self->exchange;
  if (self->stream == NULL || self->reported || proxy->mode != RW_PROXY_LIVE)
    return;
  self->reported = TRUE;
  exchange->number = proxy->n_exchanges++;
  exchange->body = g_bytes_new (self->stream->data, self->stream->len);
  if (!self->stream_ended)
    {
      g_autofree char *headers = g_steal_pointer (&exchange->headers);
      exchange->headers = g_strconcat (headers, RW_STREAM_OPEN, "\n", NULL);
    }
  if (proxy->callbacks.exchange != NULL)
    proxy->callbacks.exchange (proxy, exchange, proxy->user_data);
}

void
rw_transaction_send_stream (RwTransaction *self)
{
  if (self->state == RW_TRANSACTION_HELD)
    rw_transaction_send_head (self, TRUE);
  self->state = RW_TRANSACTION_SENDING;
  if (self->stream->len > self->n_streamed)
    rw_transaction_append (self, (const char *)self->stream->data + self->n_streamed,
                           self->stream->len - self->n_streamed);
  self->n_streamed = self->stream->len;
  if (self->stream_ended)
    soup_message_body_complete (soup_server_message_get_response_body (self->message));
  soup_server_message_unpause (self->message);
}

void
rw_transaction_open_stream (RwTransaction *self, RwExchange *exchange)
{
  self->exchange = exchange;
  self->owns_exchange = TRUE;
  self->stream = g_byte_array_new ();
  self->what = RW_PROXY_OTHER;
  rw_transaction_fill (self, exchange);
  rw_transaction_decide (self);
}

void
rw_transaction_stream (RwTransaction *self, const void *data, gsize length)
{
  g_byte_array_append (self->stream, data, (guint)length);
  if (self->state == RW_TRANSACTION_SENDING)
    rw_transaction_send_stream (self);
}

void
rw_transaction_end_stream (RwTransaction *self)
{
  self->stream_ended = TRUE;
  rw_transaction_report_stream (self);
  if (self->state == RW_TRANSACTION_SENDING)
    rw_transaction_send_stream (self);
}

void
rw_transaction_replay_stream (RwTransaction *self, RwExchange *exchange, gboolean again)
{
  gsize length = 0;
  const void *data = exchange->body != NULL ? g_bytes_get_data (exchange->body, &length) : NULL;
  g_autofree char *open = rw_headers_get (exchange->headers, "X-RW-Stream");
  self->exchange = exchange;
  self->stream = g_byte_array_new ();
  self->what = RW_PROXY_OTHER;
  if (length > 0 && !again)
    g_byte_array_append (self->stream, data, (guint)length);
  self->stream_ended = open == NULL && !again;
  rw_transaction_decide (self);
}

gboolean
rw_exchange_is_stream (const RwExchange *exchange)
{
  g_autofree char *type = rw_headers_get (exchange->headers, "Content-Type");
  return exchange->status == 200 && type != NULL && g_ascii_strncasecmp (type, "text/event-stream", 17) == 0;
}
