/* SPDX-License-Identifier: MIT */
/* Puts the preparation of a document together: decode, parse, rewrite, cut. */
#include "rw-html-private.h"

#include <string.h>

/* With a charset in the Content-Type, WebKit parses after 512 bytes. */
#define FIRST_BYTES 600

struct _RwHtml
{
  gatomicrefcount references;
  char *url;
  const char *charset;
  GString *text;
  GArray *segments;       /* of RwSegment */
  GPtrArray *scripts;     /* of RwHtmlScript */
  GPtrArray *pairs;       /* of RwHtmlPair */
  GPtrArray *integrities; /* of RwHtmlIntegrity */
  GPtrArray *externals;   /* of RwHtmlExternal */
};

static void
script_free (gpointer data)
{
  RwHtmlScript *script = data;
  g_free ((char *)script->original);
  g_free ((char *)script->served);
  g_free (script);
}

static void
pair_free (gpointer data)
{
  RwHtmlPair *pair = data;
  g_free (pair->original);
  g_free (pair->served);
  g_free (pair);
}

static void
integrity_free (gpointer data)
{
  RwHtmlIntegrity *integrity = data;
  g_free (integrity->url);
  g_free (integrity->integrity);
  g_free (integrity);
}

static void
external_free (gpointer data)
{
  RwHtmlExternal *external = data;
  g_free (external->url);
  g_free (external);
}

/* --- Segments --- */

static char *
describe (const GumboNode *node)
{
  const char *id = rw_html_node_attribute (node, "id");
  const char *src = rw_html_node_attribute (node, "src");
  GumboStringPiece piece = node->v.element.original_tag;
  gumbo_tag_from_original_text (&piece);
  g_autofree char *name = g_ascii_strdown (piece.data, MIN (piece.length, 40));
  if (id != NULL && *id != '\0')
    return g_strdup_printf ("<%s#%.60s>", name, id);
  if (src != NULL && *src != '\0' && !g_str_has_prefix (src, "data:"))
    return g_strdup_printf ("<%s src=%.80s>", name, src);
  return g_strdup_printf ("<%s>", name);
}

/* The parser may stop for a while in the middle of a segment, so one has to look for the element that comes last. */
static void
find_last_tag (RwSegment *segment, const RwHtmlCuts *cuts, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    {
      GumboStringPiece name = g_array_index (cuts->tokens, RwHtmlToken, to - 1 - (i - from)).node->v.element.original_tag;
      gumbo_tag_from_original_text (&name);
      g_autofree char *lower = g_ascii_strdown (name.data, (gssize) name.length);
      if (i == from)
        segment->last_tag = g_utf8_validate (lower, -1, NULL) ? g_strdup (lower) : NULL;
      segment->n_last_tag += g_strcmp0 (segment->last_tag, lower) == 0;
    }
}

/* The tokens in [start, end) of the text as it came: how many, how many scripts run, and what to call it. */
static void
fill_segment (RwHtml *self, RwSegment *segment, const RwHtmlRewrite *rewrite, const RwHtmlCuts *cuts, guint *at,
              gsize end)
{
  const GumboNode *last = NULL;
  guint from = *at;
  for (; *at < cuts->tokens->len; ++*at)
    {
      const RwHtmlToken *token = &g_array_index (cuts->tokens, RwHtmlToken, *at);
      if (token->start >= end)
        break;
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (rewrite->ordinals, token->node));
      gboolean runs = rw_html_script_type (token->node) == RW_HTML_SCRIPT_CLASSIC
                      && token->node->v.element.original_end_tag.length > 0;
      segment->n_elements++;
      segment->n_inline_scripts += runs;
      if (runs && segment->script == 0)
        segment->script = number;
      if (number > 0)
        ((RwHtmlScript *)self->scripts->pdata[number - 1])->segment = self->segments->len;
      if (last == NULL || rw_html_script_type (last) == RW_HTML_SCRIPT_NONE)
        last = token->node;
    }
  find_last_tag (segment, cuts, from, *at);
  g_autofree char *label = last != NULL ? describe (last) : g_strdup (segment->is_last ? "end" : "text");
  g_autofree char *valid = g_utf8_make_valid (label, -1);
  segment->label = g_strdup (valid);
}

static void
add_segments (RwHtml *self, const RwHtmlRewrite *rewrite, const RwHtmlCuts *cuts, gsize padding)
{
  gsize from = 0;
  guint at = 0;
  for (guint i = 0; i <= cuts->cuts->len; i++)
    {
      gboolean is_last = i == cuts->cuts->len;
      const RwHtmlCut *cut = is_last ? NULL : &g_array_index (cuts->cuts, RwHtmlCut, i);
      gsize to = is_last ? self->text->len : rw_html_rewrite_map (rewrite, cut->offset) + padding;
      RwSegment segment = { .offset = from, .length = to - from, .is_last = is_last };
      segment.end = is_last ? RW_SEGMENT_LAST : cut->end;
      segment.blocking_script = is_last ? NULL : g_strdup (cut->blocking);
      fill_segment (self, &segment, rewrite, cuts, &at, is_last ? G_MAXSIZE : cut->offset);
      g_array_append_val (self->segments, segment);
      from = to;
    }
}

static void
clear_segment (gpointer data)
{
  RwSegment *segment = data;
  g_free ((char *)segment->label);
  g_free ((char *)segment->last_tag);
  g_free ((char *)segment->blocking_script);
}

/* --- The document --- */

/* White space in front of the doctype is dropped by every parser. */
static gsize
pad (GString *text, gsize first_length)
{
  if (first_length >= FIRST_BYTES)
    return 0;
  gsize padding = FIRST_BYTES - first_length;
  g_autofree char *spaces = g_strnfill (padding, ' ');
  g_string_prepend_len (text, spaces, (gssize)padding);
  return padding;
}

static void
prepare_tree (RwHtml *self, const RwHtmlTree *tree, const char *text, gsize length, RwScripts *scripts)
{
  RwHtmlRewrite rewrite;
  RwHtmlCuts cuts;
  rw_html_rewrite_init (&rewrite, text, length, self->url, scripts);
  rw_html_rewrite_walk (&rewrite, tree, FALSE);
  self->text = rw_html_rewrite_apply (&rewrite);
  rw_html_cuts_init (&cuts, tree, text, length, rewrite.base);
  gsize first = self->text->len;
  if (cuts.cuts->len > 0)
    first = rw_html_rewrite_map (&rewrite, g_array_index (cuts.cuts, RwHtmlCut, 0).offset);
  g_ptr_array_extend_and_steal (self->scripts, g_steal_pointer (&rewrite.inlines));
  g_ptr_array_extend_and_steal (self->pairs, g_steal_pointer (&rewrite.pairs));
  g_ptr_array_extend_and_steal (self->integrities, g_steal_pointer (&rewrite.integrities));
  g_ptr_array_extend_and_steal (self->externals, g_steal_pointer (&rewrite.externals));
  add_segments (self, &rewrite, &cuts, pad (self->text, first));
  rw_html_cuts_clear (&cuts);
  rw_html_rewrite_clear (&rewrite);
}

/* A NUL would end every C string on the way; the parser itself shows it as U+FFFD or drops it. */
static char *
replace_nuls (char *text, gsize *length)
{
  if (memchr (text, 0, *length) == NULL)
    return text;
  GString *out = g_string_sized_new (*length);
  for (gsize i = 0; i < *length; i++)
    if (text[i] != '\0')
      g_string_append_c (out, text[i]);
    else
      g_string_append_unichar (out, 0xfffd);
  g_free (text);
  *length = out->len;
  return g_string_free (out, FALSE);
}

RwHtml *
rw_html_prepare (GBytes *bytes, const char *charset, const char *url, RwScripts *scripts)
{
  RwHtml *self = g_new0 (RwHtml, 1);
  g_atomic_ref_count_init (&self->references);
  self->url = g_strdup (url);
  self->segments = g_array_new (FALSE, FALSE, sizeof (RwSegment));
  g_array_set_clear_func (self->segments, clear_segment);
  self->scripts = g_ptr_array_new_with_free_func (script_free);
  self->pairs = g_ptr_array_new_with_free_func (pair_free);
  self->integrities = g_ptr_array_new_with_free_func (integrity_free);
  self->externals = g_ptr_array_new_with_free_func (external_free);
  gsize length;
  g_autofree char *text = rw_html_decode (bytes, charset, TRUE, "windows-1252", &length, &self->charset);
  text = replace_nuls (g_steal_pointer (&text), &length);
  g_autoptr (RwHtmlTree) tree = rw_html_tree_new (text, length, FALSE);
  if (tree != NULL)
    {
      prepare_tree (self, tree, text, length, scripts);
      return self;
    }
  self->text = g_string_new_len (text, (gssize)length);
  RwSegment whole = { .length = length, .end = RW_SEGMENT_LAST, .label = g_strdup ("document"), .is_last = TRUE };
  g_array_append_val (self->segments, whole);
  return self;
}

RwHtml *
rw_html_ref (RwHtml *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
rw_html_unref (RwHtml *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  g_free (self->url);
  g_string_free (self->text, TRUE);
  g_array_unref (self->segments);
  g_ptr_array_unref (self->scripts);
  g_ptr_array_unref (self->pairs);
  g_ptr_array_unref (self->integrities);
  g_ptr_array_unref (self->externals);
  g_free (self);
}

char *
rw_html_rewrite_fragment (const char *text, gssize length, const char *url, RwScripts *scripts)
{
  gsize size = length < 0 ? strlen (text) : (gsize)length;
  g_autoptr (RwHtmlTree) tree = rw_html_tree_new (text, size, TRUE);
  if (tree == NULL)
    return g_strndup (text, size);
  RwHtmlRewrite rewrite;
  rw_html_rewrite_init (&rewrite, text, size, url, scripts);
  rw_html_rewrite_walk (&rewrite, tree, TRUE);
  GString *out = rw_html_rewrite_apply (&rewrite);
  g_ptr_array_set_free_func (rewrite.pairs, pair_free);
  g_ptr_array_set_free_func (rewrite.integrities, integrity_free);
  g_ptr_array_set_free_func (rewrite.externals, external_free);
  rw_html_rewrite_clear (&rewrite);
  return g_string_free (out, FALSE);
}

/* --- Looking at it --- */

const char *
rw_html_prepared (const RwHtml *self, gsize *length)
{
  if (length != NULL)
    *length = self->text->len;
  return self->text->str;
}

guint
rw_html_n_segments (const RwHtml *self)
{
  return self->segments->len;
}

const RwSegment *
rw_html_segment (const RwHtml *self, guint n)
{
  return n < self->segments->len ? &g_array_index (self->segments, RwSegment, n) : NULL;
}

guint
rw_html_n_scripts (const RwHtml *self)
{
  return self->scripts->len;
}

const RwHtmlScript *
rw_html_script (const RwHtml *self, guint number)
{
  return number >= 1 && number <= self->scripts->len ? self->scripts->pdata[number - 1] : NULL;
}

const char *
rw_html_original_text (const RwHtml *self, guint number)
{
  const RwHtmlScript *script = rw_html_script (self, number);
  return script != NULL ? script->original : NULL;
}

const char *
rw_html_url (const RwHtml *self)
{
  return self->url;
}

const char *
rw_html_charset (const RwHtml *self)
{
  return self->charset;
}

const GPtrArray *
rw_html_integrities (const RwHtml *self)
{
  return self->integrities;
}

const GPtrArray *
rw_html_externals (const RwHtml *self)
{
  return self->externals;
}

char *
rw_html_adjust_policy (const RwHtml *self, const char *policy)
{
  return rw_html_policy (self->pairs, policy);
}
