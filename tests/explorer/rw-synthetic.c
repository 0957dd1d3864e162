/* SPDX-License-Identifier: MIT */
/* EventRacer logs made to measure: any number of events, accesses, timers and shared locations, the same for the same
 * seed. */
#include "rw-synthetic.h"

typedef struct
{
  guint64 due; /* microseconds */
  guint order;
  guint tail;
  gint32 duration;
} Pending;

typedef struct
{
  const RwSynthetic *options;
  RwErLog *log;
  GRand *rand;
  GArray *heap; /* of Pending, the next one first */
  guint n_posted;
  guint n_private;
} Page;

static gboolean
is_before (const Pending *a, const Pending *b)
{
  return a->due != b->due ? a->due < b->due : a->order < b->order;
}

#define AT(page, i) g_array_index ((page)->heap, Pending, i)

static void
push (Page *page, Pending pending)
{
  guint i = page->heap->len;

  g_array_append_val (page->heap, pending);
  for (; i > 0 && is_before (&pending, &AT (page, (i - 1) / 2)); i = (i - 1) / 2)
    AT (page, i) = AT (page, (i - 1) / 2);
  AT (page, i) = pending;
}

static Pending
pop (Page *page)
{
  Pending first = AT (page, 0);
  Pending last = AT (page, page->heap->len - 1);
  guint i = 0, n;

  g_array_set_size (page->heap, page->heap->len - 1);
  n = page->heap->len;
  while (2 * i + 1 < n)
    {
      guint child = 2 * i + 1;
      if (child + 1 < n && is_before (&AT (page, child + 1), &AT (page, child)))
        child++;
      if (!is_before (&AT (page, child), &last))
        break;
      AT (page, i) = AT (page, child);
      i = child;
    }
  if (n > 0)
    AT (page, i) = last;
  return first;
}

static void
post (Page *page, guint tail, guint64 now)
{
  const RwSynthetic *options = page->options;
  Pending pending = { now, page->n_posted++, tail, -1 };

  if (g_rand_double (page->rand) < options->timers)
    {
      pending.duration = g_rand_int_range (page->rand, 0, options->delays) * 2000 / (gint32)options->delays;
      pending.due += (guint64)pending.duration * 1000;
    }
  else
    pending.due += g_rand_int_range (page->rand, 1, 200000);
  push (page, pending);
}

static void
add_access (Page *page)
{
  const RwSynthetic *options = page->options;
  gboolean shared = g_rand_double (page->rand) < options->shared;
  gboolean write = g_rand_double (page->rand) < (shared ? options->shared_writes : 0.3);
  char name[48], value[16];

  if (shared)
    g_snprintf (name, sizeof name, "Window[1].shared%d", g_rand_int_range (page->rand, 0, options->shared_locations));
  else
    g_snprintf (name, sizeof name, "Object[%u].own", page->n_private++ * 4 / 5);
  g_snprintf (value, sizeof value, "%d", g_rand_int_range (page->rand, 0, 1000));
  rw_erlog_add_command (page->log, write ? RW_ER_WRITE : RW_ER_READ,
                        rw_erlog_add_string (page->log, RW_ER_VARIABLES, name));
  rw_erlog_add_command (page->log, RW_ER_VALUE, rw_erlog_add_string (page->log, RW_ER_VALUES, value));
}

/* Events end their strand now and then, and others begin two, which keeps the number that waits about the same. */
static void
run_event (Page *page, const Pending *pending, gboolean is_first)
{
  const RwSynthetic *options = page->options;
  guint event = rw_erlog_add_event (page->log, pending->duration >= 0 ? RW_ER_TIMER : RW_ER_NETWORK);
  double dice = g_rand_double (page->rand);
  guint n_children = is_first ? options->pending : dice < 0.04 ? 0 : dice < 0.08 ? 2 : 1;

  if (!is_first)
    rw_erlog_add_arc (page->log, pending->tail, event, pending->duration);
  if (page->heap->len == 0)
    n_children = MAX (n_children, 1);
  rw_erlog_add_command (page->log, RW_ER_ENTER,
                        rw_erlog_add_string (page->log, RW_ER_SCOPES, "JS[http://a/]:GlobalCode"));
  for (guint i = 0; i < options->accesses / options->events; i++)
    add_access (page);
  rw_erlog_add_command (page->log, RW_ER_EXIT, G_MAXUINT32);
  for (guint i = 0; i < n_children; i++)
    post (page, event, pending->due);
}

RwErLog *
rw_synthetic_log (const RwSynthetic *options)
{
  Page page = {
    options, rw_erlog_new (), g_rand_new_with_seed (options->seed), g_array_new (FALSE, FALSE, sizeof (Pending)), 0, 0
  };
  Pending first = { 0, 0, 0, -1 };

  run_event (&page, &first, TRUE);
  for (guint i = 1; i < options->events; i++)
    {
      Pending next = pop (&page);
      run_event (&page, &next, FALSE);
    }
  g_rand_free (page.rand);
  g_array_unref (page.heap);
  return page.log;
}
