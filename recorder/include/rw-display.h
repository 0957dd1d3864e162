/* SPDX-License-Identifier: MIT */
/* A virtual display of our own, which ends with the program however the program ends. */
#pragma once

#include <gio/gio.h>
#include <glib-unix.h>

G_BEGIN_DECLS

typedef struct _RwDisplay RwDisplay;

/* Starts Xvfb on a display number that it finds itself and points DISPLAY there. Call before GTK is initialised. Fails with
 * one line that names the remedy if Xvfb is missing or does not come up. */
RwDisplay *rw_display_start (guint width, guint height, GError **error);
void rw_display_stop (RwDisplay *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwDisplay, rw_display_stop)

G_END_DECLS
