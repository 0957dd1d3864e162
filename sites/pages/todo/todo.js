// A to-do list in plain modern JavaScript, with its items kept in the browser's storage.
class Item {
  #done = false;
  static #next = 1;
  constructor(text) { this.id = Item.#next++; this.text = text; }
  get done() { return this.#done; }
  toggle() { this.#done = !this.#done; }
}

const items = new Map();
const byId = id => document.getElementById(id);

function* open() {
  for (const [, item] of items)
    if (!item.done)
      yield item;
}

function render() {
  byId("items").replaceChildren(...[...items.values()].map(item => {
    const line = document.createElement("li");
    line.id = `item-${item.id}`;
    line.classList.toggle("done", item.done);
    line.textContent = item.text;
    line.onclick = () => { item.toggle(); render(); };
    return line;
  }));
  byId("left").textContent = `${[...open()].length} left`;
  localStorage.setItem("items", JSON.stringify([...items.values()].map(({ id, text, done }) => ({ id, text, done }))));
}

byId("new").addEventListener("keydown", ({ key, target }) => {
  if (key !== "Enter" || target.value.trim() === "")
    return;
  const item = new Item(target.value);
  items.set(item.id, item);
  target.value = "";
  render();
});
render();
