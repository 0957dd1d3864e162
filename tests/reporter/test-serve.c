/* SPDX-License-Identifier: MIT */
/* The served report: only the first one who has the address gets in, and only its own page sets marks. */
#include "rw-fixture.h"
#include "rw-serve.h"

#include <glib/gstdio.h>
#include <libsoup/soup.h>
#include <string.h>

static const FixtureRun runs[] = {
  { .events = "answer 1; answer 2", .state = { .title = "a" } },
  { .events = "answer 2; answer 1", .first = "answer 1", .second = "answer 2", .state = { .title = "b" } },
};

typedef struct
{
  char *path, *ignore;
  RwServe *serve;
  SoupSession *session;
  char *origin; /* "http://127.0.0.1:4711" */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  f->path = fixture_recording (runs, G_N_ELEMENTS (runs));
  f->ignore = g_strconcat (f->path, ".ignore", NULL);
  RwReportOptions options = { .suppressions = f->ignore };
  f->serve = rw_serve_new (f->path, &options, 0, &error);
  g_assert_no_error (error);
  f->session = soup_session_new ();
  soup_session_add_feature_by_type (f->session, SOUP_TYPE_COOKIE_JAR);
  f->origin = g_strndup (rw_serve_url (f->serve), strstr (rw_serve_url (f->serve), "/?") - rw_serve_url (f->serve));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_object_unref (f->session);
  rw_serve_free (f->serve);
  g_free (f->ignore);
  g_free (f->origin);
  fixture_remove (f->path);
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GBytes **)data = soup_session_send_and_read_finish (SOUP_SESSION (source), result, NULL);
}

/* Sends and waits, while the server runs in the same main loop. */
static char *
send (SoupSession *session, SoupMessage *message)
{
  GBytes *bytes = NULL;
  soup_session_send_and_read_async (session, message, G_PRIORITY_DEFAULT, NULL, done_cb, &bytes);
  while (bytes == NULL)
    g_main_context_iteration (NULL, TRUE);
  char *text = g_strndup (g_bytes_get_data (bytes, NULL) ?: "", g_bytes_get_size (bytes));
  g_bytes_unref (bytes);
  return text;
}

static guint
get (SoupSession *session, const char *url, const char *host, char **text)
{
  g_autoptr (SoupMessage) message = soup_message_new ("GET", url);
  if (host != NULL)
    soup_message_headers_replace (soup_message_get_request_headers (message), "Host", host);
  g_autofree char *got = send (session, message);
  if (text != NULL)
    *text = g_steal_pointer (&got);
  return soup_message_get_status (message);
}

static guint
post (Fixture *f, const char *origin, const char *type, const char *json)
{
  g_autofree char *url = g_strconcat (f->origin, "/mark", NULL);
  g_autoptr (SoupMessage) message = soup_message_new ("POST", url);
  g_autoptr (GBytes) body = g_bytes_new (json, strlen (json));
  soup_message_set_request_body_from_bytes (message, type, body);
  if (origin != NULL)
    soup_message_headers_replace (soup_message_get_request_headers (message), "Origin", origin);
  g_autofree char *text = send (f->session, message);
  g_test_message ("%s", text);
  return soup_message_get_status (message);
}

static void
enter (Fixture *f)
{
  g_assert_cmpuint (get (f->session, rw_serve_url (f->serve), NULL, NULL), ==, 200);
}

static void
the_address_works_once (Fixture *f, gconstpointer data)
{
  g_autoptr (SoupSession) other = soup_session_new ();
  g_autofree char *html = NULL;
  g_assert_cmpuint (get (other, f->origin, NULL, NULL), ==, 403);
  enter (f);
  g_assert_cmpuint (get (other, rw_serve_url (f->serve), NULL, NULL), ==, 403);
  g_assert_cmpuint (get (f->session, f->origin, NULL, &html), ==, 200);
  g_assert_nonnull (strstr (html, "class=\"triage\""));
}

static void
another_host_is_refused (Fixture *f, gconstpointer data)
{
  enter (f);
  g_assert_cmpuint (get (f->session, f->origin, "evil.test", NULL), ==, 403);
}

static char *
fingerprint_of (Fixture *f)
{
  g_autoptr (RwRecording) recording = rw_recording_open (f->path, RW_RECORDING_READ, NULL);
  g_autoptr (RwReport) report = rw_report_new (recording, NULL, NULL);
  return g_strdup (rw_report_find (report, "1", NULL));
}

static void
the_page_sets_marks_and_nobody_else (Fixture *f, gconstpointer data)
{
  g_autofree char *print = fingerprint_of (f);
  g_autofree char *json
      = g_strdup_printf ("{\"fingerprint\":\"%s\",\"verdict\":\"harmless\",\"note\":\"fine\\n# two lines\"}", print);
  g_autofree char *file = NULL;
  g_assert_cmpuint (post (f, f->origin, "application/json", json), ==, 403);
  enter (f);
  g_assert_cmpuint (post (f, "http://evil.test", "application/json", json), ==, 404);
  g_assert_cmpuint (post (f, f->origin, "text/plain", json), ==, 404);
  g_assert_cmpuint (post (f, f->origin, "application/json", "{"), ==, 400);
  g_assert_cmpuint (post (f, f->origin, "application/json", "{\"fingerprint\":\"x\",\"verdict\":\"fine\"}"), ==, 400);
  g_assert_cmpuint (post (f, f->origin, "application/json",
                          "{\"fingerprint\":\"0123456789abcdef\",\"verdict\":\"harmless\"}"),
                    ==, 409);
  g_assert_cmpuint (post (f, f->origin, "application/json", json), ==, 200);
  g_assert_true (g_file_get_contents (f->ignore, &file, NULL, NULL));
  g_assert_nonnull (strstr (file, print));
  g_assert_nonnull (strstr (file, "fine # two lines"));
  g_autoptr (RwRecording) recording = rw_recording_open (f->path, RW_RECORDING_READ, NULL);
  g_autoptr (GPtrArray) marks = rw_recording_marks (recording, NULL);
  g_assert_cmpuint (marks->len, ==, 1);
}

#define ADD(path, function) g_test_add ("/reporter/serve/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("the-address-works-once", the_address_works_once);
  ADD ("another-host-is-refused", another_host_is_refused);
  ADD ("the-page-sets-marks-and-nobody-else", the_page_sets_marks_and_nobody_else);
  return g_test_run ();
}
