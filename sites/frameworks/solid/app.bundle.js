// A to-do list with signals, through tagged templates instead of JSX.
import { createSignal, For } from "solid-js";
import html from "solid-js/html";
import { render } from "solid-js/web";

function Todo() {
  const [items, setItems] = createSignal([]);
  const [text, setText] = createSignal("");
  const add = event => {
    if (event.key !== "Enter" || !text())
      return;
    const [done, setDone] = createSignal(false);
    setItems(old => [...old, { text: text(), done, setDone }]);
    setText("");
  };
  return html`<div><input id="new" prop:value=${text} oninput=${event => setText(event.target.value)} onkeydown=${add} />
    <ul id="list"><${For} each=${items}>${item => html`<li class=${() => item.done() ? "done" : ""} onclick=${() => item.setDone(!item.done())}>${item.text}</li>`}<//></ul></div>`;
}
render(Todo, document.getElementById("app"));
