/* SPDX-License-Identifier: MIT */
/* What rewriting costs: MB/s of the rewriter, run time rewritten / plain, bytes of the log an access. See rewrite.md. */
#include "rw-rewrite.h"
#include "rw-runtime.h"

#include <jsc/jsc.h>
#include <stdio.h>
#include <string.h>

/* Objects, methods, arrays, a dictionary: nothing that waits for anything. */
static const char work[]
    = "class Vec { constructor(x, y) { this.x = x; this.y = y; } add(o) { return new Vec(this.x + o.x, this.y + o.y); }"
      " length() { return Math.sqrt(this.x * this.x + this.y * this.y); } }\n"
      "function make(n) { const list = []; for (let i = 0; i < n; i++) list.push({ at: new Vec(i, i * 2), by: new Vec(1, 0.5),"
      " tags: ['a', i], alive: true }); return list; }\n"
      "function step(list) { let sum = 0; for (let i = 0; i < list.length; i++) { const p = list[i]; if (!p.alive) continue;"
      " p.at = p.at.add(p.by); sum += p.at.length(); p.tags[1]++; } return sum; }\n"
      "function count(list) { const by = {}; for (const p of list) { const k = 'k' + (p.tags[1] % 7); by[k] = (by[k] || 0) + 1; }"
      " return Object.keys(by).length; }\n"
      "var world = make(200), total = 0;\n"
      "function run() { for (let i = 0; i < 100; i++) { total += step(world); total += count(world); } return total; }\n";

static char *
rewrite (const char *source, gsize length, gboolean module, gsize *out_length)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  return rw_rewrite (source, length, module ? RW_SCRIPT_MODULE : RW_SCRIPT_CLASSIC, FALSE, 1, places, out_length, NULL);
}

static void
bench_file (const char *path)
{
  g_autofree char *source = NULL;
  gsize length;
  gsize out_length = 0;
  double best = G_MAXDOUBLE;
  if (!g_file_get_contents (path, &source, &length, NULL))
    return;
  for (guint i = 0; i < 7; i++)
    {
      gint64 start = g_get_monotonic_time ();
      g_autofree char *text = rewrite (source, length, g_str_has_suffix (path, ".mjs") || strstr (path, ".module.") != NULL,
                                       &out_length);
      best = MIN (best, (g_get_monotonic_time () - start) / 1e6);
    }
  g_autofree char *name = g_path_get_basename (path);
  printf ("%-32s %8.1f KB %6.2f MB/s, %.2f times as long\n", name, length / 1e3, length / 1e6 / best, (double) out_length / length);
}

static double
evaluate (JSCContext *context, const char *code)
{
  g_autoptr (JSCValue) value = jsc_context_evaluate (context, code, -1);
  JSCException *exception = jsc_context_get_exception (context);
  if (exception != NULL)
    g_error ("%s", jsc_exception_report (exception));
  return jsc_value_to_double (value);
}

static double
time_runs (JSCContext *context)
{
  double best = G_MAXDOUBLE;
  for (guint i = 0; i < 7; i++)
    best = MIN (best, evaluate (context, "{ const t = Date.now(); run(); run(); run(); Date.now() - t }"));
  return best;
}

static void
bench_runs (void)
{
  g_autoptr (JSCContext) plain = jsc_context_new ();
  g_autoptr (JSCContext) logged = jsc_context_new ();
  g_autofree char *code = rewrite (work, strlen (work), FALSE, NULL);
  g_autofree char *runtime = g_strconcat ("const $rw$ = (() => { \"use strict\";\n", rw_runtime_natives, rw_runtime_access,
                                          "\nglobalThis.$log = { logBegin, logEnd, logDrain }; return accessHooks; })(); 0", NULL);
  evaluate (plain, work);
  evaluate (logged, runtime);
  evaluate (logged, "$log.logBegin('1')");
  evaluate (logged, code);
  double before = time_runs (plain);
  double same = time_runs (logged);
  evaluate (logged, "$log.logBegin('2')");
  double other = time_runs (logged);
  printf ("run time rewritten / plain: %.1f on objects of the same event, %.1f on those of another\n", same / before,
          other / before);
  evaluate (logged, "var $ops = 0, $text = 0; $log.logDrain((ops, used, strings) => { $ops = used / 4; $text = strings.length; }); 0");
  double ops = evaluate (logged, "$ops");
  double text = evaluate (logged, "$text");
  printf ("log: %.0f accesses kept, 16 bytes each and %.1f of names and values, before packing\n", ops, text / ops);
}

int
main (int argc, char **argv)
{
  if (argc < 2)
    fprintf (stderr, "usage: bench-rewrite SCRIPT... (the libraries of tests/recorder/rewrite-packages, for example)\n");
  for (int i = 1; i < argc; i++)
    bench_file (argv[i]);
  bench_runs ();
  return 0;
}
