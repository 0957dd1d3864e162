/* SPDX-License-Identifier: MIT */
/* What the page runtime is told before a load: the schedule, and the answers to everything that could differ. */
#pragma once

#include "rw-recording.h"
#include "rw-scenario.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean record;            /* by virtual time; otherwise by the schedule */
  const RwSpace *space;       /* of the following */
  const GArray *schedule;     /* of RwEvent; NULL: none */
  const RwTrace *recording;   /* run 0: gives the ranks; NULL while recording */
  const char *times;          /* JSON of RwLoaded.times of run 0; NULL while recording */
  const GPtrArray *exchanges; /* of RwExchange *; NULL while recording */
  const RwScenario *scenario; /* NULL: none */
  double epoch_ms;            /* what the page's clock shows at navigation, since 1970 */
  double horizon_ms;          /* virtual time after which nothing runs */
  guint max_events;
  gboolean timers_any;
  gboolean find_steps; /* look for what a user could do, and report it as a scenario */
  guint max_steps;
} RwConfig;

#define RW_CONFIG_HORIZON_MS 10000
#define RW_CONFIG_MAX_EVENTS 20000

/* A JSON object; see recorder/README.md, "The page runtime". */
char *rw_config_to_json (const RwConfig *self);

G_END_DECLS
