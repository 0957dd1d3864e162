// SPDX-License-Identifier: MIT
// Dedicated workers: they run by themselves, beside the page; what they tell the page are events, one after the other.
(() => {
  const Real = globalThis.Worker;
  if (!Real) return;
  const { native, say } = scheduler;
  const dataOf = dom.getter(MessageEvent, "data");
  const stopNow = uncurry(Event.prototype.stopImmediatePropagation);

  // The proxy puts a prelude in front of a worker's script (rw_runtime_worker ()), which announces what it imports, since the proxy
  // holds scripts that nobody has asked to let go.
  function announced(event) {
    const data = dataOf(event);
    if (typeof data !== "object" || data === null || !ArrayIsArray(data.$rwImports)) return;
    stopNow(event);
    for (let i = 0; i < data.$rwImports.length; i++) say("pass", { url: NativeString(data.$rwImports[i]) });
  }
  const Worker = function (address, options) {
    if (new.target === undefined) return Real(address);
    const url = documents.absolute(address);
    const module = options?.type === "module";
    if (module) say("imports", { on: true });
    if (documents.isNetwork(url)) native.tag(module ? "module worker" : "worker");
    let worker;
    try {
      worker = ReflectConstruct(Real, arguments, new.target === Worker ? Real : new.target);
    } finally {
      native.tag("");
    }
    listenNatively(worker, "message", announced, true);
    completions.stream(worker, "worker " + (documents.isNetwork(url) ? documents.path(url) : StringSplit(url, ":")[0]), ["message", "messageerror", "error"]);
    return worker;
  };
  Worker.prototype = Real.prototype;
  ObjectDefineProperty(Worker, "prototype", { writable: false });
  replace(globalThis, "Worker", Worker, Real);
  ObjectDefineProperty(Real.prototype, "constructor", { value: Worker, writable: true, enumerable: false, configurable: true });
})();
