/* SPDX-License-Identifier: MIT */
/* The races of a run: accesses to one location, one of them a write, by events that happens-before does not order. */
#include "rw-race-private.h"

/* Most locations belong to one event or are never written, so accesses are sorted by location only for the rest. */

typedef struct
{
  guint32 node;
  guint32 at; /* which of the node's accesses << 1 | is a write */
} Entry;

typedef struct
{
  guint n_shared;
  guint32 *location; /* shared location -> location */
  guint32 *first;    /* shared location -> its first entry; one more */
  Entry *entries;
} Groups;

/* A location's state while it is unknown whether it is shared: the node that touched it last plus one, and two bits. */
#define WRITTEN (1u << 31)
#define SEVERAL (1u << 30)

static guint32 *
find_shared (const RwHistory *history, guint *n_shared)
{
  const guint32 *first = (const guint32 *) history->first->data;
  const guint32 *access = (const guint32 *) history->access->data;
  guint n_nodes = rw_history_n_nodes (history);
  guint32 *state = g_new0 (guint32, history->n_locations + 1);

  g_assert (n_nodes < SEVERAL);
  for (guint node = 0; node < n_nodes; node++)
    for (guint32 i = first[node]; i < first[node + 1]; i++)
      {
        guint32 old = state[access[i] >> 1];
        guint32 last = old & ~(WRITTEN | SEVERAL);
        guint32 several = last != 0 && last != node + 1 ? SEVERAL : 0;

        state[access[i] >> 1] = (node + 1) | (old & (WRITTEN | SEVERAL)) | several | (access[i] & 1 ? WRITTEN : 0);
      }
  *n_shared = 0;
  for (guint i = 0; i < history->n_locations; i++)
    state[i] = (state[i] & SEVERAL) != 0 && (state[i] & WRITTEN) != 0 ? ++*n_shared : 0;
  return state;
}

static void
group_accesses (Groups *groups, const RwHistory *history, RwRaces *races)
{
  const guint32 *first = (const guint32 *) history->first->data;
  const guint32 *access = (const guint32 *) history->access->data;
  guint n_nodes = rw_history_n_nodes (history);
  g_autofree guint32 *shared = find_shared (history, &groups->n_shared);

  groups->location = g_new (guint32, groups->n_shared + 1);
  groups->first = g_new0 (guint32, groups->n_shared + 2);
  for (guint i = 0; i < history->n_locations; i++)
    if (shared[i] != 0)
      groups->location[shared[i] - 1] = i;
  /* Counted two places ahead and summed up, first[i + 1] is where location i begins; filling moves it to where it ends. */
  for (guint i = 0; i < history->access->len; i++)
    if (shared[access[i] >> 1] != 0)
      groups->first[shared[access[i] >> 1] + 1]++;
  for (guint i = 1; i < groups->n_shared + 2; i++)
    groups->first[i] += groups->first[i - 1];
  races->n_shared_accesses = groups->first[groups->n_shared + 1];
  groups->entries = g_new (Entry, races->n_shared_accesses + 1);
  for (guint32 node = 0; node < n_nodes; node++)
    for (guint32 i = first[node]; i < first[node + 1]; i++)
      if (shared[access[i] >> 1] != 0)
        groups->entries[groups->first[shared[access[i] >> 1]]++]
            = (Entry) { node, (i - first[node]) << 1 | (access[i] & 1) };
  races->n_shared_locations = groups->n_shared;
  races->group.bytes = (history->n_locations + groups->n_shared * 2) * sizeof (guint32)
                       + races->n_shared_accesses * sizeof (Entry);
}

static void
groups_clear (Groups *groups)
{
  g_free (groups->location);
  g_free (groups->first);
  g_free (groups->entries);
}

static RwAccessKind
kind_of (const Entry *entries, guint n, guint i)
{
  if (entries[i].at & 1)
    {
      for (guint j = i; j-- > 0 && entries[j].node == entries[i].node;)
        if (!(entries[j].at & 1))
          return RW_ACCESS_UPDATE;
      return RW_ACCESS_WRITE;
    }
  for (guint j = i + 1; j < n && entries[j].node == entries[i].node; j++)
    if (entries[j].at & 1)
      return RW_ACCESS_UPDATE;
  return RW_ACCESS_READ;
}

typedef struct
{
  const RwHb *hb;
  GArray *races;
  guint32 location;
  const Entry *entries;
  guint n;
} Detect;

static void
check_pair (const Detect *detect, guint i, guint j)
{
  const Entry *a = &detect->entries[i];
  const Entry *b = &detect->entries[j];

  if (a->node == b->node || rw_hb_before (detect->hb, a->node, b->node))
    return;
  RwRace race = { a->node,
                  b->node,
                  a->at >> 1,
                  b->at >> 1,
                  detect->location,
                  kind_of (detect->entries, detect->n, i),
                  kind_of (detect->entries, detect->n, j),
                  RW_RACE_UNCOVERED,
                  0 };
  g_array_append_val (detect->races, race);
}

/* First each access against the last write, going forward; then each read against the next write, going backward. */
static void
detect_location (const Detect *detect)
{
  guint write = G_MAXUINT;

  for (guint i = 0; i < detect->n; i++)
    {
      if (write != G_MAXUINT)
        check_pair (detect, write, i);
      if (detect->entries[i].at & 1)
        write = i;
    }
  write = G_MAXUINT;
  for (guint i = detect->n; i-- > 0;)
    if (detect->entries[i].at & 1)
      write = i;
    else if (write != G_MAXUINT)
      check_pair (detect, i, write);
}

static gint
compare_access (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const RwRace *x = a, *y = b;

  return (x->second_at > y->second_at) - (x->second_at < y->second_at);
}

/* By second event with a counting sort, then by its access; both keep the order in which races of one access were found. */
static void
sort_races (GArray *races, guint n_nodes)
{
  g_autofree guint32 *end = g_new0 (guint32, n_nodes + 1);
  g_autofree RwRace *copy = g_memdup2 (races->data, (gsize) races->len * sizeof (RwRace));
  guint begin = 0;

  for (guint i = 0; i < races->len; i++)
    end[copy[i].second + 1]++;
  for (guint i = 0; i < n_nodes; i++)
    end[i + 1] += end[i];
  for (guint i = 0; i < races->len; i++)
    g_array_index (races, RwRace, end[copy[i].second]++) = copy[i];
  for (guint i = 0; i < n_nodes; begin = end[i++])
    if (end[i] - begin > 1)
      g_qsort_with_data (&g_array_index (races, RwRace, begin), end[i] - begin, sizeof (RwRace), compare_access, NULL);
}

static double
seconds_since (gint64 start)
{
  return (g_get_monotonic_time () - start) / 1e6;
}

RwRaces *
rw_races_find (const RwHistory *history)
{
  RwRaces *self = g_new0 (RwRaces, 1);
  Groups groups;
  gint64 start = g_get_monotonic_time ();

  self->races = g_array_new (FALSE, FALSE, sizeof (RwRace));
  group_accesses (&groups, history, self);
  self->group.seconds = seconds_since (start);

  start = g_get_monotonic_time ();
  for (guint i = 0; i < groups.n_shared; i++)
    {
      guint begin = i == 0 ? 0 : groups.first[i];
      Detect detect = { history->hb, self->races, groups.location[i], groups.entries + begin, groups.first[i + 1] - begin };
      detect_location (&detect);
    }
  groups_clear (&groups);
  sort_races (self->races, rw_history_n_nodes (history));
  self->detect = (RwRacePhase) { seconds_since (start), 2 * self->races->len * sizeof (RwRace) };

  start = g_get_monotonic_time ();
  rw_races_cover (self, history);
  self->cover.seconds = seconds_since (start);
  return self;
}

void
rw_races_free (RwRaces *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->races);
  g_free (self);
}

const char *
rw_access_kind_name (RwAccessKind kind)
{
  static const char *const names[] = { "read", "write", "update" };

  return names[kind];
}
