// SPDX-License-Identifier: MIT
// Handler slots: who listens to what. Attaching writes the slot, dispatching reads it, whether anybody listens or not.
// What completions.js and arrivals.js have to say about events on their way to the page.
const completions = { puts: () => false, listening() {}, scrolled() {}, late: () => false, animated: false };
const slots = new WeakMap(); // target -> Map of type -> number of listeners that page code attached

function slotName(target, type) {
  return nameOf(target) + "@" + type;
}
// A node that this event made is nobody else's yet.
const isNewborn = target => target instanceof Node && dom.isFresh(target);
// A dispatch reads the slot of the target and of everybody on the way up.
function readHandlers(target, type) {
  let node = target;
  for (let hops = 0; node && hops < 512; hops++) {
    logRead(slotName(node, type), undefined, 0);
    node = node === document ? window : node === window ? null : node.parentNode ?? node.host ?? null;
  }
}

const listenNatively = (() => {
  const E = EventTarget.prototype;
  const wrapped = new WeakMap(); // the page's listener -> ours, so that removal finds it
  const call = Function.prototype.call.bind(Function.prototype.call);
  const add = E.addEventListener, remove = E.removeEventListener;

  function count(target, type, by) {
    if (!slots.has(target)) slots.set(target, new Map());
    const types = slots.get(target);
    types.set(type, (types.get(type) ?? 0) + by);
  }
  function noteType(target, type) {
    completions.listening(target, type);
    if (type.startsWith("transition") || type.startsWith("animation") || type.startsWith("webkit")) completions.animated = true;
  }
  // Page code that is entered by the browser itself, outside any event, is a hole and is counted.
  function wrap(listener) {
    if (listener === null || (typeof listener !== "function" && typeof listener !== "object")) return listener;
    let ours = wrapped.get(listener);
    if (ours === undefined) {
      ours = function (event) {
        if (completions.puts(event)) return;
        if (scheduler.current === null) scheduler.entered(`${event.type} at ${describeTarget(event.target)}`);
        if (typeof listener === "function") return call(listener, this, event);
        return listener.handleEvent(event);
      };
      wrapped.set(listener, ours);
    }
    return ours;
  }
  const describeTarget = target => target === window ? "window" : target && target.nodeName || Object.prototype.toString.call(target);

  replaceMethod(E, "addEventListener", function (type, listener, options) {
    const target = this ?? window;
    if (listener) {
      if (!isNewborn(target)) logWrite(slotName(target, String(type)), listener, placeOfCall(ownAdd));
      count(target, String(type), 1);
      noteType(target, String(type));
    }
    return call(add, target, type, wrap(listener), options);
  });
  const ownAdd = E.addEventListener;
  replaceMethod(E, "removeEventListener", function (type, listener, options) {
    const target = this ?? window;
    if (listener && wrapped.has(listener)) {
      logWrite(slotName(target, String(type)), null, 0);
      count(target, String(type), -1);
    }
    return call(remove, target, type, listener && wrapped.get(listener) || listener, options);
  });

  // on* properties, wherever they live. Reading one gives back what was put in.
  const given = new WeakMap();
  function ownSlot(prototype, name) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    if (!descriptor?.set || !descriptor.configurable) return;
    const type = name.slice(2);
    replaceSetter(prototype, name, function (value) {
      const target = this ?? window;
      if (!isNewborn(target)) logWrite(slotName(target, type), value, 0);
      count(target, type, value ? 1 : -1);
      noteType(target, type);
      if (!given.has(target)) given.set(target, new Map());
      given.get(target).set(name, value);
      descriptor.set.call(target, wrapHandler(value, target));
    });
    replaceGetter(prototype, name, function () {
      const target = this ?? window;
      const value = descriptor.get.call(target);
      const ours = given.get(target)?.get(name);
      return value && originals.get(value) === ours && ours !== undefined ? ours : value;
    });
  }
  const originals = new WeakMap();
  function wrapHandler(value, target) {
    if (typeof value !== "function") return value;
    const ours = function (...args) {
      if (args[0] instanceof Event && completions.puts(args[0])) return;
      if (scheduler.current === null)
        scheduler.entered(`${args[0] && args[0].type || "error"} at ${describeTarget(target)}`);
      return value.apply(this, args);
    };
    originals.set(ours, value);
    return ours;
  }
  const owners = ["Element", "HTMLElement", "SVGElement", "MathMLElement", "Document", "HTMLBodyElement", "HTMLFrameSetElement",
    "XMLHttpRequestEventTarget", "XMLHttpRequest", "MessagePort", "Worker", "AbortSignal", "FileReader", "WebSocket", "EventSource",
    "HTMLMediaElement", "BroadcastChannel", "IDBRequest", "IDBTransaction", "IDBDatabase", "IDBOpenDBRequest", "Animation", "MediaQueryList"];
  for (const prototype of [window, ...owners.map(name => globalThis[name]?.prototype).filter(Boolean)])
    for (const name of Object.getOwnPropertyNames(prototype))
      if (name.startsWith("on")) ownSlot(prototype, name);

  return (target, type, listener, options) => call(add, target, type, listener, options);
})();
