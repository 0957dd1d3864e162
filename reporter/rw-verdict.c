/* SPDX-License-Identifier: MIT */
/* The classification. It looks at what the two runs left behind; patterns in the code are never a reason to call it
 * harmless. */
#include "rw-verdict-private.h"

#include <string.h>

/* --- what ran in one of the two only
 * ------------------------------------------------------------------------------------ */

static gboolean
is_timer (RwEventKind kind)
{
  return kind == RW_KIND_TIMER || kind == RW_KIND_INTERVAL || kind == RW_KIND_FRAME || kind == RW_KIND_IDLE;
}

/* A timer, or something that a timer started which the other run does not have either. */
static gboolean
comes_from_timer (RwSpace *space, const RwTrace *trace, const RwTrace *other, RwEvent event)
{
  for (guint hops = 0; event != RW_EVENT_NONE && hops < 1000; hops++)
    {
      if (is_timer (rw_space_event_info (space, event)->kind))
        return TRUE;
      event = rw_trace_poster (trace, event);
      if (event == RW_EVENT_NONE || rw_trace_position (other, event) >= 0)
        return FALSE;
    }
  return FALSE;
}

static void
collect_only (RwCase *self, const RwTrace *trace, const RwTrace *other, GPtrArray *out)
{
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      RwEvent event = rw_trace_event (trace, i);
      if (rw_trace_position (other, event) >= 0)
        continue;
      g_ptr_array_add (out, g_strdup (rw_case_label (rw_space_event_info (self->space, event))));
      if (!comes_from_timer (self->space, trace, other, event))
        self->only_timers = FALSE;
    }
}

static void
compare_traces (RwCase *self)
{
  self->only_timers = TRUE;
  if (self->parent->trace == NULL || self->child->trace == NULL)
    return;
  collect_only (self, self->parent->trace, self->child->trace, self->verdict->only_parent);
  collect_only (self, self->child->trace, self->parent->trace, self->verdict->only_child);
}

/* --- effects
 * ---------------------------------------------------------------------------------------------------------------- */

static guint
count (const RwCase *self, RwAspect aspect)
{
  return self->verdict->differences->counts[aspect];
}

static const RwDifference *
first_of (const RwCase *self, RwAspect aspect)
{
  GPtrArray *list = self->verdict->differences->list;
  for (guint i = 0; i < list->len; i++)
    if (((RwDifference *)list->pdata[i])->aspect == aspect)
      return list->pdata[i];
  return NULL;
}

/* The one that tells people most: changed text, then elements that came or went, then attributes. */
static const RwDifference *
best_of (const RwCase *self, RwAspect aspect)
{
  GPtrArray *list = self->verdict->differences->list;
  const RwDifference *best = NULL;
  int best_rank = G_MAXINT;
  for (guint i = 0; i < list->len; i++)
    {
      const RwDifference *d = list->pdata[i];
      gboolean is_text = d->xpath != NULL && g_str_has_suffix (d->xpath, "text()") && d->property == NULL;
      int rank = d->property != NULL ? 3 : is_text && d->before != NULL && d->after != NULL ? 0 : is_text ? 1 : 2;
      if (d->aspect == aspect && rank < best_rank)
        {
          best = d;
          best_rank = rank;
        }
    }
  return best;
}

static void
judge (RwCase *self, RwGrade grade, RwHarm harm, RwClass class, char *take_reason)
{
  self->verdict->grade = grade;
  self->verdict->harm = harm;
  self->verdict->class = class;
  g_free (self->verdict->reason);
  self->verdict->reason = take_reason;
}

static char *
excerpt (const char *text, gsize limit)
{
  g_autofree char *copy = g_strdup (text != NULL ? text : "");
  g_strdelimit (copy, "\r\n\t", ' ');
  if ((gsize)g_utf8_strlen (copy, -1) <= limit)
    return g_steal_pointer (&copy);
  g_autofree char *cut = g_utf8_substring (copy, 0, limit);
  return g_strconcat (cut, "\342\200\246", NULL);
}

/* "If A comes before B" or, for a cancelled event, "If A runs before B can cancel it". It names the order that is to
 * blame: the child's, or the parent's if the case is told from there. */
static char *
condition (const RwCase *self)
{
  const RwEventInfo *late = self->blames_parent ? self->second : self->first,
                    *early = self->blames_parent ? self->first : self->second;
  g_autofree char *first = excerpt (rw_case_label (late), 80);
  g_autofree char *second = excerpt (rw_case_label (early), 80);
  if (self->child->reversal.kind == RW_REVERSAL_CANCELLED)
    return g_strdup_printf ("If “%s” runs before “%s” can cancel it", second, first);
  return g_strdup_printf ("If “%s” comes before “%s”", second, first);
}

static gboolean
is_item (RwAspect aspect)
{
  return aspect == RW_ASPECT_CONSOLE || aspect == RW_ASPECT_REQUEST || aspect == RW_ASPECT_NAVIGATION
         || aspect == RW_ASPECT_DIALOG;
}

static char *
effect_text (const RwCase *self, const RwDifference *difference)
{
  RwDifference told = *difference, *d = &told;
  if (self->blames_parent)
    {
      d->before = difference->after;
      d->after = difference->before;
    }
  g_autofree char *where = d->property != NULL ? g_strdup (d->where) : excerpt (d->where, 80);
  g_autofree char *before = excerpt (d->before, 60);
  g_autofree char *after = excerpt (d->after, 60);
  if (d->aspect == RW_ASPECT_PIXELS)
    return g_strdup_printf ("the page looks different: %s", difference->after);
  /* Items of lists have no place of their own, only a kind. */
  if (is_item (d->aspect) && (d->before == NULL || d->after == NULL))
    return d->before == NULL ? g_strdup_printf ("there is one more %s: “%s”", where, after)
                             : g_strdup_printf ("a %s is missing: “%s”", where, before);
  if (d->property != NULL && (d->before == NULL || d->after == NULL))
    return g_strdup_printf (d->before == NULL ? "%.*s has “%s”" : "%.*s lacks “%s”",
                            (int)(strlen (where) - strlen (d->property) - 1), where, d->property);
  if (d->before == NULL)
    return g_strdup_printf ("there is also %s: “%s”", where, after);
  if (d->after == NULL)
    return g_strdup_printf ("%s is missing: “%s”", where, before);
  return g_strdup_printf ("%s is “%s” instead of “%s”", where, after, before);
}

static char *
with_count (const RwCase *self, RwAspect aspect, const char *format)
{
  g_autofree char *when = condition (self);
  g_autofree char *effect = effect_text (self, best_of (self, aspect));
  g_autofree char *more
      = count (self, aspect) > 1 ? g_strdup_printf (" (and %u more)", count (self, aspect) - 1) : g_strdup ("");
  g_autofree char *what = g_strdup_printf (format, effect);
  return g_strdup_printf ("%s, %s%s.", when, what, more);
}

static gboolean
says_undefined (const char *message)
{
  static const char *const signs[]
      = { "Can't find variable", "is not defined",   "is not a function",     "undefined is not",
          "null is not",         "Cannot read prop", "before initialization", "not a constructor" };
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (strstr (message, signs[i]) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
is_handler_slot (const char *location)
{
  const char *at = location != NULL ? strrchr (location, '@') : NULL;
  if (at == NULL || at[1] == '\0')
    return FALSE;
  for (const char *p = at + 1; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && strchr ("-_:.", *p) == NULL)
      return FALSE;
  return TRUE;
}

/* A browser that hides an error's text still leaves the failed look-up in the trace. */
static gboolean
found_nothing (const RwCase *self)
{
  const RwTrace *trace = self->child->trace;
  gint position = trace != NULL ? rw_trace_position (trace, self->child->reversal.second) : -1;
  guint n = 0;
  const RwOp *ops = position >= 0 ? rw_trace_ops (trace, position, &n) : NULL;
  for (guint i = 0; i < n; i++)
    if (ops[i].kind == RW_OP_READ && (ops[i].flags & RW_OP_FAILED)
        && !is_handler_slot (rw_space_location_name (self->space, ops[i].target)))
      return TRUE;
  return FALSE;
}

static gboolean
judge_error (RwCase *self)
{
  const RwDifference *d = first_of (self, RW_ASPECT_ERROR);
  if (d == NULL)
    return FALSE;
  const char *message = d->after != NULL ? d->after : d->before;
  g_autofree char *when = condition (self);
  g_autofree char *text = excerpt (message, 120);
  gboolean undefined = says_undefined (message) || (g_str_has_prefix (message, "Script error") && found_nothing (self));
  judge (self, RW_GRADE_DIFFERENT, RW_HARM_HARMFUL, undefined ? RW_CLASS_USED_BEFORE_DEFINED : RW_CLASS_ERROR,
         d->after != NULL ? g_strdup_printf ("%s, the page throws “%s”.", when, text)
                          : g_strdup_printf ("%s, all is well; in the other order the page throws “%s”.", when, text));
  return TRUE;
}

static const RwAspect seen_by_people[] = { RW_ASPECT_FORM, RW_ASPECT_DIALOG, RW_ASPECT_DOM,  RW_ASPECT_NAVIGATION,
                                           RW_ASPECT_URL,  RW_ASPECT_TITLE,  RW_ASPECT_FOCUS };

/* What a person would notice first. */
static const RwDifference *
seen_difference (const RwCase *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (seen_by_people); i++)
    if (count (self, seen_by_people[i]) > 0)
      return best_of (self, seen_by_people[i]);
  return NULL;
}

/* Of the two that meet in a handler slot, the one that only reads it. */
static gboolean
is_dispatch (const RwCase *self, RwEvent event)
{
  const RwTrace *trace = self->parent->trace;
  gint position = trace != NULL ? rw_trace_position (trace, event) : -1;
  guint n = 0;
  const RwOp *ops = position >= 0 ? rw_trace_ops (trace, position, &n) : NULL;
  gboolean reads = FALSE;
  for (guint i = 0; i < n; i++)
    if (ops[i].kind <= RW_OP_WRITE && ops[i].target == self->child->reversal.location)
      {
        if (ops[i].kind == RW_OP_WRITE)
          return FALSE;
        reads = TRUE;
      }
  return reads;
}

/* A handler that comes too late: the event finds nobody. Harmful if something that a person or a server notices is
 * missing. */
static gboolean
judge_late_handler (RwCase *self)
{
  const RwDifference *d = seen_difference (self);
  if (!self->is_handler)
    return FALSE;
  if (d == NULL && count (self, RW_ASPECT_REQUEST) > 0)
    d = first_of (self, RW_ASPECT_REQUEST);
  if (d == NULL)
    return FALSE;
  self->blames_parent = is_dispatch (self, self->child->reversal.first);
  g_autofree char *when = condition (self);
  g_autofree char *effect = effect_text (self, d);
  judge (self, RW_GRADE_DIFFERENT, RW_HARM_HARMFUL, RW_CLASS_LATE_HANDLER,
         g_strdup_printf ("%s, it finds no handler and its effect is lost: %s.", when, effect));
  return TRUE;
}

static gboolean
judge_form (RwCase *self)
{
  /* Input is lost where the user comes first. */
  gboolean user_was_first = self->first->kind == RW_KIND_USER && self->second->kind != RW_KIND_USER;
  self->blames_parent = user_was_first && count (self, RW_ASPECT_FORM) + count (self, RW_ASPECT_FOCUS) > 0;
  if (count (self, RW_ASPECT_FORM) > 0)
    judge (self, RW_GRADE_DIFFERENT, RW_HARM_HARMFUL, self->has_user ? RW_CLASS_LOST_INPUT : RW_CLASS_VISIBLE,
           with_count (self, RW_ASPECT_FORM, self->has_user ? "what the user entered is overwritten: %s" : "%s"));
  else if (count (self, RW_ASPECT_FOCUS) > 0 && self->has_user && count (self, RW_ASPECT_DOM) == 0)
    judge (self, RW_GRADE_DIFFERENT, RW_HARM_HARMFUL, RW_CLASS_LOST_INPUT,
           with_count (self, RW_ASPECT_FOCUS, "the focus is taken from the user: %s"));
  else
    return self->blames_parent = FALSE;
  return TRUE;
}

static gboolean
judge_navigation (RwCase *self)
{
  RwAspect aspect = count (self, RW_ASPECT_NAVIGATION) > 0 ? RW_ASPECT_NAVIGATION : RW_ASPECT_URL;
  if (count (self, aspect) == 0)
    return FALSE;
  judge (self, RW_GRADE_DIFFERENT, RW_HARM_HARMFUL, RW_CLASS_NAVIGATION, with_count (self, aspect, "%s"));
  return TRUE;
}

static gboolean
is_loading (RwEventKind kind)
{
  return kind == RW_KIND_PARSE || kind == RW_KIND_SCRIPT || kind == RW_KIND_LOAD || kind == RW_KIND_LIFECYCLE;
}

static RwClass
visible_class (const RwCase *self)
{
  if (self->first_kind == RW_KIND_NETWORK && self->second_kind == RW_KIND_NETWORK)
    return RW_CLASS_AJAX_ORDER;
  if (is_loading (self->first_kind) && is_loading (self->second_kind))
    return RW_CLASS_INIT_ORDER;
  return RW_CLASS_VISIBLE;
}

static gboolean
judge_visible (RwCase *self)
{
  static const RwAspect strong[] = { RW_ASPECT_DIALOG, RW_ASPECT_DOM, RW_ASPECT_TITLE, RW_ASPECT_PIXELS };
  static const RwAspect weak[] = { RW_ASPECT_FOCUS, RW_ASPECT_SCROLL };
  gboolean same_picture
      = self->parent->screenshot != NULL && self->child->screenshot != NULL && count (self, RW_ASPECT_PIXELS) == 0;
  for (guint i = 0; i < G_N_ELEMENTS (strong); i++)
    if (count (self, strong[i]) > 0)
      {
        gboolean unseen = strong[i] == RW_ASPECT_DOM && same_picture && count (self, RW_ASPECT_TITLE) == 0;
        judge (self, RW_GRADE_DIFFERENT, unseen ? RW_HARM_SUSPICIOUS : RW_HARM_HARMFUL, visible_class (self),
               with_count (self, strong[i], unseen ? "the document differs, though both look the same: %s" : "%s"));
        return TRUE;
      }
  for (guint i = 0; i < G_N_ELEMENTS (weak); i++)
    if (count (self, weak[i]) > 0)
      {
        judge (self, RW_GRADE_DIFFERENT, RW_HARM_SUSPICIOUS, RW_CLASS_VISIBLE, with_count (self, weak[i], "%s"));
        return TRUE;
      }
  return FALSE;
}

/* Only in which order things were asked for or said; asking twice for something that may be asked for at any time. */
static gboolean
only_order (const RwCase *self, RwAspect aspect)
{
  const RwDifference *d = first_of (self, aspect);
  return d != NULL && count (self, aspect) == 1 && g_str_has_prefix (d->where, "order of")
         && (aspect != RW_ASPECT_REQUEST
             || (strstr (d->before, "POST ") == NULL && strstr (d->before, "PUT ") == NULL
                 && strstr (d->before, "DELETE ") == NULL && strstr (d->before, "PATCH ") == NULL));
}

static gboolean
judge_hidden (RwCase *self)
{
  static const RwAspect hidden[] = { RW_ASPECT_STORAGE, RW_ASPECT_CONSOLE, RW_ASPECT_HEAP };
  gboolean orders = only_order (self, RW_ASPECT_REQUEST) || only_order (self, RW_ASPECT_CONSOLE);
  if (count (self, RW_ASPECT_REQUEST) > 0 && !only_order (self, RW_ASPECT_REQUEST))
    {
      judge (self, RW_GRADE_DIFFERENT, RW_HARM_SUSPICIOUS, RW_CLASS_REQUEST,
             with_count (self, RW_ASPECT_REQUEST,
                         "nothing on the page differs, but what it asks of the network does: %s"));
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    if (count (self, hidden[i]) > 0 && !(hidden[i] == RW_ASPECT_CONSOLE && only_order (self, RW_ASPECT_CONSOLE)))
      {
        judge (self, RW_GRADE_DIFFERENT, RW_HARM_SUSPICIOUS, RW_CLASS_HIDDEN_STATE,
               with_count (self, hidden[i], "nothing that can be seen differs, but %s"));
        return TRUE;
      }
  if (orders)
    judge (self, RW_GRADE_APPROXIMATE, RW_HARM_HARMLESS, RW_CLASS_NONE,
           g_strdup ("Both orders end in the same page; only the order of what was asked for or logged differs."));
  return orders;
}

/* --- nothing differs
 * ---------------------------------------------------------------------------------------------------------- */

static gboolean
pending_are_timers (const RwCase *self)
{
  GPtrArray *list = self->verdict->differences->list;
  for (guint i = 0; i < list->len; i++)
    {
      const RwDifference *d = list->pdata[i];
      const char *label = d->after != NULL ? d->after : d->before;
      if (d->aspect == RW_ASPECT_PENDING && !g_str_has_prefix (label, "timer") && !g_str_has_prefix (label, "interval")
          && !g_str_has_prefix (label, "animation frame") && !g_str_has_prefix (label, "idle"))
        return FALSE;
    }
  return TRUE;
}

static char *
ad_hoc_reason (const RwCase *self)
{
  const RwVerdict *v = self->verdict;
  g_autofree char *gone = v->only_parent->len > 0 ? excerpt (v->only_parent->pdata[0], 80) : NULL;
  g_autofree char *extra = v->only_child->len > 0 ? excerpt (v->only_child->pdata[0], 80) : NULL;
  if (gone != NULL && extra == NULL)
    return g_strdup_printf (
        "Both orders end in the same state; “%s” is not needed in this one, because what it waits for is "
        "there already.",
        gone);
  if (extra != NULL)
    return g_strdup_printf (
        "Both orders end in the same state; in this one “%s” tries again until what it waits for is there.", extra);
  return g_strdup ("Both orders end in the same state but for timers that are still waiting.");
}

static void
judge_equal (RwCase *self)
{
  RwVerdict *v = self->verdict;
  gboolean same_events = v->only_parent->len + v->only_child->len == 0;
  if (same_events && count (self, RW_ASPECT_PENDING) == 0)
    judge (self, RW_GRADE_EQUIVALENT, RW_HARM_HARMLESS, RW_CLASS_NONE, g_strdup ("Both orders end in the same state."));
  else if (self->only_timers && pending_are_timers (self))
    {
      v->labels |= RW_LABEL_AD_HOC;
      judge (self, RW_GRADE_APPROXIMATE, RW_HARM_HARMLESS, RW_CLASS_AD_HOC, ad_hoc_reason (self));
    }
  else if (count (self, RW_ASPECT_PENDING) == 0)
    judge (self, RW_GRADE_APPROXIMATE, RW_HARM_HARMLESS, RW_CLASS_NONE,
           g_strdup_printf ("Both orders end in the same state, though %u events ran in one of them only.",
                            v->only_parent->len + v->only_child->len));
  else
    judge (self, RW_GRADE_DIFFERENT, RW_HARM_SUSPICIOUS, RW_CLASS_HIDDEN_STATE,
           with_count (self, RW_ASPECT_PENDING, "the page looks the same, but not the same is left waiting: %s"));
}

/* --- all of it
 * --------------------------------------------------------------------------------------------------------------------
 */

static gboolean
judge_outcome (RwCase *self)
{
  g_autofree char *when = condition (self);
  if (self->child->outcome == self->parent->outcome)
    return FALSE;
  if (self->child->outcome == RW_OUTCOME_CRASH)
    judge (self, RW_GRADE_DIFFERENT, RW_HARM_HARMFUL, RW_CLASS_CRASH,
           g_strdup_printf ("%s, the page's process crashes.", when));
  else if (self->child->outcome == RW_OUTCOME_HANG)
    judge (self, RW_GRADE_DIFFERENT, RW_HARM_HARMFUL, RW_CLASS_HANG, g_strdup_printf ("%s, the page hangs.", when));
  else
    return FALSE;
  rw_differences_add (self->verdict->differences,
                      rw_difference_new (RW_ASPECT_OUTCOME, "outcome", "done", self->child->note ?: "lost"));
  return TRUE;
}

static void
compare_pixels (RwCase *self)
{
  const RwRun *a = self->parent, *b = self->child;
  if (a->screenshot == NULL || b->screenshot == NULL || g_bytes_equal (a->screenshot, b->screenshot))
    return;
  double part = rw_pixels_differ (a->screenshot, b->screenshot, &self->verdict->box);
  if (part <= 0)
    return;
  g_autofree char *text = g_strdup_printf ("%.*f %% of the pixels are others", part < 0.01 ? 2 : 0, part * 100);
  rw_differences_add (self->verdict->differences, rw_difference_new (RW_ASPECT_PIXELS, "the picture", NULL, text));
}

static void
add_labels (RwCase *self)
{
  RwVerdict *v = self->verdict;
  if (self->is_handler)
    v->labels |= RW_LABEL_LATE_HANDLER;
  if (self->child->skipped != NULL && self->child->skipped->len > 0)
    v->labels |= RW_LABEL_SKIPPED;
  if (self->child->outcome == RW_OUTCOME_LIMIT || self->parent->outcome == RW_OUTCOME_LIMIT)
    v->labels |= RW_LABEL_LIMIT;
  if ((self->first->kind == RW_KIND_NAVIGATION && strstr (rw_case_label (self->first), "unload") != NULL)
      || (self->second->kind == RW_KIND_NAVIGATION && strstr (rw_case_label (self->second), "unload") != NULL))
    v->labels |= RW_LABEL_UNLOAD;
}

/* What a filter of R4 or a limit casts doubt on is said, and graded one lower; it is never silence. */
static void
soften (RwCase *self)
{
  RwVerdict *v = self->verdict;
  const char *doubt = NULL;
  if (v->harm == RW_HARM_HARMLESS || v->class == RW_CLASS_CRASH || v->class == RW_CLASS_HANG
      || count (self, RW_ASPECT_ERROR) > 0)
    return;
  if (v->labels & RW_LABEL_UNLOAD)
    doubt = "It happens while the page is left, where it rarely matters.";
  else if ((v->labels & RW_LABEL_LIMIT) && v->harm == RW_HARM_HARMFUL)
    doubt = "One of the two runs was cut by a limit, so it may be only a matter of when it stopped.";
  if (doubt == NULL)
    return;
  v->harm--;
  g_autofree char *reason = g_steal_pointer (&v->reason);
  v->reason = g_strdup_printf ("%s %s", reason, doubt);
}

/* Reading the body of an answer is an event of its own, but what decides when it comes is the answer. */
static RwEventKind
kind_in_effect (const RwCase *self, RwEvent event)
{
  RwEventKind kind = event != RW_EVENT_NONE ? rw_space_event_info (self->space, event)->kind : RW_KIND_OTHER;
  RwEvent poster = event;
  for (guint hops = 0; hops < 4 && self->parent->trace != NULL && poster != RW_EVENT_NONE; hops++)
    {
      RwEventKind k = rw_space_event_info (self->space, poster)->kind;
      if (k == RW_KIND_NETWORK)
        return RW_KIND_NETWORK;
      if (k != RW_KIND_NATIVE && k != RW_KIND_OTHER)
        break;
      poster = rw_trace_poster (self->parent->trace, poster);
    }
  return kind;
}

static void
case_init (RwCase *self)
{
  static const RwEventInfo nothing = { .kind = RW_KIND_OTHER, .delay = -1 };
  const RwReversal *r = &self->child->reversal;
  RwVerdict *v = self->verdict = g_new0 (RwVerdict, 1);
  self->first = r->first != RW_EVENT_NONE ? rw_space_event_info (self->space, r->first) : &nothing;
  self->second = r->second != RW_EVENT_NONE ? rw_space_event_info (self->space, r->second) : &nothing;
  self->has_user = self->first->kind == RW_KIND_USER || self->second->kind == RW_KIND_USER;
  v->only_parent = g_ptr_array_new_with_free_func (g_free);
  v->only_child = g_ptr_array_new_with_free_func (g_free);
  self->first_kind = kind_in_effect (self, r->first);
  self->second_kind = kind_in_effect (self, r->second);
  const char *location = r->location != G_MAXUINT32 ? rw_space_location_name (self->space, r->location) : NULL;
  v->location = location != NULL ? rw_location_for_people (self->space, self->parent->trace, location) : NULL;
  self->is_handler = is_handler_slot (location);
}

RwVerdict *
rw_verdict_of_states (const RwRun *parent, RwState *parent_state, const RwRun *child, RwState *child_state,
                      RwSpace *space, GHashTable *noise)
{
  RwCase self = { .parent = parent, .child = child, .space = space };
  case_init (&self);
  gboolean comparable = parent_state != NULL && child_state != NULL;
  self.verdict->differences = comparable ? rw_state_compare (parent_state, child_state, noise) : rw_differences_new ();
  compare_traces (&self);
  if (noise == NULL || !g_hash_table_contains (noise, "pixels"))
    compare_pixels (&self);
  add_labels (&self);
  if (judge_outcome (&self))
    ;
  else if (!comparable)
    judge (&self, RW_GRADE_DIFFERENT, RW_HARM_SUSPICIOUS, RW_CLASS_UNKNOWN,
           g_strdup ("One of the two runs left no end state, so nothing could be compared."));
  else if (!judge_error (&self) && !judge_late_handler (&self) && !judge_form (&self) && !judge_navigation (&self)
           && !judge_visible (&self) && !judge_hidden (&self))
    judge_equal (&self);
  soften (&self);
  rw_case_likelihood (&self);
  rw_case_unordered (&self);
  rw_case_accesses (&self);
  return self.verdict;
}

RwVerdict *
rw_verdict_of (const RwRun *parent, const RwRun *child, RwSpace *space, GHashTable *noise)
{
  g_autoptr (RwState) a = parent->state != NULL ? rw_state_new (parent->state, NULL) : NULL;
  g_autoptr (RwState) b = child->state != NULL ? rw_state_new (child->state, NULL) : NULL;
  return rw_verdict_of_states (parent, a, child, b, space, noise);
}
