/* SPDX-License-Identifier: MIT */
/* Pictures of a run and its races: a graph for Graphviz, a timeline for Perfetto. */
#pragma once

#include "rw-race.h"

G_BEGIN_DECLS

#define RW_PICTURE_MAX_NODES 400

/* The events of races that are not covered, at most RW_PICTURE_MAX_NODES of them, the order among them, and the races in red;
 * all events if there are no races. */
GString *rw_picture_dot (const RwHistory *history, const RwRaces *races);
/* Trace-event JSON: a track for each chain, a slice for each event, flow arrows for happens-before and for races. A trace has no
 * clock, so each event takes one millisecond. */
GString *rw_picture_perfetto (const RwHistory *history, const RwRaces *races);

G_END_DECLS
