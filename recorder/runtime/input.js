// SPDX-License-Identifier: MIT
// User input: each step of the scenario is an event that becomes pending as soon as its target exists.
(() => {
  const { post, hooks, config } = scheduler;
  const steps = $rwRoot !== null ? [] : config.steps.map((step, n) => ({ ...step, n, event: null }));
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const setText = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
  const nativeClick = HTMLElement.prototype.click;
  const query = Document.prototype.querySelector;

  function targetOf(step) {
    if (!step.selector) return document.activeElement ?? document.body;
    try { return dom.quietly(() => query.call(document, step.selector)); } catch { return null; }
  }
  const pathOf = step => "user|" + step.n + "|" + step.line;

  function postFound() {
    for (const step of steps) {
      if (step.event !== null || targetOf(step) === null) continue;
      step.event = post({ kind: "user", id: pathOf(step), label: step.line, latency: 10,
        after: step.n > 0 ? [scheduler.identity(pathOf(steps[step.n - 1]))] : [],
        natural: () => dueOf(step), run: () => perform(step) });
    }
  }
  hooks.after.push(postFound);

  // When recording, the user comes after the page has loaded, and takes the steps one after the other.
  function dueOf(step) {
    const previous = step.n === 0 ? documents.loadEvent : steps[step.n - 1].event;
    if (step.wait < 0 || !previous || previous.position < 0) return Infinity;
    return previous.time + step.wait;
  }

  // ---- doing it -------------------------------------------------------------------------------------------------------------

  function perform(step) {
    const target = targetOf(step);
    if (target === null) return; // it was there when the step became pending, and has been removed since
    actions[step.op](target, step);
  }
  function mouse(target, type, extra = {}) {
    readHandlers(target, type);
    const Kind = type.startsWith("pointer") ? PointerEvent : MouseEvent;
    const box = target.getBoundingClientRect();
    const quiet = type.endsWith("enter") || type.endsWith("leave");
    return target.dispatchEvent(new Kind(type, { bubbles: !quiet, cancelable: !quiet, composed: true, view: window, detail: 1,
      clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, pointerType: "mouse", isPrimary: true, ...extra }));
  }
  function focus(target) {
    const focusable = target.closest("input, select, textarea, button, a[href], [tabindex], [contenteditable]");
    for (const type of ["focus", "focusin"]) readHandlers(target, type);
    if (focusable) focusable.focus();
    else if (document.activeElement && document.activeElement !== document.body) document.activeElement.blur();
  }
  function key(target, type, name) {
    readHandlers(target, type);
    return target.dispatchEvent(new KeyboardEvent(type, { key: name, code: name.length === 1 ? "Key" + name.toUpperCase() : name,
      bubbles: true, cancelable: true, composed: true, view: window }));
  }
  // The browser would have changed a disabled or read-only field for nobody.
  const editable = target => !target.matches(":disabled") && !target.readOnly;

  function insert(target, text) {
    for (const type of ["beforeinput", "input"]) readHandlers(target, type);
    if (document.activeElement === target && document.execCommand("insertText", false, text)) return;
    const area = target instanceof HTMLTextAreaElement;
    (area ? setText : setValue).call(target, target.value + text);
    target.dispatchEvent(new InputEvent("input", { data: text, inputType: "insertText", bubbles: true }));
  }
  function changed(target) {
    for (const type of ["input", "change"]) {
      readHandlers(target, type);
      target.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
  const actions = {
    click(target) {
      mouse(target, "pointerdown", { button: 0, buttons: 1 });
      if (mouse(target, "mousedown", { button: 0, buttons: 1 })) focus(target);
      mouse(target, "pointerup");
      mouse(target, "mouseup");
      readHandlers(target, "click");
      if (target.matches(":disabled")) return;
      if (target instanceof HTMLElement) nativeClick.call(target); else mouse(target, "click");
    },
    hover(target) {
      for (const type of ["pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove"]) mouse(target, type);
    },
    type(target, { text }) {
      focus(target);
      if (!editable(target)) return;
      for (const letter of text) {
        if (key(target, "keydown", letter) && key(target, "keypress", letter)) insert(target, letter);
        key(target, "keyup", letter);
      }
    },
    press(target, { text }) {
      const goOn = key(target, "keydown", text) && (text !== "Enter" || key(target, "keypress", text));
      if (goOn && text === "Enter" && target instanceof HTMLInputElement && target.form) target.form.requestSubmit();
      if (goOn && text === "Enter" && target instanceof HTMLButtonElement) nativeClick.call(target);
      key(target, "keyup", text);
    },
    select(target, { text }) {
      focus(target);
      if (!editable(target)) return;
      const option = [...target.options].find(o => o.value === text || o.text.trim() === text);
      if (option) { target.value = option.value; changed(target); }
    },
    check(target) { if (!target.checked) actions.click(target); },
    uncheck(target) { if (target.checked) actions.click(target); },
    blur(target) { target.blur(); },
  };
})();
