/* SPDX-License-Identifier: MIT */
/* A subcommand of racewalk, and how it speaks: one clear line for an error, the right exit status. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  RW_EXIT_OK = 0,      /* nothing harmful */
  RW_EXIT_HARMFUL = 1, /* something harmful */
  RW_EXIT_USAGE = 2,   /* wrong use */
  RW_EXIT_FAILED = 3   /* it could not be done */
} RwExit;

typedef struct
{
  const char *name;
  const char *arguments; /* "URL|DIR|FILE" */
  const char *summary;   /* one line, for the list of commands */
  int (*main) (int argc, char **argv); /* argv[0] is the subcommand's name */
} RwCommand;

extern const RwCommand rw_command_browser_host;
extern const RwCommand rw_command_explore;
extern const RwCommand rw_command_instrument;
extern const RwCommand rw_command_mark;
extern const RwCommand rw_command_model;
extern const RwCommand rw_command_races;
extern const RwCommand rw_command_record;
extern const RwCommand rw_command_replay;
extern const RwCommand rw_command_report;
extern const RwCommand rw_command_run;

/* "racewalk: MESSAGE" on standard error; returns @status, so that it can be returned. */
int rw_fail (RwExit status, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* TRUE if colours and a moving progress line are welcome on this stream (a terminal, no NO_COLOR, TERM not dumb). */
gboolean rw_is_terminal (int fd);
/* Parses options with GOption: --help works, an unknown option is one line and RW_EXIT_USAGE. Returns TRUE to go on; otherwise
 * *@status is what to return from main. @description follows the options in --help. */
gboolean rw_command_parse (const RwCommand *self, const GOptionEntry *entries, const char *description, int *argc,
                           char ***argv, int *status);

G_END_DECLS
