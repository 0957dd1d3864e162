/* SPDX-License-Identifier: MIT */
/* Every script that was rewritten for one recording: the same text in gives the same text and the same places out. */
#pragma once

#include <glib.h>

#include "rw-rewrite.h"

G_BEGIN_DECLS

typedef struct _RwScripts RwScripts;

RwScripts *rw_scripts_new (void);
RwScripts *rw_scripts_ref (RwScripts *self);
void rw_scripts_unref (RwScripts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwScripts, rw_scripts_unref)

/* Where a piece of script comes from. @line and @column (1-based, 0 is taken as 1) are where its first character stands
 * in
 * @url: 1:1 for a file, the position after `<script>` for an inline one. Columns count UTF-16 units, as the engine's
 * do. */
typedef struct
{
  const char *url;
  guint line;
  guint column;
  RwScriptKind kind;
  gboolean strict; /* the code around it is strict (handlers, eval) */
} RwScriptSource;

/* The rewritten text of @source (UTF-8, @length bytes or -1), owned by the registry, valid as long as it. It is found
 * again by URL, position, kind and content, so a replay of the same content gets the very same bytes and place numbers.
 * Numbers are given out in the order in which scripts turn up, so they hold in this process only: what is kept is the
 * text of rw_scripts_place (). What can't be rewritten (the rewriter refuses, or JavaScriptCore takes the original but
 * not the rewritten text) comes back as it is and is counted in rw_scripts_failures (). A text with a syntax error of
 * its own comes back as it is and is not counted: the page shall see that error. A text that this registry gave out
 * comes back as it is, so that a script is not rewritten twice (a template's script that is cloned later, for example).
 */
const char *rw_scripts_rewrite (RwScripts *self, const RwScriptSource *where, const char *source, gssize length,
                                gsize *out_length);

/* TRUE if @text is one that rw_scripts_rewrite () made; *@original (may be NULL) is then the text it was made from. */
gboolean rw_scripts_original (RwScripts *self, const char *text, gssize length, const char **original);

/* "url:line:column" of a place number (the first is 1), 1-based and in the document for inline scripts; NULL: no such
 * place. Owned by the registry. */
const char *rw_scripts_place (RwScripts *self, guint place);
guint rw_scripts_n_places (const RwScripts *self);

/* The scripts that are served as they are, "url:line:column: reason", oldest first; of char *, owned by the registry.
 */
const GPtrArray *rw_scripts_failures (const RwScripts *self);
guint rw_scripts_n_rewritten (const RwScripts *self);

G_END_DECLS
