/* SPDX-License-Identifier: MIT */
/* Any bytes as an EventRacer log: read, find races, draw, write, read again. */
#include "rw-picture.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize length);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize length)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, length);
  g_autoptr (RwErLog) log = rw_erlog_from_bytes (bytes, NULL);

  if (log == NULL)
    return 0;
  g_autoptr (RwHistory) history = rw_history_from_erlog (log, length % 2 == 0 ? RW_TIMERS_ORDERED : RW_TIMERS_ANY);
  g_autoptr (RwRaces) races = rw_races_find (history);
  rw_races_label (races, history);
  g_autoptr (GString) dot = rw_picture_dot (history, races);
  g_autoptr (GString) perfetto = rw_picture_perfetto (history, races);
  g_assert_true (g_utf8_validate (dot->str, dot->len, NULL) && g_utf8_validate (perfetto->str, perfetto->len, NULL));

  /* What could be read can be written, and says the same. */
  g_autoptr (GBytes) written = rw_erlog_to_bytes (log);
  g_autoptr (RwErLog) again = rw_erlog_from_bytes (written, NULL);
  g_assert_nonnull (again);
  g_assert_cmpuint (again->commands->len, ==, log->commands->len);
  g_assert_cmpuint (again->arcs->len, ==, log->arcs->len);
  return 0;
}
