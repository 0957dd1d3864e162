/* SPDX-License-Identifier: MIT */
/* The rewriter inside: a compact syntax tree, its scopes, and the emitter's state. */
#pragma once

#include "rw-rewrite.h"

G_BEGIN_DECLS

/* Names of the grammar's nodes that somebody here asks for; every other one is OTHER, every token TOKEN. */
#define RW_NODE_KINDS(X)                                                                                                  \
  X (arguments) X (array) X (array_pattern) X (arrow_function) X (assignment_expression) X (assignment_pattern)           \
  X (augmented_assignment_expression) X (await_expression) X (binary_expression) X (call_expression) X (catch_clause)     \
  X (class) X (class_body) X (class_declaration) X (class_heritage) X (class_static_block) X (computed_property_name)     \
  X (decorator) X (do_statement) X (else_clause) X (export_specifier) X (export_statement) X (expression_statement)       \
  X (field_definition) X (for_in_statement) X (for_statement) X (formal_parameters) X (function_declaration)              \
  X (function_expression) X (generator_function) X (generator_function_declaration) X (hash_bang_line) X (identifier)     \
  X (if_statement) X (import) X (import_attribute) X (import_clause) X (import_specifier) X (import_statement)            \
  X (jsx_element) X (jsx_self_closing_element) X (labeled_statement) X (lexical_declaration) X (member_expression)        \
  X (meta_property) X (method_definition) X (named_imports) X (namespace_import) X (new_expression) X (object)            \
  X (object_assignment_pattern) X (object_pattern) X (optional_chain) X (pair) X (pair_pattern)                           \
  X (parenthesized_expression) X (private_property_identifier) X (program) X (property_identifier) X (rest_pattern)       \
  X (return_statement) X (sequence_expression) X (shorthand_property_identifier)                                          \
  X (shorthand_property_identifier_pattern) X (spread_element) X (statement_block) X (statement_identifier) X (string)    \
  X (subscript_expression) X (super) X (switch_body) X (switch_statement) X (template_string) X (this)                    \
  X (unary_expression) X (undefined) X (update_expression) X (variable_declaration) X (variable_declarator)               \
  X (while_statement) X (with_statement) X (yield_expression)

typedef enum
{
  NODE_OTHER = 0,
  NODE_TOKEN,
#define RW_NODE_ENUM(name) NODE_##name,
  RW_NODE_KINDS (RW_NODE_ENUM)
#undef RW_NODE_ENUM
  NODE_N_KINDS
} NodeKind;

#define RW_NODE_FIELDS(X)                                                                                                 \
  X (alias) X (alternative) X (arguments) X (body) X (condition) X (consequence) X (constructor) X (declaration)          \
  X (function) X (increment) X (index) X (initializer) X (key) X (kind) X (left) X (name) X (object) X (operator)         \
  X (parameter) X (parameters) X (property) X (right) X (source) X (value) X (argument)

typedef enum
{
  FIELD_NONE = 0,
#define RW_FIELD_ENUM(name) FIELD_##name,
  RW_NODE_FIELDS (RW_FIELD_ENUM)
#undef RW_FIELD_ENUM
  FIELD_N
} NodeField;

typedef guint32 Ref; /* index of a node; 0: none (the root is 1) */

typedef struct
{
  guint8 kind;
  guint8 field;
  guint8 dynamic; /* a name whose meaning depends on a with statement */
  guint32 start;
  guint32 end;
  Ref parent;
  Ref first;
  Ref next;
  guint32 scope;   /* the scope that this node opens; 0: none */
  guint32 binding; /* what a name means here; 0: nothing in this source */
} Node;

typedef struct
{
  const char *source;
  gsize length;
  GArray *nodes; /* of Node; [0] is unused */
} Tree;

gboolean rw_tree_init (Tree *self, const char *source, gsize length, GError **error);
void rw_tree_clear (Tree *self);

#define NODE(tree, ref) (&g_array_index ((tree)->nodes, Node, ref))
Ref rw_tree_field (const Tree *self, Ref node, NodeField field);
/* The first child of that kind; 0 if there is none. */
Ref rw_tree_child (const Tree *self, Ref node, NodeKind kind);
gboolean rw_tree_text_is (const Tree *self, Ref node, const char *text);
/* TRUE if @node has a token child of exactly this text. */
gboolean rw_tree_has_token (const Tree *self, Ref node, const char *text);
gboolean rw_node_is_function (NodeKind kind);

typedef enum
{
  SCOPE_SCRIPT,
  SCOPE_MODULE,
  SCOPE_FUNCTION, /* parameters and body; also class static blocks and field initialisers */
  SCOPE_BLOCK,
  SCOPE_WITH
} ScopeKind;

typedef struct
{
  ScopeKind kind;
  guint32 parent;
  guint32 function; /* the nearest enclosing scope, or itself, that is not SCOPE_BLOCK or SCOPE_WITH */
  Ref node;
  GHashTable *names; /* name -> binding number; NULL until the first */
  gboolean strict;
  gboolean generator;
  gboolean async;
  gboolean suspends;  /* async, generator or top-level await: its code runs in more than one event */
  gboolean instance;  /* some variable of it is logged, so it needs a name at run time */
  gboolean unnamed;   /* while its parameters or loop head are emitted: the instance does not exist yet */
  guint n_temporaries;
} Scope;

typedef enum
{
  BINDING_VAR,
  BINDING_LET, /* let, const, class: has a temporal dead zone */
  BINDING_CONST,
  BINDING_FUNCTION,
  BINDING_PARAMETER,
  BINDING_FIXED /* import, catch-less names of function expressions and classes: never logged */
} BindingKind;

typedef struct
{
  BindingKind kind;
  guint32 scope;
  gboolean captured;    /* an inner function mentions it */
  gboolean written;     /* something other than its declaration assigns to it */
  gboolean inner_write; /* an inner function assigns to it */
  gboolean logged;
  gboolean initialized; /* a statement at the top of the script gives it a value */
} Binding;

typedef struct
{
  GArray *scopes;    /* of Scope; [0] is unused, [1] is the outermost */
  GArray *bindings;  /* of Binding; [0] is unused */
  GHashTable *atoms; /* each name once, so that scopes compare pointers */
} Scopes;

#define SCOPE(scopes_, number) (&g_array_index ((scopes_)->scopes, Scope, number))
#define BINDING(scopes_, number) (&g_array_index ((scopes_)->bindings, Binding, number))

/* Finds every declaration, gives each name in @tree its binding, and decides which variables are logged. FALSE if the grammar
 * has taken a name (await, yield) for a keyword. @self has to be cleared in either case. */
gboolean rw_scopes_init (Scopes *self, Tree *tree, RwScriptKind kind, gboolean strict, GError **error);
void rw_scopes_clear (Scopes *self);

/* TRUE if the statement list under @node begins with "use strict"; *@end gets where its directives end (0: none). */
gboolean rw_directives (const Tree *tree, Ref node, guint32 *end);

typedef struct
{
  Tree *tree;
  Scopes *scopes;
  RwScriptKind kind;
  GString *out;
  GString *texts; /* for messages: of each place, how far it is from the last one, how long, and the part */
  guint32 text_start;
  GArray *places;
  guint place_base;
  guint first_place;  /* length of @places at the start */
  guint32 scope;      /* the innermost one where the emitter is */
  GArray *units;      /* UTF-16 units before every UNIT_STEP-th byte; NULL if the source is ASCII */
} Emitter;

/* rw-rewrite.c: the frame */
void rw_emit (Emitter *self, Ref node);
void rw_emit_children (Emitter *self, Ref node);
void rw_emit_text (Emitter *self, guint32 from, guint32 to);
/* As many line ends as there are between @from and @to: that text is left out, and lines have to stay. */
void rw_emit_lines (Emitter *self, guint32 from, guint32 to);
/* "$rw$.HOOK(", with a space in front where it would join a word: return[1]. */
void rw_emit_hook (Emitter *self, const char *hook);
/* A space, if what was emitted ends in a word and the source goes on with one at @end. */
void rw_emit_separator (Emitter *self, guint32 end);
/* ",N" with the number of a new place at byte @offset. */
void rw_emit_place (Emitter *self, guint32 offset);
/* The same; the engine's messages would quote the source from @start to @end, and what they mean begins or ends at @part. */
void rw_emit_place_of (Emitter *self, guint32 offset, guint32 start, guint32 end, guint32 part);
guint rw_add_place (Emitter *self, guint32 offset, guint32 start, guint32 end, guint32 part);
guint32 rw_utf16_offset (const Emitter *self, guint32 byte);
void rw_emit_quoted (Emitter *self, const char *text, gsize length);
/* The text of @node as a string literal. */
void rw_emit_name (Emitter *self, Ref node);
/* As an argument: in parentheses if it is a sequence. */
void rw_emit_argument (Emitter *self, Ref node);
gboolean rw_is_strict (const Emitter *self);
Ref rw_unparenthesized (const Tree *tree, Ref node);
/* TRUE if nobody takes the value of this expression. */
gboolean rw_is_void (const Tree *tree, Ref node);

/* rw-rewrite-name.c: variables */
typedef enum
{
  NAME_PLAIN,   /* not logged */
  NAME_UNKNOWN, /* a global, if it is anything */
  NAME_GLOBAL,  /* declared at the top of this script */
  NAME_CAPTURED
} NameClass;
NameClass rw_name_class (const Emitter *self, Ref node);
/* "name" for a global, $rw$sN,"name" for a captured variable. */
void rw_emit_location (Emitter *self, Ref node, NameClass name);
/* @call: the call whose callee the name is; 0: none. */
void rw_emit_read (Emitter *self, Ref node, Ref call);
void rw_emit_name_assignment (Emitter *self, Ref node, Ref left, Ref right);
void rw_emit_name_update (Emitter *self, Ref node, Ref target);
void rw_emit_pattern (Emitter *self, Ref node);
/* An initialiser of @target, with the writes logged. */
void rw_emit_initializer (Emitter *self, Ref target, Ref value);
/* ",SCOPE,NAME" for each logged variable in a pattern. */
void rw_emit_pattern_names (Emitter *self, Ref node);

/* rw-rewrite-member.c: properties, calls, chains */
gboolean rw_emit_member (Emitter *self, Ref node);
void rw_emit_member_target (Emitter *self, Ref node);
gboolean rw_emit_member_assignment (Emitter *self, Ref node, Ref left, Ref right);
gboolean rw_emit_member_update (Emitter *self, Ref node, Ref target);
gboolean rw_emit_call (Emitter *self, Ref node);
gboolean rw_emit_delete (Emitter *self, Ref node, Ref target);
gboolean rw_is_member (const Tree *tree, Ref node); /* and can be logged: not of super */

/* rw-rewrite-statement.c: functions, classes, loops, declarations */
gboolean rw_emit_statement (Emitter *self, Ref node);
gboolean rw_emit_function (Emitter *self, Ref node);
void rw_emit_class (Emitter *self, Ref node);
void rw_emit_class_declaration (Emitter *self, Ref node);
/* The instance of a scope, where it begins. */
void rw_emit_instance (Emitter *self, guint32 number);

G_END_DECLS
