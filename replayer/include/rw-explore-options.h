/* SPDX-License-Identifier: MIT */
/* The options of exploring and how its progress is shown, which `explore` and `run` share. */
#pragma once

#include "rw-loop.h"

G_BEGIN_DECLS

typedef struct
{
  char *strategy;
  char *timers;
  char *budget;
  int bound;
  int runs;
  int jobs;
  gint64 seed;
  gboolean no_check;
  gboolean quiet;
} RwExploreArguments;

#define RW_EXPLORE_ARGUMENTS_DEFAULT { .bound = 1, .seed = 1 }

/* @own (ended by an empty entry) and the shared ones behind it; free with g_free (). */
GOptionEntry *rw_explore_entries (const GOptionEntry *own, RwExploreArguments *arguments);
/* FALSE: something is out of range; it has been said and *@status is what to return. */
gboolean rw_explore_check_arguments (const RwExploreArguments *arguments, RwLoopOptions *options, int *status);
/* Explores, with progress on standard error and Ctrl-C kept in mind; returns an exit status, RW_EXIT_OK if it went well. */
int rw_explore_run (const char *path, const RwExploreArguments *arguments, const RwLoopOptions *options);

G_END_DECLS
