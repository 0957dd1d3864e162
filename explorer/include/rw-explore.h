/* SPDX-License-Identifier: MIT */
/* The explorer as a state machine: schedules come out, runs go in. It has no loop and calls nobody. */
#pragma once

#include "rw-trace.h"

G_BEGIN_DECLS

typedef enum
{
  RW_REVERSAL_NONE = 0,     /* run 0 */
  RW_REVERSAL_RACE = 1,     /* @second runs before @first */
  RW_REVERSAL_CANCELLED = 2 /* @second, which @first had cancelled, runs before @first */
} RwReversalKind;

typedef struct
{
  RwReversalKind kind;
  RwEvent first;       /* earlier in the parent */
  RwEvent second;      /* later in the parent, or cancelled there */
  RwLocation location; /* one on which they conflict (the first found); G_MAXUINT32 for a cancelled event */
} RwReversal;

#define RW_RUN_NONE G_MAXUINT            /* no run */
#define RW_RUN_UNDECIDED (G_MAXUINT - 1) /* waits for runs of lower tickets */
#define RW_RUN_REDUNDANT (G_MAXUINT - 2) /* a lower ticket's result would have made it unnecessary; not part of the result */

/* Which event to run after which, by identity. A strategy's schedule lists whole runs; what is not enabled is skipped. */
typedef struct
{
  guint ticket; /* counts the schedules given out, 0 for the recording */
  guint parent; /* number of the run that it is compared with; RW_RUN_NONE for run 0 */
  guint depth;  /* reversals from the recording */
  RwReversal reversal;
  GArray *events;     /* of RwEvent, in order */
  guint exact_prefix; /* so many events from the start run exactly as in the parent */
  gboolean predicted; /* the explorer knows what this run will do, and will check it */
} RwSchedule;

void rw_schedule_free (RwSchedule *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwSchedule, rw_schedule_free)

typedef enum
{
  RW_STRATEGY_EXACT = 0,
  RW_STRATEGY_R4 = 1,
  RW_STRATEGY_WAVE = 2,
  RW_STRATEGY_DELAY = 3
} RwStrategy;

gboolean rw_strategy_from_name (const char *name, RwStrategy *strategy);
const char *rw_strategy_name (RwStrategy strategy);

typedef struct
{
  RwStrategy strategy;
  guint bound;          /* reversals; G_MAXUINT: none */
  guint max_runs;       /* 0: no limit */
  guint64 seed;         /* wave, delay */
  gboolean timers_any;  /* every pending timer may run before every other */
  guint filters;        /* RwFilters that are on; see rw-filter.h */
} RwExploreOptions;

#define RW_EXPLORE_OPTIONS_DEFAULT                                                                                         \
  {                                                                                                                        \
    .strategy = RW_STRATEGY_EXACT, .bound = 1, .max_runs = 0, .seed = 1, .timers_any = FALSE, .filters = 0                 \
  }

typedef enum
{
  RW_NEXT_RUN,      /* @schedule was set: run it and give it back with rw_explore_add () */
  RW_NEXT_WAIT,     /* nothing to do until a run that is out comes back */
  RW_NEXT_FINISHED, /* everything within the bound was explored */
  RW_NEXT_LIMIT     /* max_runs was reached; what is left is in the statistics */
} RwNext;

typedef struct
{
  guint runs;         /* executed and taken */
  guint classes;      /* distinct */
  guint out;          /* under way */
  guint queued;       /* reversals within the bound that were not tried yet; some may turn out to be equivalent */
  guint skipped;      /* schedules that were predicted to be equivalent to an earlier run, and so not executed */
  guint beyond_bound; /* reversals that were seen but lie beyond the bound */
  guint surprises;    /* predictions that a run contradicted */
  guint failed;       /* runs that came back without a trace */
  guint depth;        /* level being explored */
  double pruned;      /* r4: share of the enabled events that persistent sets leave out; otherwise -1 */
} RwExploreStats;

/* A prediction that a run contradicted: an uninstrumented channel, or nondeterminism. */
typedef struct
{
  guint ticket;
  guint position;    /* first event that did something else than predicted */
  RwEvent event;     /* that event; RW_EVENT_NONE if the run ended there */
  const char *what;  /* one line */
} RwSurprise;

typedef struct _RwExplore RwExplore;

RwExplore *rw_explore_new (RwSpace *space, const RwExploreOptions *options);
void rw_explore_free (RwExplore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwExplore, rw_explore_free)

/* The first schedule is run 0 with an empty list: "record". On RW_NEXT_RUN the caller owns *@schedule. */
RwNext rw_explore_next (RwExplore *self, RwSchedule **schedule);
/* Takes the finished run of a schedule that rw_explore_next () gave out, in any order. @trace NULL: the run failed (crash,
 * hang) and is not explored further. */
void rw_explore_add (RwExplore *self, const RwSchedule *schedule, RwTrace *trace);
/* The number under which a run is part of the result. Runs are numbered as if schedules had been run one at a time in the
 * order of their tickets, so numbers, parents and the set of runs depend only on the options and on the traces, never on the
 * order in which runs come back. With one schedule out at a time every run is decided as soon as it is added. */
guint rw_explore_number (const RwExplore *self, guint ticket);
/* An exploration is resumed by starting it anew and answering the schedules that were run before from what was saved: this
 * is the key, 32 hex digits, a function of the list of identities and the options alone. */
char *rw_schedule_key (const RwSchedule *self, const RwSpace *space);

void rw_explore_stats (const RwExplore *self, RwExploreStats *stats);
const RwSurprise *rw_explore_surprises (const RwExplore *self, guint *n);

/* How an executor goes on once a list is used up: repeatedly the enabled event that comes first in this order, until there is
 * none. First the events of @run0 in its order, then all others by identity. The explorer predicts with the same order. */
gboolean rw_rank_before (const RwTrace *run0, RwEvent a, RwEvent b);

/* 128 bits, independent of the order of independent events; equal iff two runs are in the same class. As 32 hex digits. */
char *rw_trace_fingerprint (const RwTrace *trace, const RwExploreOptions *options);

/* The conflicts of a run that can be reversed: direct dependence, adjacent, the later one enabled without the earlier. What
 * `exact` would reverse. Of RwReversal; free with g_array_unref (). */
GArray *rw_trace_conflicts (const RwTrace *trace, const RwExploreOptions *options);

/* What runs a schedule. The model interpreter and the browser are two of them. Returns NULL and sets @error if the run
 * could not be done at all. */
typedef RwTrace *(*RwExecuteFunc) (gpointer executor, const RwSchedule *schedule, GError **error);
typedef struct
{
  RwExecuteFunc execute;
  gpointer executor;
} RwExecutor;

G_END_DECLS
