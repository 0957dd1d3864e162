/* SPDX-License-Identifier: MIT */
/* In a real WebKit: every segment that says so is seen by a MutationObserver, and the pieces give the same document. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gtk/gtk.h>
#include <string.h>
#include <webkit/webkit.h>

#include "rw-display.h"
#include "rw-proxy.h"

#define LIMIT_MS 10000

/* Tells the host of every change of the document, of its end, and hands out what the document has become. */
static const char observer[]
    = "if (window === top) {"
      " const tell = what => webkit.messageHandlers.rw.postMessage(what);"
      " new MutationObserver(records => tell('nodes')).observe(document,"
      "   { childList: true, subtree: true, characterData: true, attributes: true });"
      " document.addEventListener('DOMContentLoaded', () => tell('end:' + document.compatMode + '\\n' +"
      "   (document.doctype ? document.doctype.name : '') + document.documentElement.outerHTML));"
      "}";

static struct
{
  char *folder;
  RwProxy *proxy;
  WebKitWebView *view;
  RwProxyDecision decision;
  guint n_nodes;  /* messages since the last segment was let go */
  gboolean ready; /* the document is held */
  char *end;      /* what the page was in the end */
} t;

static RwProxyDecision
on_decide (RwProxy *proxy, const RwProxyRequest *request, gpointer user_data)
{
  t.ready = t.ready || request->what == RW_PROXY_DOCUMENT;
  return request->what == RW_PROXY_DOCUMENT ? t.decision : RW_PROXY_LET_GO;
}

static void
on_message (WebKitUserContentManager *manager, JSCValue *value, gpointer user_data)
{
  g_autofree char *text = jsc_value_to_string (value);
  if (strcmp (text, "nodes") == 0)
    t.n_nodes++;
  else
    {
      g_free (t.end);
      t.end = g_strdup (text);
    }
}

static gboolean
on_timeout (gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_CONTINUE;
}

/* Runs the loop until *@flag is not 0 or NULL; FALSE if that takes too long. */
#define WAIT_FOR(condition, limit_ms)                                                                                  \
  ({                                                                                                                   \
    gboolean late = FALSE;                                                                                             \
    guint source = g_timeout_add ((limit_ms), on_timeout, &late);                                                      \
    while (!(condition) && !late)                                                                                      \
      g_main_context_iteration (NULL, TRUE);                                                                           \
    g_source_remove (source);                                                                                          \
    (condition);                                                                                                       \
  })

static void
load (guint number)
{
  g_autoptr (WebKitURIRequest) request = webkit_uri_request_new ("http://site.test/");
  g_autofree char *text = g_strdup_printf ("%u", number);
  soup_message_headers_append (webkit_uri_request_get_http_headers (request), "X-RW", text);
  t.ready = FALSE;
  g_clear_pointer (&t.end, g_free);
  webkit_web_view_load_request (t.view, request);
  if (!WAIT_FOR (t.ready, LIMIT_MS))
    g_error ("the view did not ask for the document");
}

static void
write_page (const char *text)
{
  g_autofree char *path = g_build_filename (t.folder, "index.html", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Lets one segment go and waits until it is seen. */
static void
release (guint number, const RwHtml *html, guint n)
{
  const RwSegment *segment = rw_html_segment (html, n);
  g_autofree char *text = g_strndup (rw_html_prepared (html, NULL) + segment->offset, segment->length);
  t.n_nodes = 0;
  g_assert_true (rw_proxy_release_segment (t.proxy, number, n));
  gboolean seen = segment->is_last ? WAIT_FOR (t.end != NULL, LIMIT_MS) : WAIT_FOR (t.n_nodes > 0, LIMIT_MS);
  if (!seen)
    g_error ("segment %u was not seen: %s in %s", n, g_strchug (text),
             rw_html_prepared (html, NULL) + strspn (rw_html_prepared (html, NULL), " "));
}

static void
check_page (const char *text)
{
  static guint number = 0;
  write_page (text);
  t.decision = RW_PROXY_LET_GO;
  load (++number);
  g_assert_true (WAIT_FOR (t.end != NULL, LIMIT_MS));
  g_autofree char *whole = g_steal_pointer (&t.end);
  t.decision = RW_PROXY_HOLD;
  load (++number);
  g_autoptr (RwHtml) html = rw_html_ref (rw_proxy_html (t.proxy, number));
  for (guint i = 0; i < rw_html_n_segments (html); i++)
    release (number, html, i);
  g_assert_cmpstr (t.end, ==, whole);
}

static const char *const pages[] = {
  "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two<p id=c>",
  "<!DOCTYPE html><body><script>document.title = 1</script><script>document.title += 2</script>\n<p id=x>a</p>"
  "<script>document.body.append('s')</script></body></html>",
  "<head><script src=a.js></script><script src=a.js></script>\n<body><script async src=a.js></script>"
  "<script defer src=a.js></script><p>a<p id=z>",
  "<body><table id=t><tr id=r><td id=d>a</td></tr>\n<tr><td><input name=i>b</table><form id=f><select name=s>"
  "<option>a<option id=o>b</select><textarea name=x>c</textarea>\n<button>d</button></form>",
  "<body><template id=t><p id=x><script>1</script></template>\n<p id=y><noscript><p id=z></noscript><svg id=s><g id=g>"
  "<title id=tt>a</title></g></svg><math id=m><mi id=n>x</mi></math><p id=end>",
  "<table>a<div id=x>b</div><tr><td id=q>c</table><p><b id=b>d<p id=e>f</b>g<a href=x>h<a href=y>i</a><x-y>j</x-y>",
  "<html id=h><head id=hh><style id=s>p{}</style>\n<link rel=stylesheet href=b.css><meta name=n content=c></head>\n"
  "<body id=b><!-- c --><h1 id=i>a</h1></body>\n</html>\n",
  "<svg></p></br><details id=q><tbody> </body><script src=a.js></script><td id=d><p id=e>f",
  "<svg><script>document.title = 'svg'</script><g id=g></g></svg><p id=x>a",
  "",
};

static void
test_pages (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    check_page (pages[i]);
}

static void
test_long_page (void)
{
  g_autoptr (GString) text = g_string_new ("<!DOCTYPE html><body>");
  for (guint i = 0; i < 3000; i++)
    g_string_append_printf (text, "<div class=c%u><p>paragraph <b>%u</b> &amp; more\n</div>", i, i);
  check_page (text->str);
}

/* Odd markup: whatever the parser makes of it, a segment that promises a node has one. */
static void
test_random_pages (void)
{
  static const char *const pieces[] = { "<p>",
                                        "</p>",
                                        "<div id=a>",
                                        "</div>",
                                        "<table>",
                                        "<tr>",
                                        "<td>",
                                        "</table>",
                                        "<select>",
                                        "<option>",
                                        "</select>",
                                        "<script>1</script>",
                                        "<script src=a.js></script>",
                                        "<!-- c -->",
                                        "<template>",
                                        "</template>",
                                        "<b>",
                                        "<i name=n>",
                                        "</b>",
                                        "</i>",
                                        "text",
                                        " ",
                                        "\n",
                                        "&amp;",
                                        "<svg>",
                                        "</svg>",
                                        "<math>",
                                        "<textarea id=t>",
                                        "</textarea>",
                                        "<title>",
                                        "</title>",
                                        "<noscript>",
                                        "</noscript>",
                                        "<a href=x>",
                                        "</a>",
                                        "<form>",
                                        "<input>",
                                        "<style>",
                                        "</style>",
                                        "<body class=x>",
                                        "<html lang=x>",
                                        "<head>",
                                        "</head>",
                                        "</body>",
                                        "</html>",
                                        "<x-y>",
                                        "<button>",
                                        "<br>",
                                        "</br>",
                                        "<li>",
                                        "<caption>",
                                        "<col>",
                                        "<optgroup>",
                                        "<h1>",
                                        "<nobr>",
                                        "<tbody>",
                                        "<image>",
                                        "<ruby>",
                                        "<rt>",
                                        "<dialog>",
                                        "<details id=q>",
                                        "<summary>",
                                        "<marquee>",
                                        "<object>",
                                        "<font id=f>" };
  guint n = g_getenv ("RW_LONG") != NULL ? 500 : 40;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GString) text = g_string_new (g_test_rand_bit () ? "<!DOCTYPE html>" : "");
      guint length = (guint)g_test_rand_int_range (1, 25);
      for (guint j = 0; j < length; j++)
        g_string_append (text, pieces[g_test_rand_int_range (0, G_N_ELEMENTS (pieces))]);
      check_page (text->str);
    }
}

/* --- Display and view --- */

static void
start_view (void)
{
  g_autoptr (GError) error = NULL;
  RwProxyCallbacks callbacks = { .decide = on_decide };
  RwProxyOptions options = { .mode = RW_PROXY_LIVE, .folder = t.folder, .host = "site.test", .offline = TRUE };
  t.proxy = rw_proxy_new (&options, &callbacks, NULL, &error);
  g_assert_no_error (error);
  WebKitNetworkSession *session = webkit_network_session_new_ephemeral ();
  WebKitNetworkProxySettings *settings = webkit_network_proxy_settings_new (rw_proxy_uri (t.proxy), NULL);
  webkit_network_session_set_proxy_settings (session, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, settings);
  webkit_network_proxy_settings_free (settings);
  WebKitUserContentManager *manager = webkit_user_content_manager_new ();
  WebKitUserScript *script = webkit_user_script_new (observer, WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES,
                                                     WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
  webkit_user_content_manager_add_script (manager, script);
  webkit_user_script_unref (script);
  webkit_user_content_manager_register_script_message_handler (manager, "rw", NULL);
  g_signal_connect (manager, "script-message-received::rw", G_CALLBACK (on_message), NULL);
  t.view = g_object_new (WEBKIT_TYPE_WEB_VIEW, "network-session", session, "user-content-manager", manager, NULL);
  GtkWidget *window = gtk_window_new ();
  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (t.view));
  gtk_window_present (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_test_init (&argc, &argv, NULL);
  g_autoptr (RwDisplay) display = rw_display_start (1024, 768, &error);
  if (display == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 77;
    }
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  t.folder = g_dir_make_tmp ("rw-segments-XXXXXX", NULL);
  g_autofree char *script = g_build_filename (t.folder, "a.js", NULL);
  g_assert_true (g_file_set_contents (script, "document.title += 'a'", -1, NULL));
  write_page ("<p>");
  gtk_init ();
  start_view ();
  g_test_add_func ("/recorder/browser/every-segment-is-seen-and-pieces-make-the-whole", test_pages);
  g_test_add_func ("/recorder/browser/long-pages-too", test_long_page);
  g_test_add_func ("/recorder/browser/odd-pages-too", test_random_pages);
  int result = g_test_run ();
  g_autofree char *page = g_build_filename (t.folder, "index.html", NULL);
  g_unlink (page);
  g_unlink (script);
  g_rmdir (t.folder);
  return result;
}
