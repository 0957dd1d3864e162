// SPDX-License-Identifier: MIT
// The access log: what rewritten page code calls when it reads and writes, and what the rest of the runtime logs with.
//
// An object, array or scope has a Meta: who made it. What was made in the event that runs now is not logged: another event can
// only reach it through something that this one wrote or posted, and depends on this event through that.

const {
  accessHooks, logBegin, logEnd, logRead, logWrite, logAdd, logOp, logDrain, logLimit, logRealm, nameOf, describeValue, disguise,
  placeOfCall, lexicalNames, UNKNOWN_VALUE, sharedLog, logLeave,
} = (() => {
  // A frame's runtime keeps no log of its own: it writes into that of the page, and knows the page's objects.
  const upper = typeof $rwRoot === "object" && $rwRoot !== null ? $rwRoot.log : null;
  const OP_READ = 0;
  const OP_WRITE = 1;
  const OP_BEGIN = 16;
  const FLAG_FAILED = 2;
  const FLAG_ADD = 4;
  const MAX_OPS = 1 << 20; // of one event
  const MAX_STRINGS = 1 << 21; // of one page
  const MAX_CELLS = 1000; // of one object that a built-in reads or writes as a whole
  const MAX_TEXT = 80; // of a value
  const MAX_HASHED = 1 << 16; // longer strings are not compared, so they are logged without a value

  let eventNow = 0; // number of the event that runs; 0: none
  let eventCount = 0;
  let eventHex = "0";
  let eventOps = 0;
  let logCut = null; // name of the limit that cut the log
  let ops = new NativeInt32Array(4 * 4096);
  let opsUsed = 0;
  let drained = 0; // how often: positions in the buffer hold until the next time
  let stringNumbers = new SafeMap();
  let newStrings = [];

  class Entry {
    constructor(name, target) {
      this.name = name;
      this.target = target; // number of the location's name
      this.read = 0; // event that read it last
      this.write = 0; // event that wrote it last
      this.add = 0; // event that only added to it
      this.sum = 0;
      this.value = undefined; // of the last write, until somebody wants the buffer
      this.place = 0;
      this.last = -1; // where the last write is in the buffer, if it is not the first
      this.drained = -1;
    }
  }

  class Meta {
    constructor(born, site, ordinal, kind) {
      this.born = born; // event that made it; -1: not known
      this.site = site;
      this.ordinal = ordinal;
      this.kind = kind;
      this.hex = eventHex;
      this.name = null;
      this.entries = null;
      this.host = false; // an object of the browser
      this.opaque = false; // a proxy: its handlers log
      this.listed = false; // somebody enumerated its keys
      this.builtin = false;
      this.leads = null; // for a prototype: to the browser's
      this.found = null; // location where it was first seen, if nothing better is known
    }
  }

  // A Meta hangs on its object as a private field: invisible to pages, takes on frozen objects and proxies (and runs none of their
  // handlers), and is several times faster than a WeakMap, whose entries the collector has to look at one by one.
  class Bearer {
    constructor(object) {
      return object;
    }
  }
  class Marked extends Bearer {
    #meta;
    constructor(object, meta) {
      super(object);
      this.#meta = meta;
    }
    static get(object) {
      return #meta in object ? object.#meta : undefined;
    }
    static has(object) {
      return #meta in object;
    }
    static set(object, meta) {
      // A frame's window stays the same object when the frame is navigated.
      if (#meta in object) object.#meta = meta;
      else new Marked(object, meta);
    }
  }
  const metas = upper?.metas ?? { __proto__: null, get: Marked.get, has: Marked.has, set: Marked.set };

  class MarkedProxy extends Bearer {
    #mark = true;
    static has(object) {
      return #mark in object;
    }
    static add(object) {
      if (!(#mark in object)) new MarkedProxy(object);
    }
  }
  const proxies = upper?.proxies ?? { __proto__: null, has: MarkedProxy.has, add: MarkedProxy.add };

  const byName = upper?.byName ?? new SafeMap();
  const globals = new SafeMap();

  const intern = upper?.intern ?? ((text) => {
    let number = stringNumbers.get(text);
    if (number === undefined) {
      number = stringNumbers.size + 1;
      if (number > MAX_STRINGS) {
        logCut = "strings";
        return 0;
      }
      stringNumbers.set(text, number);
      newStrings[newStrings.length] = StringIncludes(text, "\0") ? StringReplaceAll(text, "\0", "\ufffd") : text;
    }
    return number;
  });

  const grown = (array, index) => {
    const larger = new NativeInt32Array(MathMax(array.length * 2, index + 1));
    Int32ArraySet(larger, array);
    return larger;
  };

  const append = upper?.append ?? ((kind, target, value, place) => {
    if (++eventOps > MAX_OPS && kind <= 256 * 4 && (kind & 255) < 2) {
      logCut = "accesses";
      return -1;
    }
    if (opsUsed + 4 > ops.length) ops = grown(ops, 0);
    const at = opsUsed;
    ops[at] = kind;
    ops[at + 1] = target;
    ops[at + 2] = value;
    ops[at + 3] = place;
    opsUsed = at + 4;
    return at;
  });
  const amend = upper?.amend ?? ((at, value, place) => {
    ops[at + 2] = value;
    if (place !== 0) ops[at + 3] = place;
  });

  // Number of a value's text; 0 where it is not known, or where its text would not tell it from others.
  const valueNumber = (value, place, entry) => {
    if (value === UNKNOWN) return 0;
    if (isObject(value) && !metas.has(value)) firstSeen(value, place, entry);
    const text = describeValue(value);
    return text === null ? 0 : intern(text);
  };

  const readEntry = (entry, value, place, flags) => {
    if (entry.read === eventNow || (entry.write === eventNow && entry.add !== eventNow)) return;
    entry.read = eventNow;
    append(OP_READ | (flags << 8), entry.target, valueNumber(value, place, entry), place);
  };

  const writeEntry = (entry, value, place) => {
    if (entry.write !== eventNow) {
      entry.write = eventNow;
      entry.last = -1;
      append(OP_WRITE, entry.target, valueNumber(value, place, null), place);
      return;
    }
    if (entry.last < 0 || entry.drained !== drained || entry.add === eventNow) {
      if (entry.add === eventNow && entry.last >= 0 && entry.drained === drained) amend(entry.last, intern(NumberToString(entry.sum)), 0);
      entry.add = 0;
      keepLast(entry, append(OP_WRITE, entry.target, 0, place));
    }
    entry.value = value;
    entry.place = place;
  };

  // Loops write again and again: only the value that is left in the end gets a text.
  let unsettled = [];
  const keepLast = upper?.keepLast ?? ((entry, at) => {
    entry.last = at;
    entry.drained = drained;
    if (at >= 0) unsettled[unsettled.length] = entry;
  });

  const settle = () => {
    const list = unsettled;
    unsettled = [];
    for (let i = 0; i < list.length; i++) {
      const entry = list[i];
      const at = entry.last;
      if (at < 0 || entry.drained !== drained) continue;
      if ((ops[at] & (FLAG_ADD << 8)) !== 0) ops[at + 2] = intern(NumberToString(entry.sum));
      else {
        ops[at + 2] = valueNumber(entry.value, entry.place, null);
        ops[at + 3] = entry.place;
      }
      entry.value = undefined;
    }
  };

  // x++ whose value nobody takes: additions commute, as long as the event neither reads nor sets it otherwise.
  const addEntry = (entry, old, value, place) => {
    if (entry.read === eventNow || (entry.write === eventNow && (entry.add !== eventNow || entry.drained !== drained))) {
      writeEntry(entry, value, place);
      return;
    }
    if (entry.write !== eventNow) {
      entry.write = entry.add = eventNow;
      entry.sum = 0;
      keepLast(entry, append(OP_WRITE | (FLAG_ADD << 8), entry.target, 0, place));
    }
    entry.sum += value - old;
  };

  const isCount = (old, value) => typeof old === "number" && NumberIsSafeInteger(old) && NumberIsSafeInteger(value);

  const UNKNOWN = upper?.UNKNOWN ?? { __proto__: null }; // a value that is not known

  const entryNamed = (name) => {
    let entry = byName.get(name);
    if (entry === undefined) {
      entry = new Entry(name, intern(name));
      byName.set(name, entry);
    }
    return entry;
  };

  // ---- names ----

  const scripts = upper?.scripts ?? []; // { base, hash, source } by ascending base
  let siteEvent = new NativeInt32Array(4096); // by place: the event that made something there last ...
  let siteCount = new NativeInt32Array(4096); // ... and how many

  const ordinalAt = upper?.ordinalAt ?? ((site) => {
    if (site >= siteEvent.length) {
      siteEvent = grown(siteEvent, site);
      siteCount = grown(siteCount, site);
    }
    if (siteEvent[site] !== eventNow) {
      siteEvent[site] = eventNow;
      siteCount[site] = 0;
    }
    return siteCount[site]++;
  });

  const scriptAt = (place) => {
    let low = 0;
    let high = scripts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (scripts[middle].base <= place) low = middle + 1;
      else high = middle;
    }
    return low > 0 ? scripts[low - 1] : null;
  };

  const siteName = (site) => {
    const script = scriptAt(site);
    return script === null ? "?" + site : script.hash + "." + (site - script.base);
  };

  // A function by its place in the source, and by who saw it first: closures of one place are different values.
  const functionName = (f, meta) => {
    const descriptor = ObjectGetOwnPropertyDescriptor(f, "name");
    const name = descriptor !== undefined && typeof descriptor.value === "string" ? descriptor.value : "";
    const text = FunctionToString(disguisedAs(f) ?? f);
    const marker = findMarker(text);
    if (marker === null && StringIncludes(text, "[native code]")) return "function " + name;
    if (meta.found !== null) return "function " + name + "<" + foundName(meta.found) + ">";
    if (marker === null) return "function " + name + instanceName("?", meta);
    const script = scriptAt(marker.base);
    return "function " + name + instanceName((script === null ? "?" : script.hash) + "." + marker.start, meta);
  };

  const instances = new SafeMap(); // name without ordinal -> how many there are
  const instanceName = (site, meta) => {
    const name = "<" + meta.hex + ":" + site + "#";
    const ordinal = instances.get(name) ?? 0;
    instances.set(name, ordinal + 1);
    return name + ordinal + ">";
  };

  // C.prototype, for what the constructor property says is one.
  const prototypeName = (object) => {
    const constructor = ObjectGetOwnPropertyDescriptor(object, "constructor");
    if (constructor === undefined || typeof constructor.value !== "function" || proxies.has(constructor.value)) return null;
    const prototype = ObjectGetOwnPropertyDescriptor(constructor.value, "prototype");
    return prototype !== undefined && prototype.value === object ? nameOf(constructor.value) + ".prototype" : null;
  };

  // Objects of the browser have one of its prototypes; what a prototype leads to is found out once.
  const isHost = (object) => {
    const prototype = proxies.has(object) ? null : ReflectGetPrototypeOf(object);
    if (prototype === null || prototype === ObjectPrototype) return false;
    const meta = metas.get(prototype);
    if (meta !== undefined && meta.builtin) return meta.host;
    if (meta === undefined) return isHost(prototype);
    if (meta.leads === null) meta.leads = isHost(prototype);
    return meta.leads;
  };

  // An object that was never seen and has nothing of its own was made just now, by a constructor that runs. One that a read
  // finds is named after where it was found (@entry), so that it does not matter who finds it first.
  const firstSeen = (object, place, entry) => {
    let meta;
    if (proxies.has(object)) {
      meta = new Meta(-1, place, ordinalAt(place), "proxy");
      meta.opaque = true;
    } else {
      const kind = typeof object === "function" ? "function" : ArrayIsArray(object) ? "Array" : "Object";
      const fresh = kind === "Object" && entry === undefined && ReflectOwnKeys(object).length === 0;
      meta = new Meta(fresh ? eventNow : -1, place, entry ? 0 : ordinalAt(place), kind);
      meta.host = isHost(object);
      if (meta.host) meta.born = -1;
      else if (kind === "function") meta.found = entry ?? null;
      else if (!fresh) {
        meta.name = prototypeName(object);
        if (meta.name === null && entry) meta.name = foundName(entry);
      }
    }
    metas.set(object, meta);
    return meta;
  };

  const foundName = (entry) => {
    const name = "@" + entry.name;
    const ordinal = instances.get(name) ?? 0;
    instances.set(name, ordinal + 1);
    return ordinal === 0 ? name : name + "#" + ordinal;
  };

  const metaOf = (object, place) => metas.get(object) ?? firstSeen(object, place);

  const metaName = (meta, object) => {
    if (meta.name === null) {
      if (meta.kind === "function") meta.name = functionName(object, meta);
      else if (meta.host) meta.name = hostName(object) ?? plainName(meta);
      else {
        if (meta.kind === "Object") meta.kind = isMap(object) ? "Map" : isSet(object) ? "Set" : "Object";
        meta.name = plainName(meta);
      }
    }
    return meta.name;
  };

  const plainName = (meta) => meta.kind + "<" + meta.hex + ":" + siteName(meta.site) + "#" + meta.ordinal + ">";

  const nameOf = (object) => metaName(metaOf(object, 0), object);

  // Nodes: tag#id, or the way from the next ancestor that has an id; what is in no tree is named by who made it.
  const hostName = (object) => {
    if (typeof domName === "function") return domName(object);
    if (nodeType === null || !isNode(object)) return null;
    let path = "";
    for (let node = object; node !== null; ) {
      const parent = nodeParent(node);
      const tag = StringToLowerCase(nodeTag(node));
      const id = nodeKind(node) === 1 ? elementId(node) : "";
      if (id !== "") return tag + "#" + id + path;
      if (parent === null) return nodeKind(node) === 9 ? tag + path : null;
      if (tag === "body" || tag === "head" || tag === "html") return tag + path;
      let index = 0;
      for (let before = nodeBefore(node); before !== null; before = nodeBefore(before)) if (nodeTag(before) === nodeTag(node)) index++;
      path = ">" + tag + (index > 0 ? "[" + index + "]" : "") + path;
      node = parent;
    }
    return null;
  };
  const nodeType = typeof Node === "function" ? Node : null;
  const getterOf = (holder, name) => uncurry(ObjectGetOwnPropertyDescriptor(holder.prototype, name).get);
  const nodeParent = nodeType && getterOf(Node, "parentNode");
  const nodeTag = nodeType && getterOf(Node, "nodeName");
  const nodeKind = nodeType && getterOf(Node, "nodeType");
  const nodeBefore = nodeType && getterOf(Node, "previousSibling");
  // A prototype that a page makes for its own elements is an instance of Node, too, but none.
  const isNode = (object) => {
    try {
      return nodeKind(object) > 0;
    } catch {
      return false;
    }
  };
  const elementId = nodeType && getterOf(Element, "id");

  const keyText = (key) =>
    typeof key === "symbol" ? "[" + symbolText(key) + "]" : typeof key === "number" || isIndex("" + key) ? "[" + key + "]" : "." + key;

  // Symbols of one description are told apart by who came first.
  const symbolNames = new SafeMap();
  const symbolText = (symbol) => {
    let name = symbolNames.get(symbol);
    if (name === undefined) {
      name = "Symbol(" + (SymbolDescription(symbol) ?? "") + ")";
      const ordinal = instances.get(name) ?? 0;
      instances.set(name, ordinal + 1);
      if (ordinal > 0) name += "#" + ordinal;
      symbolNames.set(symbol, name);
    }
    return name;
  };

  const isIndex = (text) => {
    if (text.length === 0 || text.length > 10) return false;
    for (let i = 0; i < text.length; i++) {
      const code = StringCharCodeAt(text, i);
      if (code < 48 || code > 57) return false;
    }
    return text.length === 1 || StringCharCodeAt(text, 0) !== 48;
  };

  // The beginning, the length and a hash; null for what is too long to look at.
  const longText = (beginning, text) => {
    if (text.length > MAX_HASHED) return null;
    let hash = 0;
    let other = 0;
    for (let i = 0; i < text.length; i++) {
      const code = StringCharCodeAt(text, i);
      hash = (hash * 31 + code) | 0;
      other = (other * 65599 + code) | 0;
    }
    return beginning + "+" + text.length + "." + NumberToString(hash >>> 0, 36) + NumberToString(other >>> 0, 36);
  };

  // Equal texts only for values that no program can tell apart; null where there is none.
  const describeValue = (value) => {
    switch (typeof value) {
      case "string":
        return value.length <= MAX_TEXT ? JSONStringify(value) : longText(JSONStringify(StringSlice(value, 0, MAX_TEXT)), value);
      case "number":
        return value === 0 && 1 / value < 0 ? "-0" : NumberToString(value);
      case "bigint": {
        const text = BigIntToString(value);
        return text.length <= MAX_TEXT ? text + "n" : longText(StringSlice(text, 0, MAX_TEXT) + "n", text);
      }
      case "symbol":
        return null;
      case "undefined":
        return "undefined";
      case "boolean":
        return value ? "true" : "false";
      default:
        return value === null ? "null" : nameOf(value);
    }
  };

  // ---- properties ----

  const entryOf = (meta, object, key) => {
    let entries = meta.entries;
    if (entries === null) entries = meta.entries = new SafeMap();
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = entryNamed(metaName(meta, object) + keyText(key));
      entries.set(key, entry);
    }
    return entry;
  };

  const isTyped = (object) => TypedArrayTag(object) !== undefined;

  // What a look-up passes on its way: the object's own slot, then those of its prototypes until one has it. A built-in's method
  // that nobody has replaced is no news.
  const readChain = (object, meta, key, value, place) => {
    const holder = holderOf(object, key);
    if (holder !== object && typeof value === "function") {
      const found = holder === null ? undefined : metas.get(holder);
      if (found !== undefined && found.builtin && !found.listed) return;
    }
    // What is found is named after its holder.
    if (holder !== null && holder !== object && isObject(value) && !metas.has(value)) firstSeen(value, place, entryOf(metaOf(holder, place), holder, key));
    for (let o = object, m = meta; ; ) {
      if (m.born !== eventNow && (!m.builtin || o === object || m.listed || (holder === null && o !== ObjectPrototype && typeof key === "string")))
        readEntry(entryOf(m, o, key), value, place, holder === null && value === undefined ? FLAG_FAILED : 0);
      if (o === holder) return;
      o = ReflectGetPrototypeOf(o);
      if (o === null) return;
      m = metaOf(o, place);
      if (m.opaque || m.host) return;
    }
  };

  const holderOf = (object, key) => {
    for (let o = object; o !== null && !proxies.has(o); o = ReflectGetPrototypeOf(o)) if (ObjectHasOwn(o, key)) return o;
    return null;
  };

  const noteRead = (object, key, value, place) => {
    const meta = metas.get(object) ?? firstSeen(object, place);
    if (meta.opaque) return;
    if (meta.host) {
      noteHostRead(meta, object, key, value, place);
      return;
    }
    if (meta.entries !== null) {
      const entry = meta.entries.get(key);
      if (entry !== undefined && (entry.read === eventNow || (entry.write === eventNow && entry.add !== eventNow))) return;
    }
    if (meta.born === eventNow && isOwnAffair(object, key, value)) return;
    if (typeof key === "number" && isTyped(object)) {
      readEntry(entryOf(meta, object, "*"), UNKNOWN, place, 0);
      return;
    }
    if (key === "size") meta.listed = true;
    readChain(object, meta, key, value, place);
  };

  // Of an object that this event made: is the slot its own, a built-in's, or one of its prototype that was read already?
  const isOwnAffair = (object, key, value) => {
    const prototype = ReflectGetPrototypeOf(object);
    if (prototype === null) return true;
    const meta = metas.get(prototype);
    if (meta === undefined || meta.opaque) return ObjectHasOwn(object, key);
    if (meta.builtin && !meta.listed) return value !== undefined || prototype === ObjectPrototype || ObjectHasOwn(object, key);
    if (value !== undefined && !(key in prototype)) return true;
    const entry = meta.entries === null ? undefined : meta.entries.get(key);
    return (entry !== undefined && entry.read === eventNow) || ObjectHasOwn(object, key);
  };

  const noteHostRead = (meta, object, key, value, place) => {
    if (typeof value === "function" && !ObjectHasOwn(object, key)) return;
    if (typeof domAccess === "function" && domAccess(OP_READ, object, key, value, place)) return;
    const failed = value === undefined && !(key in object) ? FLAG_FAILED : 0;
    readEntry(entryOf(meta, object, key), value, place, failed);
  };

  const noteWrite = (object, key, value, place, added) => {
    const meta = metas.get(object) ?? firstSeen(object, place);
    if (meta.opaque) return;
    if (meta.host && typeof domAccess === "function" && domAccess(OP_WRITE, object, key, value, place)) return;
    if (meta.builtin) meta.listed = true;
    if (meta.born === eventNow) return;
    if (typeof key === "number" && isTyped(object)) writeEntry(entryOf(meta, object, "*"), UNKNOWN, place);
    else writeEntry(entryOf(meta, object, key), value, place);
    if (added && meta.listed && !meta.builtin) writeEntry(entryOf(meta, object, "{keys}"), UNKNOWN, place);
  };

  const noteKeys = (object, place) => {
    const meta = metaOf(object, place);
    if (meta.opaque || meta.host) return;
    meta.listed = true;
    if (meta.born === eventNow) return;
    readEntry(entryOf(meta, object, "{keys}"), UNKNOWN, place, 0);
  };

  // Every own property as a value; getters are not called.
  const noteAll = (object, place) => {
    if (ArrayIsArray(object)) {
      noteCells(object, place);
      return;
    }
    const meta = metaOf(object, place);
    if (meta.opaque || meta.host) return;
    noteKeys(object, place);
    if (meta.born === eventNow) return;
    const keys = ReflectOwnKeys(object);
    for (let i = 0; i < keys.length && i < MAX_CELLS; i++) {
      const descriptor = ObjectGetOwnPropertyDescriptor(object, keys[i]);
      if (descriptor !== undefined && ObjectHasOwn(descriptor, "value"))
        readEntry(entryOf(meta, object, keys[i]), descriptor.value, place, 0);
    }
  };

  const noteCells = (array, place) => {
    const meta = metaOf(array, place);
    if (meta.opaque || meta.born === eventNow) return;
    const length = array.length;
    readEntry(entryOf(meta, array, "length"), length, place, 0);
    for (let i = 0; i < length && i < MAX_CELLS; i++) {
      const descriptor = ObjectGetOwnPropertyDescriptor(array, i);
      if (descriptor !== undefined) readEntry(entryOf(meta, array, i), descriptor.value, place, 0);
    }
  };

  const noteCellsWritten = (array, from, place) => {
    const meta = metaOf(array, place);
    if (meta.opaque || meta.born === eventNow) return;
    const length = array.length;
    for (let i = from; i < length && i < from + MAX_CELLS; i++) {
      const descriptor = ObjectGetOwnPropertyDescriptor(array, i);
      writeEntry(entryOf(meta, array, i), descriptor === undefined ? undefined : descriptor.value, place);
    }
  };

  // ---- hooks: properties ----

  // What the engine makes of a key, once.
  const toKey = (key) => ReflectOwnKeys({ [key]: 0 })[0];

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  const failNull = (value, place) => {
    throw new NativeTypeError(value + " is not an object" + evaluating(place));
  };

  // The runtime's own frames are not the page's business, and the engine numbers its script anew for each load.
  const withoutRuntime = (stack) =>
    StringIncludes(stack, "user-script:")
      ? ArrayJoin(ArrayFilter(StringSplit(stack, "\n"), (line) => !StringIncludes(line, "user-script:")), "\n")
      : stack;

  const get = (object, key, place) => {
    if (object === undefined || object === null) failNull(object, place);
    if (typeof key === "object" || typeof key === "function") key = toKey(key);
    let value = object[key];
    if (key === "stack" && typeof value === "string") value = withoutRuntime(value);
    if (eventNow !== 0 && (typeof object === "object" || typeof object === "function")) noteRead(object, key, value, place);
    return value;
  };

  // For a call: the message quotes the callee only.
  const getMethod = (object, key, place) => {
    if (object === undefined || object === null) {
      const text = textAt(place);
      const callee = text === null ? "" : " (evaluating '" + StringTrim(StringSlice(text.whole, 0, text.part)) + "')";
      throw new NativeTypeError(object + " is not an object" + callee);
    }
    return get(object, key, place);
  };

  // Would assigning fail? Then sloppy code goes on in silence where this strict code has thrown.
  const refuses = (object, key) => {
    for (let o = isObject(object) ? object : ReflectGetPrototypeOf(NativeObject(object)); o !== null; ) {
      if (proxies.has(o)) return false;
      const descriptor = ObjectGetOwnPropertyDescriptor(o, key);
      if (descriptor !== undefined)
        return ObjectHasOwn(descriptor, "value") ? !descriptor.writable || !isObject(object) : descriptor.set === undefined;
      o = ReflectGetPrototypeOf(o);
    }
    return !isObject(object) || !ReflectIsExtensible(object);
  };

  const isRefusal = (object, key, error) => {
    if (isObject(object) && proxies.has(object))
      return isObject(error) && ReflectGetPrototypeOf(error) === NativeTypeError.prototype && StringIncludes(error.message, "returned falsy");
    return refuses(object, key);
  };

  const assign = (object, key, value, strict) => {
    if (strict) object[key] = value;
    else
      try {
        object[key] = value;
      } catch (error) {
        if (!isRefusal(object, key, error)) throw error;
      }
  };

  const put = (object, key, place, value, strict) => {
    if (typeof key === "object" || typeof key === "function") key = toKey(key);
    if (object === undefined || object === null) failNull(object, place);
    if (eventNow === 0 || (typeof object !== "object" && typeof object !== "function")) {
      assign(object, key, value, strict);
      return value;
    }
    const meta = metas.get(object) ?? firstSeen(object, place);
    if (meta.born === eventNow || meta.opaque) {
      assign(object, key, value, strict);
      return value;
    }
    const length = ArrayIsArray(object) ? object.length : -1;
    const added = meta.listed && !ObjectHasOwn(object, key);
    assign(object, key, value, strict);
    noteWrite(object, key, value, place, added);
    if (length >= 0 && object.length !== length) noteLength(meta, object, length, place, key === "length");
    return value;
  };

  // o.k++ whose value nobody takes; @how is 1 or -1, or 2 or -2 behind the operand.
  const count = (object, key, place, how, strict) => {
    const by = how > 0 ? 1 : -1;
    const meta = isObject(object) ? metas.get(object) : undefined;
    if (eventNow === 0 || meta === undefined || meta.opaque || meta.host || meta.born === eventNow || typeof key !== "string")
      return new Slot(object, key, place, strict).step(how);
    const descriptor = ObjectGetOwnPropertyDescriptor(object, key);
    if (descriptor === undefined || !descriptor.writable || !isCount(descriptor.value, descriptor.value + by))
      return new Slot(object, key, place, strict).step(how);
    const old = descriptor.value;
    object[key] = old + by;
    addEntry(entryOf(meta, object, key), old, old + by, place);
    return how === by ? old + by : old;
  };

  const noteLength = (meta, array, before, place, known) => {
    const length = array.length;
    if (!known) writeEntry(entryOf(meta, array, "length"), length, place);
    for (let i = length; i < before && i < length + MAX_CELLS; i++) writeEntry(entryOf(meta, array, i), undefined, place);
  };

  // A property that is read, changed and written: o.k += v.
  class Slot {
    constructor(object, key, place, strict) {
      if (typeof key === "object" || typeof key === "function") {
        if (object === undefined || object === null) failNull(object, place);
        key = toKey(key);
      }
      this.object = object;
      this.key = key;
      this.place = place;
      this.strict = strict;
      this.v = get(object, key, place);
    }
    put(value) {
      return put(this.object, this.key, this.place, value, this.strict);
    }
    add(value) { return this.put(this.v + value); }
    sub(value) { return this.put(this.v - value); }
    mul(value) { return this.put(this.v * value); }
    div(value) { return this.put(this.v / value); }
    mod(value) { return this.put(this.v % value); }
    pow(value) { return this.put(this.v ** value); }
    shl(value) { return this.put(this.v << value); }
    shr(value) { return this.put(this.v >> value); }
    ushr(value) { return this.put(this.v >>> value); }
    and(value) { return this.put(this.v & value); }
    or(value) { return this.put(this.v | value); }
    xor(value) { return this.put(this.v ^ value); }
    step(how) { return how > 0 ? (how > 1 ? this.pinc() : this.inc()) : how < -1 ? this.pdec() : this.dec(); }
    inc() { let value = this.v; return this.put(++value); }
    dec() { let value = this.v; return this.put(--value); }
    pinc() { let value = this.v; const old = value++; this.put(value); return old; }
    pdec() { let value = this.v; const old = value--; this.put(value); return old; }
    lor(value) { return this.v || this.put(value()); }
    land(value) { return this.v && this.put(value()); }
    lnul(value) { return this.v ?? this.put(value()); }
    n(which) { return which === 0 ? !this.v : which === 1 ? !!this.v : this.v === undefined || this.v === null; }
  }

  // A property that a pattern or a loop assigns to.
  class Target {
    constructor(object, key, place, strict) {
      this.object = object;
      this.key = key;
      this.place = place;
      this.strict = strict;
    }
    set v(value) {
      put(this.object, this.key, this.place, value, this.strict);
    }
  }

  // ---- hooks: calls ----

  // The engine's words for what was called.
  const kindOf = (value) => {
    if (!isObject(value)) return typeof value === "string" ? '"' + value + '"' : typeof value === "symbol" ? "a Symbol" : value + "";
    const tag = proxies.has(value) ? "Object" : StringSlice(ObjectToString(value), 8, -1);
    return "an instance of " + tag;
  };

  const failCall = (value, place) => {
    const text = textAt(place);
    if (text === null) throw new NativeTypeError(kindOf(value) + " is not a function");
    const callee = StringSlice(text.whole, 0, text.part);
    throw new NativeTypeError(callee + " is not a function. (In '" + text.whole + "', '" + callee + "' is " + kindOf(value) + ")");
  };

  // In a callee's place, what can't be called is replaced by something that says so when its arguments have been evaluated.
  const callable = (value, place) => (typeof value === "function" ? value : () => failCall(value, place));

  const constructible = (value, place) => {
    if (typeof value === "function") return value;
    return function () {
      throw new NativeTypeError(kindOf(value) + " is not a constructor" + evaluating(place));
    };
  };

  // f.call is the only way to give a function its this that the engine compiles to a plain call; it has to be the real one.
  const callWith = (f, object, args) => {
    if (proxies.has(f) || f.call !== FunctionCall) return ReflectApply(f, object, args);
    switch (args.length) {
      case 0:
        return f.call(object);
      case 1:
        return f.call(object, args[0]);
      case 2:
        return f.call(object, args[0], args[1]);
      default:
        return ReflectApply(f, object, args);
    }
  };

  // What rewritten code called last, and where: a native that the runtime stands in for asks for its place.
  const calls = upper?.calls ?? { f: null, place: 0, realm: null };
  const placeOfCall = (f) => (calls.f === f ? calls.place : 0);
  const noteCall = (f, place) => {
    calls.f = f;
    calls.place = place;
    calls.realm = globalThis;
  };

  class Call {
    constructor(object, f, place) {
      this.object = object;
      this.f = f;
      this.place = place;
    }
    x(a, b, c, d) {
      const f = this.f;
      if (typeof f !== "function") failCall(f, this.place);
      noteCall(f, this.place);
      if (!proxies.has(f) && f.call === FunctionCall)
        switch (arguments.length) {
          case 0:
            return f.call(this.object);
          case 1:
            return f.call(this.object, a);
          case 2:
            return f.call(this.object, a, b);
          case 3:
            return f.call(this.object, a, b, c);
          case 4:
            return f.call(this.object, a, b, c, d);
        }
      return ReflectApply(f, this.object, arguments);
    }
  }

  // A call of something that is named like a built-in which touches more than one place.
  class ModelledCall {
    constructor(object, f, place) {
      this.object = object;
      this.f = f;
      this.place = place;
    }
    x() {
      if (typeof this.f !== "function") failCall(this.f, this.place);
      noteCall(this.f, this.place);
      const effect = eventNow === 0 ? undefined : effects.get(this.f);
      return effect === undefined ? callWith(this.f, this.object, arguments) : effect(this.f, this.object, arguments, this.place);
    }
  }

  const callModelled = (f, object, args, place) => {
    const effect = effects.get(f);
    if (effect === undefined) return callWith(f, object, args);
    return effect(f, object, args, place);
  };

  class Chain {
    constructor(value) {
      this.v = value;
      this.object = undefined;
      this.place = 0;
    }
    q() { return this.v === undefined || this.v === null ? undefined : this; }
    qf() { return this.q(); }
    g(key, place) { this.v = get(this.v, key, place); return this; }
    m(key, place) {
      this.object = this.v;
      this.v = getMethod(this.v, key, place);
      this.place = place;
      return this;
    }
    y() {
      if (typeof this.v !== "function") failCall(this.v, this.place);
      noteCall(this.v, this.place);
      this.v = eventNow === 0 ? callWith(this.v, this.object, arguments) : callModelled(this.v, this.object, arguments, this.place);
      return this;
    }
    c() {
      if (typeof this.v !== "function") failCall(this.v, 0);
      this.v = callWith(this.v, undefined, arguments);
      return this;
    }
    d(key, place) { return remove(this.v, key, place, true); }
    ds(key, place) { return remove(this.v, key, place, false); }
  }

  const remove = (object, key, place, strict) => {
    if (object === undefined || object === null) failNull(object, place);
    if (typeof key === "object" || typeof key === "function") key = toKey(key);
    const result = strict ? delete object[key] : ReflectDeleteProperty(NativeObject(object), key);
    if (eventNow !== 0 && result && isObject(object)) {
      noteWrite(object, key, undefined, place, false);
      const meta = metas.get(object);
      if (!meta.opaque && !meta.host && !meta.builtin && meta.born !== eventNow)
        writeEntry(entryOf(meta, object, "{keys}"), UNKNOWN, place);
    }
    return result;
  };

  const has = (key, object, place) => {
    if (!isObject(object)) {
      const text = textAt(place);
      if (text === null) return key in object;
      throw new NativeTypeError(StringSlice(text.whole, text.part) + " is not an Object." + evaluating(place));
    }
    if (typeof key === "object" || typeof key === "function") key = toKey(key);
    const result = key in object;
    if (eventNow !== 0) noteRead(object, key, result ? UNKNOWN : undefined, place);
    return result;
  };

  // The value that a look-up would find, or UNKNOWN where it would run a getter.
  const peek = (object, key) => {
    for (let o = object; o !== null && !proxies.has(o); o = ReflectGetPrototypeOf(o)) {
      const descriptor = ObjectGetOwnPropertyDescriptor(o, key);
      if (descriptor !== undefined) return ObjectHasOwn(descriptor, "value") ? descriptor.value : UNKNOWN;
    }
    return undefined;
  };

  const spread = (value, place) => {
    if (eventNow !== 0 && typeof value === "object" && value !== null && !proxies.has(value)) noteIterated(value, place);
    return value;
  };

  const iterated = (value, place) => {
    if (value === undefined || value === null) failNull(value, place);
    return spread(value, place);
  };

  const noteIterated = (value, place) => {
    if (ArrayIsArray(value)) noteCells(value, place);
    else if (isMap(value) || isSet(value)) noteEntries(value, place);
  };

  const keysOf = (value, place) => {
    if (eventNow !== 0 && isObject(value) && !proxies.has(value)) noteAll(value, place);
    return value;
  };

  const destructure = function (value, place, keys) {
    if (keys === "[]" && (value === undefined || value === null)) failNull(value, place);
    if (eventNow === 0) return value;
    if (isObject(value) && !proxies.has(value)) {
      if (keys === "[]") noteIterated(value, place);
      else {
        const list = StringSplit(keys, " ");
        for (let i = 0; i < list.length - 1; i++)
          if (list[i] === "*") noteAll(value, place);
          else noteRead(value, list[i], peek(value, list[i]), place);
      }
    }
    for (let i = 3; i < arguments.length; i += 2) noteVariable(arguments[i], arguments[i + 1], place);
    return value;
  };

  const destructureFresh = function (value, place, keys) {
    for (let i = 3; i < arguments.length; i += 2) noteVariable(arguments[i], arguments[i + 1], place);
    return value;
  };

  const loopWrites = function (zero, place) {
    for (let i = 2; i < arguments.length; i += 2) noteVariable(arguments[i], arguments[i + 1], place);
  };

  const privateRead = (object, key, place) => {
    if (eventNow !== 0 && isObject(object)) {
      const meta = metaOf(object, place);
      if (meta.born !== eventNow) readEntry(entryOf(meta, object, key), UNKNOWN, place, 0);
    }
    return object;
  };

  const privateWrite = (object, key, place) => {
    if (eventNow !== 0 && isObject(object)) {
      const meta = metaOf(object, place);
      if (meta.born !== eventNow) writeEntry(entryOf(meta, object, key), UNKNOWN, place);
    }
    return object;
  };

  // ---- hooks: variables ----

  let realmName = "window";

  // Frames and workers have globals of their own: called once, before anything is logged.
  const logRealm = (name) => {
    realmName = name;
    metas.get(globalThis).name = name;
  };

  const globalEntry = (name) => {
    let entry = globals.get(name);
    if (entry === undefined) {
      entry = entryNamed(realmName + "." + name);
      globals.set(name, entry);
    }
    return entry;
  };

  const globalRead = (name, value, place) => {
    if (eventNow !== 0) {
      readEntry(globalEntry(name), value, place, 0);
      if (typeof value === "object" && typeof domGlobal === "function") domGlobal(name, value, place);
    }
    return value === NativeEval ? indirectEval : value;
  };

  const globalWrite = (name, value, place) => {
    if (eventNow !== 0) writeEntry(globalEntry(name), value, place);
    return value;
  };

  const globalCount = (name, old, result, value, place) => {
    if (eventNow !== 0) noteCount(globalEntry(name), old, value, place);
    return result;
  };

  const noteCount = (entry, old, value, place) => {
    if (isCount(old, value)) addEntry(entry, old, value, place);
    else {
      readEntry(entry, old, place, 0);
      writeEntry(entry, value, place);
    }
  };

  // Top-level let, const and class that page code has named so far: the end state can't find them otherwise.
  const lexicalNames = () => {
    const names = [];
    globals.forEach((entry, name) => {
      if (!(name in globalThis)) ArrayPush(names, name);
    });
    return names;
  };

  const missing = (name, place) => {
    if (eventNow === 0) return;
    readEntry(globalEntry(name), undefined, place, name in globalThis ? 0 : FLAG_FAILED);
    if (typeof domGlobal === "function") domGlobal(name, undefined, place);
  };

  const scopeEntry = (scope, name) => {
    let entries = scope.entries;
    if (entries === null) entries = scope.entries = new SafeMap();
    let entry = entries.get(name);
    if (entry === undefined) {
      if (scope.name === null) scope.name = plainName(scope);
      entry = entryNamed(scope.name + "." + name);
      entries.set(name, entry);
    }
    return entry;
  };

  const scopeRead = (scope, name, value, place) => {
    if (scope !== undefined && scope.born !== eventNow && eventNow !== 0)
      readEntry(scopeEntry(scope, name), value, place, 0);
    return value;
  };

  const scopeWrite = (scope, name, value, place) => {
    if (scope !== undefined && scope.born !== eventNow && eventNow !== 0) writeEntry(scopeEntry(scope, name), value, place);
    return value;
  };

  const scopeCount = (scope, name, old, result, value, place) => {
    if (scope !== undefined && scope.born !== eventNow && eventNow !== 0) noteCount(scopeEntry(scope, name), old, value, place);
    return result;
  };

  const noteVariable = (scope, name, place) => {
    if (scope === 0) globalWrite(name, UNKNOWN, place);
    else scopeWrite(scope, name, UNKNOWN, place);
  };

  // Did a logical assignment (0 ||=, 1 &&=, 2 ??=) assign?
  const assigned = (which, old) => (which === 0 ? !old : which === 1 ? !!old : old === undefined || old === null);

  // ---- hooks: objects ----

  const made = (object, place) => {
    if (eventNow !== 0)
      metas.set(object, new Meta(eventNow, place, ordinalAt(place), ArrayIsArray(object) ? "Array" : "Object"));
    return object;
  };

  // A constructor may have returned something old, and its own code has mostly been seen at work on the object.
  const constructed = (object, place) => {
    if (eventNow !== 0 && !metas.has(object)) {
      const meta = new Meta(eventNow, place, ordinalAt(place), "Object");
      if (proxies.has(object)) {
        meta.kind = "proxy";
        meta.opaque = true;
      } else {
        if (typeof object === "function") meta.kind = "function";
        else if (ArrayIsArray(object)) meta.kind = "Array";
        meta.host = isHost(object);
        if (meta.host) meta.born = -1;
      }
      metas.set(object, meta);
    }
    return object;
  };

  // The first thing that the constructor of a class without a parent does.
  const begun = (object, place) => {
    if (eventNow !== 0 && !metas.has(object)) metas.set(object, new Meta(eventNow, place, ordinalAt(place), "Object"));
  };

  const scopeMade = (zero, place) => new Meta(eventNow === 0 ? -1 : eventNow, place, ordinalAt(place), "scope");

  // ---- hooks: source text ----

  const registerSource = (base, hash, source, texts, result) => {
    let at = scripts.length;
    while (at > 0 && scripts[at - 1].base > base) at--;
    if (at === 0 || scripts[at - 1].base !== base) ArraySplice(scripts, at, 0, { base, hash, source, texts });
    return result;
  };

  // The text of an access for a message, as the engine would quote it: { whole, part }, part being an offset; null: not known.
  // The table (rw_emit_place_of) is read only when something fails.
  const textAt = (place) => {
    const script = scriptAt(place);
    if (script === null) return null;
    let at = 0;
    const next = () => {
      let value = 0;
      for (let shift = 0; ; shift += 5) {
        const digit = StringCharCodeAt(script.texts, at++) - 48;
        value |= (digit & 31) << shift;
        if (digit < 32) return value & 1 ? -(value >>> 1) : value >>> 1;
      }
    };
    let start = 0;
    for (let i = script.base; at < script.texts.length; i++) {
      start += next();
      const length = next();
      const part = next();
      if (i === place) return length > 0 ? { whole: StringSlice(script.source, start, start + length), part } : null;
    }
    return null;
  };

  const evaluating = (place) => {
    const text = textAt(place);
    return text === null ? "" : " (evaluating '" + text.whole + "')";
  };

  // The first comment that the rewriter put into a function's text.
  const findMarker = (text) => {
    const start = StringIndexOf(text, "/*$rw$");
    if (start < 0) return null;
    const parts = StringSplit(StringSlice(text, start + 6, StringIndexOf(text, "*/", start)), ":");
    return { base: +parts[0], start: +parts[1], end: +parts[2] };
  };

  const originalText = (text) => {
    const marker = findMarker(text);
    const script = marker === null ? null : scriptAt(marker.base);
    return script === null ? text : StringSlice(script.source, marker.start, marker.end);
  };

  const rewriteText = (source, kind, strict) =>
    typeof nativeRewrite === "function" ? nativeRewrite(source, kind, strict) : source;

  // What eval takes for code: a string, or one that a policy of the page has approved.
  const codeOf = (source) => {
    if (typeof source === "string" || trustedText === null) return source;
    try {
      return trustedText(source);
    } catch {
      return source;
    }
  };
  const trustedText = typeof TrustedScript === "function" ? uncurry(TrustedScript.prototype.toString) : null;

  const directEval = (evaluate, strict, source) => {
    if (evaluate !== NativeEval) return source;
    const code = codeOf(source);
    return typeof code === "string" ? rewriteText(code, "eval", strict === 1) : source;
  };

  // Functions of ours that stand where a built-in stood show the built-in's text. The rest of the runtime has its own list.
  const disguises = new SafeWeakMap();
  const disguise = (f, native) => {
    disguises.set(f, native);
    return f;
  };

  const disguisedAs = (f) => disguises.get(f) ?? (typeof disguised === "object" ? WeakMapGet(disguised, f) : undefined);

  const { eval: indirectEval } = {
    eval(source) {
      const code = codeOf(source);
      return typeof code === "string" ? NativeEval(rewriteText(code, "classic", false)) : source;
    },
  };
  disguise(indirectEval, NativeEval);

  const { toString: functionToString } = {
    toString() {
      const native = typeof this === "function" ? disguisedAs(this) : undefined;
      return native !== undefined ? FunctionToString(native) : originalText(FunctionToString(this));
    },
  };
  disguise(functionToString, Function.prototype.toString);
  ObjectDefineProperty(Function.prototype, "toString", { value: functionToString, writable: true, enumerable: false, configurable: true });

  const replaceBuiltin = (holder, name, ours) => {
    const descriptor = ObjectGetOwnPropertyDescriptor(holder, name);
    disguise(ours, descriptor.value);
    descriptor.value = ours;
    ObjectDefineProperty(holder, name, descriptor);
  };

  // Function and its kin: the engine checks the arguments and makes the text; that text is rewritten and evaluated.
  const replaceFunctionConstructor = (native) => {
    const constructs = (args, target) => {
      const plain = ReflectConstruct(native, args, target);
      const text = FunctionToString(plain);
      const rewritten = rewriteText(text, "function", false);
      if (rewritten === text) return plain;
      const result = NativeEval(rewritten);
      if (target !== native) ReflectSetPrototypeOf(result, ReflectGetPrototypeOf(plain));
      return result;
    };
    const ours = new NativeProxy(native, {
      __proto__: null,
      apply: (target, self, args) => constructs(args, native),
      construct: (target, args, newTarget) => constructs(args, newTarget === ours ? native : newTarget),
    });
    disguise(ours, native);
    const descriptor = ObjectGetOwnPropertyDescriptor(native.prototype, "constructor");
    descriptor.value = ours;
    ObjectDefineProperty(native.prototype, "constructor", descriptor);
    return ours;
  };

  // Proxies are known, so that looking at them runs none of their handlers.
  const replaceProxy = () => {
    const ours = new NativeProxy(NativeProxy, {
      __proto__: null,
      construct(target, args, newTarget) {
        const proxy = ReflectConstruct(target, args, newTarget === ours ? target : newTarget);
        proxies.add(proxy);
        return proxy;
      },
    });
    replaceBuiltin(globalThis, "Proxy", ours);
    const { revocable } = NativeProxy;
    replaceBuiltin(NativeProxy, "revocable", {
      revocable(target, handler) {
        const result = revocable(target, handler);
        proxies.add(result.proxy);
        return result;
      },
    }.revocable);
    return ours;
  };

  const replaceBuiltins = () => {
    proxies.add(replaceProxy());
    const ours = replaceFunctionConstructor(NativeFunction);
    proxies.add(ours);
    replaceBuiltin(globalThis, "Function", ours);
    for (const sample of [async () => {}, function* () {}, async function* () {}])
      proxies.add(replaceFunctionConstructor(ReflectGetPrototypeOf(sample).constructor));
  };
  replaceBuiltins();

  // ---- built-ins that touch more than one place ----

  const isMap = (value) => {
    try {
      MapSize(value);
      return true;
    } catch {
      return false;
    }
  };
  const isSet = (value) => {
    try {
      SetSize(value);
      return true;
    } catch {
      return false;
    }
  };

  // Entries of maps and sets; .size stands for which keys there are, as {keys} does for objects.
  const slotOf = (meta, object, key) => entryNamed(metaName(meta, object) + "{" + describeValue(key) + "}");

  const noteSlot = (object, key, value, place, write) => {
    const meta = metaOf(object, place);
    if (meta.opaque || meta.born === eventNow) return;
    if (write) writeEntry(slotOf(meta, object, key), value, place);
    else readEntry(slotOf(meta, object, key), value, place, 0);
  };

  const noteSize = (object, size, place, write, before) => {
    const meta = metaOf(object, place);
    if (!write) meta.listed = true;
    if (meta.born === eventNow || (write && !meta.listed && size > before)) return;
    if (write) writeEntry(entryOf(meta, object, "size"), size, place);
    else readEntry(entryOf(meta, object, "size"), size, place, 0);
  };

  const noteEntries = (collection, place) => {
    const meta = metaOf(collection, place);
    const map = isMap(collection);
    noteSize(collection, map ? MapSize(collection) : SetSize(collection), place, false);
    if (meta.born === eventNow) return;
    let count = 0;
    (map ? MapForEach : SetForEach)(collection, (value, key) => {
      if (count++ < MAX_CELLS) noteSlot(collection, key, map ? value : true, place, false);
    });
  };

  // Built-in function -> (f, this, arguments, place) => result of calling it, with what it touches noted.
  const effects = new SafeMap();

  const model = (holder, names, effect) => {
    for (const name of names) {
      const descriptor = ObjectGetOwnPropertyDescriptor(holder, name);
      if (descriptor !== undefined && typeof descriptor.value === "function") effects.set(descriptor.value, effect);
    }
  };

  const isPlainArray = (value) => ArrayIsArray(value) && !proxies.has(value);
  const isPlainObject = (value) => isObject(value) && !proxies.has(value);

  model(Array.prototype, ["concat", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap", "forEach",
    "includes", "indexOf", "join", "lastIndexOf", "map", "reduce", "reduceRight", "slice", "some", "toReversed", "toSorted", "toSpliced",
    "with", "entries", "keys", "values", "at", "toString"], (f, object, args, place) => {
    if (isPlainArray(object)) noteCells(object, place);
    for (let i = 0; i < args.length; i++) if (isPlainArray(args[i])) noteCells(args[i], place);
    return callWith(f, object, args);
  });

  // The cells from the first that changes on, and the length.
  const writing = (first) => (f, object, args, place) => {
    if (!isPlainArray(object) || metaOf(object, place).born === eventNow) return callWith(f, object, args);
    const before = object.length;
    const from = first(object, args);
    noteCells(object, place);
    const result = callWith(f, object, args);
    noteCellsWritten(object, from, place);
    if (object.length !== before) noteLength(metaOf(object, place), object, before, place);
    return result;
  };
  model(Array.prototype, ["shift", "unshift", "sort", "reverse", "fill", "copyWithin"], writing(() => 0));
  model(Array.prototype, ["splice"], writing((array, args) => {
    const start = typeof args[0] === "number" ? args[0] : 0;
    return start < 0 ? MathMax(array.length + start, 0) : MathMin(start, array.length);
  }));
  model(Array.prototype, ["push", "pop"], (f, object, args, place) => {
    const meta = isPlainArray(object) ? metaOf(object, place) : null;
    if (meta === null || meta.born === eventNow) return callWith(f, object, args);
    const before = object.length;
    readEntry(entryOf(meta, object, "length"), before, place, 0);
    if (args.length === 0 && before > 0) readEntry(entryOf(meta, object, before - 1), object[before - 1], place, 0);
    const result = callWith(f, object, args);
    for (let i = before; i < object.length; i++) writeEntry(entryOf(meta, object, i), object[i], place);
    if (object.length !== before) noteLength(meta, object, before, place);
    return result;
  });

  model(Object, ["keys", "getOwnPropertyNames", "getOwnPropertySymbols", "entries", "values", "getOwnPropertyDescriptors"], (f, object, args, place) => {
    if (isPlainObject(args[0])) noteAll(args[0], place);
    return callWith(f, object, args);
  });
  model(Reflect, ["ownKeys"], effects.get(ObjectKeys));
  model(Object, ["assign"], (f, object, args, place) => {
    for (let i = 1; i < args.length; i++) if (isPlainObject(args[i])) noteAll(args[i], place);
    const result = callWith(f, object, args);
    if (isPlainObject(args[0]))
      for (let i = 1; i < args.length; i++) {
        const keys = isPlainObject(args[i]) ? ObjectKeys(args[i]) : [];
        for (let j = 0; j < keys.length && j < MAX_CELLS; j++) noteWrite(args[0], keys[j], peek(args[0], keys[j]), place, true);
      }
    return result;
  });
  const defining = (f, object, args, place) => {
    const key = isObject(args[1]) ? toKey(args[1]) : args[1];
    const result = callWith(f, object, [args[0], key, args[2]]);
    if (isPlainObject(args[0])) noteWrite(args[0], key, peek(args[0], key), place, true);
    return result;
  };
  model(Object, ["defineProperty"], defining);
  model(Reflect, ["defineProperty"], defining);
  model(Object, ["defineProperties"], (f, object, args, place) => {
    const keys = isPlainObject(args[1]) ? ObjectKeys(args[1]) : [];
    const result = callWith(f, object, args);
    if (isPlainObject(args[0])) for (let i = 0; i < keys.length; i++) noteWrite(args[0], keys[i], peek(args[0], keys[i]), place, true);
    return result;
  });
  const asking = (f, object, args, place) => {
    const key = isObject(args[1]) ? toKey(args[1]) : args[1];
    if (isPlainObject(args[0])) noteRead(args[0], key, peek(args[0], key), place);
    return callWith(f, object, args.length === 2 ? [args[0], key] : args);
  };
  model(Object, ["hasOwn", "getOwnPropertyDescriptor"], asking);
  model(Reflect, ["has", "get", "getOwnPropertyDescriptor"], asking);
  model(Object.prototype, ["hasOwnProperty", "propertyIsEnumerable"], (f, object, args, place) => {
    const key = isObject(args[0]) ? toKey(args[0]) : args[0];
    if (isPlainObject(object)) noteRead(object, key, peek(object, key), place);
    return callWith(f, object, [key]);
  });
  model(Reflect, ["set", "deleteProperty"], (f, object, args, place) => {
    const result = callWith(f, object, args);
    if (isPlainObject(args[0]) && !isObject(args[1])) noteWrite(args[0], args[1], args[2], place, true);
    return result;
  });
  model(Array, ["from"], (f, object, args, place) => {
    spread(args[0], place);
    return callWith(f, object, args);
  });
  model(Object, ["fromEntries"], effects.get(Array.from));
  model(Promise, ["all", "allSettled", "any", "race"], effects.get(Array.from));
  model(JSON, ["stringify"], (f, object, args, place) => {
    noteDeep(args[0], place, { left: MAX_CELLS }, 0);
    return callWith(f, object, args);
  });
  const noteDeep = (value, place, budget, depth) => {
    if (!isPlainObject(value) || typeof value === "function" || depth > 32 || budget.left-- <= 0) return;
    const meta = metaOf(value, place);
    if (meta.opaque || meta.host) return;
    noteAll(value, place);
    const keys = ObjectKeys(value);
    for (let i = 0; i < keys.length && budget.left > 0; i++) noteDeep(peek(value, keys[i]), place, budget, depth + 1);
  };

  const touching = (is, size) => ({
    read: (f, object, args, place) => {
      const result = callWith(f, object, args);
      if (is(object)) noteSlot(object, args[0], result, place, false);
      return result;
    },
    write: (value) => (f, object, args, place) => {
      if (!is(object)) return callWith(f, object, args);
      const before = size(object);
      const result = callWith(f, object, args);
      noteSlot(object, args[0], value(args), place, true);
      if (size(object) !== before) noteSize(object, size(object), place, true, before);
      return result;
    },
    all: (f, object, args, place) => {
      if (is(object)) noteEntries(object, place);
      return callWith(f, object, args);
    },
    clear: (f, object, args, place) => {
      if (!is(object)) return callWith(f, object, args);
      noteEntries(object, place);
      const keys = [];
      (is === isMap ? MapForEach : SetForEach)(object, (value, key) => ArrayPush(keys, key));
      const result = callWith(f, object, args);
      for (let i = 0; i < keys.length && i < MAX_CELLS; i++) noteSlot(object, keys[i], undefined, place, true);
      noteSize(object, 0, place, true, keys.length);
      return result;
    },
  });
  for (const [Collection, how] of [[Map, touching(isMap, MapSize)], [Set, touching(isSet, SetSize)]]) {
    model(Collection.prototype, ["get", "has"], how.read);
    model(Collection.prototype, ["set"], how.write((args) => args[1]));
    model(Collection.prototype, ["add"], how.write(() => true));
    model(Collection.prototype, ["delete"], how.write(() => undefined));
    model(Collection.prototype, ["forEach", "keys", "values", "entries", "union", "intersection", "difference"], how.all);
    model(Collection.prototype, ["clear"], how.clear);
  }
  for (const Collection of [WeakMap, WeakSet]) {
    const how = touching(() => true, () => 0);
    model(Collection.prototype, ["get", "has"], how.read);
    model(Collection.prototype, ["set"], how.write((args) => args[1]));
    model(Collection.prototype, ["add"], how.write(() => true));
    model(Collection.prototype, ["delete"], how.write(() => undefined));
  }

  // f.call(o, ...), f.apply(o, [...]), Reflect.apply(f, o, [...]): the built-in is what is called.
  model(Function.prototype, ["call"], (f, object, args, place) => {
    const effect = effects.get(object);
    return effect === undefined ? callWith(f, object, args) : effect(object, args[0], ArraySlice(args, 1), place);
  });
  model(Function.prototype, ["apply"], (f, object, args, place) => {
    const effect = effects.get(object);
    if (effect === undefined || (isObject(args[1]) && !isPlainArray(args[1]))) return callWith(f, object, args);
    return effect(object, args[0], isObject(args[1]) ? ArraySlice(args[1]) : [], place);
  });
  model(Reflect, ["apply"], (f, object, args, place) => {
    const effect = effects.get(args[0]);
    if (effect === undefined || !isPlainArray(args[2])) return callWith(f, object, args);
    return effect(args[0], args[1], ArraySlice(args[2]), place);
  });

  // ---- the log, for the rest of the runtime ----

  const logBegin = (hex) => {
    settle();
    eventNow = ++eventCount;
    eventHex = hex;
    eventOps = 0;
    append(OP_BEGIN, intern(hex), 0, 0);
    tellFrames();
  };

  const logEnd = () => {
    settle();
    eventNow = 0;
    eventHex = "0";
    tellFrames();
  };

  // Frames hear which event runs.
  const followers = upper?.followers ?? [];
  const tellFrames = () => {
    for (let i = 0; i < followers.length; i++) followers[i](eventNow, eventHex, drained);
  };
  const follow = (number, hex, times) => {
    eventNow = number;
    eventHex = hex;
    drained = times;
  };
  if (upper !== null) {
    ArrayPush(followers, follow);
    upper.tell();
  }

  const logRead = (name, value, place) => {
    if (eventNow !== 0) readEntry(entryNamed(name), value, place, value === undefined ? FLAG_FAILED : 0);
  };

  const logWrite = (name, value, place) => {
    if (eventNow !== 0) writeEntry(entryNamed(name), value, place);
  };

  // So many more or fewer of something. An event that reads it, too, has seen how many there were.
  const logAdd = (name, by, place) => {
    if (eventNow === 0) return;
    const entry = entryNamed(name);
    if (entry.read === eventNow || (entry.write === eventNow && entry.add !== eventNow)) writeEntry(entry, UNKNOWN, place);
    else addEntry(entry, 0, by, place);
  };

  const logOp = (kind, flags, target, value, place) => {
    append(kind | (flags << 8), intern(target), value === undefined || value === null ? 0 : intern(value), place);
  };

  const logDrain = (sink) => {
    settle();
    const strings = ArrayJoin(newStrings, "\0");
    const buffer = ops;
    const used = opsUsed;
    newStrings = [];
    opsUsed = 0;
    drained++;
    sink(buffer, used, strings);
  };

  // For `with`: what says yes to every name would take the hooks' place.
  const withoutHooks = (object) => {
    if (!isObject(object) || !ReflectHas(object, "$rw$")) return object;
    return new NativeProxy(object, {
      __proto__: null,
      has: (target, key) => !(typeof key === "string" && StringStartsWith(key, "$rw$")) && ReflectHas(target, key),
      get: (target, key) => ReflectGet(target, key),
      set: (target, key, value) => ReflectSet(target, key, value),
    });
  };

  const hooks = ObjectFreeze({
    __proto__: null,
    g: get,
    ge: (object, key, place) => {
      const value = get(object, key, place);
      return value === NativeEval ? indirectEval : value;
    },
    s: (object, key, place, value) => put(object, key, place, value, true),
    S: (object, key, place, value) => put(object, key, place, value, false),
    a: (object, key, place) => new Slot(object, key, place, true),
    A: (object, key, place) => new Slot(object, key, place, false),
    b: (object, key, place) => new Target(object, key, place, true),
    B: (object, key, place) => new Target(object, key, place, false),
    m: (object, key, place) => new Call(object, getMethod(object, key, place), place),
    M: (object, key, place) => new ModelledCall(object, getMethod(object, key, place), place),
      me: (object, key, place) => {
      const value = getMethod(object, key, place);
      return new Call(object, value === NativeEval ? indirectEval : value, place);
    },
    q: (value) => new Chain(value),
    d: (object, key, place) => remove(object, key, place, true),
    ds: (object, key, place) => remove(object, key, place, false),
    dq: (value) => (value === undefined ? true : value),
    i: has,
    sp: spread,
    of: iterated,
    ks: keysOf,
    D: destructure,
    Df: destructureFresh,
    L: loopWrites,
    h: privateRead,
    hw: privateWrite,
    hu: (object, key, place) => privateWrite(privateRead(object, key, place), key, place),
    G: globalRead,
    U: (zero, name, value, place) => globalRead(name, value, place),
    Gc: (name, value, place) => callable(globalRead(name, value, place), place),
    Uc: (zero, name, value, place) => callable(globalRead(name, value, place), place),
    rc: (scope, name, value, place) => callable(scopeRead(scope, name, value, place), place),
    nc: constructible,
    u: missing,
    W: globalWrite,
    K: (name, old, value, place) => {
      globalRead(name, old, place);
      return globalWrite(name, value, place);
    },
    Kl: (which, name, old, value, place) => {
      globalRead(name, old, place);
      return assigned(which, old) ? globalWrite(name, value, place) : value;
    },
    Ku: (name, old, result, value, place) => {
      globalRead(name, old, place);
      globalWrite(name, value, place);
      return result;
    },
    Kn: globalCount,
    kn: scopeCount,
    c: (object, key, place, by) => count(object, key, place, by, true),
    C: (object, key, place, by) => count(object, key, place, by, false),
    F: (name, value, place) => {
      globalWrite(name, value, place);
    },
    V: (name, value, place) => {
      globalWrite(name, value, place);
    },
    r: scopeRead,
    w: scopeWrite,
    k: (scope, name, old, value, place) => {
      scopeRead(scope, name, old, place);
      return scopeWrite(scope, name, value, place);
    },
    kl: (which, scope, name, old, value, place) => {
      scopeRead(scope, name, old, place);
      return assigned(which, old) ? scopeWrite(scope, name, value, place) : value;
    },
    ku: (scope, name, old, result, value, place) => {
      scopeRead(scope, name, old, place);
      scopeWrite(scope, name, value, place);
      return result;
    },
    n: made,
    nn: constructed,
    t: begun,
    I: scopeMade,
    o: registerSource,
    e: directEval,
    wi: withoutHooks,
    imp: (promise) => (typeof wrapImport === "function" ? wrapImport(promise) : promise),
    H: (zero, value) => value,
    id: (value) => value,
  });

  // The global object and what it holds before the page adds to it.
  const nameBuiltins = () => {
    const register = (object, name, host) => {
      if (!isObject(object) || metas.has(object)) return;
      const meta = new Meta(-1, 0, 0, "builtin");
      meta.name = name;
      meta.builtin = true;
      meta.host = host;
      metas.set(object, meta);
    };
    const root = new Meta(-1, 0, 0, "window");
    root.name = realmName;
    root.host = typeof EventTarget === "function";
    metas.set(globalThis, root);
    for (const name of ObjectGetOwnPropertyNames(globalThis)) {
      const descriptor = ObjectGetOwnPropertyDescriptor(globalThis, name);
      if (!ObjectHasOwn(descriptor, "value") || !isObject(descriptor.value)) continue;
      register(descriptor.value, name, false);
      if (typeof descriptor.value === "function") {
        const prototype = ObjectGetOwnPropertyDescriptor(descriptor.value, "prototype");
        if (prototype !== undefined && isObject(prototype.value)) register(prototype.value, name + ".prototype", !languageNames.has(name));
      }
    }
  };
  const languageNames = new SafeSet();
  for (const name of ["Object", "Function", "Array", "Number", "Boolean", "String", "Symbol", "BigInt", "Math", "JSON", "Date", "RegExp",
    "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "Map", "Set",
    "WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Promise", "Proxy", "Reflect", "ArrayBuffer", "SharedArrayBuffer",
    "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
    "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array", "Intl", "Iterator", "Atomics", "WebAssembly"])
    languageNames.add(name);
  nameBuiltins();

  return {
    accessHooks: hooks,
    logBegin,
    logEnd,
    logRead,
    logWrite,
    logAdd,
    logOp,
    logDrain,
    logLimit: () => logCut,
    lexicalNames,
    logRealm,
    nameOf,
    describeValue,
    disguise,
    placeOfCall,
    UNKNOWN_VALUE: UNKNOWN,
    logLeave: () => {
      const at = ArrayIndexOf(followers, follow);
      if (at >= 0) ArraySplice(followers, at, 1);
      follow(0, "0", drained);
    },
    sharedLog: { metas, proxies, byName, intern, append, amend, ordinalAt, keepLast, scripts, followers, calls, tell: tellFrames, UNKNOWN },
  };
})();
