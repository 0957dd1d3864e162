/* SPDX-License-Identifier: MIT */
/* Runs, states and recordings in few words. */
#include "rw-fixture.h"

#include <cairo.h>
#include <glib/gstdio.h>
#include <string.h>

static const char *const members[]
    = { "errors", "console", "requests", "navigations", "dialogs", "pending", "cookies" };

GBytes *
fixture_state (const FixtureState *state)
{
  GString *out = g_string_new (NULL);
  g_string_append_printf (
      out,
      "{\"version\":1,\n\"frames\":[\n{\"path\":\"top\",\"url\":\"%s\",\"title\":\"%s\",\"readyState\":\"complete\","
      "\"focus\":\"%s\",\"scroll\":%s,\"dom\":[\n%s\n]}\n],\n\"heap\":{\n%s\n},\n",
      state->url ?: "http://page.test/", state->title ?: "A page", state->focus ?: "html>body",
      state->scroll ?: "[0,0]",
      state->dom ?: "[0,\"html\",{}],\n[1,\"body\",{}],\n[2,\"p\",{\"id\":\"a\"}],\n[3,\"#text\",\"hello\"]",
      state->heap ?: "");
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_autofree char *name = g_strdup_printf ("\"%s\":", members[i]);
      const char *given = state->rest != NULL ? strstr (state->rest, name) : NULL;
      const char *end = given != NULL ? strchr (given, ']') : NULL;
      if (given != NULL)
        g_string_append_printf (out, "%.*s,\n", (int)(end + 1 - given), given);
      else
        g_string_append_printf (out, "%s[],\n", name);
    }
  const char *storage = state->rest != NULL ? strstr (state->rest, "\"storage\":") : NULL;
  g_string_append_printf (out, "%s,\n\"limits\":[]}\n", storage ?: "\"storage\":{\"local\":{},\"session\":{}}");
  return g_string_free_to_bytes (out);
}

static RwEventKind
kind_of (const char *label)
{
  static const struct
  {
    const char *word;
    RwEventKind kind;
  } kinds[] = {
    { "timer", RW_KIND_TIMER },       { "interval", RW_KIND_INTERVAL },
    { "click", RW_KIND_USER },        { "type", RW_KIND_USER },
    { "answer", RW_KIND_NETWORK },    { "script", RW_KIND_SCRIPT },
    { "load of", RW_KIND_LOAD },      { "parse", RW_KIND_PARSE },
    { "unload", RW_KIND_NAVIGATION }, { "DOMContentLoaded", RW_KIND_LIFECYCLE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (label, kinds[i].word))
      return kinds[i].kind;
  return RW_KIND_OTHER;
}

RwEvent
fixture_event (RwSpace *space, const char *label)
{
  RwEventInfo info = { .id = rw_identity (label), .kind = kind_of (label), .label = label, .delay = -1 };
  if (info.kind == RW_KIND_TIMER)
    info.delay = (gint32)g_ascii_strtoll (label + strlen ("timer "), NULL, 10);
  return rw_space_event (space, &info);
}

static GArray *
events_of (RwSpace *space, const char *labels)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  g_auto (GStrv) parts = g_strsplit (labels ?: "", "; ", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      RwEvent event = fixture_event (space, parts[i]);
      g_array_append_val (events, event);
    }
  return events;
}

RwRun *
fixture_run (RwSpace *space, guint number, guint parent, guint depth, const FixtureRun *spec)
{
  RwRun *run = rw_run_new ();
  g_autoptr (GArray) events = events_of (space, spec->events);
  RwLocation location = rw_space_location (space, spec->location ?: "window.x");
  run->number = number;
  run->key = g_strdup_printf ("%032u", number);
  run->parent = parent;
  run->depth = depth;
  run->outcome = spec->outcome;
  if (spec->first != NULL)
    run->reversal = (RwReversal){ RW_REVERSAL_RACE, fixture_event (space, spec->first),
                                  fixture_event (space, spec->second), location };
  run->trace = rw_trace_new (space);
  for (guint i = 0; i < events->len; i++)
    rw_trace_initial (run->trace, g_array_index (events, RwEvent, i));
  for (guint i = 0; i < events->len; i++)
    {
      g_autofree char *place
          = g_strdup_printf ("http://page.test/app.js:%u:3", 2 + g_array_index (events, RwEvent, i) % 5);
      rw_trace_begin (run->trace, g_array_index (events, RwEvent, i));
      rw_trace_write (run->trace, location, rw_space_value (space, "1"), rw_space_place (space, place));
    }
  g_array_append_vals (run->schedule, events->data, events->len);
  g_array_unref (run->skipped);
  run->skipped = events_of (space, spec->skipped != NULL ? spec->skipped : NULL);
  if (spec->skipped == NULL)
    g_array_set_size (run->skipped, 0);
  run->state = fixture_state (&spec->state);
  run->state_hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, run->state);
  return run;
}

char *
fixture_recording (const FixtureRun *runs, guint n_runs)
{
  g_autofree char *folder = g_dir_make_tmp ("rw-reporter-XXXXXX", NULL);
  char *path = g_build_filename (folder, "page.rwk", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecording) recording = rw_recording_open (path, RW_RECORDING_NEW, &error);
  g_autoptr (RwSpace) space = rw_space_new ();
  g_assert_no_error (error);
  static const char source[]
      = "var x;\nfunction one () {\n  x = 1;\n}\nfunction two () {\n  use (x);\n}\nfunction three () {\n}\n";
  RwExchange exchange
      = { .number = 1, .method = (char *)"GET", .url = (char *)"http://page.test/app.js", .status = 200 };
  exchange.body = g_bytes_new_static (source, strlen (source));
  g_assert_true (rw_recording_set (recording, "url", "http://page.test/", &error));
  g_assert_true (rw_recording_add_exchange (recording, &exchange, &error));
  for (guint i = 0; i < n_runs; i++)
    {
      g_autoptr (RwRun) run = fixture_run (space, i, i == 0 ? RW_RUN_NONE : 0, i == 0 ? 0 : 1, &runs[i]);
      run->screenshot = fixture_png (0x3366cc, g_strcmp0 (runs[i].state.dom, runs[0].state.dom) == 0 ? 20 : 60);
      g_assert_true (rw_recording_put_run (recording, run, &error));
    }
  g_assert_true (rw_recording_publish (recording, &error));
  g_assert_no_error (error);
  g_bytes_unref (exchange.body);
  return path;
}

void
fixture_remove (char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (folder, name, NULL);
      g_remove (file);
    }
  g_rmdir (folder);
  g_free (path);
}

static cairo_status_t
write_cb (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

GBytes *
fixture_png (guint32 colour, guint square)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 400, 260);
  cairo_t *cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 0.97, 0.97, 0.95);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
  cairo_rectangle (cr, 40, 40, square * 3, square * 2);
  cairo_fill (cr);
  cairo_destroy (cr);
  GByteArray *bytes = g_byte_array_new ();
  cairo_surface_write_to_png_stream (surface, write_cb, bytes);
  cairo_surface_destroy (surface);
  return g_byte_array_free_to_bytes (bytes);
}
