// Which version of the page this is.
window.appVersion = "1.4";
