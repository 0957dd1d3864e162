// SPDX-License-Identifier: MIT
// ResizeObserver and IntersectionObserver: the window is hidden and the browser's own never fire, so the runtime measures at the
// end of each event and posts an event for each observer that has something to tell.
(() => {
  const { post, hooks } = scheduler;
  const observers = new SafeMap(); // observer -> { callback, targets: SafeMap of element -> last, event, measure }
  const box = uncurry(Element.prototype.getBoundingClientRect);
  const style = globalThis.getComputedStyle.bind(globalThis);
  const connected = dom.getter(Node, "isConnected");
  const Rect = DOMRectReadOnly;
  const px = text => parseFloat(text) || 0;

  function make(name, Entry, start, measure, entryOf) {
    const Real = globalThis[name];
    if (!Real) return;
    const Observer = function (callback, options) {
      if (new.target === undefined) return Real(callback);
      const observer = ReflectConstruct(Real, arguments, new.target);
      observers.set(observer, { callback, observer, targets: new SafeMap(), event: null, measure, name, entryOf, options: start(observer, options) });
      return observer;
    };
    Observer.prototype = Real.prototype;
    ObjectDefineProperty(Observer, "prototype", { writable: false });
    replace(globalThis, name, Observer, Real);
    ObjectDefineProperty(Real.prototype, "constructor", { value: Observer, writable: true, enumerable: false, configurable: true });
    const observe = replaceMethod(Real.prototype, "observe", function (target, ...rest) {
      const state = observers.get(this);
      if (state === undefined || !(target instanceof Element)) return ReflectApply(observe, this, [target, ...rest]);
      if (!state.targets.has(target)) state.targets.set(target, null);
    });
    replaceMethod(Real.prototype, "unobserve", function (target) { observers.get(this)?.targets.delete(target); });
    replaceMethod(Real.prototype, "disconnect", function () { observers.get(this)?.targets.clear(); });
    replaceMethod(Real.prototype, "takeRecords", function () { return []; });
  }
  function entryLike(Entry, values) {
    const entry = ObjectCreate(Entry.prototype);
    for (const key of ObjectKeys(values)) ObjectDefineProperty(entry, key, { value: values[key], configurable: true, enumerable: true });
    return entry;
  }

  // ---- size -------------------------------------------------------------------------------------------------------------------

  function sizeOf(element) {
    if (!connected(element)) return { width: 0, height: 0, left: 0, top: 0, outerWidth: 0, outerHeight: 0 };
    const outer = box(element), css = style(element);
    const left = px(css.paddingLeft), top = px(css.paddingTop);
    const inside = (size, ...edges) => MathMax(0, edges.reduce((rest, edge) => rest - px(css[edge]), size));
    return { left, top, outerWidth: outer.width, outerHeight: outer.height,
      width: inside(outer.width, "paddingLeft", "paddingRight", "borderLeftWidth", "borderRightWidth"),
      height: inside(outer.height, "paddingTop", "paddingBottom", "borderTopWidth", "borderBottomWidth") };
  }
  make("ResizeObserver", globalThis.ResizeObserverEntry, () => null, (state, element, last) => {
    const now = sizeOf(element);
    // An element without a size is not told of when it is first observed.
    return (last?.width ?? 0) === now.width && (last?.height ?? 0) === now.height ? null : now;
  }, (state, target, now) => {
    const size = (inlineSize, blockSize) => ObjectFreeze([{ inlineSize, blockSize }]);
    return entryLike(ResizeObserverEntry, { target, contentRect: new Rect(now.left, now.top, now.width, now.height),
      contentBoxSize: size(now.width, now.height), borderBoxSize: size(now.outerWidth, now.outerHeight),
      devicePixelContentBoxSize: size(now.width, now.height) });
  });

  // ---- intersection -----------------------------------------------------------------------------------------------------------

  function margins(text) {
    const parts = StringSplit(StringTrim(text), " ");
    const at = i => parts[i] ?? parts[i - 2] ?? parts[0];
    return [at(0), at(1), at(2), parts[3] ?? at(1)];
  }
  function rootRect(options) {
    const { root } = options;
    const area = root instanceof Element ? box(root) : new Rect(0, 0, innerWidth, innerHeight);
    const edge = (text, size) => StringEndsWith(text, "%") ? px(text) * size / 100 : px(text);
    const [t, r, b, l] = options.margins;
    return new Rect(area.x - edge(l, area.width), area.y - edge(t, area.height),
      area.width + edge(l, area.width) + edge(r, area.width), area.height + edge(t, area.height) + edge(b, area.height));
  }
  function crossing(options, element) {
    const area = rootRect(options);
    const inside = connected(element) && style(element).display !== "none";
    const own = connected(element) ? box(element) : new Rect();
    const left = MathMax(area.left, own.left), right = MathMin(area.right, own.right);
    const top = MathMax(area.top, own.top), bottom = MathMin(area.bottom, own.bottom);
    const is = inside && left <= right && top <= bottom;
    const size = own.width * own.height;
    const ratio = !is ? 0 : size > 0 ? (right - left) * (bottom - top) / size : 1;
    let step = 0;
    while (step < options.thresholds.length && options.thresholds[step] <= ratio) step++;
    return { is: is && (step > 0 || options.thresholds[0] === 0), ratio, step: is ? step : 0, own, area,
      cross: is ? new Rect(left, top, right - left, bottom - top) : new Rect() };
  }
  make("IntersectionObserver", globalThis.IntersectionObserverEntry, (observer, options) => ({ root: observer.root,
    thresholds: ArraySlice(observer.thresholds), margins: margins(observer.rootMargin || "0px") }), (state, element, last) => {
    const now = crossing(state.options, element);
    return last !== null && last.is === now.is && last.step === now.step ? null : now;
  }, (state, target, now) => entryLike(IntersectionObserverEntry, { target, isIntersecting: now.is, intersectionRatio: now.ratio,
    boundingClientRect: now.own, intersectionRect: now.cross, rootBounds: now.area, time: clock.elapsed() }));

  // ---- when -----------------------------------------------------------------------------------------------------------------

  function changesOf(state) {
    const list = [];
    state.targets.forEach((last, element) => {
      const now = state.measure(state, element, last);
      if (now !== null) ArrayPush(list, [element, now]);
    });
    return list;
  }
  function tell(state) {
    state.event = null;
    const changes = dom.quietly(() => changesOf(state)), entries = [];
    for (let i = 0; i < changes.length; i++) {
      state.targets.set(changes[i][0], changes[i][1]);
      ArrayPush(entries, state.entryOf(state, changes[i][0], changes[i][1]));
    }
    if (entries.length > 0) ReflectApply(state.callback, state.observer, [entries, state.observer]);
  }
  hooks.after.push(() => dom.quietly(() => observers.forEach(state => {
    if (state.targets.size === 0 || state.event !== null || changesOf(state).length === 0) return;
    state.event = post({ kind: "native", what: state.name, label: `${state.name} tells`, latency: 1, run: () => tell(state) });
  })));
})();
