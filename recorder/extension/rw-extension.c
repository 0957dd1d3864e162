/* SPDX-License-Identifier: MIT */
/* The half of the recorder that lives in the web process: it numbers requests and carries words between page and host.
 *
 * The page runtime finds the natives as window.__rwNative at document start and removes them before any page code runs.
 * Nothing here ever runs page code: what the host says reaches the runtime's listener, which only posts a task. */
#include "rw-rewrite.h"

#include <string.h>

#include <webkit/webkit-web-process-extension.h>

typedef struct
{
  WebKitWebPage *page; /* not owned: the page outlives this */
  JSCValue *listener;  /* the top window's; dropped when a new document starts, or the old page is never collected */
  JSCValue *root;      /* the top window's runtime, for the runtimes of its frames */
  GQueue *waiting;     /* of char *: said by the host before a runtime listened */
  GQueue *tags;        /* of char *: identities for the requests that the runtime is about to make */
  guint requests;
  guint places; /* given out to code that came as text; far behind those of the host's scripts, which nobody mistakes for them */
} Agent;

#define FIRST_EVAL_PLACE (1u << 22)

static void
agent_forget (Agent *self)
{
  g_clear_object (&self->listener);
  g_clear_object (&self->root);
}

static void
agent_free (gpointer data)
{
  Agent *self = data;
  agent_forget (self);
  g_queue_free_full (self->waiting, g_free);
  g_queue_free_full (self->tags, g_free);
  g_free (self);
}

static void
send (Agent *self, const char *name, GVariant *parameters)
{
  webkit_web_page_send_message_to_view (self->page, webkit_user_message_new (name, parameters), NULL, NULL, NULL);
}

static GVariant *
variant_of_bytes (gconstpointer data, gsize size)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, size, 1);
}

static GVariant *
variant_of_text (JSCValue *value)
{
  g_autoptr (GBytes) bytes = jsc_value_to_string_as_bytes (value);
  gsize size = 0;
  gconstpointer data = bytes == NULL ? NULL : g_bytes_get_data (bytes, &size);
  return variant_of_bytes (data, size);
}

/* log (ops: Int32Array, n ints, new strings joined by NUL, new event definitions as JSON) */
static void
native_log (JSCValue *ops, double n, JSCValue *strings, JSCValue *events, gpointer data)
{
  Agent *self = data;
  gsize length = 0;
  const gint32 *ints = jsc_value_is_typed_array (ops) ? jsc_value_typed_array_get_data (ops, &length) : NULL;
  gsize used = ints == NULL || n < 0 ? 0 : MIN ((gsize)n, length);
  send (self, "log",
        g_variant_new ("(@ay@ay@ay)", variant_of_bytes (ints, used * sizeof (gint32)), variant_of_text (strings),
                       variant_of_text (events)));
}

/* say (what, JSON): one message to the host. */
static void
native_say (JSCValue *what, JSCValue *text, gpointer data)
{
  g_autofree char *name = jsc_value_to_string (what);
  send (data, "say", g_variant_new ("(s@ay)", name, variant_of_text (text)));
}

/* tag (identity): the next request that the page makes is this event's. An empty text takes an unused tag back. */
static void
native_tag (JSCValue *identity, gpointer data)
{
  Agent *self = data;
  char *text = jsc_value_to_string (identity);
  g_queue_clear_full (self->tags, g_free);
  if (*text != '\0')
    g_queue_push_tail (self->tags, text);
  else
    g_free (text);
}

/* rewrite (source, kind, strict): what to give to the engine instead; the same text if it can't be rewritten. */
static JSCValue *
native_rewrite (JSCValue *source, const char *kind, gboolean strict, gpointer data)
{
  Agent *self = data;
  g_autoptr (GBytes) text = jsc_value_to_string_as_bytes (source);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  gsize length;
  const char *bytes = g_bytes_get_data (text, &length);
  RwScriptKind which;
  if (!rw_script_kind_from_name (kind, &which))
    return g_object_ref (source);
  g_autofree char *rewritten
      = rw_rewrite (bytes, length, which, strict, FIRST_EVAL_PLACE + self->places, places, NULL, NULL);
  if (rewritten == NULL)
    return g_object_ref (source);
  self->places += places->len;
  return jsc_value_new_string (jsc_value_get_context (source), rewritten);
}

static void
tell (Agent *self, const char *text)
{
  g_autoptr (JSCValue) result = jsc_value_function_call (self->listener, G_TYPE_STRING, text, G_TYPE_NONE);
}

static void
native_listen (JSCValue *listener, JSCValue *root, gpointer data)
{
  Agent *self = data;
  agent_forget (self);
  self->listener = g_object_ref (listener);
  self->root = g_object_ref (root);
  char *text;
  while ((text = g_queue_pop_head (self->waiting)) != NULL)
    {
      tell (self, text);
      g_free (text);
    }
}

static JSCValue *
native_root (gpointer data)
{
  Agent *self = data;
  return self->root == NULL ? NULL : g_object_ref (self->root);
}

static void
add_native (JSCContext *context, JSCValue *object, const char *name, JSCValue *function)
{
  jsc_value_object_set_property (object, name, function);
  g_object_unref (function);
}

static void
window_object_cleared_cb (WebKitScriptWorld *world, WebKitWebPage *page, WebKitFrame *frame, gpointer data)
{
  Agent *self = g_object_get_data (G_OBJECT (page), "rw-agent");
  if (self == NULL)
    return;
  gboolean top = webkit_frame_is_main_frame (frame);
  if (top)
    {
      agent_forget (self);
      self->places = 0;
    }
  g_autoptr (JSCContext) context = webkit_frame_get_js_context_for_script_world (frame, world);
  g_autoptr (JSCValue) native = jsc_value_new_object (context, NULL, NULL);
  add_native (context, native, "log",
              jsc_value_new_function (context, "log", G_CALLBACK (native_log), self, NULL, G_TYPE_NONE, 4, JSC_TYPE_VALUE,
                                      G_TYPE_DOUBLE, JSC_TYPE_VALUE, JSC_TYPE_VALUE));
  add_native (context, native, "say",
              jsc_value_new_function (context, "say", G_CALLBACK (native_say), self, NULL, G_TYPE_NONE, 2, JSC_TYPE_VALUE,
                                      JSC_TYPE_VALUE));
  add_native (
      context, native, "tag",
      jsc_value_new_function (context, "tag", G_CALLBACK (native_tag), self, NULL, G_TYPE_NONE, 1, JSC_TYPE_VALUE));
  add_native (context, native, "rewrite",
              jsc_value_new_function (context, "rewrite", G_CALLBACK (native_rewrite), self, NULL, JSC_TYPE_VALUE, 3,
                                      JSC_TYPE_VALUE, G_TYPE_STRING, G_TYPE_BOOLEAN));
  if (top)
    add_native (context, native, "listen",
                jsc_value_new_function (context, "listen", G_CALLBACK (native_listen), self, NULL, G_TYPE_NONE, 2,
                                        JSC_TYPE_VALUE, JSC_TYPE_VALUE));
  else
    add_native (context, native, "root",
                jsc_value_new_function (context, "root", G_CALLBACK (native_root), self, NULL, JSC_TYPE_VALUE, 0));
  jsc_context_set_value (context, "__rwNative", native);
}

static gboolean
send_request_cb (WebKitWebPage *page, WebKitURIRequest *request, WebKitURIResponse *redirected, Agent *self)
{
  const char *uri = webkit_uri_request_get_uri (request);
  if (!g_str_has_prefix (uri, "http:") && !g_str_has_prefix (uri, "https:"))
    return FALSE;
  g_autofree char *number = g_strdup_printf ("%u", ++self->requests);
  g_autofree char *tag = g_queue_pop_head (self->tags);
  SoupMessageHeaders *headers = webkit_uri_request_get_http_headers (request);
  if (headers != NULL)
    {
      soup_message_headers_replace (headers, "X-RW", number);
      if (tag != NULL)
        soup_message_headers_replace (headers, "X-RW-Id", tag);
    }
  send (self, "request", g_variant_new ("(uss)", self->requests, uri, tag == NULL ? "" : tag));
  return FALSE;
}

static gboolean
user_message_cb (WebKitWebPage *page, WebKitUserMessage *message, Agent *self)
{
  GVariant *parameters = webkit_user_message_get_parameters (message);
  const char *name = webkit_user_message_get_name (message);
  if (strcmp (name, "tell") == 0 && parameters != NULL && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("s")))
    {
      const char *text = g_variant_get_string (parameters, NULL);
      if (self->listener != NULL)
        tell (self, text);
      else
        g_queue_push_tail (self->waiting, g_strdup (text));
    }
  else if (strcmp (name, "new-run") == 0)
    {
      /* What was meant for the page before must not reach the next one. */
      g_queue_clear_full (self->waiting, g_free);
      g_queue_clear_full (self->tags, g_free);
      agent_forget (self);
    }
  return TRUE;
}

static void
page_created_cb (WebKitWebProcessExtension *extension, WebKitWebPage *page, gpointer data)
{
  Agent *self = g_new0 (Agent, 1);
  self->page = page;
  self->waiting = g_queue_new ();
  self->tags = g_queue_new ();
  g_object_set_data_full (G_OBJECT (page), "rw-agent", self, agent_free);
  g_signal_connect (page, "send-request", G_CALLBACK (send_request_cb), self);
  g_signal_connect (page, "user-message-received", G_CALLBACK (user_message_cb), self);
}

G_MODULE_EXPORT void webkit_web_process_extension_initialize (WebKitWebProcessExtension *extension);

G_MODULE_EXPORT void
webkit_web_process_extension_initialize (WebKitWebProcessExtension *extension)
{
  g_signal_connect (extension, "page-created", G_CALLBACK (page_created_cb), NULL);
  g_signal_connect (webkit_script_world_get_default (), "window-object-cleared", G_CALLBACK (window_object_cleared_cb),
                    NULL);
}
