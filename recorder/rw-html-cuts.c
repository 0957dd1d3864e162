/* SPDX-License-Identifier: MIT */
/* Where a document is cut into segments.
 *
 * A segment is seen to be parsed when its last node has been inserted, so each one must end right after a token that
 * inserts a node into the document: a start tag, a comment, or a text that the parser does not hold back (it does in
 * tables). End tags therefore open the next segment. Scripts stand alone: what one does is an event of its own, and
 * behind an external one the parser stops. Inside templates nothing can be seen, and the text of <style>, <textarea>
 * and their like is never cut. */
#include "rw-html-private.h"

#include <string.h>

/* WebKit's network process hands over at most 8 KB at a time: what is smaller arrives in one piece. */
#define SEGMENT_BYTES 7168
#define SEGMENT_ELEMENTS 200

/* --- What can be cut --- */

static gboolean
is_raw_text (GumboTag tag)
{
  static const GumboTag tags[] = { GUMBO_TAG_SCRIPT,   GUMBO_TAG_STYLE,     GUMBO_TAG_TITLE,   GUMBO_TAG_TEXTAREA,
                                   GUMBO_TAG_XMP,      GUMBO_TAG_IFRAME,    GUMBO_TAG_NOEMBED, GUMBO_TAG_NOFRAMES,
                                   GUMBO_TAG_NOSCRIPT, GUMBO_TAG_PLAINTEXT, GUMBO_TAG_TEMPLATE };
  for (guint i = 0; i < G_N_ELEMENTS (tags); i++)
    if (tags[i] == tag)
      return TRUE;
  return FALSE;
}

/* A text in here waits for the token after it. */
static gboolean
holds_text_back (GumboTag tag)
{
  return tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_TBODY || tag == GUMBO_TAG_THEAD || tag == GUMBO_TAG_TFOOT
         || tag == GUMBO_TAG_TR || tag == GUMBO_TAG_COLGROUP || tag == GUMBO_TAG_FRAMESET;
}

static gboolean
is_interactive (const GumboNode *node)
{
  static const GumboTag tags[]
      = { GUMBO_TAG_BUTTON, GUMBO_TAG_INPUT, GUMBO_TAG_SELECT, GUMBO_TAG_TEXTAREA, GUMBO_TAG_FORM,
          GUMBO_TAG_IFRAME, GUMBO_TAG_IMG,   GUMBO_TAG_VIDEO,  GUMBO_TAG_AUDIO,    GUMBO_TAG_OBJECT,
          GUMBO_TAG_EMBED,  GUMBO_TAG_FRAME, GUMBO_TAG_CANVAS, GUMBO_TAG_LINK,     GUMBO_TAG_DETAILS };
  GumboTag tag = node->v.element.tag;
  if (tag == GUMBO_TAG_A)
    return rw_html_node_attribute (node, "href") != NULL;
  for (guint i = 0; i < G_N_ELEMENTS (tags); i++)
    if (tags[i] == tag)
      return TRUE;
  return FALSE;
}

static gboolean
is_custom_element (const GumboNode *node)
{
  GumboStringPiece name = node->v.element.original_tag;
  if (node->v.element.tag != GUMBO_TAG_UNKNOWN || node->v.element.tag_namespace != GUMBO_NAMESPACE_HTML)
    return rw_html_node_attribute (node, "is") != NULL;
  gumbo_tag_from_original_text (&name);
  return memchr (name.data, '-', name.length) != NULL;
}

/* Whether scripts, users or the network would notice that this element is there. */
static gboolean
is_interesting (const GumboNode *node)
{
  const GumboElement *element = &node->v.element;
  if (element->tag == GUMBO_TAG_META || element->tag == GUMBO_TAG_PARAM)
    return FALSE;
  if (is_interactive (node) || is_custom_element (node))
    return TRUE;
  for (guint i = 0; i < element->attributes.length; i++)
    {
      const GumboAttribute *attribute = element->attributes.data[i];
      if (strcmp (attribute->name, "id") == 0 || strcmp (attribute->name, "name") == 0
          || g_ascii_strncasecmp (attribute->name, "on", 2) == 0)
        return TRUE;
    }
  return FALSE;
}

/* --- Candidates --- */

typedef struct
{
  const RwHtmlTree *tree;
  const char *text;
  gsize length;
  const char *base;
  GArray *candidates; /* of RwHtmlCut */
  GArray *tokens;
  GHashTable *texts; /* offset + 1 where a text starts that may end a segment */
  GStringChunk *strings; /* the addresses of blocking scripts: a page's, so not to be kept for ever */
} Collect;

static void
add_cut (Collect *self, gsize offset, RwHtmlCutWeight weight, RwSegmentEnd end, const GumboNode *node)
{
  RwHtmlCut cut = { .offset = offset, .weight = weight, .end = end, .node = node };
  g_array_append_val (self->candidates, cut);
}

static gsize
offset_after (const Collect *self, GumboStringPiece piece)
{
  return piece.data + piece.length - self->tree->masked;
}

static gsize
skip_space (const Collect *self, gsize offset)
{
  while (offset < self->length && g_ascii_isspace (self->text[offset]))
    offset++;
  return offset;
}

/* The end of the white space at @offset, if that makes a text node at once; otherwise @offset. */
static gsize
after_white_space (const Collect *self, gsize offset)
{
  return g_hash_table_contains (self->texts, GSIZE_TO_POINTER (offset + 1)) ? skip_space (self, offset) : offset;
}

static void
collect_text (Collect *self, const GumboNode *node)
{
  gsize start = node->v.text.start_pos.offset;
  const GumboNode *parent = node->parent;
  if (start >= self->length || parent == NULL || !rw_html_node_is_element (parent)
      || holds_text_back (parent->v.element.tag) || is_raw_text (parent->v.element.tag)
      || (node->parse_flags & GUMBO_INSERTION_FOSTER_PARENTED) != 0 || self->text[start] == '<')
    return;
  g_hash_table_add (self->texts, GSIZE_TO_POINTER (start + 1));
  const char *end = memchr (self->text + start, '<', self->length - start);
  /* An entity at the end may wait for more. */
  if (end != NULL && memchr (self->text + start, '&', end - self->text - start) == NULL)
    add_cut (self, end - self->text, RW_HTML_CUT_STATIC, RW_SEGMENT_NODE, NULL);
}

static void
collect_comment (Collect *self, const GumboNode *node)
{
  GumboStringPiece piece = node->v.text.original_text;
  /* Those outside <html> may come before anybody observes. */
  if (node->parent->type == GUMBO_NODE_DOCUMENT || piece.length < 4 || piece.data[piece.length - 1] != '>')
    return;
  add_cut (self, offset_after (self, piece), RW_HTML_CUT_STATIC, RW_SEGMENT_NODE, NULL);
}

static void
collect_element (Collect *self, const GumboNode *node)
{
  const GumboElement *element = &node->v.element;
  RwHtmlToken token
      = { element->original_tag.data - self->tree->masked, offset_after (self, element->original_tag), node };
  if (token.end > self->length || self->text[token.end - 1] != '>')
    return;
  if (rw_html_script_type (node) == RW_HTML_SCRIPT_CLASSIC && element->original_end_tag.length > 0)
    token.end = offset_after (self, element->original_end_tag);
  g_array_append_val (self->tokens, token);
  /* A page's first observer is there only after <html>. */
  if (!is_raw_text (element->tag) && element->tag != GUMBO_TAG_HTML)
    add_cut (self, token.end, is_interesting (node) ? RW_HTML_CUT_INTERESTING : RW_HTML_CUT_STATIC, RW_SEGMENT_NODE,
             node);
}

static void
collect_candidates (Collect *self)
{
  RwHtmlWalk walk;
  rw_html_walk_init (&walk, self->tree);
  while (rw_html_walk_next (&walk))
    {
      GumboNode *node = walk.node;
      if (walk.n_templates > 0)
        continue;
      if (rw_html_node_has_tag (node))
        collect_element (self, node);
      else if (node->type == GUMBO_NODE_COMMENT)
        collect_comment (self, node);
      else if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE)
        collect_text (self, node);
    }
  rw_html_walk_clear (&walk);
}

static int
compare_cuts (gconstpointer a, gconstpointer b)
{
  const RwHtmlCut *first = a;
  const RwHtmlCut *second = b;
  if (first->offset != second->offset)
    return first->offset < second->offset ? -1 : 1;
  return (int)second->weight - (int)first->weight;
}

static int
compare_tokens (gconstpointer a, gconstpointer b)
{
  const RwHtmlToken *first = a;
  const RwHtmlToken *second = b;
  return first->start < second->start ? -1 : first->start > second->start;
}

/* --- Scripts and other elements whose text is not cut --- */

/* The last place at or before @offset where a cut is possible becomes one. */
static void
cut_before (GArray *candidates, gsize offset)
{
  guint low = 0;
  guint high = candidates->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (g_array_index (candidates, RwHtmlCut, middle).offset <= offset)
        low = middle + 1;
      else
        high = middle;
    }
  if (low > 0)
    g_array_index (candidates, RwHtmlCut, low - 1).weight = RW_HTML_CUT_SCRIPT;
}

static void
cut_after_script (Collect *self, GArray *more, const GumboNode *node)
{
  GumboStringPiece end_tag = node->v.element.original_end_tag;
  if (end_tag.length == 0)
    return;
  gsize end = offset_after (self, end_tag);
  gsize space = after_white_space (self, end);
  RwHtmlScriptType type = rw_html_script_type (node);
  RwHtmlCut cut = { .offset = space, .weight = RW_HTML_CUT_SCRIPT, .end = RW_SEGMENT_NODE, .node = node };
  if (type == RW_HTML_SCRIPT_BLOCKING)
    {
      const char *src = rw_html_node_attribute (node, "src");
      g_autofree char *url = g_uri_resolve_relative (self->base, src != NULL ? src : "", G_URI_FLAGS_NONE, NULL);
      cut.offset = end;
      cut.end = RW_SEGMENT_BLOCKED;
      cut.blocking = g_string_chunk_insert (self->strings, url != NULL ? url : src != NULL ? src : "");
    }
  else if (type == RW_HTML_SCRIPT_CLASSIC && space == end)
    cut.end = RW_SEGMENT_SCRIPT;
  g_array_append_val (more, cut);
}

/* Adds the cuts around scripts, and behind other raw text elements that matter. */
static void
collect_scripts (Collect *self)
{
  g_autoptr (GArray) more = g_array_new (FALSE, FALSE, sizeof (RwHtmlCut));
  g_array_sort (self->candidates, compare_cuts);
  for (guint i = 0; i < self->tokens->len; i++)
    {
      const RwHtmlToken *token = &g_array_index (self->tokens, RwHtmlToken, i);
      GumboStringPiece end_tag = token->node->v.element.original_end_tag;
      if (rw_html_script_type (token->node) != RW_HTML_SCRIPT_NONE)
        {
          cut_before (self->candidates, token->start);
          cut_after_script (self, more, token->node);
        }
      else if (is_raw_text (token->node->v.element.tag) && end_tag.length > 0)
        {
          gsize end = offset_after (self, end_tag);
          RwHtmlCut cut = { .offset = after_white_space (self, end), .end = RW_SEGMENT_NODE, .node = token->node };
          cut.weight = is_interesting (token->node) ? RW_HTML_CUT_INTERESTING : RW_HTML_CUT_STATIC;
          if (cut.offset > end)
            g_array_append_val (more, cut);
        }
    }
  g_array_append_vals (self->candidates, more->data, more->len);
  g_array_sort (self->candidates, compare_cuts);
}

/* --- Choice --- */

/* Start tags that begin before @offset; *@at is where to go on counting. */
static guint
count_tokens (const GArray *tokens, guint *at, gsize offset)
{
  while (*at < tokens->len && g_array_index (tokens, RwHtmlToken, *at).start < offset)
    ++*at;
  return *at;
}

static GArray *
choose (const Collect *self)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (RwHtmlCut));
  gsize last = 0;
  guint last_count = 0;
  guint at = 0;
  for (guint i = 0; i < self->candidates->len; i++)
    {
      const RwHtmlCut *cut = &g_array_index (self->candidates, RwHtmlCut, i);
      gboolean at_end = cut->offset >= self->length && cut->end == RW_SEGMENT_NODE;
      if (cut->offset <= last || cut->offset > self->length || at_end)
        continue;
      guint count = count_tokens (self->tokens, &at, cut->offset);
      if (cut->weight == RW_HTML_CUT_STATIC && count - last_count < SEGMENT_ELEMENTS
          && cut->offset - last < SEGMENT_BYTES)
        continue;
      g_array_append_val (chosen, *cut);
      last = cut->offset;
      last_count = count;
    }
  return chosen;
}

/* Leaves @keep of the cuts of this weight, evenly spread. */
static void
thin (GArray *cuts, RwHtmlCutWeight weight, guint total, guint keep)
{
  guint seen = 0;
  guint to = 0;
  for (guint i = 0; i < cuts->len; i++)
    {
      RwHtmlCut cut = g_array_index (cuts, RwHtmlCut, i);
      gboolean stays = TRUE;
      if (cut.weight == weight)
        {
          stays = (guint64)(seen + 1) * keep / total != (guint64)seen * keep / total;
          seen++;
        }
      if (stays)
        g_array_index (cuts, RwHtmlCut, to++) = cut;
    }
  g_array_set_size (cuts, to);
}

static void
limit (GArray *cuts)
{
  for (RwHtmlCutWeight weight = RW_HTML_CUT_STATIC; weight <= RW_HTML_CUT_INTERESTING; weight++)
    {
      guint total = 0;
      for (guint i = 0; i < cuts->len; i++)
        total += g_array_index (cuts, RwHtmlCut, i).weight == weight;
      guint excess = cuts->len > RW_HTML_MAX_SEGMENTS - 1 ? cuts->len - (RW_HTML_MAX_SEGMENTS - 1) : 0;
      if (total > 0 && excess > 0)
        thin (cuts, weight, total, total - MIN (total, excess));
    }
  if (cuts->len > RW_HTML_MAX_SEGMENTS - 1)
    g_array_set_size (cuts, RW_HTML_MAX_SEGMENTS - 1);
}

void
rw_html_cuts_init (RwHtmlCuts *self, const RwHtmlTree *tree, const char *text, gsize length, const char *base)
{
  Collect collect = { .tree = tree, .text = text, .length = length, .base = base };
  collect.candidates = g_array_new (FALSE, FALSE, sizeof (RwHtmlCut));
  collect.tokens = g_array_new (FALSE, FALSE, sizeof (RwHtmlToken));
  collect.texts = g_hash_table_new (NULL, NULL);
  collect.strings = self->strings = g_string_chunk_new (256);
  if (!tree->odd)
    collect_candidates (&collect);
  g_array_sort (collect.tokens, compare_tokens);
  collect_scripts (&collect);
  self->cuts = choose (&collect);
  limit (self->cuts);
  self->tokens = collect.tokens;
  g_array_unref (collect.candidates);
  g_hash_table_unref (collect.texts);
}

void
rw_html_cuts_clear (RwHtmlCuts *self)
{
  g_array_unref (self->cuts);
  g_array_unref (self->tokens);
  g_string_chunk_free (self->strings);
}

char *
rw_html_base (const RwHtmlTree *tree, const char *url)
{
  char *base = NULL;
  RwHtmlWalk walk;
  rw_html_walk_init (&walk, tree);
  while (base == NULL && rw_html_walk_next (&walk))
    {
      const char *href = rw_html_node_attribute (walk.node, "href");
      if (href != NULL && walk.n_templates == 0 && walk.node->v.element.tag == GUMBO_TAG_BASE)
        base = g_uri_resolve_relative (url, href, G_URI_FLAGS_NONE, NULL);
    }
  rw_html_walk_clear (&walk);
  return base != NULL ? base : g_strdup (url);
}
