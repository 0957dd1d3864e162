/* SPDX-License-Identifier: MIT */
/* Real libraries and the parser tests of test262, fetched from npm: accepted before is accepted after, and they still work. */
#include "rw-rewrite-engine.h"

#include <string.h>

static gboolean
skip_without_packages (void)
{
  if (rw_engine_packages () != NULL)
    return FALSE;
  g_test_skip ("the packages of rewrite-packages/package.json can't be fetched");
  return TRUE;
}

typedef struct
{
  guint rewritten;
  guint refused;
  guint rejected; /* by the engine, as they are */
} Counts;

static void
check_file (JSCContext *context, const char *path, gboolean module, Counts *counts)
{
  g_autofree char *code = NULL;
  gsize length;
  gboolean refused;
  g_assert_true (g_file_get_contents (path, &code, &length, NULL));
  if (!rw_engine_accepts (context, code, length, module))
    {
      counts->rejected++;
      return;
    }
  if (!rw_engine_check (context, code, length, module, &refused))
    {
      g_test_message ("%s: the engine does not accept it rewritten", path);
      g_test_fail ();
    }
  counts->rewritten += !refused;
  counts->refused += refused;
  if (refused)
    g_test_message ("%s: refused", path);
}

/* The grammar does not know a few of these; the number may only fall. */
static void
test_parser_tests (void)
{
  static const char *const folders[] = { "pass", "pass-explicit", "early", "fail" };
  g_autoptr (JSCContext) context = jsc_context_new ();
  Counts counts = { 0 };
  if (skip_without_packages ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *folder = g_build_filename ("test262-parser-tests", folders[i], NULL);
      g_autoptr (GPtrArray) files = rw_engine_files (folder, ".js");
      g_assert_cmpuint (files->len, >, 500);
      for (guint j = 0; j < files->len; j++)
        check_file (context, files->pdata[j], g_str_has_suffix (files->pdata[j], ".module.js"), &counts);
    }
  g_test_message ("%u rewritten, %u refused, %u rejected by the engine", counts.rewritten, counts.refused, counts.rejected);
  g_assert_cmpuint (counts.refused, <=, 79);
}

static void
test_syntax (void)
{
  static const struct
  {
    const char *path;
    const char *suffix;
    gboolean module;
  } libraries[] = {
    { "react/umd", ".js", FALSE },      { "react-dom/umd", ".js", FALSE },    { "vue/dist", ".global.js", FALSE },
    { "vue/dist", ".global.prod.js", FALSE }, { "vue/dist", "esm-browser.prod.js", TRUE }, { "preact/dist", ".mjs", TRUE },
    { "lit", ".js", TRUE },             { "lit-html", ".js", TRUE },          { "svelte/src/internal/client", ".js", TRUE },
    { "jquery/dist/jquery.js", "", FALSE }, { "jquery/dist/jquery.min.js", "", FALSE }, { "lodash/lodash.js", "", FALSE },
    { "lodash/lodash.min.js", "", FALSE }, { "d3/dist/d3.min.js", "", FALSE },
    { "three/build/three.module.js", "", TRUE }, { "moment/moment.js", "", FALSE }, { "rxjs/dist/bundles", ".umd.min.js", FALSE },
    { "backbone/backbone.js", "", FALSE }, { "angular/angular.js", "", FALSE }, { "angular/angular.min.js", "", FALSE },
    { "@angular/core/fesm2022/core.mjs", "", TRUE },
  };
  g_autoptr (JSCContext) context = jsc_context_new ();
  Counts counts = { 0 };
  if (skip_without_packages ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (libraries); i++)
    {
      g_autoptr (GPtrArray) files = rw_engine_files (libraries[i].path, libraries[i].suffix);
      if (files->len == 0)
        g_error ("no %s in %s", libraries[i].suffix, libraries[i].path);
      for (guint j = 0; j < files->len; j++)
        if (strstr (files->pdata[j], "/node/") == NULL)
          check_file (context, files->pdata[j], libraries[i].module, &counts);
    }
  g_test_message ("%u rewritten, %u refused, %u rejected by the engine", counts.rewritten, counts.refused, counts.rejected);
  g_assert_cmpuint (counts.refused, ==, 0);
  g_assert_cmpuint (counts.rejected, ==, 0);
}

typedef struct
{
  const char *name;
  const char *files[3];
  const char *before; /* globals that the library looks for */
  const char *use;
} Library;

static const Library libraries[] = {
  { "lodash", { "lodash/lodash.js" }, "", 
    "JSON.stringify([_.chunk([1,2,3,4,5],2), _.groupBy([1.2,1.8,2.1],Math.floor), _.merge({a:[{b:1}]},{a:[{c:2}]}),"
    "_.sortBy([{n:3},{n:1}],'n'), _.debounce.length, _.cloneDeep({d:new Date(0),m:[1,{x:/a/}]}), _.get({a:{b:[1]}},'a.b[0]'),"
    "_.template('<%= a %>-<% _.each(b, function (x) { %><%- x %>,<% }) %>')({a:1,b:['<',2]}), _.camelCase('foo bar-baz'),"
    "_(['b','a']).map(_.toUpper).sort().value(), _.isEqual({a:[1]},{a:[1]}), _.words('one two'), _.range(3), _.zip([1],[2]),"
    "_.curry((a,b,c)=>a+b+c)(1)(2)(3), _.memoize(x=>x*2)(4), _.flow(x=>x+1,x=>x*2)(3), _.VERSION])" },
  { "moment", { "moment/moment.js" }, "",
    "var t = moment.utc(0); [t.format(), t.clone().add(40,'days').format('LLLL'), t.diff(moment.utc(86400000*3),'days'),"
    "moment.duration(12345678).humanize(), moment.utc('2024-02-29','YYYY-MM-DD').isLeapYear(),"
    "moment.utc([2020,1,29]).endOf('month').toISOString(), moment.locale(), moment.utc(0).fromNow.length].join()" },
  { "rxjs", { "rxjs/dist/bundles/rxjs.umd.js" }, "",
    "var {of,from,Subject,merge,BehaviorSubject} = rxjs; var {map,filter,scan,mergeMap,take,toArray} = rxjs.operators;"
    "of(1,2,3,4).pipe(filter(x=>x%2===0),map(x=>x*10)).subscribe(log); var s = new Subject(); s.pipe(scan((a,b)=>a+b,0)).subscribe(log);"
    "s.next(1); s.next(2); from([1,2,3]).pipe(mergeMap(x=>of(x,x*2)),toArray()).subscribe(v=>log(v.join()));"
    "from(Promise.resolve('p')).subscribe(log); new BehaviorSubject(5).subscribe(log); merge(of('a'),of('b')).pipe(take(1)).subscribe(log)" },
  { "d3", { "d3/dist/d3.js" }, "var setTimeout = () => 0, clearTimeout = setTimeout, setInterval = setTimeout, clearInterval = setTimeout;",
    "JSON.stringify([d3.scaleLinear().domain([0,10]).range([0,100])(3), d3.extent([3,1,2]), d3.bin()([1,2,2,3]).length,"
    "d3.line()([[0,0],[1,2]]), d3.hierarchy({children:[{},{}]}).count().value, d3.interpolateRgb('red','blue')(.5),"
    "d3.format('.2s')(42e6), d3.timeFormat('%Y')(new Date(0)).length, d3.csvParse('a,b\\n1,2')[0].b, d3.geoMercator()([0,0]).length,"
    "d3.pie()([1,2,3]).length, d3.treemap().size([10,10])(d3.hierarchy({children:[{v:1},{v:3}]}).sum(d=>d.v)).leaves().map(l=>l.x1),"
    "d3.forceSimulation([{},{}]).stop().tick(3).nodes().length, d3.rollup([['a',1],['a',2]],v=>v.length,d=>d[0]).get('a')])" },
  { "backbone", { "underscore/underscore-umd.js", "backbone/backbone.js" }, "var window, self = globalThis;",
    "var M = Backbone.Model.extend({defaults:{a:1}, validate(x){ if (x.a<0) return 'neg'; }}); var m = new M();"
    "m.on('change:a', (x,v)=>log('a='+v)); m.set('a',5); m.set({a:-1},{validate:true}); var C = Backbone.Collection.extend({model:M,"
    "comparator:'a'}); var c = new C([{a:3},{a:2}]); c.on('add remove',x=>log(c.length)); c.add({a:1}); c.pop(); c.pluck('a').join()" },
  { "react", { "react/umd/react.development.js", "react-dom/umd/react-dom-server-legacy.browser.development.js" },
    "var self = globalThis, window; var console = { error: log, warn: log, log }; var TextEncoder = class { encode(s) { return s; } };",
    "var C = ({n}) => { const [s] = React.useState(() => n + 1); return React.createElement('ul', {className:'x', style:{color:'red'}},"
    "[1,2].map(i => React.createElement('li', {key:i}, i + s))); }; ReactDOMServer.renderToStaticMarkup(React.createElement(C, {n:1}))" },
  { "vue", { "vue/dist/vue.global.prod.js" }, "var window = globalThis, document = { createElement: () => ({}), createElementNS: () => ({}) }; var Element = class {}, SVGElement = class {};",
    "var s = Vue.reactive({n:1,list:[1]}); var d = Vue.computed(()=>s.n*2+s.list.length); Vue.watchEffect(()=>log(d.value),{flush:'sync'});"
    "s.n++; s.list.push(2); var r = Vue.ref(0); Vue.watch(r,(a,b)=>log(a,b),{flush:'sync'}); r.value = 3; JSON.stringify(Vue.toRaw(s))" },
  { "svelte", { "svelte/compiler/index.js" }, "var exports = {}, module = { exports }; var performance = { now: () => 0 };",
    "var r = exports.compile('<script>let n = $state(0); let d = $derived(n * 2);</script><button onclick={() => n++}>{d}</button>{#each [1] as x}<p>{x}</p>{/each}',"
    "{filename: 'A.svelte'}); r.js.code" },
};

static char *
load (const char *file)
{
  g_autofree char *path = g_build_filename (rw_engine_packages (), file, NULL);
  char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static void
test_library (gconstpointer data)
{
  const Library *self = data;
  g_autoptr (JSCVirtualMachine) machine = jsc_virtual_machine_new ();
  if (skip_without_packages ())
    return;
  g_autofree char *first = load (self->files[0]);
  g_autofree char *second = self->files[1] != NULL ? load (self->files[1]) : g_strdup ("0");
  const char *scripts[] = { self->before, first, second, self->use, NULL };
  g_autofree char *plain = rw_engine_run (machine, scripts, FALSE);
  g_autofree char *rewritten = rw_engine_run (machine, scripts, TRUE);
  g_test_message ("%s", plain);
  g_assert_cmpstr (plain, ==, rewritten);
  g_assert_false (g_str_has_prefix (plain, "TypeError") || g_str_has_prefix (plain, "ReferenceError")
                  || g_str_has_prefix (plain, "SyntaxError"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/rewrite-libraries/parser-tests", test_parser_tests);
  g_test_add_func ("/recorder/rewrite-libraries/syntax", test_syntax);
  for (guint i = 0; i < G_N_ELEMENTS (libraries); i++)
    {
      g_autofree char *path = g_strconcat ("/recorder/rewrite-libraries/works-as-before/", libraries[i].name, NULL);
      g_test_add_data_func (path, &libraries[i], test_library);
    }
  return g_test_run ();
}
