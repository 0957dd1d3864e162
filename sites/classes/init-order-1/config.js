// Set for each country by the server.
window.siteConfig = { currency: "EUR" };
