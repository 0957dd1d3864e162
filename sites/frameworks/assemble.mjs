#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Makes the pages of sites/frameworks complete: assemble FOLDER. Fetches the libraries from npm (versions in package-lock.json) and
// writes FOLDER/NAME for each page: its own files, the libraries that `libraries` lists (path in node_modules, name in the page),
// and app.js made from app.bundle.js or App.svelte where there is one.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? "");
if (process.argv.length !== 3) {
  console.error("usage: assemble FOLDER");
  process.exit(2);
}
const modules = join(out, "node_modules");
const isOwn = name => ["libraries", "app.bundle.js", "App.svelte"].includes(name);

function fetchLibraries() {
  const lock = readFileSync(join(here, "package-lock.json"));
  const stamp = join(out, ".installed");
  if (existsSync(stamp) && readFileSync(stamp).equals(lock)) return;
  mkdirSync(out, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, name), join(out, name));
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: out, stdio: "inherit" });
  writeFileSync(stamp, lock);
}

async function bundle(source, target) {
  const { buildSync } = createRequire(join(out, "package.json"))("esbuild");
  buildSync({ entryPoints: [source], outfile: target, bundle: true, format: "iife", nodePaths: [modules], conditions: ["browser", "production"],
    define: { "process.env.NODE_ENV": '"production"' }, logLevel: "warning" });
}

async function compileSvelte(source, folder) {
  const { compile } = await import(join(modules, "svelte/src/compiler/index.js"));
  const { js } = compile(readFileSync(source, "utf8"), { filename: "App.svelte", dev: false });
  const compiled = join(folder, "app.compiled.js"), main = join(folder, "app.main.js");
  writeFileSync(compiled, js.code);
  writeFileSync(main, 'import { mount } from "svelte";\nimport App from "./app.compiled.js";\nmount(App, { target: document.getElementById("app") });\n');
  await bundle(main, join(folder, "app.js"));
  rmSync(compiled);
  rmSync(main);
}

async function assemble(name) {
  const from = join(here, name), to = join(out, name);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const file of readdirSync(from)) if (!isOwn(file)) cpSync(join(from, file), join(to, file), { recursive: true });
  if (existsSync(join(from, "libraries")))
    for (const line of readFileSync(join(from, "libraries"), "utf8").trim().split("\n")) {
      const [path, target] = line.split(" ");
      copyFileSync(join(modules, path), join(to, target));
    }
  if (existsSync(join(from, "app.bundle.js"))) await bundle(join(from, "app.bundle.js"), join(to, "app.js"));
  if (existsSync(join(from, "App.svelte"))) await compileSvelte(join(from, "App.svelte"), to);
}

fetchLibraries();
for (const entry of readdirSync(here, { withFileTypes: true }))
  if (entry.isDirectory()) await assemble(entry.name);
