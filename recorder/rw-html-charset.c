/* SPDX-License-Identifier: MIT */
/* Turns a document or script of any encoding into UTF-8, as a browser would choose the encoding. */
#include "rw-html-private.h"

#include <stdio.h>
#include <string.h>

/* Labels that mean something else in the Encoding standard than to iconv, and the names that documents go by. */
typedef struct
{
  const char *label;
  const char *name;
  const char *iconv;
} Encoding;

static const Encoding encodings[] = {
  { "utf-8", "UTF-8", "UTF-8" },
  { "utf8", "UTF-8", "UTF-8" },
  { "unicode-1-1-utf-8", "UTF-8", "UTF-8" },
  { "windows-1252", "windows-1252", "CP1252" },
  { "cp1252", "windows-1252", "CP1252" },
  { "iso-8859-1", "windows-1252", "CP1252" },
  { "iso8859-1", "windows-1252", "CP1252" },
  { "iso_8859-1", "windows-1252", "CP1252" },
  { "latin1", "windows-1252", "CP1252" },
  { "l1", "windows-1252", "CP1252" },
  { "ascii", "windows-1252", "CP1252" },
  { "us-ascii", "windows-1252", "CP1252" },
  { "iso-8859-9", "windows-1254", "CP1254" },
  { "latin5", "windows-1254", "CP1254" },
  { "windows-1254", "windows-1254", "CP1254" },
  { "iso-8859-11", "windows-874", "CP874" },
  { "tis-620", "windows-874", "CP874" },
  { "windows-874", "windows-874", "CP874" },
  { "shift_jis", "Shift_JIS", "CP932" },
  { "shift-jis", "Shift_JIS", "CP932" },
  { "sjis", "Shift_JIS", "CP932" },
  { "x-sjis", "Shift_JIS", "CP932" },
  { "windows-31j", "Shift_JIS", "CP932" },
  { "euc-jp", "EUC-JP", "EUC-JP" },
  { "x-euc-jp", "EUC-JP", "EUC-JP" },
  { "iso-2022-jp", "ISO-2022-JP", "ISO-2022-JP" },
  { "gb2312", "GBK", "GB18030" },
  { "gbk", "GBK", "GB18030" },
  { "x-gbk", "GBK", "GB18030" },
  { "gb18030", "gb18030", "GB18030" },
  { "big5", "Big5", "BIG5-HKSCS" },
  { "big5-hkscs", "Big5", "BIG5-HKSCS" },
  { "euc-kr", "EUC-KR", "CP949" },
  { "ks_c_5601-1987", "EUC-KR", "CP949" },
  { "windows-949", "EUC-KR", "CP949" },
  { "koi8-r", "KOI8-R", "KOI8-R" },
  { "koi8-u", "KOI8-U", "KOI8-U" },
  { "utf-16", "UTF-16LE", "UTF-16LE" },
  { "utf-16le", "UTF-16LE", "UTF-16LE" },
  { "utf-16be", "UTF-16BE", "UTF-16BE" },
};

/* NULL: no such encoding. ISO-8859-N and windows-125N have the same names everywhere. */
static const Encoding *
find_encoding (const char *label, gsize length)
{
  static Encoding regular; /* only its strings, which are interned, outlive the call */
  g_autofree char *lower = g_ascii_strdown (label, length);
  g_strstrip (lower);
  for (guint i = 0; i < G_N_ELEMENTS (encodings); i++)
    if (strcmp (encodings[i].label, lower) == 0)
      return &encodings[i];
  guint number;
  char rest;
  if (sscanf (lower, "windows-125%u%c", &number, &rest) == 1 && number <= 8)
    {
      g_autofree char *iconv = g_strdup_printf ("CP125%u", number);
      regular = (Encoding){ NULL, g_intern_string (lower), g_intern_string (iconv) };
      return &regular;
    }
  if (sscanf (lower, "iso-8859-%u%c", &number, &rest) == 1 && number >= 2 && number <= 16 && number != 12)
    {
      g_autofree char *upper = g_ascii_strup (lower, -1);
      regular = (Encoding){ NULL, g_intern_string (upper), g_intern_string (upper) };
      return &regular;
    }
  return NULL;
}

/* --- What a <meta> in the first 1024 bytes says --- */

/* The value after "charset" and "=" in @text, as in a Content-Type; NULL if there is none. */
static const char *
charset_value (const char *text, const char *end, gsize *length)
{
  for (const char *p = text; end - p > 8; p++)
    {
      if (g_ascii_strncasecmp (p, "charset", 7) != 0)
        continue;
      const char *value = p + 7;
      while (value < end && g_ascii_isspace (*value))
        value++;
      if (value >= end || *value != '=')
        continue;
      value++;
      while (value < end && g_ascii_isspace (*value))
        value++;
      if (value < end && (*value == '"' || *value == '\''))
        value++;
      const char *stop = value;
      while (stop < end && !g_ascii_isspace (*stop) && strchr ("\"';>/", *stop) == NULL)
        stop++;
      *length = stop - value;
      return *length > 0 ? value : NULL;
    }
  return NULL;
}

static const Encoding *
sniff_encoding (const char *data, gsize length)
{
  const char *end = data + MIN (length, 1024);
  for (const char *p = data; p < end && (p = memchr (p, '<', end - p)) != NULL; p++)
    {
      if (end - p > 4 && memcmp (p, "<!--", 4) == 0)
        {
          const char *close = g_strstr_len (p + 2, end - p - 2, "-->");
          if (close == NULL)
            return NULL;
          p = close;
          continue;
        }
      if (end - p < 6 || g_ascii_strncasecmp (p, "<meta", 5) != 0 || !(g_ascii_isspace (p[5]) || p[5] == '/'))
        continue;
      const char *close = memchr (p, '>', end - p);
      gsize value_length = 0;
      const char *value = charset_value (p + 5, close != NULL ? close : end, &value_length);
      const Encoding *found = value != NULL ? find_encoding (value, value_length) : NULL;
      if (found != NULL)
        /* It was read as ASCII, so it can't be UTF-16, whatever it says. */
        return g_str_has_prefix (found->name, "UTF-16") ? &encodings[0] : found;
    }
  return NULL;
}

/* --- Decoding --- */

static const Encoding *
choose_encoding (const char *data, gsize length, const char *charset, gboolean sniff_meta, const char *fallback,
                 gsize *mark)
{
  *mark = 0;
  const Encoding *found = NULL;
  if (length >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0)
    *mark = 3;
  else if (length >= 2 && (memcmp (data, "\xff\xfe", 2) == 0 || memcmp (data, "\xfe\xff", 2) == 0))
    *mark = 2;
  if (*mark > 0)
    return *mark == 3 ? &encodings[0] : find_encoding (data[0] == '\xff' ? "utf-16le" : "utf-16be", -1);
  if (charset != NULL)
    found = find_encoding (charset, strlen (charset));
  if (found == NULL && sniff_meta)
    found = sniff_encoding (data, length);
  return found != NULL ? found : find_encoding (fallback, strlen (fallback));
}

/* The bytes at *@data that iconv did not take: one byte that stands for itself in a one-byte encoding, else U+FFFD. */
static void
skip_invalid (GString *out, const Encoding *encoding, const char **data, gsize *left)
{
  gsize width = g_str_has_prefix (encoding->iconv, "UTF-16") ? MIN (2, *left) : 1;
  guchar byte = (guchar) * *data;
  gboolean control = g_str_has_prefix (encoding->iconv, "CP125") && byte >= 0x80 && byte < 0xa0;
  g_string_append_unichar (out, control ? byte : 0xfffd);
  *data += width;
  *left -= width;
}

static char *
convert (const Encoding *encoding, const char *data, gsize left, gsize *length)
{
  GIConv converter = g_iconv_open ("UTF-8", encoding->iconv);
  g_return_val_if_fail (converter != (GIConv)-1, NULL);
  GString *out = g_string_sized_new (left + left / 4);
  while (left > 0)
    {
      char buffer[4096];
      char *in = (char *)data;
      char *to = buffer;
      gsize room = sizeof buffer;
      gsize result = g_iconv (converter, &in, &left, &to, &room);
      gboolean stuck = result == (gsize)-1 && in == data && room == sizeof buffer;
      g_string_append_len (out, buffer, sizeof buffer - room);
      data = in;
      if (stuck)
        skip_invalid (out, encoding, &data, &left);
    }
  g_iconv_close (converter);
  *length = out->len;
  return g_string_free (out, FALSE);
}

/* As g_utf8_make_valid (), to which a NUL ends the text: here it is a character like others. */
static char *
make_valid (const char *data, gsize size, gsize *length)
{
  GString *out = g_string_sized_new (size + 1);
  for (const char *end = data + size; data < end;)
    {
      const char *stop;
      gboolean valid = g_utf8_validate (data, end - data, &stop);
      g_string_append_len (out, data, stop - data);
      if (valid)
        break;
      if (*stop == '\0')
        g_string_append_c (out, '\0');
      else
        g_string_append_unichar (out, 0xfffd);
      data = stop + 1;
    }
  *length = out->len;
  return g_string_free (out, FALSE);
}

char *
rw_html_decode (GBytes *bytes, const char *charset, gboolean sniff_meta, const char *fallback, gsize *length,
                const char **name)
{
  gsize size;
  gsize mark;
  const char *data = g_bytes_get_data (bytes, &size);
  if (data == NULL)
    data = "";
  const Encoding *encoding = choose_encoding (data, size, charset, sniff_meta, fallback, &mark);
  if (name != NULL)
    *name = encoding->name;
  data += mark;
  size -= mark;
  if (strcmp (encoding->iconv, "UTF-8") != 0)
    return convert (encoding, data, size, length);
  return make_valid (data, size, length);
}
