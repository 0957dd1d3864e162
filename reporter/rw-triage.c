/* SPDX-License-Identifier: MIT */
/* A person's word about a finding: which one is meant, and keeping it where later runs find it. */
#include "rw-report-private.h"

#include <string.h>

/* Fewer digits than this are a run's number. */
#define PREFIX_LENGTH 6

static const char *
by_run (const RwReport *self, guint number)
{
  for (guint i = 0; i < self->findings->len; i++)
    {
      const RwFinding *finding = self->findings->pdata[i];
      for (guint k = 0; k < finding->runs->len; k++)
        if (g_array_index (finding->runs, guint, k) == number)
          return finding->fingerprint;
    }
  return NULL;
}

static const char *
by_prefix (const RwReport *self, const char *prefix, guint *n)
{
  const char *found = NULL;
  for (guint i = 0; i < self->findings->len; i++)
    {
      const RwFinding *finding = self->findings->pdata[i];
      if (g_ascii_strncasecmp (finding->fingerprint, prefix, strlen (prefix)) != 0)
        continue;
      (*n)++;
      found = finding->fingerprint;
    }
  return found;
}

const char *
rw_report_find (const RwReport *self, const char *name, GError **error)
{
  guint n = 0;
  guint64 number;
  const char *found = NULL;
  if (strlen (name) >= PREFIX_LENGTH)
    found = by_prefix (self, name, &n);
  else if (g_ascii_string_to_unsigned (name, 10, 0, G_MAXINT32, &number, NULL))
    found = by_run (self, (guint)number);
  if (n > 1)
    g_set_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_RUN, "'%s' means %u findings; give more of the fingerprint",
                 name, n);
  else if (found == NULL)
    g_set_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_RUN,
                 "%s has no finding or run '%s'; racewalk report lists them", self->path, name);
  return n > 1 ? NULL : found;
}

const RwFinding *
rw_report_finding (const RwReport *self, const char *fingerprint)
{
  for (guint i = 0; i < self->findings->len; i++)
    if (strcmp (((RwFinding *)self->findings->pdata[i])->fingerprint, fingerprint) == 0)
      return self->findings->pdata[i];
  return NULL;
}

gboolean
rw_triage (RwRecording *recording, const char *suppressions, const char *fingerprint, const char *verdict,
           const char *note, GError **error)
{
  if (!rw_recording_set_mark (recording, fingerprint, verdict, note, error))
    return FALSE;
  return suppressions == NULL
         || rw_suppressions_write (suppressions, fingerprint, note, g_strcmp0 (verdict, "harmless") == 0, error);
}
