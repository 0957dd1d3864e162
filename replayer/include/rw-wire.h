/* SPDX-License-Identifier: MIT */
/* Messages between racewalk and the browser hosts that it starts: a name and a dictionary, framed by length. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define RW_WIRE_MAX (1u << 30)

/* Blocking, whole or not at all. @body is an a{sv} and is sunk. */
gboolean rw_wire_send (int fd, const char *name, GVariant *body);
/* Blocking. NULL: the other side is gone, or sent nonsense. */
char *rw_wire_receive (int fd, GVariant **body);

G_END_DECLS
