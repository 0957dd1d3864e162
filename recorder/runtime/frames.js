// SPDX-License-Identifier: MIT
// Frames: each has a runtime of its own, with its own patches, and the page's scheduler and log.
//
// The document of a frame comes in one piece: it is held by the proxy, and letting it go is one event, with the scripts that it
// runs while it is parsed. What has no request (srcdoc, blob:) belongs to the event that put it in, which ends when it is there.
function frameScheduler(root) {
  const base = root.scheduler;
  const own = new SafeSet();   // pending events of this frame
  const hooks = { after: [], starts: [] };
  const report = globalThis.dispatchEvent.bind(globalThis);
  const FrameErrorEvent = ErrorEvent;
  delete globalThis.__rwNative;

  // What a callback of this frame throws is an error of this frame.
  const guard = run => event => {
    own.delete(event);
    try {
      return run(event);
    } catch (error) {
      report(new FrameErrorEvent("error", { cancelable: true, error, message: NativeString(error), filename: error?.sourceURL ?? "",
        lineno: error?.line ?? 0, colno: error?.column ?? 0 }));
    }
  };
  const follow = kind => event => { for (let i = 0; i < hooks[kind].length; i++) hooks[kind][i](event); };
  const follows = { after: follow("after"), starts: follow("starts") };
  for (const kind of ["after", "starts"]) base.hooks[kind].push(follows[kind]);

  function leave() {
    for (const kind of ["after", "starts"]) {
      const at = ArrayIndexOf(base.hooks[kind], follows[kind]);
      if (at >= 0) ArraySplice(base.hooks[kind], at, 1);
    }
    own.forEach(event => { if (base.pending.has(event)) base.cancel(event); });
    own.clear();
    logLeave();
  }

  const scheduler = {
    __proto__: base, hooks, leave, native: $rwNative, listeners: new Map(), realm: base.realmOf(location.href) + "|",
    post(spec) {
      const event = base.post({ ...spec, run: guard(spec.run) });
      own.add(event);
      return event;
    },
  };
  logRealm(StringSlice(scheduler.realm, 0, -1));
  return scheduler;
}
