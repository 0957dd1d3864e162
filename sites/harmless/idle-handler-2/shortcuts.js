// Escape leaves the field, other keys do nothing.
addEventListener("keydown", event => {
  if (event.key === "Escape")
    document.activeElement.blur();
});
