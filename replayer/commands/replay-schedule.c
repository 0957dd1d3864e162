/* SPDX-License-Identifier: MIT */
/* Reads a schedule from a file. */
#include "replay-schedule.h"

#include <string.h>

#include "replay-list.h"

/* No page of a recording has so many events. */
#define MAX_LINES 1000000

typedef struct
{
  RwSession *session;
  GArray *events;
  GHashTable *used; /* RwEvent + 1 */
} Reader;

static gboolean
is_used (const Reader *self, RwEvent event)
{
  return g_hash_table_contains (self->used, GUINT_TO_POINTER (event + 1));
}

/* The first event of that label that is not on the list; if all are, *@again is set. */
static gboolean
find_label (const Reader *self, const char *label, RwEvent *event, gboolean *again)
{
  const RwSpace *space = self->session->space;
  for (guint i = 0; i < rw_space_n_events (space); i++)
    {
      if (strcmp (rw_event_label (space, i), label) != 0)
        continue;
      *event = i;
      if (!is_used (self, i))
        {
          *again = FALSE;
          return TRUE;
        }
      *again = TRUE;
    }
  return *again;
}

static gboolean
find_event (const Reader *self, const char *text, RwEvent *event, gboolean *again)
{
  *again = FALSE;
  if (strlen (text) == 16 && strspn (text, "0123456789abcdefABCDEF") == 16)
    {
      gboolean found = rw_space_lookup_event (self->session->space, g_ascii_strtoull (text, NULL, 16), event);
      *again = found && is_used (self, *event);
      return found;
    }
  return find_label (self, text, event, again);
}

/* NULL: the event was added; otherwise what is wrong with the line. */
static const char *
add_line (Reader *self, const char *text)
{
  RwEvent event;
  gboolean again;
  if (!find_event (self, text, &event, &again))
    return "no such event; racewalk replay PAGE.rwk RUN --list names them";
  if (again)
    return "it is on the list already, and an event runs once";
  g_array_append_val (self->events, event);
  g_hash_table_add (self->used, GUINT_TO_POINTER (event + 1));
  return NULL;
}

GArray *
rw_schedule_read (RwSession *session, const char *path, gboolean skip, guint *left_out, GError **error)
{
  g_autofree char *text = NULL;
  gsize size;
  g_autoptr (GError) local = NULL;
  *left_out = 0;
  if (!g_file_get_contents (path, &text, &size, &local))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: the schedule can't be read: %s", path, local->message);
      return NULL;
    }
  Reader self = { .session = session, .used = g_hash_table_new (NULL, NULL) };
  self.events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  const char *wrong = strlen (text) == size ? NULL : "it is not a text";
  g_auto (GStrv) lines = g_strsplit (text, "\n", MAX_LINES);
  for (guint i = 0; lines[i] != NULL && wrong == NULL; i++)
    {
      const char *line = g_strstrip (lines[i]);
      const char *why = *line == '\0' || *line == '#' ? NULL : add_line (&self, line);
      *left_out += why != NULL;
      if (why != NULL && !skip)
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s:%u: '%s': %s", path, i + 1, line, why);
      if (why != NULL && !skip)
        break;
    }
  if (wrong != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s: %s", path, wrong);
  g_hash_table_unref (self.used);
  if (wrong == NULL && (skip || *left_out == 0))
    return self.events;
  g_array_unref (self.events);
  return NULL;
}
