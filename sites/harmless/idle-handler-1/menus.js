// Closes what is open when the user clicks elsewhere.
document.addEventListener("click", event => {
  for (const menu of document.querySelectorAll("details[open]"))
    if (!menu.contains(event.target))
      menu.open = false;
});
