/* SPDX-License-Identifier: MIT */
/* The proxy with a real client on loopback: a folder, tunnels with TLS, holding, replaying. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "rw-proxy-fixture.h"

/* --- A folder --- */

static void
test_folder (Fixture *self, gconstpointer data)
{
  rw_test_write_file (self, "style.css", "p{}");
  rw_test_start_folder (self);
  g_autoptr (Answer) page = rw_test_get (self, "http://site.test/");
  rw_test_assert_body (page, 200, PAGE);
  g_autoptr (Answer) style = rw_test_get (self, "http://site.test/style.css?v=1");
  rw_test_assert_body (style, 200, "p{}");
  rw_test_run_for (5);
  g_assert_cmpstr (self->log->str, ==, "0 document 200|sent 0|0 style 200|sent 0|");
  g_assert_cmpstr (rw_test_response_header (style, "Cache-Control"), ==, "no-store");
  g_assert_cmpstr (rw_test_response_header (page, "Content-Type"), ==, "text/html; charset=utf-8");
  g_assert_cmpuint (rw_test_last_exchange (self)->latency_ms, ==, 10);
}

static void
test_names (Fixture *self, gconstpointer data)
{
  rw_test_write_file (self, "sub/index.html", "<p>sub");
  rw_test_write_file (self, "a b/é.txt", "spaced");
  rw_test_write_file (self, ".hidden", "secret");
  g_autofree char *link = g_build_filename (self->folder, "link", NULL);
  g_autofree char *linked_folder = g_build_filename (self->folder, "out", NULL);
  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  g_assert_cmpint (symlink ("/etc", linked_folder), ==, 0);
  rw_test_start_folder (self);
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
      g_autoptr (Answer) answer = rw_test_get (self, cases[i].url);
      g_test_message ("%s", cases[i].url);
      g_assert_no_error (answer->error);
      g_assert_cmpuint (soup_message_get_status (answer->message), ==, cases[i].status);
    }
  g_autoptr (Answer) post = rw_test_ask (self, "POST", "http://site.test/", 0);
  rw_test_wait_for (post);
  g_assert_cmpuint (soup_message_get_status (post->message), ==, 405);
}

static void
test_latencies (Fixture *self, gconstpointer data)
{
  static const RwProxyLatency latencies[] = { { "/slow*", 700 }, { "*.txt?fast", 1 } };
  rw_test_write_file (self, "slow.txt", "a");
  rw_test_write_file (self, "quick.txt", "b");
  rw_test_start (self, (RwProxyOptions){ .mode = RW_PROXY_LIVE,
                                         .folder = self->folder,
                                         .host = "site.test",
                                         .latencies = latencies,
                                         .n_latencies = 2 });
  g_autoptr (Answer) slow = rw_test_get (self, "http://site.test/slow.txt");
  g_assert_cmpuint (rw_test_last_exchange (self)->latency_ms, ==, 700);
  g_autoptr (Answer) quick = rw_test_get (self, "http://site.test/quick.txt?fast");
  g_assert_cmpuint (rw_test_last_exchange (self)->latency_ms, ==, 1);
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
  rw_test_start_folder (self);
  g_autoptr (Answer) page = rw_test_get (self, "https://site.test/");
  rw_test_assert_body (page, 200, PAGE);
  g_assert_cmpstr (rw_test_last_exchange (self)->url, ==, "https://site.test/");
  g_assert_true (g_str_has_prefix (rw_proxy_certificate_pem (self->proxy), "-----BEGIN CERTIFICATE-----"));
  g_assert_null (strstr (rw_proxy_certificate_pem (self->proxy), "PRIVATE"));
}

/* --- What is prepared --- */

static void
test_scripts (Fixture *self, gconstpointer data)
{
  rw_test_write_file (self, "index.html",
                      "<body><script src=classic.js></script><script type=module src=module.js></script>");
  rw_test_write_file (self, "classic.js", "x = 1");
  rw_test_write_file (self, "module.js", "import {y} from './dep.js'; x = y");
  rw_test_write_file (self, "dep.js", "export let y = await 1");
  rw_test_write_file (self, "data.json", "x = 1");
  rw_test_start_folder (self);
  g_autoptr (Answer) page = rw_test_get (self, "http://site.test/");
  g_autoptr (Answer) classic = rw_test_get (self, "http://site.test/classic.js");
  g_autoptr (Answer) module = rw_test_get (self, "http://site.test/module.js");
  g_autoptr (Answer) dep = rw_test_get (self, "http://site.test/dep.js");
  g_autoptr (Answer) json = rw_test_get (self, "http://site.test/data.json");
  g_assert_true (rw_test_body_has (classic, "$rw$.W(\"x\""));
  g_assert_true (rw_test_body_has (module, "$rw$"));
  g_assert_true (rw_test_body_has (dep, "$rw$"));
  rw_test_assert_body (json, 200, "x = 1");
  g_assert_cmpuint (rw_scripts_failures (self->scripts)->len, ==, 0);
  g_assert_cmpstr (rw_test_response_header (classic, "Content-Type"), ==, "text/javascript; charset=utf-8");
  /* The exchange holds what the server sent. */
  g_assert_cmpstr (g_bytes_get_data (((RwExchange *)self->exchanges->pdata[1])->body, NULL), ==, "x = 1");
}

static void
test_fetched_script (Fixture *self, gconstpointer data)
{
  rw_test_write_file (self, "a.js", "x = 1");
  rw_test_start_folder (self);
  g_autoptr (Answer) answer = rw_test_new_answer ("GET", "http://site.test/a.js", 3);
  soup_message_headers_append (soup_message_get_request_headers (answer->message), "X-RW-What", "fetch");
  rw_test_send_and_wait (self, answer);
  rw_test_assert_body (answer, 200, "x = 1");
}

static void
test_integrity (Fixture *self, gconstpointer data)
{
  rw_test_write_file (self, "index.html",
                      "<script src=good.js integrity=sha256-j/Q23vFFEoVZmhsa1wgASTuNyv3ikS4aODRWMwVOTCY=></script>"
                      "<script src=bad.js integrity=sha256-j/Q23vFFEoVZmhsa1wgASTuNyv3ikS4aODRWMwVOTCY=></script>");
  rw_test_write_file (self, "good.js", "x = 1");
  rw_test_write_file (self, "bad.js", "x = 2");
  rw_test_start_folder (self);
  g_autoptr (Answer) page = rw_test_get (self, "http://site.test/");
  g_assert_false (rw_test_body_has (page, "integrity"));
  g_autoptr (Answer) good = rw_test_get (self, "http://site.test/good.js");
  g_assert_no_error (good->error);
  g_assert_true (rw_test_body_has (good, "$rw$"));
  g_autoptr (Answer) bad = rw_test_get (self, "http://site.test/bad.js");
  g_assert_nonnull (bad->error);
}

/* --- Holding --- */

static void
test_segments (Fixture *self, gconstpointer data)
{
  rw_test_start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_autoptr (Answer) page = rw_test_ask (self, "GET", "http://site.test/", 7);
  while (self->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  RwHtml *html = rw_proxy_html (self->proxy, 7);
  g_assert_cmpuint (rw_html_n_segments (html), ==, 3);
  g_assert_true (rw_proxy_release_segment (self->proxy, 7, 0));
  g_assert_true (rw_proxy_release_segment (self->proxy, 7, 1));
  g_assert_true (rw_proxy_release_segment (self->proxy, 7, 0));
  g_assert_false (rw_proxy_release_segment (self->proxy, 7, 3));
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 1);
  rw_test_run_for (50);
  g_assert_false (page->done);
  g_assert_true (rw_proxy_release (self->proxy, 7));
  rw_test_wait_for (page);
  rw_test_assert_body (page, 200, PAGE);
  g_assert_false (rw_proxy_release (self->proxy, 7));
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 0);
  rw_test_run_for (5);
  g_assert_cmpstr (self->log->str, ==, "7 document 200|sent 7|");
}

static void
test_hold_and_early_release (Fixture *self, gconstpointer data)
{
  rw_test_write_file (self, "a.txt", "a");
  rw_test_write_file (self, "b.txt", "b");
  rw_test_start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_assert_true (rw_proxy_release (self->proxy, 2));
  g_assert_true (rw_proxy_release_segment (self->proxy, 3, 2));
  g_autoptr (Answer) held = rw_test_ask (self, "GET", "http://site.test/a.txt", 1);
  g_autoptr (Answer) early = rw_test_ask (self, "GET", "http://site.test/b.txt", 2);
  g_autoptr (Answer) page = rw_test_ask (self, "GET", "http://site.test/", 3);
  g_autoptr (Answer) unnumbered = rw_test_ask (self, "GET", "http://site.test/b.txt", 0);
  rw_test_wait_for (early);
  rw_test_wait_for (page);
  rw_test_wait_for (unnumbered);
  rw_test_assert_body (early, 200, "b");
  rw_test_assert_body (page, 200, PAGE);
  g_assert_false (held->done);
  g_assert_true (rw_proxy_release (self->proxy, 1));
  rw_test_wait_for (held);
  rw_test_assert_body (held, 200, "a");
}

static void
test_new_run (Fixture *self, gconstpointer data)
{
  rw_test_start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_autoptr (Answer) old = rw_test_ask (self, "GET", "http://site.test/", 1);
  while (self->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  rw_proxy_release_segment (self->proxy, 1, 0);
  rw_test_run_for (20);
  rw_proxy_begin_run (self->proxy);
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 0);
  g_assert_null (rw_proxy_html (self->proxy, 1));
  rw_test_wait_for (old);
  g_assert_true (old->error != NULL || !rw_test_body_has (old, "two"));
  self->decision = RW_PROXY_LET_GO;
  g_autoptr (Answer) again = rw_test_ask (self, "GET", "http://site.test/", 1);
  rw_test_wait_for (again);
  rw_test_assert_body (again, 200, PAGE);
}

static void
test_client_goes_away (Fixture *self, gconstpointer data)
{
  rw_test_start_folder (self);
  self->decision = RW_PROXY_HOLD;
  g_autoptr (Answer) answer = rw_test_ask (self, "GET", "http://site.test/", 1);
  while (self->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  rw_proxy_release_segment (self->proxy, 1, 0);
  rw_test_run_for (20);
  g_cancellable_cancel (answer->cancellable);
  rw_test_wait_for (answer);
  rw_test_run_for (50);
  /* The connection is found closed at the next write at the latest. */
  rw_proxy_release_segment (self->proxy, 1, 1);
  rw_test_run_for (50);
  rw_proxy_release (self->proxy, 1);
  rw_test_run_for (50);
  g_assert_cmpuint (rw_proxy_n_held (self->proxy), ==, 0);
}

/* --- Replaying --- */

static void
test_replay (Fixture *self, gconstpointer data)
{
  rw_test_start_folder (self);
  g_autoptr (Answer) live = rw_test_get (self, "http://site.test/");
  rw_test_start_replay (self);
  g_string_truncate (self->log, 0);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (Answer) again = rw_test_get (self, "http://site.test/");
      rw_test_assert_body (again, 200, PAGE);
    }
  g_autoptr (Answer) other = rw_test_get (self, "http://site.test/other");
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
  g_autoptr (Answer) answer = rw_test_new_answer (method, "http://a.test/x", 0);
  if (id != NULL)
    soup_message_headers_append (soup_message_get_request_headers (answer->message), "X-RW-Id", id);
  if (sent != NULL)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (sent, strlen (sent));
      soup_message_set_request_body_from_bytes (answer->message, "text/plain", bytes);
    }
  rw_test_send_and_wait (self, answer);
  if (answer->error != NULL)
    return g_strdup ("-");
  return rw_test_body_text (answer);
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
  rw_test_start_replay (self);
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
  rw_test_start_replay (self);
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
      g_autoptr (Answer) answer = rw_test_new_answer ("GET", "http://a.test/x", 0);
      soup_message_headers_append (soup_message_get_request_headers (answer->message), "Range", cases[i].range);
      rw_test_send_and_wait (self, answer);
      g_test_message ("%s", cases[i].range);
      rw_test_assert_body (answer, cases[i].status, cases[i].body);
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
  rw_test_start_replay (self);
  assert_replayed (self, "GET", NULL, NULL, "");
}

/* A client asks once more when a connection that it used before fails: the page still sees one failure. */
static void
test_retries (Fixture *self, gconstpointer data)
{
  add_exchange (self, "GET", "http://a.test/x", NULL, NULL, "x");
  rw_test_start_replay (self);
  g_autoptr (Answer) before = rw_test_ask (self, "GET", "http://a.test/x", 1);
  rw_test_wait_for (before);
  rw_test_run_for (5);
  g_string_truncate (self->log, 0);
  g_autoptr (Answer) missing = rw_test_ask (self, "GET", "http://a.test/y", 2);
  rw_test_wait_for (missing);
  g_assert_nonnull (missing->error);
  rw_test_run_for (20);
  g_assert_true (g_str_has_prefix (self->log->str, "missing http://a.test/y|2 other 0|sent 2|"));
  g_assert_null (strstr (self->log->str + 8, "missing"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/recorder/proxy/serves-a-folder", Fixture, NULL, rw_test_set_up, test_folder, rw_test_tear_down);
  g_test_add ("/recorder/proxy/nothing-outside-the-folder", Fixture, NULL, rw_test_set_up, test_names,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/latencies-by-pattern", Fixture, NULL, rw_test_set_up, test_latencies, rw_test_tear_down);
  g_test_add ("/recorder/proxy/bad-folders-are-named", Fixture, NULL, rw_test_set_up, test_bad_folders,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/tunnels-https", Fixture, NULL, rw_test_set_up, test_https, rw_test_tear_down);
  g_test_add ("/recorder/proxy/scripts-and-modules-are-rewritten", Fixture, NULL, rw_test_set_up, test_scripts,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/fetched-scripts-are-data", Fixture, NULL, rw_test_set_up, test_fetched_script,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/integrity-is-kept", Fixture, NULL, rw_test_set_up, test_integrity, rw_test_tear_down);
  g_test_add ("/recorder/proxy/sends-segment-by-segment", Fixture, NULL, rw_test_set_up, test_segments,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/holds-and-releases-early", Fixture, NULL, rw_test_set_up, test_hold_and_early_release,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/a-new-run-drops-the-old", Fixture, NULL, rw_test_set_up, test_new_run,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/a-client-may-go-away", Fixture, NULL, rw_test_set_up, test_client_goes_away,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/replays-without-a-network", Fixture, NULL, rw_test_set_up, test_replay,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/replay-chooses-by-identity-and-ordinal", Fixture, NULL, rw_test_set_up,
              test_replay_choice, rw_test_tear_down);
  g_test_add ("/recorder/proxy/ranges-of-whole-bodies", Fixture, NULL, rw_test_set_up, test_ranges, rw_test_tear_down);
  g_test_add ("/recorder/proxy/damaged-recordings-do-no-harm", Fixture, NULL, rw_test_set_up, test_damaged_recording,
              rw_test_tear_down);
  g_test_add ("/recorder/proxy/a-failure-is-one-failure", Fixture, NULL, rw_test_set_up, test_retries,
              rw_test_tear_down);
  return g_test_run ();
}
