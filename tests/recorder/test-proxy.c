/* SPDX-License-Identifier: MIT */
/* The proxy with a real client on loopback: a folder, tunnels with TLS, holding, replaying. */
#include <glib/gstdio.h>
#include <libsoup/soup.h>
#include <string.h>

#include "rw-proxy.h"

typedef struct
{
  char *folder;
  RwScripts *scripts;
  GPtrArray *exchanges;
  RwProxy *proxy;
  SoupSession *session;
  RwProxyDecision decision;
  GString *log; /* what the callbacks were told */
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
  write_file (self, "index.html", "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two");
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
ask (Fixture *self, const char *method, const char *url, guint number)
{
  Answer *answer = g_new0 (Answer, 1);
  answer->message = soup_message_new (method, url);
  SoupMessageHeaders *headers = soup_message_get_request_headers (answer->message);
  g_autofree char *text = g_strdup_printf ("%u", number);
  if (number > 0)
    soup_message_headers_append (headers, "X-RW", text);
  if (g_str_has_suffix (url, "/") || g_str_has_suffix (url, ".html"))
    soup_message_headers_append (headers, "Accept", "text/html,application/xhtml+xml");
  soup_message_set_flags (answer->message, SOUP_MESSAGE_NO_REDIRECT);
  g_signal_connect (answer->message, "accept-certificate", G_CALLBACK (take_certificate), NULL);
  soup_session_send_and_read_async (self->session, answer->message, G_PRIORITY_DEFAULT, NULL, on_answer, answer);
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
assert_body (const Answer *answer, guint status, const char *expected)
{
  g_assert_no_error (answer->error);
  g_assert_cmpuint (soup_message_get_status (answer->message), ==, status);
  g_autofree char *text = g_strndup (g_bytes_get_data (answer->body, NULL), g_bytes_get_size (answer->body));
  g_assert_cmpstr (g_strchug (text), ==, expected);
}

/* --- Tests --- */

static void
test_folder (Fixture *self, gconstpointer data)
{
  write_file (self, "style.css", "p{}");
  start_folder (self);
  g_autoptr (Answer) page = get (self, "http://site.test/");
  assert_body (page, 200, "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two");
  g_autoptr (Answer) style = get (self, "http://site.test/style.css?v=1");
  assert_body (style, 200, "p{}");
  g_assert_cmpstr (self->log->str, ==, "0 document 200|sent 0|0 style 200|sent 0|");
  SoupMessageHeaders *headers = soup_message_get_response_headers (style->message);
  g_assert_cmpstr (soup_message_headers_get_one (headers, "Cache-Control"), ==, "no-store");
}

static void
test_https (Fixture *self, gconstpointer data)
{
  start_folder (self);
  g_autoptr (Answer) page = get (self, "https://site.test/");
  assert_body (page, 200, "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two");
  g_assert_cmpstr (((RwExchange *)self->exchanges->pdata[0])->url, ==, "https://site.test/");
}

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
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 1);
  for (guint i = 0; i < 50; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
  g_assert_false (page->done);
  g_assert_true (rw_proxy_release (self->proxy, 7));
  wait_for (page);
  assert_body (page, 200, "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two");
}

static void
test_replay (Fixture *self, gconstpointer data)
{
  start_folder (self);
  g_autoptr (Answer) live = get (self, "http://site.test/");
  start_replay (self);
  g_string_truncate (self->log, 0);
  g_autoptr (Answer) again = get (self, "http://site.test/");
  assert_body (again, 200, "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two");
  g_autoptr (Answer) other = get (self, "http://site.test/other");
  g_assert_nonnull (other->error);
  g_assert_nonnull (strstr (self->log->str, "missing http://site.test/other|"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/recorder/proxy/serves-a-folder", Fixture, NULL, set_up, test_folder, tear_down);
  g_test_add ("/recorder/proxy/tunnels-https", Fixture, NULL, set_up, test_https, tear_down);
  g_test_add ("/recorder/proxy/sends-segment-by-segment", Fixture, NULL, set_up, test_segments, tear_down);
  g_test_add ("/recorder/proxy/replays-without-a-network", Fixture, NULL, set_up, test_replay, tear_down);
  return g_test_run ();
}
