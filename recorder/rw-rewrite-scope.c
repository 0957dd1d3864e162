/* SPDX-License-Identifier: MIT */
/* Scope analysis: what each name means, and which variables two events can share.
 *
 * A variable that no inner function mentions is seen by one activation only, so by one event or by the parts of one async
 * function: not logged. A captured one is shared. But all code of a function that never suspends runs in the event that
 * entered it, and whoever reaches its variables later came by a closure that this event made (through a post or a logged
 * location), so they depend on that event anyway. What remains, and is logged: captured variables that an inner function
 * assigns to, and those of functions that suspend (whose initialisation can come after a reader: the temporal dead zone). */
#include "rw-rewrite-private.h"

#include <string.h>

typedef struct
{
  const char *text;
  gsize length;
} Atom;

typedef struct
{
  Ref node;
  guint32 scope;
  gboolean write;
} Mention;

typedef struct
{
  Scopes *scopes;
  Tree *tree;
  RwScriptKind kind;
  Ref mistaken; /* an await or yield where it is a name; 0: none */
  GArray *mentions; /* of Mention, resolved when all declarations are known */
} Analysis;

static void visit (Analysis *self, Ref node, guint32 scope);
static void visit_target (Analysis *self, Ref node, guint32 scope, gboolean write);

static guint
atom_hash (gconstpointer data)
{
  const Atom *atom = data;
  guint hash = 5381;
  for (gsize i = 0; i < atom->length; i++)
    hash = hash * 33 + (guchar) atom->text[i];
  return hash;
}

static gboolean
atom_equal (gconstpointer a, gconstpointer b)
{
  const Atom *x = a, *y = b;
  return x->length == y->length && memcmp (x->text, y->text, x->length) == 0;
}

static const Atom *
intern (Analysis *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  Atom key = { self->tree->source + n->start, n->end - n->start };
  Atom *atom = g_hash_table_lookup (self->scopes->atoms, &key);
  if (atom == NULL)
    {
      atom = g_memdup2 (&key, sizeof key);
      g_hash_table_add (self->scopes->atoms, atom);
    }
  return atom;
}

static guint32
open_scope (Analysis *self, ScopeKind kind, Ref node, guint32 parent)
{
  guint32 number = self->scopes->scopes->len;
  Scope scope = { .kind = kind, .parent = parent, .node = node };
  gboolean inner = kind == SCOPE_BLOCK || kind == SCOPE_WITH;
  scope.function = inner ? SCOPE (self->scopes, parent)->function : number;
  scope.strict = parent != 0 && SCOPE (self->scopes, parent)->strict;
  g_array_append_val (self->scopes->scopes, scope);
  NODE (self->tree, node)->scope = number;
  return number;
}

static void
declare (Analysis *self, Ref name, guint32 scope, BindingKind kind)
{
  Scope *s = SCOPE (self->scopes, scope);
  const Atom *atom = intern (self, name);
  if (s->names == NULL)
    s->names = g_hash_table_new (NULL, NULL);
  guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (s->names, atom));
  if (known != 0)
    {
      if (kind == BINDING_FUNCTION)
        BINDING (self->scopes, known)->kind = kind;
      return;
    }
  Binding binding = { .kind = kind, .scope = scope };
  g_hash_table_insert (s->names, (gpointer) atom, GUINT_TO_POINTER (self->scopes->bindings->len));
  g_array_append_val (self->scopes->bindings, binding);
}

static void
mention (Analysis *self, Ref node, guint32 scope, gboolean write)
{
  Mention m = { node, scope, write };
  g_array_append_val (self->mentions, m);
}

static void
visit_children (Analysis *self, Ref node, guint32 scope)
{
  for (Ref child = NODE (self->tree, node)->first; child != 0; child = NODE (self->tree, child)->next)
    visit (self, child, scope);
}

/* @kind -1: an assignment's pattern, which declares nothing. */
static void
visit_pattern (Analysis *self, Ref node, guint32 scope, guint32 home, int kind)
{
  if (node == 0)
    return;
  const Node *n = NODE (self->tree, node);
  switch (n->kind)
    {
    case NODE_identifier:
    case NODE_shorthand_property_identifier_pattern:
      if (kind >= 0)
        declare (self, node, home, kind);
      mention (self, node, scope, kind < 0);
      break;
    case NODE_assignment_pattern:
    case NODE_object_assignment_pattern:
      visit_pattern (self, rw_tree_field (self->tree, node, FIELD_left), scope, home, kind);
      visit (self, rw_tree_field (self->tree, node, FIELD_right), scope);
      break;
    case NODE_pair_pattern:
      visit (self, rw_tree_field (self->tree, node, FIELD_key), scope);
      visit_pattern (self, rw_tree_field (self->tree, node, FIELD_value), scope, home, kind);
      break;
    case NODE_array_pattern:
    case NODE_object_pattern:
    case NODE_rest_pattern:
    case NODE_formal_parameters:
      for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
        visit_pattern (self, child, scope, home, kind);
      break;
    case NODE_parenthesized_expression:
      visit_pattern (self, n->first, scope, home, kind);
      break;
    default:
      visit (self, node, scope);
    }
}

static void
visit_target (Analysis *self, Ref node, guint32 scope, gboolean write)
{
  visit_pattern (self, node, scope, 0, -1);
}

gboolean
rw_directives (const Tree *tree, Ref node, guint32 *end)
{
  gboolean strict = FALSE;
  *end = 0;
  for (Ref s = NODE (tree, node)->first; s != 0; s = NODE (tree, s)->next)
    {
      const Node *statement = NODE (tree, s);
      if (statement->kind == NODE_hash_bang_line)
        {
          *end = statement->end;
          continue;
        }
      if (statement->kind != NODE_expression_statement || statement->first == 0
          || NODE (tree, statement->first)->kind != NODE_string)
        break;
      strict = strict || rw_tree_text_is (tree, statement->first, "\"use strict\"")
               || rw_tree_text_is (tree, statement->first, "'use strict'");
      *end = statement->end;
    }
  return strict;
}

static void
visit_function (Analysis *self, Ref node, guint32 outer)
{
  Ref name = rw_tree_field (self->tree, node, FIELD_name);
  Ref body = rw_tree_field (self->tree, node, FIELD_body);
  NodeKind kind = NODE (self->tree, node)->kind;
  guint32 end;
  if (kind == NODE_method_definition && name != 0)
    visit (self, name, outer);
  guint32 scope = open_scope (self, SCOPE_FUNCTION, node, outer);
  SCOPE (self->scopes, scope)->async = rw_tree_has_token (self->tree, node, "async");
  SCOPE (self->scopes, scope)->generator = rw_tree_has_token (self->tree, node, "*");
  if (NODE (self->tree, body)->kind == NODE_statement_block && rw_directives (self->tree, body, &end))
    SCOPE (self->scopes, scope)->strict = TRUE;
  visit_pattern (self, rw_tree_field (self->tree, node, FIELD_parameter), scope, scope, BINDING_PARAMETER);
  visit_pattern (self, rw_tree_field (self->tree, node, FIELD_parameters), scope, scope, BINDING_PARAMETER);
  if (NODE (self->tree, body)->kind == NODE_statement_block)
    visit_children (self, body, scope);
  else
    visit (self, body, scope);
  if (name != 0 && (kind == NODE_function_expression || kind == NODE_generator_function))
    declare (self, name, scope, BINDING_FIXED);
}

static void
declare_function (Analysis *self, Ref node, guint32 scope)
{
  Ref name = rw_tree_field (self->tree, node, FIELD_name);
  const Scope *s = SCOPE (self->scopes, scope);
  guint32 function = s->function;
  gboolean hoisted = s->kind == SCOPE_BLOCK && !s->strict;
  if (scope == 1 && self->kind == RW_SCRIPT_FUNCTION)
    return;
  declare (self, name, scope, BINDING_FUNCTION);
  mention (self, name, scope, FALSE);
  /* Sloppy code sees a block's function in the whole function as well. */
  if (hoisted)
    declare (self, name, function, BINDING_VAR);
}

static void
visit_class (Analysis *self, Ref node, guint32 outer)
{
  Ref name = rw_tree_field (self->tree, node, FIELD_name);
  if (NODE (self->tree, node)->kind == NODE_class_declaration && name != 0)
    {
      declare (self, name, outer, BINDING_LET);
      mention (self, name, outer, FALSE);
    }
  guint32 scope = open_scope (self, SCOPE_BLOCK, node, outer);
  SCOPE (self->scopes, scope)->strict = TRUE;
  if (name != 0)
    declare (self, name, scope, BINDING_FIXED);
  for (Ref child = NODE (self->tree, node)->first; child != 0; child = NODE (self->tree, child)->next)
    if (child != name)
      visit (self, child, scope);
}

static void
visit_field (Analysis *self, Ref node, guint32 scope)
{
  Ref value = rw_tree_field (self->tree, node, FIELD_value);
  visit (self, rw_tree_field (self->tree, node, FIELD_property), scope);
  if (value != 0)
    visit (self, value, open_scope (self, SCOPE_FUNCTION, node, scope));
}

static void
visit_declaration (Analysis *self, Ref node, guint32 scope)
{
  Ref kind_token = rw_tree_field (self->tree, node, FIELD_kind);
  gboolean var = NODE (self->tree, node)->kind == NODE_variable_declaration;
  int kind = var ? BINDING_VAR : rw_tree_text_is (self->tree, kind_token, "const") ? BINDING_CONST : BINDING_LET;
  guint32 home = var ? SCOPE (self->scopes, scope)->function : scope;
  for (Ref child = NODE (self->tree, node)->first; child != 0; child = NODE (self->tree, child)->next)
    if (NODE (self->tree, child)->kind == NODE_variable_declarator)
      {
        visit_pattern (self, rw_tree_field (self->tree, child, FIELD_name), scope, home, kind);
        visit (self, rw_tree_field (self->tree, child, FIELD_value), scope);
      }
}

static void
visit_for_in (Analysis *self, Ref node, guint32 outer)
{
  Ref kind_token = rw_tree_field (self->tree, node, FIELD_kind);
  Ref left = rw_tree_field (self->tree, node, FIELD_left);
  guint32 scope = open_scope (self, SCOPE_BLOCK, node, outer);
  if (kind_token == 0)
    visit_target (self, left, scope, TRUE);
  else if (rw_tree_text_is (self->tree, kind_token, "var"))
    visit_pattern (self, left, scope, SCOPE (self->scopes, scope)->function, BINDING_VAR);
  else
    visit_pattern (self, left, scope, scope, BINDING_LET);
  if (rw_tree_has_token (self->tree, node, "await"))
    SCOPE (self->scopes, SCOPE (self->scopes, scope)->function)->suspends = TRUE;
  visit (self, rw_tree_field (self->tree, node, FIELD_value), scope);
  visit (self, rw_tree_field (self->tree, node, FIELD_right), scope);
  visit (self, rw_tree_field (self->tree, node, FIELD_body), scope);
}

static void
visit_catch (Analysis *self, Ref node, guint32 outer)
{
  guint32 scope = open_scope (self, SCOPE_BLOCK, node, outer);
  visit_pattern (self, rw_tree_field (self->tree, node, FIELD_parameter), scope, scope, BINDING_PARAMETER);
  visit_children (self, rw_tree_field (self->tree, node, FIELD_body), scope);
}

static void
visit_with (Analysis *self, Ref node, guint32 scope)
{
  visit (self, rw_tree_field (self->tree, node, FIELD_object), scope);
  visit (self, rw_tree_field (self->tree, node, FIELD_body), open_scope (self, SCOPE_WITH, node, scope));
}

static void
visit_import (Analysis *self, Ref node, guint32 scope)
{
  for (Ref child = NODE (self->tree, node)->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *n = NODE (self->tree, child);
      if (n->kind == NODE_identifier && n->field != FIELD_name)
        declare (self, child, scope, BINDING_FIXED);
      else if (n->kind == NODE_import_specifier)
        {
          Ref alias = rw_tree_field (self->tree, child, FIELD_alias);
          declare (self, alias != 0 ? alias : rw_tree_field (self->tree, child, FIELD_name), scope, BINDING_FIXED);
        }
      else if (n->kind == NODE_import_clause || n->kind == NODE_named_imports || n->kind == NODE_namespace_import)
        visit_import (self, child, scope);
    }
}

static void
visit_suspension (Analysis *self, Ref node, guint32 scope)
{
  Scope *function = SCOPE (self->scopes, SCOPE (self->scopes, scope)->function);
  gboolean await = NODE (self->tree, node)->kind == NODE_await_expression;
  function->suspends = TRUE;
  if (await ? !function->async : !function->generator)
    self->mistaken = node;
  visit_children (self, node, scope);
}

static void
visit_declared (Analysis *self, Ref node, guint32 scope, NodeKind kind)
{
  if (kind == NODE_function_declaration || kind == NODE_generator_function_declaration)
    declare_function (self, node, scope);
  visit_function (self, node, scope);
}

static void
visit (Analysis *self, Ref node, guint32 scope)
{
  if (node == 0)
    return;
  NodeKind kind = NODE (self->tree, node)->kind;
  if (rw_node_is_function (kind))
    {
      visit_declared (self, node, scope, kind);
      return;
    }
  switch (kind)
    {
    case NODE_identifier:
    case NODE_shorthand_property_identifier:
      mention (self, node, scope, FALSE);
      break;
    case NODE_class:
    case NODE_class_declaration:
      visit_class (self, node, scope);
      break;
    case NODE_field_definition:
      visit_field (self, node, scope);
      break;
    case NODE_class_static_block:
      visit_children (self, rw_tree_field (self->tree, node, FIELD_body), open_scope (self, SCOPE_FUNCTION, node, scope));
      break;
    case NODE_variable_declaration:
    case NODE_lexical_declaration:
      visit_declaration (self, node, scope);
      break;
    case NODE_statement_block:
    case NODE_switch_statement:
    case NODE_for_statement:
      visit_children (self, node, open_scope (self, SCOPE_BLOCK, node, scope));
      break;
    case NODE_for_in_statement:
      visit_for_in (self, node, scope);
      break;
    case NODE_catch_clause:
      visit_catch (self, node, scope);
      break;
    case NODE_with_statement:
      visit_with (self, node, scope);
      break;
    case NODE_import_statement:
      visit_import (self, node, scope);
      break;
    case NODE_export_specifier:
      break;
    case NODE_await_expression:
    case NODE_yield_expression:
      visit_suspension (self, node, scope);
      break;
    case NODE_assignment_expression:
    case NODE_augmented_assignment_expression:
      visit_target (self, rw_tree_field (self->tree, node, FIELD_left), scope, TRUE);
      visit (self, rw_tree_field (self->tree, node, FIELD_right), scope);
      break;
    case NODE_update_expression:
      visit_target (self, rw_tree_field (self->tree, node, FIELD_argument), scope, TRUE);
      break;
    default:
      visit_children (self, node, scope);
    }
}

static void
resolve (Analysis *self, const Mention *m)
{
  const Atom *atom = intern (self, m->node);
  Node *node = NODE (self->tree, m->node);
  gboolean inner = FALSE;
  for (guint32 number = m->scope; number != 0;)
    {
      const Scope *scope = SCOPE (self->scopes, number);
      guint32 found = scope->names == NULL ? 0 : GPOINTER_TO_UINT (g_hash_table_lookup (scope->names, atom));
      if (found != 0)
        {
          Binding *binding = BINDING (self->scopes, found);
          node->binding = found;
          binding->captured = binding->captured || inner;
          binding->written = binding->written || m->write;
          binding->inner_write = binding->inner_write || (inner && m->write);
          return;
        }
      node->dynamic = node->dynamic || scope->kind == SCOPE_WITH;
      inner = inner || scope->kind == SCOPE_FUNCTION;
      number = scope->parent;
    }
}

/* var x = x || {} reads what was there: only variables without such a statement are written by being declared. */
static void
mark_initialized (Analysis *self)
{
  for (Ref s = NODE (self->tree, 1)->first; s != 0; s = NODE (self->tree, s)->next)
    {
      if (NODE (self->tree, s)->kind != NODE_variable_declaration)
        continue;
      for (Ref d = NODE (self->tree, s)->first; d != 0; d = NODE (self->tree, d)->next)
        {
          Ref value = rw_tree_field (self->tree, d, FIELD_value);
          for (Ref name = d; value != 0 && name < value; name++)
            if (NODE (self->tree, name)->binding != 0)
              BINDING (self->scopes, NODE (self->tree, name)->binding)->initialized = TRUE;
        }
    }
}

static gboolean
is_logged (const Scopes *self, const Binding *binding)
{
  const Scope *scope = SCOPE (self, binding->scope);
  if (scope->kind == SCOPE_SCRIPT || binding->kind == BINDING_FIXED || !binding->captured)
    return FALSE;
  if (binding->inner_write)
    return TRUE;
  return SCOPE (self, scope->function)->suspends
         && (binding->written || binding->kind == BINDING_VAR || binding->kind == BINDING_LET
             || binding->kind == BINDING_CONST);
}

gboolean
rw_scopes_init (Scopes *self, Tree *tree, RwScriptKind kind, gboolean strict, GError **error)
{
  Analysis analysis = { self, tree, kind, 0, g_array_new (FALSE, FALSE, sizeof (Mention)) };
  guint32 end;
  self->scopes = g_array_new (FALSE, TRUE, sizeof (Scope));
  self->bindings = g_array_new (FALSE, TRUE, sizeof (Binding));
  self->atoms = g_hash_table_new_full (atom_hash, atom_equal, g_free, NULL);
  g_array_set_size (self->scopes, 1);
  g_array_set_size (self->bindings, 1);
  strict = rw_directives (tree, 1, &end) || strict || kind == RW_SCRIPT_MODULE;
  ScopeKind outermost = kind == RW_SCRIPT_MODULE                                            ? SCOPE_MODULE
                        : kind == RW_SCRIPT_HANDLER || (kind == RW_SCRIPT_EVAL && strict) ? SCOPE_FUNCTION
                                                                                            : SCOPE_SCRIPT;
  guint32 scope = open_scope (&analysis, outermost, 1, 0);
  SCOPE (self, scope)->strict = strict;
  SCOPE (self, scope)->async = kind == RW_SCRIPT_MODULE;
  visit_children (&analysis, 1, scope);
  for (guint i = 0; i < analysis.mentions->len; i++)
    resolve (&analysis, &g_array_index (analysis.mentions, Mention, i));
  mark_initialized (&analysis);
  for (guint i = 1; i < self->bindings->len; i++)
    {
      Binding *binding = BINDING (self, i);
      binding->logged = is_logged (self, binding);
      if (binding->logged)
        SCOPE (self, binding->scope)->instance = TRUE;
    }
  g_array_unref (analysis.mentions);
  if (analysis.mistaken != 0)
    g_set_error (error, RW_REWRITE_ERROR, RW_REWRITE_ERROR_SYNTAX, "byte %u: await or yield is a name here",
                 NODE (tree, analysis.mistaken)->start);
  return analysis.mistaken == 0;
}

void
rw_scopes_clear (Scopes *self)
{
  for (guint i = 1; i < self->scopes->len; i++)
    g_clear_pointer (&SCOPE (self, i)->names, g_hash_table_unref);
  g_array_unref (self->scopes);
  g_array_unref (self->bindings);
  g_hash_table_unref (self->atoms);
}
