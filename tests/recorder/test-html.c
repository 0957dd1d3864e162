/* SPDX-License-Identifier: MIT */
/* Documents made ready: what is rewritten, where it is cut, and that nothing else changes. */
#include <gumbo.h>
#include <string.h>

#include "rw-html-private.h"

#define URL "http://site.test/dir/page.html"

static RwHtml *
prepare_bytes (const char *text, gsize length, const char *charset, RwScripts *scripts)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);
  return rw_html_prepare (bytes, charset, URL, scripts);
}

static RwHtml *
prepare (const char *text)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  return prepare_bytes (text, strlen (text), "utf-8", scripts);
}

/* The text without the white space in front. */
static const char *
text_of (const RwHtml *html)
{
  const char *text = rw_html_prepared (html, NULL);
  return text + strspn (text, " ");
}

static void
assert_has (const RwHtml *html, const char *piece)
{
  if (strstr (rw_html_prepared (html, NULL), piece) == NULL)
    g_error ("no %s in %s", piece, text_of (html));
}

static void
assert_has_not (const RwHtml *html, const char *piece)
{
  if (strstr (rw_html_prepared (html, NULL), piece) != NULL)
    g_error ("%s in %s", piece, text_of (html));
}

/* --- Segments --- */

/* One letter for each way a segment can end. */
static char
end_letter (RwSegmentEnd end)
{
  return "nsbl"[end];
}

/* The segments of a document whose scripts are left alone, with |n (a node), |s (a script), |b (blocked) where they
 * end. */
static char *
cut (const char *text)
{
  g_autoptr (RwHtml) html = prepare_bytes (text, strlen (text), "utf-8", NULL);
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < rw_html_n_segments (html); i++)
    {
      const RwSegment *segment = rw_html_segment (html, i);
      const char *from = rw_html_prepared (html, NULL) + segment->offset;
      gsize skip = i == 0 ? strspn (from, " ") : 0;
      g_string_append_len (out, from + skip, segment->length - skip);
      if (!segment->is_last)
        g_string_append_printf (out, "|%c", end_letter (segment->end));
    }
  return g_string_free (out, FALSE);
}

typedef struct
{
  const char *why;
  const char *expected; /* the document is this without |n, |s, |b */
} CutCase;

static const CutCase cut_cases[] = {
  { "nothing to cut", "<!DOCTYPE html><title>T</title><p>one</p><p>two</p>" },
  { "an empty document", "" },
  { "after an element with an id, its end tag opens the next", "<body><p>a</p><p id=x>|nb</p><p>c</p>" },
  { "after a name, a handler, a link, a field",
    "<body><i name=n>|na</i><b onclick=f()>|nb</b><a href=x>|nc</a><a>d</a><input>|n<p>" },
  { "meta has a name that nobody looks for", "<head><meta name=viewport content=x><p>" },
  { "a custom element runs code", "<body><x-y>|n<p>a</x-y>" },
  { "around an inline script, white space goes with it", "<body><p>a|n</p><script>f()</script>\n |n<p>b" },
  { "an inline script without anything after it", "<body><p>|n<script>f()</script>|s</body></html>" },
  { "two inline scripts never share a segment", "<body>|n<script>f()</script>|s<script>g()</script>|s<p>" },
  { "an external script blocks", "<body>|n<script src=a.js></script>|b\n<p>" },
  { "async, defer and modules do not",
    "<body>|n<script async src=a></script>\n|n<script defer src=b></script>|n<script type=module src=c></script>|n"
    "<script type=module>d</script>|n<p>" },
  { "a data block is not a script", "<body><script type=application/json>{}</script><p>" },
  { "an import map neither", "<body><script type=importmap>{}</script><p>" },
  { "nomodule is for other browsers", "<body><script nomodule src=a></script><p>" },
  { "a script that ends the document", "<body>|n<script src=a></script>|b" },
  { "a script without an end never runs", "<body><p>|n<script>f()" },
  { "an end tag in a string does not end a script", "<body>|n<script>'<p id=x>'</script>|s<p>" },
  { "a script in a comment in a script", "<body>|n<script><!-- <script> </script> --></script>|s<p>" },
  { "the text of a textarea is not cut", "<body><textarea id=t><p id=x></textarea> |n<p>" },
  { "a textarea that nothing follows", "<body><textarea id=t>a</textarea><p>b<p id=c>|n"
                                       "d" },
  { "a style sheet's text is not cut", "<head><style id=s>p{}</style>\n|n<p>" },
  { "noscript is text", "<head><noscript><img id=x><p id=y></noscript><title>t</title><body id=z>|n<p>" },
  { "an iframe's text is not cut", "<body><iframe src=x><p id=y></iframe>\n|n<p>" },
  { "nothing is seen inside a template", "<body><template id=t><p id=x><script>f()</script></template>\n|n<p>" },
  { "text in a table waits", "<table><tr><td>a|n</td></tr><script>f()</script>|s\n<tr id=r>|n<td>b</table>" },
  { "comments are nodes", "<body><p>a</p><!-- <p id=x> -->|n<script>f()</script>|s" },
  { "an attribute may hold a tag", "<body><p title='<p id=x>'>a" },
  { "a select's options", "<body><select id=s>|n<option>a<option id=o>|nb</select><p>" },
  { "a foster parent", "<table>a<div id=x>|nb</div><tr><td>c</table>" },
  { "</p> ends SVG, but gumbo does not know", "<p id=a><svg></p><td id=d><p id=p>" },
  { "HTML in SVG", "<svg id=s>|n<foreignObject><p id=p>|n</p></foreignObject></svg><p id=q>|n</p><p>" },
  { "nobody can see <html> arrive", "<html id=h onclick=f()><head id=d>|n<title>a</title>" },
  { "nor a comment before it", "<!-- a --><script>f()</script>|s" },
  { "svg", "<svg id=s>|n<title id=t><b id=b>|na</title></svg>" },
};

static void
test_cuts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cut_cases); i++)
    {
      g_autoptr (GRegex) marks = g_regex_new ("\\|[nsb]", 0, 0, NULL);
      g_autofree char *text = g_regex_replace_literal (marks, cut_cases[i].expected, -1, 0, "", 0, NULL);
      g_autofree char *got = cut (text);
      g_test_message ("%s", cut_cases[i].why);
      g_assert_cmpstr (got, ==, cut_cases[i].expected);
    }
}

static void
test_first_segment (void)
{
  g_autoptr (RwHtml) html = prepare ("<!DOCTYPE html><body><p id=x>a");
  g_assert_cmpuint (rw_html_segment (html, 0)->length, >, 520);
  const char *text = rw_html_prepared (html, NULL);
  g_assert_cmpuint (strspn (text, " "), ==, strcspn (text, "<"));
  g_assert_true (g_str_has_prefix (text_of (html), "<!DOCTYPE html>"));
}

static void
test_blocking_script (void)
{
  g_autoptr (RwHtml) plain = prepare ("<body><script src='a.js?x=1'></script>");
  g_assert_cmpstr (rw_html_segment (plain, 1)->blocking_script, ==, "http://site.test/dir/a.js?x=1");
  g_autoptr (RwHtml) based = prepare ("<base href='https://cdn.test/lib/'><body><script src=a.js></script>");
  g_assert_cmpstr (rw_html_segment (based, 1)->blocking_script, ==, "https://cdn.test/lib/a.js");
}

static void
test_labels (void)
{
  g_autoptr (RwHtml) html = prepare ("<body><p>a<BUTTON id=next>b<script>f()</script><script src=x.js></script>c");
  g_assert_cmpstr (rw_html_segment (html, 0)->label, ==, "<button#next>");
  g_assert_cmpstr (rw_html_segment (html, 1)->label, ==, "text");
  g_assert_cmpstr (rw_html_segment (html, 2)->label, ==, "<script>");
  g_assert_cmpuint (rw_html_segment (html, 2)->n_inline_scripts, ==, 1);
  g_assert_cmpuint (rw_html_segment (html, 2)->script, ==, 1);
  g_assert_cmpstr (rw_html_segment (html, 3)->label, ==, "<script src=x.js>");
  g_assert_cmpstr (rw_html_segment (html, 4)->label, ==, "end");
}

static RwHtml *
prepare_repeated (const char *piece, guint n)
{
  g_autoptr (GString) text = g_string_new ("<!DOCTYPE html><body>");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, piece, i);
  return prepare (text->str);
}

static void
test_sizes (void)
{
  g_autoptr (RwHtml) plain = prepare_repeated ("<p>paragraph %u</p>\n", 2000);
  g_assert_cmpuint (rw_html_n_segments (plain), >=, 10);
  for (guint i = 0; i < rw_html_n_segments (plain); i++)
    {
      g_assert_cmpuint (rw_html_segment (plain, i)->length, <=, 8192);
      g_assert_cmpuint (rw_html_segment (plain, i)->n_elements, <=, 201);
    }
}

static void
test_limit (void)
{
  g_autoptr (RwHtml) ids = prepare_repeated ("<p id=p%u>a</p>", 5000);
  g_assert_cmpuint (rw_html_n_segments (ids), ==, RW_HTML_MAX_SEGMENTS);
  g_autoptr (RwHtml) scripts = prepare_repeated ("<script>f(%u)</script>", 500);
  g_assert_cmpuint (rw_html_n_segments (scripts), ==, RW_HTML_MAX_SEGMENTS);
  g_assert_cmpuint (rw_html_segment (scripts, 100)->n_inline_scripts, ==, 1);
  g_assert_cmpuint (rw_html_segment (scripts, RW_HTML_MAX_SEGMENTS - 1)->n_inline_scripts, >, 1);
  /* Cuts around scripts stay when those after ids are thinned out. */
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < 400; i++)
    g_string_append_printf (text, "<p id=p%u>%s", i, i % 40 == 20 ? "<script>f()</script>" : "");
  g_autoptr (RwHtml) both = prepare (text->str);
  guint alone = 0;
  for (guint i = 0; i < rw_html_n_segments (both); i++)
    alone += rw_html_segment (both, i)->n_inline_scripts == 1 && rw_html_segment (both, i)->n_elements == 1;
  g_assert_cmpuint (alone, ==, 10);
}

/* --- Scripts --- */

static void
test_inline_script (void)
{
  g_autoptr (RwHtml) html = prepare ("<body>\n<p>é😀<script>x = 1;\ny = x</script>");
  const RwHtmlScript *script = rw_html_script (html, 1);
  g_assert_cmpuint (rw_html_n_scripts (html), ==, 1);
  g_assert_cmpstr (script->original, ==, "x = 1;\ny = x");
  g_assert_cmpstr (rw_html_original_text (html, 1), ==, script->original);
  g_assert_null (rw_html_script (html, 2));
  g_assert_null (rw_html_original_text (html, 0));
  g_assert_cmpuint (script->line, ==, 2);
  g_assert_cmpuint (script->column, ==, 3 + 1 + 2 + 8 + 1); /* <p>, one unit, two units, <script> */
  g_assert_true (g_str_has_prefix (script->served, "$rw$.script(1);"));
  g_assert_nonnull (strstr (script->served, "$rw$.W(\"x\""));
  g_autofree char *element = g_strdup_printf ("<script>%s</script>", script->served);
  assert_has (html, element);
}

/* What stands before the call that announces the first script, without comments and white space. */
static char *
before_announcement (const RwHtml *html)
{
  const char *served = rw_html_script (html, 1)->served;
  const char *call = strstr (served, "$rw$.script(1);");
  g_assert_nonnull (call);
  g_autoptr (GRegex) blank = g_regex_new ("/\\*.*?\\*/|//[^\n]*|<!--[^\n]*|\\s", 0, 0, NULL);
  return g_regex_replace_literal (blank, served, call - served, 0, "", 0, NULL);
}

static void
test_directives (void)
{
  static const char *const cases[][2] = {
    { "f()", "" },
    { " /* c */ // d\nf()", "" },
    { "'use strict'; f()", "'usestrict';" },
    { "'use strict'\nf()", "'usestrict';" },
    { "'use strict'\n+ f()", "" },
    { "'use strict'.length", "" },
    { "'use strict'\ninstanceof Object", "" },
    { "\"a\\\"b\"; 'use strict'; f()", "\"a\\\"b\";'usestrict';" },
    { "'use strict'", "'usestrict';" },
    { "<!-- html comment\nf()", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("<body><script>%s</script>", cases[i][0]);
      g_autoptr (RwHtml) html = prepare (text);
      g_autofree char *before = before_announcement (html);
      g_test_message ("%s -> %s", cases[i][0], rw_html_script (html, 1)->served);
      g_assert_cmpstr (before, ==, cases[i][1]);
    }
}

static void
test_other_scripts (void)
{
  g_autoptr (RwHtml) html
      = prepare ("<body><script type=application/json>{\"x\":1}</script><script type=text/x-tmpl>x = 1</script>"
                 "<script type=module>import 'a'; x = 1</script><script language=vbscript>x = 1</script>"
                 "<script type=' text/javascript '>x = 2</script><script>x = </script>");
  g_assert_cmpuint (rw_html_n_scripts (html), ==, 3);
  assert_has (html, "<script type=application/json>{\"x\":1}</script>");
  assert_has (html, "<script type=text/x-tmpl>x = 1</script>");
  assert_has (html, "<script language=vbscript>x = 1</script>");
  g_assert_true (rw_html_script (html, 1)->module);
  g_assert_nonnull (strstr (rw_html_script (html, 1)->served, "$rw$.script(1)"));
  g_assert_false (rw_html_script (html, 2)->module);
  /* A syntax error of the page's own stays exactly that. */
  assert_has (html, "<script>x = </script>");
}

static void
test_templates (void)
{
  g_autoptr (RwHtml) html = prepare ("<body><template><p onclick='x = 1'><script>y = 1</script></template>");
  g_assert_cmpuint (rw_html_n_scripts (html), ==, 0);
  assert_has_not (html, "$rw$.script(");
  assert_has (html, "$rw$.W(&quot;x&quot;");
  assert_has (html, "$rw$.W(\"y\"");
}

static void
test_svg_script (void)
{
  g_autoptr (RwHtml) html = prepare ("<body><svg><script>x = 1 &lt; 2 &amp;&amp; 3</script></svg>");
  g_assert_cmpstr (rw_html_original_text (html, 1), ==, "x = 1 < 2 && 3");
  assert_has (html, "1 &lt; 2 &amp;&amp; 3");
}

/* --- Attributes --- */

static void
test_handlers (void)
{
  g_autoptr (RwHtml) html = prepare ("<body onload=x=1><p onclick='y = \"a\" &amp;&amp; &#39;b&#39;' title='x = 1'><p "
                                     "ONCLICK = \"z = 1\"><p onclick><p onclick=''><p onclick='a b'><p on-x='y = 1'>");
  assert_has (html, "<body onload=\"{const");
  assert_has (html, "$rw$.W(&quot;x&quot;,x=1");
  assert_has (html, "&quot;a&quot; &amp;&amp; 'b'");
  assert_has (html, "title='x = 1'");
  assert_has (html, "ONCLICK = \"{const");
  assert_has (html, "<p onclick><p onclick=''><p onclick='a b'><p on-x='y = 1'>");
}

static void
test_javascript_urls (void)
{
  g_autoptr (RwHtml) html = prepare ("<body><a href=' java\nscript:x=%22a b%22'>a</a><a href='javascript:void(0)'>b</a>"
                                     "<form action='JAVASCRIPT:y=1'></form><img src='javascript:z=1'>"
                                     "<iframe src='javascript:w=1'></iframe><a href='x?javascript:1'>");
  assert_has (html, "<a href=\"javascript:{const");
  assert_has (html, "x=%22a%20b%22");
  assert_has (html, "<a href='javascript:void(0)'>");
  assert_has (html, "<form action=\"javascript:");
  assert_has (html, "<img src='javascript:z=1'>");
  assert_has (html, "<iframe src=\"javascript:");
  assert_has (html, "<a href='x?javascript:1'>");
}

static void
test_srcdoc (void)
{
  g_autoptr (RwHtml) html
      = prepare ("<body><iframe srcdoc=\"<p onclick='x = 1'>&lt;b> &amp;amp; <script>y = 1</script>\"></iframe>"
                 "<iframe srcdoc='<p>&quot;'></iframe>");
  assert_has (html, "$rw$.W(&amp;quot;x&amp;quot;");
  assert_has (html, "$rw$.W(&quot;y&quot;");
  assert_has (html, "<b> &amp;amp; ");
  assert_has (html, "<iframe srcdoc='<p>&quot;'>");
  assert_has_not (html, "$rw$.script(");
}

static void
test_integrity (void)
{
  g_autoptr (RwHtml) html = prepare ("<head><script src=a.js integrity='sha256-abc' defer></script><link "
                                     "rel=stylesheet href=b.css integrity=sha256-css>"
                                     "<script src=https://cdn.test/c.js integrity=sha256-x></script>"
                                     "<script src=https://cdn.test/d.js crossorigin integrity=sha256-y></script>");
  const GPtrArray *integrities = rw_html_integrities (html);
  assert_has (html, "<script src=a.js  defer></script>");
  assert_has (html, "integrity=sha256-css");
  assert_has (html, "integrity=sha256-x");
  assert_has_not (html, "sha256-y");
  g_assert_cmpuint (integrities->len, ==, 2);
  g_assert_cmpstr (((RwHtmlIntegrity *)integrities->pdata[0])->url, ==, "http://site.test/dir/a.js");
  g_assert_cmpstr (((RwHtmlIntegrity *)integrities->pdata[0])->integrity, ==, "sha256-abc");
}

static void
test_integrity_check (void)
{
  g_assert_true (rw_html_integrity_matches ("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "abc", 3));
  g_assert_true (rw_html_integrity_matches ("sha256-ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0?x", "abc", 3));
  g_assert_true (
      rw_html_integrity_matches ("sha256-wrong sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "abc", 3));
  /* Only the strongest kind counts. */
  g_assert_false (
      rw_html_integrity_matches ("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0= sha512-wrong", "abc", 3));
  g_assert_false (rw_html_integrity_matches ("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "abd", 3));
  g_assert_true (rw_html_integrity_matches ("md5-what", "abc", 3));
}

/* --- Policies --- */

static char *
hash_of (const char *text)
{
  guint8 digest[32];
  gsize length = sizeof digest;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (checksum, (const guchar *)text, strlen (text));
  g_checksum_get_digest (checksum, digest, &length);
  return g_base64_encode (digest, length);
}

static void
test_policy (void)
{
  g_autofree char *known = hash_of ("x = 1");
  g_autofree char *unknown = hash_of ("x = 2");
  g_autofree char *policy
      = g_strdup_printf ("default-src 'self'; script-src 'nonce-a' 'sha256-%s' 'sha256-%s'; img-src *", unknown, known);
  g_autofree char *text
      = g_strdup_printf ("<meta http-equiv=content-security-policy content=\"%s\"><script>x = 1</script>"
                         "<script nonce=a>y = 1</script>",
                         policy);
  g_autoptr (RwHtml) html = prepare (text);
  g_autofree char *served = hash_of (rw_html_script (html, 1)->served);
  g_autofree char *adjusted = rw_html_adjust_policy (html, policy);
  g_autofree char *expected
      = g_strdup_printf ("default-src 'self'; script-src 'nonce-a' 'sha256-%s' 'sha256-%s' 'sha256-%s'; img-src *",
                         unknown, known, served);
  g_assert_cmpstr (adjusted, ==, expected);
  assert_has (html, expected);
  assert_has (html, "<script nonce=a>");
  /* A hash would switch 'unsafe-inline' off. */
  g_autofree char *open = rw_html_adjust_policy (html, "script-src 'unsafe-inline'");
  g_assert_cmpstr (open, ==, "script-src 'unsafe-inline'");
}

/* --- Encodings --- */

static void
assert_decoded (const char *bytes, const char *charset, const char *expected_charset, const char *piece)
{
  g_autoptr (RwHtml) html = prepare_bytes (bytes, strlen (bytes), charset, NULL);
  g_assert_cmpstr (rw_html_charset (html), ==, expected_charset);
  assert_has (html, piece);
  g_assert_true (g_utf8_validate (rw_html_prepared (html, NULL), -1, NULL));
}

static void
test_encodings (void)
{
  assert_decoded ("<p>\xe9\x80", "iso-8859-1", "windows-1252", "<p>é€");
  assert_decoded ("<p>\xe9\x81!", NULL, "windows-1252", "<p>é\xc2\x81!");
  assert_decoded ("<meta charset=utf-8><p>é", NULL, "UTF-8", "<p>é");
  assert_decoded ("<meta charset=\"Shift_JIS\"><p>\x83\x65", NULL, "Shift_JIS", "<p>テ");
  assert_decoded ("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><p>\xc1", NULL, "KOI8-R", "<p>а");
  assert_decoded ("<!-- <meta charset=koi8-r> --><p>\xc1", NULL, "windows-1252", "<p>Á");
  assert_decoded ("<meta charset=koi8-r><p>\xc1", "windows-1251", "windows-1251", "<p>Б");
  assert_decoded ("\xef\xbb\xbf<p>é", "iso-8859-1", "UTF-8", "<p>é");
  assert_decoded ("<meta charset=utf-16><p>é", NULL, "UTF-8", "<p>é");
  assert_decoded ("<p>a\xff\xfe"
                  "b",
                  "utf-8", "UTF-8",
                  "<p>a\xef\xbf\xbd\xef\xbf\xbd"
                  "b");
  assert_decoded ("<p>a", "no-such-charset", "windows-1252", "<p>a");
  assert_decoded ("<p>\xb1", "iso-8859-2", "ISO-8859-2", "<p>ą");
  assert_decoded ("<p>\xc4\xe3", "gb2312", "GBK", "<p>你");
}

static void
test_utf16 (void)
{
  static const char text[] = "\xff\xfe<\0p\0>\0\xe9\0\x3d\xd8\x00\xde";
  g_autoptr (RwHtml) html = prepare_bytes (text, sizeof text - 1, "utf-8", NULL);
  g_assert_cmpstr (rw_html_charset (html), ==, "UTF-16LE");
  assert_has (html, "<p>é😀");
}

static void
test_nul (void)
{
  static const char text[] = "<body><p id=a>x\0y<script>z = 1 //\0</script>";
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  g_autoptr (RwHtml) html = prepare_bytes (text, sizeof text - 1, "utf-8", scripts);
  gsize length;
  rw_html_prepared (html, &length);
  g_assert_cmpuint (length, ==, strlen (rw_html_prepared (html, NULL)));
  g_assert_cmpuint (rw_html_n_scripts (html), ==, 1);
}

/* --- Fragments --- */

static void
test_fragment (void)
{
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  g_autofree char *row = rw_html_rewrite_fragment ("<tr onclick='x = 1'><td>a", -1, URL, scripts);
  g_assert_nonnull (strstr (row, "$rw$.W(&quot;x&quot;"));
  g_assert_true (g_str_has_suffix (row, "><td>a"));
  g_autofree char *script = rw_html_rewrite_fragment ("<script>y = 1</script>", -1, URL, scripts);
  g_assert_nonnull (strstr (script, "$rw$.W(\"y\""));
  g_assert_null (strstr (script, "$rw$.script("));
  g_autofree char *plain = rw_html_rewrite_fragment ("a < b & c <p class=x>", -1, URL, scripts);
  g_assert_cmpstr (plain, ==, "a < b & c <p class=x>");
  /* What was rewritten once is left alone. */
  g_autofree char *twice = rw_html_rewrite_fragment (row, -1, URL, scripts);
  g_assert_cmpstr (twice, ==, row);
}

/* --- Properties --- */

static void
describe_tree (GString *out, const RwHtmlTree *tree)
{
  RwHtmlWalk walk;
  rw_html_walk_init (&walk, tree);
  while (rw_html_walk_next (&walk))
    {
      const GumboNode *node = walk.node;
      gboolean in_script = node->parent != NULL && rw_html_node_is_element (node->parent)
                           && node->parent->v.element.tag == GUMBO_TAG_SCRIPT;
      g_string_append_printf (out, "%*s%d ", (int)walk.stack->len, "", node->type);
      if (!rw_html_node_is_element (node))
        g_string_append (out, in_script || node->type == GUMBO_NODE_DOCUMENT ? "" : node->v.text.text);
      else
        for (guint i = 0; i < node->v.element.attributes.length; i++)
          {
            const GumboAttribute *attribute = node->v.element.attributes.data[i];
            gboolean changes = g_str_has_prefix (attribute->name, "on") || strcmp (attribute->name, "integrity") == 0
                               || strcmp (attribute->name, "srcdoc") == 0 || strcmp (attribute->name, "content") == 0
                               || g_ascii_strncasecmp (attribute->value, "javascript:", 11) == 0;
            if (strcmp (attribute->name, "integrity") != 0)
              g_string_append_printf (out, "%s=%s ", attribute->name, changes ? "" : attribute->value);
          }
      g_string_append_c (out, '\n');
    }
  rw_html_walk_clear (&walk);
}

static char *
shape_of (const char *text, gsize length)
{
  GString *out = g_string_new (NULL);
  g_autoptr (RwHtmlTree) tree = rw_html_tree_new (text, length, FALSE);
  if (tree != NULL)
    describe_tree (out, tree);
  return g_string_free (out, FALSE);
}

static const char *const pieces[] = { "<p>",
                                      "</p>",
                                      "<div id=a>",
                                      "</div>",
                                      "<table>",
                                      "<tr>",
                                      "<td>",
                                      "</table>",
                                      "<select>",
                                      "<option>",
                                      "</select>",
                                      "<script>x = 1</script>",
                                      "<script src=a.js></script>",
                                      "<script type=module>y = 1",
                                      "</script>",
                                      "<!--",
                                      "-->",
                                      "<template>",
                                      "</template>",
                                      "<b>",
                                      "<i name=n>",
                                      "</b>",
                                      "</i>",
                                      "text",
                                      " ",
                                      "\n",
                                      "&amp;",
                                      "&am",
                                      "<svg>",
                                      "</svg>",
                                      "<math>",
                                      "<textarea>",
                                      "</textarea>",
                                      "<title>",
                                      "</title>",
                                      "<noscript>",
                                      "</noscript>",
                                      "<p onclick='z = 1'>",
                                      "<a href='javascript:w=1'>",
                                      "<form>",
                                      "<input>",
                                      "<style>",
                                      "</style>",
                                      "<body onload=q()>",
                                      "<html lang=x>",
                                      "<head>",
                                      "</head>",
                                      "</body>",
                                      "</html>",
                                      "<frameset>",
                                      "<iframe srcdoc='<p onclick=r()>'>",
                                      "</iframe>",
                                      "<plaintext>",
                                      "<x-y>",
                                      "<button onclick=\"v = '&lt;'\">",
                                      "<",
                                      ">",
                                      "'",
                                      "\"",
                                      "<!DOCTYPE html>",
                                      "<![CDATA[",
                                      "]]>",
                                      "<?x",
                                      "<base href=/b/>",
                                      "é",
                                      "\r\n",
                                      "<isindex>",
                                      "<image>",
                                      "<br/>",
                                      "</br>",
                                      "<a",
                                      " id=x",
                                      "<script async integrity=sha256-x src=b.js>",
                                      "<li>",
                                      "<caption>",
                                      "<col>",
                                      "<rp>",
                                      "<optgroup>",
                                      "<h1>",
                                      "<nobr>" };

static void
check_document (RwScripts *scripts, const char *text, gsize length)
{
  g_autoptr (RwHtml) html = prepare_bytes (text, length, "utf-8", scripts);
  gsize total;
  gsize at = 0;
  const char *prepared = rw_html_prepared (html, &total);
  for (guint i = 0; i < rw_html_n_segments (html); i++)
    {
      const RwSegment *segment = rw_html_segment (html, i);
      g_assert_cmpuint (segment->offset, ==, at);
      g_assert_true (segment->is_last == (i + 1 == rw_html_n_segments (html)));
      g_assert_true (segment->length > 0 || segment->is_last);
      at += segment->length;
    }
  g_assert_cmpuint (at, ==, total);
  g_autofree char *before = shape_of (text, length);
  gsize skip = strspn (prepared, " ");
  g_autofree char *after = shape_of (prepared + skip, total - skip);
  /* White space in front of a document is dropped, so leave it out of the comparison. */
  if (length > 0 && text[0] != ' ')
    g_assert_cmpstr (after, ==, before);
}

static void
test_properties (void)
{
  guint n = g_getenv ("RW_LONG") != NULL ? 50000 : 2000;
  g_autoptr (RwScripts) scripts = rw_scripts_new ();
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      guint length = (guint)g_test_rand_int_range (0, 40);
      for (guint j = 0; j < length; j++)
        g_string_append (text, pieces[g_test_rand_int_range (0, G_N_ELEMENTS (pieces))]);
      check_document (scripts, text->str, text->len);
    }
}

/* --- Hostile documents --- */

static void
test_hostile (void)
{
  static const char *const repeated[] = { "<div>",
                                          "<b a%u>",
                                          "<table>",
                                          "<svg>",
                                          "<p onclick='x = %u'>",
                                          "<script>",
                                          "<!--",
                                          "<a href=javascript:x%u>",
                                          "<iframe srcdoc='",
                                          "&",
                                          "\"",
                                          "<template>",
                                          "<select>",
                                          "<b a%u><p>",
                                          "</p>",
                                          "<font size=%u><table>" };
  for (guint i = 0; i < G_N_ELEMENTS (repeated); i++)
    {
      g_test_message ("%s", repeated[i]);
      g_autoptr (RwHtml) html = prepare_repeated (repeated[i], 3000);
      g_assert_cmpuint (rw_html_n_segments (html), >=, 1);
    }
  g_autoptr (RwHtml) deep = prepare_repeated ("<div>", 300000);
  g_assert_cmpuint (rw_html_n_segments (deep), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/html/segments-end-after-nodes", test_cuts);
  g_test_add_func ("/recorder/html/first-segment-is-long-enough", test_first_segment);
  g_test_add_func ("/recorder/html/blocking-scripts-are-named", test_blocking_script);
  g_test_add_func ("/recorder/html/segments-have-labels", test_labels);
  g_test_add_func ("/recorder/html/segments-are-small", test_sizes);
  g_test_add_func ("/recorder/html/segments-are-few", test_limit);
  g_test_add_func ("/recorder/html/inline-scripts-are-rewritten-and-numbered", test_inline_script);
  g_test_add_func ("/recorder/html/directives-stay-first", test_directives);
  g_test_add_func ("/recorder/html/data-blocks-and-broken-scripts-stay", test_other_scripts);
  g_test_add_func ("/recorder/html/templates-are-rewritten-but-not-numbered", test_templates);
  g_test_add_func ("/recorder/html/svg-scripts-are-escaped", test_svg_script);
  g_test_add_func ("/recorder/html/handlers-are-rewritten", test_handlers);
  g_test_add_func ("/recorder/html/javascript-urls-are-rewritten", test_javascript_urls);
  g_test_add_func ("/recorder/html/srcdoc-is-rewritten", test_srcdoc);
  g_test_add_func ("/recorder/html/integrity-moves-to-the-proxy", test_integrity);
  g_test_add_func ("/recorder/html/integrity-is-checked", test_integrity_check);
  g_test_add_func ("/recorder/html/policies-get-the-served-hashes", test_policy);
  g_test_add_func ("/recorder/html/encodings-become-utf-8", test_encodings);
  g_test_add_func ("/recorder/html/utf-16-is-told-by-its-mark", test_utf16);
  g_test_add_func ("/recorder/html/nul-bytes-are-replaced", test_nul);
  g_test_add_func ("/recorder/html/fragments-are-rewritten", test_fragment);
  g_test_add_func ("/recorder/html/preparing-keeps-the-tree", test_properties);
  g_test_add_func ("/recorder/html/hostile-documents-end", test_hostile);
  return g_test_run ();
}
