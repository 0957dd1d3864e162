/* SPDX-License-Identifier: MIT */
/* What differs by itself: found by comparing runs of the same schedule, kept with the recording; and the pixels. */
#include "rw-verdict-private.h"

#include <cairo.h>
#include <string.h>

GHashTable *
rw_noise_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
rw_noise_add (GHashTable *noise, const RwRun *one, const RwRun *again)
{
  g_autoptr (RwState) a = one->state != NULL ? rw_state_new (one->state, NULL) : NULL;
  g_autoptr (RwState) b = again->state != NULL ? rw_state_new (again->state, NULL) : NULL;
  if (a != NULL && b != NULL)
    {
      g_autoptr (RwDifferences) differences = rw_state_compare (a, b, NULL);
      for (guint i = 0; i < differences->list->len; i++)
        g_hash_table_add (noise, rw_difference_key (differences->list->pdata[i]));
    }
  RwBox box;
  if (one->screenshot != NULL && again->screenshot != NULL
      && rw_pixels_differ (one->screenshot, again->screenshot, &box) > 0)
    g_hash_table_add (noise, g_strdup ("pixels"));
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* One key a line, sorted; newlines inside a key are escaped. */
char *
rw_noise_to_text (GHashTable *noise)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, noise);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (lines, g_strescape (key, NULL));
  g_ptr_array_sort (lines, by_text);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **)lines->pdata);
}

GHashTable *
rw_noise_from_text (const char *text)
{
  GHashTable *noise = rw_noise_new ();
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      g_hash_table_add (noise, g_strcompress (lines[i]));
  return noise;
}

typedef struct
{
  const guint8 *data;
  gsize left;
} Reader;

static cairo_status_t
read_cb (void *closure, unsigned char *data, unsigned int length)
{
  Reader *reader = closure;
  if (length > reader->left)
    return CAIRO_STATUS_READ_ERROR;
  memcpy (data, reader->data, length);
  reader->data += length;
  reader->left -= length;
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
load (GBytes *png)
{
  Reader reader;
  reader.data = g_bytes_get_data (png, &reader.left);
  cairo_surface_t *surface = cairo_image_surface_create_from_png_stream (read_cb, &reader);
  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS)
    return surface;
  cairo_surface_destroy (surface);
  return NULL;
}

/* Widens the box by the part of a line that differs; the number of pixels. */
static guint64
compare_line (const guint32 *p, const guint32 *q, guint width, guint y, RwBox *box)
{
  guint first = G_MAXUINT, last = 0;
  guint64 n = 0;
  for (guint x = 0; x < width; x++)
    if ((p[x] & 0xffffff) != (q[x] & 0xffffff))
      {
        first = MIN (first, x);
        last = x;
        n++;
      }
  if (n == 0)
    return 0;
  guint left = box->width > 0 ? MIN (box->x, first) : first;
  guint right = box->width > 0 ? MAX (box->x + box->width, last + 1) : last + 1;
  guint top = box->width > 0 ? box->y : y;
  *box = (RwBox){ left, top, right - left, y + 1 - top };
  return n;
}

static double
count_pixels (cairo_surface_t *a, cairo_surface_t *b, RwBox *box)
{
  int width = cairo_image_surface_get_width (a), height = cairo_image_surface_get_height (a);
  guint64 differing = 0;
  if (width != cairo_image_surface_get_width (b) || height != cairo_image_surface_get_height (b))
    return 1;
  for (int y = 0; y < height; y++)
    {
      const guint32 *p
          = (const guint32 *)(cairo_image_surface_get_data (a) + (gsize)y * cairo_image_surface_get_stride (a));
      const guint32 *q
          = (const guint32 *)(cairo_image_surface_get_data (b) + (gsize)y * cairo_image_surface_get_stride (b));
      if (memcmp (p, q, (gsize)width * 4) != 0)
        differing += compare_line (p, q, width, y, box);
    }
  return width > 0 && height > 0 ? (double)differing / ((double)width * height) : 0;
}

double
rw_pixels_differ (GBytes *a, GBytes *b, RwBox *box)
{
  cairo_surface_t *x = load (a), *y = load (b);
  *box = (RwBox){ 0 };
  double part = x != NULL && y != NULL ? count_pixels (x, y, box) : -1;
  if (x != NULL)
    cairo_surface_destroy (x);
  if (y != NULL)
    cairo_surface_destroy (y);
  return part;
}
