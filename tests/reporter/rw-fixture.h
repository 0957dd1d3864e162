/* SPDX-License-Identifier: MIT */
/* Runs, states and recordings in few words, for the reporter's tests. */
#pragma once

#include "rw-report.h"

/* Parts of a state; NULL: the usual. */
typedef struct
{
  const char *dom;  /* lines between the brackets */
  const char *heap; /* likewise */
  const char *rest; /* members that replace the empty ones: "\"errors\":[{\"message\":\"x\"}]" */
  const char *title;
  const char *focus;
  const char *scroll;
  const char *url;
} FixtureState;

GBytes *fixture_state (const FixtureState *state);

/* A run in one space: events by label; the first word says the kind ("timer 100 ms", "click #a", "answer to", "script",
 * "parse", "load", "interval", "unload"). */
typedef struct
{
  const char *events;         /* "load of a.png; click #next; timer 100 ms" in the order in which they ran */
  const char *first, *second; /* the reversal, by label; NULL: none */
  const char *location;
  FixtureState state;
  RwOutcome outcome;
  const char *skipped; /* labels, as in @events */
} FixtureRun;

RwEvent fixture_event (RwSpace *space, const char *label);
RwRun *fixture_run (RwSpace *space, guint number, guint parent, guint depth, const FixtureRun *spec);

/* A recording with these runs; each one's parent is run 0. Returns its path in a new temporary folder; remove with
 * fixture_remove (). */
char *fixture_recording (const FixtureRun *runs, guint n_runs);
void fixture_remove (char *path);
/* A PNG of one colour with a square in another. */
GBytes *fixture_png (guint32 colour, guint square);
