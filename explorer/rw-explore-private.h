/* SPDX-License-Identifier: MIT */
/* The state of an exploration, as the strategies see it. */
#pragma once

#include "rw-class.h"
#include "rw-explore-break.h"

G_BEGIN_DECLS

/* A run that is part of the result. */
typedef struct
{
  guint number;
  guint parent;
  guint depth;
  RwReversal reversal;
  GArray *instances; /* of RwInstance; NULL: there is nothing to expand, or it was expanded */
  RwHash fingerprint;
} RwTaken;

/* A schedule that a strategy proposes. */
typedef struct
{
  GArray *events; /* of RwEvent */
  guint parent;
  guint depth;
  RwReversal reversal;
  guint exact_prefix;
} RwCandidate;

typedef enum
{
  RW_PREDICTION_UNKNOWN, /* it gets to an event of which it is not known what it does there; the list ends before it */
  RW_PREDICTION_KNOWN
} RwPredictionKind;

typedef struct
{
  RwPredictionKind kind;
  GArray *instances; /* of RwInstance */
  RwHash fingerprint;
} RwPrediction;
void rw_prediction_clear (RwPrediction *self);

typedef struct
{
  /* FALSE: there is none, or none before a run that is out comes back. */
  gboolean (*propose) (RwExplore *explore, RwCandidate *candidate);
  /* A run was taken; @trace NULL if it failed, @fresh if its class is new. */
  void (*taken) (RwExplore *explore, RwTaken *run, const RwTrace *trace, gboolean fresh);
  void (*free) (RwExplore *explore);
  /* What is not proposed yet but will be: reversals within the bound. */
  guint (*left) (RwExplore *explore);
  gboolean predicts; /* what is predicted to be equivalent to an earlier run is not run */
} RwStrategyImpl;

extern const RwStrategyImpl rw_strategy_exact;
extern const RwStrategyImpl rw_strategy_r4;
extern const RwStrategyImpl rw_strategy_wave;
extern const RwStrategyImpl rw_strategy_delay;

struct _RwExplore
{
  RwSpace *space;
  RwExploreOptions options;
  const RwStrategyImpl *impl;
  gpointer state; /* the strategy's */
  RwInstances *instances;
  RwSim *predictor;     /* without graphs */
  RwSim *analyser;      /* with graphs */
  RwRank rank;          /* from run 0 on */
  GArray *initials;     /* of RwEvent, of run 0 */
  GPtrArray *runs;      /* of RwTaken, by number */
  GHashTable *table;    /* RwHash in its RwTaken -> RwTaken: the classes */
  GHashTable *left_out; /* events that a limit kept from running */
  GQueue slots;         /* of Slot: undecided, in the order of the proposals */
  GArray *numbers;      /* of guint, by ticket */
  GArray *surprises;    /* of RwSurprise */
  RwExploreStats stats;
  guint taken; /* counts the runs that were taken; predictions are as good as this */
};

/* What execution of @events would do: the events in order, skipping what is not enabled, then whatever is, least rank
 * first. */
void rw_explore_predict (RwExplore *self, const GArray *events, RwPrediction *prediction);
/* The analysis of a run that was taken. */
RwClass *rw_explore_classify (RwExplore *self, const GArray *instances);

G_END_DECLS
