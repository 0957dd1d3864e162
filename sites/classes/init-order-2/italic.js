// Puts its button behind those that are there.
{
  const button = document.createElement("button");
  button.textContent = "italic";
  document.getElementById("tools").append(button);
}
