// Measures how quickly the page comes up.
var metrics = {
  names: [],
  mark(name) { this.names.push(name); },
};
