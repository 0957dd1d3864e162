/* SPDX-License-Identifier: MIT */
/* Why a race may be harmless, or is probably not: labels for people. Nothing is left out because of one. */
#include "rw-race.h"

#include <string.h>

/* EventRacer's tags (RaceTags.cpp) say something of a location over the whole run, and some of them by its name alone. Ours
 * hold for the race that they stand at, and a value that was not logged proves nothing. */

/* What all accesses to a location have in common, for the locations of races that are not covered. */
typedef struct
{
  guint n_writes;
  guint n_values; /* different ones that were written: 0, 1, or 2 for "several or unknown" */
  const char *value;
} Writes;

static const char *const names[RW_RACE_N_LABELS]
    = { "late handler", "lazy initialisation", "unload", "same value", "failed look-up" };

const char *
rw_race_label_name (guint bit)
{
  return bit < RW_RACE_N_LABELS ? names[bit] : NULL;
}

static void
count_write (Writes *writes, const char *value)
{
  writes->n_writes++;
  if (value == NULL || (writes->value != NULL && strcmp (writes->value, value) != 0))
    writes->n_values = 2;
  else if (writes->n_values == 0)
    writes->n_values = 1;
  writes->value = value;
}

static GHashTable *
collect_writes (const RwRaces *self, const RwHistory *history)
{
  GHashTable *writes = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  for (guint i = 0; i < self->races->len; i++)
    {
      const RwRace *race = &g_array_index (self->races, RwRace, i);
      if (race->coverage != RW_RACE_COVERED && !g_hash_table_contains (writes, GUINT_TO_POINTER (race->location)))
        g_hash_table_insert (writes, GUINT_TO_POINTER (race->location), g_new0 (Writes, 1));
    }
  if (g_hash_table_size (writes) == 0)
    return writes;
  for (guint node = 0; node < rw_history_n_nodes (history); node++)
    {
      guint32 first = g_array_index (history->first, guint32, node);
      for (guint32 i = first; i < g_array_index (history->first, guint32, node + 1); i++)
        {
          guint32 access = g_array_index (history->access, guint32, i);
          Writes *entry = access & 1 ? g_hash_table_lookup (writes, GUINT_TO_POINTER (access >> 1)) : NULL;
          RwAccessInfo info;

          /* Two values are enough to know; looking up more would make a location with many writes expensive. */
          if (entry == NULL || entry->n_values == 2)
            {
              if (entry != NULL)
                entry->n_writes++;
              continue;
            }
          rw_history_access (history, node, i - first, &info);
          count_write (entry, info.value);
        }
    }
  return writes;
}

static gboolean
is_empty_value (const char *value)
{
  return value != NULL
         && (strcmp (value, "undefined") == 0 || strcmp (value, "NULL") == 0 || strcmp (value, "null") == 0);
}

/* Ours are "node@type"; EventRacer's end in ".type", are read in the scope "event:type" and written in "addEventListener". */
static gboolean
is_handler_slot (const char *location, const RwAccessInfo *access)
{
  const char *at = strrchr (location, '@');
  const char *dot = strrchr (location, '.');

  if (dot != NULL && access->place != NULL && g_str_has_prefix (access->place, "event:"))
    return strcmp (access->place + strlen ("event:"), dot + 1) == 0;
  if (access->place != NULL && g_str_has_suffix (access->place, "EventListener"))
    return strcmp (access->place, "addEventListener") == 0 || strcmp (access->place, "removeEventListener") == 0;
  return at != NULL && at[1] != '\0' && strpbrk (at, ".[/ ") == NULL;
}

static gboolean
is_unload (const RwHistory *history, guint node)
{
  g_autofree char *label = rw_history_label (history, node);

  return g_str_has_prefix (label, "fire:unload") || g_str_has_prefix (label, "fire:beforeunload")
         || strcmp (label, "delete_document") == 0
         || (strcmp (rw_history_kind (history, node), "navigation") == 0 && strstr (label, "unload") != NULL);
}

/* The value that the event read before its write, if it read it first. */
static const char *
value_before_write (const RwHistory *history, guint node, guint location)
{
  guint32 first = g_array_index (history->first, guint32, node);
  RwAccessInfo info;

  for (guint32 i = first; i < g_array_index (history->first, guint32, node + 1); i++)
    {
      guint32 access = g_array_index (history->access, guint32, i);
      if (access >> 1 != location)
        continue;
      if (access & 1)
        return NULL;
      rw_history_access (history, node, i - first, &info);
      return info.failed ? "undefined" : info.value;
    }
  return NULL;
}

static guint
label_race (const RwRace *race, const RwHistory *history, const Writes *writes)
{
  RwAccessInfo first, second;
  const char *location = rw_history_location (history, race->location);
  gboolean first_reads = race->first_kind == RW_ACCESS_READ;
  gboolean second_reads = race->second_kind == RW_ACCESS_READ;
  guint updater = race->first_kind == RW_ACCESS_UPDATE ? race->first : race->second;
  guint labels = 0;

  rw_history_access (history, race->first, race->first_at, &first);
  rw_history_access (history, race->second, race->second_at, &second);
  if (first_reads != second_reads && (is_handler_slot (location, &first) || is_handler_slot (location, &second)))
    labels |= RW_RACE_LATE_HANDLER;
  if (writes->n_writes == 1 && (race->first_kind == RW_ACCESS_UPDATE || race->second_kind == RW_ACCESS_UPDATE)
      && is_empty_value (value_before_write (history, updater, race->location)))
    labels |= RW_RACE_LAZY_INIT;
  if (is_unload (history, race->first) || is_unload (history, race->second))
    labels |= RW_RACE_UNLOAD;
  if (race->first_kind == RW_ACCESS_WRITE && race->second_kind == RW_ACCESS_WRITE && writes->n_values == 1)
    labels |= RW_RACE_SAME_VALUE;
  if (first_reads && (first.failed || is_empty_value (first.value)))
    labels |= RW_RACE_FAILED_LOOKUP;
  return labels;
}

void
rw_races_label (RwRaces *self, const RwHistory *history)
{
  g_autoptr (GHashTable) writes = collect_writes (self, history);

  for (guint i = 0; i < self->races->len; i++)
    {
      RwRace *race = &g_array_index (self->races, RwRace, i);
      if (race->coverage != RW_RACE_COVERED)
        race->labels = label_race (race, history, g_hash_table_lookup (writes, GUINT_TO_POINTER (race->location)));
    }
}
