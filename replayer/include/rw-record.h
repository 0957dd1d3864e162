/* SPDX-License-Identifier: MIT */
/* Recording a page: one live load, kept with everything that a replay needs. */
#pragma once

#include "rw-recording.h"

G_BEGIN_DECLS

#define RW_RECORD_ERROR (rw_record_error_quark ())
GQuark rw_record_error_quark (void);
typedef enum
{
  RW_RECORD_ERROR_USAGE, /* what was asked for makes no sense */
  RW_RECORD_ERROR_FAILED /* it makes sense, but could not be done */
} RwRecordError;

typedef struct
{
  const char *target;   /* a URL, a folder, or an HTML file */
  const char *output;   /* the recording */
  const char *scenario; /* a file; NULL: `scenario` in the folder if there is one, otherwise automatic input */
  gboolean no_input;    /* nobody touches the page */
  gboolean insecure;
  guint width;
  guint height;
  double seconds;    /* horizon in virtual time */
  guint max_events;
  guint max_steps; /* of automatic input */
} RwRecordOptions;

#define RW_RECORD_OPTIONS_DEFAULT                                                                                          \
  {                                                                                                                        \
    .width = 1024, .height = 768, .seconds = 10, .max_events = 20000, .max_steps = 20                                      \
  }

typedef struct
{
  guint events;
  guint64 accesses;
  guint exchanges;
  guint holes;        /* callbacks outside the schedule */
  char *first_hole;   /* NULL: none */
  char *note;         /* a limit that was hit, or NULL */
  guint steps;        /* of user input */
  gboolean automatic; /* they were found, not given */
} RwRecorded;
void rw_recorded_free (RwRecorded *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwRecorded, rw_recorded_free)

RwRecorded *rw_record (const RwRecordOptions *options, GError **error);

G_END_DECLS
