/* SPDX-License-Identifier: MIT */
/* A certificate of our own, made in memory, that every https host behind the proxy shows to the view. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Self-signed, valid for a month, with a new key. NULL and @error if GnuTLS or GLib refuses. */
GTlsCertificate *rw_certificate_new (GError **error);

G_END_DECLS
