/* SPDX-License-Identifier: MIT */
/* The parser of model programs: one pass over the text. */
#include "rw-model-parser.h"

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

void
rw_parser_fail (RwParser *self, RwModelError code, guint line, const char *what, const char *subject)
{
  if (!self->failed)
    g_set_error (self->error, RW_MODEL_ERROR, code, "%s:%u: %s%s%s", self->model->name, line, what,
                 subject == NULL ? "" : " ", subject == NULL ? "" : subject);
  self->failed = TRUE;
}

/* --- tokens --- */

static void
skip_space (RwParser *self)
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
read_number (RwParser *self)
{
  gboolean minus = *self->at == '-';
  self->number = 0;
  for (self->at += minus; self->at < self->end && g_ascii_isdigit (*self->at); self->at++)
    {
      if (self->number > G_MAXINT32)
        {
          rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, self->line, "the number is too large; use one below 2147483648",
                          NULL);
          return;
        }
      self->number = self->number * 10 + (*self->at - '0');
    }
  if (self->at < self->end && is_word (*self->at))
    rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, self->line, "a name must begin with a letter", NULL);
  if (minus)
    self->number = -self->number;
}

static void
advance (RwParser *self)
{
  static const char *const pairs[] = { "==", "!=", "<=", ">=" };
  const char *start;

  skip_space (self);
  g_clear_pointer (&self->word, g_free);
  self->token_line = self->line;
  start = self->at;
  self->kind = RW_TOKEN_END;
  if (self->failed || self->at == self->end)
    return;
  if (g_ascii_isdigit (*start) || (*start == '-' && start + 1 < self->end && g_ascii_isdigit (start[1])))
    {
      self->kind = RW_TOKEN_NUMBER;
      read_number (self);
    }
  else if (is_word (*start))
    {
      self->kind = RW_TOKEN_WORD;
      while (self->at < self->end && is_word (*self->at))
        self->at++;
    }
  else
    {
      self->kind = RW_TOKEN_SIGN;
      self->at++;
      for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
        if (self->end - start >= 2 && strncmp (start, pairs[i], 2) == 0)
          self->at = start + 2;
    }
  self->word = g_strndup (start, (gsize)(self->at - start));
}

static gboolean
is (const RwParser *self, const char *word)
{
  return !self->failed && self->kind != RW_TOKEN_END && strcmp (self->word, word) == 0;
}

static gboolean
take (RwParser *self, const char *word)
{
  gboolean found = is (self, word);
  if (found)
    advance (self);
  return found;
}

/* What was found, safe to print in one line. */
static void
unexpected (RwParser *self, const char *wanted)
{
  g_autofree char *safe = self->word == NULL ? g_strdup ("the end") : g_strescape (self->word, NULL);
  g_autofree char *what = g_strdup_printf ("expected %s, found", wanted);
  rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, self->token_line, what, safe);
}

static void
expect (RwParser *self, const char *sign)
{
  if (!take (self, sign))
    unexpected (self, sign);
}

static char *
take_name (RwParser *self, const char *wanted)
{
  if (self->failed || self->kind != RW_TOKEN_WORD)
    {
      unexpected (self, wanted);
      return NULL;
    }
  char *name = g_steal_pointer (&self->word);
  advance (self);
  return name;
}

static gint64
take_number (RwParser *self)
{
  gint64 number = self->number;
  if (self->failed || self->kind != RW_TOKEN_NUMBER)
    {
      unexpected (self, "a number");
      return 0;
    }
  advance (self);
  return number;
}

static guint
take_count (RwParser *self)
{
  gint64 number = take_number (self);
  if (number < 0 || number > G_MAXINT32)
    rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, self->token_line, "the number must be between 0 and 2147483647", NULL);
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

guint
rw_parser_add_event (RwParser *self, char *name)
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
    rw_parser_fail (self, RW_MODEL_ERROR_LIMIT, self->line, "too many events; write a smaller program", NULL);
  return self->model->events->len - 1;
}

/* Takes @name. */
static guint
event_by_name (RwParser *self, char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->event_index, name));
  if (index == 0)
    return rw_parser_add_event (self, name);
  g_free (name);
  return index - 1;
}

RwModelEvent *
rw_parser_event (const RwParser *self, guint index)
{
  return g_ptr_array_index (self->model->events, index);
}

void
rw_parser_set_defined (RwParser *self, guint event, guint line)
{
  rw_parser_event (self, event)->line = line;
  rw_parser_event (self, event)->ordinal = ++self->n_defined;
}

guint
rw_parser_take_event (RwParser *self)
{
  char *name = take_name (self, "the name of an event");
  return name == NULL ? 0 : event_by_name (self, name);
}

static guint
take_var (RwParser *self)
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

guint
rw_parser_lock (RwParser *self, const char *name)
{
  for (guint i = 0; i < self->locks->len; i++)
    if (strcmp (((RwParserLock *)g_ptr_array_index (self->locks, i))->name, name) == 0)
      return i;
  RwParserLock *lock = g_new (RwParserLock, 1);
  lock->name = g_strdup (name);
  lock->holds = g_array_new (FALSE, FALSE, sizeof (RwParserHold));
  g_ptr_array_add (self->locks, lock);
  return self->locks->len - 1;
}

static void
lock_free (gpointer data)
{
  RwParserLock *lock = data;
  g_free (lock->name);
  g_array_unref (lock->holds);
  g_free (lock);
}

static void
handler_free (gpointer data)
{
  g_free (((RwParserHandler *)data)->name);
  g_free (data);
}

/* --- statements --- */

RwStmt *
rw_parser_new_stmt (RwParser *self, RwStmtKind kind)
{
  RwStmt *stmt = g_new0 (RwStmt, 1);
  stmt->kind = kind;
  stmt->line = self->token_line;
  stmt->source = G_MAXUINT;
  g_ptr_array_add (self->model->stmts, stmt);
  if (self->model->stmts->len > MAX_STATEMENTS)
    rw_parser_fail (self, RW_MODEL_ERROR_LIMIT, self->line, "too many statements; write a smaller program", NULL);
  return stmt;
}

static RwCmp
take_cmp (RwParser *self)
{
  static const char *const signs[] = { "==", "!=", "<", ">", "<=", ">=" };
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (take (self, signs[i]))
      return (RwCmp)i;
  unexpected (self, "a comparison such as ==");
  return RW_CMP_EQ;
}

static void
parse_condition (RwParser *self, RwStmt *stmt)
{
  stmt->target = take_var (self);
  stmt->cmp = take_cmp (self);
  stmt->value = take_number (self);
}

static void
parse_if (RwParser *self, RwStmt *stmt)
{
  parse_condition (self, stmt);
  stmt->then = rw_parser_block (self);
  if (take (self, "else"))
    stmt->otherwise = rw_parser_block (self);
}

static void
parse_lock (RwParser *self, RwStmt *stmt)
{
  g_autofree char *name = take_name (self, "the name of a lock");
  if (!self->in_steps)
    rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, stmt->line,
                    "an event runs at once and needs no lock; use one in a thread or in an event on a handler", NULL);
  if (name != NULL)
    stmt->target = rw_parser_lock (self, name);
}

static void
parse_arguments (RwParser *self, RwStmt *stmt)
{
  switch (stmt->kind)
    {
    case RW_STMT_READ:
      stmt->target = take_var (self);
      break;
    case RW_STMT_WRITE:
      stmt->target = take_var (self);
      if (self->kind == RW_TOKEN_WORD)
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
      stmt->target = rw_parser_take_event (self);
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
parse_stmt (RwParser *self)
{
  static const char *const words[]
      = { "read", "write", "add", "init", "post", "cancel", "if", "assert", "lock", "unlock" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (is (self, words[i]))
      {
        RwStmt *stmt = rw_parser_new_stmt (self, (RwStmtKind)i);
        advance (self);
        parse_arguments (self, stmt);
        return stmt;
      }
  unexpected (self, "a statement");
  return NULL;
}

RwStmt *
rw_parser_block (RwParser *self)
{
  RwStmt *first = NULL, **tail = &first;
  expect (self, "{");
  if (++self->nesting > MAX_NESTING)
    rw_parser_fail (self, RW_MODEL_ERROR_LIMIT, self->line, "blocks are nested too deeply; use fewer than 64 levels",
                    NULL);
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

/* --- items --- */

static void
parse_events (RwParser *self, GArray *list)
{
  do
    {
      guint event = rw_parser_take_event (self);
      g_array_append_val (list, event);
    }
  while (!self->failed && take (self, ","));
}

static const RwParserHandler *
take_handler (RwParser *self)
{
  g_autofree char *name = take_name (self, "the name of a handler");
  for (guint i = 0; name != NULL && i < self->handlers->len; i++)
    if (strcmp (((RwParserHandler *)g_ptr_array_index (self->handlers, i))->name, name) == 0)
      return g_ptr_array_index (self->handlers, i);
  rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, self->token_line, "no such handler; declare it first: handler", name);
  return NULL;
}

static void
parse_event (RwParser *self)
{
  guint line = self->token_line, event = rw_parser_take_event (self);
  const RwParserHandler *handler = NULL;

  if (!self->failed)
    rw_parser_define (self, event, line);
  while (!self->failed && !is (self, "{"))
    if (take (self, "in"))
      {
        g_free (rw_parser_event (self, event)->group);
        rw_parser_event (self, event)->group = take_name (self, "the name of a group");
      }
    else if (take (self, "delay"))
      rw_parser_event (self, event)->delay = (gint32)take_count (self);
    else if (take (self, "after"))
      parse_events (self, rw_parser_event (self, event)->after);
    else if (take (self, "blocks"))
      parse_events (self, rw_parser_event (self, event)->blocks);
    else if (take (self, "on"))
      handler = take_handler (self);
    else
      unexpected (self, "{, in, on, delay, after or blocks");
  if (self->failed)
    return;
  if (handler != NULL)
    rw_parser_handler_event (self, event, handler);
  else
    for (RwStmt *stmt = rw_parser_block (self); stmt != NULL; stmt = stmt->next)
      g_ptr_array_add (rw_parser_event (self, event)->body, stmt);
}

static void
parse_var (RwParser *self)
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
parse_handler (RwParser *self)
{
  char *name = take_name (self, "the name of a handler");
  if (name == NULL)
    return;
  RwParserHandler *handler = g_new0 (RwParserHandler, 1);
  handler->name = name;
  g_ptr_array_add (self->handlers, handler);
  handler->fifo = is (self, "fifo");
  if (!take (self, "fifo") && !take (self, "bag"))
    unexpected (self, "fifo or bag");
}

static void
parse_expect (RwParser *self)
{
  if (take (self, "classes"))
    self->model->expected_classes = take_count (self);
  else if (take (self, "within"))
    do
      {
        guint number = take_count (self);
        g_array_append_val (self->model->expected_within, number);
      }
    while (!self->failed && self->kind == RW_TOKEN_NUMBER);
  else
    unexpected (self, "classes or within");
}

static void
parse_item (RwParser *self)
{
  if (take (self, ";"))
    return;
  if (take (self, "var"))
    parse_var (self);
  else if (take (self, "event"))
    parse_event (self);
  else if (take (self, "thread"))
    rw_parser_thread (self);
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
check_defined (RwParser *self)
{
  for (guint i = 0; i < self->model->events->len && !self->failed; i++)
    {
      const RwModelEvent *event = rw_parser_event (self, i);
      if (event->line == 0 && !event->hidden)
        rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, event->mentioned,
                        "there is no such event; define it:", event->name);
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
  RwParser parser = { .model = model, .at = text, .end = text + length, .line = 1, .never = G_MAXUINT, .error = error };

  if (length > MAX_TEXT)
    {
      rw_parser_fail (&parser, RW_MODEL_ERROR_LIMIT, 1, "the program is larger than 1 MiB; write a smaller one", NULL);
      return NULL;
    }
  parser.event_index = g_hash_table_new (g_str_hash, g_str_equal);
  parser.var_index = g_hash_table_new (g_str_hash, g_str_equal);
  parser.locks = g_ptr_array_new_with_free_func (lock_free);
  parser.handlers = g_ptr_array_new_with_free_func (handler_free);
  advance (&parser);
  while (!parser.failed && parser.kind != RW_TOKEN_END)
    parse_item (&parser);
  rw_parser_link_locks (&parser);
  check_defined (&parser);
  g_free (parser.word);
  g_hash_table_unref (parser.event_index);
  g_hash_table_unref (parser.var_index);
  g_ptr_array_unref (parser.locks);
  g_ptr_array_unref (parser.handlers);
  return parser.failed ? NULL : g_steal_pointer (&model);
}
