/* SPDX-License-Identifier: MIT */
/* Watches WebKit's network process. WebKit starts a new one in its place and lets the page see failed requests: a run that
 * goes on after that is a different run, so it has to be noticed at once. The web process has a signal of its own. */
#include "rw-browser-private.h"

#include <glib-unix.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

/* The kernel keeps 15 characters of a name. */
#define NETWORK_PROCESS "WebKitNetworkPr"

/* "PID (NAME) STATE PPID ..." of /proc/PID/stat. */
static gboolean
is_network_process (const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/stat", pid);
  g_autofree char *stat = NULL;
  if (!g_file_get_contents (path, &stat, NULL, NULL))
    return FALSE;
  const char *open = strchr (stat, '('), *close = strrchr (stat, ')');
  return open != NULL && close != NULL && g_str_has_prefix (open + 1, NETWORK_PROCESS ")") && strlen (close) > 4
         && atoi (close + 4) == (int)getpid ();
}

static int
find_network_process (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_ascii_isdigit (*name) && is_network_process (name))
      return atoi (name);
  return 0;
}

static gboolean
ended_cb (int fd, GIOCondition condition, gpointer data)
{
  RwBrowser *self = data;
  close (fd);
  self->network_watch = 0;
  rw_browser_lost (self, "the network process ended");
  return G_SOURCE_REMOVE;
}

void
rw_browser_watch_network (RwBrowser *self)
{
  if (self->network_watch != 0 || self->lost != NULL)
    return;
  int pid = find_network_process ();
  int fd = pid == 0 ? -1 : pidfd_open (pid, 0);
  if (fd >= 0)
    self->network_watch = g_unix_fd_add (fd, G_IO_IN, ended_cb, self);
}

void
rw_browser_unwatch_network (RwBrowser *self)
{
  if (self->network_watch != 0)
    g_source_remove (self->network_watch);
  self->network_watch = 0;
}
