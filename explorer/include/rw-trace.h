/* SPDX-License-Identifier: MIT */
/* What one run did: the events in the order in which they ran, and what each of them read, wrote, posted and cancelled. */
#pragma once

#include "rw-space.h"

G_BEGIN_DECLS

/* Written into recordings: append only, never renumber. */
typedef enum
{
  RW_OP_READ = 0,
  RW_OP_WRITE = 1,
  RW_OP_POST = 2,
  RW_OP_CANCEL = 3
} RwOpKind;

typedef enum
{
  RW_OP_EFFECTIVE = 1 << 0, /* a cancel that removed a pending event */
  RW_OP_FAILED = 1 << 1,    /* a read that found nothing: undefined global, no such element */
  RW_OP_ADD = 1 << 2,       /* a write that adds the integer @value to what is there; the event learns nothing of it */
  RW_OP_INIT = 1 << 3       /* a write of @value if there was nothing (x = x || {}): with FAILED there was nothing, otherwise
                               it had no effect; the event goes on with what is there then, and logs no read for it */
} RwOpFlags;

typedef struct
{
  guint8 kind;
  guint8 flags;
  guint16 reserved;
  guint32 target; /* RwLocation of READ and WRITE, RwEvent of POST and CANCEL */
  RwValue value;
  RwPlace place;
} RwOp;

typedef struct _RwTrace RwTrace;

RwTrace *rw_trace_new (RwSpace *space);
RwTrace *rw_trace_ref (RwTrace *self);
void rw_trace_unref (RwTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwTrace, rw_trace_unref)

/* Building, in order. rw_trace_initial () declares an event that is pending before anything runs. rw_trace_begin ()
 * starts the next executed event and returns its position; the op functions add to the event begun last. The trace can be
 * read at any time, up to what was added. An event runs at most once in a trace. */
void rw_trace_initial (RwTrace *self, RwEvent event);
guint rw_trace_begin (RwTrace *self, RwEvent event);
void rw_trace_add (RwTrace *self, RwOp op);
void rw_trace_read (RwTrace *self, RwLocation location, RwValue value, RwPlace place);
void rw_trace_write (RwTrace *self, RwLocation location, RwValue value, RwPlace place);
void rw_trace_post (RwTrace *self, RwEvent event);
void rw_trace_cancel (RwTrace *self, RwEvent event, gboolean effective);
/* The run was ended by a limit, named by @limit, before nothing was pending any more. */
void rw_trace_set_cut (RwTrace *self, const char *limit);

RwSpace *rw_trace_space (const RwTrace *self);
guint rw_trace_length (const RwTrace *self); /* executed events */
RwEvent rw_trace_event (const RwTrace *self, guint position);
const RwOp *rw_trace_ops (const RwTrace *self, guint position, guint *n_ops);
const RwEvent *rw_trace_initials (const RwTrace *self, guint *n);
gint rw_trace_position (const RwTrace *self, RwEvent event); /* -1: did not run */
/* The event whose POST made @event pending; RW_EVENT_NONE if initial or never posted. */
RwEvent rw_trace_poster (const RwTrace *self, RwEvent event);
const char *rw_trace_cut (const RwTrace *self); /* NULL: ran until nothing was pending */
guint64 rw_trace_n_ops (const RwTrace *self);

/* Structure that every reader may rely on, to be called on what comes from outside: every event runs at most once, ran only
 * after it was posted, indices are in range. @why gets one line. */
gboolean rw_trace_check (const RwTrace *self, char **why);

/* To and from bytes, independent of the space's numbering (the bytes carry the texts that they use). @bytes are untrusted.
 * The format is described in explorer/README.md; it has a version. */
GBytes *rw_trace_to_bytes (const RwTrace *self);
RwTrace *rw_trace_from_bytes (RwSpace *space, GBytes *bytes, GError **error);

#define RW_TRACE_ERROR (rw_trace_error_quark ())
GQuark rw_trace_error_quark (void);
typedef enum
{
  RW_TRACE_ERROR_FORMAT,  /* damaged, or not a trace */
  RW_TRACE_ERROR_VERSION, /* made by a newer version */
  RW_TRACE_ERROR_LIMIT    /* larger than any trace we make */
} RwTraceError;

G_END_DECLS
