/* SPDX-License-Identifier: MIT */
/* Content-Security-Policy and integrity= with rewritten scripts: what ran still runs, what did not run still does not.
 */
#include "rw-html-private.h"

#include <string.h>

typedef struct
{
  const char *prefix;
  GChecksumType type;
} Algorithm;

/* Weakest first. */
static const Algorithm algorithms[] = {
  { "sha256-", G_CHECKSUM_SHA256 },
  { "sha384-", G_CHECKSUM_SHA384 },
  { "sha512-", G_CHECKSUM_SHA512 },
};

static int
algorithm_of (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (algorithms); i++)
    if (g_ascii_strncasecmp (text, algorithms[i].prefix, strlen (algorithms[i].prefix)) == 0)
      return (int)i;
  return -1;
}

static char *
digest_base64 (GChecksumType type, const void *data, gsize length)
{
  guint8 digest[64];
  gsize digest_length = sizeof digest;
  g_autoptr (GChecksum) checksum = g_checksum_new (type);
  g_checksum_update (checksum, data, (gssize)length);
  g_checksum_get_digest (checksum, digest, &digest_length);
  return g_base64_encode (digest, digest_length);
}

/* Both alphabets of base64 are allowed, and padding may be left out. */
static gboolean
same_base64 (const char *given, gsize length, const char *expected)
{
  while (length > 0 && given[length - 1] == '=')
    length--;
  gsize expected_length = strcspn (expected, "=");
  if (length != expected_length)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    {
      char c = given[i] == '-' ? '+' : given[i] == '_' ? '/' : given[i];
      if (c != expected[i])
        return FALSE;
    }
  return TRUE;
}

/* "sha256-..." of each original -> the same of what is served for it. */
static GHashTable *
hash_pairs (const GPtrArray *pairs)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < pairs->len; i++)
    for (guint a = 0; a < G_N_ELEMENTS (algorithms); a++)
      {
        const RwHtmlPair *pair = pairs->pdata[i];
        g_autofree char *original = digest_base64 (algorithms[a].type, pair->original, strlen (pair->original));
        g_autofree char *served = digest_base64 (algorithms[a].type, pair->served, strlen (pair->served));
        original[strcspn (original, "=")] = '\0';
        g_hash_table_insert (table, g_strconcat (algorithms[a].prefix, original, NULL),
                             g_strconcat (algorithms[a].prefix, served, NULL));
      }
  return table;
}

/* The key that hash_pairs () uses for a source expression 'sha256-...'; NULL if it is something else. */
static char *
hash_key (const char *expression)
{
  gsize length = strlen (expression);
  int algorithm = length > 10 && expression[0] == '\'' ? algorithm_of (expression + 1) : -1;
  if (algorithm < 0)
    return NULL;
  const char *prefix = algorithms[algorithm].prefix;
  const char *digest = expression + 1 + strlen (prefix);
  char *key = g_strdup_printf ("%s%.*s", prefix, (int)strcspn (digest, "='"), digest);
  return g_strdelimit (g_strdelimit (key + strlen (prefix), "-", '+'), "_", '/') - strlen (prefix);
}

char *
rw_html_policy (const GPtrArray *pairs, const char *policy)
{
  if (pairs->len == 0 || strstr (policy, "'sha") == NULL)
    return g_strdup (policy);
  /* Only a hash is ever added, and only beside one: any other addition would change what 'unsafe-inline' means. */
  g_autoptr (GHashTable) table = hash_pairs (pairs);
  g_auto (GStrv) words = g_strsplit (policy, " ", -1);
  GString *out = g_string_new (NULL);
  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autofree char *expression = g_strndup (words[i], strcspn (words[i], ";,"));
      g_autofree char *key = hash_key (expression);
      const char *served = key != NULL ? g_hash_table_lookup (table, key) : NULL;
      g_string_append_printf (out, "%s%s", i > 0 ? " " : "", expression);
      if (served != NULL)
        g_string_append_printf (out, " '%s'", served);
      g_string_append (out, words[i] + strlen (expression));
    }
  return g_string_free (out, FALSE);
}

gboolean
rw_html_integrity_matches (const char *integrity, const void *body, gsize length)
{
  g_auto (GStrv) words = g_strsplit_set (integrity, " \t\n\r\f", -1);
  int strongest = -1;
  for (guint i = 0; words[i] != NULL; i++)
    strongest = MAX (strongest, algorithm_of (words[i]));
  if (strongest < 0)
    return TRUE;
  g_autofree char *expected = digest_base64 (algorithms[strongest].type, body, length);
  for (guint i = 0; words[i] != NULL; i++)
    {
      const char *given = words[i] + strlen (algorithms[strongest].prefix);
      if (algorithm_of (words[i]) == strongest && same_base64 (given, strcspn (given, "?"), expected))
        return TRUE;
    }
  return FALSE;
}
