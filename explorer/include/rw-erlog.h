/* SPDX-License-Identifier: MIT */
/* EventRacer's log (ER_actionlog): the exchange format of event-race tools, read from untrusted bytes and written. */
#pragma once

#include "rw-trace.h"

G_BEGIN_DECLS

/* Values of the format. */
typedef enum
{
  RW_ER_ENTER = 0,   /* a scope */
  RW_ER_EXIT = 1,    /* of the scope entered last */
  RW_ER_READ = 2,    /* a variable */
  RW_ER_WRITE = 3,   /* a variable */
  RW_ER_TRIGGER = 4, /* an event's id, or -1 */
  RW_ER_VALUE = 5    /* of the read or write just before */
} RwErCommandKind;

typedef enum
{
  RW_ER_UNKNOWN = 0,
  RW_ER_TIMER = 1,
  RW_ER_USER = 2,
  RW_ER_NETWORK = 3,
  RW_ER_CONTINUATION = 4
} RwErType;

typedef enum
{
  RW_ER_VARIABLES = 0,
  RW_ER_SCOPES = 1,
  RW_ER_SOURCES = 2,
  RW_ER_VALUES = 3
} RwErSet;
#define RW_ER_N_SETS 4

typedef struct
{
  guint32 kind;
  guint32 target; /* a string's index in its set, not its byte offset as in the file; of RW_ER_TRIGGER an event's id */
} RwErCommand;

typedef struct
{
  guint32 tail; /* index of an event, less than @head */
  guint32 head;
  gint32 duration; /* ms of a timer; -1: a plain arc */
} RwErArc;

typedef struct
{
  gint32 id;
  guint32 type;
  guint32 first; /* command */
  guint32 n_commands;
  gboolean silent; /* only arcs mention it */
} RwErEvent;

/* Strings are the bytes of the file, NUL-terminated, in no known encoding. */
typedef struct
{
  GByteArray *bytes; /* NULL: in the log's source */
  const char *start;
  gsize length;
  GArray *offsets;   /* guint32 */
  guint32 hash_size; /* of the file; EventRacer builds its table with it */
  GHashTable *index; /* while the set is built */
} RwErStrings;

typedef struct
{
  GBytes *source;
  RwErStrings sets[RW_ER_N_SETS];
  GArray *events;   /* RwErEvent, by ascending id: every id that an operation or an arc mentions */
  GArray *arcs;     /* RwErArc, as in the file */
  GArray *commands; /* RwErCommand */
  guint backward;   /* arcs of the file that point backward or at their own event; they are left out */
} RwErLog;

#define RW_ERLOG_ERROR (rw_erlog_error_quark ())
GQuark rw_erlog_error_quark (void);
typedef enum
{
  RW_ERLOG_ERROR_FORMAT /* damaged, or not an EventRacer log */
} RwErLogError;

/* @source is kept. The message names what is wrong and the byte where. */
RwErLog *rw_erlog_from_bytes (GBytes *source, GError **error);
/* What was read from a well-formed log is written back byte for byte. */
GBytes *rw_erlog_to_bytes (const RwErLog *self);
/* A run in the same format, so that other tools can check ours. */
RwErLog *rw_erlog_from_trace (RwTrace *trace);
void rw_erlog_free (RwErLog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwErLog, rw_erlog_free)

/* To build one: strings are interned; the event added last gets the commands; arcs take indices of events. */
RwErLog *rw_erlog_new (void);
guint rw_erlog_add_string (RwErLog *self, RwErSet set, const char *text);
guint rw_erlog_add_event (RwErLog *self, RwErType type); /* ids count from 1 */
void rw_erlog_add_command (RwErLog *self, RwErCommandKind kind, guint32 target);
void rw_erlog_add_arc (RwErLog *self, guint tail, guint head, gint32 duration);

const char *rw_erlog_string (const RwErLog *self, RwErSet set, guint index);
guint rw_erlog_n_strings (const RwErLog *self, RwErSet set);

G_END_DECLS
