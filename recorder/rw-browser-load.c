/* SPDX-License-Identifier: MIT */
/* One load of the page: between the runtime in the page, the proxy, and whoever asked for it.
 *
 * The runtime decides what runs next; this file does what it asks for. Its words:
 *   hello {}         a document starts: answered by start, which says how it is cut
 *   segment {n}      let the document's segment n go
 *   release {url, module, all}  let a script or a frame's document go, or all that were asked for under this URL
 *   pass {url}       let it go whenever it comes             claim {url}  it has an event, which will release it
 *   imports {on}     a dynamic import begins or ends         modules {}   a module script has run
 *   whose {n, url, frame, hold}  the answer to whose: is navigation n one of a frame, and is its document to be held
 *   quiet {}         nothing is pending: answered by capture  finished {...}, state  the end */
#include "rw-browser-private.h"

#include "rw-runtime.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* After so much silence the runtime is told to stop waiting for a native signal that will not come. Generous, since on a
 * loaded machine silence is only slowness, and a signal given up too early would make runs differ. */
#define NUDGE_MS 3000

typedef struct
{
  guint number;
  char *url;
  gboolean released;
} Asked;

struct _RwPageLoad
{
  RwBrowser *browser;
  RwLoaded *result;
  RwLog *log;
  GPtrArray *asked;      /* of Asked *: in the order of announcement */
  GHashTable *credit;    /* URL -> number of releases that came before their request */
  GHashTable *passes;    /* URLs to be let go whenever they come */
  GPtrArray *navigations; /* of char *: JSON objects */
  GPtrArray *policies;   /* of WebKitPolicyDecision *: navigations that may be a frame's; NULL once decided */
  GHashTable *frames;    /* URLs of frames' documents that are held until their event */
  guint document;        /* request number of the page itself */
  guint undecided;       /* of @policies */
  gboolean quiet;        /* the page waits for the end, which waits for the undecided */
  int imports;           /* dynamic imports under way */
  GHashTable *claims;    /* URLs of scripts that have an event */
  gboolean pass_all;     /* a module runs: what it imports is not held */
  gboolean plain;        /* no runtime: it is over when the view says so */
  gboolean finished;     /* the runtime has said its last word */
  gboolean over;
  gint64 phase_began;
  gint64 last_word;      /* monotonic time of the last sign of life */
  gboolean nudged;
};

static void
asked_free (gpointer data)
{
  Asked *asked = data;
  g_free (asked->url);
  g_free (asked);
}

void
rw_loaded_free (RwLoaded *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->trace, rw_trace_unref);
  g_free (self->note);
  g_free (self->times);
  g_clear_pointer (&self->skipped, g_ptr_array_unref);
  g_clear_pointer (&self->holes, g_ptr_array_unref);
  g_clear_pointer (&self->missing, g_ptr_array_unref);
  g_clear_pointer (&self->steps, g_ptr_array_unref);
  g_clear_pointer (&self->state, g_bytes_unref);
  g_clear_pointer (&self->screenshot, g_bytes_unref);
  g_clear_pointer (&self->exchanges, g_ptr_array_unref);
  g_free (self);
}

static void
end_phase (RwPageLoad *self, RwPhase phase)
{
  gint64 now = g_get_monotonic_time ();
  self->result->phases_us[phase] += (guint)(now - self->phase_began);
  self->phase_began = now;
}

static void
end_with (RwPageLoad *self, RwOutcome outcome, const char *note)
{
  if (self->over)
    return;
  self->result->outcome = outcome;
  if (note != NULL)
    {
      g_free (self->result->note);
      self->result->note = g_strdup (note);
    }
  self->over = TRUE;
}

/* ---- to the page --------------------------------------------------------------------------------------------------- */

static void
tell (RwPageLoad *self, const char *text)
{
  webkit_web_view_send_message_to_page (self->browser->view, webkit_user_message_new ("tell", g_variant_new_string (text)),
                                        NULL, NULL, NULL);
}

static char *
json_text (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_to_string (root, FALSE);
}

static const char *
segment_end_name (RwSegmentEnd end)
{
  switch (end)
    {
    case RW_SEGMENT_SCRIPT:
      return "script";
    case RW_SEGMENT_BLOCKED:
      return "blocked";
    case RW_SEGMENT_LAST:
      return "last";
    default:
      return "node";
    }
}

static void
tell_segments (RwPageLoad *self, RwHtml *html)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "cmd");
  json_builder_add_string_value (builder, "start");
  json_builder_set_member_name (builder, "segments");
  json_builder_begin_array (builder);
  for (guint i = 0; i < rw_html_n_segments (html); i++)
    {
      const RwSegment *segment = rw_html_segment (html, i);
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "end");
      json_builder_add_string_value (builder, segment_end_name (segment->end));
      json_builder_set_member_name (builder, "scripts");
      json_builder_add_int_value (builder, segment->n_inline_scripts);
      json_builder_set_member_name (builder, "lastTag");
      json_builder_add_string_value (builder, segment->last_tag);
      json_builder_set_member_name (builder, "lastTags");
      json_builder_add_int_value (builder, segment->n_last_tag);
      json_builder_set_member_name (builder, "script");
      json_builder_add_int_value (builder, segment->script);
      json_builder_set_member_name (builder, "blocking");
      json_builder_add_string_value (builder, segment->blocking_script);
      json_builder_set_member_name (builder, "label");
      json_builder_add_string_value (builder, segment->label);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  g_autofree char *text = json_text (builder);
  tell (self, text);
}

static void
tell_answer (RwPageLoad *self, const char *url, guint latency)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "cmd");
  json_builder_add_string_value (builder, "answer");
  json_builder_set_member_name (builder, "url");
  json_builder_add_string_value (builder, url);
  json_builder_set_member_name (builder, "latency");
  json_builder_add_int_value (builder, latency);
  json_builder_end_object (builder);
  g_autofree char *text = json_text (builder);
  tell (self, text);
}

static void
tell_failed (RwPageLoad *self, const char *url)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "cmd");
  json_builder_add_string_value (builder, "failed");
  json_builder_set_member_name (builder, "url");
  json_builder_add_string_value (builder, url);
  json_builder_end_object (builder);
  g_autofree char *text = json_text (builder);
  tell (self, text);
}

static void
tell_capture (RwPageLoad *self)
{
  GString *text = g_string_new ("{\"cmd\":\"capture\",\"navigations\":[");
  for (guint i = 0; i < self->navigations->len; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : ",", (char *)self->navigations->pdata[i]);
  g_string_append (text, "]}");
  tell (self, text->str);
  g_string_free (text, TRUE);
}

/* ---- from the proxy ------------------------------------------------------------------------------------------------ */

static gboolean
is_page (RwPageLoad *self, const RwProxyRequest *request)
{
  return request->what == RW_PROXY_DOCUMENT && request->html != NULL
         && (self->document == 0 || self->document == request->number)
         && strcmp (request->url, rw_html_url (request->html)) == 0;
}

/* The page itself came, but is none that could be recorded. */
static gboolean
is_no_page (RwPageLoad *self, const RwProxyRequest *request)
{
  if (self->document != 0 || strcmp (request->url, self->browser->url) != 0 || request->status == 0
      || (request->status >= 300 && request->status < 400))
    return FALSE;
  g_autofree char *note = NULL;
  if (request->status >= 400)
    note = g_strdup_printf ("the server answered with status %u; is the address right?", request->status);
  else if (request->html == NULL)
    note = g_strdup ("the answer is not an HTML page; only pages can be recorded");
  if (note != NULL)
    end_with (self, RW_OUTCOME_CRASH, note);
  return note != NULL;
}

RwProxyDecision
rw_page_load_decide (RwPageLoad *self, const RwProxyRequest *request)
{
  g_debug ("decide %u %s %d", request->number, request->url, request->what);
  if (self->plain || is_no_page (self, request))
    return RW_PROXY_LET_GO;
  if (is_page (self, request))
    {
      self->document = request->number;
      rw_proxy_release_segment (self->browser->proxy, request->number, 0);
      return RW_PROXY_HOLD;
    }
  if (request->status == 0 && g_hash_table_contains (self->frames, request->url))
    tell_failed (self, request->url);
  if (request->what == RW_PROXY_DOCUMENT && request->number != 0 && g_hash_table_contains (self->frames, request->url))
    return RW_PROXY_HOLD;
  if (request->what != RW_PROXY_SCRIPT || request->number == 0 || request->id != NULL || request->status == 0
      || self->pass_all || g_hash_table_contains (self->passes, request->url)
      || (self->imports > 0 && !g_hash_table_contains (self->claims, request->url)))
    return RW_PROXY_LET_GO;
  return RW_PROXY_HOLD;
}

void
rw_page_load_exchange (RwPageLoad *self, const RwExchange *exchange)
{
  RwExchange *copy = g_new0 (RwExchange, 1);
  *copy = (RwExchange){
    .number = exchange->number,
    .method = g_strdup (exchange->method),
    .url = g_strdup (exchange->url),
    .request_headers = g_strdup (exchange->request_headers),
    .request_body = exchange->request_body == NULL ? NULL : g_bytes_ref (exchange->request_body),
    .status = exchange->status,
    .reason = g_strdup (exchange->reason),
    .headers = g_strdup (exchange->headers),
    .body = exchange->body == NULL ? NULL : g_bytes_ref (exchange->body),
    .latency_ms = exchange->latency_ms,
  };
  g_ptr_array_add (self->result->exchanges, copy);
  tell_answer (self, exchange->url, exchange->latency_ms);
}

void
rw_page_load_missing (RwPageLoad *self, const RwProxyRequest *request)
{
  g_ptr_array_add (self->result->missing, g_strdup_printf ("%s %s", request->method, request->url));
}

void
rw_page_load_navigation (RwPageLoad *self, const char *url, const char *how)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "url");
  json_builder_add_string_value (builder, url);
  json_builder_set_member_name (builder, "how");
  json_builder_add_string_value (builder, how);
  json_builder_end_object (builder);
  g_ptr_array_add (self->navigations, json_text (builder));
}

/* Only the page knows whether one of its frames is going there. */
void
rw_page_load_ask (RwPageLoad *self, WebKitPolicyDecision *decision, const char *url)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "cmd");
  json_builder_add_string_value (builder, "whose");
  json_builder_set_member_name (builder, "url");
  json_builder_add_string_value (builder, url);
  json_builder_set_member_name (builder, "n");
  json_builder_add_int_value (builder, self->policies->len);
  json_builder_end_object (builder);
  g_ptr_array_add (self->policies, g_object_ref (decision));
  self->undecided++;
  g_autofree char *text = json_text (builder);
  tell (self, text);
}

static void
decide_navigation (RwPageLoad *self, guint n, const char *url, gboolean frame, gboolean hold)
{
  if (n >= self->policies->len || self->policies->pdata[n] == NULL)
    return;
  g_autoptr (WebKitPolicyDecision) decision = g_steal_pointer (&self->policies->pdata[n]);
  if (frame && hold)
    g_hash_table_add (self->frames, g_strdup (url));
  if (frame)
    webkit_policy_decision_use (decision);
  else
    {
      rw_page_load_navigation (self, url, "page");
      webkit_policy_decision_ignore (decision);
    }
  if (--self->undecided == 0 && self->quiet)
    tell_capture (self);
}

static void
policy_free (gpointer data)
{
  if (data != NULL)
    {
      webkit_policy_decision_ignore (data);
      g_object_unref (data);
    }
}

void
rw_page_load_crashed (RwPageLoad *self, const char *why)
{
  end_with (self, RW_OUTCOME_CRASH, why);
}

void
rw_page_load_failed (RwPageLoad *self, const char *why)
{
  g_autofree char *note = g_strdup_printf ("the page could not be loaded: %s", why);
  end_with (self, RW_OUTCOME_CRASH, note);
}

/* The view thinks that the load is complete. */
void
rw_page_load_complete (RwPageLoad *self)
{
  if (!self->plain)
    return;
  self->finished = TRUE;
  end_phase (self, RW_PHASE_EVENTS);
  end_with (self, RW_OUTCOME_DONE, NULL);
}

/* ---- from the page ------------------------------------------------------------------------------------------------- */

static void
release (RwPageLoad *self, const char *url, gboolean all)
{
  gboolean found = FALSE;
  for (guint i = 0; i < self->asked->len; i++)
    {
      Asked *asked = self->asked->pdata[i];
      if (asked->released || strcmp (asked->url, url) != 0)
        continue;
      asked->released = TRUE;
      rw_proxy_release (self->browser->proxy, asked->number);
      found = TRUE;
      if (!all)
        break;
    }
  if (found)
    return;
  /* Not requested yet: let it go as soon as it is. */
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->credit, url));
  g_hash_table_insert (self->credit, g_strdup (url), GUINT_TO_POINTER (n + 1));
}

static void
request_announced (RwPageLoad *self, guint number, const char *uri)
{
  Asked *asked = g_new0 (Asked, 1);
  asked->number = number;
  asked->url = g_strndup (uri, strcspn (uri, "#"));
  g_ptr_array_add (self->asked, asked);
  guint credit = GPOINTER_TO_UINT (g_hash_table_lookup (self->credit, asked->url));
  if (credit > 0)
    {
      g_hash_table_insert (self->credit, g_strdup (asked->url), GUINT_TO_POINTER (credit - 1));
      asked->released = TRUE;
      rw_proxy_release (self->browser->proxy, number);
    }
}

static void
pass (RwPageLoad *self, const char *url)
{
  g_hash_table_add (self->passes, g_strdup (url));
  release (self, url, TRUE);
}

/* A module is being imported: what it needs is not held, unless an event was posted for it. */
static void
imports (RwPageLoad *self, gboolean on)
{
  self->imports += on ? 1 : -1;
  for (guint i = 0; on && i < self->asked->len; i++)
    {
      Asked *asked = self->asked->pdata[i];
      if (asked->released || asked->number == self->document || g_hash_table_contains (self->claims, asked->url)
          || g_hash_table_contains (self->frames, asked->url))
        continue;
      asked->released = TRUE;
      rw_proxy_release (self->browser->proxy, asked->number);
    }
}

static void
keep_strings (JsonObject *object, const char *member, GPtrArray *out)
{
  JsonNode *node = json_object_get_member (object, member);
  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return;
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array) && i < 100000; i++)
    {
      JsonNode *item = json_array_get_element (array, i);
      if (json_node_get_value_type (item) == G_TYPE_STRING)
        g_ptr_array_add (out, g_strdup (json_node_get_string (item)));
    }
}

static void
heard_finished (RwPageLoad *self, JsonObject *object)
{
  JsonNode *limit = json_object_get_member (object, "limit");
  keep_strings (object, "skipped", self->result->skipped);
  keep_strings (object, "holes", self->result->holes);
  keep_strings (object, "steps", self->result->steps);
  if (limit != NULL && json_node_get_value_type (limit) == G_TYPE_STRING)
    {
      const char *name = json_node_get_string (limit);
      self->result->note = g_strdup_printf ("limit: %s", name);
      self->result->outcome = strcmp (name, "horizon") == 0 ? RW_OUTCOME_DONE : RW_OUTCOME_LIMIT;
      rw_trace_set_cut (rw_log_trace (self->log), name);
    }
}

/* A document starts. One that nobody asked for stands for an address that was refused, which comes without a failure: a port,
 * for example, that browsers do not talk to. */
static void
heard_hello (RwPageLoad *self)
{
  RwHtml *html = rw_proxy_html (self->browser->proxy, self->document);
  end_phase (self, RW_PHASE_START);
  if (html != NULL)
    tell_segments (self, html);
  else if (self->asked->len == 0)
    end_with (self, RW_OUTCOME_CRASH, "the browser refuses to load this address");
  else
    end_with (self, RW_OUTCOME_CRASH, "what came is not an HTML page");
}

static void
heard (RwPageLoad *self, const char *what, JsonObject *object)
{
  const char *url = json_object_get_string_member_with_default (object, "url", "");
  g_debug ("page says %s %s", what, url);
  if (strcmp (what, "hello") == 0)
    heard_hello (self);
  else if (strcmp (what, "segment") == 0)
    rw_proxy_release_segment (self->browser->proxy, self->document,
                              (guint)json_object_get_int_member_with_default (object, "n", 0));
  else if (strcmp (what, "release") == 0)
    {
      self->pass_all = json_object_get_boolean_member_with_default (object, "module", FALSE);
      release (self, url, json_object_get_boolean_member_with_default (object, "all", FALSE));
    }
  else if (strcmp (what, "broken") == 0)
    {
      g_autofree char *note = g_strdup_printf ("the page runtime could not start: %s",
                                               json_object_get_string_member_with_default (object, "why", "?"));
      g_debug ("%s", json_object_get_string_member_with_default (object, "where", "?"));
      end_with (self, RW_OUTCOME_CRASH, note);
    }
  else if (strcmp (what, "imports") == 0)
    imports (self, json_object_get_boolean_member_with_default (object, "on", FALSE));
  else if (strcmp (what, "modules") == 0)
    self->pass_all = FALSE;
  else if (strcmp (what, "claim") == 0)
    g_hash_table_add (self->claims, g_strdup (url));
  else if (strcmp (what, "pass") == 0)
    pass (self, url);
  else if (strcmp (what, "whose") == 0)
    decide_navigation (self, (guint)json_object_get_int_member_with_default (object, "n", 0), url,
                       json_object_get_boolean_member_with_default (object, "frame", FALSE),
                       json_object_get_boolean_member_with_default (object, "hold", FALSE));
  else if (strcmp (what, "quiet") == 0)
    {
      end_phase (self, RW_PHASE_EVENTS);
      self->quiet = TRUE;
      if (self->undecided == 0)
        tell_capture (self);
    }
  else if (strcmp (what, "finished") == 0)
    heard_finished (self, object);
}

static void
message_say (RwPageLoad *self, GVariant *parameters)
{
  const char *what;
  g_autoptr (GVariant) bytes = NULL;
  gsize length;
  g_variant_get (parameters, "(&s@ay)", &what, &bytes);
  const char *text = g_variant_get_fixed_array (bytes, &length, 1);
  if (strcmp (what, "state") == 0)
    {
      self->result->state = g_bytes_new (text, length);
      self->finished = TRUE;
      end_phase (self, RW_PHASE_STATE);
      end_with (self, self->result->outcome, NULL);
      return;
    }
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (length > 0 && json_parser_load_from_data (parser, text, (gssize)length, NULL)
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    heard (self, what, json_node_get_object (json_parser_get_root (parser)));
}

static void
message_log (RwPageLoad *self, GVariant *parameters)
{
  g_autoptr (GVariant) ops = NULL;
  g_autoptr (GVariant) strings = NULL;
  g_autoptr (GVariant) events = NULL;
  g_autofree char *why = NULL;
  gsize n_ops, n_strings, n_events;
  g_variant_get (parameters, "(@ay@ay@ay)", &ops, &strings, &events);
  const void *bytes = g_variant_get_fixed_array (ops, &n_ops, 1);
  /* A GVariant's bytes may lie anywhere; the ints must lie where ints may. */
  g_autofree gint32 *ints = g_memdup2 (bytes, n_ops);
  const char *text = g_variant_get_fixed_array (strings, &n_strings, 1);
  const char *json = g_variant_get_fixed_array (events, &n_events, 1);
  if (!rw_log_add (self->log, ints, n_ops / sizeof (gint32), text, n_strings, json, n_events, &why))
    {
      g_autofree char *note = g_strdup_printf ("the page's log is damaged: %s", why);
      end_with (self, RW_OUTCOME_CRASH, note);
    }
}

void
rw_page_load_message (RwPageLoad *self, WebKitUserMessage *message)
{
  const char *name = webkit_user_message_get_name (message);
  GVariant *parameters = webkit_user_message_get_parameters (message);
  if (parameters == NULL || self->over)
    return;
  self->last_word = g_get_monotonic_time ();
  self->nudged = FALSE;
  g_debug ("page: %s", name);
  if (strcmp (name, "log") == 0 && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(ayayay)")))
    message_log (self, parameters);
  else if (strcmp (name, "say") == 0 && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(say)")))
    message_say (self, parameters);
  else if (strcmp (name, "request") == 0 && g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(uss)")))
    {
      guint number;
      const char *uri, *tag;
      g_variant_get (parameters, "(u&s&s)", &number, &uri, &tag);
      request_announced (self, number, uri);
    }
}

/* ---- one load ------------------------------------------------------------------------------------------------------ */

static gboolean
watch_cb (gpointer data)
{
  RwPageLoad *self = data;
  gint64 silence = (g_get_monotonic_time () - self->last_word) / 1000;
  rw_browser_watch_network (self->browser);
  if (silence > self->browser->options.silence_ms)
    end_with (self, RW_OUTCOME_HANG, "the page did not answer any more");
  else if (silence > NUDGE_MS && !self->nudged)
    {
      self->nudged = TRUE;
      tell (self, "{\"cmd\":\"nudge\"}");
      tell (self, "{\"cmd\":\"go-on\"}");
    }
  return G_SOURCE_CONTINUE;
}

static gboolean
wall_cb (gpointer data)
{
  end_with (data, RW_OUTCOME_HANG, "the load took longer than its limit");
  return G_SOURCE_CONTINUE;
}

static void
add_script (RwBrowser *self, const char *source)
{
  WebKitUserScript *script = webkit_user_script_new (source, WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES,
                                                     WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
  webkit_user_content_manager_add_script (self->content, script);
  webkit_user_script_unref (script);
}

static void
set_scripts (RwBrowser *self, const char *config)
{
  g_autofree char *first = rw_runtime_config_script (config);
  g_autofree char *runtime = rw_runtime_script ();
  webkit_user_content_manager_remove_all_scripts (self->content);
  add_script (self, first);
  add_script (self, runtime);
}

static RwPageLoad *
page_load_new (RwBrowser *browser, gint64 started)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  RwPageLoad *self = g_new0 (RwPageLoad, 1);
  self->browser = browser;
  self->phase_began = started;
  self->log = rw_log_new (space, browser->scripts);
  self->asked = g_ptr_array_new_with_free_func (asked_free);
  self->credit = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->passes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->claims = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->navigations = g_ptr_array_new_with_free_func (g_free);
  self->policies = g_ptr_array_new_with_free_func (policy_free);
  self->frames = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->result = g_new0 (RwLoaded, 1);
  self->result->skipped = g_ptr_array_new_with_free_func (g_free);
  self->result->holes = g_ptr_array_new_with_free_func (g_free);
  self->result->missing = g_ptr_array_new_with_free_func (g_free);
  self->result->steps = g_ptr_array_new_with_free_func (g_free);
  self->result->exchanges = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_exchange_free);
  self->last_word = g_get_monotonic_time ();
  return self;
}

static RwLoaded *
page_load_finish (RwPageLoad *self, gint64 started)
{
  RwLoaded *result = self->result;
  result->trace = rw_trace_ref (rw_log_trace (self->log));
  result->times = rw_log_times (self->log);
  result->wall_ms = (guint)((g_get_monotonic_time () - started) / 1000);
  rw_log_free (self->log);
  g_ptr_array_unref (self->asked);
  g_hash_table_unref (self->credit);
  g_hash_table_unref (self->passes);
  g_hash_table_unref (self->claims);
  g_ptr_array_unref (self->navigations);
  g_ptr_array_unref (self->policies);
  g_hash_table_unref (self->frames);
  g_free (self);
  return result;
}

RwLoaded *
rw_browser_load (RwBrowser *self, const char *config, GError **error)
{
  gint64 started = g_get_monotonic_time ();
  if (self->lost != NULL || !rw_browser_clean (self, config == NULL))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, self->lost);
      return NULL;
    }
  RwPageLoad *load = page_load_new (self, started);
  load->plain = config == NULL;
  end_phase (load, RW_PHASE_CLEAN);
  self->load = load;
  self->loads++;
  if (config != NULL)
    set_scripts (self, config);
  guint watch = g_timeout_add (100, watch_cb, load);
  guint wall = g_timeout_add (self->options.wall_ms, wall_cb, load);
  webkit_web_view_load_uri (self->view, self->url);
  while (!load->over)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (watch);
  g_source_remove (wall);
  if (load->finished && !load->plain)
    {
      load->result->screenshot = rw_browser_picture (self);
      end_phase (load, RW_PHASE_PICTURE);
    }
  else if (load->result->outcome == RW_OUTCOME_HANG)
    webkit_web_view_terminate_web_process (self->view);
  /* Lost over the picture: what came before may be whole, but a run without a picture is another result. */
  if (self->lost != NULL && load->finished)
    {
      load->over = FALSE;
      end_with (load, RW_OUTCOME_CRASH, self->lost);
    }
  if (self->options.proxy.mode == RW_PROXY_LIVE)
    rw_proxy_flush (self->proxy); /* sockets and streams that are still open belong to the recording, too */
  self->load = NULL;
  return page_load_finish (load, started);
}
