/* SPDX-License-Identifier: MIT */
/* The page runtime: the JavaScript of recorder/runtime, compiled in and put together for one load. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Two user scripts make one load. The first hands over the configuration, a JSON object (see recorder/README.md, "The page
 * runtime"); the second is the runtime, the same text every time, so that the engine compiles it once. */
char *rw_runtime_config_script (const char *config);
char *rw_runtime_script (void);

/* What stands in front of a worker's script: scripts that it imports are rewritten, and call $rw$. */
char *rw_runtime_worker (void);

/* The single files, for tests and for `racewalk instrument --standalone`. */
extern const char rw_runtime_access[];
extern const char rw_runtime_arrivals[];
extern const char rw_runtime_clock[];
extern const char rw_runtime_completions[];
extern const char rw_runtime_disguise[];
extern const char rw_runtime_document[];
extern const char rw_runtime_dom[];
extern const char rw_runtime_domaccess[];
extern const char rw_runtime_dommethods[];
extern const char rw_runtime_frames[];
extern const char rw_runtime_input[];
extern const char rw_runtime_listeners[];
extern const char rw_runtime_measured[];
extern const char rw_runtime_messages[];
extern const char rw_runtime_natives[];
extern const char rw_runtime_network[];
extern const char rw_runtime_observed[];
extern const char rw_runtime_scheduler[];
extern const char rw_runtime_start[];
extern const char rw_runtime_state[];
extern const char rw_runtime_steps[];
extern const char rw_runtime_timers[];
extern const char rw_runtime_workers[];

G_END_DECLS
