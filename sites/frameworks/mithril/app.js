// A to-do list as a closure component.
function Todo() {
  const items = [];
  let text = "";
  const add = event => {
    event.redraw = event.key === "Enter";
    if (event.key !== "Enter" || !text)
      return;
    items.push({ text, done: false });
    text = "";
  };
  return {
    view: () => m("div",
      m("input#new", { value: text, oninput: event => { text = event.target.value; }, onkeydown: add }),
      m("ul#list", items.map(item => m("li", { class: item.done ? "done" : "", onclick: () => { item.done = !item.done; } }, item.text)))),
  };
}
m.mount(document.getElementById("app"), Todo);
