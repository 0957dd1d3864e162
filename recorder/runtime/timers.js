// SPDX-License-Identifier: MIT
// Timers, intervals, animation frames and idle callbacks, all in virtual time.
(() => {
  const { post, cancel } = scheduler;
  const handles = new Map();
  const indirectEval = eval;

  // A page keeps handles in its variables, so they must be the same in every run: they come from the event's identity.
  function handleOf(event) {
    const handle = (parseInt(event.id.slice(0, 7), 16) & 0x7ffffff) + 1;
    handles.set(handle, event);
    return handle;
  }

  function labelOf(callback) {
    if (typeof callback !== "function") return "code";
    return callback.name || "function";
  }
  function calls(callback, args) {
    if (typeof callback === "function")
      return () => callback.apply(globalThis, args);
    const code = String(callback);
    return () => indirectEval(rewriteForEval(code));
  }

  replaceMethod(globalThis, "setTimeout", function (callback, delay, ...args) {
    const ms = clamp(delay), name = labelOf(callback);
    return handleOf(post({ kind: "timer", what: ms + "|" + name, label: `timer ${ms} ms (${name})`, delay: ms,
      run: calls(callback, args) }));
  });
  replaceMethod(globalThis, "setInterval", function (callback, delay, ...args) {
    const ms = Math.max(clamp(delay), 1), run = calls(callback, args), name = labelOf(callback);
    const tick = n => post({ kind: "interval", what: ms + "|" + name, delay: ms,
      label: `interval ${ms} ms (${name}), tick ${n}`, run() { handles.set(handle, tick(n + 1)); run(); } });
    const handle = handleOf(tick(1));
    return handle;
  });
  function clamp(delay) {
    const ms = Math.trunc(Number(delay)) || 0;
    return ms < 0 || ms > 0x7fffffff ? 0 : ms;
  }
  // A timer that has fired keeps its entry: clearing it too late is a conflict with its run all the same.
  function clear(handle) {
    const event = handles.get(Number(handle));
    if (event !== undefined) cancel(event);
  }
  replaceMethod(globalThis, "clearTimeout", function (handle) { clear(handle); });
  replaceMethod(globalThis, "clearInterval", function (handle) { clear(handle); });

  // Callbacks of one frame run in order, frames are 16 ms apart, as on a 60 Hz display.
  if (globalThis.requestAnimationFrame) {
    replaceMethod(globalThis, "requestAnimationFrame", function (callback) {
      const name = labelOf(callback);
      return handleOf(post({ kind: "frame", what: name, label: `animation frame (${name})`, delay: 16,
        run() { callback.call(globalThis, clock.elapsed()); } }));
    });
    replaceMethod(globalThis, "cancelAnimationFrame", function (handle) { clear(handle); });
  }
  if (globalThis.requestIdleCallback) {
    replaceMethod(globalThis, "requestIdleCallback", function (callback) {
      const name = labelOf(callback);
      return handleOf(post({ kind: "idle", what: name, label: `idle callback (${name})`, latency: 50, run() {
        callback.call(globalThis, { didTimeout: false, timeRemaining: () => 10 });
      } }));
    });
    replaceMethod(globalThis, "cancelIdleCallback", function (handle) { clear(handle); });
  }
})();
