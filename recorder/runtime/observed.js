// SPDX-License-Identifier: MIT
// What a run shows besides its page: uncaught errors and rejections, the console, dialogs.
(() => {
  const { log } = scheduler;
  const MAX = 1000, LONG = 4096;
  const where = () => scheduler.current ? scheduler.current.id : "";
  const short = text => text.length > LONG ? text.slice(0, LONG) + "…" : text;

  function textOf(value) {
    try {
      if (typeof value === "string") return value;
      if (value instanceof Error) return `${value.name}: ${value.message}`;
      if (typeof value === "object" && value !== null) return describeValue(value);
      return String(value);
    } catch { return "?"; }
  }
  function keep(list, item) {
    if (list.length < MAX) list.push(item);
  }
  // The runtime's own frames have a number that counts the loads of this view: they are left out of what is compared.
  const ours = /^user-script:/;
  function stackOf(error) {
    const lines = StringSplit(String(error?.stack ?? ""), "\n");
    return short(ArrayJoin(ArrayFilter(lines, line => !StringIncludes(line, "@user-script:") && !ours.test(line)), "\n"));
  }
  // Positions lie in rewritten text, so they are not shown; the line is the original one.
  listenNatively(window, "error", event => {
    if (!(event instanceof ErrorEvent)) return;
    const known = !ours.test(event.filename);
    keep(log.errors, { kind: "error", message: short(event.message), source: known ? event.filename : "", line: known ? event.lineno : 0,
      event: where(), stack: stackOf(event.error) });
  }, true);
  listenNatively(window, "unhandledrejection", event => {
    keep(log.errors, { kind: "rejection", message: short(textOf(event.reason)), event: where(), stack: stackOf(event.reason) });
  }, true);

  for (const level of ["log", "info", "warn", "error", "debug", "trace", "assert", "dir", "table"]) {
    const original = replaceMethod(console, level, function (...args) {
      keep(log.console, { level, text: short(args.map(textOf).join(" ")), event: where() });
      return original.apply(console, args);
    });
  }
  // Nobody is there to answer: an alert is read, a confirmation given, a prompt left as it was proposed.
  replaceMethod(window, "alert", function (text = "") { keep(log.dialogs, { kind: "alert", text: short(String(text)) }); });
  replaceMethod(window, "confirm", function (text = "") { keep(log.dialogs, { kind: "confirm", text: short(String(text)) }); return true; });
  replaceMethod(window, "prompt", function (text = "", proposal = "") {
    keep(log.dialogs, { kind: "prompt", text: short(String(text)) });
    return String(proposal);
  });
  replaceMethod(window, "print", function () { keep(log.dialogs, { kind: "print", text: "" }); });
  replaceMethod(window, "open", function (url = "") {
    keep(log.dialogs, { kind: "open", text: short(String(url)) });
    return null;
  });
  replaceGetter(Document.prototype, "visibilityState", function () { return "visible"; });
  replaceGetter(Document.prototype, "hidden", function () { return false; });
})();
