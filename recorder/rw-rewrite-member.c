/* SPDX-License-Identifier: MIT */
/* Properties: reads, writes, calls of methods, optional chains, private names. */
#include "rw-rewrite-private.h"

#include <string.h>

/* Built-in methods that touch more than the property that names them; the runtime has the table of what they do. */
static const char *const modelled[] = {
  "add", "apply", "assign", "at", "call", "clear", "concat", "copyWithin", "defineProperties", "defineProperty", "delete",
  "deleteProperty", "entries", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap",
  "forEach", "freeze", "from", "get", "getOwnPropertyDescriptor", "getOwnPropertyDescriptors", "getOwnPropertyNames", "has",
  "hasOwn", "hasOwnProperty", "includes", "indexOf", "join", "keys", "lastIndexOf", "map", "ownKeys", "pop", "push", "reduce",
  "reduceRight", "reverse", "set", "shift", "slice", "some", "sort", "splice", "stringify", "toReversed", "toSorted",
  "toSpliced", "unshift", "values", "with",
};

static int
compare_names (const void *a, const void *b)
{
  return strcmp (a, *(const char *const *) b);
}

static gboolean
is_modelled (const Emitter *self, Ref key)
{
  const Node *n = NODE (self->tree, key);
  char name[32];
  gsize length = n->end - n->start;
  if (n->kind != NODE_property_identifier || length >= sizeof name)
    return FALSE;
  memcpy (name, self->tree->source + n->start, length);
  name[length] = 0;
  return bsearch (name, modelled, G_N_ELEMENTS (modelled), sizeof modelled[0], compare_names) != NULL;
}

gboolean
rw_is_member (const Tree *tree, Ref node)
{
  NodeKind kind = NODE (tree, node)->kind;
  if (kind != NODE_member_expression && kind != NODE_subscript_expression)
    return FALSE;
  Ref object = rw_tree_field (tree, node, FIELD_object);
  return object != 0 && NODE (tree, object)->kind != NODE_super && NODE (tree, object)->kind != NODE_import;
}

static Ref
key_of (const Tree *tree, Ref node)
{
  Ref key = rw_tree_field (tree, node, FIELD_property);
  return key != 0 ? key : rw_tree_field (tree, node, FIELD_index);
}

static gboolean
is_private (const Tree *tree, Ref node)
{
  return NODE (tree, key_of (tree, node))->kind == NODE_private_property_identifier;
}

/* KEY,PLACE; @whole is what the engine's messages would quote. */
static void
emit_key (Emitter *self, Ref node, Ref whole)
{
  Ref key = key_of (self->tree, node);
  const Node *k = NODE (self->tree, key);
  rw_emit_lines (self, NODE (self->tree, rw_tree_field (self->tree, node, FIELD_object))->end, k->start);
  if (NODE (self->tree, node)->kind == NODE_member_expression)
    rw_emit_name (self, key);
  else
    rw_emit_argument (self, key);
  rw_emit_lines (self, k->end, NODE (self->tree, node)->end);
  const Node *w = NODE (self->tree, whole);
  guint32 part = NODE (self->tree, node)->end;
  if (w->kind == NODE_call_expression)
    part = NODE (self->tree, rw_tree_field (self->tree, whole, FIELD_arguments))->start;
  rw_emit_place_of (self, k->start, w->start, w->end, part);
}

/* $rw$.HOOK(OBJECT,KEY,PLACE */
static void
open_hook_of (Emitter *self, const char *hook, Ref node, Ref whole)
{
  rw_emit_hook (self, hook);
  rw_emit (self, rw_tree_field (self->tree, node, FIELD_object));
  g_string_append_c (self->out, ',');
  emit_key (self, node, whole);
}

static void
open_hook (Emitter *self, const char *hook, Ref node)
{
  open_hook_of (self, hook, node, node);
}

/* A private name can only be used natively: the hook says what is touched and gives the object back. */
static void
emit_private (Emitter *self, const char *hook, Ref node)
{
  const Node *key = NODE (self->tree, key_of (self->tree, node));
  open_hook (self, hook, node);
  g_string_append (self->out, ").");
  rw_emit_text (self, key->start, key->end);
}

/* Optional chains. The value travels in a chain object, and the engine's own ?. cuts the chain short:
 *   a?.b.c(d)  ->  $rw$.q(a).q()?.g("b",P).m("c",P).y(d).v */
static gboolean
is_link (const Tree *tree, Ref node)
{
  if (NODE (tree, node)->kind != NODE_call_expression)
    return rw_is_member (tree, node);
  Ref callee = rw_tree_field (tree, node, FIELD_function);
  NodeKind kind = NODE (tree, callee)->kind;
  if (kind == NODE_member_expression || kind == NODE_subscript_expression)
    return rw_is_member (tree, callee);
  return kind != NODE_import && kind != NODE_super
         && NODE (tree, rw_tree_field (tree, node, FIELD_arguments))->kind == NODE_arguments;
}

static Ref
link_base (const Tree *tree, Ref node)
{
  gboolean call = NODE (tree, node)->kind == NODE_call_expression;
  return rw_tree_field (tree, node, call ? FIELD_function : FIELD_object);
}

typedef enum
{
  CHAIN_NONE,
  CHAIN_LOGGED,
  CHAIN_RAW /* holds a private name */
} ChainClass;

static ChainClass
chain_class (const Tree *tree, Ref node)
{
  gboolean optional = FALSE;
  gboolean private = FALSE;
  for (; is_link (tree, node); node = link_base (tree, node))
    {
      optional = optional || rw_tree_child (tree, node, NODE_optional_chain) != 0;
      private = private || (NODE (tree, node)->kind != NODE_call_expression && is_private (tree, node));
    }
  return !optional ? CHAIN_NONE : private ? CHAIN_RAW : CHAIN_LOGGED;
}

static void emit_link (Emitter *self, Ref node);

/* Recursion and all, but the links themselves as they are. */
static void
emit_raw_links (Emitter *self, Ref node)
{
  Ref base = link_base (self->tree, node);
  const Node *n = NODE (self->tree, node);
  if (is_link (self->tree, base))
    emit_raw_links (self, base);
  else
    rw_emit (self, base);
  guint32 position = NODE (self->tree, base)->end;
  for (Ref child = NODE (self->tree, base)->next; child != 0; child = NODE (self->tree, child)->next)
    {
      rw_emit_text (self, position, NODE (self->tree, child)->start);
      rw_emit (self, child);
      position = NODE (self->tree, child)->end;
    }
  rw_emit_text (self, position, n->end);
}

static void
emit_base (Emitter *self, Ref base, gboolean optional)
{
  if (is_link (self->tree, base))
    emit_link (self, base);
  else
    {
      rw_emit_hook (self, "q");
      rw_emit (self, base);
      g_string_append_c (self->out, ')');
    }
  g_string_append (self->out, optional ? ".q()?." : ".");
}

/* OBJECT.HOOK(KEY,PLACE */
static void
emit_member_link (Emitter *self, Ref node, const char *hook, Ref whole)
{
  emit_base (self, link_base (self->tree, node), rw_tree_child (self->tree, node, NODE_optional_chain) != 0);
  g_string_append_printf (self->out, "%s(", hook);
  emit_key (self, node, whole);
}

static void
emit_link (Emitter *self, Ref node)
{
  gboolean optional = rw_tree_child (self->tree, node, NODE_optional_chain) != 0;
  Ref base = link_base (self->tree, node);
  if (NODE (self->tree, node)->kind != NODE_call_expression)
    {
      emit_member_link (self, node, "g", node);
      g_string_append_c (self->out, ')');
      return;
    }
  if (rw_is_member (self->tree, base))
    {
      emit_member_link (self, base, "m", node);
      g_string_append (self->out, optional ? ").qf()?.y" : ").y");
    }
  else
    {
      emit_base (self, base, optional);
      g_string_append (self->out, "c");
    }
  Ref arguments = rw_tree_field (self->tree, node, FIELD_arguments);
  rw_emit_lines (self, NODE (self->tree, base)->end, NODE (self->tree, arguments)->start);
  rw_emit (self, arguments);
}

static gboolean
emit_chain (Emitter *self, Ref node)
{
  switch (chain_class (self->tree, node))
    {
    case CHAIN_LOGGED:
      emit_link (self, node);
      g_string_append (self->out, ".v");
      rw_emit_separator (self, NODE (self->tree, node)->end);
      return TRUE;
    case CHAIN_RAW:
      emit_raw_links (self, node);
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
rw_emit_member (Emitter *self, Ref node)
{
  if (!rw_is_member (self->tree, node))
    return FALSE;
  if (emit_chain (self, node))
    return TRUE;
  if (is_private (self->tree, node))
    {
      emit_private (self, "h", node);
      return TRUE;
    }
  Ref key = key_of (self->tree, node);
  gboolean named = NODE (self->tree, node)->kind == NODE_member_expression;
  open_hook (self, named && rw_tree_text_is (self->tree, key, "eval") ? "ge" : "g", node);
  g_string_append_c (self->out, ')');
  return TRUE;
}

void
rw_emit_member_target (Emitter *self, Ref node)
{
  if (is_private (self->tree, node))
    {
      emit_private (self, "hw", node);
      return;
    }
  open_hook (self, rw_is_strict (self) ? "b" : "B", node);
  g_string_append (self->out, ").v");
  rw_emit_separator (self, NODE (self->tree, node)->end);
}

static gboolean
suspends_inside (const Tree *tree, Ref node)
{
  const Node *n = NODE (tree, node);
  if (n->kind == NODE_await_expression || n->kind == NODE_yield_expression)
    return TRUE;
  if (rw_node_is_function (n->kind))
    return FALSE;
  for (Ref child = n->first; child != 0; child = NODE (tree, child)->next)
    if (suspends_inside (tree, child))
      return TRUE;
  return FALSE;
}

static const char *
operator_method (const Tree *tree, Ref operator)
{
  static const struct
  {
    const char *text;
    const char *method;
  } table[] = { { "+=", "add" },   { "-=", "sub" },  { "*=", "mul" },  { "/=", "div" }, { "%=", "mod" },
                { "**=", "pow" },  { "<<=", "shl" }, { ">>=", "shr" }, { ">>>=", "ushr" }, { "&=", "and" },
                { "|=", "or" },    { "^=", "xor" } };
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (rw_tree_text_is (tree, operator, table[i].text))
      return table[i].method;
  return NULL;
}

/* o.k ||= v: v is evaluated only if it is needed, so it goes into a function, or, where it suspends, between two uses of a
 * variable of the function. */
static void
emit_logical (Emitter *self, Ref node, Ref left, Ref right)
{
  Ref operator= rw_tree_field (self->tree, node, FIELD_operator);
  char which = self->tree->source[NODE (self->tree, operator)->start];
  const char *hook = rw_is_strict (self) ? "a" : "A";
  if (!suspends_inside (self->tree, right))
    {
      open_hook (self, hook, left);
      g_string_append_printf (self->out, ").%s(()=>(", which == '|' ? "lor" : which == '&' ? "land" : "lnul");
      rw_emit (self, right);
      g_string_append (self->out, "))");
      return;
    }
  guint t = SCOPE (self->scopes, SCOPE (self->scopes, self->scope)->function)->n_temporaries++;
  rw_emit_hook (self, "id");
  g_string_append_printf (self->out, "($rw$t%u=", t);
  open_hook (self, hook, left);
  g_string_append_printf (self->out, ")).n(%d)?$rw$t%u.put(", which == '|' ? 0 : which == '&' ? 1 : 2, t);
  rw_emit (self, right);
  g_string_append_printf (self->out, "):$rw$t%u.v)", t);
}

gboolean
rw_emit_member_assignment (Emitter *self, Ref node, Ref left, Ref right)
{
  gboolean compound = NODE (self->tree, node)->kind == NODE_augmented_assignment_expression;
  guint32 left_end = NODE (self->tree, left)->end;
  guint32 right_start = NODE (self->tree, right)->start;
  gboolean strict = rw_is_strict (self);
  if (is_private (self->tree, left))
    {
      emit_private (self, compound ? "hu" : "hw", left);
      rw_emit_text (self, NODE (self->tree, rw_tree_field (self->tree, node, FIELD_left))->end, right_start);
      rw_emit (self, right);
      return TRUE;
    }
  if (!compound)
    {
      rw_emit_hook (self, strict ? "s" : "S");
      rw_emit (self, rw_tree_field (self->tree, left, FIELD_object));
      g_string_append_c (self->out, ',');
      emit_key (self, left, node);
      g_string_append_c (self->out, ',');
      rw_emit_lines (self, left_end, right_start);
      rw_emit (self, right);
      g_string_append_c (self->out, ')');
      return TRUE;
    }
  const char *method = operator_method (self->tree, rw_tree_field (self->tree, node, FIELD_operator));
  if (method == NULL)
    {
      emit_logical (self, node, left, right);
      return TRUE;
    }
  open_hook (self, strict ? "a" : "A", left);
  g_string_append_printf (self->out, ").%s(", method);
  rw_emit_lines (self, left_end, right_start);
  rw_emit (self, right);
  g_string_append_c (self->out, ')');
  return TRUE;
}

gboolean
rw_emit_member_update (Emitter *self, Ref node, Ref target)
{
  Ref operator= rw_tree_field (self->tree, node, FIELD_operator);
  const Node *o = NODE (self->tree, operator);
  gboolean prefix = o->start < NODE (self->tree, target)->start;
  gboolean plus = self->tree->source[o->start] == '+';
  if (is_private (self->tree, target))
    {
      g_string_append (self->out, prefix ? (plus ? "++" : "--") : "");
      emit_private (self, "hu", target);
      g_string_append (self->out, prefix ? "" : (plus ? "++" : "--"));
      return TRUE;
    }
  if (rw_is_void (self->tree, node))
    {
      open_hook (self, rw_is_strict (self) ? "c" : "C", target);
      g_string_append_printf (self->out, ",%d)", (plus ? 1 : -1) * (prefix ? 1 : 2));
      return TRUE;
    }
  open_hook (self, rw_is_strict (self) ? "a" : "A", target);
  g_string_append_printf (self->out, ").%s%s()", prefix ? "" : "p", plus ? "inc" : "dec");
  return TRUE;
}

gboolean
rw_emit_delete (Emitter *self, Ref node, Ref target)
{
  const Node *n = NODE (self->tree, node);
  ChainClass chain = chain_class (self->tree, target);
  const char *strict = rw_is_strict (self) ? "" : "s";
  if (chain == CHAIN_LOGGED && rw_is_member (self->tree, target))
    {
      rw_emit_hook (self, "dq");
      emit_member_link (self, target, *strict ? "ds" : "d", node);
      g_string_append (self->out, "))");
      return TRUE;
    }
  if (chain != CHAIN_NONE || !rw_is_member (self->tree, target) || is_private (self->tree, target))
    {
      if (NODE (self->tree, target)->kind != NODE_identifier)
        return FALSE;
      rw_emit_text (self, n->start, n->end);
      return TRUE;
    }
  open_hook_of (self, *strict ? "ds" : "d", target, node);
  g_string_append_c (self->out, ')');
  return TRUE;
}

static void
emit_eval (Emitter *self, Ref node, Ref first)
{
  const Node *n = NODE (self->tree, node);
  rw_emit_text (self, n->start, NODE (self->tree, first)->start);
  g_string_append_printf (self->out, "$rw$.e(eval,%d,", rw_is_strict (self));
  rw_emit (self, first);
  g_string_append_c (self->out, ')');
  guint32 position = NODE (self->tree, first)->end;
  for (Ref child = NODE (self->tree, first)->next; child != 0; child = NODE (self->tree, child)->next)
    {
      rw_emit_text (self, position, NODE (self->tree, child)->start);
      rw_emit (self, child);
      position = NODE (self->tree, child)->end;
    }
  rw_emit_text (self, position, n->end);
}

static void
emit_method_call (Emitter *self, Ref node, Ref member, Ref arguments)
{
  Ref key = key_of (self->tree, member);
  if (is_private (self->tree, member))
    emit_private (self, "h", member);
  else
    {
      gboolean eval = rw_tree_text_is (self->tree, key, "eval");
      open_hook_of (self, eval ? "me" : is_modelled (self, key) ? "M" : "m", member, node);
      g_string_append (self->out, ").x");
    }
  rw_emit_lines (self, NODE (self->tree, member)->end, NODE (self->tree, arguments)->start);
  rw_emit (self, arguments);
}

/* In a handler attribute a name can be a property of the element or the document, which is then `this` of the call. */
static void
emit_handler_call (Emitter *self, Ref callee, Ref arguments)
{
  rw_emit_hook (self, "H");
  rw_emit_read (self, callee, 0);
  g_string_append_c (self->out, ',');
  rw_emit_text (self, NODE (self->tree, callee)->start, NODE (self->tree, arguments)->start);
  rw_emit (self, arguments);
  g_string_append_c (self->out, ')');
}

gboolean
rw_emit_call (Emitter *self, Ref node)
{
  Ref callee = rw_tree_field (self->tree, node, FIELD_function);
  Ref arguments = rw_tree_field (self->tree, node, FIELD_arguments);
  Ref target = rw_unparenthesized (self->tree, callee);
  NodeKind kind = NODE (self->tree, callee)->kind;
  if (callee == 0 || arguments == 0 || emit_chain (self, node))
    return callee != 0 && arguments != 0;
  if (kind == NODE_import)
    {
      rw_emit_hook (self, "imp");
      rw_emit_children (self, node);
      g_string_append_c (self->out, ')');
      return TRUE;
    }
  if (kind == NODE_identifier && rw_tree_text_is (self->tree, callee, "eval"))
    {
      Ref first = NODE (self->tree, arguments)->kind == NODE_arguments ? NODE (self->tree, arguments)->first : 0;
      rw_emit_text (self, NODE (self->tree, node)->start, NODE (self->tree, arguments)->start);
      if (first == 0 || NODE (self->tree, first)->kind == NODE_spread_element)
        rw_emit (self, arguments);
      else
        emit_eval (self, arguments, first);
      return TRUE;
    }
  if (rw_is_member (self->tree, target) && chain_class (self->tree, target) == CHAIN_NONE)
    {
      emit_method_call (self, node, target, arguments);
      return TRUE;
    }
  if (kind == NODE_parenthesized_expression && chain_class (self->tree, target) != CHAIN_NONE
      && rw_is_member (self->tree, target))
    {
      g_string_append_c (self->out, '(');
      emit_raw_links (self, target);
      g_string_append_c (self->out, ')');
      rw_emit (self, arguments);
      return TRUE;
    }
  if (self->kind == RW_SCRIPT_HANDLER && kind == NODE_identifier && rw_name_class (self, callee) == NAME_UNKNOWN)
    {
      emit_handler_call (self, callee, arguments);
      return TRUE;
    }
  if (kind == NODE_identifier && NODE (self->tree, arguments)->kind == NODE_arguments)
    {
      rw_emit_read (self, callee, node);
      rw_emit_text (self, NODE (self->tree, callee)->end, NODE (self->tree, arguments)->start);
      rw_emit (self, arguments);
      return TRUE;
    }
  return FALSE;
}
