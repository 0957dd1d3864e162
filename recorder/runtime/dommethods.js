// SPDX-License-Identifier: MIT
// The DOM as locations: methods. Each native stays what it is; what it touched is logged after it has returned.
(() => {
  const { realm, flush, nameNode, isFresh, birthOf, tokensOf, logForm } = dom;
  const { collections, owners, active, readChildren, stored, storeName, isConnected, nodeType, hrefOf } = domReads;
  const failed = new SafeSet();

  // after (this, arguments, result, place); before, if given, runs first and hands its result on as the last argument.
  function stand(Type, names, after, before) {
    const prototype = typeof Type === "function" ? Type.prototype : Type;
    if (!prototype) return;
    for (const name of StringSplit(names, " ")) {
      const descriptor = ObjectGetOwnPropertyDescriptor(prototype, name);
      if (descriptor === undefined || typeof descriptor.value !== "function") continue;
      const original = descriptor.value;
      const method = { method(...args) {
        if (!active()) return ReflectApply(original, this, args);
        const place = placeOfCall(method);
        const earlier = before === undefined ? undefined : quietCall(before, this, args, undefined, place, undefined, name);
        const result = ReflectApply(original, this, args);
        if (active()) quietCall(after, this, args, result, place, earlier, name);
        return result;
      } }.method;
      replace(prototype, name, method, original);
    }
  }
  // A defect here must not become the page's: it is counted as a hole instead.
  function quietCall(f, self, args, result, place, earlier, name) {
    try {
      return f(self, args, result, place, earlier);
    } catch (error) {
      if (!failed.has(name)) scheduler.holes.push("not logged: " + name + " (" + error + ")");
      failed.add(name);
      return undefined;
    }
  }

  // ---- look-ups -------------------------------------------------------------------------------------------------------------

  const found = value => value === null || value === undefined || value.length === 0 ? undefined : UNKNOWN_VALUE;

  stand(Document, "getElementById", (self, args, result, place) => {
    if (self === document) logRead(realm + "#" + args[0], result ?? undefined, place);
  });
  stand(DocumentFragment, "getElementById", () => {});

  // The ids, classes, attributes and tags that a selector names; tags count only where nothing else narrows it down.
  const parsed = new SafeMap();
  function locationsOf(selector) {
    let list = parsed.get(selector);
    if (list !== undefined) return list;
    list = [];
    const plain = /\\.|"[^"]*"|'[^']*'|:[\w-]+|\[\s*([\w-]+)[^\]]*\]|([#.])((?:[\w-]|[^\x00-\x7f])+)|([a-zA-Z][\w-]*)|[\s>+~,]+/g;
    let last = null, narrowed = false, match;
    const endCompound = () => {
      if (last !== null && !narrowed) ArrayPush(list, "<" + StringToLowerCase(last) + ">");
      last = null;
      narrowed = false;
    };
    while ((match = RegExpExec(plain, selector)) !== null) {
      if (match[1] !== undefined) {
        const named = RegExpExec(/^\[\s*name\s*=\s*["']?([^"'\]]+)["']?\s*\]$/, match[0]);
        ArrayPush(list, named !== null ? "[name=" + named[1] + "]" : "[" + match[1] + "]");
        narrowed = named !== null || narrowed;
      } else if (match[2] !== undefined) {
        ArrayPush(list, match[2] + match[3]);
        narrowed = true;
      } else if (match[4] !== undefined) last = match[4];
      else if (RegExpExec(/^[\s>+~,]+$/, match[0]) !== null) endCompound();
    }
    endCompound();
    if (parsed.size < 10000) parsed.set(selector, list);
    return list;
  }
  function looked(self, args, result, place) {
    if (!isConnected(self)) return;
    const list = locationsOf(NativeString(args[0]));
    for (let i = 0; i < list.length; i++) {
      const id = list[i][0] === "#";
      logRead(realm + list[i], id && list.length === 1 && dom.isNode(result) ? result : found(result), place);
    }
  }
  for (const Type of [Document, Element]) stand(Type, "querySelector querySelectorAll", looked);

  function tested(self, args, result, place) {
    const list = locationsOf(NativeString(args[0]));
    for (let node = self; node !== null && nodeType(node) === 1; node = parentOf(node)) {
      if (!isFresh(node))
        for (let i = 0; i < list.length; i++)
          if (list[i][0] === ".") logRead(nameNode(node) + ".class." + StringSlice(list[i], 1), UNKNOWN_VALUE, place);
      if (result === true || result === false || node === result) return;
    }
  }
  const parentOf = dom.getter(Node, "parentNode");
  stand(Element, "matches webkitMatchesSelector closest", tested);

  const live = (self, result, location, place) => {
    collections.set(result, location);
    if (isConnected(self)) logRead(location, found(result), place);
  };
  for (const Type of [Document, Element]) {
    stand(Type, "getElementsByTagName", (self, args, result, place) =>
      live(self, result, realm + "<" + StringToLowerCase(NativeString(args[0])) + ">", place));
    stand(Type, "getElementsByTagNameNS", (self, args, result, place) => live(self, result, realm + "<" + args[1] + ">", place));
    stand(Type, "getElementsByClassName", (self, args, result, place) =>
      live(self, result, realm + "." + (tokensOf(NativeString(args[0]))[0] ?? ""), place));
  }
  stand(Document, "getElementsByName", (self, args, result, place) => live(self, result, realm + "[name=" + args[0] + "]", place));
  stand(HTMLCollection, "namedItem", (self, args, result, place) => logRead(realm + "[name=" + args[0] + "]", found(result), place));
  for (const Type of [HTMLCollection, NodeList])
    stand(Type, "item forEach entries keys values", (self, args, result, place) => {
      const location = collections.get(self);
      if (location !== undefined) logRead(location, UNKNOWN_VALUE, place);
    });

  // ---- reading nodes ----------------------------------------------------------------------------------------------------------

  stand(Node, "hasChildNodes contains", (self, args, result, place) => readChildren(self, place));
  stand(Element, "getAttribute hasAttribute", (self, args, result, place) => {
    if (!isFresh(self)) logRead(nameNode(self) + "[" + StringToLowerCase(NativeString(args[0])) + "]", result ?? undefined, place);
  });
  stand(DOMTokenList, "contains", (self, args, result, place) => {
    const node = owners.get(self);
    if (node !== undefined && !isFresh(node)) logRead(nameNode(node) + ".class." + args[0], result ? true : undefined, place);
  });
  stand(CSSStyleDeclaration, "getPropertyValue", (self, args, result, place) => {
    const node = owners.get(self);
    if (node !== undefined && !isFresh(node)) logRead(nameNode(node) + ".style." + args[0], result, place);
  });

  // ---- changing nodes ---------------------------------------------------------------------------------------------------------

  // In the document the observer says what happened; outside it, the children of the node are what changes.
  const changes = (self, args, result, place) => {
    flush(place);
    if (!isConnected(self) && !isFresh(self)) logWrite(nameNode(self) + ".children", UNKNOWN_VALUE, place);
  };
  const flushes = (self, args, result, place) => flush(place);
  stand(Node, "appendChild insertBefore removeChild replaceChild normalize", changes);
  for (const Type of [Element, Document, DocumentFragment]) stand(Type, "append prepend replaceChildren", changes);
  for (const Type of [Element, CharacterData, DocumentType]) stand(Type, "before after replaceWith remove", flushes);
  stand(Element, "insertAdjacentHTML insertAdjacentElement insertAdjacentText setHTMLUnsafe", changes);
  stand(CharacterData, "appendData insertData deleteData replaceData", flushes);
  stand(globalThis.Text, "splitText", flushes);
  stand(Range, "insertNode deleteContents extractContents surroundContents", flushes);
  stand(HTMLTableElement, "insertRow deleteRow createTHead createTBody deleteTHead", flushes);
  stand(HTMLTableSectionElement, "insertRow deleteRow", flushes);
  stand(HTMLTableRowElement, "insertCell deleteCell", flushes);
  stand(HTMLSelectElement, "add remove", flushes);
  stand(Document, "write writeln execCommand", flushes);
  stand(DOMTokenList, "add remove toggle replace", flushes);
  stand(CSSStyleDeclaration, "setProperty removeProperty", flushes);
  stand(Element, "setAttribute setAttributeNS removeAttribute removeAttributeNS toggleAttribute setAttributeNode", (self, args, result, place) => {
    flush(place);
    if (isConnected(self)) return;
    if (!isFresh(self)) logWrite(nameNode(self) + "[" + args[0] + "]", UNKNOWN_VALUE, place);
    if (args[0] === "src" || args[0] === "srcset") dom.quietly(() => documents.sourceChanged(self, args[0]));
  });
  stand(Element, "attachShadow", (self, args, result) => dom.watch(result));

  // Who made a node: names depend on it.
  const made = (self, args, result) => { birthOf(result); };
  stand(Document, "createElement createElementNS createTextNode createComment createDocumentFragment importNode adoptNode", made);
  stand(Node, "cloneNode", made);

  // ---- forms, focus, scrolling --------------------------------------------------------------------------------------------------

  const elementsOf = dom.getter(HTMLFormElement, "elements");
  const lengthOf = dom.getter(HTMLCollection, "length");
  const itemOf = uncurry(HTMLCollection.prototype.item);
  const fields = (form, f) => {
    const list = elementsOf(form), n = MathMin(lengthOf(list), 1000);
    for (let i = 0; i < n; i++) f(itemOf(list, i));
  };
  stand(HTMLFormElement, "reset", (self, args, result, place) => fields(self, field => logForm(field, place)));
  const readFields = (form, place) => fields(form, field => {
    const state = isFresh(field) ? null : dom.stateOf(field);
    if (state !== null) logRead(nameNode(field) + "." + state[0], state[1], place);
  });
  stand(HTMLFormElement, "submit requestSubmit checkValidity reportValidity", (self, args, result, place) => readFields(self, place));
  listenNatively(window, "submit", event => {
    const form = targetOf(event);
    if (active() && dom.isNode(form)) quietCall(self => readFields(self, 0), form, [], undefined, 0, undefined, "submit");
  }, true);
  const targetOf = dom.getter(Event, "target");
  const RealFormData = FormData;
  const formData = function FormData(form, ...rest) {
    if (new.target === undefined) return RealFormData(form);
    const data = ReflectConstruct(RealFormData, form === undefined ? [] : [form, ...rest], new.target);
    if (form !== undefined && active()) quietCall(self => readFields(self, 0), form, [], data, 0, undefined, "FormData");
    return data;
  };
  formData.prototype = RealFormData.prototype;
  ObjectDefineProperty(formData, "prototype", { writable: false });
  replace(globalThis, "FormData", formData, RealFormData);
  ObjectDefineProperty(RealFormData.prototype, "constructor", { value: formData, writable: true, enumerable: false, configurable: true });
  stand(Element, "scrollIntoView scrollIntoViewIfNeeded", (self, args, result, place) => logWrite(realm + "window.scroll", UNKNOWN_VALUE, place));
  stand(Element, "scroll scrollTo scrollBy", (self, args, result, place) => {
    logWrite(nameNode(self) + ".scroll", UNKNOWN_VALUE, place);
    completions.scrolled(self);
  });
  stand(globalThis, "scroll scrollTo scrollBy", (self, args, result, place) => {
    logWrite(realm + "window.scroll", UNKNOWN_VALUE, place);
    completions.scrolled(document);
  });

  // ---- storage, history ---------------------------------------------------------------------------------------------------------

  stand(Storage, "getItem", (self, args, result, place) => logRead(storeName(self) + "." + args[0], result ?? undefined, place));
  stand(Storage, "setItem", (self, args, result, place) => stored(self, args[0], NativeString(args[1]), place));
  stand(Storage, "removeItem", (self, args, result, place) => stored(self, args[0], undefined, place));
  stand(Storage, "key", (self, args, result, place) => logRead(storeName(self) + "{keys}", UNKNOWN_VALUE, place));
  stand(Storage, "clear", (self, args, result, place, keys) => {
    for (let i = 0; i < keys.length; i++) stored(self, keys[i], undefined, place);
    logAdd(storeName(self) + "{keys}", 1, place);
  }, self => ObjectKeys(self));
  stand(History, "pushState replaceState", (self, args, result, place) => {
    logWrite(realm + "location", hrefOf(location), place);
    logWrite(realm + "history.state", UNKNOWN_VALUE, place);
    logWrite(realm + "history.length", self.length, place);
  });
})();
