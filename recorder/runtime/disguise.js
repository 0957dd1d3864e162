// SPDX-License-Identifier: MIT
// Replacing a native function so that the page can't tell: same name, length, property attributes and source text.
const disguised = new WeakMap(); // our function -> the native one that it stands for

function dressAs(ours, original) {
  disguised.set(ours, original);
  ObjectDefineProperty(ours, "name", { value: original.name, configurable: true });
  ObjectDefineProperty(ours, "length", { value: original.length, configurable: true });
  disguise(ours, original); // its source text, see access.js
  return ours;
}

function replace(object, name, ours, original) {
  const descriptor = Object.getOwnPropertyDescriptor(object, name) ??
    { writable: true, enumerable: false, configurable: true };
  delete descriptor.get;
  delete descriptor.set;
  Object.defineProperty(object, name, { ...descriptor, value: dressAs(ours, original) });
}

// Methods are taken out of an object literal by the caller, so that like native ones they are no constructors.
function replaceMethod(object, name, ours) {
  const original = object[name];
  if (typeof original !== "function") return undefined;
  const method = { method(...args) { return ReflectApply(ours, this, args); } }.method;
  replace(object, name, method, original);
  return original;
}

function replaceGetter(object, name, get) {
  const descriptor = Object.getOwnPropertyDescriptor(object, name);
  if (!descriptor || !descriptor.get || !descriptor.configurable) return undefined;
  const getter = { get() { return ReflectApply(get, this, []); } }.get;
  Object.defineProperty(object, name, { ...descriptor, get: dressAs(getter, descriptor.get) });
  return descriptor.get;
}

function replaceSetter(object, name, set) {
  const descriptor = Object.getOwnPropertyDescriptor(object, name);
  if (!descriptor || !descriptor.set || !descriptor.configurable) return undefined;
  const setter = { set(value) { return ReflectApply(set, this, [value]); } }.set;
  Object.defineProperty(object, name, { ...descriptor, set: dressAs(setter, descriptor.set) });
  return descriptor.set;
}

// Code that comes as text is rewritten on its way into the engine, where the extension can do it.
function rewriteForEval(code) {
  return typeof nativeRewrite === "function" ? nativeRewrite(code, "classic", false) : code;
}
