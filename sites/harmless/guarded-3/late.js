// The same, from another part of the page.
if (!window.greeted) {
  window.greeted = true;
  document.getElementById("out").textContent = "Welcome";
}
