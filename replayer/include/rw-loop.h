/* SPDX-License-Identifier: MIT */
/* The loop around a pool of browser hosts: schedules from the explorer, runs back to it, every run saved as it comes. */
#pragma once

#include "rw-session.h"

G_BEGIN_DECLS

typedef enum
{
  RW_LOOP_FINISHED, /* everything within the bound */
  RW_LOOP_LIMIT,    /* the number of runs was reached */
  RW_LOOP_BUDGET,   /* the time was used up */
  RW_LOOP_STOPPED   /* somebody pressed Ctrl-C */
} RwLoopEnd;

typedef struct
{
  RwExploreStats stats;
  RwLoopEnd end;
  guint executed;       /* by a browser, in this call */
  guint reused;         /* taken from the recording */
  guint crashed;        /* runs whose page or browser failed every time it was tried */
  guint replaced;       /* hosts that had to be started anew */
  gboolean diverged;    /* the unchanged schedule did not give the recorded end state */
  char *divergence;     /* how; NULL if it did not */
  GPtrArray *surprises; /* of char *: predictions that a run contradicted */
} RwLoopResult;
void rw_loop_result_clear (RwLoopResult *self);

typedef struct
{
  RwExploreOptions explore;
  guint jobs;
  gint64 budget_ms; /* 0: none */
  gboolean check;   /* replay the unchanged schedule first and compare */
  void (*progress) (const RwLoopResult *so_far, gpointer user_data); /* may be NULL */
  gpointer user_data;
} RwLoopOptions;

/* TRUE also if it was stopped: what was found is in the recording. FALSE: no browser can be had, or nothing can be written. */
gboolean rw_loop (RwSession *session, const RwLoopOptions *options, RwLoopResult *result, GError **error);

G_END_DECLS
