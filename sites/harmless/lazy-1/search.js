// One module of the application.
window.app = window.app || {};
window.app.search = { name: "search" };
