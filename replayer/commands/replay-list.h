/* SPDX-License-Identifier: MIT */
/* What `racewalk replay --list` prints. */
#pragma once

#include "rw-session.h"

G_BEGIN_DECLS

const char *rw_event_label (const RwSpace *space, RwEvent event);
/* The events of a run in their order, and what was skipped. */
void rw_list_events (const RwRun *run);
/* The runs of a recording, one a line. FALSE: the recording is damaged. */
gboolean rw_list_runs (RwSession *session, GError **error);

G_END_DECLS
