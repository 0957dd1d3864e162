// SPDX-License-Identifier: MIT
// The scheduler: owns every pending event of the page and runs them one at a time, each as a task of its own.
//
// An event is posted, may be cancelled, and runs once. It is enabled by the rule of explorer/include/rw-space.h: posted, every
// event of `after` finished, nobody pending `blocks` it, oldest of its group, no timer before it. Recording runs the enabled
// event that is due first in virtual time; a replay runs a list, skipping what is not enabled, and then drains by rank. Nothing
// here depends on real time: an event whose native half is still under way is waited for, never skipped.
const scheduler = $rwRoot !== null ? frameScheduler($rwRoot) : (() => {
  const native = $rwNative;
  delete globalThis.__rwNative;
  const postMessage = globalThis.postMessage.bind(globalThis);
  const listen = EventTarget.prototype.addEventListener;
  const stopNow = Event.prototype.stopImmediatePropagation;
  const dispatch = EventTarget.prototype.dispatchEvent;
  const NativeErrorEvent = ErrorEvent;
  const isError = Error.isError ?? (value => value instanceof Error);
  const dataOf = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data").get;
  const call = Function.prototype.call.bind(Function.prototype.call);
  const stringify = JSON.stringify, parse = JSON.parse;
  const imul = Math.imul, max = Math.max, round = Math.round;
  const now = Date.now;

  const kinds = { other: 0, parse: 1, script: 2, load: 3, lifecycle: 4, timer: 5, interval: 6, frame: 7, idle: 8, network: 9,
    message: 10, native: 11, user: 12, navigation: 13, unscheduled: 14 };
  const POST = 2, CANCEL = 3, INITIAL = 17, EFFECTIVE = 1;

  const config = $rwConfig;
  const events = new Map();      // identity -> event
  const pending = new Set();     // in the order of their posts
  const finished = new Set();    // identities that ran or were cancelled
  const ordinals = new Map();    // poster + kind + discriminator -> how many of them it posted
  const definitions = [];
  const listeners = new Map();   // host command -> function
  const holes = [];              // page code entered outside a scheduled event
  const skipped = [];
  const rank = new Map();
  let current = null;            // the event that runs now
  let position = 0;              // next entry of the schedule
  let executed = 0;
  let clock = 0;                 // virtual milliseconds since navigation
  let chosen = null;             // the event that runs next, once its native half is there
  let state = "starting";        // starting, running, capturing, done
  let limit = null;

  config.ranks.forEach((id, i) => { rank.set(id, i); });

  // 64 bits as 16 hex digits: two 32-bit FNV-like hashes with different bases. Never zero.
  function identity(path) {
    let a = 0x811c9dc5, b = 0x9e3779b9;
    for (let i = 0; i < path.length; i++) {
      const c = path.charCodeAt(i);
      a = imul(a ^ c, 0x01000193);
      b = imul(b ^ c, 0x85ebca6b); b ^= b >>> 13;
    }
    b = imul(b ^ (b >>> 16), 0xc2b2ae35);
    const hex = n => (n >>> 0).toString(16).padStart(8, "0");
    const text = hex(a) + hex(b);
    return text === "0000000000000000" ? "0000000000000001" : text;
  }

  // Happens-before of what ran, as bitsets over the positions in this run; needed by the timer rule only.
  function pastOf(event) {
    let width = (executed >> 5) + 1;
    const past = new Uint32Array(width);
    const join = before => {
      if (!before || before.position < 0 || !before.past)
        return;
      for (let i = 0; i < before.past.length; i++) past[i] |= before.past[i];
      past[before.position >> 5] |= 1 << (before.position & 31);
    };
    join(event.poster);
    for (const id of event.after) join(events.get(id));
    for (const other of event.blockedBy) join(other);
    return past;
  }

  function before(a, b) {
    return a === b || (a.position >= 0 && b.past && (b.past[a.position >> 5] & (1 << (a.position & 31))) !== 0);
  }

  // x holds back the timer y: no longer a delay, and installed no later by happens-before.
  function timerBlocks(x, y) {
    if (x.delay > y.delay)
      return false;
    if (x.poster === y.poster)
      return x.order < y.order;
    return x.poster === null || (y.poster !== null && before(x.poster, y.poster));
  }

  function isBlocked(event) {
    for (const id of event.after)
      if (!finished.has(id)) return true;
    for (const other of pending) {
      if (other === event) continue;
      if (other.blocks.includes(event.id)) return true;
      if (event.group && other.group === event.group && other.order < event.order) return true;
      if (!config.timersAny && event.delay >= 0 && other.delay >= 0 && timerBlocks(other, event)) return true;
    }
    return false;
  }

  function isEnabled(event) {
    return pending.has(event) && event.time <= config.horizon && !isBlocked(event);
  }

  function define(event) {
    definitions.push({ id: event.id, kind: event.kind, label: event.label, group: event.group, delay: event.delay,
      after: event.after, blocks: event.blocks, time: event.time });
  }

  // When an event happens in virtual time: as recorded, or as its poster and its delay say. Never a matter of the schedule.
  function timeOf(id, poster, spec) {
    const known = config.times[id];
    if (known !== undefined) return known;
    return (poster ? poster.time : 0) + max(spec.delay >= 0 ? spec.delay : 0, spec.latency ?? 0) + 0.01;
  }

  // spec: kind, what (the discriminator), label, run; optional: id (identity path of its own, without the poster), delay, latency,
  // group, after, blocks, ready (false: its native half is still under way), natural (virtual due time when recording)
  function post(spec) {
    const poster = spec.initial ? null : current;
    let path = spec.id;
    if (path === undefined) {
      const base = spec.kind + "|" + spec.what + "|" + (poster ? poster.id : "");
      const ordinal = ordinals.get(base) ?? 0;
      ordinals.set(base, ordinal + 1);
      path = base + "|" + ordinal;
    }
    const id = identity(path);
    const old = events.get(id);
    if (old !== undefined)
      return old;
    const event = { id, kind: kinds[spec.kind], kindName: spec.kind, label: spec.label, run: spec.run, poster, position: -1,
      past: null, holds: 0, order: events.size, delay: spec.delay ?? -1, latency: spec.latency, group: spec.group ?? "",
      after: spec.after ?? [], blocks: spec.blocks ?? [], blockedBy: [], ready: spec.ready ?? true, whenReady: null,
      natural: spec.natural, time: 0, native: spec.native ?? false, value: spec.value };
    event.time = timeOf(id, poster, event);
    events.set(id, event);
    pending.add(event);
    define(event);
    logOp(poster ? POST : INITIAL, 0, id, null, 0);
    wake();
    return event;
  }

  function cancel(event) {
    const effective = pending.has(event);
    logOp(CANCEL, effective ? EFFECTIVE : 0, event.id, null, 0);
    if (effective)
      finish(event);
    return effective;
  }

  function finish(event) {
    pending.delete(event);
    finished.add(event.id);
    for (const other of pending)
      if (event.blocks.includes(other.id) || (other.group && other.group === event.group) ||
          (other.delay >= 0 && event.delay >= 0 && timerBlocks(event, other)))
        other.blockedBy.push(event);
  }

  // The native half of an event has arrived.
  function ready(event) {
    event.ready = true;
    wake();
  }

  // ---- choosing -------------------------------------------------------------------------------------------------------------

  function dueOf(event) {
    return event.natural ? event.natural(event) : event.time;
  }

  function nextByTime() {
    let best = null, bestDue = Infinity;
    for (const event of pending) {
      if (!isEnabled(event)) continue;
      const due = dueOf(event);
      if (best === null || due < bestDue) { best = event; bestDue = due; }
    }
    return best;
  }

  function rankBefore(a, b) {
    const ra = rank.get(a.id) ?? Infinity, rb = rank.get(b.id) ?? Infinity;
    return ra !== rb ? ra < rb : a.id < b.id;
  }

  function nextByRank() {
    let best = null;
    for (const event of pending)
      if ((best === null || rankBefore(event, best)) && isEnabled(event)) best = event;
    return best;
  }

  function nextOfSchedule() {
    while (position < config.schedule.length) {
      const event = events.get(config.schedule[position]);
      if (event !== undefined && isEnabled(event)) {
        position++;
        return event;
      }
      if (!(event !== undefined && finished.has(event.id) && event.position >= 0))
        skipped.push(config.schedule[position]);
      position++;
    }
    return null;
  }

  function next() {
    if (config.mode === "record")
      return nextByTime();
    return nextOfSchedule() ?? nextByRank();
  }

  // ---- running --------------------------------------------------------------------------------------------------------------

  let woken = false;
  function wake() {
    if (woken || state !== "running") return;
    woken = true;
    postMessage(token, "*");
  }

  function begin(event) {
    event.past = pastOf(event);
    event.position = executed++;
    if (config.mode === "record") {
      // Recording is where virtual time is made: it goes forward with every event.
      clock = round(max(clock + 0.01, dueOf(event) === Infinity ? 0 : dueOf(event)) * 1000) / 1000; // as it is kept
      event.time = clock;
    } else
      clock = event.time;
    current = event;
    clockStarts(event);
    definitions.push({ ran: event.id, time: event.time });
    logBegin(event.id);
    finish(event);
  }

  function end() {
    if (current.atEnd) current.atEnd();
    afterEvent(current);
    current = null;
    logEnd();
    if (executed % 16 === 0) drain();
  }

  function drain() {
    logDrain((ints, n, strings) => {
      const text = definitions.length === 0 ? "" : stringify(definitions);
      definitions.length = 0;
      native.log(ints, n, strings, text);
    });
    if (definitions.length > 0) {
      native.log(new Int32Array(0), 0, "", stringify(definitions));
      definitions.length = 0;
    }
  }

  // One task: end what ran (its microtasks are done), choose, run. A native event ends when complete () says so.
  function step() {
    woken = false;
    if (state !== "running") return;
    if (current !== null) {
      if (current.holds > 0 || current.native && !current.completed) return;
      end();
    }
    if (executed >= config.maxEvents) { limit = "events"; return quiet(); }
    if (config.mode === "record" && !answersKnown()) return;
    const event = chosen !== null && pending.has(chosen) ? chosen : next();
    if (event === null) return config.mode === "record" && patience > 0 ? waitAWhile() : quiet();
    // The schedule is a matter of logic, not of luck: it waits for the native half; the host ends it if that never comes.
    chosen = event.ready ? null : event;
    if (event.ready) runEvent(event);
  }

  function runEvent(event) {
    begin(event);
    try {
      event.run(event);
    } catch (error) {
      reportPageError(error);
    }
    if (!event.native) wake();
  }

  // A native event (parsing, an external script) is over.
  function complete(event) {
    event.completed = true;
    if (current === event) wake();
  }

  // reportError () would take the runtime for the culprit and mute the message, for the page's own handlers as well.
  // The event under way goes on until the other half of what it did is there (a frame without a request).
  function hold() {
    current.holds++;
    return current;
  }
  function unhold(event) {
    event.holds--;
    if (current === event) wake();
  }

  function reportPageError(error) {
    const known = typeof error === "object" && error !== null && isError(error);
    let message = "uncaught exception";
    try { message = String(error); } catch { /* a value without a text */ }
    call(dispatch, globalThis, new NativeErrorEvent("error", { cancelable: true, message, error,
      filename: known && typeof error.sourceURL === "string" ? error.sourceURL : "",
      lineno: known && error.line > 0 ? error.line : 0, colno: known && error.column > 0 ? error.column : 0 }));
  }

  // Workers and sockets speak when they like: a recording gives them a moment of real time after each word. A replay knows
  // what will come.
  const after = globalThis.setTimeout.bind(globalThis);
  const PATIENCE_MS = 500;
  let patience = 0, waiting = false;
  function waitAWhile() {
    if (waiting) return;
    waiting = true;
    after(() => {
      waiting = false;
      patience--;
      wake();
    }, PATIENCE_MS);
  }

  function quiet() {
    state = "capturing";
    drain();
    native.say("quiet", "{}");
  }

  function capture(command) {
    const out = [...pending].map(e => ({ id: e.id, label: e.label, kind: e.kindName, time: e.time }));
    const beyond = out.some(e => e.time > config.horizon);
    const text = captureState({ errors: log.errors, console: log.console, requests: log.requests,
      navigations: command.navigations, dialogs: log.dialogs, pending: out, limit, lexicals: lexicalNames() });
    drain();
    state = "done";
    native.say("finished", stringify({ limit: limit ?? (beyond ? "horizon" : null), skipped, holes, executed,
      steps: config.findSteps > 0 ? findSteps(config.findSteps) : [] }));
    native.say("state", text);
  }

  const log = { errors: [], console: [], requests: [], dialogs: [] };

  // Recording waits until it knows how long each answer takes: that is what orders events in virtual time.
  const unanswered = new Set();
  function answersKnown() {
    return unanswered.size === 0;
  }

  const hooks = { after: [], starts: [] };
  function afterEvent(event) { for (const hook of hooks.after) hook(event); }
  function clockStarts(event) { for (const hook of hooks.starts) hook(event); }

  // Page code was entered outside any event: a hole in the recorder, counted and named.
  function entered(api) {
    if (current === null && state === "running") holes.push(api);
  }

  const token = { rw: identity(String(now()) + config.secret) };
  call(listen, globalThis, "message", event => {
    const data = call(dataOf, event);
    if (data === null || typeof data !== "object" || data.rw !== token.rw) return;
    call(stopNow, event);
    if (data.tell === undefined) return step();
    const command = parse(data.tell);
    const handler = listeners.get(command.cmd);
    if (handler) handler(command);
  }, true);

  listeners.set("capture", capture);
  // The host has heard nothing for a long while: a native signal that was waited for does not come.
  listeners.set("go-on", () => {
    unanswered.clear();
    if (current !== null && current.holds > 0) {
      holes.push("a frame never came in " + current.label);
      current.holds = 0;
    }
    if (current !== null && current.native && !current.completed) {
      holes.push("no end seen of " + current.label);
      complete(current);
    } else if (chosen !== null && !chosen.ready) {
      holes.push("never arrived: " + chosen.label);
      ready(chosen);
    } else
      return wake();
    native.say("going on", "{}"); // the host counts silence, and there may be more that never comes
    wake();
  });

  // A frame is named by its document; the second of the same document has a number.
  const realms = new Map();
  function realmOf(href) {
    const name = "frame " + href.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*/, "").slice(0, 60);
    const n = realms.get(name) ?? 0;
    realms.set(name, n + 1);
    return n === 0 ? name : name + "#" + n;
  }

  return {
    hold, unhold, realmOf, bePatient() { patience = 1; }, frames: new Set(), channels: new Set(), known: path => rank.has(identity(path)), latencies: new Map(config.latencies), config, events, pending, finished, listeners, log, hooks, holes, unanswered, post, cancel, ready, complete, wake, entered, drain,
    native, identity, stringify, isEnabled,
    get current() { return current; },
    get clock() { return clock; },
    get state() { return state; },
    say(what, value) { native.say(what, stringify(value)); },
    // The first event, which is already running: the beginning of the document.
    startWith(event) { runEvent(event); },
    open() {
      state = "running";
      if (native.listen)
        native.listen(text => postMessage({ rw: token.rw, tell: text }, "*"), { scheduler: this, log: sharedLog, prototypes: domReads.byPrototype });
      native.say("hello", "{}");
    },
  };
})();
