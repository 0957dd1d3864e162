/* SPDX-License-Identifier: MIT */
/* One random program, explored and compared with brute force. */
#pragma once

#include "rw-brute.h"
#include "rw-model.h"

typedef struct
{
  BruteProgram program;
  char *text;
  RwModel *model;
  RwExploreOptions options;
  char *wrong; /* the first claim that does not hold; NULL: none */
} Check;

/* A program of number @number; every number gives another. */
void check_init (Check *self, guint64 number, guint features, guint filters);
void check_clear (Check *self);

/* One executed run. */
typedef struct
{
  BruteOrder order;
  char *class;
  guint parent, depth;
  RwReversal reversal;
  RwTrace *trace;
} CheckRun;
void check_run_free (gpointer run);

/* Explores; runs by number. With @rand, several schedules are out at a time and come back in any order. */
GPtrArray *check_explore (Check *self, guint bound, GRand *rand, RwExploreStats *stats);
BruteOrder check_order_of (const Check *self, const RwTrace *trace);

/* The least order of the class of @trace, ranked by @run0. */
RwEvent *check_least_order (const RwTrace *trace, const RwTrace *run0, const RwExploreOptions *options);

/* Each sets self->wrong if its claim fails; FALSE if the program is too large to tell. */
gboolean check_all_classes (Check *self, guint limit, guint *classes);
void check_bounds (Check *self);
