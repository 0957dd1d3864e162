/* SPDX-License-Identifier: MIT */
/* What one run says about its reversal: what differs from the parent, of what kind it is, whether it matters, how
 * likely it is. */
#pragma once

#include "rw-recording.h"
#include "rw-state.h"

G_BEGIN_DECLS

/* All of these are written by name; see reporter/README.md. */
typedef enum
{
  RW_GRADE_EQUIVALENT,
  RW_GRADE_APPROXIMATE, /* only pending timers, disabled events, ad-hoc synchronisation, the order of what was asked for
                         */
  RW_GRADE_DIFFERENT
} RwGrade;

typedef enum
{
  RW_HARM_HARMLESS,
  RW_HARM_SUSPICIOUS,
  RW_HARM_HARMFUL
} RwHarm;

typedef enum
{
  RW_LIKELIHOOD_UNLIKELY, /* only an unlucky packet boundary, a timer that is very late */
  RW_LIKELIHOOD_POSSIBLE,
  RW_LIKELIHOOD_LIKELY /* a slower answer, a quick user */
} RwLikelihood;

typedef enum
{
  RW_CLASS_NONE, /* nothing differs that matters */
  RW_CLASS_CRASH,
  RW_CLASS_HANG,
  RW_CLASS_USED_BEFORE_DEFINED,
  RW_CLASS_ERROR,
  RW_CLASS_LATE_HANDLER,
  RW_CLASS_LOST_INPUT,
  RW_CLASS_NAVIGATION,
  RW_CLASS_AJAX_ORDER,
  RW_CLASS_INIT_ORDER,
  RW_CLASS_VISIBLE,
  RW_CLASS_REQUEST, /* only what was asked of the network differs */
  RW_CLASS_HIDDEN_STATE,
  RW_CLASS_AD_HOC, /* ad-hoc synchronisation: the page waits by trying again */
  RW_CLASS_UNKNOWN /* a state is missing, so nothing could be compared */
} RwClass;

typedef enum
{
  RW_LABEL_LATE_HANDLER = 1 << 0, /* R4's first filter: a handler is registered by one of the two */
  RW_LABEL_UNLOAD = 1 << 1,       /* R4's second filter */
  RW_LABEL_AD_HOC = 1 << 2,
  RW_LABEL_SKIPPED = 1 << 3, /* the schedule could not be followed exactly */
  RW_LABEL_LIMIT = 1 << 4    /* one of the two runs was cut by a limit */
} RwLabels;

const char *rw_grade_name (RwGrade grade);
const char *rw_harm_name (RwHarm harm);
const char *rw_likelihood_name (RwLikelihood likelihood);
const char *rw_class_name (RwClass class);
/* Names of the labels that are set, for output; of static strings, NULL-terminated; free with g_free (). */
const char **rw_label_names (guint labels);

/* Where the pictures differ; empty if width is 0. */
typedef struct
{
  guint x, y, width, height;
} RwBox;

/* One of the two accesses that conflict. */
typedef struct
{
  char *event;  /* its label */
  char *place;  /* "url:line:column", or NULL */
  char *action; /* "reads", "writes", "finds nothing in", "runs" ... */
  char *value;  /* NULL: not logged */
} RwAccess;

typedef struct
{
  RwGrade grade;
  RwHarm harm;
  RwLikelihood likelihood;
  RwClass class;
  guint labels;
  char *reason;           /* one sentence */
  char *needs;            /* what has to happen for it, one sentence */
  char *unordered;        /* why nothing orders the two, one sentence */
  char *location;         /* NULL for a cancelled event */
  RwAccess first, second; /* as in the reversal: @second comes first now */
  RwDifferences *differences;
  GPtrArray *only_parent; /* of char *: labels of events that ran only there */
  GPtrArray *only_child;
  RwBox box;
} RwVerdict;

void rw_verdict_free (RwVerdict *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwVerdict, rw_verdict_free)

/* @noise: keys of differences that come by themselves, see rw_noise_add (); NULL: none. Both runs are of @space. Never
 * fails: what can't be compared is a verdict that says so. */
RwVerdict *rw_verdict_of (const RwRun *parent, const RwRun *child, RwSpace *space, GHashTable *noise);
/* The same with states that were parsed before (either may be NULL: there is none). */
RwVerdict *rw_verdict_of_states (const RwRun *parent, RwState *parent_state, const RwRun *child, RwState *child_state,
                                 RwSpace *space, GHashTable *noise);

/* What differs between two runs of the same schedule comes by itself: it is noise and never evidence. */
GHashTable *rw_noise_new (void);
void rw_noise_add (GHashTable *noise, const RwRun *one, const RwRun *again);
/* As text for the fact "noise" of a recording, and back. */
char *rw_noise_to_text (GHashTable *noise);
GHashTable *rw_noise_from_text (const char *text); /* NULL is allowed */

G_END_DECLS
