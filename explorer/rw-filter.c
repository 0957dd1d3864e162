/* SPDX-License-Identifier: MIT */
/* The names of the filters, for the command line. */
#include "rw-filter.h"

#include <string.h>

static const struct
{
  const char *name;
  guint filters;
} names[] = {
  { "same-value", RW_FILTER_SAME_VALUE }, { "counter", RW_FILTER_COUNTER },
  { "lazy-init", RW_FILTER_LAZY_INIT },   { "all", RW_FILTER_SAME_VALUE | RW_FILTER_COUNTER | RW_FILTER_LAZY_INIT },
  { "default", RW_FILTERS_DEFAULT },      { "none", 0 },
};
#define N_SINGLE 3

gboolean
rw_filters_from_names (const char *list, guint *filters, char **unknown)
{
  g_auto (GStrv) parts = g_strsplit (list, ",", -1);
  *filters = 0;
  for (char **part = parts; *part != NULL; part++)
    {
      guint i = 0;
      while (i < G_N_ELEMENTS (names) && strcmp (names[i].name, *part) != 0)
        i++;
      if (i == G_N_ELEMENTS (names))
        {
          *unknown = g_strdup (*part);
          return FALSE;
        }
      *filters |= names[i].filters;
    }
  return TRUE;
}

char *
rw_filters_to_names (guint filters)
{
  GString *list = g_string_new (NULL);
  for (guint i = 0; i < N_SINGLE; i++)
    if ((filters & names[i].filters) != 0)
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", names[i].name);
  return g_string_free (list->len > 0 ? list : g_string_assign (list, "none"), FALSE);
}
