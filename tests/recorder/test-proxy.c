/* SPDX-License-Identifier: MIT */
/* The proxy with a real client on loopback: a folder, tunnels with TLS, holding, replaying. */
#include <glib/gstdio.h>
#include <libsoup/soup.h>
#include <string.h>
#include <unistd.h>

#include "rw-certificate.h"
#include "rw-proxy-private.h"

#define PAGE "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two"

typedef struct
{
  char *folder;
  RwScripts *scripts;
  GPtrArray *exchanges;
  RwProxy *proxy;
  SoupSession *session;
  RwProxyDecision decision;
  GString *log; /* what the callbacks were told */
  SoupServer *upstream;
  guint n_upstream; /* requests that it got */
} Fixture;

/* --- Fixture --- */

static RwProxyDecision
on_decide (RwProxy *proxy, const RwProxyRequest *request, gpointer user_data)
{
  Fixture *self = user_data;
  g_string_append_printf (self->log, "%u %s %u|", request->number, rw_proxy_what_name (request->what), request->status);
  return self->decision;
}

static void
on_exchange (RwProxy *proxy, const RwExchange *exchange, gpointer user_data)
{
  Fixture *self = user_data;
  RwExchange *copy = g_new0 (RwExchange, 1);
  copy->number = exchange->number;
  copy->method = g_strdup (exchange->method);
  copy->url = g_strdup (exchange->url);
  copy->request_headers = g_strdup (exchange->request_headers);
  copy->request_body = exchange->request_body != NULL ? g_bytes_ref (exchange->request_body) : NULL;
  copy->status = exchange->status;
  copy->reason = g_strdup (exchange->reason);
  copy->headers = g_strdup (exchange->headers);
  copy->body = exchange->body != NULL ? g_bytes_ref (exchange->body) : NULL;
  copy->latency_ms = exchange->latency_ms;
  g_test_message ("%u %s %s", copy->status, copy->url, copy->reason);
  g_ptr_array_add (self->exchanges, copy);
}

static void
on_missing (RwProxy *proxy, const RwProxyRequest *request, gpointer user_data)
{
  g_string_append_printf (((Fixture *)user_data)->log, "missing %s|", request->url);
}

static void
on_sent (RwProxy *proxy, guint number, gpointer user_data)
{
  g_string_append_printf (((Fixture *)user_data)->log, "sent %u|", number);
}

static const RwProxyCallbacks callbacks = { on_decide, on_exchange, on_missing, on_sent };

static void
write_file (Fixture *self, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_mkdir_with_parents (parent, 0700);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static gboolean
take_certificate (SoupMessage *message, GTlsCertificate *certificate, GTlsCertificateFlags errors, gpointer user_data)
{
  return TRUE;
}

/* A client that sends everything through the proxy, as the view does. */
static void
start (Fixture *self, RwProxyOptions options)
{
  g_autoptr (GError) error = NULL;
  g_clear_object (&self->session);
  g_clear_pointer (&self->proxy, rw_proxy_free);
  options.scripts = self->scripts;
  self->proxy = rw_proxy_new (&options, &callbacks, self, &error);
  g_assert_no_error (error);
  g_autoptr (GProxyResolver) resolver = g_simple_proxy_resolver_new (rw_proxy_uri (self->proxy), NULL);
  self->session = soup_session_new_with_options ("proxy-resolver", resolver, "timeout", 10, NULL);
}

static void
start_folder (Fixture *self)
{
  start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .folder = self->folder, .host = "site.test" });
}

static void
start_replay (Fixture *self)
{
  start (self, (RwProxyOptions){ .mode = RW_PROXY_REPLAY, .exchanges = self->exchanges });
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("rw-proxy-XXXXXX", NULL);
  self->scripts = rw_scripts_new ();
  self->exchanges = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_exchange_free);
  self->log = g_string_new (NULL);
  write_file (self, "index.html", PAGE);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name = dir != NULL ? g_dir_read_name (dir) : NULL; name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        remove_folder (child);
      else
        g_unlink (child);
    }
  g_rmdir (path);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_clear_object (&self->session);
  g_clear_pointer (&self->proxy, rw_proxy_free);
  g_clear_object (&self->upstream);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  rw_scripts_unref (self->scripts);
  g_ptr_array_unref (self->exchanges);
  g_string_free (self->log, TRUE);
  remove_folder (self->folder);
  g_free (self->folder);
}

/* --- A client --- */

typedef struct
{
  SoupMessage *message;
  GCancellable *cancellable;
  GBytes *body;
  GError *error;
  gboolean done;
} Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Answer *self = user_data;
  self->body = soup_session_send_and_read_finish (SOUP_SESSION (source), result, &self->error);
  self->done = TRUE;
}

static Answer *
new_answer (const char *method, const char *url, guint number)
{
  Answer *answer = g_new0 (Answer, 1);
  answer->message = soup_message_new (method, url);
  answer->cancellable = g_cancellable_new ();
  SoupMessageHeaders *headers = soup_message_get_request_headers (answer->message);
  g_autofree char *text = g_strdup_printf ("%u", number);
  if (number > 0)
    soup_message_headers_append (headers, "X-RW", text);
  if (g_str_has_suffix (url, "/") || g_str_has_suffix (url, ".html"))
    soup_message_headers_append (headers, "Accept", "text/html,application/xhtml+xml");
  soup_message_set_flags (answer->message, SOUP_MESSAGE_NO_REDIRECT);
  g_signal_connect (answer->message, "accept-certificate", G_CALLBACK (take_certificate), NULL);
  return answer;
}

static Answer *
ask (Fixture *self, const char *method, const char *url, guint number)
{
  Answer *answer = new_answer (method, url, number);
  soup_session_send_and_read_async (self->session, answer->message, G_PRIORITY_DEFAULT, answer->cancellable, on_answer,
                                    answer);
  return answer;
}

static void
wait_for (Answer *answer)
{
  while (!answer->done)
    g_main_context_iteration (NULL, TRUE);
}

static void
answer_free (Answer *self)
{
  g_clear_object (&self->message);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_clear_error (&self->error);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Answer, answer_free)

static Answer *
get (Fixture *self, const char *url)
{
  Answer *answer = ask (self, "GET", url, 0);
  wait_for (answer);
  return answer;
}

static void
send_and_wait (Fixture *self, Answer *answer)
{
  soup_session_send_and_read_async (self->session, answer->message, G_PRIORITY_DEFAULT, answer->cancellable, on_answer,
                                    answer);
  wait_for (answer);
}

static void
run_for (guint ms)
{
  for (guint i = 0; i < ms; i++)
    {
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_usleep (1000);
    }
}

static const char *
response_header (const Answer *answer, const char *name)
{
  return soup_message_headers_get_list (soup_message_get_response_headers (answer->message), name);
}

static gboolean
body_has (const Answer *answer, const char *piece)
{
  return g_strstr_len (g_bytes_get_data (answer->body, NULL), g_bytes_get_size (answer->body), piece) != NULL;
}

static char *
body_text (const Answer *answer)
{
  gsize length;
  const char *data = g_bytes_get_data (answer->body, &length);
  return g_strndup (length > 0 ? data : "", length);
}

static void
assert_body (const Answer *answer, guint status, const char *expected)
{
  g_assert_no_error (answer->error);
  g_assert_cmpuint (soup_message_get_status (answer->message), ==, status);
  g_autofree char *text = body_text (answer);
  g_assert_cmpstr (g_strchug (text), ==, expected);
}

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
  start (self, options);
  return base;
}

static Answer *
get_from (Fixture *self, const char *base, const char *path)
{
  g_autofree char *url = g_strconcat (base, path, NULL);
  return get (self, url);
}

static RwExchange *
last_exchange (Fixture *self)
{
  g_assert_cmpuint (self->exchanges->len, >, 0);
  return self->exchanges->pdata[self->exchanges->len - 1];
}

/* --- A folder --- */

static void
test_folder (Fixture *self, gconstpointer data)
{
  write_file (self, "style.css", "p{}");
  start_folder (self);
  g_autoptr (Answer) page = get (self, "http://site.test/");
  assert_body (page, 200, PAGE);
  g_autoptr (Answer) style = get (self, "http://site.test/style.css?v=1");
  assert_body (style, 200, "p{}");
  run_for (5);
  g_assert_cmpstr (self->log->str, ==, "0 document 200|sent 0|0 style 200|sent 0|");
  g_assert_cmpstr (response_header (style, "Cache-Control"), ==, "no-store");
  g_assert_cmpstr (response_header (page, "Content-Type"), ==, "text/html; charset=utf-8");
  g_assert_cmpuint (last_exchange (self)->latency_ms, ==, 10);
}

static void
test_names (Fixture *self, gconstpointer data)
{
  write_file (self, "sub/index.html", "<p>sub");
  write_file (self, "a b/é.txt", "spaced");
  write_file (self, ".hidden", "secret");
  g_autofree char *link = g_build_filename (self->folder, "link", NULL);
  g_autofree char *linked_folder = g_build_filename (self->folder, "out", NULL);
  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  g_assert_cmpint (symlink ("/etc", linked_folder), ==, 0);
  start_folder (self);
  static const struct
  {
    const char *url;
    guint status;
  } cases[] = {
    { "http://site.test/sub/", 200 },
    { "http://site.test/sub", 301 },
    { "http://site.test/a%20b/%C3%A9.txt", 200 },
    { "http://site.test/none.txt", 404 },
    { "http://site.test/.hidden", 404 },
    { "http://site.test/%2e%2e/%2e%2e/etc/passwd", 404 },
    { "http://site.test/sub/..%2f..%2fetc/passwd", 404 },
    { "http://site.test/link", 404 },
    { "http://site.test/out/passwd", 404 },
    { "http://site.test/index.html%00.txt", 404 },
    { "http://site.test/index.html/", 404 },
    { "http://SITE.test/index.html", 200 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Answer) answer = get (self, cases[i].url);
      g_test_message ("%s", cases[i].url);
      g_assert_no_error (answer->error);
      g_assert_cmpuint (soup_message_get_status (answer->message), ==, cases[i].status);
    }
  g_autoptr (Answer) post = ask (self, "POST", "http://site.test/", 0);
  wait_for (post);
  g_assert_cmpuint (soup_message_get_status (post->message), ==, 405);
}

static void
test_latencies (Fixture *self, gconstpointer data)
{
  static const RwProxyLatency latencies[] = { { "/slow*", 700 }, { "*.txt?fast", 1 } };
  write_file (self, "slow.txt", "a");
  write_file (self, "quick.txt", "b");
  start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE,
                                 .folder = self->folder,
                                 .host = "site.test",
                                 .latencies = latencies,
                                 .n_latencies = 2 });
  g_autoptr (Answer) slow = get (self, "http://site.test/slow.txt");
  g_assert_cmpuint (last_exchange (self)->latency_ms, ==, 700);
  g_autoptr (Answer) quick = get (self, "http://site.test/quick.txt?fast");
  g_assert_cmpuint (last_exchange (self)->latency_ms, ==, 1);
}

static void
test_bad_folders (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *none = g_build_filename (self->folder, "none", NULL);
  g_autofree char *file = g_build_filename (self->folder, "index.html", NULL);
  RwProxyOptions options = { .mode = RW_PROXY_LIVE, .folder = none };
  g_assert_null (rw_proxy_new (&options, NULL, NULL, &error));
  g_assert_error (error, RW_PROXY_ERROR, RW_PROXY_ERROR_FOLDER);
  g_assert_nonnull (strstr (error->message, none));
  g_clear_error (&error);
  options.folder = file;
  g_assert_null (rw_proxy_new (&options, NULL, NULL, &error));
  g_assert_error (error, RW_PROXY_ERROR, RW_PROXY_ERROR_FOLDER);
}

static void
test_https (Fixture *self, gconstpointer data)
{
  start_folder (self);
  g_autoptr (Answer) page = get (self, "https://site.test/");
  assert_body (page, 200, PAGE);
  g_assert_cmpstr (last_exchange (self)->url, ==, "https://site.test/");
  g_assert_true (g_str_has_prefix (rw_proxy_certificate_pem (self->proxy), "-----BEGIN CERTIFICATE-----"));
  g_assert_null (strstr (rw_proxy_certificate_pem (self->proxy), "PRIVATE"));
}

/* --- What is prepared --- */

static void
test_scripts (Fixture *self, gconstpointer data)
{
  write_file (self, "index.html", "<body><script src=classic.js></script><script type=module src=module.js></script>");
  write_file (self, "classic.js", "x = 1");
  write_file (self, "module.js", "import {y} from './dep.js'; x = y");
  write_file (self, "dep.js", "export let y = await 1");
  write_file (self, "data.json", "x = 1");
  start_folder (self);
  g_autoptr (Answer) page = get (self, "http://site.test/");
  g_autoptr (Answer) classic = get (self, "http://site.test/classic.js");
  g_autoptr (Answer) module = get (self, "http://site.test/module.js");
  g_autoptr (Answer) dep = get (self, "http://site.test/dep.js");
  g_autoptr (Answer) json = get (self, "http://site.test/data.json");
  g_assert_true (body_has (classic, "$rw$.W(\"x\""));
  g_assert_true (body_has (module, "$rw$"));
  g_assert_true (body_has (dep, "$rw$"));
  assert_body (json, 200, "x = 1");
  g_assert_cmpuint (rw_scripts_failures (self->scripts)->len, ==, 0);
  g_assert_cmpstr (response_header (classic, "Content-Type"), ==, "text/javascript; charset=utf-8");
  /* The exchange holds what the server sent. */
  g_assert_cmpstr (g_bytes_get_data (((RwExchange *)self->exchanges->pdata[1])->body, NULL), ==, "x = 1");
}

static void
test_fetched_script (Fixture *self, gconstpointer data)
{
  write_file (self, "a.js", "x = 1");
  start_folder (self);
  g_autoptr (Answer) answer = new_answer ("GET", "http://site.test/a.js", 3);
  soup_message_headers_append (soup_message_get_request_headers (answer->message), "X-RW-What", "fetch");
  send_and_wait (self, answer);
  assert_body (answer, 200, "x = 1");
}

static void
test_integrity (Fixture *self, gconstpointer data)
{
  write_file (self, "index.html",
              "<script src=good.js integrity=sha256-j/Q23vFFEoVZmhsa1wgASTuNyv3ikS4aODRWMwVOTCY=></script>"
              "<script src=bad.js integrity=sha256-j/Q23vFFEoVZmhsa1wgASTuNyv3ikS4aODRWMwVOTCY=></script>");
  write_file (self, "good.js", "x = 1");
  write_file (self, "bad.js", "x = 2");
  start_folder (self);
  g_autoptr (Answer) page = get (self, "http://site.test/");
  g_assert_false (body_has (page, "integrity"));
  g_autoptr (Answer) good = get (self, "http://site.test/good.js");
  g_assert_no_error (good->error);
  g_assert_true (body_has (good, "$rw$"));
  g_autoptr (Answer) bad = get (self, "http://site.test/bad.js");
  g_assert_nonnull (bad->error);
}

/* --- Holding --- */

static void
test_segments (Fixture *self, gconstpointer data)
{
  start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_autoptr (Answer) page = ask (self, "GET", "http://site.test/", 7);
  while (self->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  RwHtml *html = rw_proxy_html (self->proxy, 7);
  g_assert_cmpuint (rw_html_n_segments (html), ==, 3);
  g_assert_true (rw_proxy_release_segment (self->proxy, 7, 0));
  g_assert_true (rw_proxy_release_segment (self->proxy, 7, 1));
  g_assert_true (rw_proxy_release_segment (self->proxy, 7, 0));
  g_assert_false (rw_proxy_release_segment (self->proxy, 7, 3));
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 1);
  run_for (50);
  g_assert_false (page->done);
  g_assert_true (rw_proxy_release (self->proxy, 7));
  wait_for (page);
  assert_body (page, 200, PAGE);
  g_assert_false (rw_proxy_release (self->proxy, 7));
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 0);
  run_for (5);
  g_assert_cmpstr (self->log->str, ==, "7 document 200|sent 7|");
}

static void
test_hold_and_early_release (Fixture *self, gconstpointer data)
{
  write_file (self, "a.txt", "a");
  write_file (self, "b.txt", "b");
  start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_assert_true (rw_proxy_release (self->proxy, 2));
  g_assert_true (rw_proxy_release_segment (self->proxy, 3, 2));
  g_autoptr (Answer) held = ask (self, "GET", "http://site.test/a.txt", 1);
  g_autoptr (Answer) early = ask (self, "GET", "http://site.test/b.txt", 2);
  g_autoptr (Answer) page = ask (self, "GET", "http://site.test/", 3);
  g_autoptr (Answer) unnumbered = ask (self, "GET", "http://site.test/b.txt", 0);
  wait_for (early);
  wait_for (page);
  wait_for (unnumbered);
  assert_body (early, 200, "b");
  assert_body (page, 200, PAGE);
  g_assert_false (held->done);
  g_assert_true (rw_proxy_release (self->proxy, 1));
  wait_for (held);
  assert_body (held, 200, "a");
}

static void
test_new_run (Fixture *self, gconstpointer data)
{
  start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_autoptr (Answer) old = ask (self, "GET", "http://site.test/", 1);
  while (self->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  rw_proxy_release_segment (self->proxy, 1, 0);
  run_for (20);
  rw_proxy_begin_run (self->proxy);
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 0);
  g_assert_null (rw_proxy_html (self->proxy, 1));
  wait_for (old);
  g_assert_true (old->error != NULL || !body_has (old, "two"));
  self->decision = RW_PROXY_LET_GO;
  g_autoptr (Answer) again = ask (self, "GET", "http://site.test/", 1);
  wait_for (again);
  assert_body (again, 200, PAGE);
}

static void
test_client_goes_away (Fixture *self, gconstpointer data)
{
  start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_autoptr (Answer) answer = ask (self, "GET", "http://site.test/", 1);
  while (self->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  rw_proxy_release_segment (self->proxy, 1, 0);
  run_for (20);
  g_cancellable_cancel (answer->cancellable);
  wait_for (answer);
  run_for (50);
  /* The connection is found closed at the next write at the latest. */
  rw_proxy_release_segment (self->proxy, 1, 1);
  run_for (50);
  rw_proxy_release (self->proxy, 1);
  run_for (50);
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 0);
}

/* --- Replaying --- */

static void
test_replay (Fixture *self, gconstpointer data)
{
  start_folder (self);
  g_autoptr (Answer) live = get (self, "http://site.test/");
  start_replay (self);
  g_string_truncate (self->log, 0);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (Answer) again = get (self, "http://site.test/");
      assert_body (again, 200, PAGE);
    }
  g_autoptr (Answer) other = get (self, "http://site.test/other");
  g_assert_nonnull (other->error);
  g_assert_nonnull (strstr (self->log->str, "missing http://site.test/other|"));
}

static void
add_exchange (Fixture *self, const char *method, const char *url, const char *id, const char *sent, const char *body)
{
  RwExchange *exchange = g_new0 (RwExchange, 1);
  exchange->number = self->exchanges->len;
  exchange->method = g_strdup (method);
  exchange->url = g_strdup (url);
  exchange->request_headers = id != NULL ? g_strdup_printf ("Accept: */*\nX-RW-Id: %s\n", id) : g_strdup ("");
  exchange->request_body = sent != NULL ? g_bytes_new (sent, strlen (sent)) : NULL;
  exchange->status = body != NULL ? 200 : 0;
  exchange->reason = g_strdup (body != NULL ? "OK" : "Connection refused");
  exchange->headers = g_strdup ("Content-Type: text/plain\n");
  exchange->body = body != NULL ? g_bytes_new (body, strlen (body)) : NULL;
  g_ptr_array_add (self->exchanges, exchange);
}

/* The body of the answer to a request, or "-" for a failed network. */
static char *
replay (Fixture *self, const char *method, const char *id, const char *sent)
{
  g_autoptr (Answer) answer = new_answer (method, "http://a.test/x", 0);
  if (id != NULL)
    soup_message_headers_append (soup_message_get_request_headers (answer->message), "X-RW-Id", id);
  if (sent != NULL)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (sent, strlen (sent));
      soup_message_set_request_body_from_bytes (answer->message, "text/plain", bytes);
    }
  send_and_wait (self, answer);
  if (answer->error != NULL)
    return g_strdup ("-");
  return body_text (answer);
}

static void
assert_replayed (Fixture *self, const char *method, const char *id, const char *sent, const char *expected)
{
  g_autofree char *got = replay (self, method, id, sent);
  g_assert_cmpstr (got, ==, expected);
}

static void
test_replay_choice (Fixture *self, gconstpointer data)
{
  add_exchange (self, "GET", "http://a.test/x", "timer", NULL, "first");
  add_exchange (self, "GET", "http://a.test:80/x", "click", NULL, "second");
  add_exchange (self, "POST", "http://a.test/x", NULL, "p", "posted p");
  add_exchange (self, "POST", "http://a.test/x", NULL, "q", "posted q");
  add_exchange (self, "PUT", "http://a.test/x", NULL, NULL, NULL);
  start_replay (self);
  for (guint run = 0; run < 2; run++)
    {
      assert_replayed (self, "GET", NULL, NULL, "first");
      assert_replayed (self, "GET", NULL, NULL, "second");
      assert_replayed (self, "GET", NULL, NULL, "second");
      assert_replayed (self, "GET", "click", NULL, "second");
      assert_replayed (self, "GET", "timer", NULL, "first");
      assert_replayed (self, "POST", NULL, "q", "posted q");
      assert_replayed (self, "POST", NULL, "p", "posted p");
      assert_replayed (self, "POST", NULL, "p", "-");
      assert_replayed (self, "POST", NULL, "r", "-");
      assert_replayed (self, "PUT", NULL, NULL, "-");
      assert_replayed (self, "DELETE", NULL, NULL, "-");
      rw_proxy_begin_run (self->proxy);
    }
}

static void
test_ranges (Fixture *self, gconstpointer data)
{
  add_exchange (self, "GET", "http://a.test/x", NULL, NULL, "0123456789");
  start_replay (self);
  static const struct
  {
    const char *range;
    guint status;
    const char *body;
  } cases[] = { { "bytes=0-1", 206, "01" },
                { "bytes=4-", 206, "456789" },
                { "bytes=-3", 206, "789" },
                { "bytes=8-99", 206, "89" },
                { "bytes=20-", 416, "" },
                { "lines=1-2", 200, "0123456789" },
                { "bytes=0-1,4-5", 200, "0123456789" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Answer) answer = new_answer ("GET", "http://a.test/x", 0);
      soup_message_headers_append (soup_message_get_request_headers (answer->message), "Range", cases[i].range);
      send_and_wait (self, answer);
      g_test_message ("%s", cases[i].range);
      assert_body (answer, cases[i].status, cases[i].body);
    }
}

static void
test_damaged_recording (Fixture *self, gconstpointer data)
{
  RwExchange *empty = g_new0 (RwExchange, 1);
  g_ptr_array_add (self->exchanges, empty);
  RwExchange *odd = g_new0 (RwExchange, 1);
  odd->method = g_strdup ("GET");
  odd->url = g_strdup ("http://a.test/x");
  odd->status = 200;
  odd->headers = g_strdup ("no colon\n: no name\nA: b\nContent-Type: text/html; charset=\n\n");
  g_ptr_array_add (self->exchanges, odd);
  add_exchange (self, "GET", "not an address", NULL, NULL, "x");
  start_replay (self);
  assert_replayed (self, "GET", NULL, NULL, "");
}

/* --- Recording a server --- */

static void
test_upstream (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autofree char *url = g_strconcat (base, "/echo", NULL);
  g_autoptr (Answer) post = new_answer ("POST", url, 4);
  g_autoptr (GBytes) sent = g_bytes_new_static ("hello", 5);
  soup_message_set_request_body_from_bytes (post->message, "text/plain", sent);
  soup_message_headers_append (soup_message_get_request_headers (post->message), "Cookie", "k=v");
  soup_message_headers_append (soup_message_get_request_headers (post->message), "X-RW-Id", "click/1");
  send_and_wait (self, post);
  assert_body (post, 200, "POST k=v hello");
  RwExchange *exchange = last_exchange (self);
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
  g_autoptr (Answer) redirect = get_from (self, base, "/redirect");
  assert_body (redirect, 302, "");
  g_assert_nonnull (strstr (response_header (redirect, "Location"), "/echo"));
  g_autoptr (Answer) cookies = get_from (self, base, "/cookies");
  assert_body (cookies, 200, "c");
  g_assert_nonnull (strstr (last_exchange (self)->headers, "Set-Cookie: a=1; HttpOnly\nSet-Cookie: b=2\n"));
  g_assert_nonnull (strstr (last_exchange (self)->headers, "Cache-Control: max-age=1000\n"));
  g_assert_cmpstr (response_header (cookies, "Cache-Control"), ==, "no-store");
  g_assert_cmpstr (response_header (cookies, "X-Content-Type-Options"), ==, "nosniff");
  g_assert_null (response_header (cookies, "Strict-Transport-Security"));
  g_autoptr (Answer) gzip = get_from (self, base, "/gzip");
  assert_body (gzip, 200, "abc");
  g_assert_null (strstr (last_exchange (self)->headers, "Content-Encoding"));
  g_autoptr (Answer) large = get_from (self, base, "/large");
  g_assert_nonnull (large->error);
  g_assert_cmpuint (last_exchange (self)->status, ==, 0);
  g_assert_nonnull (strstr (last_exchange (self)->reason, "larger than"));
}

static void
test_record_and_replay (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autoptr (Answer) live = get_from (self, base, "/gzip");
  start_replay (self);
  self->n_upstream = 0;
  g_autoptr (Answer) again = get_from (self, base, "/gzip");
  assert_body (again, 200, "abc");
  g_assert_cmpuint (self->n_upstream, ==, 0);
}

static void
test_private_addresses (Fixture *self, gconstpointer data)
{
  g_autofree char *base = start_upstream (self, NULL, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autofree char *elsewhere = g_strdup_printf ("http://localhost:%s", strrchr (base, ':') + 1);
  self->n_upstream = 0;
  g_autoptr (Answer) by_name = get_from (self, elsewhere, "/echo");
  g_assert_nonnull (by_name->error);
  g_assert_nonnull (strstr (last_exchange (self)->reason, "private address"));
  g_autoptr (Answer) literal = get (self, "http://10.0.0.1/");
  g_assert_nonnull (literal->error);
  g_assert_nonnull (strstr (last_exchange (self)->reason, "private address"));
  g_assert_cmpuint (self->n_upstream, ==, 0);
}

static void
test_failures (Fixture *self, gconstpointer data)
{
  start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .page_url = "http://127.0.0.1:9/" });
  g_autoptr (Answer) refused = get (self, "http://127.0.0.1:9/");
  g_assert_nonnull (refused->error);
  g_assert_cmpuint (last_exchange (self)->status, ==, 0);
  g_assert_cmpstr (last_exchange (self)->reason, !=, "");
  start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .offline = TRUE });
  g_autoptr (Answer) offline = get (self, "http://a.test/");
  g_assert_nonnull (offline->error);
  g_assert_nonnull (strstr (last_exchange (self)->reason, "without a network"));
}

static void
test_certificates (Fixture *self, gconstpointer data)
{
  g_autoptr (GTlsCertificate) certificate = rw_certificate_new (NULL);
  g_autofree char *base = start_upstream (self, certificate, (RwProxyOptions){ .mode = RW_PROXY_LIVE });
  g_autoptr (Answer) refused = get_from (self, base, "/echo");
  g_assert_nonnull (refused->error);
  g_assert_nonnull (strstr (last_exchange (self)->reason, "certificate"));
  g_autofree char *page = g_strconcat (base, "/", NULL);
  start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .page_url = page, .insecure = TRUE });
  g_autoptr (Answer) taken = get_from (self, base, "/echo");
  assert_body (taken, 200, "GET (null) ");
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
  g_signal_connect (message, "accept-certificate", G_CALLBACK (take_certificate), NULL);
  soup_session_websocket_connect_async (self->session, message, NULL, protocols, G_PRIORITY_DEFAULT, NULL,
                                        on_talk_connected, &talk);
  while (!talk.done)
    g_main_context_iteration (NULL, TRUE);
  for (guint i = 0; talk.connection != NULL && words[i] != NULL; i++)
    {
      run_for (30);
      soup_websocket_connection_send_text (talk.connection, words[i]);
    }
  run_for (60);
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
  run_for (30);
  RwExchange *exchange = last_exchange (self);
  g_assert_cmpstr (exchange->url, ==, url);
  g_assert_cmpuint (exchange->status, ==, 101);
  g_autofree char *frames = g_strndup (g_bytes_get_data (exchange->body, NULL), g_bytes_get_size (exchange->body));
  g_assert_true (g_str_has_prefix (frames, "s t 0 7\nwelcome\nc t 0 3\none\ns t 0 8\necho one\n"));
  start_replay (self);
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
  run_for (30);
  g_assert_cmpuint (self->exchanges->len, ==, 0);
  rw_proxy_flush (self->proxy);
  g_assert_cmpuint (last_exchange (self)->status, ==, 101);
  /* What was handed over is not handed over again. */
  rw_proxy_begin_run (self->proxy);
  run_for (30);
  g_assert_cmpuint (self->exchanges->len, ==, 1);
  g_clear_object (&open.connection);
  g_string_free (open.got, TRUE);
  start_replay (self);
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
  g_test_add ("/recorder/proxy/serves-a-folder", Fixture, NULL, set_up, test_folder, tear_down);
  g_test_add ("/recorder/proxy/nothing-outside-the-folder", Fixture, NULL, set_up, test_names, tear_down);
  g_test_add ("/recorder/proxy/latencies-by-pattern", Fixture, NULL, set_up, test_latencies, tear_down);
  g_test_add ("/recorder/proxy/bad-folders-are-named", Fixture, NULL, set_up, test_bad_folders, tear_down);
  g_test_add ("/recorder/proxy/tunnels-https", Fixture, NULL, set_up, test_https, tear_down);
  g_test_add ("/recorder/proxy/scripts-and-modules-are-rewritten", Fixture, NULL, set_up, test_scripts, tear_down);
  g_test_add ("/recorder/proxy/fetched-scripts-are-data", Fixture, NULL, set_up, test_fetched_script, tear_down);
  g_test_add ("/recorder/proxy/integrity-is-kept", Fixture, NULL, set_up, test_integrity, tear_down);
  g_test_add ("/recorder/proxy/sends-segment-by-segment", Fixture, NULL, set_up, test_segments, tear_down);
  g_test_add ("/recorder/proxy/holds-and-releases-early", Fixture, NULL, set_up, test_hold_and_early_release,
              tear_down);
  g_test_add ("/recorder/proxy/a-new-run-drops-the-old", Fixture, NULL, set_up, test_new_run, tear_down);
  g_test_add ("/recorder/proxy/a-client-may-go-away", Fixture, NULL, set_up, test_client_goes_away, tear_down);
  g_test_add ("/recorder/proxy/replays-without-a-network", Fixture, NULL, set_up, test_replay, tear_down);
  g_test_add ("/recorder/proxy/replay-chooses-by-identity-and-ordinal", Fixture, NULL, set_up, test_replay_choice,
              tear_down);
  g_test_add ("/recorder/proxy/ranges-of-whole-bodies", Fixture, NULL, set_up, test_ranges, tear_down);
  g_test_add ("/recorder/proxy/damaged-recordings-do-no-harm", Fixture, NULL, set_up, test_damaged_recording,
              tear_down);
  g_test_add ("/recorder/proxy/records-requests", Fixture, NULL, set_up, test_upstream, tear_down);
  g_test_add ("/recorder/proxy/records-answers", Fixture, NULL, set_up, test_answers, tear_down);
  g_test_add ("/recorder/proxy/replays-what-it-recorded", Fixture, NULL, set_up, test_record_and_replay, tear_down);
  g_test_add ("/recorder/proxy/private-addresses-are-refused", Fixture, NULL, set_up, test_private_addresses,
              tear_down);
  g_test_add ("/recorder/proxy/failures-are-recorded", Fixture, NULL, set_up, test_failures, tear_down);
  g_test_add ("/recorder/proxy/certificates-are-verified", Fixture, NULL, set_up, test_certificates, tear_down);
  g_test_add ("/recorder/proxy/private-ranges", Fixture, NULL, set_up, test_private_ranges, tear_down);
  g_test_add ("/recorder/proxy/websockets-are-recorded-and-replayed", Fixture, NULL, set_up, test_websockets,
              tear_down);
  g_test_add ("/recorder/proxy/secure-websockets-too", Fixture, "tls", set_up, test_websockets, tear_down);
  g_test_add ("/recorder/proxy/open-websockets-are-handed-over", Fixture, NULL, set_up, test_open_websocket, tear_down);
  g_test_add ("/recorder/proxy/frames-are-checked", Fixture, NULL, set_up, test_frames, tear_down);
  return g_test_run ();
}
