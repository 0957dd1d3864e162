// SPDX-License-Identifier: MIT
// Compares reports with the `expected` files beside the pages: node expectations.mjs SITES FOLDER KNOWN, where FOLDER holds
// GROUP--PAGE.json (racewalk report --format json) and GROUP--PAGE.races (racewalk races --json --all) of each page that was tried;
// GROUP--PAGE.tried says which these are. KNOWN lists pages that are known to come out wrong, with the reason: they are tried and
// told, and only a page that is not listed makes this fail.
import { existsSync, readFileSync, readdirSync } from "node:fs";

const [sites, folder, knownPath] = process.argv.slice(2);
const known = new Map(readFileSync(knownPath, "utf8").split("\n").filter(line => line && !line.startsWith("#"))
  .map(line => [line.split(" ")[0], line.slice(line.indexOf(" ") + 1)]));

function matcher(glob) {
  const text = glob.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*");
  return label => new RegExp(`^${text}$`, "s").test(label);
}

function readExpected(path) {
  const out = { findings: [], races: [], none: false, any: false };
  for (const line of readFileSync(path, "utf8").split("\n").map(l => l.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const [first, ...rest] = line.split(" | ").map(word => word.trim());
    if (first === "none" || first === "any") out[first] = true;
    else if (first === "race" && rest.length === 2) out.races.push({ line, events: rest.map(matcher) });
    else if (rest.length >= 3) {
      const [harm, a, b, aspects = "*", likelihood = "*"] = rest;
      out.findings.push({ line, class: first, harm, events: [matcher(a), matcher(b)],
        aspects: aspects === "*" ? null : aspects.split(","), likelihood: matcher(likelihood), found: 0 });
    } else throw new Error(`${path}: can't read '${line}'`);
  }
  if (!out.any && !out.none && out.findings.length === 0) throw new Error(`${path}: expects nothing; write 'none'`);
  return out;
}

const pairIs = ([a, b], x, y) => a(x) && b(y) || a(y) && b(x);

// What keeps a finding from being an expected one: null if nothing does.
function mismatch(expected, finding) {
  if (!pairIs(expected.events, finding.first.event, finding.second.event)) return "other events";
  if (finding.class !== expected.class) return `class ${finding.class}`;
  if (finding.harm !== expected.harm) return finding.harm;
  if (!expected.likelihood(finding.likelihood)) return finding.likelihood;
  const aspects = Object.keys(finding.counts);
  if (expected.aspects && aspects.some(aspect => !expected.aspects.includes(aspect))) return `differs in ${aspects.join(", ")}`;
  return null;
}
const describe = f => `${f.class} | ${f.harm} | ${f.second.event} | ${f.first.event} | ${Object.keys(f.counts).join(",")} | ${f.likelihood}` +
  ` (${f.location}: ${f.reason})`;

function racesOf(path) {
  if (!existsSync(path)) return [];
  return JSON.parse(readFileSync(path, "utf8")).races ?? [];
}

const table = new Map(); // class -> [expected, of them found, reported, of them expected]
const row = name => table.get(name) ?? table.set(name, [0, 0, 0, 0]).get(name);
const complaints = [];
const wrong = new Set();

function checkPage(group, page) {
  const name = `${group}/${page}`;
  const expected = readExpected(`${sites}/${name}/expected`);
  const path = `${folder}/${group}--${page}.json`;
  if (expected.any) return;
  const complain = text => { wrong.add(name); complaints.push(`${name}: ${text}`); };
  pages.push(name);
  if (!existsSync(path)) {
    for (const e of expected.findings) row(e.class)[0]++;
    return complain("no report");
  }
  const report = JSON.parse(readFileSync(path, "utf8"));
  for (const finding of report.findings.filter(f => f.harm !== "harmless")) {
    const match = expected.findings.find(e => mismatch(e, finding) === null);
    row(finding.class)[2]++;
    if (match) { match.found++; row(finding.class)[3]++; }
    else complain(`not expected: ${describe(finding)}`);
  }
  for (const e of expected.findings) {
    row(e.class)[0]++;
    if (e.found > 0) { row(e.class)[1]++; continue; }
    const near = report.findings.map(f => mismatch(e, f)).find(why => why !== "other events");
    complain(`not found: ${e.line}` + (near ? ` (but: ${near})` : ""));
  }
  const races = racesOf(`${folder}/${group}--${page}.races`);
  for (const e of expected.races)
    if (!report.findings.some(f => pairIs(e.events, f.first.event, f.second.event)) &&
        !races.some(r => pairIs(e.events, r.first.label, r.second.label)))
      complain(`no such race: ${e.line}`);
}
const pages = [];

const tried = new Set(readdirSync(folder).filter(f => f.endsWith(".tried")).map(f => f.slice(0, -6)));
for (const group of ["classes", "harmless", "observables"])
  for (const page of readdirSync(`${sites}/${group}`).sort())
    if (tried.has(`${group}--${page}`)) checkPage(group, page);

const percent = (n, of) => of === 0 ? "     -" : `${(100 * n / of).toFixed(0).padStart(4)} %`;
console.log("class                  expected  found  reported  right  precision  recall");
for (const [name, [e, ef, r, rf]] of [...table].sort(([a], [b]) => a < b ? -1 : 1))
  console.log(`${name.padEnd(23)}${String(e).padStart(8)}${String(ef).padStart(7)}${String(r).padStart(10)}${String(rf).padStart(7)}` +
    `     ${percent(rf, r)}  ${percent(ef, e)}`);
console.log(`${pages.length - wrong.size} of ${pages.length} pages came out as expected.`);
for (const complaint of complaints) console.log(`  ${complaint}`);
for (const name of wrong) if (known.has(name)) console.log(`  known: ${name}: ${known.get(name)}`);
for (const name of pages) if (known.has(name) && !wrong.has(name)) console.log(`  right by now, take it off the list: ${name}`);
process.exit([...wrong].every(name => known.has(name)) ? 0 : 1);
