// SPDX-License-Identifier: MIT
// Opens the reports in a folder (page.html, hostile.html) as people do, and as those who wish them ill do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const folder = process.argv[2];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
let n = 0, bad = 0;

async function test(name, options, file, body) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage(), noise = [];
  page.on("console", m => noise.push(`console ${m.type()}: ${m.text()}`));
  page.on("pageerror", e => noise.push(`error: ${e.message}`));
  page.on("dialog", d => { noise.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", r => { if (!/^(file|data):/.test(r.url())) noise.push(`request: ${r.url()}`); });
  page.on("popup", () => noise.push("popup"));
  try {
    await page.goto(`file://${folder}/${file}.html`);
    await body(page, noise);
    assert.deepEqual(noise, []);
    console.log(`ok ${++n} - ${name}`);
  } catch (error) {
    bad++;
    console.log(`not ok ${++n} - ${name}\n${error.stack}`);
  }
  await context.close();
}
// playwright's own waiting evaluates strings, which the report's policy forbids.
async function until(page, predicate) {
  for (let i = 0; i < 200; i++) {
    if (await page.evaluate(predicate)) return;
    await page.waitForTimeout(25);
  }
  assert.fail(`never came true: ${predicate}`);
}
const shown = page => page.locator(".finding:visible").count();

await test("the summary comes first and in words", {}, "page", async page => {
  assert.match(await page.locator("h1").innerText(), /One harmful race/);
  assert.match(await page.locator(".worst").innerText(), /overwritten/);
  assert.equal(await shown(page), 3);
});
await test("search, checkboxes and class filter", {}, "page", async page => {
  await page.locator("#search").fill("overwritten tea");
  await until(page, () => document.querySelector(".shown").textContent === "1 of 3 shown");
  await page.locator("#search").fill("");
  await until(page, () => document.querySelector(".shown").textContent === "3 of 3 shown");
  await page.getByLabel("harmful", { exact: true }).uncheck();
  assert.equal(await shown(page), 2);
  await page.getByLabel("harmful", { exact: true }).check();
  await page.locator("#class").selectOption("hidden-state");
  assert.equal(await shown(page), 1);
});
await test("keyboard", {}, "page", async page => {
  const focused = () => page.evaluate(() => document.activeElement.closest(".finding")?.dataset.class);
  await page.keyboard.press("j");
  assert.equal(await focused(), "lost-input");
  await page.keyboard.press("j");
  assert.equal(await focused(), "hidden-state");
  await page.keyboard.press("o");
  assert.equal(await page.locator(".finding[open]").count(), 2);
  await page.keyboard.press("k");
  assert.equal(await focused(), "lost-input");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  assert.equal(await shown(page), 2);
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});
await test("a link in the summary opens its finding", {}, "page", async page => {
  await page.keyboard.press("1");
  await page.locator(".worst a").first().click();
  await until(page, () => document.activeElement.closest(".finding")?.open);
});
await test("slider and difference view", {}, "page", async page => {
  const pictures = page.locator(".pictures").first();
  await page.getByRole("button", { name: "Slider" }).click();
  await page.getByLabel("Where the two pictures meet").fill("30");
  assert.match(await pictures.locator("svg").nth(1).evaluate(e => e.style.clipPath), /30%/);
  await page.getByRole("button", { name: "Difference" }).click();
  assert.equal(await pictures.locator("svg").nth(1).evaluate(e => getComputedStyle(e).mixBlendMode), "difference");
  const [a, b] = await pictures.locator("svg").evaluateAll(list => list.map(e => e.getBoundingClientRect().x));
  assert.equal(a, b);
});
for (const colorScheme of ["light", "dark"])
  for (const file of ["page", "hostile"])
    await test(`axe-core finds no violation (${file}, ${colorScheme})`, { colorScheme }, file, async page => {
      await page.evaluate(() => { for (const f of document.querySelectorAll("details")) f.open = true; });
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(found.violations.map(v => `${v.id}: ${v.nodes.map(x => x.target.join(" ") + " " + x.failureSummary).slice(0, 3).join(" | ")}`), []);
    });
await test("readable with scripts off", { javaScriptEnabled: false }, "page", async page => {
  assert.match(await page.locator("h1").innerText(), /One harmful race/);
  assert.equal(await shown(page), 3);
  assert.ok(await page.locator(".order").first().isVisible());
  assert.ok(!await page.locator(".tools").isVisible());
  await page.locator(".finding summary").nth(1).click();
  assert.ok(await page.locator(".finding").nth(1).locator("table").isVisible());
});
await test("narrow windows scroll in one direction only", { viewport: { width: 360, height: 700 } }, "page", async page => {
  await page.evaluate(() => { for (const f of document.querySelectorAll("details")) f.open = true; });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
});
await test("a hostile page cannot run anything", {}, "hostile", async page => {
  assert.equal(await page.locator("script").count(), 1);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("main *").evaluateAll(all => all.filter(e => e.getAttributeNames().some(a => a.startsWith("on") || a === "style")).length), 0);
  assert.equal(await page.locator("a:not([href^='#'])").count(), 0);
  assert.match(await page.locator("main").innerText(), /<script>alert\(1\)<\/script>/);
});
await test("a script that gets in by other ways is stopped by the policy", {}, "page", async (page, noise) => {
  const ran = await page.evaluate(async () => {
    addEventListener("securitypolicyviolation", () => { window.stopped = (window.stopped ?? 0) + 1; });
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    await new Promise(r => setTimeout(r, 50));
    return [window.ran === true, window.stopped];
  });
  assert.deepEqual(ran, [false, 1]);
  assert.match(noise.pop(), /Content Security Policy/);
});

await browser.close();
console.log(`1..${n}`);
process.exit(bad ? 1 : 0);
