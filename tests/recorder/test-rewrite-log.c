/* SPDX-License-Identifier: MIT */
/* What small programs log: events separated by "||", expected accesses as one line. */
#include "rw-rewrite.h"
#include "rw-runtime.h"

#include <jsc/jsc.h>
#include <string.h>

/* "e1: W window.x=1, R window.y! ..."; the place in an object's name is left out, so that only event and ordinal remain. A read
 * that found nothing ends in "!"; "?" is a value that is not known. */
static const char reader[]
    = "var $text = '', $strings = [null];"
      "var $read = () => $drain((buffer, used, strings) => {"
      "  if (strings !== '') $strings.push(...strings.split('\\0'));"
      "  for (let i = 0; i < used; i += 4) {"
      "    const kind = buffer[i] & 255, flags = buffer[i] >> 8, name = $strings[buffer[i + 1]], value = $strings[buffer[i + 2]];"
      "    if (kind === 16) $text += ($text ? ' | ' : '') + name + ':';"
      "    else $text += ' ' + 'RWPC'[kind] + ' ' + name + (flags & 2 ? '!' : flags & 4 ? '+=' + value : value === null || value === undefined ? '?' : '=' + value) + ',';"
      "  }"
      "});"
      "var $short = () => $text.replace(/:[0-9a-f]{8}\\.\\d+#/g, '#').replace(/,( \\||$)/g, '$1');";

typedef struct
{
  const char *name;
  const char *program;
  const char *expected;
} Case;

static const Case cases[] = {
  { "eval-and-function",
    "var o = {} || eval('o.a = 1') || (0, eval)('o.b = 1') || Function('o.c = 1')() || x = eval; x('o.d = 1')",
    "e1: W window.o=Object<e1#0> | e2: R window.o=Object<e1#0>, W Object<e1#0>.a=1 | "
    "e3: R window.eval=eval, R window.o=Object<e1#0>, W Object<e1#0>.b=1 | "
    "e4: R window.Function=Function, R window.o=Object<e1#0>, W Object<e1#0>.c=1 | "
    "e5: R window.eval=eval, W window.x=function eval, R window.o=Object<e1#0>, W Object<e1#0>.d=1" },
  { "globals", "var x = 1; x = 2; x = 3 || x + y || var y; x++",
    "e1: W window.x=1, W window.x=3 | e2: R window.x=3, R window.y! | "
    "e3: W window.y=undefined, W window.x+=1" },
  { "failed-global-is-a-read-also-when-it-throws", "nope.x || typeof nope2 || nope3() || window1 = 1; window1",
    "e1: R window.nope! | e2: R window.nope2! | e3: R window.nope3! | e4: W window.window1=1" },
  { "function-declarations-are-written-at-the-start", "f(); function f() {} || f(); f = null",
    "e1: W window.f=function f<e1#0> | e2: R window.f=function f<e1#0>, W window.f=null" },
  { "first-and-last-write", "a = 1; a = 2; a = 3; b = a",
    "e1: W window.a=1, W window.a=3, W window.b=3" },
  { "read-after-own-write-is-not-logged", "a = 1; a || a; a = 2; a",
    "e1: W window.a=1 | e2: R window.a=1, W window.a=2" },
  { "objects-of-this-event-are-not-logged", "var o = { n: 1 }; o.n = 2; o.m = o.n",
    "e1: W window.o=Object<e1#0>" },
  { "properties-of-shared-objects", "var o = { n: 1 } || o.n; o.n = 5; o.k = 1 || o.n + o.k + o.zz",
    "e1: W window.o=Object<e1#0> | "
    "e2: R window.o=Object<e1#0>, R Object<e1#0>.n=1, W Object<e1#0>.n=5, W Object<e1#0>.k=1 | "
    "e3: R window.o=Object<e1#0>, R Object<e1#0>.n=5, R Object<e1#0>.k=1, R Object<e1#0>.zz!" },
  { "compound", "var o = { n: 1 } || o.n += 2; o.n++ || o.q ||= 3; o.q ||= 4; o.n &&= 1",
    "e1: W window.o=Object<e1#0> | "
    "e2: R window.o=Object<e1#0>, R Object<e1#0>.n=1, W Object<e1#0>.n=3, W Object<e1#0>.n=4 | "
    "e3: R window.o=Object<e1#0>, R Object<e1#0>.q!, W Object<e1#0>.q=3, R Object<e1#0>.n=4, W Object<e1#0>.n=1" },
  { "delete-and-in", "var o = { a: 1 } || delete o.a; 'b' in o || 'a' in o",
    "e1: W window.o=Object<e1#0> | "
    "e2: R window.o=Object<e1#0>, W Object<e1#0>.a=undefined, W Object<e1#0>.{keys}?, R Object<e1#0>.b! | "
    "e3: R window.o=Object<e1#0>, R Object<e1#0>.a!" },
  { "prototype-chain", "class A { m() {} } var a = new A() || a.m() || A.prototype.m = null; A.prototype.late = 1 || a.late; a.none",
    "e1: W window.A=function A<e1#0>, W window.a=Object<e1#0> | "
    "e2: R window.a=Object<e1#0>, R Object<e1#0>.m=function m<@function A<e1#0>.prototype.m>, "
    "R function A<e1#0>.prototype.m=function m<@function A<e1#0>.prototype.m> | "
    "e3: R window.A=function A<e1#0>, R function A<e1#0>.prototype=function A<e1#0>.prototype, "
    "W function A<e1#0>.prototype.m=null, W function A<e1#0>.prototype.late=1 | "
    "e4: R window.a=Object<e1#0>, R Object<e1#0>.late=1, R function A<e1#0>.prototype.late=1, R Object<e1#0>.none!, "
    "R function A<e1#0>.prototype.none!" },
  { "prototype-of-fresh-object", "function F() {} || F.prototype.x = 1 || new F().x",
    "e1: W window.F=function F<e1#0> | "
    "e2: R window.F=function F<e1#0>, R function F<e1#0>.prototype=function F<e1#0>.prototype, "
    "W function F<e1#0>.prototype.x=1 | "
    "e3: R window.F=function F<e1#0>, R function F<e1#0>.prototype.x=1" },
  { "array-cells-and-length", "var a = [1, 2] || a[0]; a[1] = 5; a.length || a[2] = 7 || a.length = 1 || a[9]",
    "e1: W window.a=Array<e1#0> | "
    "e2: R window.a=Array<e1#0>, R Array<e1#0>[0]=1, W Array<e1#0>[1]=5, R Array<e1#0>.length=2 | "
    "e3: R window.a=Array<e1#0>, W Array<e1#0>[2]=7, W Array<e1#0>.length=3 | "
    "e4: R window.a=Array<e1#0>, W Array<e1#0>.length=1, W Array<e1#0>[1]=undefined, W Array<e1#0>[2]=undefined | "
    "e5: R window.a=Array<e1#0>, R Array<e1#0>[9]!" },
  { "push-pop", "var a = [1] || a.push(2, 3) || a.pop()",
    "e1: W window.a=Array<e1#0> | "
    "e2: R window.a=Array<e1#0>, R Array<e1#0>.length=1, W Array<e1#0>[1]=2, W Array<e1#0>[2]=3, "
    "W Array<e1#0>.length=3 | "
    "e3: R window.a=Array<e1#0>, R Array<e1#0>.length=3, R Array<e1#0>[2]=3, W Array<e1#0>.length=2, "
    "W Array<e1#0>[2]=undefined" },
  { "splice-sort", "var a = [3, 1, 2] || a.sort() || a.splice(1, 1)",
    "e1: W window.a=Array<e1#0> | "
    "e2: R window.a=Array<e1#0>, R Array<e1#0>.length=3, R Array<e1#0>[0]=3, R Array<e1#0>[1]=1, R Array<e1#0>[2]=2, "
    "W Array<e1#0>[0]=1, W Array<e1#0>[1]=2, W Array<e1#0>[2]=3 | "
    "e3: R window.a=Array<e1#0>, R Array<e1#0>.length=3, R Array<e1#0>[0]=1, R Array<e1#0>[1]=2, R Array<e1#0>[2]=3, "
    "W Array<e1#0>[1]=3, W Array<e1#0>.length=2, W Array<e1#0>[2]=undefined" },
  { "array-reads", "var a = [1, 2] || a.map((x) => x) || for (const x of a); || [...a]; Math.max(...a) || var [p] = a",
    "e1: W window.a=Array<e1#0> | "
    "e2: R window.a=Array<e1#0>, R Array<e1#0>.length=2, R Array<e1#0>[0]=1, R Array<e1#0>[1]=2 | "
    "e3: R window.a=Array<e1#0>, R Array<e1#0>.length=2, R Array<e1#0>[0]=1, R Array<e1#0>[1]=2 | "
    "e4: R window.a=Array<e1#0>, R Array<e1#0>.length=2, R Array<e1#0>[0]=1, R Array<e1#0>[1]=2, R window.Math=Math, "
    "R Math.max=function max | "
    "e5: R window.a=Array<e1#0>, R Array<e1#0>.length=2, R Array<e1#0>[0]=1, R Array<e1#0>[1]=2, W window.p?" },
  { "keys-after-enumeration", "var o = { a: 1 } || o.b = 1 || for (var k in o); || o.c = 2; o.a = 3 || delete o.c",
    "e1: W window.o=Object<e1#0> | e2: R window.o=Object<e1#0>, W Object<e1#0>.b=1 | "
    "e3: W window.k=undefined, R window.o=Object<e1#0>, R Object<e1#0>.{keys}?, R Object<e1#0>.a=1, "
    "R Object<e1#0>.b=1, W window.k? | "
    "e4: R window.o=Object<e1#0>, W Object<e1#0>.c=2, W Object<e1#0>.{keys}?, W Object<e1#0>.a=3 | "
    "e5: R window.o=Object<e1#0>, W Object<e1#0>.c=undefined, W Object<e1#0>.{keys}?" },
  { "object-built-ins", "var o = { a: 1 }, t = {} || Object.keys(o) || Object.assign(t, o) || JSON.stringify({ x: o }) || ({ ...t }) || o.hasOwnProperty('a') || Object.defineProperty(o, 'd', { value: 1 })",
    "e1: W window.o=Object<e1#0>, W window.t=Object<e1#0> | "
    "e2: R window.Object=Object, R Object.keys=function keys, R window.o=Object<e1#0>, R Object<e1#0>.{keys}?, "
    "R Object<e1#0>.a=1 | "
    "e3: R window.Object=Object, R Object.assign=function assign, R window.t=Object<e1#0>, R window.o=Object<e1#0>, "
    "R Object<e1#0>.{keys}?, R Object<e1#0>.a=1, W Object<e1#0>.a=1 | "
    "e4: R window.JSON=JSON, R JSON.stringify=function stringify, R window.o=Object<e1#0>, R Object<e1#0>.{keys}?, "
    "R Object<e1#0>.a=1 | "
    "e5: R window.t=Object<e1#0>, R Object<e1#0>.{keys}?, R Object<e1#0>.a=1 | "
    "e6: R window.o=Object<e1#0>, R Object<e1#0>.a=1 | "
    "e7: R window.Object=Object, R Object.defineProperty=function defineProperty, R window.o=Object<e1#0>, "
    "W Object<e1#0>.d=1, W Object<e1#0>.{keys}?" },
  { "map", "var m = new Map() || m.set('a', 1) || m.get('a'); m.has('b') || m.size || m.set('c', 2) || m.delete('a') || m.forEach(() => 0)",
    "e1: R window.Map=Map, W window.m=Map<e1#0> | e2: R window.m=Map<e1#0>, W Map<e1#0>{\"a\"}=1 | "
    "e3: R window.m=Map<e1#0>, R Map<e1#0>{\"a\"}=1, R Map<e1#0>{\"b\"}=false | "
    "e4: R window.m=Map<e1#0>, R Map<e1#0>.size=1 | "
    "e5: R window.m=Map<e1#0>, W Map<e1#0>{\"c\"}=2, W Map<e1#0>.size=2 | "
    "e6: R window.m=Map<e1#0>, W Map<e1#0>{\"a\"}=undefined, W Map<e1#0>.size=1 | "
    "e7: R window.m=Map<e1#0>, R Map<e1#0>.size=1, R Map<e1#0>{\"c\"}=2" },
  { "set", "var s = new Set() || s.add(1) || s.has(1) || [...s] || s.add(2); s.clear()",
    "e1: R window.Set=Set, W window.s=Set<e1#0> | e2: R window.s=Set<e1#0>, W Set<e1#0>{1}=true | "
    "e3: R window.s=Set<e1#0>, R Set<e1#0>{1}=true | "
    "e4: R window.s=Set<e1#0>, R Set<e1#0>.size=1, R Set<e1#0>{1}=true | "
    "e5: R window.s=Set<e1#0>, W Set<e1#0>{2}=true, W Set<e1#0>.size=2, R Set<e1#0>{1}=true, "
    "W Set<e1#0>{1}=undefined, W Set<e1#0>{2}=undefined, W Set<e1#0>.size=0" },
  { "call-and-apply", "var a = [1] || Array.prototype.push.call(a, 2) || [].push.apply(a, [3]); Array.prototype.slice.call(a)",
    "e1: W window.a=Array<e1#0> | "
    "e2: R window.Array=Array, R Array.prototype=Array.prototype, R Array.prototype.push=function push, "
    "R window.a=Array<e1#0>, R Array<e1#0>.length=1, W Array<e1#0>[1]=2, W Array<e1#0>.length=2 | "
    "e3: R window.a=Array<e1#0>, R Array<e1#0>.length=2, W Array<e1#0>[2]=3, W Array<e1#0>.length=3, "
    "R window.Array=Array, R Array.prototype=Array.prototype, R Array.prototype.slice=function slice, "
    "R Array<e1#0>[0]=1, R Array<e1#0>[1]=2" },
  { "destructuring", "var o = { a: 1, b: 2 } || var { a, z = 5, ...r } = o",
    "e1: W window.o=Object<e1#0> | "
    "e2: R window.o=Object<e1#0>, R Object<e1#0>.a=1, R Object<e1#0>.z!, R Object<e1#0>.{keys}?, R Object<e1#0>.b=2, "
    "W window.a?, W window.z?, W window.r?" },
  { "destructuring-targets", "var o = { a: 0 }, x || [o.a, x] = [1, 2]",
    "e1: W window.x=undefined, W window.o=Object<e1#0> | "
    "e2: W window.x?, R window.o=Object<e1#0>, W Object<e1#0>.a=1" },
  { "captured-variables", "function mk() { let n = 0; const k = 5; return () => { n++; return k; }; } var f = mk(), g = mk() || f() || g(); f()",
    "e1: W window.mk=function mk<e1#0>, W window.f=function <e1#0>, W window.g=function <e1#1> | "
    "e2: R window.f=function <e1#0>, W scope<e1#0>.n+=1 | "
    "e3: R window.g=function <e1#1>, W scope<e1#1>.n+=1, R window.f=function <e1#0>, W scope<e1#0>.n+=1" },
  { "captured-but-never-changed", "function mk() { const k = {}; let l = 1; return () => k && l; } var f = mk() || f()",
    "e1: W window.mk=function mk<e1#0>, W window.f=function <e1#0> | e2: R window.f=function <e1#0>" },
  { "uncaptured-locals", "function f() { let n = 0; n++; for (let i = 0; i < 3; i++) n += i; return n; } || f()",
    "e1: W window.f=function f<e1#0> | e2: R window.f=function f<e1#0>" },
  { "loop-scopes", "var fs = []; for (let i = 0; i < 2; i++) fs.push(() => i++); || fs[0]() || fs[1]()",
    "e1: W window.fs=Array<e1#0> | "
    "e2: R window.fs=Array<e1#0>, R Array<e1#0>[0]=function <@Array<e1#0>[0]>, R scope<e1#0>.i=0, "
    "W scope<e1#0>.i=1 | "
    "e3: R window.fs=Array<e1#0>, R Array<e1#0>[1]=function <@Array<e1#0>[1]>, R scope<e1#1>.i=1, W scope<e1#1>.i=2" },
  { "async-captured", "var get; (async () => { get = () => v; await null; await null; var v = 1; })() || get()",
    "e1: W window.get=undefined, W window.get=function get<e1#0> | "
    "e2: R window.get=function get<e1#0>, R scope<e1#0>.v=1" },
  { "private-members", "class A { #x = 1; inc() { this.#x++; } get() { return this.#x; } } var a = new A() || a.inc() || a.get()",
    "e1: W window.A=function A<e1#0>, W window.a=Object<e1#0> | "
    "e2: R window.a=Object<e1#0>, R Object<e1#0>.inc=function inc<@function A<e1#0>.prototype.inc>, "
    "R function A<e1#0>.prototype.inc=function inc<@function A<e1#0>.prototype.inc>, R Object<e1#0>.#x?, "
    "W Object<e1#0>.#x? | "
    "e3: R window.a=Object<e1#0>, R Object<e1#0>.get=function get<@function A<e1#0>.prototype.get>, "
    "R function A<e1#0>.prototype.get=function get<@function A<e1#0>.prototype.get>, R Object<e1#0>.#x?" },
  { "optional-chain", "var o = { a: null } || o?.a?.b.c || o?.b",
    "e1: W window.o=Object<e1#0> | e2: R window.o=Object<e1#0>, R Object<e1#0>.a=null | "
    "e3: R window.o=Object<e1#0>, R Object<e1#0>.b!" },
  { "window-property-is-the-global", "globalThis.q = 1 || q || globalThis.q",
    "e1: W window.q=1 | e2: R window.q=1 | e3: R window.q=1" },
  { "values", "v = 1.5; v = -0; s = 'a\"b'; u = undefined; n = null; b = true; big = 12n; y = Symbol('d'); f = function nm() {}; o = {}; o2 = o; a = [1]",
    "e1: W window.v=1.5, W window.v=-0, W window.s=\"a\\\"b\", W window.u=undefined, W window.n=null, "
    "W window.b=true, W window.big=12n, R window.Symbol=Symbol, W window.y?, W window.f=function nm<e1#0>, "
    "W window.o=Object<e1#0>, W window.o2=Object<e1#0>, W window.a=Array<e1#0>" },
  { "long-values", "s = 'x'.repeat(200)",
    "e1: W window.s=\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"+200.5xy9z43d6hog" },
  { "getters", "var o = { get a() { return this.b; }, b: 2 } || o.a",
    "e1: W window.o=Object<e1#0> | e2: R window.o=Object<e1#0>, R Object<e1#0>.b=2, R Object<e1#0>.a=2" },
  { "proxy-handlers-log", "var t = { a: 1 }, p = new Proxy(t, { get(x, k) { return x[k]; } }) || p.a",
    "e1: W window.t=Object<e1#0>, R window.Proxy=Proxy, W window.p=proxy<e1#0> | "
    "e2: R window.p=proxy<e1#0>, R Object<e1#0>.a=1" },
  { "objects-have-the-same-name-in-every-event", "function mk() { return { v: 1 }; } var list = [] || list.push(mk(), mk()) || list[0].v = 2; list[1].v = 3",
    "e1: W window.mk=function mk<e1#0>, W window.list=Array<e1#0> | "
    "e2: R window.list=Array<e1#0>, R window.mk=function mk<e1#0>, R Array<e1#0>.length=0, "
    "W Array<e1#0>[0]=Object<e2#0>, W Array<e1#0>[1]=Object<e2#1>, W Array<e1#0>.length=2 | "
    "e3: R window.list=Array<e1#0>, R Array<e1#0>[0]=Object<e2#0>, W Object<e2#0>.v=2, "
    "R Array<e1#0>[1]=Object<e2#1>, W Object<e2#1>.v=3" },
  { "class-instances", "class P { constructor() { this.v = 1; } } var p || p = new P() || p.v = 2",
    "e1: W window.p=undefined, W window.P=function P<e1#0> | "
    "e2: R window.P=function P<e1#0>, W window.p=Object<e2#0> | "
    "e3: R window.p=Object<e2#0>, W Object<e2#0>.v=2" },
  { "constructor-function", "function P() { this.v = 1; } var p || p = new P() || p.v",
    "e1: W window.P=function P<e1#0>, W window.p=undefined | "
    "e2: R window.P=function P<e1#0>, W window.p=Object<e2#0> | "
    "e3: R window.p=Object<e2#0>, R Object<e2#0>.v=1" },
  { "patched-built-in", "[].at2 || Array.prototype.at2 = () => 1 || [].at2()",
    "e1: R Array.prototype.at2! | "
    "e2: R window.Array=Array, R Array.prototype=Array.prototype, W Array.prototype.at2=function <e2#0> | "
    "e3: R Array.prototype.at2=function <e2#0>" },
  { "symbol-keys", "var s = Symbol('k'), o = {} || o[s] = 1 || o[s]",
    "e1: R window.Symbol=Symbol, W window.s?, W window.o=Object<e1#0> | "
    "e2: R window.o=Object<e1#0>, R window.s?, W Object<e1#0>[Symbol(k)]=1 | "
    "e3: R window.o=Object<e1#0>, R window.s?, R Object<e1#0>[Symbol(k)]=1" },
  { "typed-arrays", "var t = new Uint8Array(4) || t[0] = 1; t[1] = 2 || t[3]",
    "e1: R window.Uint8Array=Uint8Array, W window.t=Object<e1#0> | "
    "e2: R window.t=Object<e1#0>, W Object<e1#0>.*?, W Object<e1#0>.*? | "
    "e3: R window.t=Object<e1#0>, R Object<e1#0>.*?" },
  { "weakmap", "var k = {}, w = new WeakMap() || w.set(k, 1) || w.get(k)",
    "e1: W window.k=Object<e1#0>, R window.WeakMap=WeakMap, W window.w=Object<e1#0> | "
    "e2: R window.w=Object<e1#0>, R window.k=Object<e1#0>, W Object<e1#0>{Object<e1#0>}=1 | "
    "e3: R window.w=Object<e1#0>, R window.k=Object<e1#0>, R Object<e1#0>{Object<e1#0>}=1" },
  { "name-and-string-index-are-one", "var a = [1] || a['0'] || a[0] = 2",
    "e1: W window.a=Array<e1#0> | e2: R window.a=Array<e1#0>, R Array<e1#0>[0]=1 | "
    "e3: R window.a=Array<e1#0>, W Array<e1#0>[0]=2" },
  { "with-is-not-logged-by-name", "var o = { a: 1 } || with (o) { a = 2; }",
    "e1: W window.o=Object<e1#0> | e2: R window.o=Object<e1#0>" },
  { "json-parse", "var o = JSON.parse('{\"a\":{\"b\":1}}') || o.a.b = 2 || o.a.b",
    "e1: R window.JSON=JSON, R JSON.parse=function parse, W window.o=Object<e1#0> | "
    "e2: R window.o=Object<e1#0>, R Object<e1#0>.a=@Object<e1#0>.a, W @Object<e1#0>.a.b=2 | "
    "e3: R window.o=Object<e1#0>, R Object<e1#0>.a=@Object<e1#0>.a, R @Object<e1#0>.a.b=2" },
};

static char *
native_rewrite_cb (const char *source, const char *name, gboolean strict, guint *place)
{
  RwScriptKind kind;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_assert_true (rw_script_kind_from_name (name, &kind));
  char *result = rw_rewrite (source, strlen (source), kind, strict, *place, places, NULL, NULL);
  *place += places->len;
  return result;
}

static void
add_runtime (JSCContext *context, guint *place)
{
  g_autoptr (JSCValue) rewrite
      = jsc_value_new_function (context, "nativeRewrite", G_CALLBACK (native_rewrite_cb), place, NULL, G_TYPE_STRING, 3,
                                G_TYPE_STRING, G_TYPE_STRING, G_TYPE_BOOLEAN);
  jsc_context_set_value (context, "nativeRewrite", rewrite);
  g_autofree char *runtime
      = g_strconcat ("const $rw$ = (() => { \"use strict\";\n", rw_runtime_natives, rw_runtime_access,
                     "\nglobalThis.$begin = logBegin; globalThis.$end = logEnd; globalThis.$drain = logDrain;"
                     "return accessHooks; })();", reader, NULL);
  g_autoptr (JSCValue) done = jsc_context_evaluate_with_source_uri (context, runtime, -1, "runtime:///", 1);
  JSCException *exception = jsc_context_get_exception (context);
  if (exception != NULL)
    g_error ("the runtime does not run: %s", jsc_exception_report (exception));
}

static void
run_event (JSCContext *context, const char *code, guint number, guint *place)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GError) error = NULL;
  gsize length;
  g_autofree char *rewritten = rw_rewrite (code, strlen (code), RW_SCRIPT_CLASSIC, FALSE, *place, places, &length, &error);
  g_assert_no_error (error);
  *place += places->len;
  g_autofree char *begin = g_strdup_printf ("$begin('e%u')", number);
  g_autoptr (JSCValue) begun = jsc_context_evaluate (context, begin, -1);
  g_autoptr (JSCValue) value = jsc_context_evaluate_with_source_uri (context, rewritten, length, "test:///event.js", 1);
  jsc_context_clear_exception (context);
  g_autoptr (JSCValue) ended = jsc_context_evaluate (context, "$end(); $read()", -1);
  g_assert_null (jsc_context_get_exception (context));
}

static char *
run_program (const char *program)
{
  g_autoptr (JSCContext) context = jsc_context_new ();
  g_auto (GStrv) events = g_strsplit (program, " || ", -1);
  guint place = 1;
  add_runtime (context, &place);
  for (guint i = 0; events[i] != NULL; i++)
    run_event (context, events[i], i + 1, &place);
  g_autoptr (JSCValue) text = jsc_context_evaluate (context, "$short()", -1);
  return jsc_value_to_string (text);
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  g_autofree char *log = run_program (self->program);
  if (g_getenv ("RW_SHOW") != NULL)
    g_print ("%s\n    \"%s\" },\n", self->name, log);
  g_assert_cmpstr (log, ==, self->expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/recorder/rewrite-log/", cases[i].name, NULL);
      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
