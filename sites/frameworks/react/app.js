// A to-do list with hooks, without JSX.
const h = React.createElement;

function Todo() {
  const [items, setItems] = React.useState([]);
  const [text, setText] = React.useState("");
  React.useEffect(() => { document.title = `${items.length} to do`; }, [items]);
  const add = event => {
    if (event.key !== "Enter" || !text)
      return;
    setItems(old => [...old, { id: old.length, text, done: false }]);
    setText("");
  };
  const toggle = id => setItems(old => old.map(item => item.id === id ? { ...item, done: !item.done } : item));
  return h("div", null,
    h("input", { id: "new", value: text, onChange: event => setText(event.target.value), onKeyDown: add }),
    h("ul", { id: "list" }, items.map(item => h("li", { key: item.id, className: item.done ? "done" : "", onClick: () => toggle(item.id) }, item.text))));
}
ReactDOM.createRoot(document.getElementById("app")).render(h(Todo));
