/* SPDX-License-Identifier: MIT */
/* Finds the scripts of a document (inline scripts, handlers, javascript: addresses, srcdoc) and replaces them in place.
 */
#include "rw-html-private.h"

#include <string.h>

void
rw_html_rewrite_init (RwHtmlRewrite *self, const char *text, gsize length, const char *url, RwScripts *scripts)
{
  *self = (RwHtmlRewrite){ .text = text, .length = length, .url = url, .scripts = scripts };
  self->positions = rw_positions_new (text, length, RW_LINES_HTML);
  self->edits = g_array_new (FALSE, FALSE, sizeof (RwHtmlEdit));
  self->edited = g_hash_table_new (NULL, NULL);
  self->pairs = g_ptr_array_new ();
  self->integrities = g_ptr_array_new ();
  self->externals = g_ptr_array_new ();
  self->inlines = g_ptr_array_new ();
  self->ordinals = g_hash_table_new (NULL, NULL);
}

void
rw_html_rewrite_clear (RwHtmlRewrite *self)
{
  for (guint i = 0; i < self->edits->len; i++)
    g_free (g_array_index (self->edits, RwHtmlEdit, i).with);
  g_array_unref (self->edits);
  g_hash_table_unref (self->edited);
  g_hash_table_unref (self->ordinals);
  g_clear_pointer (&self->pairs, g_ptr_array_unref);
  g_clear_pointer (&self->integrities, g_ptr_array_unref);
  g_clear_pointer (&self->externals, g_ptr_array_unref);
  g_clear_pointer (&self->inlines, g_ptr_array_unref);
  g_clear_pointer (&self->positions, rw_positions_free);
  g_free (self->base);
}

/* Takes @with. */
void
rw_html_rewrite_add_edit (RwHtmlRewrite *self, gsize start, gsize end, char *with)
{
  if (!g_hash_table_add (self->edited, GSIZE_TO_POINTER (start + 1)))
    {
      g_free (with);
      return;
    }
  RwHtmlEdit edit = { start, end, with };
  g_array_append_val (self->edits, edit);
}

/* The parser turns CR LF and CR into LF, and hashes are those of what it made. */
static char *
normalize_lines (const char *text)
{
  GString *out = g_string_sized_new (strlen (text));
  for (; *text != '\0'; text++)
    if (*text != '\r')
      g_string_append_c (out, *text);
    else if (text[1] != '\n')
      g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}

void
rw_html_rewrite_add_pair (RwHtmlRewrite *self, const char *original, const char *served)
{
  RwHtmlPair *pair = g_new0 (RwHtmlPair, 1);
  pair->original = normalize_lines (original);
  pair->served = normalize_lines (served);
  g_ptr_array_add (self->pairs, pair);
}

/* --- Scripts --- */

static gboolean
is_javascript_type (const char *type)
{
  static const char *const types[] = { "application/ecmascript",
                                       "application/javascript",
                                       "application/x-ecmascript",
                                       "application/x-javascript",
                                       "text/ecmascript",
                                       "text/javascript",
                                       "text/javascript1.0",
                                       "text/javascript1.1",
                                       "text/javascript1.2",
                                       "text/javascript1.3",
                                       "text/javascript1.4",
                                       "text/javascript1.5",
                                       "text/jscript",
                                       "text/livescript",
                                       "text/x-ecmascript",
                                       "text/x-javascript",
                                       NULL };
  for (guint i = 0; types[i] != NULL; i++)
    if (g_ascii_strcasecmp (types[i], type) == 0)
      return TRUE;
  return FALSE;
}

/* TRUE for a classic script or a module; the others are data, which nobody runs. */
static gboolean
script_kind (const GumboNode *node, RwScriptKind *kind)
{
  const char *type = rw_html_node_attribute (node, "type");
  const char *language = rw_html_node_attribute (node, "language");
  g_autofree char *name = NULL;
  *kind = RW_SCRIPT_CLASSIC;
  if (type == NULL && language != NULL && *language != '\0')
    name = g_strconcat ("text/", language, NULL);
  else if (type == NULL || *type == '\0')
    return TRUE;
  else
    name = g_strstrip (g_strdup (type));
  if (g_ascii_strcasecmp (name, "module") == 0)
    {
      *kind = RW_SCRIPT_MODULE;
      return TRUE;
    }
  return is_javascript_type (name);
}

RwHtmlScriptType
rw_html_script_type (const GumboNode *node)
{
  RwScriptKind kind;
  if (!rw_html_node_is_element (node) || node->v.element.tag != GUMBO_TAG_SCRIPT || !script_kind (node, &kind)
      || (kind == RW_SCRIPT_CLASSIC && rw_html_node_attribute (node, "nomodule") != NULL))
    return RW_HTML_SCRIPT_NONE;
  gboolean svg = node->v.element.tag_namespace != GUMBO_NAMESPACE_HTML;
  gboolean external
      = rw_html_node_attribute (node, "src") != NULL
        || (svg
            && (rw_html_node_attribute (node, "href") != NULL || rw_html_node_attribute (node, "xlink:href") != NULL));
  if (!external)
    return kind == RW_SCRIPT_MODULE ? RW_HTML_SCRIPT_MODULE : RW_HTML_SCRIPT_CLASSIC;
  if (kind == RW_SCRIPT_MODULE || rw_html_node_attribute (node, "async") != NULL
      || rw_html_node_attribute (node, "defer") != NULL)
    return RW_HTML_SCRIPT_LATER;
  return RW_HTML_SCRIPT_BLOCKING;
}

static gsize
skip_blank (const char *text, gsize length, gsize at)
{
  while (at < length)
    {
      if (g_ascii_isspace (text[at]))
        {
          at++;
          continue;
        }
      const char *stop = NULL;
      if (g_str_has_prefix (text + at, "//") || g_str_has_prefix (text + at, "<!--")
          || g_str_has_prefix (text + at, "-->") || (at == 0 && g_str_has_prefix (text, "#!")))
        stop = "\n";
      else if (g_str_has_prefix (text + at, "/*"))
        stop = "*/";
      else
        return at;
      const char *found = g_strstr_len (text + at + 2, length - at - 2, stop);
      at = found != NULL ? (gsize)(found - text) + strlen (stop) : length;
    }
  return length;
}

/* Where a statement may be put so that it runs first and directives stay directives: after white space, comments and
 * string statements. *@semicolon: it needs one in front, because the string before it ended without. */
static gsize
after_directives (const char *text, gsize length, gboolean *semicolon)
{
  gsize at = 0;
  *semicolon = FALSE;
  for (;;)
    {
      gsize token = skip_blank (text, length, at);
      if (token >= length || (text[token] != '"' && text[token] != '\''))
        return at == 0 ? token : at;
      gsize close = token + 1;
      while (close < length && text[close] != text[token] && text[close] != '\n')
        close += text[close] == '\\' ? 2 : 1;
      if (close >= length || text[close] != text[token])
        return at == 0 ? token : at;
      gsize next = skip_blank (text, length, close + 1);
      if (next < length && text[next] == ';')
        {
          at = next + 1;
          *semicolon = FALSE;
          continue;
        }
      gboolean line_break = memchr (text + close, '\n', next - close) != NULL;
      gboolean goes_on = next < length && text[next] != '}'
                         && (!line_break || (!g_ascii_isalnum (text[next]) && strchr ("$_\"'{@#\\", text[next]) == NULL)
                             || g_str_has_prefix (text + next, "in ") || g_str_has_prefix (text + next, "instanceof"));
      if (goes_on)
        return at == 0 ? token : at;
      at = close + 1;
      *semicolon = TRUE;
    }
}

/* The served text of an inline script tells the runtime that it has begun. */
static char *
announce (const char *served, gsize length, guint number)
{
  gboolean semicolon;
  gsize at = after_directives (served, length, &semicolon);
  GString *out = g_string_new_len (served, at);
  g_string_append_printf (out, "%s$rw$.script(%u);", semicolon ? ";" : "", number);
  g_string_append_len (out, served + at, length - at);
  return g_string_free (out, FALSE);
}

static guint
number_script (RwHtmlRewrite *self, const GumboNode *node, const RwScriptSource *where, const char *original,
               const char *served)
{
  RwHtmlScript *script = g_new0 (RwHtmlScript, 1);
  g_ptr_array_add (self->inlines, script);
  script->number = self->inlines->len;
  script->module = where->kind == RW_SCRIPT_MODULE;
  script->line = where->line;
  script->column = where->column;
  script->original = g_strdup (original);
  script->served = g_strdup (served);
  g_hash_table_insert (self->ordinals, (gpointer)node, GUINT_TO_POINTER (script->number));
  return script->number;
}

/* The text of an SVG script, with its entities and CDATA sections taken apart; NULL if there are elements in it. */
static char *
svg_script_text (const GumboNode *node)
{
  GString *text = g_string_new (NULL);
  const GumboVector *children = &node->v.element.children;
  for (guint i = 0; i < children->length; i++)
    {
      const GumboNode *child = children->data[i];
      if (child->type != GUMBO_NODE_TEXT && child->type != GUMBO_NODE_WHITESPACE && child->type != GUMBO_NODE_CDATA)
        {
          g_string_free (text, TRUE);
          return NULL;
        }
      g_string_append (text, child->v.text.text);
    }
  return g_string_free (text, FALSE);
}

static void
rewrite_inline (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboNode *node, gboolean numbered)
{
  const GumboElement *element = &node->v.element;
  gboolean svg = element->tag_namespace != GUMBO_NAMESPACE_HTML;
  gsize start = element->original_tag.data + element->original_tag.length - tree->masked;
  gsize end = element->original_end_tag.data - tree->masked;
  RwScriptSource where = { .url = self->url };
  script_kind (node, &where.kind);
  rw_positions_find (self->positions, start, &where.line, &where.column);
  g_autofree char *original = svg ? svg_script_text (node) : g_strndup (self->text + start, end - start);
  if (original == NULL)
    return;
  RwScriptsResult result;
  gsize length;
  const char *served = rw_scripts_rewrite_full (self->scripts, &where, original, -1, &length, &result);
  if (!svg && !rw_html_fits_in_script (served, length))
    {
      served = original;
      length = strlen (original);
    }
  g_autofree char *announced = NULL;
  if (numbered)
    {
      announced = result != RW_SCRIPTS_BROKEN ? announce (served, length, self->inlines->len + 1) : g_strdup (served);
      number_script (self, node, &where, original, announced);
      rw_scripts_add_served (self->scripts, announced, -1, original, -1);
      served = announced;
    }
  if (strcmp (served, original) == 0)
    return;
  rw_html_rewrite_add_pair (self, original, served);
  GString *out = g_string_new (svg ? NULL : served);
  if (svg)
    rw_html_append_escaped (out, served, FALSE);
  rw_html_rewrite_add_edit (self, start, end, g_string_free (out, FALSE));
}

static void
note_external (RwHtmlRewrite *self, const char *address, gboolean module)
{
  char *url = address != NULL ? g_uri_resolve_relative (self->base, address, G_URI_FLAGS_NONE, NULL) : NULL;
  if (url == NULL)
    return;
  RwHtmlExternal *external = g_new0 (RwHtmlExternal, 1);
  external->url = url;
  external->module = module;
  g_ptr_array_add (self->externals, external);
}

/* Takes integrity= out, for the proxy to check, where the body will be a rewritten one. A script of another origin that
 * was not asked for with CORS fails with integrity=, and shall go on failing. */
static void
move_integrity (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboNode *node, const char *address)
{
  GumboAttribute *attribute = gumbo_get_attribute (&node->v.element.attributes, "integrity");
  if (attribute == NULL || attribute->original_value.length == 0 || address == NULL)
    return;
  g_autofree char *url = g_uri_resolve_relative (self->base, address, G_URI_FLAGS_NONE, NULL);
  g_autoptr (GUri) script = url != NULL ? g_uri_parse (url, G_URI_FLAGS_NONE, NULL) : NULL;
  g_autoptr (GUri) page = g_uri_parse (self->url, G_URI_FLAGS_NONE, NULL);
  if (script == NULL || page == NULL)
    return;
  gboolean same_origin = g_strcmp0 (g_uri_get_scheme (script), g_uri_get_scheme (page)) == 0
                         && g_strcmp0 (g_uri_get_host (script), g_uri_get_host (page)) == 0
                         && g_uri_get_port (script) == g_uri_get_port (page);
  if (!same_origin && rw_html_node_attribute (node, "crossorigin") == NULL)
    return;
  RwHtmlIntegrity *integrity = g_new0 (RwHtmlIntegrity, 1);
  integrity->url = g_steal_pointer (&url);
  integrity->integrity = g_strdup (attribute->value);
  g_ptr_array_add (self->integrities, integrity);
  gsize name = attribute->original_name.data - tree->masked;
  gsize end = attribute->original_value.data + attribute->original_value.length - tree->masked;
  rw_html_rewrite_add_edit (self, name, end, g_strdup (""));
}

static void
rewrite_script (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboNode *node, gboolean numbered)
{
  RwScriptKind kind;
  switch (rw_html_script_type (node))
    {
    case RW_HTML_SCRIPT_CLASSIC:
    case RW_HTML_SCRIPT_MODULE:
      if (node->v.element.original_end_tag.length > 0)
        rewrite_inline (self, tree, node, numbered);
      break;
    case RW_HTML_SCRIPT_BLOCKING:
    case RW_HTML_SCRIPT_LATER:
      script_kind (node, &kind);
      note_external (self, rw_html_node_attribute (node, "src"), kind == RW_SCRIPT_MODULE);
      move_integrity (self, tree, node, rw_html_node_attribute (node, "src"));
      break;
    case RW_HTML_SCRIPT_NONE:
      break;
    }
}

static void
rewrite_link (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboNode *node)
{
  const char *rel = rw_html_node_attribute (node, "rel");
  const char *as = rw_html_node_attribute (node, "as");
  gboolean module = rel != NULL && g_ascii_strcasecmp (rel, "modulepreload") == 0;
  if (!module && (rel == NULL || g_ascii_strcasecmp (rel, "preload") != 0 || g_strcmp0 (as, "script") != 0))
    return;
  if (module)
    note_external (self, rw_html_node_attribute (node, "href"), TRUE);
  move_integrity (self, tree, node, rw_html_node_attribute (node, "href"));
}

/* Policies come last, when the hashes of all scripts are known. */
static void
rewrite_policies (RwHtmlRewrite *self, const RwHtmlTree *tree)
{
  RwHtmlWalk walk;
  rw_html_walk_init (&walk, tree);
  while (rw_html_walk_next (&walk))
    {
      GumboNode *node = walk.node;
      if (!rw_html_node_is_element (node) || node->v.element.tag != GUMBO_TAG_META)
        continue;
      const char *equiv = rw_html_node_attribute (node, "http-equiv");
      GumboAttribute *content = gumbo_get_attribute (&node->v.element.attributes, "content");
      if (equiv == NULL || content == NULL || g_ascii_strcasecmp (equiv, "content-security-policy") != 0)
        continue;
      g_autofree char *policy = rw_html_policy (self->pairs, content->value);
      if (strcmp (policy, content->value) != 0)
        rw_html_rewrite_value (self, tree, content, policy);
    }
  rw_html_walk_clear (&walk);
}

static void
rewrite_element (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboNode *node, gboolean numbered)
{
  rw_html_rewrite_attributes (self, tree, node);
  if (node->v.element.tag == GUMBO_TAG_SCRIPT)
    rewrite_script (self, tree, node, numbered);
  else if (node->v.element.tag == GUMBO_TAG_LINK)
    rewrite_link (self, tree, node);
}

void
rw_html_rewrite_walk (RwHtmlRewrite *self, const RwHtmlTree *tree, gboolean fragment)
{
  RwHtmlWalk walk;
  rw_html_walk_init (&walk, tree);
  if (self->base == NULL)
    self->base = rw_html_base (tree, self->url);
  while (self->scripts != NULL && rw_html_walk_next (&walk))
    if (rw_html_node_has_tag (walk.node))
      rewrite_element (self, tree, walk.node, !fragment && walk.n_templates == 0);
  rw_html_walk_clear (&walk);
  if (self->scripts != NULL)
    rewrite_policies (self, tree);
}

/* --- Applying --- */

static int
compare_edits (gconstpointer a, gconstpointer b)
{
  const RwHtmlEdit *first = a;
  const RwHtmlEdit *second = b;
  return first->start < second->start ? -1 : first->start > second->start;
}

GString *
rw_html_rewrite_apply (RwHtmlRewrite *self)
{
  g_array_sort (self->edits, compare_edits);
  GString *out = g_string_sized_new (self->length + self->length / 2);
  gsize at = 0;
  for (guint i = 0; i < self->edits->len; i++)
    {
      RwHtmlEdit *edit = &g_array_index (self->edits, RwHtmlEdit, i);
      if (edit->start < at || edit->end < edit->start || edit->end > self->length)
        {
          /* Only a tree that does not belong to its text can do this. */
          g_free (edit->with);
          g_array_remove_index (self->edits, i--);
          continue;
        }
      g_string_append_len (out, self->text + at, edit->start - at);
      g_string_append (out, edit->with);
      at = edit->end;
    }
  g_string_append_len (out, self->text + at, self->length - at);
  return out;
}

gsize
rw_html_rewrite_map (const RwHtmlRewrite *self, gsize offset)
{
  gsize moved = offset;
  for (guint i = 0; i < self->edits->len; i++)
    {
      const RwHtmlEdit *edit = &g_array_index (self->edits, RwHtmlEdit, i);
      if (edit->end > offset)
        break;
      moved = moved - (edit->end - edit->start) + strlen (edit->with);
    }
  return moved;
}
