// SPDX-License-Identifier: MIT
// fetch and XMLHttpRequest: the request goes out at once, the answer is kept whole, and the page gets it when its event runs.
(() => {
  const { post, cancel, ready, log, native } = scheduler;
  const { absolute, path, latencyOf, awaitAnswer, arrived, latencies } = documents;
  const nativeFetch = globalThis.fetch.bind(globalThis);
  const RealResponse = Response, RealRequest = Request, RealHeaders = Headers;
  const define = Object.defineProperty;
  const rejectWith = (reject, signal) => reject(signal.reason ?? new DOMException("The operation was aborted.", "AbortError"));

  function note(method, url, body) {
    log.requests.push({ method, url, body: typeof body === "string" ? body.slice(0, 65536) : body == null ? null : describeValue(body) });
  }

  // Sends @request natively under the identity of @event; whatever comes back makes the event ready.
  function send(event, input, init) {
    native.tag(event.id);
    const sent = nativeFetch(input, init);
    native.tag("");
    sent.then(async response => {
      event.answer = { response, body: await response.arrayBuffer() };
    }).catch(error => {
      event.answer = { error };
    }).finally(() => {
      arrived(event.url);
      ready(event);
    });
  }

  function postAnswer(kind, method, url, run) {
    awaitAnswer(url);
    const event = post({ kind: "network", what: method + "|" + url, label: `answer to ${method} ${path(url)} (${kind})`,
      latency: latencyOf(url), ready: false, run });
    event.url = url;
    return event;
  }

  // ---- fetch ----------------------------------------------------------------------------------------------------------------

  const bodies = new WeakMap(); // our response -> { bytes, signal, reads: pending hand-overs of the body }

  function responseOf({ response, body }, signal) {
    const empty = [101, 204, 205, 304].includes(response.status);
    let ours;
    if (response.type === "opaque" || response.type === "error")
      ours = response;
    else
      ours = new RealResponse(empty ? null : body, { status: response.status, statusText: response.statusText,
        headers: response.headers });
    const show = (name, value) => define(ours, name, { get: () => value, configurable: true });
    show("url", response.url);
    show("type", response.type);
    show("redirected", response.redirected);
    const kept = { bytes: body, signal, reads: new Map() };
    bodies.set(ours, kept);
    // Until its body has been handed over, an aborted answer is none.
    if (signal)
      listenNatively(signal, "abort", () => { for (const [event, reject] of kept.reads) if (cancel(event)) rejectWith(reject, signal); });
    return ours;
  }

  replaceMethod(globalThis, "fetch", function (input, init) {
    const requested = scheduler.current;
    let request;
    try { request = new RealRequest(input, init); } catch (error) { return Promise.reject(error); }
    const url = absolute(request.url), signal = init?.signal ?? (input instanceof RealRequest ? input.signal : null);
    note(request.method, url, init?.body);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return rejectWith(reject, signal);
      const event = postAnswer("fetch", request.method, url, ({ answer }) => {
        if (answer.error) reject(answer.error); else resolve(responseOf(answer, signal));
      });
      if (signal)
        listenNatively(signal, "abort", () => { if (cancel(event)) rejectWith(reject, signal); });
      send(event, input, init);
    });
  });

  // Reading a body is a task of its own in a browser, so it is an event of its own here.
  const readers = {
    text: bytes => new TextDecoder().decode(bytes),
    json: bytes => JSON.parse(new TextDecoder().decode(bytes)),
    arrayBuffer: bytes => bytes.slice(0),
    blob: (bytes, response) => new Blob([bytes], { type: response.headers.get("content-type") ?? "" }),
  };
  for (const name of Object.keys(readers)) {
    const original = replaceMethod(RealResponse.prototype, name, function () {
      const kept = bodies.get(this);
      if (kept === undefined || this.bodyUsed || scheduler.current === null) return original.call(this);
      const used = original.call(this); // marks the body as used, as the page expects
      used.catch(() => {});
      return new Promise((resolve, reject) => {
        if (kept.signal?.aborted) return rejectWith(reject, kept.signal);
        const event = post({ kind: "network", what: "body|" + name + "|" + this.url,
          label: `body of ${path(this.url)} as ${name}`, latency: 0.1, run: () => {
            kept.reads.delete(event);
            try { resolve(readers[name](kept.bytes, this)); } catch (error) { reject(error); }
          } });
        kept.reads.set(event, reject);
      });
    });
  }

  // ---- XMLHttpRequest -------------------------------------------------------------------------------------------------------

  const X = XMLHttpRequest.prototype;
  const states = new WeakMap();
  const stateOf = xhr => states.get(xhr);
  const opened = replaceMethod(X, "open", function (method, url, async = true, ...rest) {
    const old = stateOf(this);
    if (old?.event) cancel(old.event);
    opened.call(this, method, url, async, ...rest);
    if (!async) return void states.delete(this);
    states.set(this, { method: String(method).toUpperCase(), url: absolute(url), headers: [], readyState: 1, status: 0, statusText: "",
      body: null, response: null, event: null, error: false, user: rest });
    fire(this, "readystatechange");
  });
  const setHeader = replaceMethod(X, "setRequestHeader", function (name, value) {
    setHeader.call(this, name, value);
    stateOf(this)?.headers.push([name, value]);
  });
  const sendNative = replaceMethod(X, "send", function (body) {
    const state = stateOf(this);
    if (state === undefined) {
      note("GET", "", body);
      return sendNative.call(this, body);
    }
    note(state.method, state.url, body);
    state.event = postAnswer("XHR", state.method, state.url, event => deliver(this, state, event.answer));
    if (this.timeout > 0) postTimeout(this, state);
    fireProgress(this, "loadstart", 0, 0);
    const headers = new RealHeaders();
    for (const [name, value] of state.headers) headers.append(name, value);
    const init = { method: state.method, headers, credentials: this.withCredentials ? "include" : "same-origin" };
    if (body != null && state.method !== "GET" && state.method !== "HEAD") init.body = body instanceof Document ? new XMLSerializer().serializeToString(body) : body;
    send(state.event, state.url, init);
  });
  replaceMethod(X, "abort", function () {
    const state = stateOf(this);
    if (state?.event && cancel(state.event)) {
      Object.assign(state, { readyState: 4, status: 0, error: true, event: null });
      fire(this, "readystatechange");
      fireProgress(this, "abort", 0, 0);
      fireProgress(this, "loadend", 0, 0);
    }
    if (state) state.readyState = 0;
  });
  function postTimeout(xhr, state) {
    post({ kind: "timer", what: "timeout|" + state.url, label: `timeout of XHR ${path(state.url)}`, delay: xhr.timeout, run() {
      if (!state.event || !cancel(state.event)) return;
      Object.assign(state, { readyState: 4, error: true, event: null });
      fire(xhr, "readystatechange");
      fireProgress(xhr, "timeout", 0, 0);
      fireProgress(xhr, "loadend", 0, 0);
    } });
  }

  function fire(xhr, type) {
    readHandlers(xhr, type);
    xhr.dispatchEvent(new Event(type));
  }
  function fireProgress(xhr, type, loaded, total) {
    readHandlers(xhr, type);
    xhr.dispatchEvent(new ProgressEvent(type, { lengthComputable: total > 0, loaded, total }));
  }
  function deliver(xhr, state, answer) {
    state.event = null;
    if (answer.error) {
      Object.assign(state, { readyState: 4, error: true });
      fire(xhr, "readystatechange");
      fireProgress(xhr, "error", 0, 0);
      return fireProgress(xhr, "loadend", 0, 0);
    }
    const { response, body } = answer, size = body.byteLength;
    Object.assign(state, { status: response.status, statusText: response.statusText, answer: response, readyState: 2 });
    fire(xhr, "readystatechange");
    if (state.readyState !== 2) return;
    state.body = body;
    state.readyState = 3;
    fire(xhr, "readystatechange");
    fireProgress(xhr, "progress", size, size);
    if (state.readyState !== 3) return;
    state.readyState = 4;
    fire(xhr, "readystatechange");
    fireProgress(xhr, "load", size, size);
    fireProgress(xhr, "loadend", size, size);
  }
  function text(state) {
    return state.body === null ? "" : state.text ??= new TextDecoder().decode(state.body);
  }
  function parsed(xhr, state) {
    if (state.readyState !== 4 || state.error) return xhr.responseType === "" || xhr.responseType === "text" ? text(state) : null;
    switch (xhr.responseType) {
      case "": case "text": return text(state);
      case "json": if (state.response === null) try { state.response = JSON.parse(text(state)); } catch { state.response = null; } break;
      case "arraybuffer": state.response ??= state.body.slice(0); break;
      case "blob": state.response ??= new Blob([state.body], { type: state.answer.headers.get("content-type") ?? "" }); break;
      case "document": state.response ??= xmlOf(state); break;
    }
    return state.response;
  }
  function xmlOf(state) {
    const type = state.answer?.headers.get("content-type") ?? "text/xml";
    const document = new DOMParser().parseFromString(text(state), /html/.test(type) ? "text/html" : "application/xml");
    return document.querySelector("parsererror") ? null : document;
  }
  const shown = {
    readyState: state => state.readyState,
    status: state => state.readyState < 2 || state.error ? 0 : state.status,
    statusText: state => state.readyState < 2 || state.error ? "" : state.statusText,
    responseText: state => state.readyState < 3 ? "" : text(state),
    response: (state, xhr) => parsed(xhr, state),
    responseXML: state => state.readyState !== 4 || state.error ? null : state.xml ??= xmlOf(state),
    responseURL: state => state.answer?.url ?? "",
  };
  for (const name of Object.keys(shown)) {
    const original = replaceGetter(X, name, function () {
      const state = stateOf(this);
      return state === undefined ? original.call(this) : shown[name](state, this);
    });
  }
  const oneHeader = replaceMethod(X, "getResponseHeader", function (name) {
    const state = stateOf(this);
    return state === undefined ? oneHeader.call(this, name) : state.answer?.headers.get(name) ?? null;
  });
  const allHeaders = replaceMethod(X, "getAllResponseHeaders", function () {
    const state = stateOf(this);
    if (state === undefined) return allHeaders.call(this);
    return state.answer ? [...state.answer.headers].map(([k, v]) => `${k}: ${v}\r\n`).join("") : "";
  });
})();
