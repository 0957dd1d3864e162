/* SPDX-License-Identifier: MIT */
/* The report of a recording: findings built once, written in several formats. */
#pragma once

#include "rw-verdict.h"

G_BEGIN_DECLS

#define RW_REPORT_ERROR (rw_report_error_quark ())
GQuark rw_report_error_quark (void);
typedef enum
{
  RW_REPORT_ERROR_EMPTY,    /* the recording has no runs yet */
  RW_REPORT_ERROR_BASELINE, /* the baseline or the suppressions can't be read */
  RW_REPORT_ERROR_RUN       /* no such run or finding */
} RwReportError;

typedef enum
{
  RW_REPORT_TEXT,
  RW_REPORT_JSON,
  RW_REPORT_HTML,
  RW_REPORT_SARIF,
  RW_REPORT_JUNIT
} RwReportFormat;

gboolean rw_report_format_from_name (const char *name, RwReportFormat *format);
const char *rw_report_format_extension (RwReportFormat format); /* "html", "json", "sarif", "xml", "txt" */

typedef enum
{
  RW_FAIL_ON_HARMFUL,
  RW_FAIL_ON_SUSPICIOUS, /* or worse */
  RW_FAIL_ON_ANY,        /* finding, however harmless, that is not equivalent */
  RW_FAIL_ON_NONE
} RwFailOn;
gboolean rw_fail_on_from_name (const char *name, RwFailOn *fail_on);

typedef struct
{
  const char *baseline;     /* a JSON report; what it has is not reported again. NULL: none */
  const char *suppressions; /* a .racewalk-ignore file; NULL: none */
  gboolean served;          /* by rw_serve_new (): the page has buttons that set marks */
} RwReportOptions;

typedef struct _RwReport RwReport;

RwReport *rw_report_new (RwRecording *recording, const RwReportOptions *options, GError **error);
void rw_report_free (RwReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwReport, rw_report_free)

/* Findings of this harm that are neither known nor suppressed, as a person marked them if one did. */
guint rw_report_count (const RwReport *self, RwHarm harm);
gboolean rw_report_fails (const RwReport *self, RwFailOn fail_on);

/* The fingerprint of the finding that @name means: a run's number, or the beginning of a fingerprint. NULL with @error
 * if there is none or more than one. */
const char *rw_report_find (const RwReport *self, const char *name, GError **error);
/* Keeps a person's word in the recording (open for writing) and, if @suppressions is not NULL, in that file: "harmless"
 * adds a line, "harmful" or NULL (no mark) takes it out. */
gboolean rw_triage (RwRecording *recording, const char *suppressions, const char *fingerprint, const char *verdict,
                    const char *note, GError **error);

/* The summary for a terminal, with colours or without. */
char *rw_report_text (const RwReport *self, gboolean colours);
/* The whole report. The same recording gives the same bytes. */
GBytes *rw_report_emit (const RwReport *self, RwReportFormat format);
/* A Playwright test that forces the order of the finding that @name means (see rw_report_find ()) on the live page and
 * checks that its effect does not come. Where the order can't be forced from outside, the text says so and the test is
 * marked as to be fixed. */
char *rw_report_playwright (const RwReport *self, const char *name, GError **error);
/* Written beside @path and renamed, so it is whole or not there. */
gboolean rw_report_write (const RwReport *self, RwReportFormat format, const char *path, GError **error);

G_END_DECLS
