/* SPDX-License-Identifier: MIT */
/* Any bytes as a document and as a fragment: prepared, its segments cover it, and it stays UTF-8. */
#include <string.h>

#include "rw-html-private.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize length);

static void
check_segments (const RwHtml *html)
{
  gsize total;
  gsize at = 0;
  const char *text = rw_html_prepared (html, &total);
  g_assert_true (g_utf8_validate (text, (gssize)total, NULL));
  for (guint i = 0; i < rw_html_n_segments (html); i++)
    {
      const RwSegment *segment = rw_html_segment (html, i);
      g_assert_cmpuint (segment->offset, ==, at);
      g_assert_true (segment->is_last == (i + 1 == rw_html_n_segments (html)));
      at += segment->length;
    }
  g_assert_cmpuint (at, ==, total);
  g_assert_cmpuint (rw_html_n_segments (html), <=, RW_HTML_MAX_SEGMENTS);
}

/* The first byte chooses the encoding, the rest is the document. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize length)
{
  static const char *const charsets[] = { "utf-8", NULL, "shift_jis", "utf-16le" };
  static RwScripts *scripts;
  static guint n;
  if (length == 0)
    return 0;
  /* A registry only grows; a new one now and then keeps memory in bounds. */
  if (n++ % 500 == 0)
    {
      g_clear_pointer (&scripts, rw_scripts_unref);
      scripts = rw_scripts_new ();
    }
  g_autoptr (GBytes) bytes = g_bytes_new (data + 1, length - 1);
  g_autoptr (RwHtml) html
      = rw_html_prepare (bytes, charsets[data[0] % G_N_ELEMENTS (charsets)], "http://site.test/", scripts);
  check_segments (html);
  gsize size;
  const char *text = rw_html_prepared (html, &size);
  g_autofree char *fragment = rw_html_rewrite_fragment (text, (gssize)size, "http://site.test/", scripts);
  g_assert_true (g_utf8_validate (fragment, -1, NULL));
  return 0;
}
