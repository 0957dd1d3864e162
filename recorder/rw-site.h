/* SPDX-License-Identifier: MIT */
/* A folder served as a web site: files become exchanges, and nothing outside the folder does. */
#pragma once

#include "rw-proxy.h"

G_BEGIN_DECLS

typedef struct _RwSite RwSite;

/* @folder must exist and hold an index.html. */
RwSite *rw_site_new (const char *folder, const RwProxyLatency *latencies, guint n_latencies, GError **error);
void rw_site_free (RwSite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwSite, rw_site_free)

/* The answer to @method of @path (still percent-encoded) and @query (or NULL): a file, a redirect to a folder's slash,
 * or an error page. Sets status, reason, headers, body and latency_ms of @exchange and nothing else. */
void rw_site_answer (const RwSite *self, const char *method, const char *path, const char *query, gsize max_body,
                     RwExchange *exchange);

/* By the name's ending; "application/octet-stream" if that says nothing. Does not depend on what is installed. */
const char *rw_site_content_type (const char *name);

G_END_DECLS
