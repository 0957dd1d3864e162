// Breaks always: its library is gone.
window.places = window.places || {};
window.places.left = true;
adServer.fill("left");
