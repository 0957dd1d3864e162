/* SPDX-License-Identifier: MIT */
/* A run as the race detector sees it, wherever it came from: happens-before, who reads and writes what, and names to show. */
#pragma once

#include "rw-erlog.h"
#include "rw-hb.h"
#include "rw-trace.h"

G_BEGIN_DECLS

/* Nodes are those of @hb. The accesses of node n are access[first[n]] to access[first[n + 1] - 1], in the order in which they
 * were made; each is location << 1 | is-a-write. The source
 * gives each node at most the first read and the first write of a location. */
typedef struct _RwHistory RwHistory;
struct _RwHistory
{
  RwHb *hb;
  GArray *first;  /* guint32, one more than there are nodes */
  GArray *access; /* guint32 */
  guint n_locations;

  /* of one source or the other */
  RwTrace *trace;
  const RwErLog *log;
  GArray *origin;   /* guint32: node -> event of the log */
  GArray *location; /* guint32: the variables of the log for which the last locations stand */
  GArray *at;       /* guint32: access -> command of the log, or op of the event; G_MAXUINT32: the run of the event itself */
  GPtrArray *names; /* of the last locations, which a trace implies: queues and slots of events that are cancelled */
};

typedef struct
{
  const char *value; /* NULL: not logged */
  const char *place; /* in the source; NULL: not known */
  gboolean failed;   /* a look-up that found nothing */
} RwAccessInfo;

/* By the rules of explorer/README.md. Node 0 stands for what was there before the run, node i + 1 for the event at position i. */
RwHistory *rw_history_from_trace (RwTrace *trace, RwTimers timers);
/* @log must outlive the history. */
RwHistory *rw_history_from_erlog (const RwErLog *log, RwTimers timers);
void rw_history_free (RwHistory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwHistory, rw_history_free)

guint rw_history_n_nodes (const RwHistory *self);
/* The events of the run; those that a log holds for nothing are not nodes. */
guint rw_history_n_events (const RwHistory *self);
guint64 rw_history_n_accesses (const RwHistory *self);
/* The number by which a person finds the event: in a log its id, in a recording its position; -1 for the start of all. */
gint64 rw_history_number (const RwHistory *self, guint node);
char *rw_history_label (const RwHistory *self, guint node);
const char *rw_history_kind (const RwHistory *self, guint node);
const char *rw_history_location (const RwHistory *self, guint location);
/* @at counts the accesses of the node. */
void rw_history_access (const RwHistory *self, guint node, guint at, RwAccessInfo *info);
gsize rw_history_source_memory (const RwHistory *self); /* bytes of the log or the trace */
gsize rw_history_memory (const RwHistory *self); /* bytes, without happens-before */

G_END_DECLS
