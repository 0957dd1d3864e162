/* SPDX-License-Identifier: MIT */
/* Schedules that people write. */
#pragma once

#include "rw-session.h"

G_BEGIN_DECLS

/* Reads a list of events, one a line: its identity (16 hex digits), or its label; of several with the same label the first that
 * is not on the list yet. Empty lines and lines that begin with # do not count. What is unknown or repeated is an error that
 * names the line; with @skip it is left out and counted in *@left_out. Of RwEvent. */
GArray *rw_schedule_read (RwSession *session, const char *path, gboolean skip, guint *left_out, GError **error);

G_END_DECLS
