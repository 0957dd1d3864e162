/* SPDX-License-Identifier: MIT */
/* Brute force by definition, on programs of at most eight events. */
#include "rw-brute.h"

#include <string.h>

#define BIT(x) (1u << (x))
#define START (-1)
#define NOBODY (-2)

/* What one event did. Modes of variables: 0 untouched, 1 read, 2 written, 3 added to, 4 + v initialised with v. */
typedef struct
{
  int event;
  int mode[BRUTE_VARS];
  guint posted, counted;    /* events that it posted; where that made them pending */
  guint cancelled, removed; /* events that it cancelled; where that had an effect */
  guint plain;              /* variables whose last change was a plain write, bits */
  guint timers;             /* that had to finish first, as far as others of them do not imply them */
} Step;

typedef struct
{
  int value[BRUTE_VARS];
  gboolean empty[BRUTE_VARS];
  guint known;                   /* variables whose value the log shows, bits */
  guint pending, ran, cancelled; /* bits of events */
  int poster[BRUTE_EVENTS];      /* step, START or NOBODY */
  int finisher[BRUTE_EVENTS];    /* step or NOBODY */
  int age[BRUTE_EVENTS];
  int n_posts, n;
  Step steps[BRUTE_EVENTS];
  guint before[BRUTE_EVENTS]; /* steps that happen before a step, bits */
  int place[BRUTE_EVENTS];    /* step of an event */
} State;

/* --- running --- */

static void
state_init (State *state, const BruteProgram *program)
{
  memset (state, 0, sizeof *state);
  memcpy (state->empty, program->empty, sizeof state->empty);
  state->known = program->known;
  for (int i = 0; i < BRUTE_EVENTS; i++)
    {
      state->poster[i] = state->finisher[i] = NOBODY;
      state->place[i] = -1;
    }
  for (int i = 0; i < program->n_init; i++)
    {
      state->pending |= BIT (program->init[i]);
      state->poster[program->init[i]] = START;
      state->age[program->init[i]] = state->n_posts++;
    }
}

/* The timer rule: x was posted no later, by happens-before, with a delay that is no longer. */
static gboolean
timer_before (const State *state, const BruteProgram *program, int x, int y)
{
  int px = state->poster[x], py = state->poster[y];
  if (x == y || px == NOBODY || program->delay[x] < 0 || program->delay[y] < 0 || program->delay[x] > program->delay[y])
    return FALSE;
  if (px == py)
    return state->age[x] < state->age[y];
  return px == START || (py != START && (state->before[py] & BIT (px)) != 0);
}

static gboolean
enabled (const State *state, const BruteProgram *program, int y)
{
  guint finished = state->ran | state->cancelled;
  if ((state->pending & BIT (y)) == 0 || (program->after[y] & ~finished) != 0)
    return FALSE;
  for (int x = 0; x < program->n; x++)
    {
      if ((state->pending & BIT (x)) == 0 || x == y)
        continue;
      if ((program->blocks[x] & BIT (y)) != 0 || timer_before (state, program, x, y))
        return FALSE;
      if (program->group[x] != 0 && program->group[x] == program->group[y] && state->age[x] < state->age[y])
        return FALSE;
    }
  return TRUE;
}

static void
mark (Step *step, int var, int mode)
{
  int *old = &step->mode[var];
  if (*old == 0)
    *old = mode;
  else if (*old != mode
           && !(mode == 1 && *old != 3)) /* reading again what was accessed tells nothing new, except after adding */
    *old = 2;
}

static void
run_simple (State *state, const BruteProgram *program, Step *step, const BruteSimple *op)
{
  switch (op->kind)
    {
    case BRUTE_READ:
      mark (step, op->a, 1);
      break;
    case BRUTE_WRITE:
      mark (step, op->a, 2);
      state->value[op->a] = op->b;
      state->empty[op->a] = FALSE;
      step->plain |= BIT (op->a);
      break;
    case BRUTE_ADD:
      step->plain &= ~BIT (op->a);
      state->known &= ~BIT (op->a);
      mark (step, op->a, (program->filters & 2) != 0 ? 3 : 2);
      state->value[op->a] = (state->empty[op->a] ? 0 : state->value[op->a]) + op->b;
      state->empty[op->a] = FALSE;
      break;
    case BRUTE_INIT:
      if ((program->filters & 4) != 0 && (step->mode[op->a] == 0 || step->mode[op->a] == 4 + op->b))
        mark (step, op->a, 4 + op->b);
      else
        {
          mark (step, op->a, 1);
          if (state->empty[op->a])
            {
              mark (step, op->a, 2);
              step->plain |= BIT (op->a);
            }
        }
      if (state->empty[op->a])
        {
          state->value[op->a] = op->b;
          state->known |= BIT (op->a);
        }
      state->empty[op->a] = FALSE;
      break;
    case BRUTE_POST:
      step->posted |= BIT (op->a);
      if (state->poster[op->a] != NOBODY)
        break;
      step->counted |= BIT (op->a);
      state->poster[op->a] = state->n;
      state->age[op->a] = state->n_posts++;
      state->pending |= BIT (op->a);
      break;
    case BRUTE_CANCEL:
      step->cancelled |= BIT (op->a);
      if ((state->pending & BIT (op->a)) == 0)
        break;
      step->removed |= BIT (op->a);
      state->pending &= ~BIT (op->a);
      state->cancelled |= BIT (op->a);
      state->finisher[op->a] = state->n;
      break;
    case BRUTE_IF:
      g_assert_not_reached ();
    }
}

/* Timers that had to finish before @y: the last ones that ran, and the cancelled ones that those did not wait for. */
static guint
timers_before (const State *state, const BruteProgram *program, int y)
{
  guint ran = 0, kept = 0;
  for (int x = 0; x < program->n; x++)
    if ((state->ran & BIT (x)) != 0 && timer_before (state, program, x, y))
      ran |= BIT (x);
  for (int x = 0; x < program->n; x++)
    {
      gboolean implied = FALSE;
      if ((ran & BIT (x)) == 0)
        continue;
      for (int z = 0; z < program->n; z++)
        implied |= (ran & BIT (z)) != 0 && (state->before[state->place[z]] & BIT (state->place[x])) != 0;
      if (!implied)
        kept |= BIT (x);
    }
  guint all = kept;
  for (int x = 0; x < program->n; x++)
    {
      gboolean implied = FALSE;
      if ((state->cancelled & BIT (x)) == 0 || !timer_before (state, program, x, y))
        continue;
      for (int z = 0; z < program->n; z++)
        implied |= (kept & BIT (z)) != 0 && timer_before (state, program, x, z);
      if (!implied)
        all |= BIT (x);
    }
  return all;
}

static guint
happens_before (const State *state, const BruteProgram *program, const Step *step)
{
  guint direct = 0, all = 0;
  if (state->poster[step->event] >= 0)
    direct |= BIT (state->poster[step->event]);
  for (int x = 0; x < program->n; x++)
    {
      gboolean edge = (program->after[step->event] & BIT (x)) != 0 || (program->blocks[x] & BIT (step->event)) != 0
                      || (step->timers & BIT (x)) != 0
                      || (program->group[x] != 0 && program->group[x] == program->group[step->event]);
      if (edge && x != step->event && (state->ran & BIT (x)) != 0)
        direct |= BIT (state->place[x]);
    }
  for (int i = 0; i < state->n; i++)
    if ((direct & BIT (i)) != 0)
      all |= BIT (i) | state->before[i];
  return all;
}

static void
run_event (State *state, const BruteProgram *program, int event)
{
  Step *step = &state->steps[state->n];
  int value[BRUTE_VARS];
  gboolean empty[BRUTE_VARS];

  memset (step, 0, sizeof *step);
  memcpy (value, state->value, sizeof value);
  memcpy (empty, state->empty, sizeof empty);
  guint known = state->known;
  step->event = event;
  step->timers = timers_before (state, program, event);
  state->before[state->n] = happens_before (state, program, step);
  state->pending &= ~BIT (event);
  state->ran |= BIT (event);
  state->finisher[event] = state->place[event] = state->n;
  for (int i = 0; i < program->n_ops[event]; i++)
    {
      const BruteOp *op = &program->ops[event][i];
      if (op->op.kind != BRUTE_IF)
        {
          run_simple (state, program, step, &op->op);
          continue;
        }
      mark (step, op->op.a, 1);
      int branch = (state->empty[op->op.a] ? 0 : state->value[op->op.a]) == op->op.b ? 0 : 1;
      for (int j = 0; j < op->n_sub[branch]; j++)
        run_simple (state, program, step, &op->sub[branch][j]);
    }
  for (int v = 0; v < program->n_vars; v++)
    {
      gboolean plain = (step->plain & BIT (v)) != 0;
      if ((program->filters & 1) != 0 && step->mode[v] == 2 && plain && (known & BIT (v)) != 0 && !empty[v]
          && value[v] == state->value[v])
        step->mode[v] = 1;
      if (plain)
        state->known |= BIT (v);
    }
  state->n++;
}

static void
run_order (State *state, const BruteProgram *program, const BruteOrder *order)
{
  state_init (state, program);
  for (int i = 0; i < order->n; i++)
    {
      g_assert_true (enabled (state, program, order->at[i]));
      run_event (state, program, order->at[i]);
    }
}

/* The first access to each variable in run 0: if it is a plain read, the log shows the value at the start. */
void
brute_find_known (BruteProgram *program)
{
  BruteOrder run = { 0 };
  guint met = 0;
  program->known = 0;
  brute_execute (program, &run, NULL, &run);
  State state;
  state_init (&state, program);
  for (int i = 0; i < run.n; i++)
    {
      for (int j = 0; j < program->n_ops[run.at[i]]; j++)
        {
          const BruteOp *op = &program->ops[run.at[i]][j];
          State now = state; /* to know which way a branch goes, with the statements before it */
          BruteProgram part = *program;
          part.n_ops[run.at[i]] = j;
          run_event (&now, &part, run.at[i]);
          int branch = op->op.kind == BRUTE_IF && (now.empty[op->op.a] ? 0 : now.value[op->op.a]) != op->op.b;
          if (op->op.kind <= BRUTE_INIT || op->op.kind == BRUTE_IF)
            {
              if ((met & BIT (op->op.a)) == 0 && (op->op.kind == BRUTE_READ || op->op.kind == BRUTE_IF))
                program->known |= BIT (op->op.a);
              met |= BIT (op->op.a);
            }
          for (int k = 0; op->op.kind == BRUTE_IF && k < op->n_sub[branch]; k++)
            if (op->sub[branch][k].kind <= BRUTE_INIT)
              {
                if ((met & BIT (op->sub[branch][k].a)) == 0 && op->sub[branch][k].kind == BRUTE_READ)
                  program->known |= BIT (op->sub[branch][k].a);
                met |= BIT (op->sub[branch][k].a);
              }
        }
      run_event (&state, program, run.at[i]);
    }
}

void
brute_execute (const BruteProgram *program, const BruteOrder *schedule, const int *rank, BruteOrder *ran)
{
  State state;
  state_init (&state, program);
  ran->n = 0;
  for (int i = 0; i < schedule->n; i++)
    if (enabled (&state, program, schedule->at[i]))
      {
        ran->at[ran->n++] = schedule->at[i];
        run_event (&state, program, schedule->at[i]);
      }
  for (;;)
    {
      int least = -1;
      for (int x = 0; x < program->n; x++)
        if (enabled (&state, program, x)
            && (least < 0 || (rank != NULL ? rank[x] < rank[least] : state.age[x] < state.age[least])))
          least = x;
      if (least < 0)
        return;
      ran->at[ran->n++] = least;
      run_event (&state, program, least);
    }
}

/* --- dependence, pair by pair --- */

static guint
finished_by (const Step *step)
{
  return BIT (step->event) | step->removed;
}

static gboolean
grouped (const BruteProgram *program, guint events, int group)
{
  for (int x = 0; x < program->n; x++)
    if ((events & BIT (x)) != 0 && program->group[x] == group)
      return TRUE;
  return FALSE;
}

/* What @a does concerns whether and when @b's event can run, or the other way round, or both change one queue. */
static gboolean
loop_dependent (const BruteProgram *program, const Step *a, const Step *b)
{
  guint both = a->cancelled & b->cancelled;
  guint waits = program->after[b->event] | b->timers;
  if (((a->posted & (b->posted | b->cancelled | BIT (b->event))) | (a->cancelled & (b->posted | BIT (b->event)))) != 0)
    return TRUE;
  if ((waits & (BIT (a->event) | a->posted | a->cancelled)) != 0)
    return TRUE;
  for (int x = 0; x < program->n; x++)
    {
      if ((both & BIT (x)) != 0 && (program->group[x] != 0 || program->blocks[x] != 0))
        return TRUE;
      if (((a->counted | finished_by (a)) & BIT (x)) != 0 && (program->blocks[x] & BIT (b->event)) != 0)
        return TRUE;
    }
  for (int g = 1; g < 3; g++)
    if ((grouped (program, a->counted, g) && grouped (program, b->counted, g))
        || (grouped (program, finished_by (a), g) && grouped (program, finished_by (b), g)))
      return TRUE;
  return FALSE;
}

static gboolean
dependent (const BruteProgram *program, const Step *a, const Step *b)
{
  for (int v = 0; v < program->n_vars; v++)
    if (a->mode[v] != 0 && b->mode[v] != 0 && (a->mode[v] != b->mode[v] || a->mode[v] == 2))
      return TRUE;
  return loop_dependent (program, a, b) || loop_dependent (program, b, a);
}

/* TRUE if @order can be run as it is. */
static gboolean
is_executable (const BruteProgram *program, const BruteOrder *order)
{
  State state;
  state_init (&state, program);
  for (int i = 0; i < order->n; i++)
    {
      if (!enabled (&state, program, order->at[i]))
        return FALSE;
      run_event (&state, program, order->at[i]);
    }
  return TRUE;
}

char *
brute_class (const BruteProgram *program, const BruteOrder *order)
{
  State state;
  if (!is_executable (program, order))
    return g_strdup ("not executable");
  GString *key = g_string_new (NULL);
  run_order (&state, program, order);
  for (int x = 0; x < program->n; x++)
    if ((state.ran & BIT (x)) != 0)
      g_string_append_printf (key, "%d ", x);
  for (int x = 0; x < program->n; x++)
    for (int y = 0; y < program->n; y++)
      if ((state.ran & BIT (x)) != 0 && (state.ran & BIT (y)) != 0 && state.place[x] < state.place[y]
          && dependent (program, &state.steps[state.place[x]], &state.steps[state.place[y]]))
        g_string_append_printf (key, "%d<%d ", x, y);
  return g_string_free (key, FALSE);
}

int
brute_reversed_pairs (const BruteProgram *program, const BruteOrder *a, const BruteOrder *b)
{
  State x, y;
  int count = 0;
  run_order (&x, program, a);
  run_order (&y, program, b);
  for (int i = 0; i < x.n; i++)
    for (int j = i + 1; j < x.n; j++)
      count += dependent (program, &x.steps[i], &x.steps[j]) && y.place[x.steps[i].event] > y.place[x.steps[j].event];
  return count;
}

char *
brute_state (const BruteProgram *program, const BruteOrder *order)
{
  State state;
  if (!is_executable (program, order))
    return g_strdup ("not executable");
  GString *text = g_string_new (NULL);
  run_order (&state, program, order);
  for (int v = 0; v < program->n_vars; v++)
    if (state.empty[v])
      g_string_append_printf (text, "%sv%d=undefined", v > 0 ? " " : "", v);
    else
      g_string_append_printf (text, "%sv%d=%d", v > 0 ? " " : "", v, state.value[v]);
  return g_string_free (text, FALSE);
}

/* --- all runs --- */

typedef struct
{
  const BruteProgram *program;
  guint left;
  BruteFunc func;
  gpointer data;
} Walk;

static gboolean
walk (Walk *self, const State *state, BruteOrder *order)
{
  gboolean maximal = TRUE;
  for (int x = 0; x < self->program->n; x++)
    {
      State next;
      if (!enabled (state, self->program, x))
        continue;
      maximal = FALSE;
      next = *state;
      run_event (&next, self->program, x);
      order->at[order->n++] = x;
      if (!walk (self, &next, order))
        return FALSE;
      order->n--;
    }
  if (!maximal)
    return TRUE;
  if (self->left-- == 0)
    return FALSE;
  self->func (order, self->data);
  return TRUE;
}

gboolean
brute_enumerate (const BruteProgram *program, guint limit, BruteFunc func, gpointer data)
{
  Walk self = { program, limit, func, data };
  BruteOrder order = { 0 };
  State state;
  state_init (&state, program);
  return walk (&self, &state, &order);
}

char *
brute_check_independence (const BruteProgram *program, const BruteOrder *order)
{
  State state;
  run_order (&state, program, order);
  for (int i = 0; i + 1 < order->n; i++)
    {
      BruteOrder other = *order;
      if (dependent (program, &state.steps[i], &state.steps[i + 1]))
        continue;
      other.at[i] = order->at[i + 1];
      other.at[i + 1] = order->at[i];
      if (!is_executable (program, &other))
        return g_strdup_printf ("steps %d and %d cannot be swapped", i, i + 1);
      g_autofree char *a = brute_class (program, order), *b = brute_class (program, &other);
      g_autofree char *c = brute_state (program, order), *d = brute_state (program, &other);
      if (strcmp (a, b) != 0 || strcmp (c, d) != 0)
        return g_strdup_printf ("steps %d and %d: %s | %s, %s | %s", i, i + 1, a, b, c, d);
    }
  return NULL;
}

/* --- C_k --- */

typedef struct
{
  const BruteProgram *program;
  const int *rank;
  State state;              /* after the least order */
  guint succ[BRUTE_EVENTS]; /* steps after a step in every order of the class */
  BruteOrder children[4 * BRUTE_EVENTS * BRUTE_EVENTS * BRUTE_EVENTS];
  int n_children;
} Expansion;

static void
close_order (Expansion *self)
{
  memset (self->succ, 0, sizeof self->succ);
  for (int i = self->state.n - 1; i >= 0; i--)
    for (int j = i + 1; j < self->state.n; j++)
      if (dependent (self->program, &self->state.steps[i], &self->state.steps[j]))
        self->succ[i] |= BIT (j) | self->succ[j];
}

/* The rank-least order of the class of @order. */
static void
least_order (Expansion *self, const BruteOrder *order)
{
  BruteOrder least = { 0 };
  guint done = 0;

  run_order (&self->state, self->program, order);
  close_order (self);
  while (least.n < order->n)
    {
      int best = -1;
      for (int j = 0; j < order->n; j++)
        {
          gboolean free = (done & BIT (j)) == 0;
          for (int i = 0; i < order->n; i++)
            free &= (done & BIT (i)) != 0 || (self->succ[i] & BIT (j)) == 0;
          if (free && (best < 0 || self->rank[order->at[j]] < self->rank[order->at[best]]))
            best = j;
        }
      done |= BIT (best);
      least.at[least.n++] = order->at[best];
    }
  run_order (&self->state, self->program, &least);
  close_order (self);
}

/* The steps in @first, in order, then @event, then the other steps except @skip. */
static void
add_child (Expansion *self, guint first, int event, int skip)
{
  BruteOrder *child = &self->children[self->n_children++];
  child->n = 0;
  for (int i = 0; i < self->state.n; i++)
    if ((first & BIT (i)) != 0)
      child->at[child->n++] = self->state.steps[i].event;
  child->at[child->n++] = event;
  for (int i = 0; i < self->state.n; i++)
    if ((first & BIT (i)) == 0 && i != skip)
      child->at[child->n++] = self->state.steps[i].event;
}

/* Runs the steps in @first alone; TRUE if @event is enabled then. */
static gboolean
enabled_after (const Expansion *self, guint first, int event)
{
  State state;
  state_init (&state, self->program);
  for (int i = 0; i < self->state.n; i++)
    if ((first & BIT (i)) != 0)
      {
        g_assert_true (enabled (&state, self->program, self->state.steps[i].event));
        run_event (&state, self->program, self->state.steps[i].event);
      }
  return enabled (&state, self->program, event);
}

static void
reverse_races (Expansion *self)
{
  guint all = BIT (self->state.n) - 1;
  for (int j = 0; j < self->state.n; j++)
    for (int i = 0; i < j; i++)
      {
        guint between = 0;
        for (int k = i + 1; k < j; k++)
          if ((self->succ[i] & BIT (k)) != 0 && (self->succ[k] & BIT (j)) != 0)
            between |= BIT (k);
        guint rest = all & ~(BIT (i) | BIT (j) | self->succ[i] | self->succ[j]);
        if (between != 0 || !dependent (self->program, &self->state.steps[i], &self->state.steps[j])
            || !enabled_after (self, rest, self->state.steps[j].event))
          continue;
        guint keep = BIT (i) - 1;
        for (int k = i + 1; k < j; k++)
          if ((self->succ[k] & BIT (j)) != 0)
            keep |= BIT (k);
        add_child (self, keep, self->state.steps[j].event, j);
        add_child (self, rest, self->state.steps[j].event, j);
      }
}

/* Step @i kept @event from running: by cancelling it, or by posting what blocks it. */
static void
revive (Expansion *self, int i, int event)
{
  const BruteProgram *program = self->program;
  guint all = BIT (self->state.n) - 1, moved = BIT (i) | self->succ[i];
  int place = self->state.place[event];

  for (int k = i + 1; k < self->state.n; k++)
    if ((self->state.steps[k].cancelled & BIT (event)) != 0)
      moved |= BIT (k) | self->succ[k];
  for (gboolean again = TRUE; again;)
    {
      again = FALSE;
      for (int x = 0; x < program->n; x++)
        {
          int poster = self->state.poster[x], finisher = self->state.finisher[x];
          if ((program->blocks[x] & BIT (event)) == 0 || poster == NOBODY
              || (poster >= 0 && (moved & BIT (poster)) != 0) || (finisher != NOBODY && (moved & BIT (finisher)) == 0))
            continue;
          if (poster == START)
            return;
          moved |= BIT (poster) | self->succ[poster];
          again = TRUE;
        }
    }
  if (!enabled_after (self, all & ~moved, event))
    return;
  if (enabled_after (self, BIT (i) - 1, event))
    add_child (self, BIT (i) - 1, event, place);
  add_child (self, all & ~moved, event, place);
}

static void
reverse_disabled (Expansion *self)
{
  const BruteProgram *program = self->program;
  for (int i = 0; i < self->state.n; i++)
    for (int y = 0; y < program->n; y++)
      {
        gboolean blocked = FALSE;
        for (int x = 0; x < program->n; x++)
          blocked |= (self->state.steps[i].counted & BIT (x)) != 0 && (program->blocks[x] & BIT (y)) != 0;
        if (self->state.finisher[y] != NOBODY && self->state.finisher[y] < i)
          blocked = FALSE;
        if (blocked || (self->state.steps[i].removed & BIT (y)) != 0)
          revive (self, i, y);
      }
}

static void
expand (Expansion *self, const BruteOrder *order)
{
  self->n_children = 0;
  least_order (self, order);
  reverse_races (self);
  reverse_disabled (self);
}

GHashTable *
brute_depths (const BruteProgram *program, int bound)
{
  GHashTable *depths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) level = g_array_new (FALSE, FALSE, sizeof (BruteOrder));
  g_autofree Expansion *expansion = g_new (Expansion, 1);
  BruteOrder run = { 0 };
  int rank[BRUTE_EVENTS];

  brute_execute (program, &run, NULL, &run);
  for (int i = 0; i < BRUTE_EVENTS; i++)
    rank[i] = 1000 + i;
  for (int i = 0; i < run.n; i++)
    rank[run.at[i]] = i;
  expansion->program = program;
  expansion->rank = rank;
  g_hash_table_insert (depths, brute_class (program, &run), GINT_TO_POINTER (0));
  g_array_append_val (level, run);
  for (int depth = 1; depth <= bound && level->len > 0; depth++)
    {
      g_autoptr (GArray) next = g_array_new (FALSE, FALSE, sizeof (BruteOrder));
      for (guint i = 0; i < level->len; i++)
        {
          expand (expansion, &g_array_index (level, BruteOrder, i));
          for (int c = 0; c < expansion->n_children; c++)
            {
              brute_execute (program, &expansion->children[c], rank, &run);
              g_autofree char *key = brute_class (program, &run);
              if (g_hash_table_contains (depths, key))
                continue;
              g_hash_table_insert (depths, g_steal_pointer (&key), GINT_TO_POINTER (depth));
              g_array_append_val (next, run);
            }
        }
      g_array_set_size (level, 0);
      if (next->len > 0)
        g_array_append_vals (level, next->data, next->len);
    }
  return depths;
}
