/* SPDX-License-Identifier: MIT */
/* The report: grouping, marks, suppressions, baselines, every format, and strings that want to break out. */
#include "rw-fixture.h"

#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <libxml/HTMLparser.h>
#include <libxml/xpath.h>
#include <string.h>

#define DOM(text) "[0,\"html\",{}],\n[1,\"body\",{}],\n[2,\"p\",{\"id\":\"a\"}],\n[3,\"#text\",\"" text "\"]"
#define INPUT(value) "[0,\"html\",{}],\n[1,\"body\",{}],\n[2,\"input\",{\"id\":\"q\",\":value\":\"" value "\"}]"
#define HOSTILE "</script><script>alert(1)</script><img src=x onerror=alert(2)>\\\" onmouseover=\\\"alert(3)"

static const FixtureRun runs[] = {
  { .events = "parse the page; script /app.js; type #q \"tea\"; answer 1; answer 2; timer 100 ms (again)", .state = { .dom = INPUT ("tea") } },
  { .events = "parse the page; type #q \"tea\"; script /app.js; answer 1; answer 2; timer 100 ms (again)", .first = "script /app.js", .second = "type #q \"tea\"",
    .location = "input#q.value", .state = { .dom = INPUT ("") } },
  { .events = "parse the page; script /app.js; type #q \"tea\"; answer 2; answer 1", .first = "answer 1", .second = "answer 2",
    .location = "window.queue", .skipped = "timer 100 ms (again)", .state = { .dom = INPUT ("tea") } },
  { .events = "parse the page; type #q \"tea\"; script /app.js; answer 2; answer 1; timer 100 ms (again)", .first = "script /app.js", .second = "type #q \"tea\"",
    .location = "input#q.value", .state = { .dom = INPUT ("") } },
  { .events = "parse the page; script /app.js; answer 1; type #q \"tea\"; answer 2; timer 100 ms (again)", .first = "type #q \"tea\"", .second = "answer 1",
    .location = "window.n", .state = { .dom = INPUT ("tea"), .heap = "\"window.n\":\"2\"" } },
};

typedef struct
{
  char *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->path = fixture_recording (runs, G_N_ELEMENTS (runs));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  fixture_remove (f->path);
}

static RwReport *
report_of (const char *path, const RwReportOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_READ, &error);
  g_assert_no_error (error);
  RwReport *report = rw_report_new (recording, options, &error);
  g_assert_no_error (error);
  return report;
}

static char *
emitted (const RwReport *report, RwReportFormat format)
{
  g_autoptr (GBytes) bytes = rw_report_emit (report, format);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static JsonArray *
findings_of (const char *json, JsonParser *parser)
{
  g_autoptr (GError) error = NULL;
  json_parser_load_from_data (parser, json, -1, &error);
  g_assert_no_error (error);
  return json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "findings");
}

static const char *
member (JsonArray *findings, guint i, const char *name)
{
  return json_object_get_string_member_with_default (json_array_get_object_element (findings, i), name, NULL);
}

static void
equal_findings_are_grouped_worst_first (Fixture *f, gconstpointer data)
{
  g_autoptr (RwReport) report = report_of (f->path, NULL);
  g_autofree char *json = emitted (report, RW_REPORT_JSON);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *findings = findings_of (json, parser);
  g_assert_cmpuint (json_array_get_length (findings), ==, 3);
  g_assert_cmpstr (member (findings, 0, "class"), ==, "lost-input");
  g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (findings, 0), "run"), ==, 1);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (json_array_get_object_element (findings, 0), "runs")), ==, 2);
  g_assert_cmpstr (member (findings, 1, "class"), ==, "hidden-state");
  g_assert_cmpstr (member (findings, 2, "class"), ==, "ad-hoc-synchronisation");
  g_assert_cmpuint (rw_report_count (report, RW_HARM_HARMFUL), ==, 1);
  g_assert_true (rw_report_fails (report, RW_FAIL_ON_HARMFUL));
  g_assert_false (rw_report_fails (report, RW_FAIL_ON_NONE));
}

static void
the_same_recording_gives_the_same_bytes (Fixture *f, gconstpointer data)
{
  for (RwReportFormat format = RW_REPORT_TEXT; format <= RW_REPORT_JUNIT; format++)
    {
      g_autoptr (RwReport) one = report_of (f->path, NULL);
      g_autoptr (RwReport) two = report_of (f->path, NULL);
      g_autofree char *a = emitted (one, format);
      g_autofree char *b = emitted (two, format);
      g_assert_cmpstr (a, ==, b);
    }
}

static void
a_baseline_leaves_only_what_is_new (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *file = g_strconcat (f->path, ".json", NULL);
  g_autoptr (RwReport) report = report_of (f->path, NULL);
  g_assert_true (rw_report_write (report, RW_REPORT_JSON, file, &error));
  RwReportOptions options = { .baseline = file };
  g_autoptr (RwReport) again = report_of (f->path, &options);
  g_assert_false (rw_report_fails (again, RW_FAIL_ON_ANY));
  g_autofree char *json = emitted (again, RW_REPORT_JSON);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_cmpuint (json_array_get_length (findings_of (json, parser)), ==, 0);
}

static char *
first_fingerprint (const char *path)
{
  g_autoptr (RwReport) report = report_of (path, NULL);
  g_autofree char *json = emitted (report, RW_REPORT_JSON);
  g_autoptr (JsonParser) parser = json_parser_new ();
  return g_strdup (member (findings_of (json, parser), 0, "fingerprint"));
}

static void
a_mark_overrules_the_verdict (Fixture *f, gconstpointer data)
{
  g_autofree char *print = first_fingerprint (f->path);
  {
    g_autoptr (RwRecording) recording = rw_recording_open (f->path, RW_RECORDING_WRITE, NULL);
    g_assert_true (rw_recording_set_mark (recording, print, "harmless", "on purpose", NULL));
  }
  g_autoptr (RwReport) report = report_of (f->path, NULL);
  g_assert_false (rw_report_fails (report, RW_FAIL_ON_HARMFUL));
  g_autofree char *text = emitted (report, RW_REPORT_JSON);
  g_assert_nonnull (strstr (text, "on purpose"));
}

static void
suppressions_are_honoured (Fixture *f, gconstpointer data)
{
  g_autofree char *print = first_fingerprint (f->path);
  g_autofree char *file = g_strconcat (f->path, ".ignore", NULL);
  g_autofree char *line = g_strdup_printf ("# known\n\n%s  the field is filled in on purpose\n", print);
  g_assert_true (g_file_set_contents (file, line, -1, NULL));
  RwReportOptions options = { .suppressions = file };
  g_autoptr (RwReport) report = report_of (f->path, &options);
  g_assert_false (rw_report_fails (report, RW_FAIL_ON_HARMFUL));
  g_autofree char *junit = emitted (report, RW_REPORT_JUNIT);
  g_assert_nonnull (strstr (junit, "<skipped message=\"the field is filled in on purpose\"/>"));
}

static void
a_wrong_suppression_is_told_with_its_line (Fixture *f, gconstpointer data)
{
  g_autofree char *file = g_strconcat (f->path, ".ignore", NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (file, "# fine\nnot-a-fingerprint\n", -1, NULL));
  RwReportOptions options = { .suppressions = file };
  g_autoptr (RwRecording) recording = rw_recording_open (f->path, RW_RECORDING_READ, NULL);
  g_assert_null (rw_report_new (recording, &options, &error));
  g_assert_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_BASELINE);
  g_assert_nonnull (strstr (error->message, ".ignore:2:"));
}

/* Everything that a page can choose, chosen to break out. */
static const FixtureRun hostile[] = {
  { .events = "parse <script>alert(9)</script>; answer 1; answer 2", .state = { .dom = DOM ("fine") } },
  { .events = "parse <script>alert(9)</script>; answer 2; answer 1", .first = "answer 1", .second = "answer 2",
    .location = "window[\"</title><script>alert(4)</script>\"]",
    .state = { .dom = "[0,\"html\",{}],\n[1,\"body\",{}],\n[2,\"p\",{\"id\":\"" HOSTILE "\",\"onclick\":\"" HOSTILE "\"}],\n[3,\"#text\",\"" HOSTILE "\"]",
               .title = HOSTILE, .heap = "\"window." HOSTILE "\":\"" HOSTILE "\"",
               .rest = "\"errors\":[{\"message\":\"" HOSTILE "\\u202e\\u0007\"}]\"console\":[{\"level\":\"log\",\"text\":\"" HOSTILE "\"}]"
                       "\"requests\":[{\"method\":\"GET\",\"url\":\"javascript:alert(5)\"}]" } },
};

static void
count_elements (xmlNode *node, guint *scripts, guint *images, guint *handlers)
{
  for (; node != NULL; node = node->next)
    {
      if (node->type != XML_ELEMENT_NODE)
        continue;
      *scripts += strcmp ((const char *) node->name, "script") == 0;
      *images += strcmp ((const char *) node->name, "img") == 0;
      for (xmlAttr *a = node->properties; a != NULL; a = a->next)
        *handlers += g_str_has_prefix ((const char *) a->name, "on");
      count_elements (node->children, scripts, images, handlers);
    }
}

static void
nothing_of_a_page_breaks_out (void)
{
  char *path = fixture_recording (hostile, G_N_ELEMENTS (hostile));
  {
    g_autoptr (RwReport) report = report_of (path, NULL);
    g_autofree char *html = emitted (report, RW_REPORT_HTML);
    guint scripts = 0, images = 0, handlers = 0;
    htmlDocPtr doc = htmlReadMemory (html, strlen (html), NULL, "UTF-8", HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
    count_elements (xmlDocGetRootElement (doc), &scripts, &images, &handlers);
    g_assert_cmpuint (scripts, ==, 1);
    g_assert_cmpuint (images, ==, 0);
    g_assert_cmpuint (handlers, ==, 0);
    g_assert_null (strstr (html, "javascript:alert(5)\""));
    g_assert_null (strstr (html, "\342\200\256"));
    xmlFreeDoc (doc);

    g_autofree char *junit = emitted (report, RW_REPORT_JUNIT);
    doc = xmlReadMemory (junit, strlen (junit), NULL, "UTF-8", XML_PARSE_NONET);
    g_assert_nonnull (doc);
    xmlFreeDoc (doc);

    g_autofree char *text = rw_report_text (report, FALSE);
    g_assert_null (strchr (text, '\a'));
    g_autofree char *sarif = emitted (report, RW_REPORT_SARIF);
    g_autoptr (JsonParser) parser = json_parser_new ();
    g_assert_true (json_parser_load_from_data (parser, sarif, -1, NULL));
  }
  fixture_remove (path);
}

static void
html_is_self_contained (Fixture *f, gconstpointer data)
{
  g_autoptr (RwReport) report = report_of (f->path, NULL);
  g_autofree char *html = emitted (report, RW_REPORT_HTML);
  g_assert_nonnull (strstr (html, "default-src 'none'"));
  g_assert_nonnull (strstr (html, "data:image/png;base64,"));
  g_assert_null (strstr (html, "src=\"http"));
  g_assert_null (strstr (html, "@import"));
  g_assert_null (strstr (html, "<link"));
  /* For looking at it: RW_KEEP names a file. */
  if (g_getenv ("RW_KEEP") != NULL)
    g_file_set_contents (g_getenv ("RW_KEEP"), html, -1, NULL);
}

static void
an_empty_recording_says_what_to_do (void)
{
  char *path = fixture_recording (NULL, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_READ, NULL);
  g_assert_null (rw_report_new (recording, NULL, &error));
  g_assert_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_EMPTY);
  g_assert_nonnull (strstr (error->message, "racewalk explore"));
  fixture_remove (path);
}

#define ADD(path, function) g_test_add ("/reporter/report/" path, Fixture, NULL, set_up, function, tear_down)

/* For the shell tests: test-reporter-report --make FILE [hostile] leaves a recording there. */
static int
make (const char *path, gboolean is_hostile)
{
  char *made = is_hostile ? fixture_recording (hostile, G_N_ELEMENTS (hostile)) : fixture_recording (runs, G_N_ELEMENTS (runs));
  g_autofree char *bytes = NULL;
  gsize size;
  gboolean ok = g_file_get_contents (made, &bytes, &size, NULL) && g_file_set_contents (path, bytes, size, NULL);
  fixture_remove (made);
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  if (argc >= 3 && strcmp (argv[1], "--make") == 0)
    return make (argv[2], argc > 3);
  g_test_init (&argc, &argv, NULL);
  ADD ("equal-findings-are-grouped-worst-first", equal_findings_are_grouped_worst_first);
  ADD ("the-same-recording-gives-the-same-bytes", the_same_recording_gives_the_same_bytes);
  ADD ("a-baseline-leaves-only-what-is-new", a_baseline_leaves_only_what_is_new);
  ADD ("a-mark-overrules-the-verdict", a_mark_overrules_the_verdict);
  ADD ("suppressions-are-honoured", suppressions_are_honoured);
  ADD ("a-wrong-suppression-is-told-with-its-line", a_wrong_suppression_is_told_with_its_line);
  ADD ("html-is-self-contained", html_is_self_contained);
  g_test_add_func ("/reporter/report/nothing-of-a-page-breaks-out", nothing_of_a_page_breaks_out);
  g_test_add_func ("/reporter/report/an-empty-recording-says-what-to-do", an_empty_recording_says_what_to_do);
  return g_test_run ();
}
