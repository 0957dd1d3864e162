// One module of the application.
window.app = window.app || {};
window.app.cart = { name: "cart" };
