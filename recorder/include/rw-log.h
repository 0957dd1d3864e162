/* SPDX-License-Identifier: MIT */
/* The page's log on its way into a trace: packed operations, a growing table of strings, event definitions. */
#pragma once

#include "rw-scripts.h"
#include "rw-trace.h"

G_BEGIN_DECLS

typedef struct _RwLog RwLog;

/* Fills a new trace in @space; @scripts tells what place numbers mean and may be NULL. */
RwLog *rw_log_new (RwSpace *space, RwScripts *scripts);
void rw_log_free (RwLog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwLog, rw_log_free)

/* One hand-over: @ops are int32 quadruples [kind | flags << 8, target, value, place], @strings the strings that are new,
 * joined by NUL, @events the definitions that are new, a JSON array. All of it comes from a page and is checked; FALSE and
 * a reason if it is not such a log, and then the trace ends where it was. */
gboolean rw_log_add (RwLog *self, const gint32 *ops, gsize n_ints, const char *strings, gsize strings_length,
                     const char *events, gsize events_length, char **why);
RwTrace *rw_log_trace (RwLog *self);
/* Virtual time at which each event ran, JSON: {"IDENTITY": ms, ...}. */
char *rw_log_times (RwLog *self);

G_END_DECLS
