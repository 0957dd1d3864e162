/* SPDX-License-Identifier: MIT */
/* Model programs: small event-driven programs as text, and their interpreter. The language is in explorer/README.md. */
#pragma once

#include "rw-explore.h"

G_BEGIN_DECLS

#define RW_MODEL_ERROR (rw_model_error_quark ())
GQuark rw_model_error_quark (void);
typedef enum
{
  RW_MODEL_ERROR_SYNTAX, /* "NAME:LINE: what; remedy" */
  RW_MODEL_ERROR_LIMIT
} RwModelError;

typedef struct _RwModel RwModel;

/* @name is put before the line in errors. The text is untrusted. */
RwModel *rw_model_parse (const char *text, gsize length, const char *name, GError **error);
void rw_model_free (RwModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwModel, rw_model_free)

RwSpace *rw_model_space (const RwModel *self);
/* As in RwExploreOptions; before the first run. */
void rw_model_set_timers_any (RwModel *self, gboolean timers_any);

/* Runs a schedule; an empty one is run 0: first what the program records, then the oldest enabled event. Afterwards an
 * empty list gives the same run again. */
RwTrace *rw_model_execute (RwModel *self, const RwSchedule *schedule);
RwExecutor rw_model_executor (RwModel *self);

/* Of the last run: lines of the assertions that failed, ascending; of guint. */
const GArray *rw_model_failures (const RwModel *self);
/* Of the last run: TRUE if a thread or handler waits for a lock that nobody gives back. */
gboolean rw_model_deadlocked (const RwModel *self);
/* The variables at the end of the last run: "x=1 y=undefined", in the order of first mention. */
char *rw_model_final_state (const RwModel *self);

/* What the program itself says that exploration must find; 0: it does not say. */
guint rw_model_expected_classes (const RwModel *self);
const GArray *rw_model_expected_within (const RwModel *self); /* of guint, by bound */

G_END_DECLS
