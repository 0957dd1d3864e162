/* SPDX-License-Identifier: MIT */
/* The parser of model programs: one pass over the text, then threads and handlers are taken apart into events. */
#include "rw-model-private.h"

#include <string.h>

#define MAX_TEXT (1u << 20)
#define MAX_NESTING 64
#define MAX_EVENTS 20000
#define MAX_STATEMENTS 200000

GQuark
rw_model_error_quark (void)
{
  return g_quark_from_static_string ("rw-model-error-quark");
}

typedef enum
{
  TOKEN_END,
  TOKEN_WORD,
  TOKEN_NUMBER,
  TOKEN_SIGN /* one or two characters that stand for themselves */
} TokenKind;

/* A lock, or a handler, which holds a lock of its own while it runs an event. */
typedef struct
{
  char *name;
  GArray *holds; /* of Hold */
} Lock;

typedef struct
{
  guint acquirer; /* event */
  guint hold;     /* event that is pending while the lock is held */
  guint body;     /* number of the thread or handler event */
} Hold;

typedef struct
{
  char *name;
  gboolean fifo;
} Handler;

typedef struct
{
  RwModel *model;
  const char *at, *end;
  guint line, nesting, body, n_defined;
  TokenKind kind;
  char *word; /* of the token at hand */
  gint64 number;
  guint token_line;
  GHashTable *event_index, *var_index; /* name -> place + 1 */
  GPtrArray *locks;                    /* of Lock */
  GPtrArray *handlers;                 /* of Handler */
  guint never;                         /* event that is never posted; G_MAXUINT: not needed yet */
  gboolean in_steps;
  GError **error;
  gboolean failed;
} Parser;

static void
fail (Parser *self, RwModelError code, guint line, const char *what, const char *subject)
{
  if (!self->failed)
    g_set_error (self->error, RW_MODEL_ERROR, code, "%s:%u: %s%s%s", self->model->name, line, what,
                 subject == NULL ? "" : " ", subject == NULL ? "" : subject);
  self->failed = TRUE;
}

/* --- tokens --- */

static void
skip_space (Parser *self)
{
  while (self->at < self->end && (g_ascii_isspace (*self->at) || *self->at == '#'))
    {
      if (*self->at == '#')
        while (self->at < self->end && *self->at != '\n')
          self->at++;
      else if (*self->at++ == '\n')
        self->line++;
    }
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.';
}

static void
read_number (Parser *self)
{
  gboolean minus = *self->at == '-';
  self->number = 0;
  for (self->at += minus; self->at < self->end && g_ascii_isdigit (*self->at); self->at++)
    {
      if (self->number > G_MAXINT32)
        {
          fail (self, RW_MODEL_ERROR_SYNTAX, self->line, "the number is too large; use one below 2147483648", NULL);
          return;
        }
      self->number = self->number * 10 + (*self->at - '0');
    }
  if (self->at < self->end && is_word (*self->at))
    fail (self, RW_MODEL_ERROR_SYNTAX, self->line, "a name must begin with a letter", NULL);
  if (minus)
    self->number = -self->number;
}

static void
advance (Parser *self)
{
  static const char *const pairs[] = { "==", "!=", "<=", ">=" };
  const char *start;

  skip_space (self);
  g_clear_pointer (&self->word, g_free);
  self->token_line = self->line;
  start = self->at;
  self->kind = TOKEN_END;
  if (self->failed || self->at == self->end)
    return;
  if (g_ascii_isdigit (*start) || (*start == '-' && start + 1 < self->end && g_ascii_isdigit (start[1])))
    {
      self->kind = TOKEN_NUMBER;
      read_number (self);
    }
  else if (is_word (*start))
    {
      self->kind = TOKEN_WORD;
      while (self->at < self->end && is_word (*self->at))
        self->at++;
    }
  else
    {
      self->kind = TOKEN_SIGN;
      self->at++;
      for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
        if (self->end - start >= 2 && strncmp (start, pairs[i], 2) == 0)
          self->at = start + 2;
    }
  self->word = g_strndup (start, (gsize)(self->at - start));
}

static gboolean
is (const Parser *self, const char *word)
{
  return !self->failed && self->kind != TOKEN_END && strcmp (self->word, word) == 0;
}

static gboolean
take (Parser *self, const char *word)
{
  gboolean found = is (self, word);
  if (found)
    advance (self);
  return found;
}

/* What was found, safe to print in one line. */
static void
unexpected (Parser *self, const char *wanted)
{
  g_autofree char *safe = self->word == NULL ? g_strdup ("the end") : g_strescape (self->word, NULL);
  g_autofree char *what = g_strdup_printf ("expected %s, found", wanted);
  fail (self, RW_MODEL_ERROR_SYNTAX, self->token_line, what, safe);
}

static void
expect (Parser *self, const char *sign)
{
  if (!take (self, sign))
    unexpected (self, sign);
}

static char *
take_name (Parser *self, const char *wanted)
{
  if (self->failed || self->kind != TOKEN_WORD)
    {
      unexpected (self, wanted);
      return NULL;
    }
  char *name = g_steal_pointer (&self->word);
  advance (self);
  return name;
}

static gint64
take_number (Parser *self)
{
  gint64 number = self->number;
  if (self->failed || self->kind != TOKEN_NUMBER)
    {
      unexpected (self, "a number");
      return 0;
    }
  advance (self);
  return number;
}

static guint
take_count (Parser *self)
{
  gint64 number = take_number (self);
  if (number < 0 || number > G_MAXINT32)
    fail (self, RW_MODEL_ERROR_SYNTAX, self->token_line, "the number must be between 0 and 2147483647", NULL);
  return (guint)number;
}

/* --- names --- */

static void
event_free (gpointer data)
{
  RwModelEvent *event = data;
  g_free (event->name);
  g_free (event->group);
  g_array_unref (event->after);
  g_array_unref (event->blocks);
  g_ptr_array_unref (event->body);
  g_free (event);
}

static guint
add_event (Parser *self, char *name)
{
  RwModelEvent *event = g_new0 (RwModelEvent, 1);
  event->name = name;
  event->mentioned = self->token_line;
  event->delay = -1;
  event->after = g_array_new (FALSE, FALSE, sizeof (guint));
  event->blocks = g_array_new (FALSE, FALSE, sizeof (guint));
  event->body = g_ptr_array_new ();
  g_ptr_array_add (self->model->events, event);
  g_hash_table_insert (self->event_index, event->name, GUINT_TO_POINTER (self->model->events->len));
  if (self->model->events->len > MAX_EVENTS)
    fail (self, RW_MODEL_ERROR_LIMIT, self->line, "too many events; write a smaller program", NULL);
  return self->model->events->len - 1;
}

/* Takes @name. */
static guint
event_by_name (Parser *self, char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->event_index, name));
  if (index == 0)
    return add_event (self, name);
  g_free (name);
  return index - 1;
}

static RwModelEvent *
event_at (const Parser *self, guint index)
{
  return g_ptr_array_index (self->model->events, index);
}

static void
set_defined (Parser *self, guint event, guint line)
{
  event_at (self, event)->line = line;
  event_at (self, event)->ordinal = ++self->n_defined;
}

static guint
take_event (Parser *self)
{
  char *name = take_name (self, "the name of an event");
  return name == NULL ? 0 : event_by_name (self, name);
}

static guint
take_var (Parser *self)
{
  g_autofree char *name = take_name (self, "the name of a variable");
  if (name == NULL)
    return 0;
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->var_index, name));
  if (index != 0)
    return index - 1;
  RwModelVar *var = g_new0 (RwModelVar, 1);
  var->name = g_steal_pointer (&name);
  g_ptr_array_add (self->model->vars, var);
  g_hash_table_insert (self->var_index, var->name, GUINT_TO_POINTER (self->model->vars->len));
  return self->model->vars->len - 1;
}

static guint
lock_by_name (Parser *self, const char *name)
{
  for (guint i = 0; i < self->locks->len; i++)
    if (strcmp (((Lock *)g_ptr_array_index (self->locks, i))->name, name) == 0)
      return i;
  Lock *lock = g_new (Lock, 1);
  lock->name = g_strdup (name);
  lock->holds = g_array_new (FALSE, FALSE, sizeof (Hold));
  g_ptr_array_add (self->locks, lock);
  return self->locks->len - 1;
}

static void
lock_free (gpointer data)
{
  Lock *lock = data;
  g_free (lock->name);
  g_array_unref (lock->holds);
  g_free (lock);
}

static void
handler_free (gpointer data)
{
  g_free (((Handler *)data)->name);
  g_free (data);
}

/* --- statements --- */

static RwStmt *
new_stmt (Parser *self, RwStmtKind kind)
{
  RwStmt *stmt = g_new0 (RwStmt, 1);
  stmt->kind = kind;
  stmt->line = self->token_line;
  stmt->source = G_MAXUINT;
  g_ptr_array_add (self->model->stmts, stmt);
  if (self->model->stmts->len > MAX_STATEMENTS)
    fail (self, RW_MODEL_ERROR_LIMIT, self->line, "too many statements; write a smaller program", NULL);
  return stmt;
}

static RwCmp
take_cmp (Parser *self)
{
  static const char *const signs[] = { "==", "!=", "<", ">", "<=", ">=" };
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (take (self, signs[i]))
      return (RwCmp)i;
  unexpected (self, "a comparison such as ==");
  return RW_CMP_EQ;
}

static RwStmt *parse_block (Parser *self);

static void
parse_condition (Parser *self, RwStmt *stmt)
{
  stmt->target = take_var (self);
  stmt->cmp = take_cmp (self);
  stmt->value = take_number (self);
}

static void
parse_if (Parser *self, RwStmt *stmt)
{
  parse_condition (self, stmt);
  stmt->then = parse_block (self);
  if (take (self, "else"))
    stmt->otherwise = parse_block (self);
}

static void
parse_lock (Parser *self, RwStmt *stmt)
{
  g_autofree char *name = take_name (self, "the name of a lock");
  if (!self->in_steps)
    fail (self, RW_MODEL_ERROR_SYNTAX, stmt->line,
          "an event runs at once and needs no lock; use one in a thread or in an event on a handler", NULL);
  if (name != NULL)
    stmt->target = lock_by_name (self, name);
}

static void
parse_arguments (Parser *self, RwStmt *stmt)
{
  switch (stmt->kind)
    {
    case RW_STMT_READ:
      stmt->target = take_var (self);
      break;
    case RW_STMT_WRITE:
      stmt->target = take_var (self);
      if (self->kind == TOKEN_WORD)
        stmt->source = take_var (self);
      else
        stmt->value = take_number (self);
      break;
    case RW_STMT_ADD:
    case RW_STMT_INIT:
      stmt->target = take_var (self);
      stmt->value = take_number (self);
      break;
    case RW_STMT_POST:
    case RW_STMT_CANCEL:
      stmt->target = take_event (self);
      break;
    case RW_STMT_IF:
      parse_if (self, stmt);
      break;
    case RW_STMT_ASSERT:
      parse_condition (self, stmt);
      break;
    case RW_STMT_LOCK:
    case RW_STMT_UNLOCK:
      parse_lock (self, stmt);
      break;
    }
}

static RwStmt *
parse_stmt (Parser *self)
{
  static const char *const words[]
      = { "read", "write", "add", "init", "post", "cancel", "if", "assert", "lock", "unlock" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (is (self, words[i]))
      {
        RwStmt *stmt = new_stmt (self, (RwStmtKind)i);
        advance (self);
        parse_arguments (self, stmt);
        return stmt;
      }
  unexpected (self, "a statement");
  return NULL;
}

static RwStmt *
parse_block (Parser *self)
{
  RwStmt *first = NULL, **tail = &first;
  expect (self, "{");
  if (++self->nesting > MAX_NESTING)
    fail (self, RW_MODEL_ERROR_LIMIT, self->line, "blocks are nested too deeply; use fewer than 64 levels", NULL);
  while (!self->failed && !is (self, "}"))
    {
      if (take (self, ";"))
        continue;
      *tail = parse_stmt (self);
      if (*tail != NULL)
        tail = &(*tail)->next;
    }
  self->nesting--;
  expect (self, "}");
  return first;
}

/* --- threads and handlers: one event a statement, each posts the next --- */

static RwStmt *
made_stmt (Parser *self, GPtrArray *body, RwStmtKind kind, guint target)
{
  RwStmt *stmt = new_stmt (self, kind);
  stmt->target = target;
  g_ptr_array_add (body, stmt);
  return stmt;
}

/* Gives every statement its event, in the order of the text. */
static void
number_steps (Parser *self, RwStmt *first, const char *prefix, guint *count)
{
  for (RwStmt *stmt = first; stmt != NULL && !self->failed; stmt = stmt->next)
    {
      stmt->step = add_event (self, g_strdup_printf ("%s.%u", prefix, ++*count));
      set_defined (self, stmt->step, stmt->line);
      number_steps (self, stmt->then, prefix, count);
      number_steps (self, stmt->otherwise, prefix, count);
    }
}

static void
acquire (Parser *self, guint lock, guint step)
{
  Lock *held = g_ptr_array_index (self->locks, lock);
  Hold hold = { step, 0, self->body };
  hold.hold = add_event (self, g_strdup_printf ("%s held by %s", held->name, event_at (self, step)->name));
  set_defined (self, hold.hold, event_at (self, step)->line);
  event_at (self, hold.hold)->hidden = TRUE;
  g_array_append_val (held->holds, hold);
  made_stmt (self, event_at (self, step)->body, RW_STMT_POST, hold.hold);
}

/* Gives back what this body may hold: those of its acquisitions that did not happen are not pending. */
static void
release (Parser *self, guint lock, guint step)
{
  const Lock *held = g_ptr_array_index (self->locks, lock);
  for (guint i = 0; i < held->holds->len; i++)
    if (g_array_index (held->holds, Hold, i).body == self->body)
      made_stmt (self, event_at (self, step)->body, RW_STMT_CANCEL, g_array_index (held->holds, Hold, i).hold);
}

static RwStmt *
branch_to (Parser *self, guint step)
{
  RwStmt *stmt = step == G_MAXUINT ? NULL : new_stmt (self, RW_STMT_POST);
  if (stmt != NULL)
    stmt->target = step;
  return stmt;
}

static void
link_steps (Parser *self, RwStmt *first, guint last)
{
  for (RwStmt *stmt = first; stmt != NULL && !self->failed; stmt = stmt->next)
    {
      guint next = stmt->next != NULL ? stmt->next->step : last;
      GPtrArray *body = event_at (self, stmt->step)->body;
      if (stmt->kind == RW_STMT_LOCK)
        acquire (self, stmt->target, stmt->step);
      else if (stmt->kind == RW_STMT_UNLOCK)
        release (self, stmt->target, stmt->step);
      else if (stmt->kind == RW_STMT_IF)
        {
          RwStmt *condition = made_stmt (self, body, RW_STMT_IF, stmt->target);
          condition->cmp = stmt->cmp;
          condition->value = stmt->value;
          condition->then = branch_to (self, stmt->then != NULL ? stmt->then->step : next);
          condition->otherwise = branch_to (self, stmt->otherwise != NULL ? stmt->otherwise->step : next);
          link_steps (self, stmt->then, next);
          link_steps (self, stmt->otherwise, next);
          continue;
        }
      else
        {
          RwStmt *copy = new_stmt (self, stmt->kind);
          *copy = *stmt;
          copy->next = NULL;
          g_ptr_array_add (body, copy);
        }
      if (next != G_MAXUINT)
        made_stmt (self, body, RW_STMT_POST, next);
    }
}

static void
define (Parser *self, guint event, guint line)
{
  if (event_at (self, event)->line != 0)
    fail (self, RW_MODEL_ERROR_SYNTAX, line,
          "defined a second time; give it another name:", event_at (self, event)->name);
  set_defined (self, event, line);
}

static RwStmt *
parse_steps (Parser *self)
{
  self->in_steps = TRUE;
  self->body++;
  RwStmt *first = parse_block (self);
  self->in_steps = FALSE;
  return first;
}

static void
parse_thread (Parser *self)
{
  guint line = self->token_line, event = take_event (self), count = 0;
  RwStmt *first = parse_steps (self);
  if (self->failed)
    return;
  define (self, event, line);
  number_steps (self, first, event_at (self, event)->name, &count);
  if (first != NULL)
    made_stmt (self, event_at (self, event)->body, RW_STMT_POST, first->step);
  link_steps (self, first, G_MAXUINT);
  g_array_append_val (self->model->starts, event);
}

/* The event itself takes the handler, its last step gives it back. */
static void
parse_handler_event (Parser *self, guint event, const Handler *handler)
{
  guint count = 0, lock = lock_by_name (self, handler->name);
  RwStmt *first = parse_steps (self);
  if (self->failed)
    return;
  const char *name = event_at (self, event)->name;
  number_steps (self, first, name, &count);
  guint end = add_event (self, g_strdup_printf ("%s.end", name));
  set_defined (self, end, event_at (self, event)->line);
  acquire (self, lock, event);
  made_stmt (self, event_at (self, event)->body, RW_STMT_POST, first != NULL ? first->step : end);
  link_steps (self, first, end);
  release (self, lock, end);
  if (handler->fifo && event_at (self, event)->group == NULL)
    event_at (self, event)->group = g_strdup (handler->name);
}

/* While a lock is held, an event is pending that blocks all who want it, and that waits for what never comes. */
static void
link_locks (Parser *self)
{
  for (guint i = 0; i < self->locks->len; i++)
    {
      const Lock *lock = g_ptr_array_index (self->locks, i);
      for (guint j = 0; j < lock->holds->len; j++)
        {
          RwModelEvent *hold = event_at (self, g_array_index (lock->holds, Hold, j).hold);
          if (self->never == G_MAXUINT)
            self->never = add_event (self, g_strdup ("never"));
          event_at (self, self->never)->hidden = TRUE;
          g_array_append_val (hold->after, self->never);
          for (guint k = 0; k < lock->holds->len; k++)
            g_array_append_val (hold->blocks, g_array_index (lock->holds, Hold, k).acquirer);
        }
    }
}

/* --- items --- */

static void
parse_events (Parser *self, GArray *list)
{
  do
    {
      guint event = take_event (self);
      g_array_append_val (list, event);
    }
  while (!self->failed && take (self, ","));
}

static const Handler *
take_handler (Parser *self)
{
  g_autofree char *name = take_name (self, "the name of a handler");
  for (guint i = 0; name != NULL && i < self->handlers->len; i++)
    if (strcmp (((Handler *)g_ptr_array_index (self->handlers, i))->name, name) == 0)
      return g_ptr_array_index (self->handlers, i);
  fail (self, RW_MODEL_ERROR_SYNTAX, self->token_line, "no such handler; declare it first: handler", name);
  return NULL;
}

static void
parse_event (Parser *self)
{
  guint line = self->token_line, event = take_event (self);
  const Handler *handler = NULL;

  if (!self->failed)
    define (self, event, line);
  while (!self->failed && !is (self, "{"))
    if (take (self, "in"))
      {
        g_free (event_at (self, event)->group);
        event_at (self, event)->group = take_name (self, "the name of a group");
      }
    else if (take (self, "delay"))
      event_at (self, event)->delay = (gint32)take_count (self);
    else if (take (self, "after"))
      parse_events (self, event_at (self, event)->after);
    else if (take (self, "blocks"))
      parse_events (self, event_at (self, event)->blocks);
    else if (take (self, "on"))
      handler = take_handler (self);
    else
      unexpected (self, "{, in, on, delay, after or blocks");
  if (self->failed)
    return;
  if (handler != NULL)
    parse_handler_event (self, event, handler);
  else
    for (RwStmt *stmt = parse_block (self); stmt != NULL; stmt = stmt->next)
      g_ptr_array_add (event_at (self, event)->body, stmt);
}

static void
parse_var (Parser *self)
{
  RwModelVar *var;
  guint index = take_var (self);
  if (self->failed)
    return;
  var = g_ptr_array_index (self->model->vars, index);
  if (!take (self, "="))
    return;
  var->value = take_number (self);
  var->defined = TRUE;
}

static void
parse_handler (Parser *self)
{
  char *name = take_name (self, "the name of a handler");
  if (name == NULL)
    return;
  Handler *handler = g_new0 (Handler, 1);
  handler->name = name;
  g_ptr_array_add (self->handlers, handler);
  handler->fifo = is (self, "fifo");
  if (!take (self, "fifo") && !take (self, "bag"))
    unexpected (self, "fifo or bag");
}

static void
parse_expect (Parser *self)
{
  if (take (self, "classes"))
    self->model->expected_classes = take_count (self);
  else if (take (self, "within"))
    do
      {
        guint number = take_count (self);
        g_array_append_val (self->model->expected_within, number);
      }
    while (!self->failed && self->kind == TOKEN_NUMBER);
  else
    unexpected (self, "classes or within");
}

static void
parse_item (Parser *self)
{
  if (take (self, ";"))
    return;
  if (take (self, "var"))
    parse_var (self);
  else if (take (self, "event"))
    parse_event (self);
  else if (take (self, "thread"))
    parse_thread (self);
  else if (take (self, "handler"))
    parse_handler (self);
  else if (take (self, "start"))
    parse_events (self, self->model->starts);
  else if (take (self, "record"))
    parse_events (self, self->model->record);
  else if (take (self, "expect"))
    parse_expect (self);
  else
    unexpected (self, "var, event, thread, handler, start, record or expect");
}

static void
check_defined (Parser *self)
{
  for (guint i = 0; i < self->model->events->len && !self->failed; i++)
    {
      const RwModelEvent *event = event_at (self, i);
      if (event->line == 0 && !event->hidden)
        fail (self, RW_MODEL_ERROR_SYNTAX, event->mentioned, "there is no such event; define it:", event->name);
    }
}

static void
var_free (gpointer data)
{
  g_free (((RwModelVar *)data)->name);
  g_free (data);
}

static RwModel *
model_new (const char *name)
{
  RwModel *model = g_new0 (RwModel, 1);
  model->name = g_strdup (name);
  model->stmts = g_ptr_array_new_with_free_func (g_free);
  model->events = g_ptr_array_new_with_free_func (event_free);
  model->vars = g_ptr_array_new_with_free_func (var_free);
  model->starts = g_array_new (FALSE, FALSE, sizeof (guint));
  model->record = g_array_new (FALSE, FALSE, sizeof (guint));
  model->expected_within = g_array_new (FALSE, FALSE, sizeof (guint));
  model->failures = g_array_new (FALSE, FALSE, sizeof (guint));
  return model;
}

RwModel *
rw_model_parse (const char *text, gsize length, const char *name, GError **error)
{
  g_autoptr (RwModel) model = model_new (name);
  if (length == 0)
    text = ""; /* NULL has no end */
  Parser parser = { .model = model, .at = text, .end = text + length, .line = 1, .never = G_MAXUINT, .error = error };

  if (length > MAX_TEXT)
    {
      fail (&parser, RW_MODEL_ERROR_LIMIT, 1, "the program is larger than 1 MiB; write a smaller one", NULL);
      return NULL;
    }
  parser.event_index = g_hash_table_new (g_str_hash, g_str_equal);
  parser.var_index = g_hash_table_new (g_str_hash, g_str_equal);
  parser.locks = g_ptr_array_new_with_free_func (lock_free);
  parser.handlers = g_ptr_array_new_with_free_func (handler_free);
  advance (&parser);
  while (!parser.failed && parser.kind != TOKEN_END)
    parse_item (&parser);
  link_locks (&parser);
  check_defined (&parser);
  g_free (parser.word);
  g_hash_table_unref (parser.event_index);
  g_hash_table_unref (parser.var_index);
  g_ptr_array_unref (parser.locks);
  g_ptr_array_unref (parser.handlers);
  return parser.failed ? NULL : g_steal_pointer (&model);
}
