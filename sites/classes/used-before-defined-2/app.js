// The application proper.
metrics.mark("start");
document.getElementById("state").textContent = "ready";
