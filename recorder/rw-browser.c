/* SPDX-License-Identifier: MIT */
/* The view: environment, display, settings, and the signals that it hands to the load under way. */
#include "rw-browser-private.h"

#include "rw-display.h"
#include "rw-runtime.h"

#include <string.h>
#include <unistd.h>

/* Features that bring real time, priorities or caches into a run; see the design's table of measured facts. */
static const char *const features_off[] = {
  "ShouldDeferAsynchronousScriptsUntilAfterDocumentLoadOrFirstPaint",
  "ResourceLoadScheduling",
  "LargeImageAsyncDecoding",
  "AnimatedImageAsyncDecoding",
  "LazyImageLoading",
  "LazyIframeLoading",
  "DOMTimersThrottling",
  "HiddenPageDOMTimerThrottling",
  "HiddenPageDOMTimerThrottlingAutoIncreases",
  "AsyncFrameScrolling",
  "AsyncOverflowScrolling",
  "UsesBackForwardCache",
  "LinkDNSPrefetch",
  "ServiceWorkersEnabled",
};

static RwDisplay *display;
static const char *no_sandbox;

static void
quiet_environment (void)
{
  static const char *const variables[][2] = {
    { "GDK_BACKEND", "x11" },        { "GSK_RENDERER", "cairo" },     { "GTK_A11Y", "none" },
    { "NO_AT_BRIDGE", "1" },         { "GSETTINGS_BACKEND", "memory" }, { "LIBGL_ALWAYS_SOFTWARE", "1" },
    { "WEBKIT_DISABLE_DMABUF_RENDERER", "1" }, { "GIO_USE_VFS", "local" }, { "GDK_DEBUG", "gl-disable" },
    { "TZ", "UTC" },                 { "LANGUAGE", "en" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    g_setenv (variables[i][0], variables[i][1], TRUE);
  /* A session bus that nobody answers keeps GTK, portals and the sandbox's proxy from looking for one. */
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE);
}

/* bubblewrap needs user namespaces, which some containers forbid. */
static void
check_sandbox (void)
{
  const char *argv[] = { "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true", NULL };
  int status = -1;
  gboolean spawned
      = g_spawn_sync (NULL, (char **)argv, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                      NULL, &status, NULL);
  if (spawned && g_spawn_check_wait_status (status, NULL))
    return;
  no_sandbox = spawned ? "WebKit's sandbox is off: this kernel or container forbids user namespaces"
                       : "WebKit's sandbox is off: bubblewrap is missing; install the package bubblewrap";
  g_setenv ("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1", TRUE);
}

gboolean
rw_browser_init (gboolean show, GError **error)
{
  quiet_environment ();
  check_sandbox ();
  if (!show && (display = rw_display_start (1280, 1024, error)) == NULL)
    return FALSE;
  if (!gtk_init_check ())
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                           "there is no display to show a window on; set DISPLAY, or leave out --show");
      g_clear_pointer (&display, rw_display_stop);
      return FALSE;
    }
  /* WebKit must set up its main loop before the script registry makes a bare JavaScriptCore context: the other way round no
   * load ever starts. */
  g_type_class_unref (g_type_class_ref (WEBKIT_TYPE_WEB_VIEW));
  return TRUE;
}

void
rw_browser_shutdown (void)
{
  g_clear_pointer (&display, rw_display_stop);
}

const char *
rw_browser_no_sandbox (void)
{
  return no_sandbox;
}

/* The extension lies beside the program. */
static char *
extension_folder (void)
{
  const char *given = g_getenv ("RACEWALK_EXTENSION_DIR");
  if (given != NULL)
    return g_strdup (given);
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  for (g_autofree char *folder = g_path_get_dirname (program); strlen (folder) > 1;)
    {
      g_autofree char *candidate = g_build_filename (folder, "extension", NULL);
      if (g_file_test (candidate, G_FILE_TEST_IS_DIR))
        return g_steal_pointer (&candidate);
      char *parent = g_path_get_dirname (folder);
      g_free (folder);
      folder = parent;
    }
  return NULL;
}

static WebKitSettings *
settings_new (void)
{
  WebKitSettings *settings = webkit_settings_new_with_settings (
      "hardware-acceleration-policy", WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER, "enable-page-cache", FALSE,
      "enable-dns-prefetching", FALSE, "enable-smooth-scrolling", FALSE, "enable-developer-extras", TRUE,
      "enable-back-forward-navigation-gestures", FALSE, "default-charset", "utf-8", NULL);
  webkit_settings_set_enable_write_console_messages_to_stdout (settings, g_getenv ("RACEWALK_DEBUG") != NULL);
  WebKitFeatureList *all = webkit_settings_get_all_features ();
  for (gsize i = 0; i < webkit_feature_list_get_length (all); i++)
    {
      WebKitFeature *feature = webkit_feature_list_get (all, i);
      for (guint j = 0; j < G_N_ELEMENTS (features_off); j++)
        if (strcmp (webkit_feature_get_identifier (feature), features_off[j]) == 0)
          webkit_settings_set_feature_enabled (settings, feature, FALSE);
    }
  webkit_feature_list_unref (all);
  return settings;
}

/* ---- signals ------------------------------------------------------------------------------------------------------- */

static gboolean
user_message_cb (WebKitWebView *view, WebKitUserMessage *message, RwBrowser *self)
{
  if (self->load != NULL)
    rw_page_load_message (self->load, message);
  return TRUE;
}

void
rw_browser_lost (RwBrowser *self, const char *why)
{
  self->lost = why;
  if (self->load != NULL)
    rw_page_load_crashed (self->load, why);
}

static void
terminated_cb (WebKitWebView *view, WebKitWebProcessTerminationReason reason, RwBrowser *self)
{
  if (reason == WEBKIT_WEB_PROCESS_TERMINATED_BY_API)
    return; /* by us, between two loads or after a hang that is on record already */
  rw_browser_lost (self, reason == WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT ? "the page used too much memory"
                                                                             : "the web process ended");
}

static void
load_changed_cb (WebKitWebView *view, WebKitLoadEvent event, RwBrowser *self)
{
  /* The end of about:blank may come when the address is already the next one. */
  if (event == WEBKIT_LOAD_COMMITTED)
    self->committed = strcmp (webkit_web_view_get_uri (view), "about:blank") != 0;
  if (event == WEBKIT_LOAD_FINISHED && self->load != NULL && self->committed)
    rw_page_load_complete (self->load);
}

/* A recording is of one page: what leads away from it is noted and stopped. */
static gboolean
decide_policy_cb (WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, RwBrowser *self)
{
  if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE)
    return FALSE;
  WebKitNavigationAction *action
      = webkit_navigation_policy_decision_get_navigation_action (WEBKIT_NAVIGATION_POLICY_DECISION (decision));
  const char *url = webkit_uri_request_get_uri (webkit_navigation_action_get_request (action));
  if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION
      && (strcmp (url, self->url) == 0 || strcmp (url, "about:blank") == 0 || self->load == NULL
          || webkit_navigation_action_is_redirect (action)))
    return FALSE;
  if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION)
    {
      rw_page_load_ask (self->load, decision, url);
      return TRUE;
    }
  rw_page_load_navigation (self->load, url, "window");
  webkit_policy_decision_ignore (decision);
  return TRUE;
}

static gboolean
load_failed_cb (WebKitWebView *view, WebKitLoadEvent event, const char *url, GError *why, RwBrowser *self)
{
  if (self->load != NULL && !g_error_matches (why, WEBKIT_POLICY_ERROR, WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE)
      && !g_error_matches (why, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED))
    rw_page_load_failed (self->load, why->message);
  return TRUE;
}

static gboolean
permission_cb (WebKitWebView *view, WebKitPermissionRequest *request, RwBrowser *self)
{
  webkit_permission_request_deny (request);
  return TRUE;
}

/* ---- the proxy ----------------------------------------------------------------------------------------------------- */

static RwProxyDecision
decide_cb (RwProxy *proxy, const RwProxyRequest *request, gpointer data)
{
  RwBrowser *self = data;
  return self->load == NULL ? RW_PROXY_LET_GO : rw_page_load_decide (self->load, request);
}

static void
exchange_cb (RwProxy *proxy, const RwExchange *exchange, gpointer data)
{
  RwBrowser *self = data;
  if (self->load != NULL)
    rw_page_load_exchange (self->load, exchange);
}

static void
missing_cb (RwProxy *proxy, const RwProxyRequest *request, gpointer data)
{
  RwBrowser *self = data;
  if (self->load != NULL)
    rw_page_load_missing (self->load, request);
}

static const RwProxyCallbacks proxy_callbacks = { .decide = decide_cb, .exchange = exchange_cb, .missing = missing_cb };

/* ---- life ---------------------------------------------------------------------------------------------------------- */

static WebKitWebContext *
context_new (guint memory_mb, GError **error)
{
  g_autofree char *folder = extension_folder ();
  if (folder == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                           "the folder 'extension' is not beside the program; build again with recorder/setup/build");
      return NULL;
    }
  WebKitMemoryPressureSettings *pressure = webkit_memory_pressure_settings_new ();
  if (memory_mb > 0)
    {
      webkit_memory_pressure_settings_set_memory_limit (pressure, memory_mb);
      /* Old pages are collected only under pressure when loads follow each other closely: see to it early. */
      webkit_memory_pressure_settings_set_conservative_threshold (pressure, 0.08);
      webkit_memory_pressure_settings_set_strict_threshold (pressure, 0.12);
      webkit_memory_pressure_settings_set_kill_threshold (pressure, 1);
      webkit_memory_pressure_settings_set_poll_interval (pressure, 1);
    }
  WebKitWebContext *context = g_object_new (WEBKIT_TYPE_WEB_CONTEXT, "memory-pressure-settings", pressure, NULL);
  webkit_memory_pressure_settings_free (pressure);
  webkit_web_context_add_path_to_sandbox (context, folder, TRUE);
  webkit_web_context_set_web_process_extensions_directory (context, folder);
  webkit_web_context_set_cache_model (context, WEBKIT_CACHE_MODEL_DOCUMENT_VIEWER);
  const char *const languages[] = { "en-US", NULL };
  webkit_web_context_set_preferred_languages (context, languages);
  return context;
}

static gboolean
wait_cb (gpointer data)
{
  gboolean *over = data;
  *over = TRUE;
  return G_SOURCE_REMOVE;
}

/* Mapped once, so that the view has a size; then hidden, so that nothing is driven by real-time rendering. */
static void
map_and_hide (RwBrowser *self)
{
  gtk_window_present (GTK_WINDOW (self->window));
  for (guint i = 0; i < 200 && gtk_widget_get_width (GTK_WIDGET (self->view)) == 0; i++)
    {
      gboolean over = FALSE;
      g_timeout_add (10, wait_cb, &over);
      while (!over)
        g_main_context_iteration (NULL, TRUE);
    }
  if (!self->options.show)
    gtk_widget_set_visible (self->window, FALSE);
}

static gboolean
make_view (RwBrowser *self, GError **error)
{
  g_autoptr (WebKitWebContext) context = context_new (self->options.memory_mb, error);
  if (context == NULL)
    return FALSE;
  g_autoptr (WebKitSettings) settings = settings_new ();
  self->session = webkit_network_session_new_ephemeral ();
  webkit_network_session_set_tls_errors_policy (self->session, WEBKIT_TLS_ERRORS_POLICY_IGNORE);
  webkit_network_session_set_itp_enabled (self->session, FALSE);
  WebKitNetworkProxySettings *proxy = webkit_network_proxy_settings_new (rw_proxy_uri (self->proxy), NULL);
  webkit_network_session_set_proxy_settings (self->session, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, proxy);
  webkit_network_proxy_settings_free (proxy);
  self->content = webkit_user_content_manager_new ();
  self->view = g_object_ref_sink (g_object_new (WEBKIT_TYPE_WEB_VIEW, "web-context", context, "network-session",
                                                self->session, "user-content-manager", self->content, "settings",
                                                settings, NULL));
  g_signal_connect (self->view, "user-message-received", G_CALLBACK (user_message_cb), self);
  g_signal_connect (self->view, "web-process-terminated", G_CALLBACK (terminated_cb), self);
  g_signal_connect (self->view, "load-changed", G_CALLBACK (load_changed_cb), self);
  g_signal_connect (self->view, "decide-policy", G_CALLBACK (decide_policy_cb), self);
  g_signal_connect (self->view, "load-failed", G_CALLBACK (load_failed_cb), self);
  g_signal_connect (self->view, "permission-request", G_CALLBACK (permission_cb), self);
  self->window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (self->window), (int)self->options.width, (int)self->options.height);
  gtk_window_set_decorated (GTK_WINDOW (self->window), self->options.show);
  gtk_window_set_child (GTK_WINDOW (self->window), GTK_WIDGET (self->view));
  map_and_hide (self);
  return TRUE;
}

RwBrowser *
rw_browser_new (const RwBrowserOptions *options, GError **error)
{
  g_autoptr (RwBrowser) self = g_new0 (RwBrowser, 1);
  self->options = *options;
  self->url = g_strdup (options->url);
  self->scripts = rw_scripts_new ();
  self->options.proxy.scripts = self->scripts;
  self->proxy = rw_proxy_new (&self->options.proxy, &proxy_callbacks, self, error);
  if (self->proxy == NULL || !make_view (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

RwScripts *
rw_browser_scripts (RwBrowser *self)
{
  return self->scripts;
}

void
rw_browser_free (RwBrowser *self)
{
  if (self == NULL)
    return;
  rw_browser_unwatch_network (self);
  if (self->view != NULL)
    g_signal_handlers_disconnect_by_data (self->view, self);
  if (self->window != NULL)
    gtk_window_destroy (GTK_WINDOW (self->window));
  g_clear_object (&self->answer);
  g_clear_object (&self->view);
  g_clear_object (&self->content);
  g_clear_object (&self->session);
  g_clear_pointer (&self->proxy, rw_proxy_free);
  g_clear_pointer (&self->scripts, rw_scripts_unref);
  g_free (self->url);
  g_free (self);
}
