// SPDX-License-Identifier: MIT
// The document: its segments, its scripts, the loads of its elements, DOMContentLoaded and load.
//
// Documents and scripts are held by the proxy and let go when their event runs. Images, style sheets and frames are loaded by
// the browser at once; what is held back is the event that tells the page. DOMContentLoaded and load are the runtime's: the
// native ones are swallowed, and the page gets them when their event runs.
const documents = (() => {
  const { post, cancel, ready, complete, say, listeners, config, unanswered } = scheduler;
  const dispatch = EventTarget.prototype.dispatchEvent;
  const stopNow = Event.prototype.stopImmediatePropagation;
  const framed = $rwRoot !== null;
  const url = location.href.replace(/#.*/, ""), here = (scheduler.realm ?? "") + url;
  const dclId = scheduler.identity("dcl|" + here), loadId = scheduler.identity("load|" + here);
  const loads = new Map();          // element -> its pending load event
  const scripts = new Map();        // script element -> its event
  const waiters = new Map();        // native event type at the document -> event that waits for it
  const fresh = new WeakSet();      // events that are ours to dispatch: not swallowed again
  const made = new WeakSet();       // script elements that page code made, in contrast to the parser's
  const latencies = scheduler.latencies;
  let segments = null;
  let parsing = null;               // the parse event under way
  let scriptBegan = 0;
  let ready_ = "loading";           // document.readyState as the page sees it
  let blockingScript = null;
  let lastDeferred = null;

  const path = u => { try { const x = new URL(u, document.baseURI); return x.host === location.host ? x.pathname + x.search : x.href; } catch { return u; } };
  const absolute = u => { try { return new URL(u, document.baseURI).href.replace(/#.*/, ""); } catch { return ""; } };
  const isNetwork = u => /^https?:/.test(u);

  // ---- answers: how long they take orders a recording in virtual time ---------------------------------------------------------

  function latencyOf(u) {
    return isNetwork(u) ? latencies.get(u) ?? 20 : 1;
  }
  function awaitAnswer(u) {
    if (config.mode === "record" && isNetwork(u) && !latencies.has(u)) unanswered.add(u);
  }
  listeners.set("answer", ({ url: u, latency }) => {
    latencies.set(u, latency);
    for (const event of scheduler.pending)
      if (event.url === u && config.times[event.id] === undefined)
        event.time = (event.poster ? event.poster.time : 0) + latency;
    unanswered.delete(u);
    scheduler.wake();
  });
  function arrived(u) {
    if (unanswered.delete(u)) scheduler.wake();
  }

  // ---- segments -------------------------------------------------------------------------------------------------------------

  function postSegment(n) {
    const segment = segments[n];
    return post({ kind: "parse", id: "parse|" + here + "|" + n, label: `parse ${segment.label}`, latency: n === 0 ? 0 : 1,
      native: true, run(event) { parse(event, n); } });
  }
  function parse(event, n) {
    parsing = { event, n, segment: segments[n], base: countOf(segments[n].lastTag) };
    event.segment = n;
    event.atEnd = () => parsed(n);
    if (n > 0) say("segment", { n });
    nothingToSee();
  }
  function settle() {
    if (parsing === null) return;
    const { event, segment } = parsing;
    parsing = null;
    if (segment.end === "last") modules.awaitThem();
    complete(event);
  }
  function parsed(n) {
    const u = segments[n].blocking;
    if (u) {
      awaitAnswer(u);
      blockingScript = postScript(u, null, { then: n + 1 });
    } else if (n + 1 < segments.length)
      postSegment(n + 1);
    else
      postLifecycle();
  }
  // An inline script has begun; the microtask runs when it has ended.
  function inlineScript(n) {
    scriptBegan = n;
    if (parsing === null && !framed) modules.began();
    if (parsing !== null && parsing.segment.end === "script") Promise.resolve().then(settle);
  }
  function nodesSeen() {
    if (parsing === null) return;
    const { segment, base } = parsing;
    if (segment.end !== "node" && segment.end !== "blocked") return;
    // The parser may pause in the middle of a segment: what counts is its last element.
    if (segment.scripts === 0 ? countOf(segment.lastTag) >= base + segment.lastTags : scriptBegan >= segment.script) settle();
  }
  // Only the end tag of a script that the parser waits for: no node comes, and nothing that the page could notice.
  function nothingToSee() {
    if (parsing !== null && parsing.segment.end === "blocked" && !parsing.segment.lastTag) settle();
  }
  function countOf(tag) {
    return tag ? dom.quietly(() => document.getElementsByTagName(tag).length) : 0;
  }
  listeners.set("start", command => {
    segments = command.segments;
    if (parsing === null && !scheduler.finished.has(first.id)) return;
    adoptFirst();
  });
  listeners.set("nudge", () => {
    // Nothing came for a while: a script that a policy forbade, a segment whose last node the page removed at once.
    if (parsing !== null) settle();
  });

  // The first segment is being parsed while this script starts; the host says later how the document was cut.
  const first = framed ? null : post({ kind: "parse", id: "parse|" + here + "|0", label: "parse the beginning of the document", native: true,
    run(event) { event.atEnd = () => parsed(0); } });
  if (!framed) first.segment = 0;
  function adoptFirst() {
    first.label = `parse ${segments[0].label}`;
    parsing = { event: first, n: 0, segment: segments[0], base: 0 };
    nothingToSee();
    if (segments[0].end === "last" && document_readyState.call(document) !== "loading" ||
        segments[0].end === "script" && scriptBegan >= segments[0].script)
      settle();
    else
      nodesSeen();
  }

  const changed = records => dom.quietly(() => {
    dom.flush(0); // first what was changed, then what comes of it: in every run
    for (const record of records) {
      if (record.type === "attributes") sourceChanged(record.target, record.attributeName);
      for (const node of record.removedNodes) frames.forget(node);
      for (const node of record.addedNodes) noteTree(node);
    }
    nodesSeen();
  });
  const observer = new MutationObserver(changed);
  observer.observe(document, { childList: true, subtree: true, characterData: true, attributeFilter: ["src", "srcset", "srcdoc", "href"] });

  // ---- elements that load something -----------------------------------------------------------------------------------------

  function noteTree(node) {
    if (node.nodeType !== 1) return;
    note(node);
    if (node.firstElementChild !== null)
      for (const element of node.querySelectorAll("script, img, link, iframe")) note(element);
  }
  function note(element) {
    switch (element.localName) {
      case "script": return noteScript(element);
      case "img": return void (element.getAttribute("src") && !loads.has(element) && noteLoad(element, element.src));
      case "link":
        if (/\bstylesheet\b/i.test(element.rel) && element.href && !loads.has(element)) noteLoad(element, element.href);
        return;
      case "iframe": if (!loads.has(element)) frames.note(element); return;
    }
  }
  // By attribute, or by a property that nobody stands in for.
  function sourceChanged(element, name) {
    if (element.localName === "iframe" && name !== "href") return frames.note(element);
    if (element.localName === "link" && name === "href") return loads.delete(element), note(element);
    if (element.localName !== "img" || name === "href" || !element.hasAttribute("src") && !element.hasAttribute("srcset")) return;
    const old = loads.get(element);
    if (old && scheduler.pending.has(old) && (name === "srcset" || old.url === absolute(element.src))) return;
    watchDetached(element);
    noteLoad(element, element.src || element.currentSrc);
  }

  function noteLoad(element, source, after = []) {
    const old = loads.get(element);
    if (old && scheduler.pending.has(old)) cancel(old);
    const u = absolute(source);
    awaitAnswer(u);
    const event = post({ kind: "load", what: element.localName + "|" + u, label: `load of ${element.localName} ${path(u)}`,
      latency: latencyOf(u), after, blocks: [loadId], ready: false, run: deliver });
    event.url = u;
    event.element = element;
    event.natives = [];
    loads.set(element, event);
    return event;
  }
  function deliver(event) {
    for (const nativeEvent of event.natives) redispatch(nativeEvent, event.element);
  }
  function redispatch(nativeEvent, target) {
    readHandlers(target, nativeEvent.type);
    fresh.add(nativeEvent);
    dispatch.call(target, nativeEvent);
  }

  // ---- frames ---------------------------------------------------------------------------------------------------------------

  const frames = (() => {
    const records = new Map(); // frame element -> what it waits for: { url, doc, load, held }
    const withoutRequest = u => !isNetwork(u) && !/^(about|javascript):/.test(u);

    function drop(element) {
      const old = records.get(element);
      if (old === undefined) return;
      records.delete(element);
      scheduler.frames.delete(old);
      if (old.held) scheduler.unhold(old.held);
      for (const event of [old.doc, old.load]) if (event && scheduler.pending.has(event)) cancel(event);
    }
    function note(element) {
      drop(element);
      const srcdoc = element.hasAttribute("srcdoc"), u = srcdoc ? "about:srcdoc" : absolute(element.getAttribute("src") ?? "");
      const record = { url: u, element, doc: null, load: null, held: null, failed: false };
      if (u === "" || u === url || !srcdoc && !isNetwork(u) && !withoutRequest(u)) return; // it was there at once
      records.set(element, record);
      scheduler.frames.add(record);
      if (isNetwork(u)) {
        awaitAnswer(u);
        record.doc = post({ kind: "parse", what: "frame|" + u, label: `parse frame ${path(u)}`, latency: latencyOf(u), native: true,
          blocks: [loadId], run(event) {
            event.atEnd = () => { if (record.failed && scheduler.pending.has(record.load)) cancel(record.load); };
            if (record.failed) complete(event); else say("release", { url: u });
          } });
        record.doc.url = u;
        record.doc.isDocument = true;
        record.doc.segment = 0;
        record.load = noteLoad(element, u, [record.doc.id]);
      } else {
        if (scheduler.current !== null) record.held = scheduler.hold();
        record.load = noteLoad(element, u);
      }
    }
    // The native load of a frame's element: its document is there, whatever it is.
    function loaded(element) {
      const record = records.get(element);
      if (record === undefined) return;
      if (record.held) {
        scheduler.unhold(record.held);
        record.held = null;
      }
      if (record.doc && scheduler.current === record.doc) complete(record.doc);
    }
    function forget(node) {
      if (node.nodeType !== 1 || node.isConnected) return;
      if (node.localName === "iframe") drop(node);
      else if (records.size > 0) for (const element of node.querySelectorAll("iframe")) drop(element);
    }
    // The host asks about a navigation that it can't tell from one of the page.
    listeners.set("whose", ({ url: u, n }) => {
      changed(observer.takeRecords()); // the parser's work is not always told before the next task
      let frame = false, hold = false;
      for (const record of scheduler.frames)
        if (record.url === u.replace(/#.*/, "")) frame = true, hold ||= record.doc !== null;
      say("whose", { n, url: u.replace(/#.*/, ""), frame: frame || /^(about|data|blob|javascript):/.test(u), hold });
    });
    // Nothing came from the network: a browser that shows no error page fires nothing.
    listeners.set("failed", ({ url: u }) => {
      for (const record of scheduler.frames) {
        if (record.url !== u || record.doc === null) continue;
        record.failed = true;
        arrived(u);
        if (scheduler.current === record.doc) complete(record.doc);
      }
    });
    return { note, loaded, forget };
  })();

  // ---- scripts --------------------------------------------------------------------------------------------------------------

  const isCode = type => type === "" || type === "module" || /^(text|application)\/(x-)?(java|ecma)script$/i.test(type);

  // Modules in the document run by themselves when it is parsed and what stands before them has run. They belong to the event
  // after which they may, which lasts until they have begun; what they import is let go from the end of parsing on.
  const modules = (() => {
    const behind = []; // of each: the external script before it
    let begun = 0, wanted = 0, held = null, importing = false;
    const allow = on => {
      if (importing !== on) say("imports", { on });
      importing = on;
    };
    const mayRun = id => id === null || scheduler.finished.has(id);
    function letGo() {
      if (held !== null) scheduler.unhold(held);
      held = null;
    }
    return {
      note() {
        behind.push(lastDeferred);
        if (framed) allow(true);
      },
      awaitThem() {
        wanted = begun;
        while (wanted < behind.length && mayRun(behind[wanted])) wanted++;
        if (behind.length > begun) allow(true);
        if (wanted > begun && held === null && scheduler.current !== null) held = scheduler.hold();
      },
      began() {
        begun++;
        if (held !== null && begun >= wanted) Promise.resolve().then(letGo);
      },
      over() {
        allow(false);
        letGo();
        begun = behind.length;
      },
    };
  })();

  function noteScript(element) {
    if (!element.src && element.type === "module" && !made.has(element) && !scripts.has(element)) {
      scripts.set(element, null);
      return modules.note();
    }
    if (scripts.has(element) || !element.src || !isCode(element.type.trim())) return;
    const u = element.src.replace(/#.*/, "");
    if (!isNetwork(u)) return;
    const byPage = made.has(element);
    const module = element.type === "module";
    if (framed && !byPage && (module || !element.hasAttribute("async"))) {
      scripts.set(element, null); // it belongs to the parsing of the frame
      if (module) modules.note();
      return say("pass", { url: u });
    }
    if (!byPage && !element.hasAttribute("async") && (element.hasAttribute("defer") || module)) {
      awaitAnswer(u);
      const event = postScript(u, element, { after: lastDeferred ? [lastId(), lastDeferred] : [lastId()],
        blocks: [dclId, loadId], how: module ? "module" : "deferred" });
      lastDeferred = event.id;
    } else if (byPage || element.hasAttribute("async")) {
      awaitAnswer(u);
      postScript(u, element, { blocks: [loadId], how: "async", group: byPage && !element.async ? "scripts in order" : "" });
    } else
      scripts.set(element, null); // parser-blocking: posted where the parser stops
  }
  const lastId = () => scheduler.identity("end of parsing|" + here);

  function postScript(u, element, { then, after, blocks, how, group }) {
    const event = post({ kind: "script", what: u, label: `script ${path(u)}`, latency: latencyOf(u), native: true, after, group,
      blocks: blocks ?? [dclId, loadId], run(e) { say("release", { url: u, module: how === "module", all: framed }); } });
    event.url = u;
    event.then = then;
    say("claim", { url: u });
    if (how === "module") event.atEnd = () => say("modules", {});
    if (element) scripts.set(element, event);
    if (then !== undefined)
      event.atEnd = () => { if (segments[then]) postSegment(then); else postLifecycle(); };
    return event;
  }
  function scriptEnded(element) {
    let event = scripts.get(element);
    if (event === undefined) return;
    if (event === null) event = blockingScript;
    // Its load handlers run in the same task, so the event ends with them; the next task is early enough.
    if (event) modules.awaitThem();
    if (event && scheduler.current === event) complete(event);
  }

  // ---- what the browser fires -----------------------------------------------------------------------------------------------

  function onNativeLoad(event) {
    if (fresh.has(event)) return;
    const target = event.target;
    if (target === document || target === window) return;
    if (target instanceof HTMLScriptElement) {
      readHandlers(target, event.type);
      Promise.resolve().then(() => scriptEnded(target));
      return;
    }
    if (target instanceof HTMLIFrameElement) frames.loaded(target);
    const pendingLoad = loads.get(target);
    if (pendingLoad === undefined || !scheduler.pending.has(pendingLoad)) {
      if (!(target instanceof HTMLIFrameElement)) completions.late(event); // media, objects: nothing that was foreseen
      return;
    }
    stopNow.call(event);
    pendingLoad.natives.push(event);
    arrived(pendingLoad.url);
    ready(pendingLoad);
  }
  // Loads of elements pass the document on their way down, but not the window.
  for (const type of ["load", "error"])
    listenNatively(document, type, onNativeLoad, true);

  // Detached images are not in the capture path: they listen for themselves, before anybody else can.
  function watchDetached(image) {
    for (const type of ["load", "error"])
      listenNatively(image, type, onNativeLoad, true);
  }

  // ---- DOMContentLoaded and load --------------------------------------------------------------------------------------------

  function postLifecycle() {
    if (scheduler.events.has(dclId)) return;
    post({ kind: "other", id: "end of parsing|" + here, label: "end of parsing", native: false, run() { ready_ = "interactive"; } });
    post({ kind: "lifecycle", id: "dcl|" + here, label: "DOMContentLoaded", ready: waiters.has("DOMContentLoaded"), after: [lastId()],
      latency: 1, run() { for (const e of waiters.get("DOMContentLoaded")) redispatch(e, document); } });
    post({ kind: "lifecycle", id: "load|" + here, label: "load", ready: waiters.has("load"), after: [dclId], latency: 2, run() {
      ready_ = "complete";
      redispatch(new Event("readystatechange"), document);
      for (const e of waiters.get("load")) redispatch(e, window);
      redispatch(new PageTransitionEvent("pageshow", { persisted: false }), window);
    } });
  }
  // A frame's DOMContentLoaded belongs to its parsing; its load is an event, before that of the element.
  function frameParsed() {
    const event = scheduler.current;
    if (event !== null && event.isDocument && event.url === url) Promise.resolve().then(() => complete(event));
    const blocks = [];
    for (const record of scheduler.frames) if (record.url === url && record.load) blocks.push(record.load.id);
    post({ kind: "lifecycle", id: "load|" + here, label: `load of the frame ${path(url)}`, ready: false, latency: 2, blocks, run() {
      ready_ = "complete";
      redispatch(new Event("readystatechange"), document);
      for (const e of waiters.get("load")) redispatch(e, window);
      redispatch(new PageTransitionEvent("pageshow", { persisted: false }), window);
    } });
  }
  if (framed)
    for (const type of ["pagehide", "unload"]) listenNatively(window, type, () => scheduler.leave(), true);

  function swallow(type, event) {
    if (fresh.has(event)) return;
    if (type !== "load") modules.over();
    if (framed && type !== "load") return frameParsed();
    stopNow.call(event);
    if (!waiters.has(type)) waiters.set(type, []);
    waiters.get(type).push(event);
    const waiting = scheduler.events.get(type === "load" ? loadId : dclId);
    if (waiting) ready(waiting);
  }
  listenNatively(document, "readystatechange", event => {
    if (fresh.has(event)) return;
    if (document_readyState.call(document) === "interactive") {
      ready_ = "interactive";
      dom.flush(0); // what the parser did last comes first, however it got there
      readHandlers(document, "readystatechange");
      if (parsing !== null && parsing.segment.end === "last") Promise.resolve().then(settle);
      return;
    }
    stopNow.call(event);
  }, true);
  listenNatively(window, "DOMContentLoaded", event => swallow("DOMContentLoaded", event), true);
  listenNatively(window, "load", event => { if (event.target === document || event.target === window) swallow("load", event); }, true);
  listenNatively(window, "pageshow", event => { if (!fresh.has(event)) stopNow.call(event); }, true);
  const document_readyState = replaceGetter(Document.prototype, "readyState", function () {
    if (this !== document) return document_readyState.call(this);
    logRead("document.readyState", ready_, 0);
    return ready_;
  });

  // ---- what page code makes load --------------------------------------------------------------------------------------------

  const setSrc = replaceSetter(HTMLImageElement.prototype, "src", function (value) {
    setSrc.call(this, value);
    watchDetached(this);
    noteLoad(this, value);
  });
  const createElement = replaceMethod(Document.prototype, "createElement", function (...args) {
    const element = createElement.apply(this, args);
    if (element instanceof HTMLScriptElement) made.add(element);
    return element;
  });

  return { loadId, sourceChanged, inlineScript, latencyOf, awaitAnswer, arrived, absolute, path, latencies, first, isNetwork,
    get url() { return url; }, get loadEvent() { return scheduler.events.get(loadId); } };
})();
