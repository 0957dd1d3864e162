/* SPDX-License-Identifier: MIT */
/* A run of our own as an EventRacer log, so that other tools can check ours. */
#include "rw-history.h"

/* The start of all is event 1, the event at position i is event i + 2. Every rule but the timer rule goes out as arcs; for that
 * one timers keep their delay, and the reader applies it. Scopes are the event's label and, inside, each access's place. */

static RwErType
type_of (RwEventKind kind)
{
  switch (kind)
    {
    case RW_KIND_TIMER:
    case RW_KIND_INTERVAL:
      return RW_ER_TIMER;
    case RW_KIND_USER:
      return RW_ER_USER;
    case RW_KIND_NETWORK:
    case RW_KIND_LOAD:
    case RW_KIND_SCRIPT:
      return RW_ER_NETWORK;
    default:
      return RW_ER_UNKNOWN;
    }
}

static void
add_access (RwErLog *log, const RwHistory *history, guint node, guint at, guint32 access)
{
  RwAccessInfo info;

  rw_history_access (history, node, at, &info);
  if (info.place != NULL)
    rw_erlog_add_command (log, RW_ER_ENTER, rw_erlog_add_string (log, RW_ER_SCOPES, info.place));
  rw_erlog_add_command (log, access & 1 ? RW_ER_WRITE : RW_ER_READ,
                        rw_erlog_add_string (log, RW_ER_VARIABLES, rw_history_location (history, access >> 1)));
  if (info.value != NULL)
    rw_erlog_add_command (log, RW_ER_VALUE, rw_erlog_add_string (log, RW_ER_VALUES, info.value));
  if (info.place != NULL)
    rw_erlog_add_command (log, RW_ER_EXIT, G_MAXUINT32);
}

static void
add_event (RwErLog *log, const RwHistory *history, guint node, RwErType type)
{
  guint32 first = g_array_index (history->first, guint32, node);
  guint32 end = g_array_index (history->first, guint32, node + 1);
  g_autofree char *label = rw_history_label (history, node);

  rw_erlog_add_event (log, type);
  rw_erlog_add_command (log, RW_ER_ENTER, rw_erlog_add_string (log, RW_ER_SCOPES, label));
  for (guint32 i = first; i < end; i++)
    add_access (log, history, node, i - first, g_array_index (history->access, guint32, i));
  rw_erlog_add_command (log, RW_ER_EXIT, G_MAXUINT32);
}

static void
add_arcs (RwErLog *log, const RwHistory *history, guint node, gint32 delay)
{
  guint n_arcs;
  const guint32 *arcs = rw_hb_arcs (history->hb, node, &n_arcs);

  for (guint i = 0; i < n_arcs; i++)
    rw_erlog_add_arc (log, arcs[i], node, -1);
  if (delay >= 0)
    {
      RwEvent poster = rw_trace_poster (history->trace, rw_trace_event (history->trace, node - 1));
      gint position = poster == RW_EVENT_NONE ? -1 : rw_trace_position (history->trace, poster);
      rw_erlog_add_arc (log, position + 1, node, delay);
    }
}

RwErLog *
rw_erlog_from_trace (RwTrace *trace)
{
  g_autoptr (RwHistory) history = rw_history_from_trace (trace, RW_TIMERS_ANY);
  RwErLog *log = rw_erlog_new ();

  add_event (log, history, 0, RW_ER_UNKNOWN);
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      const RwEventInfo *info = rw_space_event_info (rw_trace_space (trace), rw_trace_event (trace, i));
      add_event (log, history, i + 1, type_of (info->kind));
      add_arcs (log, history, i + 1, info->delay);
    }
  return log;
}
