/* SPDX-License-Identifier: MIT */
/* The report as data, for the files that write it down. */
#pragma once

#include "rw-report.h"

G_BEGIN_DECLS

typedef enum
{
  RW_ROW_PLAIN,
  RW_ROW_FIRST, /* of the reversed pair, as in the parent */
  RW_ROW_SECOND,
  RW_ROW_ONLY, /* ran in this order only */
  RW_ROW_GAP   /* events that are left out: the label says how many */
} RwRowMark;

typedef struct
{
  char *label;
  RwEventKind kind;
  RwRowMark mark;
  guint position;
} RwRow;

/* A few lines of the page's own source; @line is the 1-based number of the first, @marked that of the access. */
typedef struct
{
  char *url;
  guint line, column, marked;
  char **lines;
} RwSource;

typedef enum
{
  RW_STATUS_NEW,
  RW_STATUS_KNOWN,     /* in the baseline */
  RW_STATUS_SUPPRESSED /* in .racewalk-ignore */
} RwStatus;

typedef struct
{
  char *fingerprint;
  guint run, parent, depth; /* of the smallest witness */
  GArray *runs;             /* of guint: all that say the same, ascending */
  RwVerdict *verdict;       /* of the smallest witness */
  RwHarm harm;              /* the person's word, or the verdict's */
  char *mark;               /* "harmless", "harmful", NULL */
  char *note;               /* with the mark, or of the suppression */
  RwStatus status;
  RwSource *first_source, *second_source; /* NULL: not known */
  GPtrArray *before, *after;              /* of RwRow: the two orders */
  guint picture_before, picture_after;    /* 1-based into pictures; 0: none */
} RwFinding;

struct _RwReport
{
  char *path, *url, *scenario;
  GPtrArray *findings; /* of RwFinding: worst first, then likeliest, then smallest witness */
  GPtrArray *pictures; /* of GBytes, PNG, each once */
  guint n_runs, n_known;
  guint grades[3];
  guint max_depth;
  GPtrArray *limits; /* of char * */
  gboolean served;
};

/* The finding of a fingerprint that rw_report_find () gave. */
const RwFinding *rw_report_finding (const RwReport *self, const char *fingerprint);

void rw_row_free (RwRow *self);
void rw_source_free (RwSource *self);
const char *rw_kind_name (RwEventKind kind);
const char *rw_status_name (RwStatus status);

/* The two orders around the reversal. */
GPtrArray *rw_timeline (const RwRun *run, const RwRun *other, const RwReversal *reversal, RwSpace *space);

/* The page's own files, to quote from. */
typedef struct _RwSources RwSources;
RwSources *rw_sources_new (RwRecording *recording, GError **error);
void rw_sources_free (RwSources *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwSources, rw_sources_free)
/* NULL if the place is not known. */
RwSource *rw_sources_find (RwSources *self, const char *place);
/* "http://host/app.js:3:5" -> url, line, column; FALSE if it is not like that. */
gboolean rw_place_parse (const char *place, char **url, guint *line, guint *column);
/* What stays the same when lines are added above: the text of the line, or the place if it is not known. */
char *rw_sources_anchor (RwSources *self, const char *place);

/* Fingerprints with a note each, from a .racewalk-ignore file or a JSON report; NULL with an error. */
GHashTable *rw_suppressions_read (const char *path, GError **error);
GHashTable *rw_baseline_read (const char *path, GError **error);
/* Adds a line, or takes it out (@note NULL). Comments and the order of the rest stay. */
gboolean rw_suppressions_write (const char *path, const char *fingerprint, const char *comment, gboolean add,
                                GError **error);

void rw_report_emit_json (const RwReport *self, GString *out);
void rw_report_emit_html (const RwReport *self, GString *out);
void rw_report_emit_sarif (const RwReport *self, GString *out);
void rw_report_emit_junit (const RwReport *self, GString *out);

G_END_DECLS
