// Fills in the number when it is known.
document.getElementById("order").value = "T-1007";
