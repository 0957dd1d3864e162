/* SPDX-License-Identifier: MIT */
/* What the HTML preparation needs to know about a rewritten script beyond its text. */
#pragma once

#include "rw-scripts.h"

G_BEGIN_DECLS

/* Lines and columns of a text's offsets, each found in a short time however long the lines are. Lines and columns count
 * from 1, columns in UTF-16 units: as the engine does. */
typedef struct _RwPositions RwPositions;
typedef enum
{
  RW_LINES_HTML,      /* LF, CR LF, CR */
  RW_LINES_JAVASCRIPT /* and U+2028, U+2029 */
} RwLines;
/* @text must live as long. */
RwPositions *rw_positions_new (const char *text, gsize length, RwLines lines);
void rw_positions_free (RwPositions *self);
void rw_positions_find (const RwPositions *self, gsize offset, guint *line, guint *column);

typedef enum
{
  RW_SCRIPTS_REWRITTEN,
  RW_SCRIPTS_KEPT,  /* can't be rewritten: served as it is, and counted */
  RW_SCRIPTS_BROKEN /* a syntax error of the page's own: served as it is */
} RwScriptsResult;

/* As rw_scripts_rewrite (), and says what came of it. */
const char *rw_scripts_rewrite_full (RwScripts *self, const RwScriptSource *where, const char *source, gssize length,
                                     gsize *out_length, RwScriptsResult *result);
/* @text is another form of @original that this registry must not rewrite again. */
void rw_scripts_add_served (RwScripts *self, const char *text, gssize length, const char *original,
                            gssize original_length);

G_END_DECLS
