/* SPDX-License-Identifier: MIT */
/* From byte offsets to lines and columns: a checkpoint every few thousand bytes, so that one endless line costs
 * nothing. */
#include "rw-scripts-private.h"

#define STEP 4096

typedef struct
{
  guint line;
  guint column;
} Position;

struct _RwPositions
{
  const char *text;
  gsize length;
  RwLines lines;
  GArray *checkpoints; /* of Position: that of the byte at index * STEP */
};

/* Moves @position over the byte at @i. */
static void
advance (const RwPositions *self, gsize i, Position *position)
{
  guchar c = (guchar)self->text[i];
  gboolean ends_line = c == '\n' || (c == '\r' && (i + 1 >= self->length || self->text[i + 1] != '\n'));
  /* U+2028 and U+2029 end with their third byte. */
  if (self->lines == RW_LINES_JAVASCRIPT && (c == 0xa8 || c == 0xa9) && i >= 2)
    ends_line = ends_line || ((guchar)self->text[i - 2] == 0xe2 && (guchar)self->text[i - 1] == 0x80);
  if (ends_line)
    {
      position->line++;
      position->column = 1;
    }
  else if (c >= 0xf0)
    position->column += 2;
  else if ((c & 0xc0) != 0x80)
    position->column++;
}

RwPositions *
rw_positions_new (const char *text, gsize length, RwLines lines)
{
  RwPositions *self = g_new0 (RwPositions, 1);
  *self = (RwPositions){ text, length, lines, g_array_new (FALSE, FALSE, sizeof (Position)) };
  Position position = { 1, 1 };
  for (gsize i = 0; i < length; i++)
    {
      if (i % STEP == 0)
        g_array_append_val (self->checkpoints, position);
      advance (self, i, &position);
    }
  if (length % STEP == 0)
    g_array_append_val (self->checkpoints, position);
  return self;
}

void
rw_positions_free (RwPositions *self)
{
  g_array_unref (self->checkpoints);
  g_free (self);
}

void
rw_positions_find (const RwPositions *self, gsize offset, guint *line, guint *column)
{
  offset = MIN (offset, self->length);
  Position position = g_array_index (self->checkpoints, Position, offset / STEP);
  for (gsize i = offset - offset % STEP; i < offset; i++)
    advance (self, i, &position);
  *line = position.line;
  *column = position.column;
}
