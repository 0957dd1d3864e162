// Draws as soon as both are there: the widget and its data.
function drawStock() {
  document.getElementById("stock").textContent = stock.pots + " pots";
}
if (stock !== null)
  drawStock();
