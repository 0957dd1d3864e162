/* SPDX-License-Identifier: MIT */
/* The report on a loopback address, with buttons that set marks. */
#pragma once

#include "rw-report.h"

G_BEGIN_DECLS

typedef struct _RwServe RwServe;

/* Serves from the thread-default main context until it is freed. @port 0: any. The recording is opened anew for each
 * request, so an exploration can go on meanwhile. */
RwServe *rw_serve_new (const char *path, const RwReportOptions *options, guint port, GError **error);
void rw_serve_free (RwServe *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwServe, rw_serve_free)
/* With the one-time token: whoever opens it first gets the session, and nobody else. */
const char *rw_serve_url (const RwServe *self);

G_END_DECLS
