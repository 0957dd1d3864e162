/* SPDX-License-Identifier: MIT */
/* A request as an exchange keeps it. */
#include "rw-proxy-private.h"

char *
rw_transaction_request_headers (RwTransaction *self)
{
  GString *out = g_string_new (NULL);
  SoupMessageHeadersIter iter;
  const char *name;
  const char *value;
  soup_message_headers_iter_init (&iter, soup_server_message_get_request_headers (self->message));
  while (soup_message_headers_iter_next (&iter, &name, &value))
    if (g_ascii_strncasecmp (name, "X-RW", 4) != 0 && g_ascii_strncasecmp (name, "Proxy-", 6) != 0)
      {
        g_autofree char *valid = g_utf8_make_valid (value, -1);
        g_string_append_printf (out, "%s: %s\n", name, g_strdelimit (valid, "\r\n", ' '));
      }
  /* The one header of ours that is kept: it finds this exchange again. */
  if (self->id != NULL)
    g_string_append_printf (out, "X-RW-Id: %s\n", self->id);
  return g_string_free (out, FALSE);
}

GBytes *
rw_transaction_request_body (RwTransaction *self)
{
  g_autoptr (GBytes) body = soup_message_body_flatten (soup_server_message_get_request_body (self->message));
  return g_bytes_get_size (body) > 0 ? g_steal_pointer (&body) : NULL;
}

void
rw_transaction_fill (RwTransaction *self, RwExchange *exchange)
{
  exchange->method = g_strdup (self->method);
  exchange->url = g_strdup (self->url);
  exchange->request_headers = rw_transaction_request_headers (self);
  exchange->request_body = rw_transaction_request_body (self);
}
