/* SPDX-License-Identifier: MIT */
/* What the explorer's own modules ask a space beside rw-space.h: counts, and the lists of an event as dense indices. */
#pragma once

#include "rw-space.h"

G_BEGIN_DECLS

/* TRUE once rw_space_event () has described the event, FALSE while it was only mentioned. */
gboolean rw_space_event_is_defined (const RwSpace *self, RwEvent event);
/* The events of @after and @blocks; valid as long as the event's definition. */
const RwEvent *rw_space_event_after (const RwSpace *self, RwEvent event, guint *n);
const RwEvent *rw_space_event_blocks (const RwSpace *self, RwEvent event, guint *n);
/* The events that name @event in their @blocks; valid until the next definition. */
const RwEvent *rw_space_event_blockers (const RwSpace *self, RwEvent event, guint *n);

guint rw_space_n_groups (const RwSpace *self); /* group 0 counts */
guint rw_space_n_values (const RwSpace *self); /* value 0 counts */
guint rw_space_n_places (const RwSpace *self); /* place 0 counts */

G_END_DECLS
