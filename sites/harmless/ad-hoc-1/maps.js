// The library.
var maps = { draw(place) { return "a map of " + place; } };
