/* SPDX-License-Identifier: MIT */
/* A browser host: a process of its own with one browser, one display and one proxy, driven over a socket.
 *
 * Each browser in a process of its own: a page that takes its host down costs one run, and hosts run side by side. */
#pragma once

#include "rw-browser.h"

G_BEGIN_DECLS

/* What a host is to load; texts are copied. */
typedef struct
{
  gboolean live;
  const char *folder; /* LIVE: served under @host; NULL: everything from upstream */
  const char *host;
  const char *url;
  gboolean insecure;
  const GPtrArray *latencies; /* of RwStepLatency * */
  const GPtrArray *exchanges; /* REPLAY: of RwExchange * */
  guint width;
  guint height;
  guint silence_ms;
  guint wall_ms;
  guint memory_mb; /* of the page; 0: no limit */
  gboolean show;
} RwHostOptions;

typedef struct _RwHost RwHost;

/* Starts the process; it is ready when rw_host_receive () has said so. It ends with us, however we end. */
RwHost *rw_host_start (const RwHostOptions *options, GError **error);
/* Ends the process and everything that it started. */
void rw_host_stop (RwHost *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwHost, rw_host_stop)
int rw_host_fd (const RwHost *self); /* readable when rw_host_receive () has something */
GPid rw_host_pid (const RwHost *self);

/* The host was asked for something, and has been silent for longer than any of its own limits allows. */
gboolean rw_host_is_overdue (const RwHost *self);

/* Asks for one load (@config NULL: a plain one); the answer comes by rw_host_receive (). FALSE: the host is gone. */
gboolean rw_host_load (RwHost *self, const char *config);

typedef enum
{
  RW_HOST_READY,
  RW_HOST_LOADED, /* *@loaded is set, its trace in @space */
  RW_HOST_FAILED, /* it could not start, or cannot go on: @error says why */
  RW_HOST_GONE    /* the process ended without a word */
} RwHostAnswer;
RwHostAnswer rw_host_receive (RwHost *self, RwSpace *space, RwLoaded **loaded, GError **error);
/* The same, but RW_HOST_FAILED if it takes too long or somebody asks racewalk to stop (G_IO_ERROR_CANCELLED); and @error is
 * set for RW_HOST_GONE as well. */
RwHostAnswer rw_host_await (RwHost *self, RwSpace *space, RwLoaded **loaded, GError **error);

/* The other side: the main function of the process. */
int rw_host_main (int fd);

G_END_DECLS
