/* SPDX-License-Identifier: MIT */
/* How likely a reversal is outside the laboratory, why nothing orders the two events, and where they meet in the
 * source. */
#include "rw-verdict-private.h"

#include <string.h>

static gboolean
is_answer (RwEventKind kind)
{
  return kind == RW_KIND_NETWORK || kind == RW_KIND_SCRIPT || kind == RW_KIND_LOAD;
}

static gboolean
is_timer (RwEventKind kind)
{
  return kind == RW_KIND_TIMER || kind == RW_KIND_INTERVAL || kind == RW_KIND_FRAME || kind == RW_KIND_IDLE;
}

static void
set (RwCase *self, RwLikelihood likelihood, char *take_needs)
{
  self->verdict->likelihood = likelihood;
  self->verdict->needs = take_needs;
}

/* The user comes before something that came first when it was recorded. */
static void
quick_user (RwCase *self, const char *first, const char *second)
{
  RwEventKind kind = self->first_kind;
  if (is_answer (kind) || kind == RW_KIND_LIFECYCLE)
    set (self, RW_LIKELIHOOD_LIKELY,
         g_strdup_printf ("A slow network or a quick user: “%s” before “%s” is there.", second, first));
  else if (is_timer (kind) && self->first->delay > 50)
    set (self, RW_LIKELIHOOD_POSSIBLE, g_strdup_printf ("A user who is quicker than %d ms.", self->first->delay));
  else if (kind == RW_KIND_PARSE)
    set (self, RW_LIKELIHOOD_UNLIKELY,
         g_strdup ("Only a document that arrives in pieces, with the user acting between two of them."));
  else
    set (self, RW_LIKELIHOOD_POSSIBLE, g_strdup_printf ("A user who acts before “%s”.", first));
}

static void
late_timer (RwCase *self, const char *first)
{
  gint32 a = self->first->delay, b = self->second->delay;
  if (is_timer (self->second_kind) && a >= 0 && b >= 0)
    set (self, RW_LIKELIHOOD_UNLIKELY, g_strdup_printf ("A timer that is late by %d ms or more.", MAX (1, b - a)));
  else if (a > 0)
    set (self, RW_LIKELIHOOD_POSSIBLE, g_strdup_printf ("An answer within %d ms, or a timer that is late.", a));
  else
    set (self, RW_LIKELIHOOD_POSSIBLE, g_strdup_printf ("“%s” being late: the browser is busy.", first));
}

void
rw_case_likelihood (RwCase *self)
{
  const char *first = rw_case_label (self->first), *second = rw_case_label (self->second);
  RwEventKind a = self->first_kind, b = self->second_kind;
  if (b == RW_KIND_USER)
    quick_user (self, first, second);
  else if (a == RW_KIND_USER)
    set (self, is_answer (b) || is_timer (b) ? RW_LIKELIHOOD_LIKELY : RW_LIKELIHOOD_POSSIBLE,
         g_strdup_printf ("A slower user, or a quicker “%s”.", second));
  else if (is_answer (a) && (is_answer (b) || b == RW_KIND_PARSE || b == RW_KIND_LIFECYCLE))
    set (self, RW_LIKELIHOOD_LIKELY,
         g_strdup_printf ("“%s” taking longer than “%s”: answers come in any order.", first, second));
  else if (is_answer (a))
    set (self, RW_LIKELIHOOD_LIKELY, g_strdup_printf ("A slower answer: “%s” after “%s”.", first, second));
  else if (is_timer (a))
    late_timer (self, first);
  else if (a == RW_KIND_PARSE && is_answer (b))
    set (self, RW_LIKELIHOOD_POSSIBLE,
         g_strdup_printf ("“%s” coming from a cache, or a document that arrives in pieces.", second));
  else if (a == RW_KIND_PARSE)
    set (self, RW_LIKELIHOOD_UNLIKELY, g_strdup ("Only a document that arrives in pieces at the wrong place."));
  else
    set (self, RW_LIKELIHOOD_POSSIBLE, g_strdup_printf ("“%s” being quicker than “%s”.", second, first));
}

static char *
starter_of (const RwCase *self, RwEvent event)
{
  RwEvent poster = self->parent->trace != NULL && event != RW_EVENT_NONE ? rw_trace_poster (self->parent->trace, event)
                                                                         : RW_EVENT_NONE;
  return poster != RW_EVENT_NONE ? g_strdup_printf ("“%s”", rw_case_label (rw_space_event_info (self->space, poster)))
                                 : NULL;
}

void
rw_case_unordered (RwCase *self)
{
  const RwReversal *r = &self->child->reversal;
  const char *first = rw_case_label (self->first), *second = rw_case_label (self->second);
  g_autofree char *a = starter_of (self, r->first);
  g_autofree char *b = starter_of (self, r->second);
  char **out = &self->verdict->unordered;
  if (r->kind == RW_REVERSAL_CANCELLED)
    *out = g_strdup_printf ("“%s” is waiting when “%s” cancels it; had it come sooner, it would have run.", second,
                            first);
  else if (a != NULL && b != NULL && strcmp (a, b) == 0)
    *out = g_strdup_printf ("%s starts both, and neither waits for the other.", a);
  else if (a != NULL && b != NULL)
    *out = g_strdup_printf ("“%s” is started by %s and “%s” by %s; neither waits for the other.", first, a, second, b);
  else
    *out = g_strdup_printf ("Neither of “%s” and “%s” waits for the other.", first, second);
}

/* The access that tells most: a write before a read, and the last of them. */
static const RwOp *
access_of (const RwTrace *trace, RwEvent event, RwLocation location)
{
  gint position = trace != NULL && event != RW_EVENT_NONE ? rw_trace_position (trace, event) : -1;
  const RwOp *found = NULL;
  guint n = 0;
  const RwOp *ops = position >= 0 ? rw_trace_ops (trace, position, &n) : NULL;
  for (guint i = 0; i < n; i++)
    if (ops[i].kind <= RW_OP_WRITE && ops[i].target == location && (found == NULL || ops[i].kind >= found->kind))
      found = &ops[i];
  return found;
}

static void
fill_access (RwCase *self, RwEvent event, const RwEventInfo *info, gboolean is_canceller, RwAccess *access)
{
  const RwReversal *r = &self->child->reversal;
  const RwOp *op = access_of (self->parent->trace, event, r->location);
  if (op == NULL)
    op = access_of (self->child->trace, event, r->location);
  access->event = g_strdup (rw_case_label (info));
  if (r->kind == RW_REVERSAL_CANCELLED)
    access->action = g_strdup (is_canceller ? "cancels the other" : "is cancelled");
  else if (self->is_handler)
    access->action = g_strdup (op != NULL && op->kind == RW_OP_WRITE           ? "registers a handler in"
                               : op != NULL && (op->flags & RW_OP_FAILED) == 0 ? "runs the handler in"
                                                                               : "finds no handler in");
  else if (op == NULL)
    access->action = g_strdup ("uses");
  else
    access->action = g_strdup (op->kind == RW_OP_WRITE    ? "writes"
                               : op->flags & RW_OP_FAILED ? "finds nothing in"
                                                          : "reads");
  if (op == NULL)
    return;
  access->place = op->place != 0 ? g_strdup (rw_space_place_text (self->space, op->place)) : NULL;
  access->value = op->value != 0 && !self->is_handler ? g_strdup (rw_space_value_text (self->space, op->value)) : NULL;
}

void
rw_case_accesses (RwCase *self)
{
  const RwReversal *r = &self->child->reversal;
  fill_access (self, r->first, self->first, TRUE, &self->verdict->first);
  fill_access (self, r->second, self->second, FALSE, &self->verdict->second);
}
