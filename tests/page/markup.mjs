/* SPDX-License-Identifier: MIT */
/* Markup in every text that a file can bring into a page: none of it comes alive. The pages say what may run
 * (Content-Security-Policy), and no text gets as far as that. Which texts there are, the readers' own lists of keys say.
 * usage: node markup.mjs PAGE_DIR RIGOR OUTPUT_DIR SOURCE_ROOT BAD_RECORDING */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, launch, open, run } from "./chromium.mjs";

const [pageDir, rigor, out, sources, spoil] = process.argv.slice(2);
const browser = await launch(pageDir);
rmSync(out, { recursive: true, force: true });
const figures = join(out, "figures");
mkdirSync(join(figures, "scenes"), { recursive: true });

/* Closes whatever it may stand in, and would say so if it were read as markup. */
const bad = (where) =>
  `${where}"'></script></title></style></textarea>--><img src=x onerror="alive('${where}')"><b class=alive>x</b>`;
const MARK = "<b class=alive>";

/* Which keys of which objects have held such a text: `panels.title`. Objects in a list are known by the list's key. */
const fed = new Set();
const holds = (value) => typeof value === "string" && value.includes(MARK);
function note(value, object) {
  for (const [key, inside] of Object.entries(value)) {
    const name = Array.isArray(value) ? object : key;
    if (holds(inside)) fed.add(Array.isArray(value) ? object : `${object}.${key}`);
    else if (inside && typeof inside === "object") {
      if (Object.entries(inside).some((pair) => pair.some(holds))) fed.add(`${object}.${name}`);
      note(inside, name);
    }
  }
}
function json(path, value, kind) {
  note(value, kind);
  writeFileSync(path, JSON.stringify(value));
}

const scene = JSON.parse(execFileSync(rigor, ["export", "pendulum"], { encoding: "utf8" }));
scene.name = bad("scene");
for (const body of scene.bodies) body.name = body.name && bad(body.name);
for (const joint of scene.joints ?? []) {
  joint.name = bad(joint.name ?? "joint");
  joint.bodies = joint.bodies.map((name) => (name === "world" ? name : bad(name)));
}
scene.materials = { [bad("material")]: { friction: 0.5 } };
for (const body of scene.bodies) body.material = bad("material");
json(join(figures, "scenes", "scene.json"), scene, "scene");

const grid = { scene: ["scenes/scene.json", "pendulum"], solver: ["xpbd", "pgs"], options: { substeps: [1, 2] }, time: 0.1 };
const figure = {
  rigor: 1,
  name: "texts",
  title: bad("title"),
  slide: bad("slide"),
  question: bad("question"),
  finding: `{count(dt)} ${bad("finding").replaceAll(".", "")}.`,
  caption: bad("caption"),
  grid: [{ ...grid, set: { [bad("field")]: bad("value"), kind: bad("kind") } }],
  panels: [
    {
      title: bad("panel"),
      by: ["scene", bad("field")],
      where: { kind: bad("kind") },
      label: { pendulum: bad("curve") },
      x: { field: "h", label: bad("x"), unit: bad("unit") },
      y: { field: "drift_max", label: bad("y") },
      marks: [{ y: 0.1, label: bad("mark") }],
      truth: "x",
      truth_label: bad("truth"),
    },
    { kind: "bars", by: "solver", x: { field: "scene", labels: { pendulum: bad("tic") } }, y: { field: "row_solves" } },
    {
      x: { field: "h" },
      y: { field: "drift_max" },
      curves: [{ label: bad("named"), where: { kind: bad("kind") }, like: bad("like") }, { label: "all" }],
    },
    {
      kind: "map",
      x: { field: "h" },
      y: { field: "kind" },
      z: { field: "options.substeps", label: bad("z"), unit: bad("z unit"), labels: { 1: bad("one"), 2: bad("two") } },
    },
  ],
};
json(join(figures, "texts.json"), figure, "figure");
/* Its section has the name of a part of `texts`, and stands before it: its words are not that part. */
json(join(figures, "texts-numbers.json"), { ...figure, name: "texts-numbers" }, "figure");
json(join(figures, "texts-drawing.json"), { ...figure, name: "texts-drawing" }, "figure");
json(join(figures, "broken.json"), { ...figure, name: "broken", grid: [{ scene: bad("missing"), solver: "xpbd" }] }, "figure");
/* A plain experiment: its panels, title and finding are made up from what it says. */
json(join(figures, "plain.json"), { rigor: 1, name: "plain", grid: [grid] }, "figure");
json(
  join(figures, "overview.json"),
  {
    ...figure,
    name: "overview",
    grid: [grid],
    data: [{ generator: "verdict", set: { told: bad("told") } }],
    panels: [{ kind: "bars", by: "told", from: "data", where: { case: "run" }, x: { field: "scene" }, y: { field: "verdict" }, reduce: "max" }],
  },
  "figure",
);
json(
  join(figures, "commands.json"),
  {
    ...figure,
    name: "commands",
    finding: "{count(time_reached)} rows.",
    grid: undefined,
    data: [{ command: `compare ${resolve(figures, "scenes/scene.json")} --solvers xpbd,pgs --time 0.1`, rows: "runs[]", set: { case: bad("case") } }],
    panels: [{ kind: "bars", by: "case", x: { field: "solver" }, y: { field: "time_reached" } }],
  },
  "figure",
);
const runs = [{ scene: "scenes/scene.json", solver: "xpbd", time: 0.2 }];
const viewer = { name: "viewer", title: bad("viewer title"), slide: bad("v slide"), see: bad("see"), runs };
const failing = { ...viewer, name: "viewer2", runs: [{ scene: bad("none"), solver: "xpbd" }] };
const contents = ["texts-numbers", "texts-drawing", "texts", "commands", "plain", viewer, failing, bad("unknown")];
const opening = { picture: "overview", findings: ["texts"] };
const sections = [{ lecture: bad("lecture"), title: bad("section"), contents }];
json(join(figures, "contents.json"), { rigor: 1, opening, sections }, "contents.json");

const claims = join(out, "claims");
mkdirSync(claims);
const entry = Object.fromEntries(["slide", "claim", "verdict", "unit", "scene", "figure", "test", "code"].map((key) => [key, bad(key)]));
const evidence = { finding: "refuted", let: { a: [bad("command"), bad("path")] }, holds: ["a"], shows: "a", number: 1, numbers: { unit: { shows: "a", number: 1, unit: bad("unit") } }, given: { 7: bad("given") } };
entry.verdict += " {number} {unit} 7";
const entries = [{ lines: [1, 1], ...entry, ...evidence }, { lines: [2, 2], no_claim: bad("no claim") }];
const whose = { lecture: bad("lecture"), title: bad("title"), author: bad("author"), sha256: bad("hash") };
json(join(claims, "000.json"), { rigor: 1, ...whose, lines: 2, entries }, "ledger");
writeFileSync(join(claims, "slides.txt"), `${whose.lecture}   1 ${entry.slide}\n`);

/* Every key that a reader knows was fed, or is no text of somebody's: a number, an expression, one of some words, a name
 * that files get (refused unless it is letters), something that has keys of its own. */
const TABLES = {
  "reports/figure/read.c": { ROOT: "figure", PANEL: "panels", AXIS: "x y z", CURVE: "curves", MARK: "marks", LEVEL: "levels" },
  "reports/figure/contents.c": { ROOT: "contents.json", OPENING: "opening", SECTION: "sections" },
  "reports/recording/viewer.c": { "": "contents" },
  "reports/ledger/claims.c": { ROOT: "ledger", CLAIM: "entries", NUMBER: "numbers", SILENT: "entries" },
  "reports/figure/rows.c": { "": "where" },
  "reports/figure/data.c": { COMMAND: "data", GENERATOR: "data" },
  "scenes/file/read.c": { ROOT: "scene" },
  "scenes/file/bodies.c": { BODY: "bodies" },
};
const NO_TEXT = {
  figure:
    "rigor name grid series data panels holds layout metrics run_time_limit row_solves_limit repeats variants needs",
  panels:
    "kind from x y z dx dy curves slopes floor equal markers truth marks reduce levels",
  "x y z": "field log min max reversed floor",
  curves: "from x y kind markers optional",
  marks: "x y",
  levels: "of at",
  "contents.json": "rigor opening sections",
  opening: "picture findings",
  sections: "",
  contents: "name runs",
  where: "min max not",
  ledger: "rigor lines entries",
  entries: "lines finding number rough shows numbers let holds",
  numbers: "shows number rough",
  data: "command rows name generator arguments",
  scene:
    "rigor gravity time energy_scale speed_scale length_scale attractor materials combine bodies joints collide events expect",
  bodies:
    "position orientation velocity angular_velocity fixed force torque density mass inertia shape",
};
function testEveryKey() {
  const files = ["reports", "scenes"].flatMap((folder) => readdirSync(join(sources, folder)).map((name) => `${folder}/${name}`));
  for (const file of files.filter((name) => name.endsWith(".c") && !/generate_|recording_data/.test(name))) {
    const text = readFileSync(join(sources, file), "utf8");
    for (const [, table, list] of text.matchAll(/char \*const (\w*?)_?KEYS\[\] = \{([^}]*)\}/g)) {
      const objects = TABLES[file]?.[table];
      check(`${file}: ${table}_KEYS is known here`, objects !== undefined);
      for (const [, key] of (objects ? list : "").matchAll(/"(\w+)"/g)) {
        const known = NO_TEXT[objects].split(" ").includes(key) || objects.split(" ").some((o) => fed.has(`${o}.${key}`));
        if (!known) check(`${file}: ${table}_KEYS: '${key}' was fed with markup`, false);
      }
    }
  }
}

const env = { ...process.env, RIGOR_FIGURES: resolve(figures), RIGOR_CLAIMS: resolve(claims) };
const report = spawnSync(rigor, ["report", "-o", join(out, "report")], { env, encoding: "utf8" });
check("a report with figures that fail ends with 1", report.status === 1);
check("and only those fail that should", /3 of 10 figures failed/.test(report.stderr) || console.log(report.stderr));

/* Names that files get are refused. */
const refused = (path) => spawnSync(rigor, ["check", path], { encoding: "utf8" }).stderr.includes("files are named after it");
for (const name of [bad("name"), "../x", "a/b", "/x", "-o", "a".repeat(300)]) {
  const at = join(out, "named.json");
  json(at, { ...figure, name }, "none");
  check(`a figure is not called ${name.slice(0, 8)}`, refused(at));
  json(at, { rigor: 1, sections: [{ lecture: "1", title: "t", contents: [{ ...viewer, name }] }] }, "none");
  check(`a viewer is not called ${name.slice(0, 8)}`, refused(at));
}

const recording = join(out, `${"record"}<b class=alive>.h5`);
execFileSync(rigor, ["run", join(figures, "scenes", "scene.json"), "xpbd", "--time", "0.2", "--record", recording]);
execFileSync(rigor, ["view", recording, recording, "-o", join(out, "view.html")]);

/* The same with a markup in every text that the file holds, whoever wrote it. */
const html = readFileSync(join(out, "view.html"), "utf8");
const written = JSON.parse(/id="rigor-recordings">(.*?)<\/script>/s.exec(html)[1]).recordings[0];
const marked = (value, key = "") =>
  typeof value === "string"
    ? bad(`${key} ${value}`)
    : value && typeof value === "object"
      ? Array.isArray(value)
        ? value.map((one) => marked(one, key))
        : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one, name)]))
      : value;
const crafted = join(out, "crafted.h5");
copyFileSync(recording, crafted);
execFileSync(spoil, ["text", crafted, "run", JSON.stringify(marked(written.run))]);
execFileSync(spoil, ["metric", crafted, "drift_max", "<img src=x onerror=alive(1)><b class=alive>"]);
execFileSync(rigor, ["view", crafted, recording, "-o", join(out, "crafted.html")]);

/* Nothing that the texts hold is an element or ran; and a script from outside would not run either. */
async function look(name, file, wanted) {
  const page = await open(browser, pathToFileURL(resolve(out, file)).href);
  await page.waitForTimeout(800);
  for (const place of await page.locator(".rigor-viewer").all()) await place.scrollIntoViewIfNeeded();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true; // parts that wait, too
    dispatchEvent(new Event("beforeprint"));
  });
  await page.waitForTimeout(1500);
  check(`${name}: no text is alive`, (await page.locator(".alive, img[src=x]").count()) === 0);
  const text = await page.evaluate(() => document.body.textContent + document.documentElement.outerHTML);
  for (const where of wanted) check(`${name}: '${where}' is shown as it is`, text.includes(where));
  const html = readFileSync(join(out, file), "utf8");
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1] ?? "";
  check(
    `${name}: the policy names scripts by hash alone`,
    policy.startsWith("default-src 'none'") &&
      /script-src 'wasm-unsafe-eval'( 'sha256-[A-Za-z0-9+/=]{44}')+;/.test(policy) &&
      !/https?:|\*|unsafe-eval' 'unsafe|script-src[^;]*unsafe-inline/.test(policy),
  );
  await page.close();
}

/* On a page of its own: what the policy stops is said on the console, which the others must not do. */
async function refuse(name, file) {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(resolve(out, file)).href);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.injected = true";
    document.body.append(script);
    const image = document.createElement("b");
    image.innerHTML = "<img src=x onerror='window.injected = true'>";
    document.body.append(image);
    return new Promise((done) => setTimeout(() => done(window.injected === true), 300));
  });
  check(`${name}: a script that gets in does not run`, !ran);
  await page.close();
}

async function testReport() {
  await look("index", "report/index.html", ["lecture", "section", "viewer title", "see", "finding", "told"]);
  await look("section", "report/part-1.html", ["lecture", "section", "viewer title", "see", "finding", "scene", "named"]);
  await look("claims", "report/claims.html", ["claim", "verdict"]);
  await refuse("section", "report/part-1.html");
}

async function testCrafted() {
  await look("crafted", "crafted.html", ["solver xpbd"]);
}

async function testView() {
  await look("view", "view.html", ["scene"]);
  await refuse("view", "view.html");
}

await run(browser, testEveryKey, testReport, testView, testCrafted);
