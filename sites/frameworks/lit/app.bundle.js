// A to-do list as a custom element; it renders into the document, so that selectors find what is in it.
import { LitElement, html } from "lit";

class TodoList extends LitElement {
  static properties = { items: { state: true }, text: { state: true } };
  constructor() {
    super();
    this.items = [];
    this.text = "";
  }
  createRenderRoot() { return this; }
  add(event) {
    if (event.key !== "Enter" || !this.text)
      return;
    this.items = [...this.items, { text: this.text, done: false }];
    this.text = "";
  }
  toggle(item) {
    item.done = !item.done;
    this.requestUpdate();
  }
  render() {
    return html`<input id="new" .value=${this.text} @input=${event => { this.text = event.target.value; }} @keydown=${this.add}>
      <ul id="list">${this.items.map(item => html`<li class=${item.done ? "done" : ""} @click=${() => this.toggle(item)}>${item.text}</li>`)}</ul>`;
  }
}
customElements.define("todo-list", TodoList);
