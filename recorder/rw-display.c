/* SPDX-License-Identifier: MIT */
/* Starts Xvfb and waits until it answers. */
#include "rw-display.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Measured 52-77 ms; a loaded machine may take many times that. */
#define START_TIMEOUT_MS 20000

struct _RwDisplay
{
  GPid pid;
};

/* Xvfb must not outlive us, not even after kill -9; and it must not get the terminal's Ctrl-C before we have finished. */
static void
child_setup_cb (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  setsid ();
}

static gboolean
read_display_number (int fd, char *number, gsize size)
{
  gsize used = 0;
  gint64 deadline = g_get_monotonic_time () + START_TIMEOUT_MS * 1000;
  while (used + 1 < size)
    {
      struct pollfd pfd = { .fd = fd, .events = POLLIN };
      int wait = (int)((deadline - g_get_monotonic_time ()) / 1000);
      if (wait <= 0 || (poll (&pfd, 1, wait) < 0 && errno != EINTR))
        return FALSE;
      ssize_t n = read (fd, number + used, size - used - 1);
      if (n <= 0)
        return FALSE;
      used += (gsize)n;
      number[used] = '\0';
      char *end = strchr (number, '\n');
      if (end != NULL)
        {
          *end = '\0';
          return used > 1;
        }
    }
  return FALSE;
}

static gboolean
spawn_xvfb (RwDisplay *self, int write_fd, guint width, guint height, GError **error)
{
  g_autofree char *screen = g_strdup_printf ("%ux%ux24", width, height);
  const char *argv[] = { "Xvfb", "-displayfd", "3", "-screen", "0", screen, "-nolisten", "tcp", "-noreset", "+extension",
                         "XTEST", NULL };
  int source[] = { write_fd };
  int target[] = { 3 };
  if (g_spawn_async_with_pipes_and_fds (
          NULL, argv, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
          child_setup_cb, NULL, -1, -1, -1, source, target, 1, &self->pid, NULL, NULL, NULL, NULL))
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                       "Xvfb: cannot be started; install the package xvfb, or run recorder/setup/install");
  return FALSE;
}

RwDisplay *
rw_display_start (guint width, guint height, GError **error)
{
  g_autoptr (RwDisplay) self = g_new0 (RwDisplay, 1);
  int fds[2];
  char number[16] = "";
  if (!g_unix_open_pipe (fds, FD_CLOEXEC, error))
    return NULL;
  gboolean spawned = spawn_xvfb (self, fds[1], width, height, error);
  close (fds[1]);
  gboolean up = spawned && read_display_number (fds[0], number, sizeof number);
  close (fds[0]);
  if (!spawned)
    return NULL;
  if (!up)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "Xvfb: did not come up; try `Xvfb :99` to see why");
      return NULL;
    }
  g_autofree char *name = g_strdup_printf (":%s", number);
  g_setenv ("DISPLAY", name, TRUE);
  return g_steal_pointer (&self);
}

void
rw_display_stop (RwDisplay *self)
{
  if (self == NULL)
    return;
  if (self->pid > 0)
    {
      kill (self->pid, SIGTERM);
      waitpid (self->pid, NULL, 0);
      g_spawn_close_pid (self->pid);
    }
  g_free (self);
}
