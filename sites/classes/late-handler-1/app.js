// Brings the server-rendered menu to life.
const menu = document.querySelector("#menu");
const links = document.querySelector("#links");
menu.addEventListener("click", () => {
  links.hidden = !links.hidden;
  menu.setAttribute("aria-expanded", String(!links.hidden));
});
