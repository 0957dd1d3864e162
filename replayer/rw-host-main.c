/* SPDX-License-Identifier: MIT */
/* The browser host's own side: one browser, loads on command, ends when the socket closes. */
#include "rw-host.h"

#include "rw-host-private.h"
#include "rw-wire.h"

#include <string.h>
#include <unistd.h>

static GVariant *
maybe_bytes (GBytes *bytes)
{
  GVariant *value = bytes == NULL ? NULL : g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE);
  return g_variant_new_maybe (G_VARIANT_TYPE_BYTESTRING, value);
}

static const char *
text (const char *maybe)
{
  return maybe == NULL ? "" : maybe;
}

GVariant *
rw_wire_exchange (const RwExchange *exchange)
{
  return g_variant_new ("(usss@mayuss@mayu)", exchange->number, text (exchange->method), text (exchange->url),
                        text (exchange->request_headers), maybe_bytes (exchange->request_body), exchange->status,
                        text (exchange->reason), text (exchange->headers), maybe_bytes (exchange->body),
                        exchange->latency_ms);
}

static GBytes *
bytes_of_maybe (GVariant *value)
{
  g_autoptr (GVariant) inner = g_variant_get_maybe (value);
  return inner == NULL ? NULL : g_variant_get_data_as_bytes (inner);
}

RwExchange *
rw_wire_exchange_parse (GVariant *item)
{
  RwExchange *exchange = g_new0 (RwExchange, 1);
  g_autoptr (GVariant) request = NULL;
  g_autoptr (GVariant) body = NULL;
  g_variant_get (item, "(usss@mayuss@mayu)", &exchange->number, &exchange->method, &exchange->url,
                 &exchange->request_headers, &request, &exchange->status, &exchange->reason, &exchange->headers, &body,
                 &exchange->latency_ms);
  exchange->request_body = bytes_of_maybe (request);
  exchange->body = bytes_of_maybe (body);
  return exchange;
}

static void
say_failed (int fd, const char *message)
{
  GVariantDict dict;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "message", "s", message);
  rw_wire_send (fd, "failed", g_variant_dict_end (&dict));
}

static void
insert_bytes (GVariantDict *dict, const char *key, GBytes *bytes)
{
  if (bytes != NULL)
    g_variant_dict_insert_value (dict, key, g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE));
}

static void
insert_strings (GVariantDict *dict, const char *key, const GPtrArray *strings)
{
  g_variant_dict_insert_value (dict, key,
                               g_variant_new_strv ((const char *const *)strings->pdata, (gssize)strings->len));
}

static gboolean
say_loaded (int fd, const RwLoaded *loaded)
{
  GVariantDict dict;
  g_autoptr (GBytes) trace = rw_trace_to_bytes (loaded->trace);
  GVariantBuilder exchanges;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "outcome", "u", (guint)loaded->outcome);
  if (loaded->note != NULL)
    g_variant_dict_insert (&dict, "note", "s", loaded->note);
  g_variant_dict_insert (&dict, "times", "s", loaded->times);
  g_variant_dict_insert (&dict, "wall", "u", loaded->wall_ms);
  g_variant_dict_insert_value (&dict, "phases", g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, loaded->phases_us,
                                                                           RW_N_PHASES, sizeof (guint32)));
  insert_strings (&dict, "skipped", loaded->skipped);
  insert_strings (&dict, "holes", loaded->holes);
  insert_strings (&dict, "missing", loaded->missing);
  insert_strings (&dict, "steps", loaded->steps);
  insert_bytes (&dict, "trace", trace);
  insert_bytes (&dict, "state", loaded->state);
  insert_bytes (&dict, "screenshot", loaded->screenshot);
  g_variant_builder_init (&exchanges, G_VARIANT_TYPE (RW_WIRE_EXCHANGES));
  for (guint i = 0; i < loaded->exchanges->len; i++)
    g_variant_builder_add_value (&exchanges, rw_wire_exchange (loaded->exchanges->pdata[i]));
  g_variant_dict_insert_value (&dict, "exchanges", g_variant_builder_end (&exchanges));
  return rw_wire_send (fd, "loaded", g_variant_dict_end (&dict));
}

typedef struct
{
  RwBrowserOptions options;
  GVariant *body; /* owns the texts */
  GPtrArray *exchanges;
  GArray *latencies;
} Setup;

static void
setup_clear (Setup *self)
{
  g_clear_pointer (&self->body, g_variant_unref);
  g_clear_pointer (&self->exchanges, g_ptr_array_unref);
  g_clear_pointer (&self->latencies, g_array_unref);
}

static void
read_setup (Setup *self, GVariant *body)
{
  RwBrowserOptions *options = &self->options;
  gboolean live = FALSE;
  const char *pattern;
  guint ms;
  g_autoptr (GVariantIter) latencies = NULL;
  self->body = g_variant_ref (body);
  self->exchanges = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_exchange_free);
  self->latencies = g_array_new (FALSE, FALSE, sizeof (RwProxyLatency));
  g_variant_lookup (body, "live", "b", &live);
  g_variant_lookup (body, "insecure", "b", &options->proxy.insecure);
  g_variant_lookup (body, "show", "b", &options->show);
  g_variant_lookup (body, "url", "&s", &options->url);
  g_variant_lookup (body, "folder", "&s", &options->proxy.folder);
  g_variant_lookup (body, "host", "&s", &options->proxy.host);
  g_variant_lookup (body, "width", "u", &options->width);
  g_variant_lookup (body, "height", "u", &options->height);
  g_variant_lookup (body, "silence", "u", &options->silence_ms);
  g_variant_lookup (body, "wall", "u", &options->wall_ms);
  g_variant_lookup (body, "memory", "u", &options->memory_mb);
  if (g_variant_lookup (body, "latencies", "a(su)", &latencies))
    while (g_variant_iter_loop (latencies, "(&su)", &pattern, &ms))
      {
        RwProxyLatency latency = { .pattern = pattern, .latency_ms = ms };
        g_array_append_val (self->latencies, latency);
      }
  g_autoptr (GVariant) list = g_variant_lookup_value (body, "exchanges", G_VARIANT_TYPE (RW_WIRE_EXCHANGES));
  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (list, i);
      g_ptr_array_add (self->exchanges, rw_wire_exchange_parse (item));
    }
  options->proxy.mode = live ? RW_PROXY_LIVE : RW_PROXY_REPLAY;
  options->proxy.page_url = options->url;
  options->proxy.offline = options->proxy.folder != NULL;
  options->proxy.latencies = (const RwProxyLatency *)(gpointer)self->latencies->data;
  options->proxy.n_latencies = self->latencies->len;
  options->proxy.exchanges = self->exchanges;
}

static gboolean
serve_load (int fd, RwBrowser *browser, GVariant *body)
{
  g_autoptr (GError) error = NULL;
  const char *config = NULL;
  g_variant_lookup (body, "config", "&s", &config);
  g_autoptr (RwLoaded) loaded = rw_browser_load (browser, config, &error);
  if (loaded != NULL)
    return say_loaded (fd, loaded);
  say_failed (fd, error->message);
  return FALSE;
}

static void
serve (int fd, RwBrowser *browser)
{
  GVariantDict nothing;
  g_variant_dict_init (&nothing, NULL);
  if (!rw_wire_send (fd, "ready", g_variant_dict_end (&nothing)))
    return;
  for (gboolean go_on = TRUE; go_on;)
    {
      g_autoptr (GVariant) body = NULL;
      g_autofree char *name = rw_wire_receive (fd, &body);
      go_on = name != NULL && strcmp (name, "load") == 0 && serve_load (fd, browser, body);
    }
}

int
rw_host_main (int fd)
{
  g_autoptr (GVariant) body = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = rw_wire_receive (fd, &body);
  Setup setup = { 0 };
  if (name == NULL || strcmp (name, "setup") != 0)
    return 3;
  read_setup (&setup, body);
  RwBrowser *browser = NULL;
  if (rw_browser_init (setup.options.show, &error))
    browser = rw_browser_new (&setup.options, &error);
  if (browser == NULL)
    say_failed (fd, error->message);
  else
    serve (fd, browser);
  rw_browser_free (browser);
  rw_browser_shutdown ();
  setup_clear (&setup);
  return browser == NULL ? 3 : 0;
}
