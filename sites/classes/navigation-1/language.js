// Sends visitors to the pages in their language.
document.getElementById("shop").href = "/no/shop";
