// SPDX-License-Identifier: MIT
// Messages: window.postMessage, MessagePort, BroadcastChannel. Each channel delivers in order, when told.
(() => {
  const { post } = scheduler;
  const clone = globalThis.structuredClone;
  const partners = new WeakMap(); // port -> the other end
  let channels = 0;

  replaceMethod(globalThis, "postMessage", function (data, target, transfer) {
    const options = typeof target === "object" && target !== null ? target : { targetOrigin: target, transfer };
    const ports = (options.transfer ?? []).filter(x => x instanceof MessagePort);
    const copy = clone(data, { transfer: (options.transfer ?? []).filter(x => !(x instanceof MessagePort)) });
    const origin = options.targetOrigin ?? "/";
    if (origin !== "*" && origin !== "/" && new URL(origin).origin !== location.origin) return;
    const source = placeOfCall(ownPost) > 0 ? sharedLog.calls.realm : window;
    post({ kind: "message", what: "window", label: "message to the window", group: "messages to " + (scheduler.realm ?? "window"), run() {
      readHandlers(window, "message");
      window.dispatchEvent(new MessageEvent("message", { data: copy, origin: source.location.origin, source, ports }));
    } });
  });

  const ownPost = globalThis.postMessage;

  if (globalThis.MessageChannel) {
    const RealChannel = MessageChannel;
    function Channel() {
      if (new.target === undefined) throw new TypeError("Constructor MessageChannel requires 'new'");
      const channel = Reflect.construct(RealChannel, [], new.target);
      const number = ++channels;
      partners.set(channel.port1, { other: channel.port2, group: "port " + number + "a" });
      partners.set(channel.port2, { other: channel.port1, group: "port " + number + "b" });
      return channel;
    }
    Channel.prototype = RealChannel.prototype;
    replace(globalThis, "MessageChannel", Channel, RealChannel);
    Object.defineProperty(RealChannel.prototype, "constructor", { value: Channel, writable: true, configurable: true });
    const nativePost = replaceMethod(MessagePort.prototype, "postMessage", function (data, options) {
      const partner = partners.get(this);
      const transfer = Array.isArray(options) ? options : options?.transfer ?? [];
      if (partner === undefined) return nativePost.call(this, data, options);
      const copy = clone(data, { transfer: transfer.filter(x => !(x instanceof MessagePort)) });
      const ports = transfer.filter(x => x instanceof MessagePort);
      post({ kind: "message", what: "port", label: "message to a port", group: partner.group, run() {
        readHandlers(partner.other, "message");
        partner.other.dispatchEvent(new MessageEvent("message", { data: copy, ports }));
      } });
    });
  }
})();
