// The settings of this page.
window.settings = { theme: "light" };
