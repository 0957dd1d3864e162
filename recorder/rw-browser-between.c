/* SPDX-License-Identifier: MIT */
/* What happens between two loads: the picture of the one, and a clean browser for the other. */
#include "rw-browser-private.h"


static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  RwBrowser *self = data;
  g_set_object (&self->answer, result);
}

static gboolean
late_cb (gpointer data)
{
  rw_browser_lost (data, "the browser does not answer any more");
  return G_SOURCE_CONTINUE;
}

static gboolean
is_answered (RwBrowser *self)
{
  return self->answer != NULL;
}

static gboolean
is_loaded (RwBrowser *self)
{
  return !webkit_web_view_is_loading (self->view);
}

/* FALSE: the browser was lost over it. */
static gboolean
wait_until (RwBrowser *self, gboolean (*is_so) (RwBrowser *self))
{
  guint late = g_timeout_add (self->options.silence_ms, late_cb, self);
  while (!is_so (self) && self->lost == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (late);
  return self->lost == NULL;
}

static void
forget_data (RwBrowser *self)
{
  WebKitWebsiteDataManager *manager = webkit_network_session_get_website_data_manager (self->session);
  g_clear_object (&self->answer);
  webkit_website_data_manager_clear (manager, WEBKIT_WEBSITE_DATA_ALL, 0, NULL, done_cb, self);
  if (wait_until (self, is_answered))
    webkit_website_data_manager_clear_finish (manager, self->answer, NULL);
}

/* When loads follow each other closely the engine keeps a few megabytes of each old page; with a new web process now and then
 * that stays small, at a third of a second each. */
#define LOADS_A_PROCESS 24

/* Nothing of one run is seen by the next: cookies, storage, caches, and with about:blank the window's name. */
gboolean
rw_browser_clean (RwBrowser *self, gboolean plain)
{
  webkit_web_view_send_message_to_page (self->view, webkit_user_message_new ("new-run", NULL), NULL, NULL, NULL);
  if (self->loads > 0)
    {
      webkit_user_content_manager_remove_all_scripts (self->content);
      if (self->loads % LOADS_A_PROCESS == 0)
        webkit_web_view_terminate_web_process (self->view);
      webkit_web_view_load_uri (self->view, "about:blank");
      if (wait_until (self, is_loaded))
        forget_data (self);
    }
  rw_proxy_set_plain (self->proxy, plain);
  rw_proxy_begin_run (self->proxy);
  return self->lost == NULL;
}

static GBytes *
snapshot (RwBrowser *self)
{
  g_clear_object (&self->answer);
  webkit_web_view_get_snapshot (self->view, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL, done_cb, self);
  if (!wait_until (self, is_answered))
    return NULL;
  g_autoptr (GdkTexture) texture = webkit_web_view_get_snapshot_finish (self->view, self->answer, NULL);
  return texture == NULL ? NULL : gdk_texture_save_to_png_bytes (texture);
}

/* Always a new one: equal end states may look different, and that is a finding. */
GBytes *
rw_browser_picture (RwBrowser *self)
{
  return snapshot (self);
}
