/* SPDX-License-Identifier: MIT */
/* What racewalk races prints: table, statistics, JSON. */
#pragma once

#include "rw-race.h"

G_BEGIN_DECLS

typedef struct
{
  const char *path;
  const RwHistory *history;
  const RwRaces *races;
  gboolean all; /* covered ones, too */
  guint limit;  /* of the table; 0: none */
  double load_seconds;
  double hb_seconds;
} RwRacesReport;

GString *rw_races_print_table (const RwRacesReport *report);
GString *rw_races_print_stats (const RwRacesReport *report);
/* With the statistics. */
GString *rw_races_print_json (const RwRacesReport *report);

G_END_DECLS
