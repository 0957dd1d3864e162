// Fills in the PIN that was kept.
document.getElementById("pin").value = "2345";
