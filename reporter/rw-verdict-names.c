/* SPDX-License-Identifier: MIT */
/* What grades, classes and labels are called in every report, and the end of a verdict. */
#include "rw-verdict-private.h"

static const char *const grades[] = { "equivalent", "approximately equivalent", "different" };
static const char *const harms[] = { "harmless", "suspicious", "harmful" };
static const char *const likelihoods[] = { "unlikely", "possible", "likely" };
static const char *const classes[] = {
  "none",         "crash",
  "hang",         "used-before-defined",
  "error",        "late-handler",
  "lost-input",   "navigation",
  "ajax-order",   "init-order",
  "visible",      "request",
  "hidden-state", "ad-hoc-synchronisation",
  "unknown",
};
static const char *const labels[] = { "late-handler", "unload", "ad-hoc-synchronisation", "skipped-events", "limit" };

const char *
rw_grade_name (RwGrade grade)
{
  return grades[grade];
}

const char *
rw_harm_name (RwHarm harm)
{
  return harms[harm];
}

const char *
rw_likelihood_name (RwLikelihood likelihood)
{
  return likelihoods[likelihood];
}

const char *
rw_class_name (RwClass class)
{
  return classes[class];
}

const char **
rw_label_names (guint set)
{
  const char **names = g_new0 (const char *, G_N_ELEMENTS (labels) + 1);
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (set & (1u << i))
      names[n++] = labels[i];
  return names;
}

static void
access_clear (RwAccess *self)
{
  g_free (self->event);
  g_free (self->place);
  g_free (self->action);
  g_free (self->value);
}

void
rw_verdict_free (RwVerdict *self)
{
  if (self == NULL)
    return;
  g_free (self->reason);
  g_free (self->needs);
  g_free (self->unordered);
  g_free (self->location);
  access_clear (&self->first);
  access_clear (&self->second);
  rw_differences_free (self->differences);
  g_ptr_array_unref (self->only_parent);
  g_ptr_array_unref (self->only_child);
  g_free (self);
}

const char *
rw_case_label (const RwEventInfo *info)
{
  return info != NULL && info->label != NULL && *info->label != '\0' ? info->label : "an event";
}
