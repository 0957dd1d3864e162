// The chat window of a third party.
window.chat = {
  open(text) { document.getElementById("chat").textContent = text; },
};
