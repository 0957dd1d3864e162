/* SPDX-License-Identifier: MIT */
/* What is not to be reported again: the .racewalk-ignore file (a fingerprint a line, then words) and baselines. */
#include "rw-report-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define FINGERPRINT_LENGTH 16

static gboolean
is_fingerprint (const char *text, gsize length)
{
  if (length != FINGERPRINT_LENGTH)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isxdigit (text[i]))
      return FALSE;
  return TRUE;
}

static GHashTable *
no_such_file (const char *path, const GError *cause, const char *remedy, GError **error)
{
  g_set_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_BASELINE, "%s: %s; %s", path, cause->message, remedy);
  return NULL;
}

GHashTable *
rw_suppressions_read (const char *path, GError **error)
{
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GError) local = NULL;
  g_autofree char *text = NULL;
  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&all);
  if (!g_file_get_contents (path, &text, NULL, &local))
    return no_such_file (path, local, "check its permissions", error);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);
      gsize length = strcspn (line, " \t");
      if (*line == '\0' || *line == '#')
        continue;
      if (!is_fingerprint (line, length))
        {
          g_set_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_BASELINE,
                       "%s:%u: not a fingerprint; a line is %d hex digits and then words, or begins with #", path,
                       i + 1, FINGERPRINT_LENGTH);
          return NULL;
        }
      g_autofree char *note = g_utf8_make_valid (line + length, -1);
      g_strstrip (note);
      g_hash_table_insert (all, g_ascii_strdown (line, length),
                           g_strdup (g_str_has_prefix (note, "#") ? g_strchug (note + 1) : note));
    }
  return g_steal_pointer (&all);
}

static char *
one_line (const char *text)
{
  char *copy = g_strdup (text != NULL ? text : "");
  return g_strstrip (g_strdelimit (copy, "\r\n\t", ' '));
}

gboolean
rw_suppressions_write (const char *path, const char *fingerprint, const char *comment, gboolean add, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *words = one_line (comment);
  g_autoptr (GString) out = g_string_new (NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  if (text == NULL && add)
    g_string_append (
        out, "# Findings of racewalk that are known to be harmless: a fingerprint and the reason, one a line.\n");
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *line = g_strstrip (g_strdup (lines[i]));
      gboolean is_it = g_ascii_strncasecmp (line, fingerprint, FINGERPRINT_LENGTH) == 0;
      if (!is_it && (*lines[i] != '\0' || lines[i + 1] != NULL))
        g_string_append_printf (out, "%s\n", lines[i]);
    }
  if (add)
    g_string_append_printf (out, "%s  %s\n", fingerprint, words);
  if (text == NULL && !add)
    return TRUE;
  return g_file_set_contents (path, out->str, out->len, error);
}

GHashTable *
rw_baseline_read (const char *path, GError **error)
{
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) local = NULL;
  if (path == NULL)
    return g_steal_pointer (&all);
  if (!json_parser_load_from_file (parser, path, &local))
    return no_such_file (path, local, "a baseline is what racewalk report --format json wrote", error);
  JsonNode *root = json_parser_get_root (parser);
  JsonObject *object = root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  JsonNode *findings = object != NULL ? json_object_get_member (object, "findings") : NULL;
  if (findings == NULL || !JSON_NODE_HOLDS_ARRAY (findings))
    {
      g_set_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_BASELINE,
                   "%s is no report; a baseline is what racewalk report --format json wrote", path);
      return NULL;
    }
  JsonArray *array = json_node_get_array (findings);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      const char *fingerprint
          = JSON_NODE_HOLDS_OBJECT (node)
                ? json_object_get_string_member_with_default (json_node_get_object (node), "fingerprint", NULL)
                : NULL;
      if (fingerprint != NULL)
        g_hash_table_add (all, g_strdup (fingerprint));
    }
  return g_steal_pointer (&all);
}
