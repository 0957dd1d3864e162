/* SPDX-License-Identifier: MIT */
/* The fixture of the proxy's tests: what the callbacks were told goes into a log. */
#include "rw-proxy-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

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

void
rw_test_write_file (Fixture *self, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_mkdir_with_parents (parent, 0700);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

gboolean
rw_test_take_certificate (SoupMessage *message, GTlsCertificate *certificate, GTlsCertificateFlags errors,
                          gpointer user_data)
{
  return TRUE;
}

/* A client that sends everything through the proxy, as the view does. */
void
rw_test_start (Fixture *self, RwProxyOptions options)
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

void
rw_test_start_folder (Fixture *self)
{
  rw_test_start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE, .folder = self->folder, .host = "site.test" });
}

void
rw_test_start_replay (Fixture *self)
{
  rw_test_start (self, (RwProxyOptions){ .mode = RW_PROXY_REPLAY, .exchanges = self->exchanges });
}

void
rw_test_set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("rw-proxy-XXXXXX", NULL);
  self->scripts = rw_scripts_new ();
  self->exchanges = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_exchange_free);
  self->log = g_string_new (NULL);
  rw_test_write_file (self, "index.html", PAGE);
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

void
rw_test_tear_down (Fixture *self, gconstpointer data)
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

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Answer *self = user_data;
  self->body = soup_session_send_and_read_finish (SOUP_SESSION (source), result, &self->error);
  self->done = TRUE;
}

Answer *
rw_test_new_answer (const char *method, const char *url, guint number)
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
  g_signal_connect (answer->message, "accept-certificate", G_CALLBACK (rw_test_take_certificate), NULL);
  return answer;
}

Answer *
rw_test_ask (Fixture *self, const char *method, const char *url, guint number)
{
  Answer *answer = rw_test_new_answer (method, url, number);
  soup_session_send_and_read_async (self->session, answer->message, G_PRIORITY_DEFAULT, answer->cancellable, on_answer,
                                    answer);
  return answer;
}

void
rw_test_wait_for (Answer *answer)
{
  while (!answer->done)
    g_main_context_iteration (NULL, TRUE);
}

void
rw_test_answer_free (Answer *self)
{
  g_clear_object (&self->message);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_clear_error (&self->error);
  g_free (self);
}
Answer *
rw_test_get (Fixture *self, const char *url)
{
  Answer *answer = rw_test_ask (self, "GET", url, 0);
  rw_test_wait_for (answer);
  return answer;
}

void
rw_test_send_and_wait (Fixture *self, Answer *answer)
{
  soup_session_send_and_read_async (self->session, answer->message, G_PRIORITY_DEFAULT, answer->cancellable, on_answer,
                                    answer);
  rw_test_wait_for (answer);
}

void
rw_test_run_for (guint ms)
{
  for (guint i = 0; i < ms; i++)
    {
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_usleep (1000);
    }
}

const char *
rw_test_response_header (const Answer *answer, const char *name)
{
  return soup_message_headers_get_list (soup_message_get_response_headers (answer->message), name);
}

gboolean
rw_test_body_has (const Answer *answer, const char *piece)
{
  return g_strstr_len (g_bytes_get_data (answer->body, NULL), g_bytes_get_size (answer->body), piece) != NULL;
}

char *
rw_test_body_text (const Answer *answer)
{
  gsize length;
  const char *data = g_bytes_get_data (answer->body, &length);
  return g_strndup (length > 0 ? data : "", length);
}

void
rw_test_assert_body (const Answer *answer, guint status, const char *expected)
{
  g_assert_no_error (answer->error);
  g_assert_cmpuint (soup_message_get_status (answer->message), ==, status);
  g_autofree char *text = rw_test_body_text (answer);
  g_assert_cmpstr (g_strchug (text), ==, expected);
}

Answer *
rw_test_get_from (Fixture *self, const char *base, const char *path)
{
  g_autofree char *url = g_strconcat (base, path, NULL);
  return rw_test_get (self, url);
}

RwExchange *
rw_test_last_exchange (Fixture *self)
{
  g_assert_cmpuint (self->exchanges->len, >, 0);
  return self->exchanges->pdata[self->exchanges->len - 1];
}
