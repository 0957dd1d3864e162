/* SPDX-License-Identifier: MIT */
/* Frames GVariants on a socket. */
#include "rw-wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define WIRE_TYPE "(sa{sv})"

static gboolean
write_all (int fd, const void *data, gsize size)
{
  const char *p = data;
  while (size > 0)
    {
      ssize_t n = send (fd, p, size, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      p += n;
      size -= (gsize)n;
    }
  return TRUE;
}

static gboolean
read_all (int fd, void *data, gsize size)
{
  char *p = data;
  while (size > 0)
    {
      ssize_t n = read (fd, p, size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      p += n;
      size -= (gsize)n;
    }
  return TRUE;
}

gboolean
rw_wire_send (int fd, const char *name, GVariant *body)
{
  g_autoptr (GVariant) message = g_variant_ref_sink (g_variant_new ("(s@a{sv})", name, body));
  gsize size = g_variant_get_size (message);
  guint32 length = (guint32)size;
  return size <= RW_WIRE_MAX && write_all (fd, &length, sizeof length)
         && write_all (fd, g_variant_get_data (message), size);
}

char *
rw_wire_receive (int fd, GVariant **body)
{
  guint32 length;
  char *name = NULL;
  if (!read_all (fd, &length, sizeof length) || length > RW_WIRE_MAX)
    return NULL;
  /* g_malloc () is aligned for everything a GVariant holds. */
  char *data = g_try_malloc (MAX (length, 1));
  if (data == NULL || !read_all (fd, data, length))
    {
      g_free (data);
      return NULL;
    }
  g_autoptr (GVariant) message
      = g_variant_ref_sink (g_variant_new_from_data (G_VARIANT_TYPE (WIRE_TYPE), data, length, FALSE, g_free, data));
  if (g_variant_is_normal_form (message))
    g_variant_get (message, "(s@a{sv})", &name, body);
  return name;
}
