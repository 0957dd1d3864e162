/* SPDX-License-Identifier: MIT */
/* The coverage of races, a step of rw_races_find (). */
#pragma once

#include "rw-race.h"

G_BEGIN_DECLS

/* Sets the coverage of all races, which are sorted. */
void rw_races_cover (RwRaces *self, const RwHistory *history);

G_END_DECLS
