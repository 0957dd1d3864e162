/* SPDX-License-Identifier: MIT */
/* A trace as bytes: the writer and the reader of one format, side by side. Its description is in explorer/README.md. */
#include "rw-trace.h"

#include "rw-space-private.h"

#include <string.h>

#define MAGIC "RWT"
#define VERSION 1             /* raise it when an older reader would misread what is written */
#define MAX_TEXT (256u << 20) /* all texts together; beyond it a small file could ask for any amount of memory */

/* --- numbers --- */

static void
put (GByteArray *out, guint64 number)
{
  guint8 byte;
  for (; number >= 0x80; number >>= 7)
    {
      byte = (guint8)(number | 0x80);
      g_byte_array_append (out, &byte, 1);
    }
  byte = (guint8)number;
  g_byte_array_append (out, &byte, 1);
}

/* Small differences of either sign become small numbers. */
static guint64
zigzag (gint64 number)
{
  return ((guint64)number << 1) ^ (guint64)(number >> 63);
}

static gint64
unzigzag (guint64 number)
{
  return (gint64)(number >> 1) ^ -(gint64)(number & 1);
}

static void
put_delta (GByteArray *out, guint32 number, guint32 *last)
{
  put (out, zigzag ((gint64)number - *last));
  *last = number;
}

/* --- writing --- */

/* Numbers by first use, for one kind of name. */
typedef struct
{
  GArray *used;   /* of guint32: the space's number by ours */
  GArray *number; /* of guint32: ours + 1 by the space's; 0: not used */
} Names;

typedef struct
{
  const RwTrace *trace;
  RwSpace *space;
  Names groups, locations, values, places, events;
} Writer;

static void
names_init (Names *names)
{
  names->used = g_array_new (FALSE, FALSE, sizeof (guint32));
  names->number = g_array_new (FALSE, TRUE, sizeof (guint32));
}

static void
names_clear (Names *names)
{
  g_array_unref (names->used);
  g_array_unref (names->number);
}

static guint32
name (Names *names, guint32 index)
{
  if (names->number->len <= index)
    g_array_set_size (names->number, index + 1);
  guint32 *number = &g_array_index (names->number, guint32, index);
  if (*number == 0)
    {
      g_array_append_val (names->used, index);
      *number = names->used->len;
    }
  return *number - 1;
}

typedef struct
{
  guint32 location, event, value, place;
} Last;

#define OP_VALUE (1 << 6)
#define OP_PLACE (1 << 7)

static void
put_op (Writer *self, GByteArray *out, const RwOp *op, Last *last)
{
  guint8 head = (guint8)(op->kind | ((op->flags & 15) << 2) | (op->value != 0 ? OP_VALUE : 0)
                         | (op->place != 0 ? OP_PLACE : 0));
  g_byte_array_append (out, &head, 1);
  if (op->kind == RW_OP_READ || op->kind == RW_OP_WRITE)
    put_delta (out, name (&self->locations, op->target), &last->location);
  else
    put_delta (out, name (&self->events, op->target), &last->event);
  if (op->value != 0)
    put_delta (out, name (&self->values, op->value), &last->value);
  if (op->place != 0)
    put_delta (out, name (&self->places, op->place), &last->place);
}

static void
put_run (Writer *self, GByteArray *out)
{
  Last last = { 0 };
  guint n, length = rw_trace_length (self->trace);
  const RwEvent *initials = rw_trace_initials (self->trace, &n);

  put (out, n);
  for (guint i = 0; i < n; i++)
    put_delta (out, name (&self->events, initials[i]), &last.event);
  put (out, length);
  for (guint i = 0; i < length; i++)
    {
      const RwOp *ops = rw_trace_ops (self->trace, i, &n);
      put_delta (out, name (&self->events, rw_trace_event (self->trace, i)), &last.event);
      put (out, n);
      for (guint j = 0; j < n; j++)
        put_op (self, out, &ops[j], &last);
    }
}

static void
put_list (Writer *self, GByteArray *out, const RwEvent *events, guint n)
{
  put (out, n);
  for (guint i = 0; i < n; i++)
    put (out, name (&self->events, events[i]));
}

static void
put_text (GByteArray *out, const char *text, const char **last)
{
  gsize shared = 0;
  while (text[shared] != '\0' && text[shared] == (*last)[shared])
    shared++;
  gsize rest = strlen (text + shared);
  put (out, shared);
  put (out, rest);
  g_byte_array_append (out, (const guint8 *)text + shared, (guint)rest);
  *last = text;
}

/* The events that are used, and those that their lists name, which come to the end while this runs. */
static void
put_events (Writer *self, GByteArray *out)
{
  const char *last = "";
  for (guint i = 0; i < self->events.used->len; i++)
    {
      RwEvent event = g_array_index (self->events.used, guint32, i);
      const RwEventInfo *info = rw_space_event_info (self->space, event);
      guint64 id = GUINT64_TO_LE (info->id);
      guint n;

      g_byte_array_append (out, (const guint8 *)&id, sizeof id);
      put (out, rw_space_event_is_defined (self->space, event) ? (guint64)info->kind + 1 : 0);
      if (!rw_space_event_is_defined (self->space, event))
        continue;
      put (out, info->label != NULL);
      if (info->label != NULL)
        put_text (out, info->label, &last);
      put (out, info->group == 0 ? 0 : name (&self->groups, info->group) + 1);
      put (out, zigzag (info->delay));
      const RwEvent *after = rw_space_event_after (self->space, event, &n);
      put_list (self, out, after, n);
      const RwEvent *blocks = rw_space_event_blocks (self->space, event, &n);
      put_list (self, out, blocks, n);
    }
}

static void
put_names (GByteArray *out, const RwSpace *space, const Names *names, const char *(*text) (const RwSpace *, guint32))
{
  const char *last = "";
  put (out, names->used->len);
  for (guint i = 0; i < names->used->len; i++)
    put_text (out, text (space, g_array_index (names->used, guint32, i)), &last);
}

GBytes *
rw_trace_to_bytes (const RwTrace *self)
{
  Writer writer = { self, rw_trace_space (self) };
  Names *const all[] = { &writer.groups, &writer.locations, &writer.values, &writer.places, &writer.events };
  GByteArray *out = g_byte_array_new ();
  g_autoptr (GByteArray) run = g_byte_array_new ();
  g_autoptr (GByteArray) events = g_byte_array_new ();
  const char *cut = rw_trace_cut (self), *last = "";

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    names_init (all[i]);
  put_run (&writer, run);
  put_events (&writer, events);
  g_byte_array_append (out, (const guint8 *)MAGIC, 3);
  put (out, VERSION);
  put_names (out, writer.space, &writer.groups, rw_space_group_name);
  put_names (out, writer.space, &writer.locations, rw_space_location_name);
  put_names (out, writer.space, &writer.values, rw_space_value_text);
  put_names (out, writer.space, &writer.places, rw_space_place_text);
  put (out, writer.events.used->len);
  g_byte_array_append (out, events->data, events->len);
  put (out, cut != NULL);
  if (cut != NULL)
    put_text (out, cut, &last);
  g_byte_array_append (out, run->data, run->len);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    names_clear (all[i]);
  return g_byte_array_free_to_bytes (out);
}

/* --- reading: the first thing wrong stops it, and is what is said --- */

typedef struct
{
  const guint8 *start, *at, *end;
  RwSpace *space;
  RwTrace *trace;
  gsize text; /* bytes of text so far */
  GString *last;
  GArray *groups, *locations, *values, *places, *events; /* of guint32: the space's number */
  GError **error;
  gboolean failed;
} Reader;

static void
fail (Reader *self, RwTraceError code, const char *what)
{
  if (!self->failed)
    g_set_error (self->error, RW_TRACE_ERROR, code,
                 "the trace is damaged at byte %" G_GSIZE_FORMAT ": %s; record it again",
                 (gsize)(self->at - self->start), what);
  self->failed = TRUE;
}

static guint64
get (Reader *self)
{
  guint64 number = 0;
  for (guint shift = 0; !self->failed; shift += 7)
    {
      if (self->at == self->end)
        fail (self, RW_TRACE_ERROR_FORMAT, "it ends too early");
      else if (shift > 63 || (shift == 63 && *self->at > 1))
        fail (self, RW_TRACE_ERROR_FORMAT, "a number is too large");
      else
        {
          number |= (guint64)(*self->at & 0x7f) << shift;
          if ((*self->at++ & 0x80) == 0)
            return number;
        }
    }
  return 0;
}

/* A count of things that take at least @size bytes each: what cannot be there is not allocated. */
static guint
get_count (Reader *self, guint size)
{
  guint64 count = get (self);
  if (count > (guint64)(self->end - self->at) / size)
    {
      fail (self, RW_TRACE_ERROR_FORMAT, "a count is larger than what follows");
      return 0;
    }
  return (guint)count;
}

static guint32
get_index (Reader *self, const GArray *names, guint64 index)
{
  if (index < names->len)
    return g_array_index (names, guint32, index);
  fail (self, RW_TRACE_ERROR_FORMAT, "a number names nothing");
  return 0;
}

static guint32
get_delta (Reader *self, const GArray *names, guint32 *last)
{
  guint64 index = *last + (guint64)unzigzag (get (self));
  guint32 found = self->failed ? 0 : get_index (self, names, index);
  *last = (guint32)index;
  return found;
}

/* In self->last; each text begins with a piece of the one before. */
static const char *
get_text (Reader *self)
{
  guint64 shared = get (self), rest = get (self);
  if (self->failed)
    return "";
  if (shared > self->last->len || rest > (guint64)(self->end - self->at))
    fail (self, RW_TRACE_ERROR_FORMAT, "a text is longer than what follows");
  else if (memchr (self->at, 0, rest) != NULL)
    fail (self, RW_TRACE_ERROR_FORMAT, "a text has a zero byte");
  else if ((self->text += shared + rest) > MAX_TEXT)
    fail (self, RW_TRACE_ERROR_LIMIT, "its texts are larger than those of any trace");
  else
    {
      g_string_truncate (self->last, shared);
      g_string_append_len (self->last, (const char *)self->at, (gssize)rest);
      self->at += rest;
    }
  return self->failed ? "" : self->last->str;
}

static void
get_names (Reader *self, GArray *names, guint32 (*intern) (RwSpace *, const char *))
{
  guint n = get_count (self, 2);
  g_string_truncate (self->last, 0);
  for (guint i = 0; i < n && !self->failed; i++)
    {
      const char *text = get_text (self);
      if (self->failed)
        return;
      guint32 index = intern (self->space, text);
      g_array_append_val (names, index);
    }
}

/* What was read of an event whose lists may name events that come later. */
typedef struct
{
  guint64 id;
  guint32 kind; /* + 1; 0: only mentioned */
  char *label;
  RwGroup group;
  gint32 delay;
  GArray *after, *blocks; /* of guint32: our numbers */
} Draft;

static void
draft_clear (gpointer data)
{
  Draft *draft = data;
  g_free (draft->label);
  g_clear_pointer (&draft->after, g_array_unref);
  g_clear_pointer (&draft->blocks, g_array_unref);
}

static GArray *
get_list (Reader *self)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint n = get_count (self, 1);
  for (guint i = 0; i < n && !self->failed; i++)
    {
      guint64 index = get (self);
      guint32 small = (guint32)MIN (index, G_MAXUINT32);
      g_array_append_val (list, small);
    }
  return list;
}

static void
get_draft (Reader *self, Draft *draft)
{
  if (self->end - self->at < 8)
    {
      fail (self, RW_TRACE_ERROR_FORMAT, "it ends too early");
      return;
    }
  memcpy (&draft->id, self->at, 8);
  draft->id = GUINT64_FROM_LE (draft->id);
  self->at += 8;
  if (draft->id == 0)
    fail (self, RW_TRACE_ERROR_FORMAT, "an event has no identity");
  guint64 kind = get (self);
  /* A kind that a later version adds is no damage: it behaves like OTHER. */
  draft->kind = kind > RW_KIND_UNSCHEDULED + 1 ? RW_KIND_OTHER + 1 : (guint32)kind;
  if (self->failed || kind == 0)
    return;
  if (get (self) != 0)
    draft->label = g_strdup (get_text (self));
  guint64 group = get (self);
  draft->group = group == 0 ? 0 : get_index (self, self->groups, group - 1);
  gint64 delay = unzigzag (get (self));
  if (delay < -1 || delay > G_MAXINT32)
    fail (self, RW_TRACE_ERROR_FORMAT, "a delay is out of range");
  draft->delay = (gint32)delay;
  draft->after = get_list (self);
  draft->blocks = get_list (self);
}

static guint64 *
list_ids (Reader *self, const GArray *drafts, const GArray *list)
{
  guint64 *ids = g_new (guint64, list->len + 1);
  for (guint i = 0; i < list->len; i++)
    {
      guint32 index = g_array_index (list, guint32, i);
      if (index >= drafts->len)
        fail (self, RW_TRACE_ERROR_FORMAT, "a number names no event");
      ids[i] = index < drafts->len ? g_array_index (drafts, Draft, index).id : 1;
    }
  return ids;
}

static void
define_event (Reader *self, const GArray *drafts, const Draft *draft)
{
  RwEvent event;
  if (draft->kind == 0)
    event = rw_space_event_by_id (self->space, draft->id);
  else
    {
      g_autofree guint64 *after = list_ids (self, drafts, draft->after);
      g_autofree guint64 *blocks = list_ids (self, drafts, draft->blocks);
      RwEventInfo info = { .id = draft->id,
                           .kind = draft->kind - 1,
                           .label = draft->label,
                           .group = draft->group,
                           .delay = draft->delay,
                           .after = after,
                           .n_after = draft->after->len,
                           .blocks = blocks,
                           .n_blocks = draft->blocks->len };
      if (self->failed)
        return;
      event = rw_space_event (self->space, &info);
    }
  g_array_append_val (self->events, event);
}

static void
get_events (Reader *self)
{
  guint n = get_count (self, 9);
  g_autoptr (GArray) drafts = g_array_sized_new (FALSE, TRUE, sizeof (Draft), n);

  g_array_set_clear_func (drafts, draft_clear);
  g_string_truncate (self->last, 0);
  for (guint i = 0; i < n && !self->failed; i++)
    {
      g_array_set_size (drafts, i + 1);
      get_draft (self, &g_array_index (drafts, Draft, i));
    }
  for (guint i = 0; i < n && !self->failed; i++)
    define_event (self, drafts, &g_array_index (drafts, Draft, i));
}

static void
get_op (Reader *self, Last *last)
{
  if (self->at == self->end)
    {
      fail (self, RW_TRACE_ERROR_FORMAT, "it ends too early");
      return;
    }
  guint8 head = *self->at++;
  RwOp op = { .kind = head & 3, .flags = (head >> 2) & 15 };
  if (op.kind == RW_OP_READ || op.kind == RW_OP_WRITE)
    op.target = get_delta (self, self->locations, &last->location);
  else
    op.target = get_delta (self, self->events, &last->event);
  if ((head & OP_VALUE) != 0)
    op.value = get_delta (self, self->values, &last->value);
  if ((head & OP_PLACE) != 0)
    op.place = get_delta (self, self->places, &last->place);
  if (!self->failed)
    rw_trace_add (self->trace, op);
}

static void
get_run (Reader *self)
{
  Last last = { 0 };
  guint n = get_count (self, 1);
  for (guint i = 0; i < n && !self->failed; i++)
    {
      RwEvent event = get_delta (self, self->events, &last.event);
      if (!self->failed)
        rw_trace_initial (self->trace, event);
    }
  guint length = get_count (self, 2);
  for (guint i = 0; i < length && !self->failed; i++)
    {
      RwEvent event = get_delta (self, self->events, &last.event);
      n = get_count (self, 2);
      if (!self->failed)
        rw_trace_begin (self->trace, event);
      for (guint j = 0; j < n && !self->failed; j++)
        get_op (self, &last);
    }
  if (self->at != self->end)
    fail (self, RW_TRACE_ERROR_FORMAT, "something follows its end");
}

static void
get_all (Reader *self)
{
  get_names (self, self->groups, rw_space_group);
  get_names (self, self->locations, rw_space_location);
  get_names (self, self->values, rw_space_value);
  get_names (self, self->places, rw_space_place);
  get_events (self);
  g_string_truncate (self->last, 0);
  if (get (self) != 0)
    {
      const char *cut = get_text (self);
      rw_trace_set_cut (self->trace, cut);
    }
  get_run (self);
}

static gboolean
get_head (Reader *self)
{
  if (self->end - self->at < 4 || memcmp (self->at, MAGIC, 3) != 0)
    {
      g_set_error (self->error, RW_TRACE_ERROR, RW_TRACE_ERROR_FORMAT, "this is not a trace; record the page again");
      return FALSE;
    }
  self->at += 3;
  guint64 version = get (self);
  if (self->failed)
    return FALSE;
  if (version == VERSION)
    return TRUE;
  g_set_error (self->error, RW_TRACE_ERROR, RW_TRACE_ERROR_VERSION,
               "the trace has version %" G_GUINT64_FORMAT ", this program reads %d; use a newer racewalk", version,
               VERSION);
  return FALSE;
}

RwTrace *
rw_trace_from_bytes (RwSpace *space, GBytes *bytes, GError **error)
{
  g_autoptr (RwTrace) trace = rw_trace_new (space);
  gsize size;
  const guint8 *bytes_data = g_bytes_get_data (bytes, &size), *data = size > 0 ? bytes_data : (const guint8 *)"";
  Reader reader = { .start = data, .at = data, .end = data + size, .space = space, .trace = trace, .error = error };
  GArray **const names[] = { &reader.groups, &reader.locations, &reader.values, &reader.places, &reader.events };
  g_autofree char *why = NULL;

  if (!get_head (&reader))
    return NULL;
  reader.last = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    *names[i] = g_array_new (FALSE, FALSE, sizeof (guint32));
  get_all (&reader);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_array_unref (*names[i]);
  g_string_free (reader.last, TRUE);
  if (!reader.failed && !rw_trace_check (trace, &why))
    fail (&reader, RW_TRACE_ERROR_FORMAT, why);
  return reader.failed ? NULL : g_steal_pointer (&trace);
}
