// A to-do list with Preact's hooks.
const { h, render } = preact;
const { useState } = preactHooks;

function Todo() {
  const [items, setItems] = useState([]);
  const [text, setText] = useState("");
  const add = event => {
    if (event.key !== "Enter" || !text)
      return;
    setItems(old => [...old, { id: old.length, text, done: false }]);
    setText("");
  };
  const toggle = id => setItems(old => old.map(item => item.id === id ? { ...item, done: !item.done } : item));
  return h("div", null,
    h("input", { id: "new", value: text, onInput: event => setText(event.target.value), onKeyDown: add }),
    h("ul", { id: "list" }, items.map(item => h("li", { key: item.id, class: item.done ? "done" : "", onClick: () => toggle(item.id) }, item.text))));
}
render(h(Todo), document.getElementById("app"));
