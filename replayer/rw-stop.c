/* SPDX-License-Identifier: MIT */
/* Keeps the signals that ask to stop. */
#include "rw-stop.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* A signal may come between the look at the flag and the wait; so no wait is longer than this. */
#define SLICE_MS 200

static volatile sig_atomic_t asked;

static void
stop_cb (int number)
{
  if (asked)
    {
      /* Somebody does not want to wait. The hosts die with us. */
      signal (number, SIG_DFL);
      raise (number);
    }
  asked = 1;
}

void
rw_stop_watch (void)
{
  /* No SA_RESTART: a wait is to end. */
  struct sigaction action = { .sa_handler = stop_cb };
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGHUP, &action, NULL);
}

gboolean
rw_stop_asked (void)
{
  return asked != 0;
}

gboolean
rw_stop_wait (int fd, int timeout_ms)
{
  gint64 deadline = g_get_monotonic_time () + (gint64)timeout_ms * 1000;
  while (!rw_stop_asked ())
    {
      struct pollfd pfd = { .fd = fd, .events = POLLIN };
      gint64 left = timeout_ms < 0 ? SLICE_MS : (deadline - g_get_monotonic_time ()) / 1000;
      if (left <= 0)
        return FALSE;
      if (poll (&pfd, 1, (int)MIN (left, SLICE_MS)) > 0)
        return TRUE;
    }
  return FALSE;
}
