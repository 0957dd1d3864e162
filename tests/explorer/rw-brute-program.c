/* SPDX-License-Identifier: MIT */
/* Random programs for brute force, and their text. */
#include "rw-brute.h"

#include <string.h>

#define BIT(x) (1u << (x))

static void
random_simple (BruteSimple *op, GRand *rand, const BruteProgram *program, guint features, guint *posted, int self)
{
  int kind = g_rand_int_range (rand, 0, 10);
  op->a = g_rand_int_range (rand, 0, program->n_vars);
  op->b = g_rand_int_range (rand, 0, 3);
  op->kind = kind < 4 ? BRUTE_WRITE : BRUTE_READ;
  if ((features & BRUTE_VALUES) != 0 && kind >= 6 && kind < 8)
    op->kind = g_rand_boolean (rand) ? BRUTE_ADD : BRUTE_INIT;
  int other = g_rand_int_range (rand, 0, program->n);
  if ((features & BRUTE_CANCELS) != 0 && kind == 8)
    {
      op->kind = BRUTE_CANCEL;
      op->a = other;
    }
  gboolean initial = FALSE;
  for (int i = 0; i < program->n_init; i++)
    initial |= program->init[i] == other;
  if ((features & BRUTE_POSTS) != 0 && kind >= 8 && op->kind != BRUTE_CANCEL && !initial && other != self
      && ((features & BRUTE_POSTERS) != 0 || (*posted & BIT (other)) == 0))
    {
      op->kind = BRUTE_POST;
      op->a = other;
      *posted |= BIT (other);
    }
}

static void
random_body (BruteProgram *program, GRand *rand, guint features, int event, guint *posted)
{
  program->n_ops[event] = g_rand_int_range (rand, 0, 4);
  for (int i = 0; i < program->n_ops[event]; i++)
    {
      BruteOp *op = &program->ops[event][i];
      if ((features & BRUTE_BRANCHES) == 0 || g_rand_int_range (rand, 0, 3) != 0)
        {
          random_simple (&op->op, rand, program, features, posted, event);
          continue;
        }
      op->op.kind = BRUTE_IF;
      op->op.a = g_rand_int_range (rand, 0, program->n_vars);
      op->op.b = g_rand_int_range (rand, 0, 3);
      for (int s = 0; s < 2; s++)
        {
          op->n_sub[s] = g_rand_int_range (rand, 0, BRUTE_SUB + 1);
          for (int j = 0; j < op->n_sub[s]; j++)
            random_simple (&op->sub[s][j], rand, program, features, posted, event);
        }
    }
}

static void
random_rules (BruteProgram *program, GRand *rand, guint features, int event)
{
  program->delay[event] = -1;
  if ((features & BRUTE_FIFO) != 0 && g_rand_boolean (rand))
    program->group[event] = g_rand_int_range (rand, 1, 3);
  if ((features & BRUTE_TIMERS) != 0 && g_rand_int_range (rand, 0, 3) != 0)
    program->delay[event] = g_rand_int_range (rand, 0, 3);
  for (int other = 0; other < program->n; other++)
    {
      /* Lower ones only, so that nothing waits for itself. */
      if ((features & BRUTE_AFTER) != 0 && other < event && g_rand_int_range (rand, 0, 5) == 0)
        program->after[event] |= BIT (other);
      if ((features & BRUTE_BLOCKS) != 0 && other > event && g_rand_int_range (rand, 0, 4) == 0)
        program->blocks[event] |= BIT (other);
    }
}

/* Events that nobody posts make dull programs: somebody does, where there is room. */
static void
post_the_rest (BruteProgram *program, GRand *rand, guint posted)
{
  for (int i = program->n_init; i < program->n; i++)
    {
      int poster = program->init[g_rand_int_range (rand, 0, i)], event = program->init[i];
      int *n = &program->n_ops[poster];
      if ((posted & BIT (event)) != 0 || *n == BRUTE_OPS)
        continue;
      program->ops[poster][*n].op = (BruteSimple){ BRUTE_POST, event, 0 };
      ++*n;
    }
}

static void
shuffle (int *list, int n, GRand *rand)
{
  for (int i = n - 1; i > 0; i--)
    {
      int j = g_rand_int_range (rand, 0, i + 1), kept = list[i];
      list[i] = list[j];
      list[j] = kept;
    }
}

void
brute_generate (BruteProgram *program, GRand *rand, guint features)
{
  int order[BRUTE_EVENTS];
  guint posted = 0;

  memset (program, 0, sizeof *program);
  program->n = g_rand_int_range (rand, 3, (features & BRUTE_LARGE) != 0 ? 9 : 6);
  program->n_vars = g_rand_int_range (rand, 1, 4);
  for (int i = 0; i < program->n; i++)
    order[i] = i;
  shuffle (order, program->n, rand);
  program->n_init = (features & BRUTE_POSTS) != 0 ? g_rand_int_range (rand, 2, program->n) : program->n;
  memcpy (program->init, order, sizeof order);
  for (int i = 0; i < program->n_vars && (features & BRUTE_VALUES) != 0; i++)
    program->empty[i] = g_rand_boolean (rand);
  for (int i = 0; i < program->n; i++)
    {
      random_rules (program, rand, features, i);
      random_body (program, rand, features, i, &posted);
    }
  post_the_rest (program, rand, posted);
}

/* --- as text --- */

static void
append_simple (GString *text, const BruteSimple *op)
{
  static const char *const words[] = { "read", "write", "add", "init", "post", "cancel" };
  if (op->kind == BRUTE_POST || op->kind == BRUTE_CANCEL)
    g_string_append_printf (text, "%s e%d; ", words[op->kind], op->a);
  else if (op->kind == BRUTE_READ)
    g_string_append_printf (text, "read v%d; ", op->a);
  else
    g_string_append_printf (text, "%s v%d %d; ", words[op->kind], op->a, op->b);
}

static void
append_list (GString *text, const char *word, guint events)
{
  const char *before = word;
  for (int i = 0; i < BRUTE_EVENTS; i++)
    if ((events & BIT (i)) != 0)
      {
        g_string_append_printf (text, "%s e%d", before, i);
        before = ",";
      }
}

static void
append_event (GString *text, const BruteProgram *program, int event)
{
  g_string_append_printf (text, "event e%d", event);
  if (program->group[event] != 0)
    g_string_append_printf (text, " in g%d", program->group[event]);
  if (program->delay[event] >= 0)
    g_string_append_printf (text, " delay %d", program->delay[event]);
  append_list (text, " after", program->after[event]);
  append_list (text, " blocks", program->blocks[event]);
  g_string_append (text, " { ");
  for (int i = 0; i < program->n_ops[event]; i++)
    {
      const BruteOp *op = &program->ops[event][i];
      if (op->op.kind != BRUTE_IF)
        {
          append_simple (text, &op->op);
          continue;
        }
      g_string_append_printf (text, "if v%d == %d { ", op->op.a, op->op.b);
      for (int j = 0; j < op->n_sub[0]; j++)
        append_simple (text, &op->sub[0][j]);
      g_string_append (text, "} else { ");
      for (int j = 0; j < op->n_sub[1]; j++)
        append_simple (text, &op->sub[1][j]);
      g_string_append (text, "}; ");
    }
  g_string_append (text, "}\n");
}

char *
brute_to_text (const BruteProgram *program)
{
  GString *text = g_string_new (NULL);
  for (int i = 0; i < program->n_vars; i++)
    g_string_append_printf (text, program->empty[i] ? "var v%d\n" : "var v%d = 0\n", i);
  for (int i = 0; i < program->n; i++)
    append_event (text, program, i);
  for (int i = 0; i < program->n_init; i++)
    g_string_append_printf (text, "%s e%d", i == 0 ? "start" : ",", program->init[i]);
  return g_string_free (g_string_append (text, "\n"), FALSE);
}
