// SPDX-License-Identifier: MIT
// The DOM as locations: what changes in the document, whoever changes it.
//
// Changes are seen by one MutationObserver. Its records are taken at once after a call that page code makes, so that they carry
// the place of the call; what is left (the parser's work, natives that nobody stands in for) comes by itself at the end of the task.
//   #id            the element with this id: its name, or nothing
//   <tag> .class [name=x]   how many there are: insertions add to it, so they commute; look-ups read it
//   N.children N.text N.parent N[attribute] N.class.token N.style.property N.value N.checked   of a node N
// A node is named by who made it: `div#stage` came with the document, `li<0a1b2c3d#2>` is the third li that event 0a1b2c3d made.
// What was made in the event that runs now is not logged, as in access.js; that it is found from now on is.
const dom = (() => {
  const realm = scheduler.realm ?? "";
  const getter = (Type, name) => uncurry(ObjectGetOwnPropertyDescriptor(Type.prototype, name).get);
  const parentOf = getter(Node, "parentNode");
  const nodeType = getter(Node, "nodeType");
  const isConnected = getter(Node, "isConnected");
  const firstChild = getter(Node, "firstChild");
  const nextSibling = getter(Node, "nextSibling");
  const dataOf = getter(CharacterData, "data");
  const localName = getter(Element, "localName");
  const idOf = getter(Element, "id");
  const classOf = getter(Element, "className");
  const getAttribute = uncurry(Element.prototype.getAttribute);
  const getById = uncurry(Document.prototype.getElementById);
  const titleOf = getter(Document, "title");
  const bodyOf = getter(Document, "body");
  const listLength = getter(NodeList, "length");
  const listItem = uncurry(NodeList.prototype.item);
  const allInside = uncurry(Element.prototype.querySelectorAll);
  const takeRecords = uncurry(MutationObserver.prototype.takeRecords);
  const record = {};
  for (const name of ["type", "target", "addedNodes", "removedNodes", "attributeName", "oldValue"])
    record[name] = getter(MutationRecord, name);
  const page = document;
  const MAX_NODES = 20000; // looked at after one change

  let quiet = 0; // the runtime itself looks at the document

  // ---- names ----------------------------------------------------------------------------------------------------------------

  class Birth {
    constructor(event, tag, ordinal) {
      this.event = event;
      this.tag = tag;
      this.ordinal = ordinal;
      this.id = "";
      this.name = null;
      this.second = false; // its id was taken
    }
  }
  const births = new SafeWeakMap();
  let newborn = [];
  let counts = new SafeMap();

  function birthOf(node) {
    let birth = births.get(node);
    if (birth === undefined) {
      const tag = nodeType(node) === 1 ? localName(node) : nodeType(node) === 3 ? "text" : nodeType(node) === 11 ? "fragment" : "node";
      const ordinal = counts.get(tag) ?? 0;
      counts.set(tag, ordinal + 1);
      birth = new Birth(scheduler.current, tag, ordinal);
      births.set(node, birth);
      newborn[newborn.length] = node;
    }
    return birth;
  }
  function isFresh(node) {
    if (node === page) return false;
    const birth = births.get(node) ?? birthOf(node);
    return birth.event === scheduler.current && birth.event !== null;
  }
  // An event has ended: the ids that its nodes have now are theirs for good, as far as names go.
  scheduler.hooks.after.push(() => {
    if (current() !== null) flush(0);
    for (let i = 0; i < newborn.length; i++) if (nodeType(newborn[i]) === 1) christen(newborn[i], births.get(newborn[i]));
    newborn = [];
    counts = new SafeMap();
  });
  const current = () => scheduler.current;
  const taken = new SafeSet();
  function christen(element, birth) {
    birth.id = idOf(element);
    if (birth.id === "" || birth.event === null || birth.event.segment === undefined) return;
    birth.second = taken.has(birth.tag + "#" + birth.id);
    taken.add(birth.tag + "#" + birth.id);
  }

  function nameNode(node) {
    if (node === page) return realm + "document";
    const birth = births.get(node) ?? birthOf(node);
    if (birth.name !== null) return birth.name;
    const fresh = birth.event === current();
    if (fresh && nodeType(node) === 1) birth.id = idOf(node);
    const name = realm + nameBy(birth, birth.tag, birth.event);
    if (!fresh) birth.name = name;
    return name;
  }
  function nameBy(birth, tag, event) {
    if (event === null) return tag + "<0#" + birth.ordinal + ">";
    if (event.segment === undefined) return tag + (birth.id && "#" + birth.id) + "<" + StringSlice(event.id, 0, 8) + "#" + birth.ordinal + ">";
    if (birth.id !== "" && !birth.second) return tag + "#" + birth.id;
    if (tag === "html" || tag === "head" || tag === "body") return tag;
    return tag + "<" + event.segment + "#" + birth.ordinal + ">";
  }

  // ---- changes --------------------------------------------------------------------------------------------------------------

  const observer = new MutationObserver(records => seen(records, 0));
  const wanted = { childList: true, subtree: true, characterData: true, attributes: true, attributeOldValue: true };
  const observe = uncurry(MutationObserver.prototype.observe);
  observe(observer, page, wanted);

  function flush(place) {
    const records = takeRecords(observer);
    if (records.length > 0) seen(records, place);
  }
  function seen(records, place) {
    if (current() === null) return;
    const counted = new SafeSet();
    for (let i = 0; i < records.length; i++) {
      const type = record.type(records[i]), target = record.target(records[i]);
      if (type === "childList") childrenChanged(records[i], target, place, counted);
      else if (type === "attributes") attributeChanged(target, record.attributeName(records[i]), record.oldValue(records[i]), place);
      else textChanged(target, place);
    }
  }

  // Text that is all there is of an element can be compared; anything else is told apart by its nodes.
  function childrenValue(target) {
    const child = firstChild(target);
    if (child === null) return "";
    return nodeType(child) === 3 && nextSibling(child) === null ? dataOf(child) : UNKNOWN_VALUE;
  }
  // The parser puts text in as it comes, in one piece or in several: that must not make a difference.
  function logChildren(target, what, place) {
    const event = current();
    if (event.segment === undefined) return logWrite(nameNode(target) + what, childrenValue(target), place);
    const filled = event.filled ??= new SafeSet();
    if (filled.has(target)) return;
    filled.add(target);
    logWrite(nameNode(target) + ".children", UNKNOWN_VALUE, place);
  }
  function childrenChanged(change, target, place, counted) {
    if (nodeType(target) === 1 && localName(target) === "title") logWrite(realm + "document.title", titleOf(page), place);
    else if (!isFresh(target)) logChildren(target, ".children", place);
    each(record.addedNodes(change), node => moved(node, place, counted, true));
    each(record.removedNodes(change), node => moved(node, place, counted, false));
  }
  function each(list, f) {
    const n = listLength(list);
    for (let i = 0; i < n; i++) f(listItem(list, i));
  }
  function moved(node, place, counted, added) {
    if (nodeType(node) !== 1) return;
    if (!isFresh(node)) logWrite(nameNode(node) + ".parent", UNKNOWN_VALUE, place);
    countOne(node, place, counted, added);
    const inside = allInside(node, "*"), n = MathMin(listLength(inside), MAX_NODES);
    for (let i = 0; i < n; i++) countOne(listItem(inside, i), place, counted, added);
  }
  // An element can be found now, or can't be any more.
  function countOne(element, place, counted, added) {
    if (counted.has(element)) return;
    counted.add(element);
    birthOf(element);
    const tag = localName(element), id = idOf(element), by = added ? 1 : -1;
    logAdd(realm + "<" + tag + ">", by, place);
    if (id !== "") idWritten(id, place);
    const name = getAttribute(element, "name");
    if (name) logAdd(realm + "[name=" + name + "]", by, place);
    const tokens = tokensOf(classOf(element));
    for (let i = 0; i < tokens.length; i++) logAdd(realm + "." + tokens[i], by, place);
    if (tag === "body") logWrite(realm + "document.body", added ? element : undefined, place);
    if (tag === "title" && added) logWrite(realm + "document.title", titleOf(page), place);
  }
  function idWritten(id, place) {
    logWrite(realm + "#" + id, getById(page, id) ?? undefined, place);
  }
  function tokensOf(text) {
    if (typeof text !== "string" || text === "") return [];
    return ArrayFilter(StringSplit(StringReplaceAll(StringReplaceAll(text, "\n", " "), "\t", " "), " "), token => token !== "");
  }

  function textChanged(node, place) {
    const parent = parentOf(node);
    if (parent === null) return;
    if (nodeType(parent) === 1 && localName(parent) === "title") logWrite(realm + "document.title", titleOf(page), place);
    else if (!isFresh(parent)) logChildren(parent, ".text", place);
  }

  function attributeChanged(element, name, old, place) {
    const value = getAttribute(element, name) ?? undefined, fresh = isFresh(element);
    if (name === "class") return classChanged(element, old ?? "", value ?? "", place, fresh);
    if (name === "id") {
      if (old) idWritten(old, place);
      if (value) idWritten(value, place);
    } else if (name === "name") {
      if (old) logAdd(realm + "[name=" + old + "]", -1, place);
      if (value) logAdd(realm + "[name=" + value + "]", 1, place);
    }
    if (fresh) return;
    if (name === "style") return styleChanged(element, old ?? "", value ?? "", place);
    logWrite(nameNode(element) + "[" + name + "]", value, place);
    if (name === "value" || name === "checked" || name === "selected") formWritten(element, place);
  }
  // Each token is a location of its own; the order of the tokens is read only by who reads them all.
  function classChanged(element, old, value, place, fresh) {
    if (old === value) return;
    const before = tokensOf(old), after = tokensOf(value);
    const name = fresh ? "" : nameNode(element);
    const change = (token, there) => {
      logAdd(realm + "." + token, there ? 1 : -1, place);
      if (!fresh) logWrite(name + ".class." + token, there ? true : undefined, place);
    };
    for (let i = 0; i < before.length; i++) if (!ArrayIncludes(after, before[i])) change(before[i], false);
    for (let i = 0; i < after.length; i++) if (!ArrayIncludes(before, after[i])) change(after[i], true);
    if (!fresh) logAdd(name + "[class]", 1, place);
  }
  function styleChanged(element, old, value, place) {
    const before = propertiesOf(old), after = propertiesOf(value), name = nameNode(element);
    before.forEach((text, property) => {
      if (!after.has(property)) logWrite(name + ".style." + property, undefined, place);
    });
    after.forEach((text, property) => {
      if (before.get(property) !== text) logWrite(name + ".style." + property, text, place);
    });
    logAdd(name + "[style]", 1, place);
  }
  function propertiesOf(text) {
    const map = new SafeMap(), parts = StringSplit(text, ";");
    for (let i = 0; i < parts.length; i++) {
      const colon = StringIndexOf(parts[i], ":");
      if (colon > 0) map.set(StringTrim(StringSlice(parts[i], 0, colon)), StringTrim(StringSlice(parts[i], colon + 1)));
    }
    return map;
  }

  // ---- forms: what serialised HTML does not show ------------------------------------------------------------------------------

  const inputValue = getter(HTMLInputElement, "value"), inputChecked = getter(HTMLInputElement, "checked");
  const selectValue = getter(HTMLSelectElement, "value"), selectIndex = getter(HTMLSelectElement, "selectedIndex");
  const hasMark = element => ArrayIncludes(["checkbox", "radio"], inputType(element));
  // Tag -> [what of it changes, its value]
  const formTags = {
    __proto__: null,
    input: element => hasMark(element) ? ["checked", inputChecked(element)] : ["value", inputValue(element)],
    textarea: element => ["value", areaValue(element)],
    select: element => ["value", selectIndex(element) + " " + selectValue(element)],
  };
  const areaValue = getter(HTMLTextAreaElement, "value");
  const closest = uncurry(Element.prototype.closest);
  const inputType = getter(HTMLInputElement, "type");
  const inputForm = getter(HTMLInputElement, "form");
  const named = uncurry(Document.prototype.getElementsByName);

  function stateOf(element) {
    const state = formTags[localName(element)];
    try { return state === undefined ? null : state(element); } catch { return null; } // of that name, but not HTML
  }
  function logForm(element, place) {
    const state = isFresh(element) ? null : stateOf(element);
    if (state !== null) logWrite(nameNode(element) + "." + state[0], state[1], place);
  }
  // One radio button is checked, so another one is not.
  function formWritten(element, place) {
    if (nodeType(element) !== 1) return;
    const tag = localName(element);
    if (tag === "option") {
      const select = closest(element, "select");
      if (select !== null) logForm(select, place);
      return;
    }
    logForm(element, place);
    if (tag !== "input" || inputType(element) !== "radio") return;
    const group = named(page, getAttribute(element, "name") ?? "");
    for (let i = 0; i < listLength(group) && i < 100; i++) {
      const other = listItem(group, i);
      if (other !== element && localName(other) === "input" && inputForm(other) === inputForm(element)) logForm(other, place);
    }
  }
  // What the user types and chooses is written, too; and where the focus is.
  const targetOf = getter(Event, "target");
  const isNode = value => typeof value === "object" && value !== null && births.has(value);
  for (const type of ["input", "change"])
    listenNatively(window, type, event => {
      const target = targetOf(event);
      if (current() !== null && isNode(target)) formWritten(target, 0);
    }, true);
  // What the browser dispatches on the way of a user's step reads the handlers, whether there are any or not.
  for (const type of ["click", "submit", "reset", "invalid", "change", "input", "beforeinput", "focus", "blur", "focusin", "focusout", "toggle", "select"])
    listenNatively(window, type, event => {
      const target = targetOf(event);
      if (current() === null || !isNode(target)) return;
      readHandlers(target, type);
      if (type === "click") readLink(target);
    }, true);
  // Where a click leads.
  function readLink(target) {
    const link = nodeType(target) === 1 ? closest(target, "a[href], area[href]") : null;
    if (link !== null && !isFresh(link)) logRead(nameNode(link) + "[href]", getAttribute(link, "href"), 0);
  }
  for (const type of ["focusin", "focusout"])
    listenNatively(window, type, event => {
      if (current() !== null) logWrite(realm + "document.activeElement", type === "focusin" ? targetOf(event) : bodyOf(page), 0);
    }, true);

  return {
    realm, flush, nameNode, isFresh, birthOf, formWritten, logForm, stateOf, tokensOf, formTags, getter, isNode,
    // Does the browser find @value under this name?
    isNamed: (value, name) => isNode(value) && nodeType(value) === 1 && (idOf(value) === name || getAttribute(value, "name") === name),
    watch(root) { observe(observer, root, wanted); },
    get quiet() { return quiet > 0; },
    // The runtime's own looking at the document is nobody's read.
    quietly(f) {
      quiet++;
      try { return f(); } finally { quiet--; }
    },
  };
})();
