/* SPDX-License-Identifier: MIT */
/* The side of racewalk: starts a host, speaks with it, ends it. */
#include "rw-host.h"

#include "rw-host-private.h"
#include "rw-scenario.h"
#include "rw-stop.h"
#include "rw-wire.h"

#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Beyond the limits that a host keeps itself: for one that can't keep them any more. */
#define START_MS 60000
#define GRACE_MS 20000

struct _RwHost
{
  GPid pid;
  int fd;
  guint wall_ms;
  gint64 deadline; /* monotonic; 0: it was asked for nothing */
};

/* A session of its own, so that Ctrl-C reaches racewalk first; and it dies with us. */
static void
child_setup_cb (gpointer data)
{
  setsid ();
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

static GVariant *
pack_exchanges (const GPtrArray *exchanges)
{
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE (RW_WIRE_EXCHANGES));
  for (guint i = 0; exchanges != NULL && i < exchanges->len; i++)
    g_variant_builder_add_value (&builder, rw_wire_exchange (exchanges->pdata[i]));
  return g_variant_builder_end (&builder);
}

static GVariant *
pack_options (const RwHostOptions *options)
{
  GVariantDict dict;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "live", "b", options->live);
  g_variant_dict_insert (&dict, "insecure", "b", options->insecure);
  g_variant_dict_insert (&dict, "show", "b", options->show);
  g_variant_dict_insert (&dict, "url", "s", options->url);
  if (options->folder != NULL)
    g_variant_dict_insert (&dict, "folder", "s", options->folder);
  if (options->host != NULL)
    g_variant_dict_insert (&dict, "host", "s", options->host);
  g_variant_dict_insert (&dict, "width", "u", options->width);
  g_variant_dict_insert (&dict, "height", "u", options->height);
  g_variant_dict_insert (&dict, "silence", "u", options->silence_ms);
  g_variant_dict_insert (&dict, "wall", "u", options->wall_ms);
  g_variant_dict_insert (&dict, "memory", "u", options->memory_mb);
  GVariantBuilder latencies;
  g_variant_builder_init (&latencies, G_VARIANT_TYPE ("a(su)"));
  for (guint i = 0; options->latencies != NULL && i < options->latencies->len; i++)
    {
      const RwStepLatency *latency = options->latencies->pdata[i];
      g_variant_builder_add (&latencies, "(su)", latency->pattern, latency->latency_ms);
    }
  g_variant_dict_insert_value (&dict, "latencies", g_variant_builder_end (&latencies));
  g_variant_dict_insert_value (&dict, "exchanges", pack_exchanges (options->exchanges));
  return g_variant_dict_end (&dict);
}

RwHost *
rw_host_start (const RwHostOptions *options, GError **error)
{
  g_autoptr (RwHost) self = g_new0 (RwHost, 1);
  int fds[2];
  self->fd = -1;
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "no socket for a browser host: %s", g_strerror (errno));
      return NULL;
    }
  const char *argv[] = { "/proc/self/exe", "browser-host", NULL };
  int target = RW_HOST_FD;
  self->fd = fds[0];
  self->wall_ms = options->wall_ms;
  self->deadline = g_get_monotonic_time () + START_MS * (gint64)1000;
  gboolean started = g_spawn_async_with_pipes_and_fds (
      NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | (g_getenv ("RACEWALK_DEBUG") ? 0 : G_SPAWN_STDERR_TO_DEV_NULL),
      child_setup_cb, NULL, -1, -1, -1, &fds[1], &target, 1, &self->pid, NULL, NULL, NULL, error);
  close (fds[1]);
  if (!started)
    return NULL;
  if (!rw_wire_send (self->fd, "setup", pack_options (options)))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the browser host ended at once");
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
rw_host_stop (RwHost *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->pid > 0)
    {
      /* What it started is bound to its life; there is nothing that it would have to put in order. */
      kill (self->pid, SIGTERM);
      for (guint i = 0; i < 200 && self->pid > 0; i++)
        {
          if (waitpid (self->pid, NULL, WNOHANG) != 0)
            self->pid = 0;
          else
            g_usleep (5000);
        }
      if (self->pid > 0)
        {
          kill (-self->pid, SIGKILL);
          waitpid (self->pid, NULL, 0);
        }
    }
  g_free (self);
}

int
rw_host_fd (const RwHost *self)
{
  return self->fd;
}

GPid
rw_host_pid (const RwHost *self)
{
  return self->pid;
}

gboolean
rw_host_is_overdue (const RwHost *self)
{
  return self->deadline != 0 && g_get_monotonic_time () > self->deadline;
}

gboolean
rw_host_load (RwHost *self, const char *config)
{
  self->deadline = g_get_monotonic_time () + ((gint64)self->wall_ms + GRACE_MS) * 1000;
  GVariantDict dict;
  g_variant_dict_init (&dict, NULL);
  if (config != NULL)
    g_variant_dict_insert (&dict, "config", "s", config);
  return rw_wire_send (self->fd, "load", g_variant_dict_end (&dict));
}

static GPtrArray *
take_strings (GVariant *body, const char *key)
{
  GPtrArray *strings = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) list = NULL;
  if (g_variant_lookup (body, key, "^as", &list))
    for (guint i = 0; list[i] != NULL; i++)
      g_ptr_array_add (strings, g_strdup (list[i]));
  return strings;
}

static GBytes *
take_bytes (GVariant *body, const char *key)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (body, key, G_VARIANT_TYPE_BYTESTRING);
  return value == NULL ? NULL : g_variant_get_data_as_bytes (value);
}

static GPtrArray *
take_exchanges (GVariant *body)
{
  GPtrArray *exchanges = g_ptr_array_new_with_free_func ((GDestroyNotify)rw_exchange_free);
  g_autoptr (GVariant) list = g_variant_lookup_value (body, "exchanges", G_VARIANT_TYPE (RW_WIRE_EXCHANGES));
  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (list, i);
      g_ptr_array_add (exchanges, rw_wire_exchange_parse (item));
    }
  return exchanges;
}

static void
take_phases (GVariant *body, guint *phases)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (body, "phases", G_VARIANT_TYPE ("au"));
  gsize n = 0;
  const guint32 *list = value == NULL ? NULL : g_variant_get_fixed_array (value, &n, sizeof (guint32));
  for (gsize i = 0; i < MIN (n, RW_N_PHASES); i++)
    phases[i] = list[i];
}

static RwHostAnswer
take_loaded (GVariant *body, RwSpace *space, RwLoaded **out, GError **error)
{
  g_autoptr (RwLoaded) loaded = g_new0 (RwLoaded, 1);
  g_autoptr (GBytes) trace = take_bytes (body, "trace");
  guint outcome = RW_OUTCOME_CRASH;
  loaded->skipped = take_strings (body, "skipped");
  loaded->holes = take_strings (body, "holes");
  loaded->missing = take_strings (body, "missing");
  loaded->steps = take_strings (body, "steps");
  loaded->exchanges = take_exchanges (body);
  loaded->state = take_bytes (body, "state");
  loaded->screenshot = take_bytes (body, "screenshot");
  take_phases (body, loaded->phases_us);
  g_variant_lookup (body, "outcome", "u", &outcome);
  g_variant_lookup (body, "note", "s", &loaded->note);
  g_variant_lookup (body, "times", "s", &loaded->times);
  g_variant_lookup (body, "wall", "u", &loaded->wall_ms);
  loaded->outcome = (RwOutcome)outcome;
  if (trace != NULL && (loaded->trace = rw_trace_from_bytes (space, trace, error)) == NULL)
    return RW_HOST_FAILED;
  *out = g_steal_pointer (&loaded);
  return RW_HOST_LOADED;
}

RwHostAnswer
rw_host_receive (RwHost *self, RwSpace *space, RwLoaded **loaded, GError **error)
{
  g_autoptr (GVariant) body = NULL;
  g_autofree char *name = rw_wire_receive (self->fd, &body);
  g_autofree char *message = NULL;
  self->deadline = 0;
  if (name == NULL)
    return RW_HOST_GONE;
  if (strcmp (name, "ready") == 0)
    return RW_HOST_READY;
  if (strcmp (name, "loaded") == 0)
    return take_loaded (body, space, loaded, error);
  g_variant_lookup (body, "message", "s", &message);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, message == NULL ? "the browser host failed" : message);
  return RW_HOST_FAILED;
}

RwHostAnswer
rw_host_await (RwHost *self, RwSpace *space, RwLoaded **loaded, GError **error)
{
  gint64 left = self->deadline == 0 ? -1 : MAX (0, (self->deadline - g_get_monotonic_time ()) / 1000);
  if (!rw_stop_wait (self->fd, (int)left))
    {
      if (rw_stop_asked ())
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "stopped");
      else
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "the browser host does not answer");
      return RW_HOST_FAILED;
    }
  RwHostAnswer answer = rw_host_receive (self, space, loaded, error);
  if (answer == RW_HOST_GONE)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                         "the browser host ended without a word; RACEWALK_DEBUG=1 shows what it said");
  return answer;
}
