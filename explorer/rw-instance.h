/* SPDX-License-Identifier: MIT */
/* What each event did when it read what: the memory from which runs are predicted. */
#pragma once

#include "rw-hash.h"
#include "rw-trace.h"

G_BEGIN_DECLS

/* Accesses of one event to one location, merged. Two modes conflict unless they are equal and not WRITE. */
enum
{
  RW_MODE_READ = 0,
  RW_MODE_WRITE = 1,
  RW_MODE_ADD = 2, /* adds a number, and nobody learns what was there */
  RW_MODE_INIT = 3 /* + RwValue: sets that value if there was none */
};

typedef struct
{
  RwLocation location;
  guint32 mode;
} RwAccess;

typedef struct
{
  RwEvent event;
  gboolean cancel; /* otherwise a post */
} RwAct;

/* What an event does, without what it read. Equal ones are kept once. */
typedef struct
{
  guint n_reads, n_accesses, n_acts;
  RwAccess *reads;    /* whose versions decide what the event does, in order; mode READ or INIT */
  RwAccess *accesses; /* each location once */
  RwAct *acts;        /* in order */
} RwEffect;

/* An event together with all versions that it read; also used as the version of what it wrote. 0: nobody wrote it. */
typedef guint32 RwInstance;

typedef struct _RwInstances RwInstances;

RwInstances *rw_instances_new (RwSpace *space, guint filters);
void rw_instances_free (RwInstances *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwInstances, rw_instances_free)

/* The values from before the first event, as far as @trace shows them; for the filters. Once, before the first
 * learning. */
void rw_instances_set_start (RwInstances *self, const RwTrace *trace);
/* Of RwInstance, one for each position; what is new is kept. @contradictions: events that did something else than they
 * did before on the same versions; may be NULL. */
GArray *rw_instances_learn (RwInstances *self, const RwTrace *trace, guint *contradictions);

/* TRUE if @event ran in a trace that was learnt. */
gboolean rw_instances_knows (const RwInstances *self, RwEvent event);
RwEvent rw_instance_event (const RwInstances *self, RwInstance instance);
const RwEffect *rw_instance_effect (const RwInstances *self, RwInstance instance);
guint rw_instances_count (const RwInstances *self);

/* The current version of each location, by location; grows with the space. */
typedef struct
{
  GArray *of; /* of RwInstance */
} RwVersions;
void rw_versions_init (RwVersions *self);
void rw_versions_clear (RwVersions *self);
void rw_versions_reset (RwVersions *self, const RwSpace *space);

/* What @event does on these versions; 0 if it was never seen. */
RwInstance rw_instances_find (RwInstances *self, RwEvent event, const RwVersions *versions);
/* The writes of @instance. */
void rw_instances_apply (RwInstances *self, RwInstance instance, RwVersions *versions);

G_END_DECLS
