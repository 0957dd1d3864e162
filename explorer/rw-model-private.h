/* SPDX-License-Identifier: MIT */
/* A parsed model program. */
#pragma once

#include "rw-model.h"
#include "rw-pool.h"

G_BEGIN_DECLS

typedef enum
{
  RW_STMT_READ,
  RW_STMT_WRITE, /* @value, or what is in variable @source */
  RW_STMT_ADD,
  RW_STMT_INIT,
  RW_STMT_POST,
  RW_STMT_CANCEL,
  RW_STMT_IF,
  RW_STMT_ASSERT,
  RW_STMT_LOCK,
  RW_STMT_UNLOCK
} RwStmtKind;

typedef enum
{
  RW_CMP_EQ,
  RW_CMP_NE,
  RW_CMP_LT,
  RW_CMP_GT,
  RW_CMP_LE,
  RW_CMP_GE
} RwCmp;

typedef struct _RwStmt RwStmt;
struct _RwStmt
{
  RwStmtKind kind;
  guint line;
  guint target; /* variable, event (by place in the program) or lock */
  gint64 value;
  guint source; /* variable; G_MAXUINT: @value */
  RwCmp cmp;
  RwStmt *then, *otherwise;
  RwStmt *next;
  guint step; /* the event that this statement is, where each is one */
};

typedef struct
{
  char *name;
  guint line;      /* of the definition; 0: only mentioned */
  guint ordinal;   /* counts the definitions */
  guint mentioned; /* the first line that names it */
  char *group;     /* NULL: none */
  gint32 delay;    /* -1: none */
  GArray *after;   /* of guint */
  GArray *blocks;  /* of guint */
  GPtrArray *body; /* of RwStmt, owned by the model */
  gboolean hidden; /* made by the parser to stand for a lock that is held */
} RwModelEvent;

typedef struct
{
  char *name;
  gboolean defined; /* has a value at the start */
  gint64 value;
} RwModelVar;

struct _RwModel
{
  char *name;
  RwSpace *space;
  gboolean timers_any;
  GPtrArray *stmts;  /* all of them */
  GPtrArray *events; /* of RwModelEvent */
  GPtrArray *vars;   /* of RwModelVar */
  GArray *starts;    /* of guint */
  GArray *record;    /* of guint */
  guint expected_classes;
  GArray *expected_within; /* of guint */
  /* running */
  RwEvent *ids;          /* by place in the program */
  RwLocation *locations; /* by variable */
  GHashTable *places;    /* RwEvent + 1 -> place in the program */
  RwPool *pool;
  RwModelVar *now; /* by variable */
  RwTrace *run0;
  GArray *failures; /* of guint */
};

G_END_DECLS
