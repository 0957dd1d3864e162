/* SPDX-License-Identifier: MIT */
/* racewalk browser-host: the process behind each browser; not for people. */
#include "rw-command.h"
#include "rw-host.h"

#include <fcntl.h>
#include <sys/socket.h>

static int
browser_host_main (int argc, char **argv)
{
  /* Somebody's descriptor 3 may be anything; racewalk's is a socket. */
  int type;
  socklen_t size = sizeof type;
  if (argc != 1 || getsockopt (3, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
    return rw_fail (RW_EXIT_USAGE, "browser-host is started by racewalk itself");
  fcntl (3, F_SETFD, FD_CLOEXEC);
  return rw_host_main (3);
}

const RwCommand rw_command_browser_host = {
  .name = "browser-host",
  .arguments = "",
  .summary = NULL,
  .main = browser_host_main,
};
