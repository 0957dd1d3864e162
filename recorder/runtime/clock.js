// SPDX-License-Identifier: MIT
// Time and chance: both depend on the event that asks and on nothing else, so that every run gives the same answers.
const clock = (() => {
  const { config, hooks } = scheduler;
  const RealDate = Date;
  const define = Object.defineProperty;
  const construct = Reflect.construct;
  const imul = Math.imul;
  let asked = 0;   // how often the running event has asked: time passes a little, so that no page waits for ever
  let seed = 0;

  hooks.starts.push(event => {
    asked = 0;
    seed = parseInt(event.id.slice(0, 8), 16) ^ parseInt(event.id.slice(8), 16);
  });

  function elapsed() {
    return scheduler.clock + asked++ * 0.005;
  }
  function today() {
    return Math.floor(config.epoch + elapsed());
  }

  // A small generator (mulberry32), seeded by the event's identity.
  function random32() {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }

  function VirtualDate(...args) {
    if (new.target === undefined)
      return new RealDate(today()).toString();
    return construct(RealDate, args.length === 0 ? [today()] : args, new.target);
  }
  dressAs(VirtualDate, RealDate);
  for (const name of ["parse", "UTC"])
    define(VirtualDate, name, Object.getOwnPropertyDescriptor(RealDate, name));
  replace(VirtualDate, "now", { now() { return today(); } }.now, RealDate.now);
  VirtualDate.prototype = RealDate.prototype;
  define(VirtualDate, "prototype", { writable: false, enumerable: false, configurable: false });
  define(RealDate.prototype, "constructor", { value: VirtualDate, writable: true, enumerable: false, configurable: true });
  define(globalThis, "Date", { value: VirtualDate, writable: true, enumerable: false, configurable: true });

  replaceMethod(Math, "random", function random() {
    return (random32() * 0x200000 + (random32() >>> 11)) / 0x20000000000000;
  });

  if (globalThis.Performance) {
    replaceMethod(Performance.prototype, "now", function now() { return elapsed(); });
    replaceGetter(Performance.prototype, "timeOrigin", function () { return config.epoch; });
  }
  if (globalThis.Crypto) {
    replaceMethod(Crypto.prototype, "getRandomValues", function getRandomValues(array) {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let i = 0; i < bytes.length; i++) bytes[i] = random32();
      return array;
    });
    if (Crypto.prototype.randomUUID)
      replaceMethod(Crypto.prototype, "randomUUID", function randomUUID() {
        const hex = n => n.toString(16).padStart(8, "0");
        const h = hex(random32()) + hex(random32()) + hex(random32()) + hex(random32());
        return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
      });
  }
  if (globalThis.Event) {
    const stamp = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
    const stamps = new WeakMap();
    replaceGetter(Event.prototype, "timeStamp", function () {
      stamp.get.call(this); // throws as it should for anything that is no event
      if (!stamps.has(this)) stamps.set(this, scheduler.clock);
      return stamps.get(this);
    });
  }

  return { today, elapsed };
})();
