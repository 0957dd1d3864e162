/* SPDX-License-Identifier: MIT */
/* The HTML report in WebKitGTK: it opens without a word on the console, filter and keyboard work, a hostile one runs
 * nothing. */
#include "rw-display.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <webkit/webkit.h>

static WebKitWebView *view;

static void
loaded_cb (WebKitWebView *web, WebKitLoadEvent event, gboolean *done)
{
  *done = event == WEBKIT_LOAD_FINISHED;
}

static gboolean
dialog_cb (WebKitWebView *web, WebKitScriptDialog *dialog, gpointer data)
{
  g_error ("a dialog: %s", webkit_script_dialog_get_message (dialog));
  return TRUE;
}

static void
value_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JSCValue) value = webkit_web_view_evaluate_javascript_finish (WEBKIT_WEB_VIEW (source), result, &error);
  g_assert_no_error (error);
  *(char **)data = jsc_value_to_string (value);
}

static char *
ask (const char *script)
{
  char *answer = NULL;
  webkit_web_view_evaluate_javascript (view, script, -1, NULL, NULL, NULL, value_cb, &answer);
  while (answer == NULL)
    g_main_context_iteration (NULL, TRUE);
  return answer;
}

static void
assert_js (const char *script, const char *expected)
{
  g_autofree char *got = ask (script);
  g_assert_cmpstr (got, ==, expected);
}

/* Makes a recording, reports it and opens the report. Runs from the build's folder of tests. */
static void
open_report (const char *kind)
{
  g_autofree char *folder = g_dir_make_tmp ("rw-webkit-XXXXXX", NULL);
  g_autofree char *recording = g_build_filename (folder, "page.rwk", NULL);
  g_autofree char *html = g_build_filename (folder, "page.html", NULL);
  g_autofree char *uri = g_filename_to_uri (html, NULL, NULL);
  g_autofree char *maker = g_build_filename (g_getenv ("RW_BUILD_DIR"), "tests", "test-reporter-report", NULL);
  const char *make[] = { maker, "--make", recording, kind, NULL };
  const char *report[]
      = { g_getenv ("RACEWALK"), "report", recording, "--format", "html", "--fail-on", "none", "-o", html, NULL };
  gboolean done = FALSE;
  g_assert_true (g_spawn_sync (NULL, (char **)make, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL));
  g_assert_true (
      g_spawn_sync (NULL, (char **)report, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  gulong handler = g_signal_connect (view, "load-changed", G_CALLBACK (loaded_cb), &done);
  webkit_web_view_load_uri (view, uri);
  while (!done)
    g_main_context_iteration (NULL, TRUE);
  g_signal_handler_disconnect (view, handler);
  g_remove (recording);
  g_remove (html);
  g_rmdir (folder);
}

#define PRESS(key) "dispatchEvent(new KeyboardEvent('keydown', { key: '" key "', bubbles: true, cancelable: true }))"
#define SHOWN "[...document.querySelectorAll('.finding')].filter(f => !f.hidden).length"

static void
filter_and_keyboard_work (void)
{
  open_report (NULL);
  assert_js ("document.querySelector('h1').textContent", "One harmful race in 4 reversals.");
  assert_js (SHOWN, "3");
  assert_js ("document.querySelector('.tools input[value=harmful]').click(); " SHOWN, "2");
  assert_js ("document.querySelector('.tools input[value=harmful]').click(); " SHOWN, "3");
  assert_js ("document.body." PRESS ("j") "; document.activeElement.parentElement.dataset.class", "lost-input");
  assert_js ("document.activeElement." PRESS ("j") "; document.activeElement.parentElement.dataset.class",
             "hidden-state");
  assert_js ("document.activeElement." PRESS ("o") "; document.querySelectorAll('.finding[open]').length", "2");
  assert_js ("document.querySelector('[data-view=slide]').click(); "
             "getComputedStyle(document.querySelectorAll('.pictures svg')[1]).clipPath",
             "inset(0px 0px 0px 50%)");
  assert_js ("document.querySelector('.pictures use').getBBox().width > 0", "true");
}

static void
a_hostile_page_runs_nothing (void)
{
  open_report ("hostile");
  assert_js ("document.scripts.length", "1");
  assert_js ("document.querySelectorAll('img, iframe, object, embed, link').length", "0");
  assert_js ("document.querySelector('main').textContent.includes('<script>alert(1)</script>')", "true");
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("RACEWALK") == NULL)
    return 77;
  /* WebKit names its folders after it, and g_test_init () has made it a path. */
  g_set_prgname ("racewalk-test");
  g_autoptr (RwDisplay) display = rw_display_start (1200, 900, &error);
  g_assert_no_error (error);
  g_setenv ("GDK_BACKEND", "x11", TRUE);
  g_setenv ("GTK_A11Y", "none", TRUE);
  gtk_init ();
  GtkWidget *window = gtk_window_new ();
  view = WEBKIT_WEB_VIEW (webkit_web_view_new ());
  g_signal_connect (view, "script-dialog", G_CALLBACK (dialog_cb), NULL);
  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (view));
  gtk_window_set_default_size (GTK_WINDOW (window), 1200, 900);
  gtk_window_present (GTK_WINDOW (window));
  g_test_add_func ("/reporter/webkit/filter-and-keyboard-work", filter_and_keyboard_work);
  g_test_add_func ("/reporter/webkit/a-hostile-page-runs-nothing", a_hostile_page_runs_nothing);
  int status = g_test_run ();
  gtk_window_destroy (GTK_WINDOW (window));
  return status;
}
