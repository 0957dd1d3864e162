// SPDX-License-Identifier: MIT
// Automatic input: what a user could do with the page as it stands, each visible element once, in document order.
function findSteps(limit) {
  const values = { email: "ann@example.org", number: "7", tel: "5550100", url: "http://example.org/", date: "2026-01-15",
    time: "10:30", month: "2026-01", week: "2026-W03", color: "#336699", range: "7", password: "Secret-1" };
  const clicks = ["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick"];
  const hovers = ["mouseover", "mouseenter", "mousemove", "pointerover", "pointerenter"];

  const listens = (element, types) =>
    types.some(type => (slots.get(element)?.get(type) ?? 0) > 0 || element.hasAttribute("on" + type));
  function visible(element) {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && style.display !== "none";
  }
  function selectorOf(element) {
    const parts = [];
    for (let node = element; node && node !== document.documentElement; node = node.parentElement) {
      if (node.id && /^[A-Za-z][\w-]*$/.test(node.id) && document.querySelectorAll("#" + node.id).length === 1) {
        parts.unshift("#" + node.id);
        break;
      }
      const same = node.parentElement ? [...node.parentElement.children].filter(x => x.localName === node.localName) : [node];
      parts.unshift(same.length > 1 ? `${node.localName}:nth-of-type(${same.indexOf(node) + 1})` : node.localName);
    }
    return parts.join(">");
  }
  function stepFor(element) {
    const selector = selectorOf(element), name = element.localName;
    if (name === "textarea") return `type ${selector} "some text"`;
    if (name === "select") {
      const option = [...element.options].find(o => !o.selected && !o.disabled);
      return option ? `select ${selector} "${option.value.replace(/["\\]/g, "\\$&")}"` : null;
    }
    if (name === "input") {
      const type = element.type;
      if (type === "checkbox" || type === "radio") return element.checked ? null : `check ${selector}`;
      if (["hidden", "file", "image"].includes(type)) return null;
      if (["button", "submit", "reset"].includes(type)) return `click ${selector}`;
      return `type ${selector} "${values[type] ?? "tea"}"`;
    }
    if (name === "button" || name === "summary" || listens(element, clicks)) return `click ${selector}`;
    if (listens(element, hovers)) return `hover ${selector}`;
    return null;
  }

  const steps = [];
  for (const element of document.querySelectorAll("body *")) {
    if (steps.length >= limit) break;
    if (element.disabled || !visible(element)) continue;
    const step = stepFor(element);
    if (step !== null && !/[\n\r]/.test(step)) steps.push(step);
  }
  return steps;
}
