/* SPDX-License-Identifier: MIT */
/* Any bytes as a trace: read, write, read again; and what is small enough is analysed. */
#include "rw-explore.h"
#include "rw-filter.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize length);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize length)
{
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (data, length);
  g_autoptr (GError) error = NULL;
  g_autoptr (RwTrace) trace = rw_trace_from_bytes (space, bytes, &error);
  RwExploreOptions options = RW_EXPLORE_OPTIONS_DEFAULT;

  g_assert_true ((trace == NULL) == (error != NULL));
  if (trace == NULL)
    return 0;
  g_autoptr (GBytes) written = rw_trace_to_bytes (trace);
  g_autoptr (RwTrace) again = rw_trace_from_bytes (space, written, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (rw_trace_n_ops (again), ==, rw_trace_n_ops (trace));
  if (rw_trace_length (trace) > 300)
    return 0;
  options.filters = length % 2 == 0 ? RW_FILTERS_DEFAULT : 0;
  g_autofree char *one = rw_trace_fingerprint (trace, &options), *two = rw_trace_fingerprint (again, &options);
  g_assert_cmpstr (one, ==, two);
  g_autoptr (GArray) conflicts = rw_trace_conflicts (trace, &options);
  return 0;
}
