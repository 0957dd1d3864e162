// SPDX-License-Identifier: MIT
// The DOM as locations: what page code reads and writes of it, by property (access.js asks here) and by method.
const domReads = (() => {
  const { realm, flush, nameNode, isFresh, birthOf, formWritten, getter, formTags } = dom;
  const READ = 0;
  const nodeType = getter(Node, "nodeType");
  const parentOf = getter(Node, "parentNode");
  const localName = getter(Element, "localName");
  const isConnected = getter(Node, "isConnected");
  const collections = new SafeWeakMap(); // live list -> the location that it shows
  const owners = new SafeWeakMap();      // style, class list, data set -> its element
  const page = document;
  const store = { __proto__: null };
  for (const name of ["localStorage", "sessionStorage"])
    try { store[name] = globalThis[name]; } catch { store[name] = null; } // a sandboxed frame has none
  const storeName = storage => realm + (storage === store.sessionStorage ? "sessionStorage" : "localStorage");
  const active = () => scheduler.current !== null && !dom.quiet;

  const set = text => {
    const result = { __proto__: null };
    for (const name of StringSplit(text, " ")) result[name] = true;
    return result;
  };
  const childKeys = set("childNodes children firstChild lastChild firstElementChild lastElementChild childElementCount options rows cells tBodies");
  const siblingKeys = set("nextSibling previousSibling nextElementSibling previousElementSibling");
  const parentKeys = set("parentNode parentElement isConnected");
  const textKeys = set("textContent innerText innerHTML outerHTML outerText text data nodeValue wholeText");
  const formKeys = set("value checked selectedIndex indeterminate valueAsNumber valueAsDate selected files");
  const ownedKeys = set("style classList dataset relList");
  const scrollKeys = set("scrollTop scrollLeft");
  // What never changes, what is a matter of layout, and what leads to something that is logged itself.
  const silentKeys = set("nodeType nodeName tagName localName namespaceURI prefix ownerDocument baseURI attributes shadowRoot sheet content " +
    "contentDocument contentWindow form labels elements naturalWidth naturalHeight offsetWidth offsetHeight offsetTop offsetLeft offsetParent " +
    "clientWidth clientHeight clientTop clientLeft scrollWidth scrollHeight validity willValidate validationMessage currentSrc " +
    "implementation defaultView documentElement timeline fonts currentScript visibilityState hidden readyState compatMode characterSet " +
    "contentType doctype scrollingElement domain referrer styleSheets adoptedStyleSheets URL documentURI lastModified");
  const attributeNames = { __proto__: null, htmlFor: "for", httpEquiv: "http-equiv", acceptCharset: "accept-charset", className: "class",
    defaultValue: "value", defaultChecked: "checked", defaultSelected: "selected" };
  const listTags = { __proto__: null, forms: "form", images: "img", links: "a", anchors: "a", scripts: "script", embeds: "embed", plugins: "embed" };

  // ---- nodes ----------------------------------------------------------------------------------------------------------------

  function readChildren(node, place) {
    if (!isFresh(node)) logRead(nameNode(node) + ".children", UNKNOWN_VALUE, place);
  }
  const MAX_DEEP = 64;
  const allInside = uncurry(Element.prototype.querySelectorAll);
  const listLength = getter(NodeList, "length");
  const listItem = uncurry(NodeList.prototype.item);

  // The text of an element is that of everything in it.
  function readDeep(node, place) {
    if (nodeType(node) === 3) {
      const parent = parentOf(node);
      if (parent !== null && !isFresh(parent)) logRead(nameNode(parent) + ".text", UNKNOWN_VALUE, place);
      return;
    }
    const one = element => {
      if (isFresh(element)) return;
      logRead(nameNode(element) + ".children", UNKNOWN_VALUE, place);
      logRead(nameNode(element) + ".text", UNKNOWN_VALUE, place);
    };
    one(node);
    if (nodeType(node) !== 1) return;
    const inside = allInside(node, "*"), n = MathMin(listLength(inside), MAX_DEEP);
    for (let i = 0; i < n; i++) one(listItem(inside, i));
  }

  function formLocation(node, key) {
    const tag = localName(node);
    if (tag === "option" && key === "selected") {
      const select = closest(node, "select");
      return select === null ? null : nameNode(select) + ".value";
    }
    if (formTags[tag] === undefined) return null;
    if (key === "valueAsNumber" || key === "valueAsDate" || key === "files") key = "value";
    return nameNode(node) + "." + (tag === "select" && key === "selectedIndex" ? "value" : key);
  }
  const closest = uncurry(Element.prototype.closest);

  function readNode(node, key, value, place) {
    if (childKeys[key]) {
      if (isObject(value)) collections.set(value, nameNode(node) + ".children");
      return readChildren(node, place), true;
    }
    if (siblingKeys[key]) {
      const parent = parentOf(node);
      if (parent !== null) readChildren(parent, place);
      return true;
    }
    if (ownedKeys[key] && isObject(value)) return owners.set(value, node), true;
    if (node === page) return readDocument(key, value, place);
    if (isFresh(node) || silentKeys[key]) return true;
    if (parentKeys[key]) return logRead(nameNode(node) + ".parent", value ?? undefined, place), true;
    if (textKeys[key]) return readDeep(node, place), true;
    if (nodeType(node) !== 1) return false;
    return readElement(node, key, value, place);
  }
  function readElement(node, key, value, place) {
    if (scrollKeys[key]) return logRead(nameNode(node) + ".scroll", UNKNOWN_VALUE, place), true;
    if (formKeys[key]) {
      const location = formLocation(node, key);
      if (location !== null) return logRead(location, value, place), true;
    }
    if (dom.isNamed(value, key)) return logRead(realm + "[name=" + key + "]", UNKNOWN_VALUE, place), true;
    if (ObjectHasOwn(node, key)) return false;
    if (isHandler(key)) return logRead(nameNode(node) + "@" + StringSlice(key, 2), value ?? undefined, place), true;
    if (isObject(value)) return true;
    if (value === undefined) return localName(node) === "form" ? (logRead(realm + "[name=" + key + "]", undefined, place), false) : false;
    return logRead(nameNode(node) + "[" + attributeOf(key) + "]", value, place), true;
  }
  const isObject = value => typeof value === "object" && value !== null;
  const isHandler = key => key.length > 2 && key[0] === "o" && key[1] === "n";
  const attributeOf = key => attributeNames[key] ??
    (StringStartsWith(key, "aria") && key.length > 4 ? "aria-" + StringToLowerCase(StringSlice(key, 4)) : StringToLowerCase(key));

  function readDocument(key, value, place) {
    if (key === "body" || key === "title" || key === "activeElement" || key === "cookie")
      return logRead(realm + "document." + key, value ?? undefined, place), true;
    if (key === "head" || silentKeys[key] || key === "location") return true;
    if (listTags[key] !== undefined) {
      collections.set(value, realm + "<" + listTags[key] + ">");
      return logRead(realm + "<" + listTags[key] + ">", UNKNOWN_VALUE, place), true;
    }
    if (dom.isNamed(value, key)) return logRead(realm + "[name=" + key + "]", UNKNOWN_VALUE, place), true;
    return false;
  }

  function writeNode(node, key, value, place) {
    flush(place);
    if (node === page) return writeDocument(key, value, place);
    if (isFresh(node)) return true;
    if (nodeType(node) === 1 && scrollKeys[key]) return logWrite(nameNode(node) + ".scroll", value, place), completions.scrolled(node), true;
    if (nodeType(node) === 1 && formKeys[key]) formWritten(node, place);
    if (!isConnected(node)) writeDetached(node, key, place);
    return !ObjectHasOwn(node, key);
  }
  // No observer sees a tree that is not in the document.
  function writeDetached(node, key, place) {
    if (ObjectHasOwn(node, key) || isHandler(key)) return;
    if (textKeys[key]) logWrite(nameNode(node) + ".children", UNKNOWN_VALUE, place);
    else if (nodeType(node) === 1) logWrite(nameNode(node) + "[" + attributeOf(key) + "]", UNKNOWN_VALUE, place);
  }
  function writeDocument(key, value, place) {
    if (key === "cookie") {
      const text = NativeString(value), equals = StringIndexOf(text, "=");
      logWrite(realm + "cookie." + StringTrim(StringSlice(text, 0, equals < 0 ? text.length : equals)), UNKNOWN_VALUE, place);
      logAdd(realm + "document.cookie", 1, place);
    }
    return !ObjectHasOwn(page, key);
  }

  // ---- what belongs to a node, and what belongs to the window -------------------------------------------------------------------

  const dashed = key => {
    let text = "";
    for (let i = 0; i < key.length; i++) text += key[i] >= "A" && key[i] <= "Z" ? "-" + StringToLowerCase(key[i]) : key[i];
    return text;
  };
  const kinds = {
    __proto__: null,
    node: (kind, node, key, value, place) => kind === READ ? readNode(node, key, value, place) : writeNode(node, key, value, place),
    style(kind, style, key, value, place) {
      const node = owners.get(style);
      if (kind !== READ) flush(place);
      else if (node !== undefined && !isFresh(node) && key !== "cssText") logRead(nameNode(node) + ".style." + dashed(key), value, place);
      else if (node !== undefined && !isFresh(node)) logRead(nameNode(node) + "[style]", UNKNOWN_VALUE, place);
      return true;
    },
    tokens(kind, list, key, value, place) {
      const node = owners.get(list);
      if (kind !== READ) flush(place);
      else if (node !== undefined && !isFresh(node)) logRead(nameNode(node) + "[class]", UNKNOWN_VALUE, place);
      return true;
    },
    data(kind, data, key, value, place) {
      const node = owners.get(data);
      if (kind !== READ) flush(place);
      else if (node !== undefined && !isFresh(node)) logRead(nameNode(node) + "[data-" + dashed(key) + "]", value, place);
      return true;
    },
    list(kind, list, key, value, place) {
      const location = collections.get(list);
      if (location !== undefined) logRead(location, UNKNOWN_VALUE, place);
      if (typeof key === "string" && value !== undefined && dom.isNode(value) && !isDigits(key)) logRead(realm + "[name=" + key + "]", UNKNOWN_VALUE, place);
      return true;
    },
    storage(kind, storage, key, value, place) {
      if (key === "length") logRead(storeName(storage) + "{keys}", UNKNOWN_VALUE, place);
      else if (kind === READ) logRead(storeName(storage) + "." + key, value, place);
      else stored(storage, key, value === undefined ? undefined : NativeString(value), place);
      return true;
    },
    location(kind, location, key, value, place) {
      if (kind === READ) logRead(realm + "location", hrefOf(location), place);
      else logWrite(realm + "location", hrefOf(location), place);
      return true;
    },
    history(kind, history, key, value, place) {
      if (key === "length" || key === "state") logRead(realm + "history." + key, value, place);
      return true;
    },
    silent: () => true,
  };
  kinds.node.nameNode = nameNode;
  const hrefOf = uncurry(ObjectGetOwnPropertyDescriptor(location, "href").get);
  const isDigits = text => RegExpExec(/^\d+$/, text) !== null;
  function stored(storage, key, value, place) {
    logWrite(storeName(storage) + "." + key, value, place);
    logAdd(storeName(storage) + "{keys}", 1, place);
  }

  // Prototype -> what to do; found once for each.
  const byPrototype = $rwRoot !== null ? $rwRoot.prototypes : new SafeWeakMap();
  const known = (Type, kind) => { if (Type !== undefined) byPrototype.set(Type.prototype, kind); };
  known(globalThis.Node, kinds.node);
  known(globalThis.CSSStyleDeclaration, kinds.style);
  known(globalThis.DOMTokenList, kinds.tokens);
  known(globalThis.DOMStringMap, kinds.data);
  known(globalThis.HTMLCollection, kinds.list);
  known(globalThis.NodeList, kinds.list);
  known(globalThis.Storage, kinds.storage);
  known(globalThis.Location, kinds.location);
  known(globalThis.History, kinds.history);
  for (const name of ["Event", "Range", "Selection", "DOMRect", "DOMRectReadOnly", "NamedNodeMap", "Attr", "Navigator", "Performance", "Screen",
    "MutationRecord", "NodeIterator", "TreeWalker", "StyleSheet", "CSSRule", "MediaList"]) known(globalThis[name], kinds.silent);
  byPrototype.set(ObjectPrototype, null);

  // HTMLInputElement.prototype and its like have a prototype of the right kind, and are no nodes.
  function isInstance(object) {
    if (dom.isNode(object)) return true;
    try { return nodeType(object) > 0; } catch { return false; }
  }
  function instanceKind(object) {
    const kind = kindOf(object);
    return kind !== null && kind.nameNode !== undefined && !isInstance(object) ? null : kind;
  }
  function kindOf(object) {
    const prototype = ReflectGetPrototypeOf(object);
    if (prototype === null) return null;
    let kind = byPrototype.get(prototype);
    if (kind === undefined) {
      kind = kindOf(prototype);
      byPrototype.set(prototype, kind);
    }
    return kind;
  }
  const windowSilent = set("document location history navigator localStorage sessionStorage performance screen window self top parent frames " +
    "innerWidth innerHeight outerWidth outerHeight devicePixelRatio crypto customElements event frameElement");
  const windowScroll = set("scrollX scrollY pageXOffset pageYOffset");

  function access(kind, object, key, value, place) {
    if (dom.quiet) return true;
    if (object === globalThis) {
      if (windowSilent[key] && kind === READ) return true;
      if (windowScroll[key]) return logRead(realm + "window.scroll", UNKNOWN_VALUE, place), true;
      if (kind === READ) global(key, value, place);
      return false;
    }
    const handle = instanceKind(object);
    if (handle === null) return false;
    if (typeof key !== "string" && handle !== kinds.list) return handle === kinds.node && isFresh(object);
    return handle(kind, object, key, value, place);
  }

  // A name that is not a variable may be that of an element.
  function global(name, value, place) {
    if (dom.quiet || typeof name !== "string" || !(value === undefined || dom.isNamed(value, name))) return;
    logRead(realm + "#" + name, value, place);
  }

  function name(object) {
    const handle = instanceKind(object);
    if (handle !== null && handle.nameNode !== undefined) return handle.nameNode(object); // a frame's nodes are named by the frame
    if (handle === kinds.storage) return storeName(object);
    if (handle === kinds.location) return realm + "location";
    if (handle === kinds.history) return realm + "history";
    const owner = owners.get(object);
    return owner === undefined ? null : nameNode(owner) + "." + (handle === kinds.style ? "style" : handle === kinds.data ? "dataset" : "classList");
  }

  return { byPrototype, access, global, name, collections, owners, active, readChildren, stored, storeName, isConnected, nodeType, hrefOf };
})();

function domAccess(kind, object, key, value, place) { return domReads.access(kind, object, key, value, place); }
function domGlobal(name, value, place) { domReads.global(name, value, place); }
function domName(object) { return domReads.name(object); }
