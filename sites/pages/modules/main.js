// Static and dynamic imports, top-level await.
import { greet } from "./greet.js";
const out = document.getElementById("out");
const data = await (await fetch("names.json")).json();
out.textContent = greet(data.names[0]);
document.getElementById("more").addEventListener("click", async () => {
  const { farewell } = await import("./farewell.js");
  out.textContent = farewell(data.names[1]);
});
