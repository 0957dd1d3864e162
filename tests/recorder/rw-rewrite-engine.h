/* SPDX-License-Identifier: MIT */
/* A bare JavaScriptCore for the rewriter's tests: scripts plain and rewritten, and the libraries to try them on. */
#pragma once

#include <jsc/jsc.h>

#include "rw-rewrite.h"

G_BEGIN_DECLS

/* Scripts evaluated one after the other in a new context: "VALUE OF THE LAST, OR THE FIRST ERROR | what log () was called with". Rewritten
 * with the runtime in front if @rewrite. @scripts ends with NULL. */
char *rw_engine_run (JSCVirtualMachine *machine, const char *const *scripts, gboolean rewrite);

gboolean rw_engine_accepts (JSCContext *context, const char *code, gsize length, gboolean module);

/* TRUE if what the engine accepts as it is, it accepts rewritten, or the rewriter refuses (*@refused, may be NULL). */
gboolean rw_engine_check (JSCContext *context, const char *code, gsize length, gboolean module, gboolean *refused);

/* The folder with the packages of rewrite-packages/package.json; NULL if they are not there and can't be fetched. */
const char *rw_engine_packages (void);
/* Files under @folder (relative to the packages) whose names end in @suffix, sorted; of char *, whole paths. */
GPtrArray *rw_engine_files (const char *folder, const char *suffix);

G_END_DECLS
