// The shopping cart.
function openCart() {
  document.getElementById("basket").hidden = false;
}
