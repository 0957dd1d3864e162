// SPDX-License-Identifier: MIT
// The end state: everything that a run leaves behind, as one JSON text. The same state gives the same bytes.
//
// The format is described in reporter/README.md. Lines matter: one DOM node and one heap slot a line, in a fixed order, so that
// two states can be compared line by line without parsing what is equal. Page code must not run here, so nothing is called that
// the page could have replaced: everything comes from what was there before the page's first script, no getter is called, and
// arrays are walked by index. Load this file before those that replace natives, and call captureState.ready() after them.
const captureState = (() => {
  const global = globalThis;
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const stringify = JSON.stringify, imul = Math.imul, isArray = Array.isArray, MapOf = Map, SetOf = Set;
  const method = (type, name) => {
    const f = type && type.prototype && type.prototype[name];
    return typeof f === "function" ? (self, a, b) => apply(f, self, [a, b]) : () => undefined;
  };
  const getter = (type, name) => {
    const d = type && type.prototype && getOwnPropertyDescriptor(type.prototype, name);
    return d && d.get ? self => apply(d.get, self, []) : () => undefined;
  };
  const attempt = (f, otherwise) => { try { return f(); } catch { return otherwise; } };
  // Methods without arguments, called with none: some natives take an undefined argument for a given one.
  const plain = (type, name) => {
    const f = type && type.prototype && type.prototype[name];
    return typeof f === "function" ? self => apply(f, self, []) : () => undefined;
  };

  const charCodeAt = method(String, "charCodeAt"), slice = method(String, "slice"), toLowerCase = plain(String, "toLowerCase");
  const join = method(Array, "join"), sort = plain(Array, "sort"), exec = method(RegExp, "exec");
  // RegExp.prototype.test calls whatever exec the page has put there; exec itself calls nobody.
  const test = (pattern, text) => exec(pattern, text) !== null;
  const mapForEach = method(Map, "forEach"), setForEach = method(Set, "forEach");
  const mapGet = method(Map, "get"), mapSet = method(Map, "set"), mapHas = method(Map, "has");
  const setAdd = method(Set, "add"), setHas = method(Set, "has");
  const mapSize = getter(Map, "size"), setSize = getter(Set, "size");
  const dateTime = plain(Date, "getTime"), symbolText = plain(Symbol, "toString");
  const functionText = plain(Function, "toString"), bigintText = plain(BigInt, "toString");
  const regExpSource = getter(RegExp, "source");
  const weakHas = method(WeakMap, "has");
  const typedTag = attempt(() => getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);
  const bufferLength = getter(ArrayBuffer, "byteLength");
  const Bytes = Uint8Array, sameValue = Object.is;

  const numberText = Number.prototype.toString;

  const limits = { slots: 200000, depth: 40, width: 10000, text: 400, nodes: 100000 };

  function hash(text, length) {
    let a = 0x811c9dc5, b = 0x9e3779b9;
    for (let i = 0; i < length; i++) {
      const c = typeof text === "string" ? charCodeAt(text, i) : text[i];
      a = imul(a ^ c, 0x01000193);
      b = imul(b ^ c, 0x85ebca6b); b ^= b >>> 13;
    }
    // 53 bits, the most that a number bears, in ten characters.
    return slice("000000000" + apply(numberText, (a >>> 0) * 0x200000 + (b & 0x1fffff), [36]), -10);
  }

  // Text for people and for comparing: what can't stand in a C string or in UTF-8 is replaced.
  const strange = /[\0\ud800-\udfff]/;
  function clean(text) {
    if (!test(strange, text)) return text;
    let out = "";
    for (let i = 0; i < text.length; i++) {
      const c = charCodeAt(text, i), next = i + 1 < text.length ? charCodeAt(text, i + 1) : 0;
      if (c === 0) out += "\u2400";
      else if (c >= 0xd800 && c < 0xdc00 && next >= 0xdc00 && next < 0xe000) out += text[i] + text[++i];
      else out += c >= 0xd800 && c < 0xe000 ? "\ufffd" : text[i];
    }
    return out;
  }
  const quote = text => stringify(clean(text));
  function short(text) {
    text = "" + text;
    if (text.length <= limits.text) return text;
    return slice(text, 0, limits.text) + "\u2026 (" + text.length + " characters, " + hash(text, text.length) + ")";
  }

  // Plain data of the runtime's own making.
  function encode(value) {
    if (value === null || value === undefined) return "null";
    if (typeof value === "string") return quote(value.length > 65536 ? short(value) : value);
    if (typeof value !== "object") return typeof value === "number" && value !== value ? "null" : "" + value;
    const parts = [];
    if (isArray(value)) {
      for (let i = 0; i < value.length; i++) parts[i] = encode(value[i]);
      return "[" + join(parts, ",") + "]";
    }
    const keys = sort(ownKeys(value));
    for (let i = 0; i < keys.length; i++)
      if (value[keys[i]] !== undefined) parts[parts.length] = quote(keys[i]) + ":" + encode(value[keys[i]]);
    return "{" + join(parts, ",") + "}";
  }
  function lines(list) {
    if (!list || list.length === 0) return "[]";
    const parts = [];
    for (let i = 0; i < list.length; i++) parts[i] = encode(list[i]);
    return "[\n" + join(parts, ",\n") + "\n]";
  }

  // --- the document -------------------------------------------------------------------------------------------------------
  const dom = {
    type: getter(global.Node, "nodeType"), name: getter(global.Node, "nodeName"), value: getter(global.Node, "nodeValue"),
    first: getter(global.Node, "firstChild"), next: getter(global.Node, "nextSibling"), parent: getter(global.Node, "parentNode"),
    connected: getter(global.Node, "isConnected"), owner: getter(global.Node, "ownerDocument"),
    attributes: getter(global.Element, "attributes"), local: getter(global.Element, "localName"),
    id: getter(global.Element, "id"), shadow: getter(global.Element, "shadowRoot"),
    scrollTop: getter(global.Element, "scrollTop"), scrollLeft: getter(global.Element, "scrollLeft"),
    count: getter(global.NamedNodeMap, "length"), item: method(global.NamedNodeMap, "item"),
    attrName: getter(global.Attr, "name"), attrValue: getter(global.Attr, "value"),
    inputValue: getter(global.HTMLInputElement, "value"), inputType: getter(global.HTMLInputElement, "type"),
    checked: getter(global.HTMLInputElement, "checked"), indeterminate: getter(global.HTMLInputElement, "indeterminate"),
    areaValue: getter(global.HTMLTextAreaElement, "value"),
    selected: getter(global.HTMLSelectElement, "selectedIndex"), optionSelected: getter(global.HTMLOptionElement, "selected"),
    width: getter(global.HTMLImageElement, "naturalWidth"), templateContent: getter(global.HTMLTemplateElement, "content"),
    frameWindow: getter(global.HTMLIFrameElement, "contentWindow"),
    frameDocument: getter(global.HTMLIFrameElement, "contentDocument"),
    root: getter(global.Document, "documentElement"), url: getter(global.Document, "URL"),
    title: getter(global.Document, "title"), active: getter(global.Document, "activeElement"),
    cookie: getter(global.Document, "cookie"), ready: getter(global.Document, "readyState"),
    toDataURL: plain(global.HTMLCanvasElement, "toDataURL"),
    storageLength: getter(global.Storage, "length"), storageKey: method(global.Storage, "key"),
    storageItem: method(global.Storage, "getItem"),
  };
  const storageOf = name => attempt(() => getOwnPropertyDescriptor(global, name).get);
  const storages = { local: storageOf("localStorage"), session: storageOf("sessionStorage") };
  const scrollOf = name => attempt(() => getOwnPropertyDescriptor(global, name).get);
  const scrolls = [scrollOf("scrollX"), scrollOf("scrollY")];
  const instance = (value, type) => type !== undefined && attempt(() => value instanceof type, false);
  const types = { node: global.Node, window: global.Window };

  // "html>body>div#main>img:2": short for people, exact enough to compare.
  function nodePath(node) {
    let path = "";
    for (let depth = 0; node && depth < 500; depth++) {
      const type = dom.type(node);
      if (type === 9) return path || "document";
      if (type === 11) return "#fragment" + (path ? ">" + path : "");
      let step = type === 1 ? dom.local(node) : toLowerCase(dom.name(node));
      const id = type === 1 ? dom.id(node) : "";
      if (id) step += "#" + clean("" + id);
      else {
        const parent = dom.parent(node);
        let place = 0, same = 0;
        for (let n = parent ? dom.first(parent) : null; n; n = dom.next(n))
          if (dom.name(n) === dom.name(node)) { same++; if (n === node) place = same; }
        if (same > 1) step += ":" + place;
      }
      path = path ? step + ">" + path : step;
      const parent = dom.parent(node);
      if (!parent) return "(detached) " + path;
      node = parent;
    }
    return path;
  }

  function property(out, name, value) {
    if (value !== undefined && value !== null) out[out.length] = quote(":" + name) + ":" + quote(short("" + value));
  }

  // What serialised HTML does not show, under names that no attribute has.
  function formProperties(element, name, out) {
    if (name === "input") {
      const type = dom.inputType(element);
      if (type === "checkbox" || type === "radio") {
        property(out, "checked", dom.checked(element));
        if (dom.indeterminate(element)) property(out, "indeterminate", true);
      } else property(out, "value", dom.inputValue(element));
    } else if (name === "textarea") property(out, "value", dom.areaValue(element));
    else if (name === "select") property(out, "selectedIndex", dom.selected(element));
    else if (name === "option") property(out, "selected", dom.optionSelected(element));
    else if (name === "img") property(out, "loaded", (dom.width(element) || 0) > 0);
    else if (name === "canvas") {
      const text = attempt(() => dom.toDataURL(element));
      if (typeof text === "string") property(out, "pixels", hash(text, text.length));
    }
    const top = dom.scrollTop(element), left = dom.scrollLeft(element);
    if ((top || left) && name !== "html" && name !== "body") property(out, "scroll", left + "," + top);
  }

  function attributesOf(element, name) {
    const list = dom.attributes(element), names = [], values = new MapOf(), out = [];
    for (let i = 0; i < dom.count(list); i++) {
      const attribute = dom.item(list, i), key = dom.attrName(attribute);
      names[names.length] = key;
      mapSet(values, key, dom.attrValue(attribute));
    }
    sort(names);
    for (let i = 0; i < names.length; i++) out[out.length] = quote(names[i]) + ":" + quote(short(mapGet(values, names[i])));
    formProperties(element, name, out);
    return "{" + join(out, ",") + "}";
  }

  function domLines(root, notes, frames, framePath) {
    const out = [];
    // A stack of nodes to do: a page may nest deeper than a recursion bears.
    const stack = [root], depths = [0];
    while (stack.length > 0) {
      const node = stack[stack.length - 1], depth = depths[depths.length - 1];
      stack.length--; depths.length--;
      if (out.length >= limits.nodes) { notes[notes.length] = "more than " + limits.nodes + " nodes in " + framePath; break; }
      const type = node.shadowOf ? 11 : dom.type(node);
      let name = "", child = null;
      if (type === 1) {
        name = dom.local(node);
        out[out.length] = "[" + depth + "," + quote(name) + "," + attributesOf(node, name) + "]";
        child = dom.first(node);
        const content = name === "template" ? dom.templateContent(node) : null;
        if (content) child = dom.first(content);
        if (name === "iframe" || name === "frame") frames[frames.length] = node;
      } else if (type === 11) {
        out[out.length] = "[" + depth + ",\"#shadow\",{}]";
        child = dom.first(node.shadowOf);
      } else {
        const parent = dom.parent(node), isScript = parent && dom.type(parent) === 1 && dom.local(parent) === "script";
        const text = dom.value(node) || "";
        const shown = isScript ? text.length + " characters, " + hash(text, text.length) : short(text);
        out[out.length] = "[" + depth + "," + quote(toLowerCase(dom.name(node))) + "," + quote(shown) + "]";
      }
      const children = [];
      const shadow = type === 1 ? dom.shadow(node) : null;
      if (shadow) children[0] = { shadowOf: shadow };
      for (; child; child = dom.next(child)) children[children.length] = child;
      for (let i = children.length - 1; i >= 0; i--) { stack[stack.length] = children[i]; depths[depths.length] = depth + 1; }
    }
    return out;
  }

  function frameText(path, document, view, notes, out) {
    const root = dom.root(document), frames = [];
    const body = root ? domLines(root, notes, frames, path) : [];
    const active = dom.active(document);
    const scroll = view === global && scrolls[0] && scrolls[1]
      ? [attempt(() => apply(scrolls[0], view, []), 0), attempt(() => apply(scrolls[1], view, []), 0)] : [0, 0];
    out[out.length] = "{\"path\":" + quote(path) + ",\"url\":" + quote(dom.url(document) || "") + ",\"title\":" +
      quote(dom.title(document) || "") + ",\"readyState\":" + quote(dom.ready(document) || "") + ",\"focus\":" +
      quote(active ? nodePath(active) : "") + ",\"scroll\":" + encode(scroll) + ",\"dom\":[\n" + join(body, ",\n") + "\n]}";
    for (let i = 0; i < frames.length; i++) {
      const inner = attempt(() => dom.frameDocument(frames[i]), null);
      if (inner) frameText(path + "/" + i, inner, dom.frameWindow(frames[i]), notes, out);
    }
  }

  // --- the heap ------------------------------------------------------------------------------------------------------------
  let pristine = null;       // name -> value (or the getter) before the page's first script
  const internal = new SetOf(); // objects of the runtime that the page can reach

  function remember() {
    pristine = new MapOf();
    const keys = ownKeys(global);
    for (let i = 0; i < keys.length; i++) {
      const d = getOwnPropertyDescriptor(global, keys[i]);
      mapSet(pristine, keys[i], d && (d.get || d.set) ? d.get : d && d.value);
    }
  }

  function isPageMade(view, key, d) {
    if (typeof key === "string" && test(/^\d+$/, key)) return false; // frames by index
    if (!mapHas(pristine, key)) return true;
    return view === global && !(d.get || d.set) && !sameValue(mapGet(pristine, key), d.value);
  }

  function kindOf(object) {
    // An own "constructor" data property of the prototype, without calling anything.
    const proto = attempt(() => getPrototypeOf(object), null);
    if (proto === null) return "null-prototype";
    const d = attempt(() => getOwnPropertyDescriptor(proto, "constructor"));
    const name = d && typeof d.value === "function" ? attempt(() => getOwnPropertyDescriptor(d.value, "name")) : undefined;
    return name && typeof name.value === "string" && name.value ? name.value : "Object";
  }

  function functionName(f) {
    const d = attempt(() => getOwnPropertyDescriptor(f, "name"));
    const name = d && typeof d.value === "string" ? d.value : "";
    return (test(/^class\b/, attempt(() => functionText(f), "")) ? "class" : "function") + (name ? " " + name : "");
  }

  function primitive(value) {
    if (value === null) return "null";
    switch (typeof value) {
    case "string": return stringify(clean(short(value)));
    case "undefined": return "undefined";
    case "bigint": return bigintText(value) + "n";
    case "symbol": return clean(symbolText(value));
    case "number": return value === 0 && 1 / value < 0 ? "-0" : "" + value;
    default: return "" + value;
    }
  }

  const identifier = /^[A-Za-z_$][\w$]*$/, index = /^(?:0|[1-9]\d*)$/;
  function step(path, key) {
    if (typeof key === "symbol") return path + "[" + clean(symbolText(key)) + "]";
    if (test(index, key)) return path + "[" + key + "]";
    return test(identifier, key) ? path + "." + key : path + "[" + stringify(clean(key)) + "]";
  }

  function compareKeys(a, b) {
    const x = typeof a === "symbol" ? "\uffff" + symbolText(a) : a, y = typeof b === "symbol" ? "\uffff" + symbolText(b) : b;
    const m = test(index, x), n = test(index, y);
    if (m && n) return x - y;
    if (m !== n) return m ? -1 : 1;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const sortBy = Array.prototype.sort;

  // What is known of an object besides its own properties; null: the properties tell all.
  function special(object) {
    if (isArray(object)) return "Array(" + object.length + ")";
    const tag = typedTag ? attempt(() => apply(typedTag, object, [])) : undefined;
    if (tag !== undefined) {
      const n = object.length;
      return tag + "(" + n + ") " + hash(object, n > 1 << 20 ? 1 << 20 : n);
    }
    let n = attempt(() => bufferLength(object));
    if (n !== undefined) return "ArrayBuffer(" + n + ") " + hash(new Bytes(object), n > 1 << 20 ? 1 << 20 : n);
    if ((n = attempt(() => mapSize(object))) !== undefined) return kindOf(object) + "(" + n + ")";
    if ((n = attempt(() => setSize(object))) !== undefined) return kindOf(object) + "(" + n + ")";
    if ((n = attempt(() => dateTime(object))) !== undefined) return "Date " + n;
    if ((n = attempt(() => regExpSource(object))) !== undefined) return "RegExp /" + clean(n) + "/";
    if (instance(object, types.node)) return "<" + clean(nodePath(object)) + ">";
    return null;
  }

  function entriesOf(object, isFunction) {
    const keys = attempt(() => ownKeys(object), []), out = [];
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (isFunction && (key === "prototype" || key === "name" || key === "length" || key === "arguments" || key === "caller"))
        continue;
      if (key === "length" && isArray(object)) continue;
      out[out.length] = key;
    }
    apply(sortBy, out, [compareKeys]);
    return out;
  }

  function heapText(roots, notes) {
    const out = [], seen = new MapOf(), queue = [];
    const noted = new SetOf();
    const note = (what, path) => {
      if (setHas(noted, what)) return;
      setAdd(noted, what);
      notes[notes.length] = what + ", first at " + path;
    };
    const slot = (path, text) => {
      if (out.length < limits.slots) out[out.length] = quote(path) + ":" + stringify(text);
      else note("heap with more than " + limits.slots + " slots", path);
    };
    function visit(path, value, depth) {
      const isFunction = typeof value === "function";
      if (!isFunction && (typeof value !== "object" || value === null)) return slot(path, primitive(value));
      if (setHas(internal, value)) return;
      if (mapHas(seen, value)) return slot(path, "@" + mapGet(seen, value));
      mapSet(seen, value, path);
      if (isFunction && disguisedHere(value)) return slot(path, functionName(value));
      if (value === global || instance(value, types.window)) return slot(path, "Window");
      const text = isFunction ? functionName(value) : special(value) ?? kindOf(value);
      slot(path, text);
      if (!isArray(value) && test(/^\w+Array\(|^ArrayBuffer/, text)) return; // its hash tells all
      if (depth >= limits.depth) return note("heap deeper than " + limits.depth, path);
      queue[queue.length] = { path, value, depth: depth + 1, isFunction };
    }
    function children(path, value, depth, isFunction) {
      const keys = entriesOf(value, isFunction);
      for (let i = 0; i < keys.length; i++) {
        if (i >= limits.width) { note("object with more than " + limits.width + " properties", path); break; }
        const d = attempt(() => getOwnPropertyDescriptor(value, keys[i]));
        if (!d) continue;
        if (d.get || d.set) slot(step(path, keys[i]), d.get ? "getter" : "setter");
        else visit(step(path, keys[i]), d.value, depth);
      }
      let n = 0;
      attempt(() => mapForEach(value, (item, key) => {
        if (n++ >= limits.width) return note("map with more than " + limits.width + " entries", path);
        const simple = key === null || typeof key !== "object" && typeof key !== "function";
        if (simple) return visit(path + ".get(" + primitive(key) + ")", item, depth);
        visit(path + ".key(" + (n - 1) + ")", key, depth);
        visit(path + ".value(" + (n - 1) + ")", item, depth);
      }));
      n = 0;
      attempt(() => setForEach(value, item => {
        if (n >= limits.width) return note("set with more than " + limits.width + " entries", path);
        visit(path + ".item(" + n++ + ")", item, depth);
      }));
    }
    for (let i = 0; i < roots.length; i++) visit(roots[i].path, roots[i].value, 0);
    for (let i = 0; i < queue.length; i++) {
      if (out.length >= limits.slots) break;
      children(queue[i].path, queue[i].value, queue[i].depth, queue[i].isFunction);
      queue[i] = null;
    }
    return out;
  }

  function disguisedHere(f) {
    return typeof disguised !== "undefined" && weakHas(disguised, f) === true;
  }

  function rootsOf(prefix, view, out) {
    const keys = attempt(() => ownKeys(view), []);
    apply(sortBy, keys, [compareKeys]);
    for (let i = 0; i < keys.length; i++) {
      const d = attempt(() => getOwnPropertyDescriptor(view, keys[i]));
      if (!d || !isPageMade(view, keys[i], d)) continue;
      if (typeof d.value === "function" && disguisedHere(d.value) || setHas(internal, d.value)) continue;
      if (d.get || d.set) continue;
      out[out.length] = { path: step(prefix, keys[i]), value: d.value };
    }
  }

  // Top-level let, const and class are no properties of the global object: by name, where the rewriter knows the names.
  const indirectEval = global.eval;
  function lexicalRoots(names, out) {
    const sorted = [];
    for (let i = 0; i < names.length; i++) sorted[i] = "" + names[i];
    sort(sorted);
    for (let i = 0; i < sorted.length; i++)
      if (test(identifier, sorted[i]))
        attempt(() => { out[out.length] = { path: sorted[i], value: indirectEval(sorted[i]) }; });
  }

  // --- all of it -----------------------------------------------------------------------------------------------------------
  function storageText(get) {
    const storage = get ? attempt(() => apply(get, global, []), null) : null, names = [], parts = [];
    if (!storage) return "{}";
    const n = attempt(() => dom.storageLength(storage), 0);
    for (let i = 0; i < n; i++) names[i] = dom.storageKey(storage, i);
    sort(names);
    for (let i = 0; i < names.length; i++)
      parts[i] = quote(names[i]) + ":" + quote(short(dom.storageItem(storage, names[i])));
    return "{" + join(parts, ",") + "}";
  }

  function cookiesText(document) {
    const text = attempt(() => dom.cookie(document), "") || "", parts = [];
    let from = 0;
    for (let i = 0; i <= text.length; i++)
      if (i === text.length || text[i] === ";") {
        if (i > from) parts[parts.length] = slice(text, from, i);
        from = text[i + 1] === " " ? i + 2 : i + 1;
      }
    return encode(sort(parts));
  }

  // context: errors, console, requests, navigations, dialogs, pending: arrays of plain objects, kept as they are;
  // lexicals: names of the page's top-level let, const and class; scopes: { path, value } of live captured scopes.
  function capture(context) {
    const notes = [], frames = [], roots = [];
    if (pristine === null) remember();
    const document = global.document;
    if (document) attempt(() => frameText("top", document, global, notes, frames));
    rootsOf("window", global, roots);
    lexicalRoots(context.lexicals ?? [], roots);
    const scopes = context.scopes ?? [];
    for (let i = 0; i < scopes.length; i++) roots[roots.length] = { path: scopes[i].path, value: scopes[i].value };
    const heap = heapText(roots, notes);
    if (context.limit) notes[notes.length] = "" + context.limit;
    return "{\"version\":1,\n\"frames\":[\n" + join(frames, ",\n") + "\n],\n\"heap\":{\n" + join(heap, ",\n") +
      "\n},\n\"errors\":" + lines(context.errors) + ",\n\"console\":" + lines(context.console) +
      ",\n\"requests\":" + lines(context.requests) + ",\n\"navigations\":" + lines(context.navigations) +
      ",\n\"dialogs\":" + lines(context.dialogs) + ",\n\"pending\":" + lines(context.pending) +
      ",\n\"cookies\":" + (document ? cookiesText(document) : "[]") +
      ",\n\"storage\":{\"local\":" + storageText(storages.local) + ",\"session\":" + storageText(storages.session) + "}" +
      ",\n\"limits\":" + encode(notes) + "}\n";
  }
  // To be called when the runtime has replaced what it replaces: what is there now is not the page's.
  capture.ready = remember;
  // An object of the runtime that page objects may refer to.
  capture.hide = object => { setAdd(internal, object); };
  remember();
  return capture;
})();
