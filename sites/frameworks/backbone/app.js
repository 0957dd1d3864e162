// A to-do list with a collection and a view.
const Items = Backbone.Collection.extend({ model: Backbone.Model.extend({ defaults: { text: "", done: false } }) });
const App = Backbone.View.extend({
  events: { "keydown #new": "add", "click li": "toggle" },
  initialize() {
    this.items = new Items();
    this.listenTo(this.items, "add change", this.render);
  },
  add(event) {
    if (event.key !== "Enter" || !event.target.value)
      return;
    this.items.add({ text: event.target.value });
    event.target.value = "";
  },
  toggle(event) {
    const item = this.items.at($(event.target).index());
    item.set("done", !item.get("done"));
  },
  render() {
    this.$("#list").html(this.items.map(item => $("<li>").text(item.get("text")).toggleClass("done", item.get("done"))));
    return this;
  },
});
new App({ el: "#app" }).render();
