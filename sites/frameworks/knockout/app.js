// A to-do list with observables.
const text = ko.observable("");
const items = ko.observableArray();
ko.applyBindings({
  text, items,
  add(model, event) {
    if (event.key !== "Enter" || !text())
      return true;
    const done = ko.observable(false);
    items.push({ text: text(), done, toggle: () => done(!done()) });
    text("");
  },
});
