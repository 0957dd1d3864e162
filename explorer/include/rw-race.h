/* SPDX-License-Identifier: MIT */
/* The races of a run: accesses to one location, one of them a write, by events that happens-before does not order. */
#pragma once

#include "rw-history.h"

G_BEGIN_DECLS

typedef enum
{
  RW_ACCESS_READ = 0,
  RW_ACCESS_WRITE = 1,
  RW_ACCESS_UPDATE = 2 /* read first, then written, by the same event */
} RwAccessKind;

typedef enum
{
  RW_RACE_UNCOVERED = 0,
  RW_RACE_COVERED = 1, /* ordering the two events of one other race would order these, too */
  RW_RACE_MULTI = 2    /* not covered by one race, but by several, one after the other */
} RwCoverage;

/* What is known to make many races of this kind harmless: a hint for people, nothing is left out for it. */
typedef enum
{
  RW_RACE_LATE_HANDLER = 1 << 0, /* one side looks for a handler, the other attaches it */
  RW_RACE_LAZY_INIT = 1 << 1,    /* the only write in the run finds the location empty just before */
  RW_RACE_UNLOAD = 1 << 2,       /* one side runs when the page goes away */
  RW_RACE_SAME_VALUE = 1 << 3,   /* all writes in the run write one value, and both sides only write */
  RW_RACE_FAILED_LOOKUP = 1 << 4 /* the read found nothing: the bad order was recorded */
} RwRaceLabels;
#define RW_RACE_N_LABELS 5

typedef struct
{
  guint32 first; /* node of the history; ran first */
  guint32 second;
  guint32 first_at; /* which of the node's accesses */
  guint32 second_at;
  guint32 location;
  guint8 first_kind; /* RwAccessKind */
  guint8 second_kind;
  guint8 coverage; /* RwCoverage */
  guint8 labels;   /* RwRaceLabels */
} RwRace;

typedef struct
{
  double seconds;
  gsize bytes; /* at the phase's peak, beyond what was there before it */
} RwRacePhase;

typedef struct
{
  GArray *races; /* RwRace, by second event and its access */
  guint n_uncovered;
  guint n_multi; /* not among @n_uncovered */
  guint n_shared_locations; /* touched by several events, and written */
  guint64 n_shared_accesses;
  RwRacePhase group;
  RwRacePhase detect;
  RwRacePhase cover;
} RwRaces;

/* Each access is compared with the write before it, each read with the write after it: any other pair of conflicting accesses
 * to the location has one of these between, so no two events that could be neighbours are missed (EventRacer, OOPSLA 2013,
 * section 4). Of the races of two events only the first can be uncovered. */
RwRaces *rw_races_find (const RwHistory *history);
void rw_races_free (RwRaces *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwRaces, rw_races_free)

/* Sets the labels of the races that are not covered. */
void rw_races_label (RwRaces *self, const RwHistory *history);
const char *rw_race_label_name (guint bit);

const char *rw_access_kind_name (RwAccessKind kind);

G_END_DECLS
