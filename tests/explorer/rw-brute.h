/* SPDX-License-Identifier: MIT */
/* Random programs, and everything the explorer claims about them by definition: all runs, their classes, the classes
 * within a bound. Slow and simple, and shares nothing with the explorer. */
#pragma once

#include <glib.h>

#define BRUTE_EVENTS 8
#define BRUTE_VARS 4
#define BRUTE_OPS 6
#define BRUTE_SUB 2

typedef enum
{
  BRUTE_READ,
  BRUTE_WRITE,
  BRUTE_ADD,
  BRUTE_INIT,
  BRUTE_POST,
  BRUTE_CANCEL,
  BRUTE_IF /* variable a equals b: sub[0], otherwise sub[1] */
} BruteKind;

typedef struct
{
  BruteKind kind;
  int a, b;
} BruteSimple;

typedef struct
{
  BruteSimple op;
  int n_sub[2];
  BruteSimple sub[2][BRUTE_SUB];
} BruteOp;

typedef struct
{
  int n, n_vars;
  int n_ops[BRUTE_EVENTS];
  BruteOp ops[BRUTE_EVENTS][BRUTE_OPS];
  int group[BRUTE_EVENTS];                         /* 0: none */
  int delay[BRUTE_EVENTS];                         /* -1: none */
  guint after[BRUTE_EVENTS], blocks[BRUTE_EVENTS]; /* bits */
  int n_init, init[BRUTE_EVENTS];
  gboolean empty[BRUTE_VARS]; /* has no value at the start */
  guint known;                /* variables whose value at the start run 0 shows, bits; brute_find_known () */
  guint filters;              /* by their bits: 1 same value, 2 counter, 4 lazy initialisation */
} BruteProgram;

typedef enum
{
  BRUTE_BRANCHES = 1 << 0,
  BRUTE_POSTS = 1 << 1,
  BRUTE_CANCELS = 1 << 2,
  BRUTE_FIFO = 1 << 3,
  BRUTE_TIMERS = 1 << 4,
  BRUTE_AFTER = 1 << 5,
  BRUTE_BLOCKS = 1 << 6,
  BRUTE_POSTERS = 1 << 7, /* an event may have several */
  BRUTE_VALUES = 1 << 8,  /* additions, initialisations, writes of what is there */
  BRUTE_LARGE = 1 << 9    /* up to 8 events */
} BruteFeatures;

void brute_generate (BruteProgram *program, GRand *rand, guint features);
void brute_find_known (BruteProgram *program);
char *brute_to_text (const BruteProgram *program); /* .evt */

/* One order of events. */
typedef struct
{
  int n;
  int at[BRUTE_EVENTS];
} BruteOrder;

/* Executes @schedule: what is not enabled is skipped; then the least by @rank (or the oldest if NULL). The order that
 * ran. */
void brute_execute (const BruteProgram *program, const BruteOrder *schedule, const int *rank, BruteOrder *ran);
/* Events and the order of each dependent pair. @order must be executable as it is. */
char *brute_class (const BruteProgram *program, const BruteOrder *order);
char *brute_state (const BruteProgram *program, const BruteOrder *order);
/* Number of pairs that @a and @b, of the same events, order differently. */
int brute_reversed_pairs (const BruteProgram *program, const BruteOrder *a, const BruteOrder *b);

typedef void (*BruteFunc) (const BruteOrder *order, gpointer data);
/* Every maximal run; FALSE if there are more than @limit. */
gboolean brute_enumerate (const BruteProgram *program, guint limit, BruteFunc func, gpointer data);
/* Neighbours that are independent can be swapped: NULL, or what went wrong. */
char *brute_check_independence (const BruteProgram *program, const BruteOrder *order);

/* Class -> depth (as pointer), by the definition of C_k, up to @bound. */
GHashTable *brute_depths (const BruteProgram *program, int bound);
