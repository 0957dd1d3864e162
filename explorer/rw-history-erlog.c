/* SPDX-License-Identifier: MIT */
/* A history from an EventRacer log: the arcs of the log, the corrections that EventRacer makes to them, the timer rule. */
#include "rw-history-private.h"

#include <string.h>

/* What EventRacer's offline tool does to a log before it looks for races, in its order (RaceStats.cpp, GraphFix.cpp,
 * TimerGraph.cpp); races can only be compared with its own if we do the same:
 *  1. events without commands and without successors are left out;
 *  2. user events that were explored automatically are not ordered with each other;
 *  3. accesses to one cached resource or script runner are ordered;
 *  4. an event on a node comes after the node was made, and the node's creation does not race;
 *  5. the timer rule, which rw_hb_fire () does. */

#define NO_NODE G_MAXUINT32

typedef enum
{
  VARIABLE_PLAIN = 0,
  VARIABLE_RESOURCE,
  VARIABLE_NODE
} VariableKind;

typedef struct
{
  RwErArc arc;
  RwHbPost post;
} Timer;

typedef struct
{
  const RwErLog *log;
  RwHistory *history;
  GArray *arcs;          /* RwErArc by head, as corrected; timers are arcs, too */
  GArray *timers;        /* Timer by tail and head; empty if timers are not ordered */
  GArray *by_head;       /* guint32, into @timers */
  GArray *delays;        /* gint32, ascending */
  guint8 *dropped;       /* of each event */
  guint32 *node;         /* event -> node */
  guint8 *variable;      /* VariableKind */
  GHashTable *resources; /* text after the prefix -> node + 1 */
  GHashTable *targets;   /* variable -> location + 1 under its present name */
  guint next_arc, next_fire, next_post;
} Import;

static gint
compare_by_head (gconstpointer a, gconstpointer b)
{
  const RwErArc *x = a, *y = b;

  return (x->head > y->head) - (x->head < y->head);
}

static gint
compare_timers (gconstpointer a, gconstpointer b)
{
  const RwErArc *x = &((const Timer *) a)->arc, *y = &((const Timer *) b)->arc;

  if (x->tail != y->tail)
    return (x->tail > y->tail) - (x->tail < y->tail);
  if (x->head != y->head)
    return (x->head > y->head) - (x->head < y->head);
  return (x->duration > y->duration) - (x->duration < y->duration);
}

static gint
compare_delays (gconstpointer a, gconstpointer b)
{
  gint32 x = *(const gint32 *) a, y = *(const gint32 *) b;

  return (x > y) - (x < y);
}

/* Going back from the end: what is left out has no successor any more when its own successors were left out. */
static void
drop_silent_events (Import *import)
{
  const RwErLog *log = import->log;
  g_autofree guint8 *followed = g_new0 (guint8, log->events->len);
  guint i = import->arcs->len;

  for (guint e = log->events->len; e-- > 0;)
    {
      import->dropped[e] = !followed[e] && g_array_index (log->events, RwErEvent, e).n_commands == 0;
      for (; i > 0 && g_array_index (import->arcs, RwErArc, i - 1).head == e; i--)
        if (!import->dropped[e])
          followed[g_array_index (import->arcs, RwErArc, i - 1).tail] = TRUE;
    }
}

static gboolean
is_explored (const RwErLog *log, const RwErEvent *event)
{
  const RwErCommand *command;

  if (event->type != RW_ER_USER || event->n_commands == 0)
    return FALSE;
  command = &g_array_index (log->commands, RwErCommand, event->first);
  return command->kind == RW_ER_ENTER && strcmp (rw_erlog_string (log, RW_ER_SCOPES, command->target), "auto:explore") == 0;
}

/* Only the arcs that say something new, each after those before it: what an arc that is taken away implied goes with it. */
static GArray *
needed_arcs (const Import *import)
{
  g_autoptr (RwHb) hb = rw_hb_new (0);
  GArray *needed = g_array_new (FALSE, FALSE, sizeof (RwErArc));
  guint next = 0;

  for (guint e = 0; e < import->log->events->len; e++)
    {
      rw_hb_begin (hb);
      for (; next < import->arcs->len && g_array_index (import->arcs, RwErArc, next).head == e; next++)
        {
          const RwErArc *arc = &g_array_index (import->arcs, RwErArc, next);
          if (rw_hb_implied (hb, arc->tail))
            continue;
          rw_hb_arc (hb, arc->tail);
          g_array_append_val (needed, *arc);
        }
    }
  return needed;
}

/* User events are chained in the log. Those that were made up hang off the last real one instead, and all of them come
 * before the next real one. Returns how many arcs were moved; @cut gets the tail that each event loses, plus one. */
static guint
move_explored_events (const Import *import, GArray *added, guint32 *cut)
{
  const RwErLog *log = import->log;
  g_autoptr (GArray) merging = g_array_new (FALSE, FALSE, sizeof (guint));
  guint last = NO_NODE, last_explored = NO_NODE, last_real = NO_NODE;
  guint n_moved = 0;

  for (guint e = 0; e < log->events->len; e++)
    {
      const RwErEvent *event = &g_array_index (log->events, RwErEvent, e);

      if (import->dropped[e] || event->type != RW_ER_USER)
        continue;
      if (is_explored (log, event) && last_real != NO_NODE && last == last_explored)
        {
          RwErArc arc = { last_real, e, -1 };
          g_array_append_val (added, arc);
          g_array_append_val (merging, last_explored);
          cut[e] = last_explored + 1;
          n_moved++;
        }
      last = e;
      if (is_explored (log, event))
        {
          last_explored = e;
          continue;
        }
      for (guint i = 0; i < merging->len; i++)
        {
          RwErArc arc = { g_array_index (merging, guint, i), e, -1 };
          g_array_append_val (added, arc);
        }
      g_array_set_size (merging, 0);
      last_real = e;
    }
  return n_moved;
}

static void
free_explored_events (Import *import)
{
  g_autoptr (GArray) added = g_array_new (FALSE, FALSE, sizeof (RwErArc));
  g_autofree guint32 *cut = g_new0 (guint32, import->log->events->len);
  GArray *arcs;
  guint n = 0;

  if (move_explored_events (import, added, cut) == 0)
    return;
  arcs = needed_arcs (import);
  for (guint i = 0; i < arcs->len; i++)
    {
      RwErArc arc = g_array_index (arcs, RwErArc, i);
      if (cut[arc.head] != arc.tail + 1)
        g_array_index (arcs, RwErArc, n++) = arc;
    }
  g_array_set_size (arcs, n);
  g_array_append_vals (arcs, added->data, added->len);
  g_array_sort (arcs, compare_by_head);
  g_array_unref (import->arcs);
  import->arcs = arcs;
}

static void
collect_timers (Import *import)
{
  for (guint i = 0; i < import->log->arcs->len; i++)
    {
      Timer timer = { g_array_index (import->log->arcs, RwErArc, i), 0 };

      if (timer.arc.duration < 0 || import->dropped[timer.arc.head] || import->dropped[timer.arc.tail])
        continue;
      g_array_append_val (import->timers, timer);
      g_array_append_val (import->delays, timer.arc.duration);
    }
  g_array_sort (import->timers, compare_timers);
  g_array_sort (import->delays, compare_delays);
  guint n = 0;
  for (guint i = 0; i < import->delays->len; i++)
    {
      gint32 delay = g_array_index (import->delays, gint32, i);
      if (n == 0 || g_array_index (import->delays, gint32, n - 1) != delay)
        g_array_index (import->delays, gint32, n++) = delay;
    }
  g_array_set_size (import->delays, n);
}

/* A counting sort keeps timers of one head in the order of their posts. */
static void
index_timers (Import *import)
{
  g_autofree guint32 *start = g_new0 (guint32, import->log->events->len + 1);

  g_array_set_size (import->by_head, import->timers->len);
  for (guint i = 0; i < import->timers->len; i++)
    start[g_array_index (import->timers, Timer, i).arc.head + 1]++;
  for (guint e = 0; e < import->log->events->len; e++)
    start[e + 1] += start[e];
  for (guint32 i = 0; i < import->timers->len; i++)
    g_array_index (import->by_head, guint32, start[g_array_index (import->timers, Timer, i).arc.head]++) = i;
}

static void
classify_variables (Import *import)
{
  guint n = rw_erlog_n_strings (import->log, RW_ER_VARIABLES);

  import->variable = g_new0 (guint8, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const char *name = rw_erlog_string (import->log, RW_ER_VARIABLES, i);
      if (g_str_has_prefix (name, "CachedResource-") || g_str_has_prefix (name, "ScriptRunner-"))
        import->variable[i] = VARIABLE_RESOURCE;
      else if (g_str_has_prefix (name, "NodeTree:"))
        import->variable[i] = VARIABLE_NODE;
    }
}

/* Rule 3: after the last access to the same resource. */
static void
order_resource (Import *import, guint variable)
{
  const char *key = strchr (rw_erlog_string (import->log, RW_ER_VARIABLES, variable), '-') + 1;
  guint node = import->history->origin->len - 1;
  guint last = GPOINTER_TO_UINT (g_hash_table_lookup (import->resources, key));

  if (last != 0 && last != node + 1)
    rw_hb_arc (import->history->hb, last - 1);
  g_hash_table_insert (import->resources, (gpointer) key, GUINT_TO_POINTER (node + 1));
}

typedef struct
{
  guint32 node;     /* that made the target */
  guint32 location; /* under which it goes from then on */
} Target;

/* Rule 4: each making of a node of the document is a location of its own. */
static guint
order_target (Import *import, guint variable, gboolean is_write)
{
  RwHistory *history = import->history;
  guint node = history->origin->len - 1;
  Target *target = g_hash_table_lookup (import->targets, GUINT_TO_POINTER (variable));

  if (is_write && (target == NULL || target->node != node))
    {
      guint32 name = variable;
      target = g_new (Target, 1);
      *target = (Target) { node, history->n_locations++ };
      g_array_append_val (history->location, name);
      g_hash_table_insert (import->targets, GUINT_TO_POINTER (variable), target);
    }
  else if (target != NULL && target->node != node)
    rw_hb_arc (history->hb, target->node);
  return target == NULL ? variable : target->location;
}

static void
take_commands (Import *import, const RwErEvent *event)
{
  RwHistory *history = import->history;

  for (guint i = 0; i < event->n_commands; i++)
    {
      const RwErCommand *command = &g_array_index (import->log->commands, RwErCommand, event->first + i);
      gboolean is_write = command->kind == RW_ER_WRITE;
      guint32 location = command->target;
      guint32 access, at = event->first + i;

      if (!is_write && command->kind != RW_ER_READ)
        continue;
      if (import->variable[location] == VARIABLE_RESOURCE)
        order_resource (import, location);
      else if (import->variable[location] == VARIABLE_NODE)
        location = order_target (import, location, is_write);
      access = location << 1 | is_write;
      g_array_append_val (history->access, access);
      g_array_append_val (history->at, at);
    }
}

static guint
class_of (const Import *import, gint32 delay)
{
  guint index = 0;

  g_array_binary_search (import->delays, &delay, compare_delays, &index);
  return index;
}

static void
take_event (Import *import, guint e)
{
  RwHistory *history = import->history;
  guint32 first = history->access->len;

  import->node[e] = rw_hb_begin (history->hb);
  g_array_append_val (history->origin, e);
  g_array_append_val (history->first, first);
  for (guint i = import->next_arc; i > 0 && g_array_index (import->arcs, RwErArc, i - 1).head == e; i--)
    rw_hb_arc (history->hb, import->node[g_array_index (import->arcs, RwErArc, i - 1).tail]);
  take_commands (import, &g_array_index (import->log->events, RwErEvent, e));
  for (; import->next_fire < import->by_head->len; import->next_fire++)
    {
      const Timer *timer
          = &g_array_index (import->timers, Timer, g_array_index (import->by_head, guint32, import->next_fire));
      if (timer->arc.head != e)
        break;
      rw_hb_fire (history->hb, timer->post, 0);
    }
  for (; import->next_post < import->timers->len; import->next_post++)
    {
      Timer *timer = &g_array_index (import->timers, Timer, import->next_post);
      if (timer->arc.tail != e)
        break;
      timer->post = rw_hb_post (history->hb, class_of (import, timer->arc.duration));
    }
}

static void
take_events (Import *import)
{
  guint32 end;

  for (guint e = 0; e < import->log->events->len; e++)
    {
      while (import->next_arc < import->arcs->len && g_array_index (import->arcs, RwErArc, import->next_arc).head == e)
        import->next_arc++;
      if (!import->dropped[e])
        take_event (import, e);
    }
  rw_hb_end (import->history->hb);
  end = import->history->access->len;
  g_array_append_val (import->history->first, end);
}

RwHistory *
rw_history_from_erlog (const RwErLog *log, RwTimers timers)
{
  RwHistory *history = rw_history_new ();
  Import import = { .log = log, .history = history };

  history->log = log;
  history->n_locations = rw_erlog_n_strings (log, RW_ER_VARIABLES);
  import.arcs = g_array_copy (log->arcs);
  import.timers = g_array_new (FALSE, FALSE, sizeof (Timer));
  import.by_head = g_array_new (FALSE, FALSE, sizeof (guint32));
  import.delays = g_array_new (FALSE, FALSE, sizeof (gint32));
  import.dropped = g_new0 (guint8, log->events->len);
  import.node = g_new (guint32, log->events->len);
  import.resources = g_hash_table_new (g_str_hash, g_str_equal);
  import.targets = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_array_sort (import.arcs, compare_by_head);
  drop_silent_events (&import);
  free_explored_events (&import);
  if (timers == RW_TIMERS_ORDERED)
    collect_timers (&import);
  index_timers (&import);
  classify_variables (&import);
  history->hb = rw_hb_new (import.delays->len);
  take_events (&import);

  g_array_unref (import.arcs);
  g_array_unref (import.timers);
  g_array_unref (import.by_head);
  g_array_unref (import.delays);
  g_free (import.dropped);
  g_free (import.node);
  g_free (import.variable);
  g_hash_table_unref (import.resources);
  g_hash_table_unref (import.targets);
  return history;
}
