/* SPDX-License-Identifier: MIT */
/* Scripts in attributes: inline handlers, javascript: addresses, and the documents in srcdoc. */
#include "rw-html-private.h"

#include <string.h>

#define MAX_SRCDOC_DEPTH 4

void
rw_html_append_escaped (GString *out, const char *text, gboolean attribute)
{
  for (; *text != '\0'; text++)
    if (*text == '&')
      g_string_append (out, "&amp;");
    else if (attribute && *text == '"')
      g_string_append (out, "&quot;");
    else if (!attribute && *text == '<')
      g_string_append (out, "&lt;");
    else
      g_string_append_c (out, *text);
}

void
rw_html_rewrite_value (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboAttribute *attribute, const char *value)
{
  GString *out = g_string_new ("\"");
  rw_html_append_escaped (out, value, TRUE);
  g_string_append_c (out, '"');
  gsize start = attribute->original_value.data - tree->masked;
  rw_html_rewrite_add_edit (self, start, start + attribute->original_value.length, g_string_free (out, FALSE));
}

/* The text of an attribute's script starts after its quote. */
static RwScriptSource
attribute_source (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboAttribute *attribute, RwScriptKind kind)
{
  RwScriptSource where = { .url = self->url, .kind = kind };
  gsize start = attribute->original_value.data - tree->masked;
  start += *attribute->original_value.data == '"' || *attribute->original_value.data == '\'';
  rw_positions_find (self->positions, start, &where.line, &where.column);
  return where;
}

static gboolean
is_handler_name (const char *name)
{
  if (strlen (name) < 4 || g_ascii_strncasecmp (name, "on", 2) != 0)
    return FALSE;
  return strspn (name + 2, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen (name + 2);
}

static void
rewrite_handler (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboAttribute *attribute)
{
  RwScriptsResult result;
  RwScriptSource where = attribute_source (self, tree, attribute, RW_SCRIPT_HANDLER);
  const char *served = rw_scripts_rewrite_full (self->scripts, &where, attribute->value, -1, NULL, &result);
  if (strcmp (served, attribute->value) == 0)
    return;
  rw_html_rewrite_add_pair (self, attribute->value, served);
  rw_html_rewrite_value (self, tree, attribute, served);
}

/* The script of a javascript: address, decoded; NULL if it is none. */
static char *
javascript_url_body (const char *value)
{
  while (*value != '\0' && (guchar)*value <= ' ')
    value++;
  GString *plain = g_string_new (NULL);
  for (; *value != '\0'; value++)
    if (strchr ("\t\r\n", *value) == NULL)
      g_string_append_c (plain, *value);
  g_autofree char *url = g_string_free (plain, FALSE);
  if (g_ascii_strncasecmp (url, "javascript:", 11) != 0)
    return NULL;
  char *body = g_uri_unescape_string (url + 11, NULL);
  if (body == NULL || !g_utf8_validate (body, -1, NULL))
    {
      /* A stray percent sign stands for itself. */
      g_free (body);
      body = g_strdup (url + 11);
    }
  return body;
}

/* The many addresses that only say "do nothing" have nothing to log. */
static gboolean
does_nothing (const char *body)
{
  g_autofree char *plain = g_strdup (body);
  g_strstrip (plain);
  return strspn (plain, ";") == strlen (plain) || g_str_has_prefix (plain, "void(0)") || strcmp (plain, "void 0") == 0;
}

static void
rewrite_javascript_url (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboAttribute *attribute)
{
  g_autofree char *body = javascript_url_body (attribute->value);
  if (body == NULL || does_nothing (body))
    return;
  RwScriptsResult result;
  RwScriptSource where = attribute_source (self, tree, attribute, RW_SCRIPT_CLASSIC);
  const char *served = rw_scripts_rewrite_full (self->scripts, &where, body, -1, NULL, &result);
  if (strcmp (served, body) == 0)
    return;
  g_autofree char *escaped = g_uri_escape_string (served, "!*'()$+,;=:@/[]{}", FALSE);
  g_autofree char *value = g_strconcat ("javascript:", escaped, NULL);
  rw_html_rewrite_value (self, tree, attribute, value);
}

static gboolean
is_navigation (const GumboNode *node, const char *name)
{
  GumboTag tag = node->v.element.tag;
  if (g_ascii_strcasecmp (name, "href") == 0 || g_ascii_strcasecmp (name, "xlink:href") == 0)
    return tag == GUMBO_TAG_A || tag == GUMBO_TAG_AREA;
  if (g_ascii_strcasecmp (name, "src") == 0)
    return tag == GUMBO_TAG_IFRAME || tag == GUMBO_TAG_FRAME;
  if (g_ascii_strcasecmp (name, "action") == 0)
    return tag == GUMBO_TAG_FORM;
  return g_ascii_strcasecmp (name, "formaction") == 0 && (tag == GUMBO_TAG_BUTTON || tag == GUMBO_TAG_INPUT);
}

static void
rewrite_srcdoc (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboAttribute *attribute)
{
  if (self->depth >= MAX_SRCDOC_DEPTH)
    return;
  gsize length = strlen (attribute->value);
  g_autoptr (RwHtmlTree) inner_tree = rw_html_tree_new (attribute->value, length, FALSE);
  if (inner_tree == NULL)
    return;
  g_autofree char *url = g_strconcat (self->url, "#srcdoc", NULL);
  RwHtmlRewrite inner;
  rw_html_rewrite_init (&inner, attribute->value, length, url, self->scripts);
  inner.depth = self->depth + 1;
  inner.base = g_strdup (self->base);
  /* As a fragment: its inline scripts are not numbered, because it is another document. */
  rw_html_rewrite_walk (&inner, inner_tree, TRUE);
  if (inner.edits->len > 0)
    {
      g_autoptr (GString) served = rw_html_rewrite_apply (&inner);
      rw_html_rewrite_value (self, tree, attribute, served->str);
    }
  g_ptr_array_extend_and_steal (self->pairs, g_steal_pointer (&inner.pairs));
  g_ptr_array_extend_and_steal (self->integrities, g_steal_pointer (&inner.integrities));
  g_ptr_array_extend_and_steal (self->externals, g_steal_pointer (&inner.externals));
  rw_html_rewrite_clear (&inner);
}

void
rw_html_rewrite_attributes (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboNode *node)
{
  const GumboVector *attributes = &node->v.element.attributes;
  for (guint i = 0; i < attributes->length; i++)
    {
      const GumboAttribute *attribute = attributes->data[i];
      if (attribute->original_value.length == 0 || attribute->value[0] == '\0')
        continue;
      if (is_handler_name (attribute->name))
        rewrite_handler (self, tree, attribute);
      else if (is_navigation (node, attribute->name))
        rewrite_javascript_url (self, tree, attribute);
      else if (node->v.element.tag == GUMBO_TAG_IFRAME && g_ascii_strcasecmp (attribute->name, "srcdoc") == 0)
        rewrite_srcdoc (self, tree, attribute);
    }
}
