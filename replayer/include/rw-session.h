/* SPDX-License-Identifier: MIT */
/* A recording opened for replay: what hosts and the runtime need to run any schedule of it. */
#pragma once

#include "rw-config.h"
#include "rw-host.h"
#include "rw-recording.h"

G_BEGIN_DECLS

typedef struct
{
  RwRecording *recording; /* not owned */
  RwSpace *space;
  RwRun *run0;
  RwScenario *scenario;
  GPtrArray *exchanges;
  char *url;
  char *times;
  double epoch_ms;
  double horizon_ms;
  guint max_events;
  guint width;
  guint height;
  gboolean timers_any;
  guint silence_ms; /* limits of one run */
  guint wall_ms;
  guint memory_mb;
} RwSession;

RwSession *rw_session_open (RwRecording *recording, GError **error);
void rw_session_free (RwSession *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwSession, rw_session_free)

RwHost *rw_session_start_host (RwSession *self, gboolean show, GError **error);
/* The runtime's configuration for a list of events (RwEvent). */
char *rw_session_config (RwSession *self, const GArray *schedule);
/* A run from what a host gave back; takes over what it can from @loaded. @schedule may be NULL for run 0. */
RwRun *rw_session_run (RwSession *self, const RwSchedule *schedule, RwLoaded *loaded);

G_END_DECLS
