// The chat window of a third party.
window.chat = {
  open(text) { document.getElementById("answer").textContent = text; },
};
