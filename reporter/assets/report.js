// SPDX-License-Identifier: MIT
// What the report can do with scripts on: filter, search, keyboard, picture views, copying, and marks where it is served.
"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = (selector, root = document) => root.querySelector(selector);
  const findings = all(".finding");
  const tools = one(".tools"), search = one("#search"), kind = one("#class"), shown = one(".shown");
  const boxes = all(".tools input[type=checkbox]");

  // ---- filter
  const texts = new Map();
  function textOf(finding) {
    if (!texts.has(finding)) texts.set(finding, finding.textContent.toLowerCase());
    return texts.get(finding);
  }
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const harms = new Set(boxes.filter(box => box.checked).map(box => box.value));
    let n = 0;
    for (const finding of findings) {
      const fits = harms.has(finding.dataset.harm) && (!kind.value || finding.dataset.class === kind.value) &&
        words.every(word => textOf(finding).includes(word));
      finding.hidden = !fits;
      n += fits;
    }
    shown.textContent = `${n} of ${findings.length} shown`;
  }
  if (tools) {
    tools.hidden = false;
    let waiting = 0;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
    kind.addEventListener("change", filter);
    for (const box of boxes) box.addEventListener("change", filter);
    filter();
  }

  // ---- theme
  const theme = one("#theme");
  if (theme) theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // ---- a link to a finding opens it, even if it is filtered out
  function openTarget() {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (!target || !target.classList.contains("finding")) return;
    target.hidden = false;
    target.open = true;
    target.scrollIntoView();
    one("summary", target).focus({ preventScroll: true });
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  // ---- pictures: beside each other, one over the other, difference
  for (const views of all(".views")) {
    const pictures = views.nextElementSibling, range = one("input", views), over = all("svg", pictures)[1];
    views.hidden = false;
    for (const button of all("button", views)) button.addEventListener("click", () => {
      const view = button.dataset.view;
      pictures.classList.toggle("slide", view === "slide");
      pictures.classList.toggle("blend", view === "blend");
      range.hidden = view !== "slide";
      over.style.clipPath = view === "slide" ? `inset(0 0 0 ${range.value}%)` : "";
      for (const other of all("button", views)) other.setAttribute("aria-pressed", String(other === button));
    });
    range.addEventListener("input", () => { over.style.clipPath = `inset(0 0 0 ${range.value}%)`; });
  }

  // ---- copying
  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.previousElementSibling.textContent.trim());
        button.textContent = "Copied";
      } catch { button.textContent = "Select and copy"; }
    });
  }

  // ---- keyboard
  const summaries = () => findings.filter(f => !f.hidden).map(f => one("summary", f));
  function move(step) {
    const list = summaries(), at = list.findIndex(s => s.parentElement.contains(document.activeElement));
    const next = list[Math.min(Math.max(at < 0 ? (step > 0 ? 0 : list.length - 1) : at + step, 0), list.length - 1)];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  }
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (typing) { if (event.key === "Escape") event.target.blur(); return; }
    const box = boxes["123".indexOf(event.key)];
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "o") { const f = document.activeElement.closest(".finding"); if (f) f.open = !f.open; }
    else if (event.key === "/" && search) { search.focus(); search.select(); }
    else if (event.key === "t" && theme) theme.click();
    else if (box) { box.checked = !box.checked; filter(); }
    else return;
    event.preventDefault();
  });

  // ---- paper shows everything
  let closed = [];
  addEventListener("beforeprint", () => { closed = findings.filter(f => !f.open && !f.hidden); for (const f of closed) f.open = true; });
  addEventListener("afterprint", () => { for (const f of closed) f.open = false; });

  // ---- marks, where the report is served
  for (const triage of all(".triage")) {
    const note = one(".note", triage), said = one(".said", triage);
    for (const button of all("button", triage)) button.addEventListener("click", async () => {
      try {
        const answer = await fetch("mark", { method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ fingerprint: triage.dataset.fingerprint, verdict: button.value, note: note.value }) });
        said.textContent = answer.ok ? (button.value ? `Marked ${button.value}.` : "Mark taken away.") : await answer.text();
        if (answer.ok) for (const other of all("button", triage)) other.setAttribute("aria-pressed", String(other === button && button.value !== ""));
      } catch { said.textContent = "racewalk report --serve is not running any more."; }
    });
  }
})();
