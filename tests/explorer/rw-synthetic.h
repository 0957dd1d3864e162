/* SPDX-License-Identifier: MIT */
/* EventRacer logs made to measure: any number of events, accesses, timers and shared locations, the same for the same
 * seed. */
#pragma once

#include "rw-erlog.h"

G_BEGIN_DECLS

typedef struct
{
  guint events;
  guint accesses;
  guint pending; /* events that wait at a time */
  double timers; /* share of events that are timers */
  guint delays;  /* different delays, spread over two seconds */
  double shared; /* share of accesses that go to shared locations */
  guint shared_locations;
  double shared_writes; /* share of writes among those */
  guint32 seed;
} RwSynthetic;

#define RW_SYNTHETIC_DEFAULT                                                                                           \
  {                                                                                                                    \
    .events = 1000, .accesses = 100000, .pending = 64, .timers = 0.05, .delays = 20, .shared = 0.01,                   \
    .shared_locations = 2000, .shared_writes = 0.05, .seed = 1                                                         \
  }

/* The run of a page in virtual time: each event runs when it is due and makes others due, so timers fire by the rule.
 */
RwErLog *rw_synthetic_log (const RwSynthetic *options);

G_END_DECLS
