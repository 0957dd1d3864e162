/* SPDX-License-Identifier: MIT */
/* Small runs, spelled out: "A: w x; B: r x; A<B" is a log with two events and an arc. */
#pragma once

#include "rw-race.h"

G_BEGIN_DECLS

/* Events run in the order in which they are named. "A: r x, w y=1" accesses (with a value), "A<B" an arc, "A>B@10" a
 * timer of 10 ms that A sets and that fires as B, "!B: ..." is a user event, "A: {s, r x, }" reads x in the scope s.
 * The names are the letters from A on. */
RwErLog *rw_spell_log (const char *text);
/* The races as "A-B:x", in the order of the detector; "(A-B:x)" is covered, "[A-B:x]" by several. */
char *rw_spell_races (const RwHistory *history, const RwRaces *races);

G_END_DECLS
