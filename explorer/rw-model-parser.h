/* SPDX-License-Identifier: MIT */
/* The parser of model programs, as its two halves see it: the text, and what threads and handlers are made of. */
#pragma once

#include "rw-model-private.h"

G_BEGIN_DECLS

typedef enum
{
  RW_TOKEN_END,
  RW_TOKEN_WORD,
  RW_TOKEN_NUMBER,
  RW_TOKEN_SIGN /* one or two characters that stand for themselves */
} RwParserTokenKind;

/* A lock, or a handler, which holds a lock of its own while it runs an event. */
typedef struct
{
  char *name;
  GArray *holds; /* of RwParserHold */
} RwParserLock;

typedef struct
{
  guint acquirer; /* event */
  guint hold;     /* event that is pending while the lock is held */
  guint body;     /* number of the thread or handler event */
} RwParserHold;

typedef struct
{
  char *name;
  gboolean fifo;
} RwParserHandler;

typedef struct
{
  RwModel *model;
  const char *at, *end;
  guint line, nesting, body, n_defined;
  RwParserTokenKind kind;
  char *word; /* of the token at hand */
  gint64 number;
  guint token_line;
  GHashTable *event_index, *var_index; /* name -> place + 1 */
  GPtrArray *locks;                    /* of RwParserLock */
  GPtrArray *handlers;                 /* of RwParserHandler */
  guint never;                         /* event that is never posted; G_MAXUINT: not needed yet */
  gboolean in_steps;
  GError **error;
  gboolean failed;
} RwParser;

void rw_parser_fail (RwParser *self, RwModelError code, guint line, const char *what, const char *subject);
RwStmt *rw_parser_new_stmt (RwParser *self, RwStmtKind kind);
RwStmt *rw_parser_block (RwParser *self);
guint rw_parser_add_event (RwParser *self, char *name); /* takes @name */
RwModelEvent *rw_parser_event (const RwParser *self, guint index);
void rw_parser_set_defined (RwParser *self, guint event, guint line);
guint rw_parser_take_event (RwParser *self);
guint rw_parser_lock (RwParser *self, const char *name);

/* Fails if @event was defined before. */
void rw_parser_define (RwParser *self, guint event, guint line);
void rw_parser_thread (RwParser *self);
void rw_parser_handler_event (RwParser *self, guint event, const RwParserHandler *handler);
void rw_parser_link_locks (RwParser *self);

G_END_DECLS
