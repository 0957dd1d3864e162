/* SPDX-License-Identifier: MIT */
/* Divergence: where a run that should have been the same was not. A hole in the recorder shows itself here, not as a race. */
#pragma once

#include "rw-recording.h"

G_BEGIN_DECLS

/* Both runs in one space; @again was given @recorded's schedule. NULL: they agree, in their events, what each event did, and
 * the end state. Otherwise one line that names the first difference. */
char *rw_divergence_describe (const RwRun *recorded, const RwRun *again);

G_END_DECLS
