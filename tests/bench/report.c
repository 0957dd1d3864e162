/* SPDX-License-Identifier: MIT */
/* How long comparing end states takes as they grow, and how large and quick the report of a thousand findings is. */
#include "rw-fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time: other programs on the machine do not count. */
static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A page of lists, and a heap of records; a few of both change with @variant. */
static GBytes *
make_state (guint nodes, guint objects, guint variant)
{
  GString *dom = g_string_new ("[0,\"html\",{}],\n[1,\"body\",{}]");
  GString *heap = g_string_new (NULL);
  for (guint i = 0; i < nodes / 2; i++)
    g_string_append_printf (dom, ",\n[2,\"li\",{\"class\":\"item\",\"data-n\":\"%u\"}],\n[3,\"#text\",\"item %u%s\"]",
                            i, i, variant != 0 && i % (nodes / 8) == variant % (nodes / 8) ? " changed" : "");
  for (guint i = 0; i < objects; i++)
    g_string_append_printf (heap, "%s\"window.records[%u]\":\"Object\"", i > 0 ? ",\n" : "", i);
  for (guint i = 0; i < objects; i++)
    g_string_append_printf (heap, ",\n\"window.records[%u].name\":\"\\\"record %u%s\\\"\"", i, i,
                            variant != 0 && i % (objects / 4) == variant % (objects / 4) ? " changed" : "");
  FixtureState spec = { .dom = dom->str, .heap = heap->str };
  GBytes *bytes = fixture_state (&spec);
  g_string_free (dom, TRUE);
  g_string_free (heap, TRUE);
  return bytes;
}

static void
compare (guint nodes, guint objects, guint runs)
{
  g_autoptr (GBytes) bytes = make_state (nodes, objects, 0);
  g_autoptr (RwState) parent = rw_state_new (bytes, NULL);
  double total = 0;
  guint differences = 0;
  for (guint i = 1; i <= runs; i++)
    {
      g_autoptr (GBytes) other = make_state (nodes, objects, i * 37);
      double start = now ();
      g_autoptr (RwState) child = rw_state_new (other, NULL);
      g_autoptr (RwDifferences) found = rw_state_compare (parent, child, NULL);
      total += now () - start;
      differences += rw_differences_total (found);
    }
  printf ("%7u %9u %8.1f %8.2f %11.1f\n", nodes, objects, (double)g_bytes_get_size (bytes) / 1e6, total / runs * 1e3,
          (double)differences / runs);
}

static const char words[] = "If the user is quicker than the network, what was typed is gone";

/* Findings that are all different, with a state of ordinary size. */
static void
report (guint findings, const char *html)
{
  FixtureRun *runs = g_new0 (FixtureRun, findings + 1);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  runs[0] = (FixtureRun){ .events = "parse the page; script /app.js; type #q; answer 1" };
  for (guint i = 1; i <= findings; i++)
    {
      char *location = g_strdup_printf ("window.model[%u].value", i);
      char *dom
          = g_strdup_printf ("[0,\"html\",{}],\n[1,\"body\",{}],\n[2,\"p\",{\"id\":\"a\"}],\n[3,\"#text\",\"%s %u\"]",
                             words, i);
      g_ptr_array_add (texts, location);
      g_ptr_array_add (texts, dom);
      runs[i] = (FixtureRun){ .events = "parse the page; type #q; script /app.js; answer 1",
                              .first = "script /app.js",
                              .second = "type #q",
                              .location = location,
                              .state = { .dom = dom } };
    }
  char *path = fixture_recording (runs, findings + 1);
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_READ, NULL);
  double start = now ();
  g_autoptr (RwReport) built = rw_report_new (recording, NULL, NULL);
  double middle = now ();
  g_autoptr (GBytes) bytes = rw_report_emit (built, RW_REPORT_HTML);
  double end = now ();
  printf ("%u findings: built in %.0f ms, HTML of %.1f MB written in %.0f ms\n", findings, (middle - start) * 1e3,
          (double)g_bytes_get_size (bytes) / 1e6, (end - middle) * 1e3);
  if (html != NULL)
    g_file_set_contents (html, g_bytes_get_data (bytes, NULL), (gssize)g_bytes_get_size (bytes), NULL);
  fixture_remove (path);
  g_free (runs);
}

int
main (int argc, char **argv)
{
  guint runs = argc > 1 ? (guint)atoi (argv[1]) : 20;
  printf ("  nodes   objects       MB   ms/run differences\n");
  for (guint scale = 1; scale <= 16; scale *= 2)
    compare (5000 * scale / 4, 100000 * scale / 4, runs);
  report (1000, argc > 2 ? argv[2] : NULL);
  return 0;
}
