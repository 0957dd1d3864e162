/* SPDX-License-Identifier: MIT */
/* Drives a libFuzzer target where there is no libFuzzer: the seeds, changed at random, for a time. Takes libFuzzer's options. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize length);

#define MAX_LENGTH 65536

static void
add_seeds (GPtrArray *seeds, const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      char *text;
      gsize length;

      if (g_file_get_contents (file, &text, &length, NULL))
        g_ptr_array_add (seeds, g_bytes_new_take (text, length));
    }
}

static void
change (GByteArray *input, GRand *rand)
{
  guint at = input->len == 0 ? 0 : g_rand_int_range (rand, 0, input->len);
  guint n = g_rand_int_range (rand, 1, 16);
  guint n_there = MIN (n, input->len - at);
  guint8 bytes[16];

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = g_rand_boolean (rand) ? g_rand_int (rand) : (guint32) g_rand_int_range (rand, 0, 3) - 1;
  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      if (n_there > 0)
        g_byte_array_remove_range (input, at, n_there);
      break;
    case 1:
      if (input->len + n < MAX_LENGTH)
        g_byte_array_append (input, bytes, n);
      break;
    default:
      if (n_there > 0)
        memcpy (input->data + at, bytes, MIN (n_there, 4));
      break;
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gint64 end = g_get_monotonic_time () + 15 * G_USEC_PER_SEC;
  guint64 n = 0;

  for (int i = 1; i < argc; i++)
    if (g_str_has_prefix (argv[i], "-max_total_time="))
      end = g_get_monotonic_time () + g_ascii_strtoll (strchr (argv[i], '=') + 1, NULL, 10) * G_USEC_PER_SEC;
    else if (argv[i][0] != '-')
      add_seeds (seeds, argv[i]);
  g_ptr_array_add (seeds, g_bytes_new (NULL, 0));
  for (; g_get_monotonic_time () < end; n++)
    {
      GBytes *seed = g_ptr_array_index (seeds, g_rand_int_range (rand, 0, seeds->len));
      g_autoptr (GByteArray) input = g_byte_array_new ();

      g_byte_array_append (input, g_bytes_get_data (seed, NULL), g_bytes_get_size (seed));
      for (guint i = g_rand_int_range (rand, 0, 8); i-- > 0;)
        change (input, rand);
      LLVMFuzzerTestOneInput (input->data, input->len);
    }
  printf ("%" G_GUINT64_FORMAT " inputs, no finding\n", n);
  return 0;
}
