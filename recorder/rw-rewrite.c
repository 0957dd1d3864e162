/* SPDX-License-Identifier: MIT */
/* The rewriter's frame: copies the source, hands the constructs that matter to those who know them, adds the prologue.
 *
 * Every replacement begins with "$rw$", "typeof" or the token that was there, never with a bracket or an operator, so that a
 * line that ended without a semicolon still ends there. */
#include "rw-rewrite-private.h"

#include <string.h>

#define UNIT_STEP 128

void
rw_emit_text (Emitter *self, guint32 from, guint32 to)
{
  g_string_append_len (self->out, self->tree->source + from, to - from);
}

void
rw_emit_lines (Emitter *self, guint32 from, guint32 to)
{
  for (guint32 i = from; i < to; i++)
    if (self->tree->source[i] == '\n')
      g_string_append_c (self->out, '\n');
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '\\' || (guchar) c >= 0x80;
}

void
rw_emit_hook (Emitter *self, const char *hook)
{
  if (self->out->len > 0 && is_word (self->out->str[self->out->len - 1]))
    g_string_append_c (self->out, ' ');
  g_string_append_printf (self->out, "$rw$.%s(", hook);
}

void
rw_emit_separator (Emitter *self, guint32 end)
{
  if (end < self->tree->length && is_word (self->tree->source[end]))
    g_string_append_c (self->out, ' ');
}

guint32
rw_utf16_offset (const Emitter *self, guint32 byte)
{
  if (self->units == NULL)
    return byte;
  guint32 step = MIN (byte / UNIT_STEP, self->units->len - 1);
  guint32 n = g_array_index (self->units, guint32, step);
  for (guint32 i = step * UNIT_STEP; i < byte; i++)
    {
      guchar c = self->tree->source[i];
      n += (c & 0xc0) == 0x80 ? 0 : c >= 0xf0 ? 2 : 1;
    }
  return n;
}

/* Base 32, least digits first, digits from '0' on; what follows has 32 added. Signs go into the lowest bit. */
static void
append_number (GString *out, gint32 number)
{
  guint32 n = number < 0 ? ((guint32) -number << 1) | 1 : (guint32) number << 1;
  for (; n >= 32; n >>= 5)
    g_string_append_c (out, '0' + 32 + (n & 31));
  g_string_append_c (out, '0' + n);
}

guint
rw_add_place (Emitter *self, guint32 offset, guint32 start, guint32 end, guint32 part)
{
  g_array_append_val (self->places, offset);
  guint32 from = rw_utf16_offset (self, start);
  append_number (self->texts, (gint32) (from - self->text_start));
  append_number (self->texts, rw_utf16_offset (self, end) - from);
  append_number (self->texts, rw_utf16_offset (self, part) - from);
  self->text_start = from;
  return self->place_base + (self->places->len - self->first_place) - 1;
}

void
rw_emit_place_of (Emitter *self, guint32 offset, guint32 start, guint32 end, guint32 part)
{
  g_string_append_printf (self->out, ",%u", rw_add_place (self, offset, start, end, part));
}

void
rw_emit_place (Emitter *self, guint32 offset)
{
  rw_emit_place_of (self, offset, offset, offset, offset);
}

void
rw_emit_quoted (Emitter *self, const char *text, gsize length)
{
  g_string_append_c (self->out, '"');
  for (gsize i = 0; i < length; i++)
    {
      char c = text[i];
      char next = i + 1 < length ? text[i + 1] : 0;
      if (c == '\n')
        g_string_append (self->out, "\\n");
      else if (c == '\r')
        g_string_append (self->out, "\\r");
      else if (c == '\0')
        g_string_append (self->out, "\\0");
      else if (c == '"' || c == '\\')
        g_string_append_printf (self->out, "\\%c", c);
      /* Inline, these would end the script element or change its state. */
      else if (c == '<' && (next == '/' || next == '!' || next == 's' || next == 'S'))
        g_string_append (self->out, "\\x3c");
      else
        g_string_append_c (self->out, c);
    }
  g_string_append_c (self->out, '"');
}

void
rw_emit_name (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  g_string_append_c (self->out, '"');
  rw_emit_text (self, n->start, n->end);
  g_string_append_c (self->out, '"');
}

void
rw_emit_argument (Emitter *self, Ref node)
{
  gboolean sequence = NODE (self->tree, node)->kind == NODE_sequence_expression;
  if (sequence)
    g_string_append_c (self->out, '(');
  rw_emit (self, node);
  if (sequence)
    g_string_append_c (self->out, ')');
}

gboolean
rw_is_strict (const Emitter *self)
{
  return SCOPE (self->scopes, self->scope)->strict;
}

Ref
rw_unparenthesized (const Tree *tree, Ref node)
{
  while (NODE (tree, node)->kind == NODE_parenthesized_expression && NODE (tree, node)->first != 0
         && NODE (tree, NODE (tree, node)->first)->next == 0)
    node = NODE (tree, node)->first;
  return node;
}

gboolean
rw_is_void (const Tree *tree, Ref node)
{
  const Node *n = NODE (tree, node);
  NodeKind parent = NODE (tree, n->parent)->kind;
  return parent == NODE_expression_statement || (parent == NODE_for_statement && n->field == FIELD_increment);
}

void
rw_emit_children (Emitter *self, Ref node)
{
  guint32 position = NODE (self->tree, node)->start;
  for (Ref child = NODE (self->tree, node)->first; child != 0; child = NODE (self->tree, child)->next)
    {
      rw_emit_text (self, position, NODE (self->tree, child)->start);
      rw_emit (self, child);
      position = NODE (self->tree, child)->end;
    }
  rw_emit_text (self, position, NODE (self->tree, node)->end);
}

/* $rw$.HOOK(EXPRESSION,PLACE) */
static void
emit_wrapped (Emitter *self, const char *hook, Ref node, gboolean children)
{
  rw_emit_hook (self, hook);
  if (children)
    rw_emit_children (self, node);
  else
    rw_emit_argument (self, node);
  rw_emit_place (self, NODE (self->tree, node)->start);
  g_string_append_c (self->out, ')');
}

/* What is no constructor is replaced by something whose error quotes the source. */
static void
emit_constructor (Emitter *self, Ref node, Ref callee)
{
  const Node *n = NODE (self->tree, node);
  g_string_append (self->out, "($rw$.nc(");
  rw_emit (self, callee);
  rw_emit_place_of (self, n->start, n->start, n->end, n->start);
  g_string_append (self->out, "))");
}

static void
emit_new (Emitter *self, Ref node)
{
  Ref callee = rw_tree_field (self->tree, node, FIELD_constructor);
  const Node *n = NODE (self->tree, node);
  const Node *c = NODE (self->tree, callee);
  gboolean bare = (c->kind == NODE_identifier && rw_name_class (self, callee) == NAME_PLAIN) || c->kind == NODE_this
                  || c->kind == NODE_parenthesized_expression || c->kind == NODE_meta_property
                  || c->kind == NODE_function_expression || c->kind == NODE_class;
  rw_emit_hook (self, "nn");
  rw_emit_text (self, n->start, c->start);
  if (bare)
    rw_emit (self, callee);
  else
    emit_constructor (self, node, callee);
  Ref arguments = rw_tree_field (self->tree, node, FIELD_arguments);
  guint32 position = c->end;
  if (arguments != 0)
    {
      rw_emit_text (self, position, NODE (self->tree, arguments)->start);
      rw_emit (self, arguments);
    }
  rw_emit_place (self, n->start);
  g_string_append_c (self->out, ')');
}

static gboolean
emit_spread (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  Ref value = n->first;
  while (value != 0 && NODE (self->tree, value)->kind == NODE_TOKEN)
    value = NODE (self->tree, value)->next;
  if (value == 0)
    return FALSE;
  gboolean of_object = NODE (self->tree, n->parent)->kind == NODE_object;
  rw_emit_text (self, n->start, NODE (self->tree, value)->start);
  emit_wrapped (self, of_object ? "ks" : "sp", value, FALSE);
  return TRUE;
}

static gboolean
emit_unary (Emitter *self, Ref node)
{
  Ref operator= rw_tree_field (self->tree, node, FIELD_operator);
  Ref argument = rw_tree_field (self->tree, node, FIELD_argument);
  Ref target = rw_unparenthesized (self->tree, argument);
  if (rw_tree_text_is (self->tree, operator, "delete"))
    return rw_emit_delete (self, node, target);
  if (!rw_tree_text_is (self->tree, operator, "typeof") || NODE (self->tree, target)->kind != NODE_identifier
      || rw_name_class (self, target) != NAME_UNKNOWN)
    return FALSE;
  const Node *t = NODE (self->tree, target);
  int length = t->end - t->start;
  const char *name = self->tree->source + t->start;
  g_string_append_printf (self->out, "typeof (typeof %.*s===\"undefined\"?$rw$.u(\"%.*s\"", length, name, length, name);
  rw_emit_place (self, t->start);
  g_string_append_printf (self->out, "):$rw$.G(\"%.*s\",%.*s", length, name, length, name);
  rw_emit_place (self, t->start);
  g_string_append (self->out, "))");
  rw_emit_lines (self, NODE (self->tree, node)->start, t->start);
  return TRUE;
}

static gboolean
emit_in (Emitter *self, Ref node)
{
  Ref operator= rw_tree_field (self->tree, node, FIELD_operator);
  Ref left = rw_tree_field (self->tree, node, FIELD_left);
  Ref right = rw_tree_field (self->tree, node, FIELD_right);
  if (!rw_tree_text_is (self->tree, operator, "in")
      || NODE (self->tree, left)->kind == NODE_private_property_identifier)
    return FALSE;
  rw_emit_hook (self, "i");
  rw_emit (self, left);
  g_string_append_c (self->out, ',');
  rw_emit_lines (self, NODE (self->tree, left)->end, NODE (self->tree, right)->start);
  rw_emit (self, right);
  rw_emit_place_of (self, NODE (self->tree, node)->start, NODE (self->tree, node)->start, NODE (self->tree, node)->end,
                    NODE (self->tree, right)->start);
  g_string_append_c (self->out, ')');
  return TRUE;
}

static gboolean
emit_assignment (Emitter *self, Ref node)
{
  Ref left = rw_tree_field (self->tree, node, FIELD_left);
  Ref right = rw_tree_field (self->tree, node, FIELD_right);
  Ref target = rw_unparenthesized (self->tree, left);
  if (rw_is_member (self->tree, target))
    return rw_emit_member_assignment (self, node, target, right);
  rw_emit_name_assignment (self, node, left, right);
  return TRUE;
}

static gboolean
emit_update (Emitter *self, Ref node)
{
  Ref argument = rw_tree_field (self->tree, node, FIELD_argument);
  Ref target = rw_unparenthesized (self->tree, argument);
  if (rw_is_member (self->tree, target))
    return rw_emit_member_update (self, node, target);
  if (NODE (self->tree, target)->kind != NODE_identifier)
    return FALSE;
  rw_emit_name_update (self, node, argument);
  return TRUE;
}

/* FALSE: nothing special about it. */
static gboolean
emit_special (Emitter *self, Ref node)
{
  NodeKind kind = NODE (self->tree, node)->kind;
  switch (kind)
    {
    case NODE_identifier:
    case NODE_shorthand_property_identifier:
      rw_emit_read (self, node, 0);
      return TRUE;
    case NODE_member_expression:
    case NODE_subscript_expression:
      return rw_emit_member (self, node);
    case NODE_call_expression:
      return rw_emit_call (self, node);
    case NODE_new_expression:
      emit_new (self, node);
      return TRUE;
    case NODE_object:
    case NODE_array:
      emit_wrapped (self, "n", node, TRUE);
      return TRUE;
    case NODE_spread_element:
      return emit_spread (self, node);
    case NODE_unary_expression:
      return emit_unary (self, node);
    case NODE_binary_expression:
      return emit_in (self, node);
    case NODE_assignment_expression:
    case NODE_augmented_assignment_expression:
      return emit_assignment (self, node);
    case NODE_update_expression:
      return emit_update (self, node);
    case NODE_class:
      rw_emit_class (self, node);
      return TRUE;
    case NODE_class_declaration:
      rw_emit_class_declaration (self, node);
      return TRUE;
    default:
      return rw_node_is_function (kind) ? rw_emit_function (self, node) : rw_emit_statement (self, node);
    }
}

void
rw_emit (Emitter *self, Ref node)
{
  guint32 outer = self->scope;
  const Node *n = NODE (self->tree, node);
  if (n->scope != 0)
    self->scope = n->scope;
  if (n->first == 0 && n->kind != NODE_identifier && n->kind != NODE_shorthand_property_identifier
      && n->kind != NODE_object && n->kind != NODE_array && n->kind != NODE_statement_block)
    rw_emit_text (self, n->start, n->end);
  else if (!emit_special (self, node))
    rw_emit_children (self, node);
  self->scope = outer;
}

/* Functions and variables that a classic script declares are there, and so are written, before it runs. */
static void
emit_declared (Emitter *self)
{
  const Scope *scope = SCOPE (self->scopes, 1);
  if (scope->kind != SCOPE_SCRIPT || self->kind == RW_SCRIPT_FUNCTION)
    return;
  guint n = 0;
  for (Ref child = 1; child < self->tree->nodes->len; child++)
    {
      const Node *node = NODE (self->tree, child);
      Binding *binding = node->binding != 0 ? BINDING (self->scopes, node->binding) : NULL;
      if (binding == NULL || binding->scope != 1 || binding->logged
          || (binding->kind != BINDING_VAR && binding->kind != BINDING_FUNCTION)
          || (binding->kind == BINDING_VAR && binding->initialized))
        continue;
      binding->logged = TRUE; /* said already */
      g_string_append_printf (self->out, ",$rw$d%u=$rw$.%c(", n++, binding->kind == BINDING_VAR ? 'V' : 'F');
      rw_emit_name (self, child);
      g_string_append_c (self->out, ',');
      rw_emit_text (self, node->start, node->end);
      rw_emit_place (self, node->start);
      g_string_append_c (self->out, ')');
    }
}

/* The runtime keeps the text for toString and for messages, and names things after its hash (FNV-1a). */
static void
emit_source (Emitter *self)
{
  guint32 hash = 2166136261u;
  for (gsize i = 0; i < self->tree->length; i++)
    hash = (hash ^ (guchar) self->tree->source[i]) * 16777619u;
  g_string_append_printf (self->out, "$rw$.o(%u,\"%08x\",", self->place_base, hash);
  rw_emit_quoted (self, self->tree->source, self->tree->length);
  g_string_append_c (self->out, ',');
  rw_emit_quoted (self, self->texts->str, self->texts->len);
}

/* A block of declarations has no completion value, so it changes none. */
static void
emit_prologue (Emitter *self)
{
  g_string_append (self->out, "{const $rw$o=");
  emit_source (self);
  g_string_append_c (self->out, ')');
  emit_declared (self);
  g_string_append (self->out, "}");
  if (SCOPE (self->scopes, 1)->kind != SCOPE_SCRIPT)
    rw_emit_instance (self, 1);
}

/* Where the directives end; a hash-bang line is followed by its end. */
static guint32
program_start (const Tree *tree)
{
  guint32 end;
  Ref first = NODE (tree, 1)->first;
  rw_directives (tree, 1, &end);
  if (first != 0 && NODE (tree, first)->kind == NODE_hash_bang_line && NODE (tree, first)->end == end)
    while (end < tree->length && tree->source[end - 1] != '\n')
      end++;
  return end;
}

/* Everything from byte @start on, into a text of its own: the prologue has to know the places that it makes. */
static GString *
emit_statements (Emitter *self, guint32 start)
{
  GString *head = g_steal_pointer (&self->out);
  self->out = g_string_sized_new (self->tree->length * 3 + 256);
  guint32 position = start;
  for (Ref child = NODE (self->tree, 1)->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *n = NODE (self->tree, child);
      if (n->start < start)
        continue;
      rw_emit_text (self, position, n->start);
      rw_emit (self, child);
      position = n->end;
    }
  rw_emit_text (self, position, self->tree->length);
  GString *body = g_steal_pointer (&self->out);
  self->out = head;
  return body;
}

static void
emit_program (Emitter *self)
{
  guint32 start = program_start (self->tree);
  self->scope = 1;
  rw_emit_text (self, 0, start);
  if (start > 0 && self->tree->source[start - 1] != ';' && self->tree->source[start - 1] != '\n')
    g_string_append_c (self->out, ';');
  /* The prologue comes right before the first statement: "-->" is a comment only where nothing is before it on its line. */
  Ref first = NODE (self->tree, 1)->first;
  while (first != 0 && NODE (self->tree, first)->start < start)
    first = NODE (self->tree, first)->next;
  guint32 begin = first != 0 ? NODE (self->tree, first)->start : self->tree->length;
  rw_emit_text (self, start, begin);
  g_autoptr (GString) body = emit_statements (self, begin);
  if (first != 0)
    emit_prologue (self);
  g_string_append_len (self->out, body->str, body->len);
}

/* The name Function gives its result is not visible inside it, so it has to come from a property. */
static gboolean
emit_function_text (Emitter *self, GError **error)
{
  Ref function = NODE (self->tree, 1)->first;
  if (function == 0 || NODE (self->tree, function)->next != 0 || !rw_node_is_function (NODE (self->tree, function)->kind))
    {
      g_set_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_SYNTAX, "not one function");
      return FALSE;
    }
  self->scope = 1;
  g_autoptr (GString) body = emit_statements (self, 0);
  emit_source (self);
  g_string_append (self->out, ",{anonymous:");
  g_string_append_len (self->out, body->str, body->len);
  g_string_append (self->out, "}).anonymous");
  return TRUE;
}

static GArray *
count_units (const char *source, gsize length)
{
  gsize i;
  for (i = 0; i < length && (guchar) source[i] < 0x80; i++)
    ;
  if (i == length)
    return NULL;
  GArray *units = g_array_sized_new (FALSE, FALSE, sizeof (guint32), length / UNIT_STEP + 1);
  guint32 n = 0;
  for (i = 0; i < length; i++)
    {
      guchar c = source[i];
      if (i % UNIT_STEP == 0)
        g_array_append_val (units, n);
      n += (c & 0xc0) == 0x80 ? 0 : c >= 0xf0 ? 2 : 1;
    }
  return units;
}

/* The grammar takes these for names where it can make nothing else of them. */
static gboolean
is_reserved (const Tree *tree, Ref node)
{
  static const char *const words[]
      = { "break", "case",    "catch",  "class",  "const", "continue", "debugger", "default", "delete", "do",     "else",
          "enum",  "export",  "extends", "false", "finally", "for",    "function", "if",      "import", "in",     "instanceof",
          "new",   "null",    "return", "super",  "switch", "this",    "throw",    "true",    "try",    "typeof", "var",
          "void",  "while",   "with" };
  NodeKind parent = NODE (tree, NODE (tree, node)->parent)->kind;
  if (parent == NODE_export_specifier || parent == NODE_import_specifier)
    return FALSE;
  /* A declaration, with a line end after let. */
  if (parent == NODE_expression_statement && rw_tree_text_is (tree, node, "let"))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (rw_tree_text_is (tree, node, words[i]))
      return TRUE;
  return FALSE;
}

/* Outside modules "<!--" begins a comment, and so does "-->" at the start of a line; the grammar takes them for operators. */
static gboolean
is_html_comment (const Tree *tree, Ref node)
{
  const char *text = tree->source + NODE (tree, node)->start;
  gsize left = tree->length - NODE (tree, node)->start;
  if (left >= 4 && memcmp (text, "<!--", 4) == 0)
    return TRUE;
  if (left < 3 || memcmp (text, "-->", 3) != 0)
    return FALSE;
  while (text > tree->source && (text[-1] == ' ' || text[-1] == '\t'))
    text--;
  return text == tree->source || text[-1] == '\n' || text[-1] == '\r' || text[-1] == '/';
}

static gboolean
is_strange (const Tree *tree, Ref node)
{
  switch (NODE (tree, node)->kind)
    {
    case NODE_jsx_element:
    case NODE_jsx_self_closing_element:
    case NODE_decorator:
      return TRUE;
    case NODE_identifier:
    case NODE_shorthand_property_identifier:
    case NODE_shorthand_property_identifier_pattern:
      return is_reserved (tree, node);
    case NODE_TOKEN:
      return is_html_comment (tree, node);
    default:
      return FALSE;
    }
}

static gboolean
check_nodes (const Tree *tree, GError **error)
{
  for (Ref i = 1; i < tree->nodes->len; i++)
    if (is_strange (tree, i))
      {
        g_set_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_SYNTAX, "byte %u: not understood", NODE (tree, i)->start);
        return FALSE;
      }
  return TRUE;
}

gboolean
rw_script_kind_from_name (const char *name, RwScriptKind *kind)
{
  static const char *const names[] = { "classic", "module", "handler", "eval", "function" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (name, names[i]) == 0)
      {
        *kind = i;
        return TRUE;
      }
  return FALSE;
}

static char *
emit_all (Emitter *self, gsize *out_length, GError **error)
{
  gboolean fine = TRUE;
  if (self->kind == RW_SCRIPT_FUNCTION)
    fine = emit_function_text (self, error);
  else
    emit_program (self);
  if (out_length != NULL)
    *out_length = self->out->len;
  return g_string_free (g_steal_pointer (&self->out), !fine);
}

char *
rw_rewrite (const char *source, gsize length, RwScriptKind kind, gboolean strict, guint place_base, GArray *places,
            gsize *out_length, GError **error)
{
  Tree tree;
  Scopes scopes;
  char *result = NULL;
  if (g_strstr_len (source, length, "$rw$") != NULL)
    {
      g_set_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_RESERVED, "it mentions $rw$");
      return NULL;
    }
  if (rw_tree_init (&tree, source, length, error) && check_nodes (&tree, error))
    {
      gboolean fine = rw_scopes_init (&scopes, &tree, kind, strict, error);
      Emitter emitter = { .tree = &tree, .scopes = &scopes, .kind = kind, .places = places, .place_base = place_base };
      emitter.out = g_string_new (NULL);
      emitter.texts = g_string_new (NULL);
      emitter.first_place = places->len;
      emitter.units = count_units (source, length);
      if (fine)
        result = emit_all (&emitter, out_length, error);
      else
        g_string_free (emitter.out, TRUE);
      g_clear_pointer (&emitter.units, g_array_unref);
      g_string_free (emitter.texts, TRUE);
      rw_scopes_clear (&scopes);
    }
  rw_tree_clear (&tree);
  return result;
}
