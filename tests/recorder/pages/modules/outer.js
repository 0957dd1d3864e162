window.order += " outer";
