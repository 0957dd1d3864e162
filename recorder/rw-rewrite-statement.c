/* SPDX-License-Identifier: MIT */
/* Functions, classes, blocks, loops and declarations: where scopes begin, and what a function's text was. */
#include "rw-rewrite-private.h"

/* A comment inside the function's text tells Function.prototype.toString which part of which source it was. It must come
 * before the first one of any function inside. */
static void
emit_marker (Emitter *self, guint32 start, guint32 end)
{
  g_string_append_printf (self->out, "/*$rw$%u:%u:%u*/", self->place_base, rw_utf16_offset (self, start),
                          rw_utf16_offset (self, end));
}

void
rw_emit_instance (Emitter *self, guint32 number)
{
  const Scope *scope = SCOPE (self->scopes, number);
  if (!scope->instance)
    return;
  /* Functions of a module can be called by another before it runs: no dead zone there. */
  g_string_append_printf (self->out, "%s $rw$s%u=$rw$.I(0", scope->kind == SCOPE_MODULE ? "var" : "const", number);
  rw_emit_place (self, NODE (self->tree, scope->node)->start);
  g_string_append (self->out, ");");
}

/* The children of a block, with the scope's instance in front, after the directives. */
static void
emit_block (Emitter *self, Ref block, guint32 scope, const char *prefix)
{
  const Node *b = NODE (self->tree, block);
  guint32 end;
  rw_directives (self->tree, block, &end);
  guint32 position = end > 0 ? end : b->start + 1;
  rw_emit_text (self, b->start, position);
  if (end > 0 && self->tree->source[end - 1] != ';')
    g_string_append_c (self->out, ';');
  if (scope != 0)
    rw_emit_instance (self, scope);
  g_string_append (self->out, prefix);
  for (Ref child = b->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      if (c->start < position)
        continue;
      rw_emit_text (self, position, c->start);
      rw_emit (self, child);
      position = c->end;
    }
  rw_emit_text (self, position, b->end);
}

static void
emit_temporaries (Emitter *self, guint32 scope, gsize position)
{
  guint n = SCOPE (self->scopes, scope)->n_temporaries;
  if (n == 0)
    return;
  g_autoptr (GString) text = g_string_new ("var $rw$t0");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, ",$rw$t%u", i);
  g_string_append_c (text, ';');
  g_string_insert_len (self->out, position, text->str, text->len);
}

/* A class without a parent makes its instances itself, so its constructor knows that this one is new. */
static gboolean
is_base_constructor (const Tree *tree, Ref function)
{
  const Node *n = NODE (tree, function);
  Ref name = n->kind == NODE_method_definition ? rw_tree_field (tree, function, FIELD_name) : 0;
  if (name == 0 || !rw_tree_text_is (tree, name, "constructor") || NODE (tree, n->parent)->kind != NODE_class_body
      || rw_tree_has_token (tree, function, "static"))
    return FALSE;
  return rw_tree_child (tree, NODE (tree, n->parent)->parent, NODE_class_heritage) == 0;
}

static void
emit_function_body (Emitter *self, Ref body, guint32 scope)
{
  const Node *b = NODE (self->tree, body);
  char prefix[40] = "";
  if (b->kind == NODE_statement_block)
    {
      guint32 end;
      gsize start = self->out->len;
      rw_directives (self->tree, body, &end);
      if (is_base_constructor (self->tree, b->parent))
        g_snprintf (prefix, sizeof prefix, "$rw$.t(this,%u);", rw_add_place (self, b->start, b->start, b->start, b->start));
      emit_block (self, body, scope, prefix);
      /* Directives are copied as they are, so their end is known. */
      gsize after = start + (end > 0 ? end - b->start + (self->tree->source[end - 1] != ';') : 1);
      emit_temporaries (self, scope, after);
      return;
    }
  g_autoptr (GString) outer = g_steal_pointer (&self->out);
  self->out = g_string_new (NULL);
  rw_emit_instance (self, scope);
  gsize instance = self->out->len;
  rw_emit (self, body);
  g_autoptr (GString) inner = g_steal_pointer (&self->out);
  self->out = g_steal_pointer (&outer);
  gboolean block = instance > 0 || SCOPE (self->scopes, scope)->n_temporaries > 0;
  if (!block)
    {
      g_string_append_len (self->out, inner->str, inner->len);
      return;
    }
  g_string_append_c (self->out, '{');
  emit_temporaries (self, scope, self->out->len);
  g_string_append_len (self->out, inner->str, instance);
  g_string_append (self->out, "return (");
  g_string_append_len (self->out, inner->str + instance, inner->len - instance);
  g_string_append (self->out, ")}");
}

/* Where the text begins that toString shows: a method's without static. */
static guint32
function_start (const Emitter *self, Ref node)
{
  Ref first = NODE (self->tree, node)->first;
  if (NODE (self->tree, node)->kind == NODE_method_definition && first != 0 && rw_tree_text_is (self->tree, first, "static")
      && NODE (self->tree, first)->kind == NODE_TOKEN)
    return NODE (self->tree, NODE (self->tree, first)->next)->start;
  return NODE (self->tree, node)->start;
}

static void
emit_parameters (Emitter *self, Ref node, guint32 start, guint32 end, gboolean mark)
{
  const Node *n = NODE (self->tree, node);
  if (n->kind != NODE_formal_parameters)
    {
      rw_emit_text (self, n->start, n->end);
      if (mark)
        emit_marker (self, start, end);
      return;
    }
  guint32 position = n->start + 1;
  g_string_append_c (self->out, '(');
  if (mark)
    emit_marker (self, start, end);
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      rw_emit_text (self, position, NODE (self->tree, child)->start);
      rw_emit_pattern (self, child);
      position = NODE (self->tree, child)->end;
    }
  rw_emit_text (self, position, n->end);
}

/* The name of a method, marked if it is computed: what is in the brackets comes before the parameters. */
static gboolean
emit_function_name (Emitter *self, Ref name, guint32 start, guint32 end)
{
  const Node *n = NODE (self->tree, name);
  if (n->kind != NODE_computed_property_name)
    {
      rw_emit_text (self, n->start, n->end);
      return FALSE;
    }
  g_string_append_c (self->out, '[');
  emit_marker (self, start, end);
  guint32 inner = NODE (self->tree, n->first)->start;
  rw_emit_text (self, n->start + 1, inner);
  self->scope = SCOPE (self->scopes, self->scope)->parent;
  rw_emit (self, n->first);
  rw_emit_text (self, NODE (self->tree, n->first)->end, n->end);
  return TRUE;
}

gboolean
rw_emit_function (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  guint32 start = function_start (self, node);
  guint32 position = n->start;
  gboolean marked = FALSE;
  gboolean drop_name = self->kind == RW_SCRIPT_FUNCTION && n->parent == 1;
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      rw_emit_text (self, position, c->start);
      position = c->end;
      if (c->field == FIELD_name)
        {
          if (!drop_name)
            marked = emit_function_name (self, child, start, n->end) || marked;
          self->scope = n->scope;
        }
      else if (c->field == FIELD_parameters || c->field == FIELD_parameter)
        {
          SCOPE (self->scopes, n->scope)->unnamed = TRUE;
          emit_parameters (self, child, start, n->end, !marked);
          SCOPE (self->scopes, n->scope)->unnamed = FALSE;
        }
      else if (c->field == FIELD_body)
        emit_function_body (self, child, n->scope);
      else
        rw_emit_text (self, c->start, c->end);
    }
  rw_emit_text (self, position, n->end);
  return TRUE;
}

void
rw_emit_class (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  guint32 position = n->start;
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      rw_emit_text (self, position, c->start);
      position = c->end;
      if (c->kind == NODE_TOKEN && rw_tree_text_is (self->tree, child, "class"))
        {
          rw_emit_text (self, c->start, c->end);
          emit_marker (self, n->start, n->end);
        }
      else if (c->field == FIELD_name)
        rw_emit_text (self, c->start, c->end);
      else
        rw_emit (self, child);
    }
  rw_emit_text (self, position, n->end);
}

/* A class at the top of a script is a global that appears where it stands; a block says so without a completion value. */
void
rw_emit_class_declaration (Emitter *self, Ref node)
{
  Ref name = rw_tree_field (self->tree, node, FIELD_name);
  rw_emit_class (self, node);
  if (name == 0 || rw_name_class (self, name) != NAME_GLOBAL)
    return;
  g_string_append (self->out, "{const $rw$c=$rw$.F(");
  rw_emit_name (self, name);
  g_string_append_c (self->out, ',');
  rw_emit_text (self, NODE (self->tree, name)->start, NODE (self->tree, name)->end);
  rw_emit_place (self, NODE (self->tree, name)->start);
  g_string_append (self->out, ")}");
}

/* A loop's body with something in front of it, in braces if it has none. */
static void
emit_body (Emitter *self, Ref body, const char *prefix)
{
  const Node *b = NODE (self->tree, body);
  if (*prefix == '\0')
    rw_emit (self, body);
  else if (b->kind == NODE_statement_block)
    {
      guint32 outer = self->scope;
      self->scope = b->scope;
      emit_block (self, body, b->scope, prefix);
      self->scope = outer;
    }
  else
    {
      g_string_append_c (self->out, '{');
      g_string_append (self->out, prefix);
      rw_emit (self, body);
      g_string_append_c (self->out, '}');
    }
}

/* Text that emitting @what gives, without leaving it in the output. */
static char *
capture_instance (Emitter *self, guint32 scope)
{
  gsize start = self->out->len;
  rw_emit_instance (self, scope);
  char *text = g_strdup (self->out->str + start);
  g_string_truncate (self->out, start);
  return text;
}

static void
emit_for (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  Scope *scope = SCOPE (self->scopes, n->scope);
  g_autofree char *prefix = capture_instance (self, n->scope);
  guint32 position = n->start;
  scope->unnamed = TRUE;
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      rw_emit_text (self, position, c->start);
      position = c->end;
      scope->unnamed = c->field != FIELD_body;
      if (c->field == FIELD_body)
        emit_body (self, child, prefix);
      else
        rw_emit (self, child);
    }
  rw_emit_text (self, position, n->end);
  scope->unnamed = FALSE;
}

/* What says in the body that the loop has written its variables. */
static char *
loop_writes (Emitter *self, Ref left, guint32 scope)
{
  gsize start = self->out->len;
  rw_emit_instance (self, scope);
  gsize instance = self->out->len;
  g_string_append (self->out, "$rw$.L(0");
  rw_emit_place (self, NODE (self->tree, left)->start);
  gsize before = self->out->len;
  if (!rw_is_member (self->tree, rw_unparenthesized (self->tree, left)))
    rw_emit_pattern_names (self, left);
  gboolean any = self->out->len > before;
  g_string_append (self->out, ");");
  char *text = any ? g_strdup (self->out->str + start) : g_strndup (self->out->str + start, instance - start);
  g_string_truncate (self->out, start);
  return text;
}

static void
emit_for_in_part (Emitter *self, Ref node, Ref child, const char *prefix)
{
  const Node *c = NODE (self->tree, child);
  gboolean of = rw_tree_text_is (self->tree, rw_tree_field (self->tree, node, FIELD_operator), "of");
  switch (c->field)
    {
    case FIELD_left:
      rw_emit_pattern (self, child);
      break;
    case FIELD_right:
      rw_emit_hook (self, of ? "of" : "ks");
      rw_emit_argument (self, child);
      rw_emit_place_of (self, c->start, c->start, c->end, c->end);
      g_string_append_c (self->out, ')');
      break;
    case FIELD_body:
      emit_body (self, child, prefix);
      break;
    default:
      rw_emit (self, child);
    }
}

static void
emit_for_in (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  Scope *scope = SCOPE (self->scopes, n->scope);
  g_autofree char *prefix = loop_writes (self, rw_tree_field (self->tree, node, FIELD_left), n->scope);
  guint32 position = n->start;
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      rw_emit_text (self, position, c->start);
      position = c->end;
      scope->unnamed = c->field != FIELD_body;
      emit_for_in_part (self, node, child, prefix);
    }
  rw_emit_text (self, position, n->end);
  scope->unnamed = FALSE;
}

static void
emit_catch (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  guint32 position = n->start;
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      rw_emit_text (self, position, c->start);
      position = c->end;
      if (c->field == FIELD_parameter)
        {
          SCOPE (self->scopes, n->scope)->unnamed = TRUE;
          rw_emit_pattern (self, child);
          SCOPE (self->scopes, n->scope)->unnamed = FALSE;
        }
      else if (c->field == FIELD_body)
        emit_block (self, child, n->scope, "");
      else
        rw_emit (self, child);
    }
  rw_emit_text (self, position, n->end);
}

static void
emit_declarator (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  Ref name = rw_tree_field (self->tree, node, FIELD_name);
  Ref value = rw_tree_field (self->tree, node, FIELD_value);
  rw_emit_pattern (self, name);
  if (value == 0)
    {
      rw_emit_text (self, NODE (self->tree, name)->end, n->end);
      return;
    }
  rw_emit_text (self, NODE (self->tree, name)->end, NODE (self->tree, value)->start);
  rw_emit_initializer (self, name, value);
}

static gboolean
emit_switch (Emitter *self, Ref node)
{
  guint32 scope = NODE (self->tree, node)->scope;
  if (!SCOPE (self->scopes, scope)->instance)
    return FALSE;
  g_string_append_c (self->out, '{');
  rw_emit_instance (self, scope);
  rw_emit_children (self, node);
  g_string_append_c (self->out, '}');
  return TRUE;
}

static gboolean
emit_static_block (Emitter *self, Ref node)
{
  Ref body = rw_tree_field (self->tree, node, FIELD_body);
  const Node *n = NODE (self->tree, node);
  rw_emit_text (self, n->start, NODE (self->tree, body)->start);
  emit_block (self, body, n->scope, "");
  return TRUE;
}

/* An object that claims to have every name (the templates of Vue) must not claim the hooks' own. */
static void
emit_with (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  Ref object = rw_tree_field (self->tree, node, FIELD_object);
  guint32 position = n->start;
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      rw_emit_text (self, position, c->start);
      position = c->end;
      if (child == object)
        g_string_append (self->out, "($rw$.wi(");
      rw_emit (self, child);
      if (child == object)
        g_string_append (self->out, "))");
    }
  rw_emit_text (self, position, n->end);
}

gboolean
rw_emit_statement (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  switch (n->kind)
    {
    case NODE_statement_block:
      emit_block (self, node, n->scope, "");
      return TRUE;
    case NODE_for_statement:
      emit_for (self, node);
      return TRUE;
    case NODE_for_in_statement:
      emit_for_in (self, node);
      return TRUE;
    case NODE_catch_clause:
      emit_catch (self, node);
      return TRUE;
    case NODE_variable_declarator:
      emit_declarator (self, node);
      return TRUE;
    case NODE_with_statement:
      emit_with (self, node);
      return TRUE;
    case NODE_switch_statement:
      return emit_switch (self, node);
    case NODE_class_static_block:
      return emit_static_block (self, node);
    case NODE_import_statement:
    case NODE_export_specifier:
      rw_emit_text (self, n->start, n->end);
      return TRUE;
    default:
      return FALSE;
    }
}
