// SPDX-License-Identifier: MIT
// Native completions: what the browser finishes by itself is an event of the page when it tells the page.
//
// A line of a table is an API. A promise or a callback is posted at the call and settles when its event runs. What can't be put
// off (a transaction of a database lives only while its handlers run, a module runs as soon as it is there) belongs to the event
// that started it, which ends when that is over.
(() => {
  const { post, ready, hold, unhold } = scheduler;
  const where = name => globalThis[name]?.prototype;

  function defer(holder, label, name) {
    const original = holder[name];
    const wrapper = { method(...args) {
      const native = ReflectApply(original, this, args);
      if (scheduler.current === null || !(native instanceof NativePromise)) return native;
      return settleLater(native, label + name);
    } }.method;
    replace(holder, name, wrapper, original);
  }
  function settleLater(native, label, after) {
    return new NativePromise((resolve, reject) => {
      let settle = null;
      const event = post({ kind: "native", what: label, label: `${label} done`, latency: 1, ready: false, after,
        run() { if (settle) settle(); } });
      PromiseThen(native, value => { settle = () => resolve(value); ready(event); }, error => { settle = () => reject(error); ready(event); });
    });
  }

  // ---- promises ---------------------------------------------------------------------------------------------------------------

  const promising = [
    [globalThis, "", "createImageBitmap"],
    [where("HTMLImageElement"), "img.", "decode"],
    [where("SubtleCrypto"), "crypto.", "digest encrypt decrypt sign verify generateKey deriveKey deriveBits importKey exportKey wrapKey unwrapKey"],
    [where("Blob"), "blob.", "text arrayBuffer bytes"],
    [where("Request"), "request.", "text json arrayBuffer blob formData bytes"],
    [where("Response"), "response.", "formData bytes"],
    [where("CacheStorage"), "caches.", "open match has delete keys"],
    [where("Cache"), "cache.", "match matchAll add addAll put delete keys"],
    [where("FontFaceSet"), "fonts.", "load"],
    [where("FontFace"), "font.", "load"],
    [globalThis.WebAssembly, "WebAssembly.", "compile instantiate compileStreaming instantiateStreaming"],
    [where("Permissions"), "permissions.", "query"],
    [where("Clipboard"), "clipboard.", "read readText write writeText"],
    [where("LockManager"), "locks.", "query"],
    [where("CookieStore"), "cookieStore.", "get getAll set delete"],
    [where("IDBFactory"), "indexedDB.", "databases"],
    [where("MediaDevices"), "mediaDevices.", "enumerateDevices getUserMedia getDisplayMedia"],
    [where("BaseAudioContext"), "audio.", "decodeAudioData"],
    [where("AudioContext"), "audio.", "resume suspend close"],
    [where("OfflineAudioContext"), "audio.", "startRendering resume suspend"],
    [where("CSSStyleSheet"), "sheet.", "replace"],
    [where("StorageManager"), "storage.", "estimate persist persisted getDirectory"],
    [globalThis.Notification, "Notification.", "requestPermission"],
  ];
  for (const [holder, label, names] of promising)
    for (const name of StringSplit(names, " ")) if (holder && typeof holder[name] === "function") defer(holder, label, name);

  // Promises that are properties; each is one promise for good. Fonts are not ready before the document is.
  const kept = new SafeWeakMap();
  for (const [holder, label, name] of [[where("FontFaceSet"), "fonts.", "ready"], [where("FontFace"), "font.", "loaded"]]) {
    if (!holder) continue;
    const get = replaceGetter(holder, name, function () {
      const native = ReflectApply(get, this, []);
      if (scheduler.current === null) return native;
      if (!kept.has(this)) kept.set(this, settleLater(native, label + name, name === "ready" ? [documents.loadId] : undefined));
      return kept.get(this);
    });
  }

  // ---- callbacks --------------------------------------------------------------------------------------------------------------

  for (const [holder, label, name, slots] of [[where("HTMLCanvasElement"), "canvas.", "toBlob", [0]],
    [where("Geolocation"), "geolocation.", "getCurrentPosition", [0, 1]], [where("DataTransferItem"), "item.", "getAsString", [0]]]) {
    if (!holder || typeof holder[name] !== "function") continue;
    const original = replaceMethod(holder, name, function (...args) {
      if (scheduler.current === null) return ReflectApply(original, this, args);
      let call = null;
      const event = post({ kind: "native", what: label + name, label: `${label}${name} done`, latency: 1, ready: false, run() { if (call) call(); } });
      for (const slot of slots) {
        const callback = args[slot];
        if (typeof callback === "function")
          args[slot] = (...results) => { call = () => ReflectApply(callback, undefined, results); ready(event); };
      }
      return ReflectApply(original, this, args);
    });
  }

  // ---- events of objects that work by themselves ---------------------------------------------------------------------------------

  // Listeners of the page ask before they run (listeners.js): an event of one of these is kept and dispatched again when told.
  const working = new SafeWeakMap(); // object -> { event, natives }
  const ours = new SafeWeakSet();
  const targetOf = dom.getter(Event, "target");
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);

  completions.put = (target, label, last) => {
    const work = { natives: [], event: null };
    work.event = post({ kind: "native", what: label, label: `${label} done`, latency: 1, ready: false, run() {
      working.delete(target);
      for (let i = 0; i < work.natives.length; i++) {
        ours.add(work.natives[i]);
        dispatch(target, work.natives[i]);
      }
    } });
    working.set(target, work);
    for (const type of last) listenNatively(target, type, event => { if (!ours.has(event)) ready(work.event); });
  };
  completions.puts = nativeEvent => {
    const work = working.get(targetOf(nativeEvent));
    if (work === undefined || ours.has(nativeEvent)) return false;
    if (!ArrayIncludes(work.natives, nativeEvent)) ArrayPush(work.natives, nativeEvent);
    return true;
  };
  const reader = where("FileReader");
  for (const name of ["readAsText", "readAsArrayBuffer", "readAsDataURL", "readAsBinaryString"]) {
    const original = replaceMethod(reader, name, function (...args) {
      ReflectApply(original, this, args);
      if (scheduler.current !== null) completions.put(this, "FileReader." + name, ["loadend"]);
    });
  }

  // ---- what belongs to the event that started it -----------------------------------------------------------------------------------

  function holdUntil(target, types) {
    if (scheduler.current === null) return;
    let event = hold();
    for (const type of types)
      listenNatively(target, type, () => {
        if (event !== null) unhold(event);
        event = null;
      });
  }
  for (const [holder, names, types] of [
    [where("IDBFactory"), ["open", "deleteDatabase"], ["success", "error", "blocked"]],
    [where("IDBDatabase"), ["transaction"], ["complete", "abort"]],
  ])
    for (const name of holder ? names : []) {
      const original = replaceMethod(holder, name, function (...args) {
        const result = ReflectApply(original, this, args);
        holdUntil(result, types);
        return result;
      });
    }

  // ---- time-outs of signals --------------------------------------------------------------------------------------------------------

  if (globalThis.AbortSignal?.timeout) {
    const Controller = AbortController, Exception = DOMException;
    const abort = uncurry(AbortController.prototype.abort), signalOf = dom.getter(AbortController, "signal");
    replaceMethod(AbortSignal, "timeout", function (delay) {
      const controller = new Controller();
      post({ kind: "timer", what: "AbortSignal|" + delay, label: `AbortSignal.timeout ${delay} ms`, delay: MathMax(0, +delay || 0),
        run() { abort(controller, new Exception("The operation timed out.", "TimeoutError")); } });
      return signalOf(controller);
    });
  }
})();

// import (): the module runs as soon as it is there, so the importing event waits for it.
function wrapImport(promise) {
  if (scheduler.current === null) return promise;
  const event = scheduler.hold();
  scheduler.say("imports", { on: true });
  const over = () => {
    scheduler.say("imports", { on: false });
    scheduler.unhold(event);
  };
  PromiseThen(promise, over, over);
  return promise;
}
