// Shows the price, in dollars where nothing else is configured.
document.getElementById("price").textContent = "5 " + (window.siteConfig?.currency ?? "USD");
