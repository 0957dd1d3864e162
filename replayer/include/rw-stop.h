/* SPDX-License-Identifier: MIT */
/* Being asked to stop: Ctrl-C, SIGTERM, a terminal that goes away. Work under way ends in order; a second time it ends at once. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on the signals only set the flag. */
void rw_stop_watch (void);
gboolean rw_stop_asked (void);
/* Waits until @fd is readable or closed. FALSE: it was asked to stop, or @timeout_ms (-1: none) went by. */
gboolean rw_stop_wait (int fd, int timeout_ms);

G_END_DECLS
