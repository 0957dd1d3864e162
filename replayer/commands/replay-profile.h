/* SPDX-License-Identifier: MIT */
/* What `racewalk replay --profile` measures. */
#pragma once

#include "rw-session.h"

G_BEGIN_DECLS

/* Replays @events and loads the page plainly, @times each in turn, in the same host; prints medians, their ratio, and where
 * the time of a replayed run goes. */
gboolean rw_profile (RwSession *session, RwHost *host, const GArray *events, guint times, GError **error);

G_END_DECLS
