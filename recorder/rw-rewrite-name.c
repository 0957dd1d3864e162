/* SPDX-License-Identifier: MIT */
/* Variables: reading, writing and declaring what events can share. */
#include "rw-rewrite-private.h"

#include <string.h>

/* These can't be redefined, or nobody does: reading them tells nothing. */
static gboolean
is_fixed_global (const Tree *tree, Ref node)
{
  static const char *const names[] = { "window", "document", "globalThis", "self", "NaN", "Infinity", "location", "arguments" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (rw_tree_text_is (tree, node, names[i]))
      return TRUE;
  return FALSE;
}

NameClass
rw_name_class (const Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  if (n->dynamic)
    return NAME_PLAIN;
  if (n->binding == 0)
    return is_fixed_global (self->tree, node) ? NAME_PLAIN : NAME_UNKNOWN;
  const Binding *binding = BINDING (self->scopes, n->binding);
  const Scope *scope = SCOPE (self->scopes, binding->scope);
  if (scope->kind == SCOPE_SCRIPT)
    return NAME_GLOBAL;
  return binding->logged && !scope->unnamed ? NAME_CAPTURED : NAME_PLAIN;
}

void
rw_emit_location (Emitter *self, Ref node, NameClass name)
{
  if (name == NAME_CAPTURED)
    g_string_append_printf (self->out, "$rw$s%u,", BINDING (self->scopes, NODE (self->tree, node)->binding)->scope);
  rw_emit_name (self, node);
}

static void
emit_raw (Emitter *self, Ref node)
{
  rw_emit_text (self, NODE (self->tree, node)->start, NODE (self->tree, node)->end);
}

/* ,PLACE with what a message about calling it would quote. */
static void
emit_name_place (Emitter *self, Ref node, Ref call)
{
  const Node *n = NODE (self->tree, node);
  if (call == 0)
    rw_emit_place (self, n->start);
  else
    rw_emit_place_of (self, n->start, NODE (self->tree, call)->start, NODE (self->tree, call)->end,
                      NODE (self->tree, rw_tree_field (self->tree, call, FIELD_arguments))->start);
}

static void
emit_unknown (Emitter *self, Ref node, Ref call)
{
  rw_emit_hook (self, call != 0 ? "Uc" : "U");
  g_string_append (self->out, "typeof ");
  emit_raw (self, node);
  g_string_append (self->out, "===\"undefined\"&&$rw$.u(");
  rw_emit_name (self, node);
  emit_name_place (self, node, call);
  g_string_append (self->out, "),");
  rw_emit_name (self, node);
  g_string_append_c (self->out, ',');
  emit_raw (self, node);
  g_string_append_printf (self->out, ",%u)", self->place_base + (self->places->len - 1 - self->first_place));
}

void
rw_emit_read (Emitter *self, Ref node, Ref call)
{
  const Node *n = NODE (self->tree, node);
  NameClass name = rw_name_class (self, node);
  if (name == NAME_PLAIN)
    {
      emit_raw (self, node);
      return;
    }
  if (n->kind == NODE_shorthand_property_identifier)
    {
      /* __proto__: value would set the prototype. */
      gboolean proto = rw_tree_text_is (self->tree, node, "__proto__");
      g_string_append (self->out, proto ? "[\"__proto__\"]" : "");
      if (!proto)
        emit_raw (self, node);
      g_string_append_c (self->out, ':');
    }
  if (name == NAME_UNKNOWN)
    {
      emit_unknown (self, node, call);
      return;
    }
  rw_emit_hook (self, name == NAME_GLOBAL ? (call != 0 ? "Gc" : "G") : (call != 0 ? "rc" : "r"));
  rw_emit_location (self, node, name);
  g_string_append_c (self->out, ',');
  emit_raw (self, node);
  emit_name_place (self, node, call);
  g_string_append_c (self->out, ')');
}

/* The value is assigned natively inside the hook's arguments: errors, names of functions and order are the engine's. */
static void
emit_assigned (Emitter *self, Ref node, Ref left, Ref right)
{
  emit_raw (self, left);
  rw_emit_text (self, NODE (self->tree, left)->end, NODE (self->tree, right)->start);
  rw_emit (self, right);
  rw_emit_place (self, NODE (self->tree, node)->start);
  g_string_append_c (self->out, ')');
}

static void
emit_compound (Emitter *self, Ref node, Ref left, Ref right, NameClass name)
{
  Ref operator= rw_tree_field (self->tree, node, FIELD_operator);
  Ref target = rw_unparenthesized (self->tree, left);
  int logical = rw_tree_text_is (self->tree, operator, "||=")   ? 0
                : rw_tree_text_is (self->tree, operator, "&&=") ? 1
                : rw_tree_text_is (self->tree, operator, "?\?=") ? 2
                                                                  : -1;
  rw_emit_hook (self, name == NAME_CAPTURED ? (logical < 0 ? "k" : "kl") : (logical < 0 ? "K" : "Kl"));
  if (logical >= 0)
    g_string_append_printf (self->out, "%d,", logical);
  rw_emit_location (self, target, name);
  g_string_append_c (self->out, ',');
  emit_raw (self, target);
  g_string_append_c (self->out, ',');
  emit_assigned (self, node, left, right);
}

void
rw_emit_name_assignment (Emitter *self, Ref node, Ref left, Ref right)
{
  Ref target = rw_unparenthesized (self->tree, left);
  gboolean compound = NODE (self->tree, node)->kind == NODE_augmented_assignment_expression;
  if (NODE (self->tree, target)->kind != NODE_identifier)
    {
      rw_emit_pattern (self, left);
      rw_emit_text (self, NODE (self->tree, left)->end, NODE (self->tree, right)->start);
      if (NODE (self->tree, target)->kind == NODE_object_pattern || NODE (self->tree, target)->kind == NODE_array_pattern)
        rw_emit_initializer (self, target, right);
      else
        rw_emit (self, right);
      return;
    }
  NameClass name = rw_name_class (self, target);
  if (name == NAME_PLAIN)
    {
      rw_emit_text (self, NODE (self->tree, node)->start, NODE (self->tree, right)->start);
      rw_emit (self, right);
      return;
    }
  if (compound)
    {
      emit_compound (self, node, left, right, name);
      return;
    }
  rw_emit_hook (self, name == NAME_CAPTURED ? "w" : "W");
  rw_emit_location (self, target, name);
  g_string_append_c (self->out, ',');
  emit_assigned (self, node, left, right);
}

void
rw_emit_name_update (Emitter *self, Ref node, Ref argument)
{
  Ref target = rw_unparenthesized (self->tree, argument);
  NameClass name = rw_name_class (self, target);
  const Node *n = NODE (self->tree, node);
  if (name == NAME_PLAIN)
    {
      emit_raw (self, node);
      return;
    }
  gboolean counts = rw_is_void (self->tree, node);
  rw_emit_hook (self, name == NAME_CAPTURED ? (counts ? "kn" : "ku") : (counts ? "Kn" : "Ku"));
  rw_emit_location (self, target, name);
  g_string_append_c (self->out, ',');
  emit_raw (self, target);
  g_string_append_c (self->out, ',');
  rw_emit_text (self, n->start, n->end);
  g_string_append_c (self->out, ',');
  emit_raw (self, target);
  rw_emit_place (self, n->start);
  g_string_append_c (self->out, ')');
}

void
rw_emit_pattern (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  guint32 position = n->start;
  if (rw_is_member (self->tree, node))
    {
      rw_emit_member_target (self, node);
      return;
    }
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      gboolean value = c->kind == NODE_computed_property_name
                       || (c->field == FIELD_right
                           && (n->kind == NODE_assignment_pattern || n->kind == NODE_object_assignment_pattern));
      rw_emit_text (self, position, c->start);
      if (value)
        rw_emit (self, child);
      else
        rw_emit_pattern (self, child);
      position = c->end;
    }
  rw_emit_text (self, position, n->end);
}

void
rw_emit_pattern_names (Emitter *self, Ref node)
{
  const Node *n = NODE (self->tree, node);
  if (n->kind == NODE_identifier || n->kind == NODE_shorthand_property_identifier_pattern)
    {
      NameClass name = rw_name_class (self, node);
      if (name == NAME_PLAIN)
        return;
      g_string_append (self->out, name == NAME_CAPTURED ? "," : ",0,");
      rw_emit_location (self, node, name);
      return;
    }
  for (Ref child = n->first; child != 0; child = NODE (self->tree, child)->next)
    {
      const Node *c = NODE (self->tree, child);
      gboolean target = c->kind != NODE_computed_property_name && c->field != FIELD_right && c->field != FIELD_key;
      if (target && !rw_is_member (self->tree, child))
        rw_emit_pattern_names (self, child);
    }
}

static gboolean
is_anonymous_function (const Tree *tree, Ref node)
{
  node = rw_unparenthesized (tree, node);
  switch (NODE (tree, node)->kind)
    {
    case NODE_arrow_function:
      return TRUE;
    case NODE_function_expression:
    case NODE_generator_function:
    case NODE_class:
      return rw_tree_field (tree, node, FIELD_name) == 0;
    default:
      return FALSE;
    }
}

static gboolean
is_fresh (const Tree *tree, Ref node)
{
  NodeKind kind = NODE (tree, rw_unparenthesized (tree, node))->kind;
  return kind == NODE_object || kind == NODE_array;
}

/* Keys that an object pattern reads by constant names: "a b c". */
static void
emit_pattern_keys (Emitter *self, Ref node)
{
  g_string_append (self->out, ",\"");
  if (NODE (self->tree, node)->kind == NODE_object_pattern)
    for (Ref child = NODE (self->tree, node)->first; child != 0; child = NODE (self->tree, child)->next)
      {
        Ref key = child;
        if (NODE (self->tree, key)->kind == NODE_object_assignment_pattern)
          key = rw_tree_field (self->tree, key, FIELD_left);
        else if (NODE (self->tree, key)->kind == NODE_pair_pattern)
          key = rw_tree_field (self->tree, key, FIELD_key);
        const Node *k = NODE (self->tree, key);
        if (k->kind == NODE_rest_pattern)
          g_string_append (self->out, "* ");
        else if (k->kind == NODE_property_identifier || k->kind == NODE_shorthand_property_identifier_pattern)
          g_string_append_printf (self->out, "%.*s ", (int) (k->end - k->start), self->tree->source + k->start);
      }
  else
    g_string_append (self->out, "[]");
  g_string_append_c (self->out, '"');
}

void
rw_emit_initializer (Emitter *self, Ref target, Ref value)
{
  NodeKind kind = NODE (self->tree, target)->kind;
  if (kind == NODE_object_pattern || kind == NODE_array_pattern)
    {
      rw_emit_hook (self, is_fresh (self->tree, value) ? "Df" : "D");
      const Node *v = NODE (self->tree, value);
      rw_emit (self, value);
      rw_emit_place_of (self, NODE (self->tree, target)->start, v->start, v->end, v->end);
      emit_pattern_keys (self, target);
      rw_emit_pattern_names (self, target);
      g_string_append_c (self->out, ')');
      return;
    }
  NameClass name = rw_name_class (self, target);
  if (name == NAME_PLAIN)
    {
      rw_emit (self, value);
      return;
    }
  gboolean function = is_anonymous_function (self->tree, value);
  rw_emit_hook (self, name == NAME_CAPTURED ? "w" : "W");
  rw_emit_location (self, target, name);
  g_string_append_c (self->out, ',');
  if (function)
    {
      /* A property's value takes its key for a name, as the variable's would. */
      g_string_append (self->out, "{[");
      rw_emit_name (self, target);
      g_string_append (self->out, "]:");
    }
  rw_emit (self, value);
  if (function)
    {
      g_string_append (self->out, "}.");
      emit_raw (self, target);
    }
  rw_emit_place (self, NODE (self->tree, target)->start);
  g_string_append_c (self->out, ')');
}
