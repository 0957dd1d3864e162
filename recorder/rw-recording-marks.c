/* SPDX-License-Identifier: MIT */
/* Verdicts and a person's marks in the recording. */
#include "rw-recording-private.h"

#include <string.h>

char *
rw_recording_verdict (RwRecording *self, const char *key, GError **error)
{
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (self, "SELECT text FROM verdicts WHERE key = ?", error);
  gboolean row = FALSE;
  char *text = NULL;
  if (s == NULL)
    return NULL;
  rw_bind_text (s, 1, key);
  if (rw_recording_step (self, s, &row, error) && row)
    rw_column_text (self, s, 0, FALSE, &text, error);
  return text;
}

gboolean
rw_recording_set_verdict (RwRecording *self, const char *key, const char *text, GError **error)
{
  g_autoptr (sqlite3_stmt) s
      = rw_recording_prepare (self,
                              "INSERT INTO verdicts VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET text = excluded.text",
                              error);
  if (s == NULL)
    return FALSE;
  rw_bind_text (s, 1, key);
  rw_bind_text (s, 2, text);
  return rw_recording_do (self, s, error);
}

void
rw_mark_free (RwMark *self)
{
  if (self == NULL)
    return;
  g_free (self->target);
  g_free (self->verdict);
  g_free (self->note);
  g_free (self);
}

static RwMark *
read_mark (RwRecording *self, sqlite3_stmt *s, GError **error)
{
  g_autoptr (RwMark) mark = g_new0 (RwMark, 1);
  if (!rw_column_text (self, s, 0, FALSE, &mark->target, error)
      || !rw_column_text (self, s, 1, FALSE, &mark->verdict, error)
      || !rw_column_text (self, s, 2, FALSE, &mark->note, error))
    return NULL;
  if (strcmp (mark->verdict, "harmless") != 0 && strcmp (mark->verdict, "harmful") != 0)
    {
      rw_recording_damaged (self, "a mark that is neither harmless nor harmful", error);
      return NULL;
    }
  return g_steal_pointer (&mark);
}

GPtrArray *
rw_recording_marks (RwRecording *self, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_mark_free);
  g_autoptr (sqlite3_stmt) s
      = rw_recording_prepare (self, "SELECT target, verdict, note FROM marks ORDER BY target", error);
  gboolean row = FALSE;
  for (;;)
    {
      if (s == NULL || !rw_recording_step (self, s, &row, error))
        return NULL;
      if (!row)
        return g_steal_pointer (&all);
      RwMark *mark = read_mark (self, s, error);
      if (mark == NULL)
        return NULL;
      g_ptr_array_add (all, mark);
    }
}

gboolean
rw_recording_set_mark (RwRecording *self, const char *target, const char *verdict, const char *note, GError **error)
{
  g_autoptr (sqlite3_stmt) s
      = verdict != NULL ? rw_recording_prepare (self,
                                                "INSERT INTO marks VALUES (?1, ?2, ?3) ON CONFLICT (target) DO UPDATE"
                                                " SET verdict = excluded.verdict, note = excluded.note",
                                                error)
                        : rw_recording_prepare (self, "DELETE FROM marks WHERE target = ?1", error);
  if (s == NULL)
    return FALSE;
  rw_bind_text (s, 1, target);
  if (verdict != NULL)
    {
      rw_bind_text (s, 2, verdict);
      rw_bind_text (s, 3, note != NULL ? note : "");
    }
  return rw_recording_do (self, s, error);
}
