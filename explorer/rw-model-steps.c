/* SPDX-License-Identifier: MIT */
/* Threads and handlers of model programs, taken apart: one event a statement, each posts the next. */
#include "rw-model-parser.h"

static RwStmt *
made_stmt (RwParser *self, GPtrArray *body, RwStmtKind kind, guint target)
{
  RwStmt *stmt = rw_parser_new_stmt (self, kind);
  stmt->target = target;
  g_ptr_array_add (body, stmt);
  return stmt;
}

/* Gives every statement its event, in the order of the text. */
static void
number_steps (RwParser *self, RwStmt *first, const char *prefix, guint *count)
{
  for (RwStmt *stmt = first; stmt != NULL && !self->failed; stmt = stmt->next)
    {
      stmt->step = rw_parser_add_event (self, g_strdup_printf ("%s.%u", prefix, ++*count));
      rw_parser_set_defined (self, stmt->step, stmt->line);
      number_steps (self, stmt->then, prefix, count);
      number_steps (self, stmt->otherwise, prefix, count);
    }
}

static void
acquire (RwParser *self, guint lock, guint step)
{
  RwParserLock *held = g_ptr_array_index (self->locks, lock);
  RwParserHold hold = { step, 0, self->body };
  hold.hold
      = rw_parser_add_event (self, g_strdup_printf ("%s held by %s", held->name, rw_parser_event (self, step)->name));
  rw_parser_set_defined (self, hold.hold, rw_parser_event (self, step)->line);
  rw_parser_event (self, hold.hold)->hidden = TRUE;
  g_array_append_val (held->holds, hold);
  made_stmt (self, rw_parser_event (self, step)->body, RW_STMT_POST, hold.hold);
}

/* Gives back what this body may hold: those of its acquisitions that did not happen are not pending. */
static void
release (RwParser *self, guint lock, guint step)
{
  const RwParserLock *held = g_ptr_array_index (self->locks, lock);
  for (guint i = 0; i < held->holds->len; i++)
    if (g_array_index (held->holds, RwParserHold, i).body == self->body)
      made_stmt (self, rw_parser_event (self, step)->body, RW_STMT_CANCEL,
                 g_array_index (held->holds, RwParserHold, i).hold);
}

static RwStmt *
branch_to (RwParser *self, guint step)
{
  RwStmt *stmt = step == G_MAXUINT ? NULL : rw_parser_new_stmt (self, RW_STMT_POST);
  if (stmt != NULL)
    stmt->target = step;
  return stmt;
}

static void
link_steps (RwParser *self, RwStmt *first, guint last)
{
  for (RwStmt *stmt = first; stmt != NULL && !self->failed; stmt = stmt->next)
    {
      guint next = stmt->next != NULL ? stmt->next->step : last;
      GPtrArray *body = rw_parser_event (self, stmt->step)->body;
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
          RwStmt *copy = rw_parser_new_stmt (self, stmt->kind);
          *copy = *stmt;
          copy->next = NULL;
          g_ptr_array_add (body, copy);
        }
      if (next != G_MAXUINT)
        made_stmt (self, body, RW_STMT_POST, next);
    }
}

void
rw_parser_define (RwParser *self, guint event, guint line)
{
  if (rw_parser_event (self, event)->line != 0)
    rw_parser_fail (self, RW_MODEL_ERROR_SYNTAX, line,
                    "defined a second time; give it another name:", rw_parser_event (self, event)->name);
  rw_parser_set_defined (self, event, line);
}

static RwStmt *
parse_steps (RwParser *self)
{
  self->in_steps = TRUE;
  self->body++;
  RwStmt *first = rw_parser_block (self);
  self->in_steps = FALSE;
  return first;
}

void
rw_parser_thread (RwParser *self)
{
  guint line = self->token_line, event = rw_parser_take_event (self), count = 0;
  RwStmt *first = parse_steps (self);
  if (self->failed)
    return;
  rw_parser_define (self, event, line);
  number_steps (self, first, rw_parser_event (self, event)->name, &count);
  if (first != NULL)
    made_stmt (self, rw_parser_event (self, event)->body, RW_STMT_POST, first->step);
  link_steps (self, first, G_MAXUINT);
  g_array_append_val (self->model->starts, event);
}

/* The event itself takes the handler, its last step gives it back. */
void
rw_parser_handler_event (RwParser *self, guint event, const RwParserHandler *handler)
{
  guint count = 0, lock = rw_parser_lock (self, handler->name);
  RwStmt *first = parse_steps (self);
  if (self->failed)
    return;
  const char *name = rw_parser_event (self, event)->name;
  number_steps (self, first, name, &count);
  guint end = rw_parser_add_event (self, g_strdup_printf ("%s.end", name));
  rw_parser_set_defined (self, end, rw_parser_event (self, event)->line);
  acquire (self, lock, event);
  made_stmt (self, rw_parser_event (self, event)->body, RW_STMT_POST, first != NULL ? first->step : end);
  link_steps (self, first, end);
  release (self, lock, end);
  if (handler->fifo && rw_parser_event (self, event)->group == NULL)
    rw_parser_event (self, event)->group = g_strdup (handler->name);
}

/* While a lock is held, an event is pending that blocks all who want it, and that waits for what never comes. */
void
rw_parser_link_locks (RwParser *self)
{
  for (guint i = 0; i < self->locks->len; i++)
    {
      const RwParserLock *lock = g_ptr_array_index (self->locks, i);
      for (guint j = 0; j < lock->holds->len; j++)
        {
          RwModelEvent *hold = rw_parser_event (self, g_array_index (lock->holds, RwParserHold, j).hold);
          if (self->never == G_MAXUINT)
            self->never = rw_parser_add_event (self, g_strdup ("never"));
          rw_parser_event (self, self->never)->hidden = TRUE;
          g_array_append_val (hold->after, self->never);
          for (guint k = 0; k < lock->holds->len; k++)
            g_array_append_val (hold->blocks, g_array_index (lock->holds, RwParserHold, k).acquirer);
        }
    }
}
