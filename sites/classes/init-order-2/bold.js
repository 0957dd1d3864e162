// Puts its button behind those that are there.
{
  const button = document.createElement("button");
  button.textContent = "bold";
  document.getElementById("tools").append(button);
}
