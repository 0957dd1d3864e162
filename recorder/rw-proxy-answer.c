/* SPDX-License-Identifier: MIT */
/* From an exchange to what the view gets: what it is, rewritten bodies, adjusted headers, ranges. */
#include "rw-html-private.h"
#include "rw-proxy-private.h"

#include "rw-runtime.h"

#include <string.h>

/* --- Header blocks --- */

char *
rw_headers_get (const char *headers, const char *name)
{
  gsize length = strlen (name);
  for (const char *line = headers; line != NULL && *line != '\0';)
    {
      const char *end = line + strcspn (line, "\n");
      if (g_ascii_strncasecmp (line, name, length) == 0 && line[length] == ':')
        return g_strstrip (g_strndup (line + length + 1, end - line - length - 1));
      line = *end != '\0' ? end + 1 : NULL;
    }
  return NULL;
}

/* "text/html" of "text/html; charset=x", in lower case; "" if there is no type. */
static char *
media_type (const char *headers, char **charset)
{
  g_autofree char *value = rw_headers_get (headers, "Content-Type");
  if (charset != NULL)
    *charset = NULL;
  if (value == NULL)
    return g_strdup ("");
  char *parameters = strchr (value, ';');
  for (char *p = parameters; charset != NULL && *charset == NULL && p != NULL; p = strchr (p + 1, ';'))
    {
      char *name = p + 1 + strspn (p + 1, " \t");
      if (g_ascii_strncasecmp (name, "charset=", 8) == 0)
        *charset = g_strndup (name + 8 + (name[8] == '"'), strcspn (name + 8 + (name[8] == '"'), "\"; \t"));
    }
  if (parameters != NULL)
    *parameters = '\0';
  g_strstrip (value);
  return g_ascii_strdown (value, -1);
}

/* --- What it is --- */

const char *
rw_proxy_what_name (RwProxyWhat what)
{
  static const char *const names[] = { "document", "script", "style", "image", "font", "media", "other" };
  return names[what];
}

static gboolean
is_javascript (const char *type)
{
  return g_str_has_suffix (type, "/javascript") || g_str_has_suffix (type, "/ecmascript")
         || g_str_has_suffix (type, "/x-javascript") || g_str_has_suffix (type, "/x-ecmascript")
         || strcmp (type, "text/jscript") == 0 || strcmp (type, "text/livescript") == 0;
}

static const char *
request_header (const RwTransaction *self, const char *name)
{
  return soup_message_headers_get_one (soup_server_message_get_request_headers (self->message), name);
}

static gboolean
is_navigation (const RwTransaction *self)
{
  const char *destination = request_header (self, "Sec-Fetch-Dest");
  const char *accept = request_header (self, "Accept");
  if (self->hint != NULL)
    return strcmp (self->hint, "document") == 0;
  if (destination != NULL)
    return strcmp (destination, "document") == 0 || g_str_has_suffix (destination, "frame");
  return accept != NULL && g_str_has_prefix (accept, "text/html");
}

/* Asked for by fetch or XHR: whatever it is, the page gets it as data. */
static gboolean
is_data (const RwTransaction *self)
{
  const char *destination = request_header (self, "Sec-Fetch-Dest");
  if (self->hint != NULL)
    return strcmp (self->hint, "fetch") == 0;
  /* Identities come with the requests that the runtime itself makes. */
  if (self->id != NULL)
    return TRUE;
  return destination != NULL && (strcmp (destination, "empty") == 0 || *destination == '\0');
}

static gboolean
runs_as_script (const RwTransaction *self, const char *type)
{
  const char *destination = request_header (self, "Sec-Fetch-Dest");
  RwExpect expected = GPOINTER_TO_UINT (g_hash_table_lookup (self->proxy->expected, self->url));
  if (self->hint != NULL
      && (strcmp (self->hint, "script") == 0 || strcmp (self->hint, "module") == 0
          || strcmp (self->hint, "worker") == 0))
    return TRUE;
  if (destination != NULL)
    return strcmp (destination, "script") == 0 || g_str_has_suffix (destination, "worker");
  /* A classic script runs whatever its type, but for a few that no server gives to one. */
  gboolean sniffed = expected == RW_EXPECT_CLASSIC && !g_str_has_prefix (type, "image/")
                     && !g_str_has_prefix (type, "audio/") && !g_str_has_prefix (type, "video/")
                     && strcmp (type, "text/csv") != 0;
  return is_javascript (type) || sniffed;
}

/* A worker has no runtime unless it is put in front of its script, and without one nothing of it can be rewritten. */
static gboolean
is_worker (const RwTransaction *self)
{
  const char *destination = request_header (self, "Sec-Fetch-Dest");
  RwExpect expected = GPOINTER_TO_UINT (g_hash_table_lookup (self->proxy->expected, self->url));
  if (self->hint != NULL)
    return strcmp (self->hint, "worker") == 0;
  return expected == RW_EXPECT_WORKER || (destination != NULL && g_str_has_suffix (destination, "worker"));
}

static RwProxyWhat
classify (const RwTransaction *self, const char *type)
{
  guint status = self->exchange->status;
  if (status == 0 || status == 204 || (status >= 300 && status < 400))
    return RW_PROXY_OTHER;
  if (is_navigation (self) && strcmp (type, "text/html") == 0)
    return RW_PROXY_DOCUMENT;
  if (is_data (self))
    return RW_PROXY_OTHER;
  if (status < 300 && runs_as_script (self, type))
    return RW_PROXY_SCRIPT;
  if (strcmp (type, "text/css") == 0)
    return RW_PROXY_STYLE;
  if (g_str_has_prefix (type, "image/"))
    return RW_PROXY_IMAGE;
  if (g_str_has_prefix (type, "font/") || strstr (type, "font-") != NULL)
    return RW_PROXY_FONT;
  if (g_str_has_prefix (type, "audio/") || g_str_has_prefix (type, "video/"))
    return RW_PROXY_MEDIA;
  return RW_PROXY_OTHER;
}

/* --- Bodies --- */

static void
expect (RwProxy *proxy, const char *base, const char *address, RwExpect what)
{
  g_autofree char *url = g_uri_resolve_relative (base, address, G_URI_FLAGS_NONE, NULL);
  if (url != NULL)
    g_hash_table_insert (proxy->expected, rw_proxy_normalize_url (url), GUINT_TO_POINTER (what));
}

/* What the script says just before a string: what the address in it will be used for. */
static RwExpect
expectation_before (const char *text, const char *p)
{
  static const struct
  {
    const char *word;
    RwExpect expect;
  } words[] = { { "from", RW_EXPECT_MODULE },
                { "import", RW_EXPECT_MODULE },
                { "Worker", RW_EXPECT_WORKER },
                { "Worker(new URL", RW_EXPECT_WORKER },
                { "importScripts", RW_EXPECT_WORKER } };
  while (p > text && (g_ascii_isspace (p[-1]) || p[-1] == '('))
    p--;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize length = strlen (words[i].word);
      if ((gsize)(p - text) >= length && strncmp (p - length, words[i].word, length) == 0)
        return words[i].expect;
    }
  return RW_EXPECT_NOTHING;
}

/* Modules that a script imports by name, and scripts that it starts workers with, are known before they are asked for.
 * A look at the tokens is enough: too many cost nothing, unless a page uses one address in two ways. */
static void
expect_imports (RwProxy *proxy, const char *base, const char *text)
{
  for (const char *p = text; (p = strpbrk (p, "\"'`")) != NULL; p++)
    {
      RwExpect expected = expectation_before (text, p);
      const char *end = strpbrk (p + 1, "\"'`\n");
      if (end == NULL)
        return;
      if (expected != RW_EXPECT_NOTHING && *end == *p && end - p < 2000)
        {
          g_autofree char *address = g_strndup (p + 1, end - p - 1);
          gboolean relative = *address == '/' || *address == '.';
          if (relative || expected == RW_EXPECT_WORKER || strstr (address, "://") != NULL)
            expect (proxy, base, address, expected);
        }
      p = *end == *p ? end : p;
    }
}

static RwScriptKind
kind_of_script (RwTransaction *self)
{
  RwExpect expected = GPOINTER_TO_UINT (g_hash_table_lookup (self->proxy->expected, self->url));
  gboolean module = self->hint != NULL ? strcmp (self->hint, "module") == 0 : expected == RW_EXPECT_MODULE;
  return module ? RW_SCRIPT_MODULE : RW_SCRIPT_CLASSIC;
}

/* FALSE: the element demanded another text by integrity=, and fails as it would have without us. */
static gboolean
has_integrity (RwTransaction *self)
{
  GPtrArray *demands = g_hash_table_lookup (self->proxy->integrities, self->url);
  gsize length;
  const void *data = g_bytes_get_data (self->exchange->body, &length);
  for (guint i = 0; demands != NULL && i < demands->len; i++)
    if (!rw_html_integrity_matches (demands->pdata[i], data, length))
      return FALSE;
  return TRUE;
}

static void
prepare_script (RwTransaction *self, const char *charset)
{
  gsize length;
  gsize served_length;
  g_autofree char *text = rw_html_decode (self->exchange->body, charset, FALSE, "utf-8", &length, NULL);
  if (charset == NULL
      && !g_utf8_validate (g_bytes_get_data (self->exchange->body, NULL), g_bytes_get_size (self->exchange->body),
                           NULL))
    {
      g_free (text);
      text = rw_html_decode (self->exchange->body, NULL, FALSE, "windows-1252", &length, NULL);
    }
  RwScriptSource where = { .url = self->url, .line = 1, .column = 1, .kind = kind_of_script (self) };
  expect_imports (self->proxy, self->url, text);
  const char *served = text;
  served_length = length;
  if (self->proxy->scripts != NULL && !is_worker (self))
    served = rw_scripts_rewrite (self->proxy->scripts, &where, text, (gssize)length, &served_length);
  self->body = g_bytes_new (served, served_length);
}

static void
note_markup (RwTransaction *self)
{
  RwProxy *proxy = self->proxy;
  const GPtrArray *integrities = rw_html_integrities (self->html);
  for (guint i = 0; i < integrities->len; i++)
    {
      const RwHtmlIntegrity *integrity = integrities->pdata[i];
      GPtrArray *demands = g_hash_table_lookup (proxy->integrities, integrity->url);
      if (demands == NULL)
        {
          demands = g_ptr_array_new_with_free_func (g_free);
          g_hash_table_insert (proxy->integrities, rw_proxy_normalize_url (integrity->url), demands);
        }
      g_ptr_array_add (demands, g_strdup (integrity->integrity));
    }
  const GPtrArray *externals = rw_html_externals (self->html);
  for (guint i = 0; i < externals->len; i++)
    {
      const RwHtmlExternal *external = externals->pdata[i];
      expect (proxy, self->url, external->url, external->module ? RW_EXPECT_MODULE : RW_EXPECT_CLASSIC);
    }
  for (guint i = 1; i <= rw_html_n_scripts (self->html); i++)
    expect_imports (proxy, self->url, rw_html_script (self->html, i)->original);
}

/* A worker has no access log: its script stays as it is, behind what the scripts that it imports need. */
static void
prepare_worker (RwTransaction *self)
{
  g_autofree char *prelude = rw_runtime_worker ();
  GByteArray *body = g_byte_array_new ();
  gsize length;
  const guint8 *script = g_bytes_get_data (self->exchange->body, &length);
  g_byte_array_append (body, (const guint8 *)prelude, (guint)strlen (prelude));
  g_byte_array_append (body, script, (guint)length);
  self->body = g_byte_array_free_to_bytes (body);
}

void
rw_transaction_prepare (RwTransaction *self)
{
  g_autofree char *charset = NULL;
  g_autofree char *type = media_type (self->exchange->headers, &charset);
  g_autofree char *encoding = rw_headers_get (self->exchange->headers, "Content-Encoding");
  self->what = classify (self, type);
  gboolean readable = encoding == NULL && self->exchange->body != NULL && strcmp (self->method, "HEAD") != 0
                      && !self->proxy->plain;
  if (readable && self->exchange->status == 200 && self->id != NULL && g_str_has_suffix (self->id, "worker"))
    prepare_worker (self);
  else if (self->what == RW_PROXY_DOCUMENT && readable)
    {
      self->html = rw_html_prepare (self->exchange->body, charset, self->url, self->proxy->scripts);
      note_markup (self);
    }
  else if (self->what == RW_PROXY_SCRIPT && readable && has_integrity (self))
    prepare_script (self, charset);
  else if (self->what == RW_PROXY_SCRIPT && readable)
    self->broken_integrity = TRUE;
  if (self->html == NULL && self->body == NULL)
    self->body = self->exchange->body != NULL ? g_bytes_ref (self->exchange->body) : g_bytes_new_static ("", 0);
}

/* --- Heads --- */

static gboolean
is_dropped (const char *name)
{
  /* The first lines belong to the connection, not to the page; the last ones would bring memory of one run into the
   * next. */
  static const char *const names[] = { "Connection",
                                       "Keep-Alive",
                                       "Proxy-Authenticate",
                                       "Proxy-Connection",
                                       "Trailer",
                                       "Transfer-Encoding",
                                       "Upgrade",
                                       "Content-Length",
                                       "Alt-Svc",
                                       "Strict-Transport-Security",
                                       "Cache-Control",
                                       "Expires",
                                       "Pragma",
                                       "Age",
                                       NULL };
  for (guint i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], name) == 0)
      return TRUE;
  return FALSE;
}

static void
append_header (RwTransaction *self, SoupMessageHeaders *to, const char *name, const char *value)
{
  gboolean policy = g_ascii_strcasecmp (name, "Content-Security-Policy") == 0
                    || g_ascii_strcasecmp (name, "Content-Security-Policy-Report-Only") == 0;
  if (is_dropped (name) || g_ascii_strncasecmp (name, "X-RW", 4) == 0)
    return;
  if (g_ascii_strcasecmp (name, "Content-Type") == 0 && self->html != NULL)
    return;
  if (g_ascii_strcasecmp (name, "Content-Type") == 0 && self->what == RW_PROXY_SCRIPT)
    {
      g_autofree char *type = g_strndup (value, strcspn (value, ";"));
      g_autofree char *typed = g_strconcat (g_strstrip (type), "; charset=utf-8", NULL);
      soup_message_headers_replace (to, name, typed);
      return;
    }
  g_autofree char *adjusted
      = policy && self->html != NULL ? rw_html_adjust_policy (self->html, value) : g_strdup (value);
  soup_message_headers_append (to, name, adjusted);
}

static void
append_headers (RwTransaction *self, SoupMessageHeaders *to)
{
  g_auto (GStrv) lines = g_strsplit (self->exchange->headers != NULL ? self->exchange->headers : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *colon = strchr (lines[i], ':');
      if (colon == NULL || colon == lines[i])
        continue;
      *colon = '\0';
      append_header (self, to, lines[i], g_strstrip (colon + 1));
    }
  soup_message_headers_replace (to, "Cache-Control", "no-store");
  if (self->html != NULL)
    soup_message_headers_replace (to, "Content-Type", "text/html; charset=utf-8");
}

static void
replace_body (RwTransaction *self, guint status, gsize start, gsize length)
{
  GBytes *piece = g_bytes_new_from_bytes (self->body, start, length);
  g_bytes_unref (self->body);
  self->body = piece;
  soup_server_message_set_status (self->message, status, NULL);
}

/* Cuts the body to what the request's Range asked for. Media are asked for in pieces whose sizes depend on time, so the
 * recording holds whole bodies only. Several ranges at once get the whole, as they may. */
static void
apply_range (RwTransaction *self, SoupMessageHeaders *to)
{
  gsize total = g_bytes_get_size (self->body);
  SoupRange *ranges = NULL;
  int n_ranges = 0;
  SoupMessageHeaders *request = soup_server_message_get_request_headers (self->message);
  const char *range = soup_message_headers_get_one (request, "Range");
  if (range == NULL || strchr (range, ',') != NULL
      || !soup_message_headers_get_ranges (request, (goffset)total, &ranges, &n_ranges))
    return;
  gsize start = (gsize)ranges[0].start;
  gsize end = MIN ((gsize)ranges[0].end, total - 1);
  if (total > 0 && start < total && start <= end)
    {
      soup_message_headers_set_content_range (to, (goffset)start, (goffset)end, (goffset)total);
      replace_body (self, SOUP_STATUS_PARTIAL_CONTENT, start, end - start + 1);
    }
  else
    {
      g_autofree char *unsatisfied = g_strdup_printf ("bytes */%" G_GSIZE_FORMAT, total);
      soup_message_headers_replace (to, "Content-Range", unsatisfied);
      replace_body (self, SOUP_STATUS_REQUESTED_RANGE_NOT_SATISFIABLE, 0, 0);
    }
  soup_message_headers_free_ranges (request, ranges);
}

void
rw_transaction_send_head (RwTransaction *self, gboolean chunked)
{
  SoupMessageHeaders *to = soup_server_message_get_response_headers (self->message);
  const RwExchange *exchange = self->exchange;
  soup_server_message_set_status (self->message, exchange->status, exchange->reason);
  append_headers (self, to);
  /* Of a rewritten text and of a stream there are no ranges. */
  if (exchange->status == 200 && self->body != NULL && self->what != RW_PROXY_SCRIPT)
    apply_range (self, to);
  /* The server would do it again, and fails for ranges that end behind the body. */
  soup_message_headers_remove (soup_server_message_get_request_headers (self->message), "Range");
  /* A connection that is used again is now and then closed under a request that is on its way. */
  soup_message_headers_replace (to, "Connection", "close");
  soup_message_headers_set_encoding (to, chunked ? SOUP_ENCODING_CHUNKED : SOUP_ENCODING_CONTENT_LENGTH);
}
