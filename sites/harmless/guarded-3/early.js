// Shows the greeting unless somebody has shown it.
if (!window.greeted) {
  window.greeted = true;
  document.getElementById("out").textContent = "Welcome";
}
