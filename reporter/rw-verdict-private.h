/* SPDX-License-Identifier: MIT */
/* Between the files of the verdict. */
#pragma once

#include "rw-verdict.h"

G_BEGIN_DECLS

/* What is known of a reversal before anything is judged. */
typedef struct
{
  const RwRun *parent, *child;
  RwSpace *space;
  const RwEventInfo *first, *second;
  RwEventKind first_kind, second_kind; /* what follows from an answer counts as one */
  gboolean is_handler;                 /* they meet in a handler slot */
  gboolean has_user;                   /* one of them is the user */
  gboolean blames_parent;              /* the sentence is about the parent's order */
  gboolean only_timers;                /* what ran in one of the two only are timers and what those started */
  RwVerdict *verdict;
} RwCase;

void rw_case_likelihood (RwCase *self);
void rw_case_unordered (RwCase *self);
void rw_case_accesses (RwCase *self);
/* Part of the pixels that differ, 0 to 1; -1 if one of the two is no PNG; 1 if the sizes differ. @box gets where they
 * lie. */
double rw_pixels_differ (GBytes *a, GBytes *b, RwBox *box);
/* "Array<3543346807ec2b07:?0#2>.length" -> "window.queue.length", as far as the trace knows. */
char *rw_location_for_people (RwSpace *space, const RwTrace *trace, const char *name);
/* The label of an event for a sentence; never NULL. */
const char *rw_case_label (const RwEventInfo *info);

G_END_DECLS
