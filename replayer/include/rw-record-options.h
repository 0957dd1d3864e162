/* SPDX-License-Identifier: MIT */
/* The options of recording, which `record` and `run` share. */
#pragma once

#include "rw-record.h"

G_BEGIN_DECLS

#define RW_SCENARIO_HELP                                                                                                   \
  "Input: without --scenario a file named `scenario` in the recorded folder is taken; if there is none, every visible\n"   \
  "element with a handler is used once. A scenario has one step a line:\n"                                                 \
  "  click SELECTOR, hover SELECTOR, check SELECTOR, uncheck SELECTOR, blur SELECTOR,\n"                                   \
  "  type SELECTOR \"TEXT\", select SELECTOR \"TEXT\", press KEY [SELECTOR], wait [MS], latency PATTERN MS"

/* @own (ended by an empty entry) and the shared ones behind it, all pointing into @options; free with g_free (). The texts
 * that GOption allocates live as long as the program. */
GOptionEntry *rw_record_entries (const GOptionEntry *own, RwRecordOptions *options);
/* FALSE: something is out of range; it has been said and *@status is what to return. */
gboolean rw_record_check_options (const RwRecordOptions *options, int *status);
void rw_record_print (const RwRecorded *recorded, const char *path);

G_END_DECLS
