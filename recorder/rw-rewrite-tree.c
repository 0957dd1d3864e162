/* SPDX-License-Identifier: MIT */
/* A syntax tree in one array, copied from tree-sitter's: cheap to walk in any direction, without comments. */
#include "rw-rewrite-private.h"

#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_javascript (void);

#define MAX_DEPTH 3000
#define MAX_LENGTH (64u << 20)

typedef struct
{
  guint8 *kinds;  /* by TSSymbol */
  guint8 *fields; /* by TSFieldId */
} Names;

G_DEFINE_QUARK (rw-rewrite-error-quark, rw_rewrite_error)

static guint8
find_name (const char *const *names, guint first, guint n, const char *name)
{
  for (guint i = first; name != NULL && i < n; i++)
    if (names[i] != NULL && strcmp (names[i], name) == 0)
      return i;
  return 0;
}

/* The grammar's numbers are the grammar's business: ours are looked up by name, once a process. */
static const Names *
get_names (void)
{
  static const char *const kinds[NODE_N_KINDS] = {
#define RW_NODE_NAME(name) [NODE_##name] = #name,
    RW_NODE_KINDS (RW_NODE_NAME)
#undef RW_NODE_NAME
  };
  static const char *const fields[FIELD_N] = {
#define RW_FIELD_NAME(name) [FIELD_##name] = #name,
    RW_NODE_FIELDS (RW_FIELD_NAME)
#undef RW_FIELD_NAME
  };
  static Names names;
  static gsize once;
  if (g_once_init_enter (&once))
    {
      const TSLanguage *language = tree_sitter_javascript ();
      guint n_symbols = ts_language_symbol_count (language);
      guint n_fields = ts_language_field_count (language);
      names.kinds = g_malloc0 (n_symbols);
      names.fields = g_malloc0 (n_fields + 1);
      for (guint i = 0; i < n_symbols; i++)
        names.kinds[i] = ts_language_symbol_type (language, i) == TSSymbolTypeRegular
                             ? find_name (kinds, NODE_TOKEN + 1, NODE_N_KINDS, ts_language_symbol_name (language, i))
                             : NODE_TOKEN;
      for (guint i = 1; i <= n_fields; i++)
        names.fields[i] = find_name (fields, 1, FIELD_N, ts_language_field_name_for_id (language, i));
      g_once_init_leave (&once, 1);
    }
  return &names;
}

static gboolean
is_punctuation (char c)
{
  return strchr ("(){}[];,.:`\"'=", c) != NULL;
}

/* Comments and bare punctuation stay in the gaps between nodes. */
static gboolean
is_wanted (const Tree *self, TSNode node, guint8 kind, guint8 field)
{
  guint32 start = ts_node_start_byte (node);
  if (ts_node_is_extra (node) || ts_node_end_byte (node) == start)
    return FALSE;
  return kind != NODE_TOKEN || field != 0 || !is_punctuation (self->source[start]);
}

static Ref
add_node (Tree *self, TSTreeCursor *cursor, const Names *names, Ref parent, Ref previous)
{
  TSNode node = ts_tree_cursor_current_node (cursor);
  guint8 kind = names->kinds[ts_node_symbol (node)];
  guint8 field = names->fields[ts_tree_cursor_current_field_id (cursor)];
  if (parent != 0 && !is_wanted (self, node, kind, field))
    return 0;
  Node copy = { .kind = kind, .field = field, .start = ts_node_start_byte (node), .end = ts_node_end_byte (node),
                .parent = parent };
  Ref ref = self->nodes->len;
  g_array_append_val (self->nodes, copy);
  if (previous != 0)
    NODE (self, previous)->next = ref;
  else if (parent != 0)
    NODE (self, parent)->first = ref;
  return ref;
}

typedef struct
{
  Ref parent;
  Ref previous;
  guint32 end; /* of the last child that is no comment */
} Level;

/* A comment can be the last thing in a node. It stays behind: what we put after the node must not become part of it. */
static void
leave_level (Tree *self, Level *levels, guint depth)
{
  Node *node = NODE (self, levels[depth].parent);
  if (depth > 0 && levels[depth].end > 0 && levels[depth].end < node->end)
    node->end = levels[depth].end;
  if (depth > 0)
    levels[depth - 1].end = node->end;
}

/* Depth first, without recursion: what is nested too deeply for our own recursion is found here. */
static gboolean
copy_tree (Tree *self, TSTreeCursor *cursor, GError **error)
{
  const Names *names = get_names ();
  g_autofree Level *levels = g_new0 (Level, MAX_DEPTH);
  guint depth = 0;
  levels[0].parent = add_node (self, cursor, names, 0, 0);
  if (!ts_tree_cursor_goto_first_child (cursor))
    return TRUE;
  for (;;)
    {
      TSNode node = ts_tree_cursor_current_node (cursor);
      Ref ref = add_node (self, cursor, names, levels[depth].parent, levels[depth].previous);
      if (!ts_node_is_extra (node))
        levels[depth].end = ts_node_end_byte (node);
      if (ref != 0)
        levels[depth].previous = ref;
      if (ref != 0 && ts_tree_cursor_goto_first_child (cursor))
        {
          if (++depth >= MAX_DEPTH)
            {
              g_set_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_LIMIT, "nested more than %d levels deep", MAX_DEPTH);
              return FALSE;
            }
          levels[depth] = (Level){ .parent = ref };
          continue;
        }
      while (!ts_tree_cursor_goto_next_sibling (cursor))
        {
          leave_level (self, levels, depth);
          if (depth-- == 0)
            return TRUE;
          ts_tree_cursor_goto_parent (cursor);
        }
    }
}

static void
set_syntax_error (TSNode root, GError **error)
{
  TSNode node = root;
  for (guint i = 0; i < ts_node_child_count (node);)
    {
      TSNode child = ts_node_child (node, i);
      if (!ts_node_has_error (child) && !ts_node_is_missing (child))
        {
          i++;
          continue;
        }
      node = child;
      i = 0;
      if (ts_node_is_missing (node) || strcmp (ts_node_type (node), "ERROR") == 0)
        break;
    }
  TSPoint point = ts_node_start_point (node);
  g_set_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_SYNTAX, "line %u, column %u: not understood", point.row + 1,
               point.column + 1);
}

gboolean
rw_tree_init (Tree *self, const char *source, gsize length, GError **error)
{
  *self = (Tree){ source, length, NULL };
  if (length > MAX_LENGTH)
    {
      g_set_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_LIMIT, "longer than %u MB", MAX_LENGTH >> 20);
      return FALSE;
    }
  TSParser *parser = ts_parser_new ();
  ts_parser_set_language (parser, tree_sitter_javascript ());
  TSTree *tree = ts_parser_parse_string (parser, NULL, source, length);
  TSNode root = ts_tree_root_node (tree);
  gboolean fine = !ts_node_has_error (root);
  if (fine)
    {
      Node none = { 0 };
      TSTreeCursor cursor = ts_tree_cursor_new (root);
      self->nodes = g_array_sized_new (FALSE, FALSE, sizeof (Node), length / 3 + 16);
      g_array_append_val (self->nodes, none);
      fine = copy_tree (self, &cursor, error);
      ts_tree_cursor_delete (&cursor);
    }
  else
    set_syntax_error (root, error);
  ts_tree_delete (tree);
  ts_parser_delete (parser);
  return fine;
}

void
rw_tree_clear (Tree *self)
{
  g_clear_pointer (&self->nodes, g_array_unref);
}

Ref
rw_tree_field (const Tree *self, Ref node, NodeField field)
{
  for (Ref child = NODE (self, node)->first; child != 0; child = NODE (self, child)->next)
    if (NODE (self, child)->field == field)
      return child;
  return 0;
}

Ref
rw_tree_child (const Tree *self, Ref node, NodeKind kind)
{
  for (Ref child = NODE (self, node)->first; child != 0; child = NODE (self, child)->next)
    if (NODE (self, child)->kind == kind)
      return child;
  return 0;
}

gboolean
rw_tree_text_is (const Tree *self, Ref node, const char *text)
{
  const Node *n = NODE (self, node);
  gsize length = strlen (text);
  return n->end - n->start == length && memcmp (self->source + n->start, text, length) == 0;
}

gboolean
rw_tree_has_token (const Tree *self, Ref node, const char *text)
{
  for (Ref child = NODE (self, node)->first; child != 0; child = NODE (self, child)->next)
    if (NODE (self, child)->kind == NODE_TOKEN && rw_tree_text_is (self, child, text))
      return TRUE;
  return FALSE;
}

gboolean
rw_node_is_function (NodeKind kind)
{
  switch (kind)
    {
    case NODE_arrow_function:
    case NODE_function_declaration:
    case NODE_function_expression:
    case NODE_generator_function:
    case NODE_generator_function_declaration:
    case NODE_method_definition:
      return TRUE;
    default:
      return FALSE;
    }
}
