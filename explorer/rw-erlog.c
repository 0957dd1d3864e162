/* SPDX-License-Identifier: MIT */
/* EventRacer's log (ER_actionlog): the exchange format of event-race tools, read from untrusted bytes and written. */
#include "rw-erlog.h"

#include <string.h>

/* Little endian, 32-bit signed numbers, no magic, no version:
 *   variables scopes log sources values
 *   a set of strings:  n, n bytes of NUL-terminated strings, size of the hash table that the reader builds
 *   log:               number of operations, number of arcs, arcs { tail head duration },
 *                      operations { id type n, n commands { kind target } }
 * A string is named by the offset of its first byte; in memory by its index, which is dense. */

G_DEFINE_QUARK (rw-erlog-error-quark, rw_erlog_error)

#define MAX_EVENTS (1u << 28)

typedef struct
{
  const guint8 *data;
  gsize length;
  gsize at;
  GError **error;
} Reader;

static gboolean G_GNUC_PRINTF (3, 4)
fail (const Reader *reader, gsize at, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (reader->error, RW_ERLOG_ERROR, RW_ERLOG_ERROR_FORMAT,
               "not an EventRacer log, or damaged: %s (byte %" G_GSIZE_FORMAT ")", message, at);
  return FALSE;
}

static gint32
peek (const guint8 *at)
{
  guint32 value;

  memcpy (&value, at, sizeof value);
  return (gint32) GUINT32_FROM_LE (value);
}

static gboolean
read_number (Reader *reader, const char *what, gint32 *value)
{
  if (reader->length - reader->at < 4)
    return fail (reader, reader->at, "the file ends before %s", what);
  *value = peek (reader->data + reader->at);
  reader->at += 4;
  return TRUE;
}

static gboolean
read_count (Reader *reader, const char *what, guint item_size, guint32 *count)
{
  gsize at = reader->at;
  gint32 value = 0;

  if (!read_number (reader, what, &value))
    return FALSE;
  if (value < 0 || (guint64) value * item_size > reader->length - reader->at)
    return fail (reader, at, "%d is impossible for %s", value, what);
  *count = value;
  return TRUE;
}

static gboolean
read_strings (Reader *reader, const char *what, RwErStrings *set)
{
  guint32 length;
  gint32 hash_size = 0;

  if (!read_count (reader, what, 1, &length))
    return FALSE;
  set->start = (const char *) reader->data + reader->at;
  set->length = length;
  if (length > 0 && set->start[length - 1] != '\0')
    return fail (reader, reader->at + length - 1, "the last of %s is not terminated", what);
  for (gsize i = 0; i < length; i += strlen (set->start + i) + 1)
    {
      guint32 offset = i;
      g_array_append_val (set->offsets, offset);
    }
  reader->at += length;
  if (!read_number (reader, what, &hash_size))
    return FALSE;
  set->hash_size = MAX (hash_size, 0);
  return TRUE;
}

/* From the offset of a string to its index, in constant time: a bit for each start, and how many bits come before each word. */
typedef struct
{
  guint64 *bits;
  guint32 *before;
  gsize length;
} Ranks;

static void
ranks_init (Ranks *ranks, const RwErStrings *set)
{
  gsize n_words = set->length / 64 + 1;
  guint32 sum = 0;

  ranks->length = set->length;
  ranks->bits = g_new0 (guint64, n_words);
  ranks->before = g_new (guint32, n_words);
  for (guint i = 0; i < set->offsets->len; i++)
    {
      guint32 offset = g_array_index (set->offsets, guint32, i);
      ranks->bits[offset / 64] |= G_GUINT64_CONSTANT (1) << (offset % 64);
    }
  for (gsize i = 0; i < n_words; i++)
    {
      ranks->before[i] = sum;
      sum += __builtin_popcountll (ranks->bits[i]);
    }
}

static void
ranks_clear (Ranks *ranks)
{
  g_free (ranks->bits);
  g_free (ranks->before);
}

static inline gboolean
ranks_find (const Ranks *ranks, gint32 offset, guint32 *index)
{
  guint64 bit = G_GUINT64_CONSTANT (1) << (offset & 63);

  if (offset < 0 || (gsize) offset >= ranks->length || (ranks->bits[offset / 64] & bit) == 0)
    return FALSE;
  *index = ranks->before[offset / 64] + __builtin_popcountll (ranks->bits[offset / 64] & (bit - 1));
  return TRUE;
}

/* The parts of the file, found before any of it is taken over: values come after the commands that name them. */
typedef struct
{
  guint32 n_operations;
  guint32 n_arcs;
  gsize arcs;       /* byte */
  gsize operations; /* byte */
} Parts;

static gboolean
read_parts (Reader *reader, RwErLog *self, Parts *parts)
{
  guint64 n_commands = 0;

  if (!read_strings (reader, "the variables", &self->sets[RW_ER_VARIABLES])
      || !read_strings (reader, "the scopes", &self->sets[RW_ER_SCOPES]))
    return FALSE;
  if (!read_count (reader, "the number of operations", 12, &parts->n_operations)
      || !read_count (reader, "the number of arcs", 12, &parts->n_arcs))
    return FALSE;
  parts->arcs = reader->at;
  reader->at += (gsize) parts->n_arcs * 12;
  parts->operations = reader->at;
  for (guint32 i = 0; i < parts->n_operations; i++)
    {
      guint32 n;

      if (reader->length - reader->at < 12)
        return fail (reader, reader->at, "the file ends in operation %u of %u", i + 1, parts->n_operations);
      reader->at += 8;
      if (!read_count (reader, "the number of commands", 8, &n))
        return FALSE;
      reader->at += (gsize) n * 8;
      n_commands += n;
    }
  if (n_commands > G_MAXUINT32 || parts->n_operations > MAX_EVENTS)
    return fail (reader, parts->operations, "more than we take");
  g_array_set_size (self->commands, n_commands);
  /* EventRacer writes both; it also reads logs that end before them. */
  return (reader->at == reader->length || read_strings (reader, "the sources", &self->sets[RW_ER_SOURCES]))
         && (reader->at == reader->length || read_strings (reader, "the values", &self->sets[RW_ER_VALUES]));
}

static gint
compare_events (gconstpointer a, gconstpointer b)
{
  gint32 x = ((const RwErEvent *) a)->id;
  gint32 y = ((const RwErEvent *) b)->id;

  return (x > y) - (x < y);
}

static gboolean
take_command (const Reader *reader, gsize at, const Ranks *ranks, gboolean after_access, RwErCommand *command)
{
  static const RwErSet set_of[] = { RW_ER_SCOPES, 0, RW_ER_VARIABLES, RW_ER_VARIABLES, 0, RW_ER_VALUES };
  gint32 kind = peek (reader->data + at);
  gint32 target = peek (reader->data + at + 4);

  if (kind < RW_ER_ENTER || kind > RW_ER_VALUE)
    return fail (reader, at, "%d is no kind of command", kind);
  command->kind = kind;
  command->target = (guint32) target;
  if (kind == RW_ER_VALUE && !after_access)
    return fail (reader, at, "a value that belongs to no read or write");
  if (kind == RW_ER_EXIT || kind == RW_ER_TRIGGER)
    return TRUE;
  if (!ranks_find (&ranks[set_of[kind]], target, &command->target))
    return fail (reader, at, "%d is no string of its set", target);
  return TRUE;
}

static gboolean
take_operations (const Reader *reader, RwErLog *self, const Parts *parts, const Ranks *ranks)
{
  gsize at = parts->operations;
  guint32 n = 0;

  for (guint32 i = 0; i < parts->n_operations; i++)
    {
      RwErEvent event
          = { peek (reader->data + at), peek (reader->data + at + 4), n, peek (reader->data + at + 8), FALSE };

      if (event.id < 0)
        return fail (reader, at, "%d is no event", event.id);
      if (event.type > RW_ER_CONTINUATION)
        return fail (reader, at + 4, "%d is no type of event", (gint32) event.type);
      at += 12;
      for (guint32 j = 0; j < event.n_commands; j++, at += 8)
        {
          RwErCommand *commands = &g_array_index (self->commands, RwErCommand, n);
          gboolean after_access = j > 0 && (commands[-1].kind == RW_ER_READ || commands[-1].kind == RW_ER_WRITE);

          if (!take_command (reader, at, ranks, after_access, commands))
            return FALSE;
          n++;
        }
      g_array_append_val (self->events, event);
    }
  g_array_sort (self->events, compare_events);
  for (guint i = 1; i < self->events->len; i++)
    if (g_array_index (self->events, RwErEvent, i).id == g_array_index (self->events, RwErEvent, i - 1).id)
      return fail (reader, parts->operations, "two operations are event %d",
                   g_array_index (self->events, RwErEvent, i).id);
  return TRUE;
}

static gboolean
find_event (const GArray *events, gint32 id, guint *index)
{
  RwErEvent key = { .id = id };

  return g_array_binary_search ((GArray *) events, &key, compare_events, index);
}

/* Events that only arcs know did nothing, but may stand between two others. */
static gboolean
add_silent_events (const Reader *reader, RwErLog *self, const Parts *parts)
{
  g_autoptr (GArray) silent = g_array_new (FALSE, FALSE, sizeof (RwErEvent));
  guint index;

  for (guint32 i = 0; i < parts->n_arcs * 2; i++)
    {
      gsize at = parts->arcs + (gsize) (i / 2) * 12 + i % 2 * 4;
      RwErEvent event = { peek (reader->data + at), RW_ER_UNKNOWN, 0, 0, TRUE };

      if (event.id < 0)
        return fail (reader, at, "%d is no event", event.id);
      if (!find_event (self->events, event.id, &index))
        g_array_append_val (silent, event);
    }
  if (silent->len == 0)
    return TRUE;
  g_array_sort (silent, compare_events);
  for (guint i = 0; i < silent->len; i++)
    if (i == 0 || g_array_index (silent, RwErEvent, i).id != g_array_index (silent, RwErEvent, i - 1).id)
      g_array_append_val (self->events, g_array_index (silent, RwErEvent, i));
  g_array_sort (self->events, compare_events);
  return TRUE;
}

static void
take_arcs (const Reader *reader, RwErLog *self, const Parts *parts)
{
  for (guint32 i = 0; i < parts->n_arcs; i++)
    {
      const guint8 *at = reader->data + parts->arcs + (gsize) i * 12;
      guint tail = 0, head = 0;

      find_event (self->events, peek (at), &tail);
      find_event (self->events, peek (at + 4), &head);
      RwErArc arc = { tail, head, MAX (peek (at + 8), -1) };
      if (tail < head)
        g_array_append_val (self->arcs, arc);
      else
        self->backward++;
    }
}

static gboolean
take_log (const Reader *reader, RwErLog *self, const Parts *parts)
{
  Ranks ranks[RW_ER_N_SETS];
  gboolean ok;

  for (guint i = 0; i < RW_ER_N_SETS; i++)
    ranks_init (&ranks[i], &self->sets[i]);
  ok = take_operations (reader, self, parts, ranks);
  for (guint i = 0; i < RW_ER_N_SETS; i++)
    ranks_clear (&ranks[i]);
  if (!ok || !add_silent_events (reader, self, parts))
    return FALSE;
  take_arcs (reader, self, parts);
  return TRUE;
}

RwErLog *
rw_erlog_from_bytes (GBytes *source, GError **error)
{
  g_autoptr (RwErLog) self = rw_erlog_new ();
  Reader reader = { .error = error };
  Parts parts;

  self->source = g_bytes_ref (source);
  reader.data = g_bytes_get_data (source, &reader.length);
  if (reader.length == 0)
    {
      fail (&reader, 0, "the file is empty");
      return NULL;
    }
  if (!read_parts (&reader, self, &parts))
    return NULL;
  if (reader.at != reader.length)
    {
      fail (&reader, reader.at, "%" G_GSIZE_FORMAT " bytes are left over", reader.length - reader.at);
      return NULL;
    }
  if (!take_log (&reader, self, &parts))
    return NULL;
  return g_steal_pointer (&self);
}

RwErLog *
rw_erlog_new (void)
{
  RwErLog *self = g_new0 (RwErLog, 1);

  for (guint i = 0; i < RW_ER_N_SETS; i++)
    self->sets[i].offsets = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->events = g_array_new (FALSE, FALSE, sizeof (RwErEvent));
  self->arcs = g_array_new (FALSE, FALSE, sizeof (RwErArc));
  self->commands = g_array_new (FALSE, FALSE, sizeof (RwErCommand));
  return self;
}

void
rw_erlog_free (RwErLog *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < RW_ER_N_SETS; i++)
    {
      g_array_unref (self->sets[i].offsets);
      g_clear_pointer (&self->sets[i].bytes, g_byte_array_unref);
      g_clear_pointer (&self->sets[i].index, g_hash_table_unref);
    }
  g_array_unref (self->events);
  g_array_unref (self->arcs);
  g_array_unref (self->commands);
  g_clear_pointer (&self->source, g_bytes_unref);
  g_free (self);
}

const char *
rw_erlog_string (const RwErLog *self, RwErSet set, guint index)
{
  return self->sets[set].start + g_array_index (self->sets[set].offsets, guint32, index);
}

guint
rw_erlog_n_strings (const RwErLog *self, RwErSet set)
{
  return self->sets[set].offsets->len;
}

guint
rw_erlog_add_string (RwErLog *self, RwErSet set, const char *text)
{
  RwErStrings *strings = &self->sets[set];
  gpointer found;
  guint32 offset;

  if (strings->index == NULL)
    {
      strings->index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      strings->bytes = g_byte_array_new ();
    }
  if (g_hash_table_lookup_extended (strings->index, text, NULL, &found))
    return GPOINTER_TO_UINT (found);
  offset = strings->bytes->len;
  g_array_append_val (strings->offsets, offset);
  g_byte_array_append (strings->bytes, (const guint8 *) text, strlen (text) + 1);
  g_hash_table_insert (strings->index, g_strdup (text), GUINT_TO_POINTER (strings->offsets->len - 1));
  strings->start = (const char *) strings->bytes->data;
  strings->length = strings->bytes->len;
  return strings->offsets->len - 1;
}

guint
rw_erlog_add_event (RwErLog *self, RwErType type)
{
  RwErEvent event = { self->events->len + 1, type, self->commands->len, 0, FALSE };

  g_array_append_val (self->events, event);
  return self->events->len - 1;
}

void
rw_erlog_add_command (RwErLog *self, RwErCommandKind kind, guint32 target)
{
  RwErCommand command = { kind, target };

  g_array_append_val (self->commands, command);
  g_array_index (self->events, RwErEvent, self->events->len - 1).n_commands++;
}

void
rw_erlog_add_arc (RwErLog *self, guint tail, guint head, gint32 duration)
{
  RwErArc arc = { tail, head, duration };

  g_assert (tail < head && head < self->events->len);
  g_array_append_val (self->arcs, arc);
}
