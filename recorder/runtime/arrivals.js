// SPDX-License-Identifier: MIT
// What comes by itself: sockets, server-sent events, broadcasts, the end of transitions, and events that the browser queues.
(() => {
  const { post, ready, config, hooks } = scheduler;
  const fresh = new SafeWeakSet(); // dispatched by us
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const stopNow = uncurry(Event.prototype.stopImmediatePropagation);
  const targetOf = dom.getter(Event, "target"), typeOf = dom.getter(Event, "type");

  function again(nativeEvent, target) {
    readHandlers(target, typeOf(nativeEvent));
    fresh.add(nativeEvent);
    dispatch(target, nativeEvent);
  }

  // ---- streams of events from one object -----------------------------------------------------------------------------------------

  // Nobody can post what only the network knows. Recording posts each event when it comes; a replay posts those of the recording
  // as soon as their turn is next, and waits for them. They come after the event that made the object, and one after the other.
  const streams = new SafeWeakMap();
  const ordinals = new SafeMap();

  function stream(target, label, types) {
    const creator = scheduler.current, base = label + "|" + (creator ? creator.id : "");
    const ordinal = ordinals.get(base) ?? 0;
    ordinals.set(base, ordinal + 1);
    const queue = [];
    let n = 0, previous = creator ? creator.id : null, waiting = null;
    const pathOf = k => "arrival|" + base + "|" + ordinal + "|" + k;
    const make = () => {
      waiting = post({ kind: "network", id: pathOf(n++), initial: true, label: `${label}, event ${n}`, latency: 1, ready: false,
        after: previous ? [previous] : [], run() {
          waiting = null;
          const nativeEvent = ArrayShift(queue);
          if (nativeEvent !== undefined) again(nativeEvent, target);
          if (queue.length > 0) ready(make());
          else expect();
        } });
      previous = waiting.id;
      return waiting;
    };
    const expect = () => { if (config.mode !== "record" && scheduler.known(pathOf(n))) make(); };
    const catchType = type => listenNatively(target, type, nativeEvent => {
      if (fresh.has(nativeEvent)) return;
      stopNow(nativeEvent);
      ArrayPush(queue, nativeEvent);
      scheduler.bePatient();
      ready(waiting ?? make());
    }, true);
    const caught = new SafeSet();
    const listening = type => {
      if (caught.has(type)) return;
      caught.add(type);
      catchType(type);
    };
    for (const type of types) listening(type);
    streams.set(target, listening);
    scheduler.bePatient();
    expect();
  }
  // Media play by themselves; who listens to them gets their events one by one.
  completions.listening = (target, type) => {
    if (target instanceof HTMLMediaElement && !streams.has(target)) stream(target, nameOf(target), []);
    const listening = streams.get(target);
    if (listening !== undefined) listening(type);
  };

  function wrapConstructor(name, made) {
    const Real = globalThis[name];
    if (!Real) return;
    const Ours = function () {
      if (new.target === undefined) return Real();
      const object = ReflectConstruct(Real, arguments, new.target === Ours ? Real : new.target);
      if (scheduler.state === "running" || scheduler.current !== null) made(object, arguments);
      return object;
    };
    const keys = ObjectGetOwnPropertyNames(Real);
    for (const key of keys)
      if (key !== "name" && key !== "length" && key !== "prototype") ObjectDefineProperty(Ours, key, ObjectGetOwnPropertyDescriptor(Real, key));
    Ours.prototype = Real.prototype;
    ObjectDefineProperty(Ours, "prototype", { writable: false });
    replace(globalThis, name, Ours, Real);
    ObjectDefineProperty(Real.prototype, "constructor", { value: Ours, writable: true, enumerable: false, configurable: true });
  }
  wrapConstructor("WebSocket", socket => stream(socket, "WebSocket " + documents.path(socket.url), ["open", "message", "error", "close"]));
  wrapConstructor("EventSource", source => stream(source, "EventSource " + documents.path(source.url), ["open", "message", "error"]));
  completions.wrapConstructor = wrapConstructor;
  completions.stream = stream;

  // ---- broadcasts -----------------------------------------------------------------------------------------------------------------

  const clone = globalThis.structuredClone;
  const channels = scheduler.channels;
  wrapConstructor("BroadcastChannel", channel => channels.add(channel));
  if (globalThis.BroadcastChannel) {
    const nativePost = replaceMethod(BroadcastChannel.prototype, "postMessage", function (data) {
      if (!channels.has(this)) return ReflectApply(nativePost, this, [data]);
      const name = this.name;
      channels.forEach(channel => {
        if (channel === this || channel.name !== name) return;
        const copy = clone(data);
        post({ kind: "message", what: "broadcast|" + name, label: `broadcast on ${name}`, group: "broadcasts on " + name, run() {
          if (!channels.has(channel)) return;
          readHandlers(channel, "message");
          dispatch(channel, new MessageEvent("message", { data: copy, origin: location.origin }));
        } });
      });
    });
    const close = replaceMethod(BroadcastChannel.prototype, "close", function () {
      channels.delete(this);
      return ReflectApply(close, this, []);
    });
  }

  // ---- what the browser queues while an event runs --------------------------------------------------------------------------------

  // It comes in the next task, so the event that caused it is still the current one and posts it.
  const trusted = nativeEvent => ObjectGetOwnPropertyDescriptor(nativeEvent, "isTrusted")?.get?.call(nativeEvent) === true;
  const nativeTypes = ["hashchange", "popstate", "toggle", "select", "selectionchange", "storage", "fullscreenchange"];
  function isHeard(target, type) {
    for (let node = target; node; node = node === document ? window : node.parentNode ?? null)
      if ((slots.get(node)?.get(type) ?? 0) > 0 || node instanceof Element && node.hasAttribute("on" + type)) return true;
    return (slots.get(window)?.get(type) ?? 0) > 0;
  }
  const late = nativeEvent => {
    if (fresh.has(nativeEvent) || scheduler.state !== "running" || !trusted(nativeEvent)) return false;
    const target = targetOf(nativeEvent), type = typeOf(nativeEvent);
    if (!isHeard(target, type)) return false;
    stopNow(nativeEvent);
    const name = target === window ? "window" : nameOf(target);
    post({ kind: type === "hashchange" || type === "popstate" ? "navigation" : "native", what: type + "|" + name, label: `${type} at ${name}`,
      latency: 1, run() { again(nativeEvent, target); } });
    return true;
  };
  for (const type of nativeTypes) listenNatively(window, type, late, true);
  completions.late = late;

  // ---- scrolling: nothing is drawn, so nobody else says so ----------------------------------------------------------------------------

  const scrolling = new SafeMap();
  completions.scrolled = target => {
    if (scrolling.has(target)) return;
    scrolling.set(target, post({ kind: "native", what: "scroll|" + nameOf(target), label: `scroll of ${nameOf(target)}`, latency: 16, run() {
      scrolling.delete(target);
      readHandlers(target, "scroll");
      dispatch(target, new Event("scroll", { bubbles: target === document }));
    } }));
  };

  // ---- transitions and animations -------------------------------------------------------------------------------------------------------

  const running = globalThis.Document?.prototype.getAnimations ? uncurry(Document.prototype.getAnimations) : null;
  const followed = new SafeWeakSet();
  completions.animated = false; // somebody listens
  function follow(animation) {
    followed.add(animation);
    const { effect } = animation, css = animation instanceof CSSTransition;
    const end = effect?.getComputedTiming().endTime, target = effect?.target;
    if (!target || !(end < 1e7)) return;
    const name = css ? animation.transitionProperty : animation.animationName;
    post({ kind: "native", what: `end|${nameOf(target)}|${name}`, label: `end of ${css ? "transition" : "animation"} ${name} of ${nameOf(target)}`,
      latency: MathMax(end, 1), run() {
        if (animation.playState === "idle") return; // it was taken back
        animation.finish();
        const type = css ? "transitionend" : "animationend", init = { bubbles: true, elapsedTime: end / 1000 };
        readHandlers(target, type);
        dispatch(target, css ? new TransitionEvent(type, { ...init, propertyName: name }) : new AnimationEvent(type, { ...init, animationName: name }));
      } });
  }
  if (running !== null)
    hooks.after.push(() => {
      if (!completions.animated) return;
      dom.quietly(() => {
        const list = running(document);
        for (let i = 0; i < list.length; i++)
          if (!followed.has(list[i]) && (list[i] instanceof CSSTransition || list[i] instanceof CSSAnimation)) follow(list[i]);
      });
    });
})();
