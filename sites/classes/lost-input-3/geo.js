// Guesses where the visitor is.
document.getElementById("country").value = "de";
