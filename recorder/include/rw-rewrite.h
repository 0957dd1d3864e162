/* SPDX-License-Identifier: MIT */
/* Rewrites JavaScript so that the accesses which events can share are logged through $rw$ (runtime/access.js). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  RW_SCRIPT_CLASSIC = 0,
  RW_SCRIPT_MODULE = 1,
  RW_SCRIPT_HANDLER = 2, /* body of an inline handler attribute */
  RW_SCRIPT_EVAL = 3,    /* argument of a direct eval; that of an indirect one is RW_SCRIPT_CLASSIC */
  RW_SCRIPT_FUNCTION = 4 /* what Function makes of its arguments: "function anonymous(a,b\n) {\nbody\n}", also async and with *;
                          * the result is an expression whose value is the function */
} RwScriptKind;

/* By the names that the runtime uses: "classic", "module", "handler", "eval", "function". FALSE: none of these. */
gboolean rw_script_kind_from_name (const char *name, RwScriptKind *kind);

#define RW_REWRITE_ERROR (rw_rewrite_error_quark ())
GQuark rw_rewrite_error_quark (void);
typedef enum
{
  RW_REWRITE_ERROR_SYNTAX,   /* the grammar does not know it; the engine may still */
  RW_REWRITE_ERROR_RESERVED, /* it mentions $rw$ */
  RW_REWRITE_ERROR_LIMIT     /* nested too deeply, or too long */
} RwRewriteError;

/* The rewritten text of @source (UTF-8, @length bytes), or NULL with @error: then serve the source as it is, and say so. @strict:
 * the code is strict without saying it (an eval inside strict code; modules are anyhow). Accesses are numbered from
 * @place_base (at least 1); their byte offsets into @source are appended to @places (of guint32), so that the number of the
 * i-th one is @place_base + i. The line of a piece of code stays the same. Pure: no state, no files, may be called in any
 * thread and process. Syntax that the grammar accepts and the engine rejects comes out as something: check what goes in, and
 * what comes out, with the engine. */
char *rw_rewrite (const char *source, gsize length, RwScriptKind kind, gboolean strict, guint place_base, GArray *places,
                  gsize *out_length, GError **error);

G_END_DECLS
