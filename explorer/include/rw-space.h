/* SPDX-License-Identifier: MIT */
/* The names that all runs of one recording share: events, locations, values, places in the source. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Dense indices into one RwSpace, given out in the order of first mention. They mean nothing outside it:
 * what is written to disk or shown is the identity (events) or the text (the others). */
typedef guint32 RwEvent;
typedef guint32 RwLocation;
typedef guint32 RwValue; /* 0: the value was not logged */
typedef guint32 RwPlace; /* 0: the place is not known */
typedef guint32 RwGroup; /* 0: in no FIFO group */

#define RW_EVENT_NONE G_MAXUINT32

/* Written into recordings: append only, never renumber. */
typedef enum
{
  RW_KIND_OTHER = 0,
  RW_KIND_PARSE = 1,     /* a segment of a document */
  RW_KIND_SCRIPT = 2,    /* an external script runs */
  RW_KIND_LOAD = 3,      /* load or error of an element */
  RW_KIND_LIFECYCLE = 4, /* DOMContentLoaded, load, readystatechange, pageshow */
  RW_KIND_TIMER = 5,
  RW_KIND_INTERVAL = 6,
  RW_KIND_FRAME = 7, /* animation frame */
  RW_KIND_IDLE = 8,
  RW_KIND_NETWORK = 9, /* an answer to XHR, fetch, WebSocket, EventSource, beacon */
  RW_KIND_MESSAGE = 10,
  RW_KIND_NATIVE = 11, /* completion of a native operation */
  RW_KIND_USER = 12,
  RW_KIND_NAVIGATION = 13, /* storage, hashchange, popstate, unload */
  RW_KIND_UNSCHEDULED = 14 /* page code that was entered outside the schedule: a hole */
} RwEventKind;

/* What is known of an event by its identity alone, the same in every run.
 * An event is enabled iff it is posted, neither cancelled nor run, and
 *  - every event in @after is finished (ran, or was cancelled),
 *  - no pending event names it in its @blocks,
 *  - it is the oldest pending one of its @group,
 *  - it has no @delay, or no pending event x with 0 <= delay(x) <= delay blocks it by the timer rule:
 *    x was posted earlier by the same event, or by an event that happens before this one's poster. */
typedef struct
{
  guint64 id; /* the identity; never 0 */
  RwEventKind kind;
  const char *label; /* for people: "timer 100 ms (showNextImage)" */
  RwGroup group;
  gint32 delay; /* ms; -1: not subject to the timer rule */
  const guint64 *after;
  guint n_after;
  const guint64 *blocks;
  guint n_blocks;
} RwEventInfo;

typedef struct _RwSpace RwSpace;

RwSpace *rw_space_new (void);
RwSpace *rw_space_ref (RwSpace *self);
void rw_space_unref (RwSpace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwSpace, rw_space_unref)

/* Interns by @info->id; everything in @info is copied. The first definition stays: a later one that differs in anything
 * but the label is counted in rw_space_unstable () and otherwise ignored. An id that was only mentioned (in an after or
 * blocks list, or by rw_space_event_by_id ()) is completed by its first definition. */
RwEvent rw_space_event (RwSpace *self, const RwEventInfo *info);
/* The event of this identity; a bare entry (kind OTHER, label NULL) is made if it was never mentioned. */
RwEvent rw_space_event_by_id (RwSpace *self, guint64 id);
/* FALSE and RW_EVENT_NONE if never mentioned; makes nothing. */
gboolean rw_space_lookup_event (const RwSpace *self, guint64 id, RwEvent *event);
const RwEventInfo *rw_space_event_info (const RwSpace *self, RwEvent event); /* valid until the next rw_space_event () */
guint rw_space_n_events (const RwSpace *self);
guint rw_space_unstable (const RwSpace *self);

RwGroup rw_space_group (RwSpace *self, const char *name);
const char *rw_space_group_name (const RwSpace *self, RwGroup group);

RwLocation rw_space_location (RwSpace *self, const char *name);
const char *rw_space_location_name (const RwSpace *self, RwLocation location);
guint rw_space_n_locations (const RwSpace *self);

RwValue rw_space_value (RwSpace *self, const char *text); /* NULL gives 0 */
const char *rw_space_value_text (const RwSpace *self, RwValue value);

RwPlace rw_space_place (RwSpace *self, const char *place); /* "url:line:column"; NULL gives 0 */
const char *rw_space_place_text (const RwSpace *self, RwPlace place);

/* A 64-bit identity from a readable path, the same on every machine (FNV-1a, 64 bit, never 0). */
guint64 rw_identity (const char *path);

G_END_DECLS
