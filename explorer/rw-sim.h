/* SPDX-License-Identifier: MIT */
/* Runs that are not executed: events by what they did before, with enabledness, dependence and the class's fingerprint.
 */
#pragma once

#include "rw-instance.h"
#include "rw-pool.h"

G_BEGIN_DECLS

/* A direct dependence of a position on an earlier one. */
typedef struct
{
  guint32 position;
  guint32 slot;      /* what they conflict on; below the number of locations it is one */
  gboolean enabling; /* without it the later event would not be enabled */
} RwPred;

/* An event that may have kept another one from running: it cancelled it, or posted something that blocks it. */
typedef struct
{
  guint32 position;
  RwEvent target;
  gboolean cancel;
  gboolean effective;   /* a cancellation of a pending event; a post that counts */
  gboolean was_enabled; /* the target, before the event at @position began */
} RwSimDisable;

typedef struct _RwSim RwSim;

/* With @graph the direct dependences are kept as well. */
RwSim *rw_sim_new (RwSpace *space, RwInstances *instances, gboolean timers_any, gboolean graph);
void rw_sim_free (RwSim *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwSim, rw_sim_free)

/* Back to the start, where @initials are pending. */
void rw_sim_reset (RwSim *self, const GArray *initials);
/* Runs @event; FALSE if it is not known what it does here. */
gboolean rw_sim_run (RwSim *self, RwEvent event);
/* Runs exactly this. */
void rw_sim_replay (RwSim *self, RwInstance instance);

RwPool *rw_sim_pool (const RwSim *self);
guint rw_sim_length (const RwSim *self);
const RwInstance *rw_sim_instances (const RwSim *self);
/* The sum over all events; what is pending at the end counts as well if the run was @cut short. */
RwHash rw_sim_fingerprint (const RwSim *self, gboolean cut);

const RwPred *rw_sim_preds (const RwSim *self, guint position, guint *n); /* each position once */
const RwSimDisable *rw_sim_disables (const RwSim *self, guint *n);        /* in order */

G_END_DECLS
