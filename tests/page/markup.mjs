/* Markup in every text that a file can bring into a page: none of it comes alive. The pages say what may run
 * (Content-Security-Policy), and no text gets as far as that.
 * usage: node markup.mjs PAGE_DIR RIGOR OUTPUT_DIR */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, launch, open, run } from "./chromium.mjs";

const [pageDir, rigor, out] = process.argv.slice(2);
const browser = await launch(pageDir);
rmSync(out, { recursive: true, force: true });
const figures = join(out, "figures");
mkdirSync(figures, { recursive: true });

/* Closes whatever it may stand in, and would say so if it were read as markup. */
const bad = (where) =>
  `${where}"'></script></title></style></textarea>--><img src=x onerror="alive('${where}')"><b class=alive>x</b>`;
const json = (path, value) => writeFileSync(path, JSON.stringify(value));

const scene = JSON.parse(execFileSync(rigor, ["export", "pendulum"], { encoding: "utf8" }));
scene.name = bad("scene");
for (const body of scene.bodies) body.name = body.name && bad(body.name);
for (const joint of scene.joints ?? []) {
  joint.name = bad(joint.name ?? "joint");
  joint.bodies = joint.bodies.map((name) => (name === "world" ? name : bad(name)));
}
json(join(figures, "scene.json"), scene);

const figure = {
  rigor: 1,
  name: "texts",
  title: bad("title"),
  slide: bad("slide"),
  question: bad("question"),
  finding: `{count(dt)} ${bad("finding").replaceAll(".", "")}.`,
  caption: bad("caption"),
  grid: [{ scene: ["scene.json", "pendulum"], solver: ["xpbd", "pgs"], options: { substeps: [1, 2] }, time: 0.1 }],
  panels: [
    {
      title: bad("panel"),
      by: "scene",
      label: { pendulum: bad("curve") },
      x: { field: "h", label: bad("x"), unit: bad("unit") },
      y: { field: "drift_max", label: bad("y") },
      marks: [{ y: 0.1, label: bad("mark") }],
      truth: "x",
      truth_label: bad("truth"),
    },
    { kind: "bars", by: "solver", x: { field: "scene", labels: { pendulum: bad("tic") } }, y: { field: "row_solves" } },
  ],
};
json(join(figures, "texts.json"), figure);
json(join(figures, "broken.json"), { ...figure, name: "broken", grid: [{ scene: bad("missing"), solver: "xpbd" }] });
const runs = [{ scene: "scene.json", solver: "xpbd", time: 0.2 }];
const viewer = { name: bad("viewer"), title: bad("viewer title"), slide: bad("v slide"), see: bad("see"), runs };
const failing = { ...viewer, name: bad("viewer2"), runs: [{ scene: bad("none"), solver: "xpbd" }] };
const sections = [{ lecture: bad("lecture"), title: bad("section"), contents: ["texts", viewer, failing] }];
json(join(figures, "contents.json"), { rigor: 1, sections });

const env = { ...process.env, RIGOR_FIGURES: resolve(figures) };
try {
  execFileSync(rigor, ["report", "-o", join(out, "report")], { env, stdio: "ignore" });
} catch (error) {
  check("a report with figures that fail ends with 1", error.status === 1);
}
const recording = join(out, `${"record"}<b class=alive>.h5`);
execFileSync(rigor, ["run", join(figures, "scene.json"), "xpbd", "--time", "0.2", "--record", recording]);
execFileSync(rigor, ["view", recording, recording, "-o", join(out, "view.html")]);

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
  await look("report", "report/index.html", ["lecture", "section", "viewer title", "see", "finding", "scene"]);
  await refuse("report", "report/index.html");
}

async function testView() {
  await look("view", "view.html", ["scene"]);
  await refuse("view", "view.html");
}

await run(browser, testReport, testView);
