/* SPDX-License-Identifier: MIT */
/* Text into HTML and XML. */
#include "rw-encode.h"

static gboolean
is_steering (gunichar c)
{
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x061c;
}

static gboolean
is_forbidden (gunichar c)
{
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || (c & 0xfffe) == 0xfffe
         || (c >= 0xd800 && c < 0xe000) || (c >= 0xfdd0 && c <= 0xfdef);
}

static void
append (GString *out, gunichar c)
{
  switch (c)
    {
    case '&':
      g_string_append (out, "&amp;");
      break;
    case '<':
      g_string_append (out, "&lt;");
      break;
    case '>':
      g_string_append (out, "&gt;");
      break;
    case '"':
      g_string_append (out, "&quot;");
      break;
    case '\'':
      g_string_append (out, "&#39;");
      break;
    default:
      if (is_steering (c))
        g_string_append_printf (out, "[U+%04X]", c);
      else
        g_string_append_unichar (out, is_forbidden (c) ? 0xfffd : c);
    }
}

void
rw_encode_html_text (GString *out, const char *text)
{
  g_autofree char *valid = text != NULL && !g_utf8_validate (text, -1, NULL) ? g_utf8_make_valid (text, -1) : NULL;
  for (const char *p = valid != NULL ? valid : text != NULL ? text : ""; *p != '\0'; p = g_utf8_next_char (p))
    append (out, g_utf8_get_char (p));
}

void
rw_encode_html_attribute (GString *out, const char *text)
{
  rw_encode_html_text (out, text);
}

void
rw_encode_xml (GString *out, const char *text)
{
  rw_encode_html_text (out, text);
}
