/* SPDX-License-Identifier: MIT */
/* The recording, one SQLite file: network exchanges, runs with their traces and end states, verdicts, a person's marks. */
#pragma once

#include <gio/gio.h>

#include "rw-explore.h"

G_BEGIN_DECLS

#define RW_RECORDING_SCHEMA 1

#define RW_RECORDING_ERROR (rw_recording_error_quark ())
GQuark rw_recording_error_quark (void);
typedef enum
{
  RW_RECORDING_ERROR_MISSING, /* no such file */
  RW_RECORDING_ERROR_FORMAT,  /* not a recording, or damaged */
  RW_RECORDING_ERROR_VERSION, /* a newer schema */
  RW_RECORDING_ERROR_FULL,    /* disk full, read-only, no permission */
  RW_RECORDING_ERROR_BUSY     /* another racewalk is writing to it */
} RwRecordingError;

typedef struct _RwRecording RwRecording;

typedef enum
{
  RW_RECORDING_READ,  /* must exist */
  RW_RECORDING_WRITE, /* must exist; one writer at a time */
  RW_RECORDING_NEW    /* made beside @path under a temporary name, appears at @path with rw_recording_publish () */
} RwRecordingMode;

RwRecording *rw_recording_open (const char *path, RwRecordingMode mode, GError **error);
/* A recording that was not published is removed. */
void rw_recording_close (RwRecording *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwRecording, rw_recording_close)
/* Run 0 is complete: rename into place, atomically and synced. */
gboolean rw_recording_publish (RwRecording *self, GError **error);
const char *rw_recording_path (const RwRecording *self);

/* Facts of the recording by name: "url", "scenario", "viewport", "options" ... NULL if there is none. */
char *rw_recording_get (RwRecording *self, const char *key);
gboolean rw_recording_set (RwRecording *self, const char *key, const char *value, GError **error);

/* One request and its answer. Header blocks are "Name: value\n" lines. */
typedef struct
{
  guint number; /* in the order of the requests */
  char *method;
  char *url;
  char *request_headers;
  GBytes *request_body; /* NULL: none */
  guint status;         /* 0: the network failed, and @reason says how */
  char *reason;
  char *headers;
  GBytes *body; /* as the page sees it: decoded from any transfer or content encoding */
  guint latency_ms;
} RwExchange;
void rw_exchange_free (RwExchange *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwExchange, rw_exchange_free)

gboolean rw_recording_add_exchange (RwRecording *self, const RwExchange *exchange, GError **error);
/* All of them, in order; of RwExchange *, owned by the array. */
GPtrArray *rw_recording_exchanges (RwRecording *self, GError **error);

/* One executed schedule. */
typedef enum
{
  RW_OUTCOME_DONE = 0, /* ran until nothing was pending, or to the horizon */
  RW_OUTCOME_LIMIT = 1, /* ended by a limit that @note names */
  RW_OUTCOME_HANG = 2,
  RW_OUTCOME_CRASH = 3
} RwOutcome;

typedef struct
{
  guint number; /* RW_RUN_UNDECIDED and RW_RUN_REDUNDANT are stored too */
  char *key;    /* rw_schedule_key () */
  guint parent;
  guint depth;
  RwReversal reversal; /* in terms of the space handed to the reading function */
  GArray *schedule;    /* of RwEvent: what was asked for */
  RwTrace *trace;      /* what happened; NULL for a crash without a log */
  RwOutcome outcome;
  char *note; /* NULL, or the limit, the signal, the divergence */
  char *fingerprint;
  GArray *skipped;   /* of RwEvent: asked for, but not enabled */
  char *state_hash;  /* hex SHA-256 of @state; NULL if there is none */
  GBytes *state;     /* the end state, JSON; see reporter/README.md */
  GBytes *screenshot; /* PNG, or NULL */
  guint wall_ms;
  RwSpace *space; /* what the events and locations above are numbered in (a reference); NULL: that of @trace */
} RwRun;
RwRun *rw_run_new (void);
void rw_run_free (RwRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwRun, rw_run_free)

/* Adds or replaces (by key). States and screenshots are kept once however many runs share them. One transaction. */
gboolean rw_recording_put_run (RwRecording *self, const RwRun *run, GError **error);
gboolean rw_recording_set_run_number (RwRecording *self, const char *key, guint number, GError **error);
/* NULL without an error: there is none. */
RwRun *rw_recording_run_by_key (RwRecording *self, RwSpace *space, const char *key, GError **error);
RwRun *rw_recording_run (RwRecording *self, RwSpace *space, guint number, GError **error);
/* Numbers of the decided runs, ascending; of guint. */
GArray *rw_recording_run_numbers (RwRecording *self, GError **error);

/* What the reporter said of a run, as JSON (reporter/README.md). Replacing a run forgets it. NULL: nothing yet. */
char *rw_recording_verdict (RwRecording *self, const char *key, GError **error);
gboolean rw_recording_set_verdict (RwRecording *self, const char *key, const char *text, GError **error);

/* A person's own word about a finding (its fingerprint). */
typedef struct
{
  char *target;
  char *verdict; /* "harmless" or "harmful" */
  char *note;    /* may be empty */
} RwMark;
void rw_mark_free (RwMark *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwMark, rw_mark_free)

/* Of RwMark *, owned by the array, in the order of the targets. */
GPtrArray *rw_recording_marks (RwRecording *self, GError **error);
/* @verdict NULL takes the mark away. */
gboolean rw_recording_set_mark (RwRecording *self, const char *target, const char *verdict, const char *note, GError **error);

G_END_DECLS
