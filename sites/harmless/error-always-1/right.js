// Breaks always: its library is gone.
window.places = window.places || {};
window.places.right = true;
adServer.fill("right");
