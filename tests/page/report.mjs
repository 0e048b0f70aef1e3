/* SPDX-License-Identifier: MIT */
/* The report in Chromium: the index has the playground and finds figures; a lecture's page opens without starting a
 * viewer, which starts when it is seen, plays, scrubs and hears keys of its own; of many only a few stay alive; figures
 * answer a hand; without a script they are drawn; axe finds nothing; nothing is said on the console or fetched.
 * usage: node report.mjs PAGE_DIR RIGOR OUTPUT_DIR */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, clockOf, launch, open as openIn, run } from "./chromium.mjs";

const [pageDir, rigor, out] = process.argv.slice(2);
const browser = await launch(pageDir);

/* A report of one figure and of more viewers than may be alive. */
const MANY = 5;
const figures = join(out, "figures");
mkdirSync(figures, { recursive: true });
const axis = (field) => ({ field, label: field, log: true });
const runs = [
  { scene: "chain", params: { links: 3 }, solver: ["xpbd", "pgs"], time: 2 },
  { scene: "stack", params: { boxes: 2 }, solver: "pgs", time: 2 },
];
const viewers = Array.from({ length: MANY }, (_, i) => ({
  name: `see${i}`,
  title: `View ${i}`,
  see: "Something moves.",
  runs: [runs[i % 2]],
}));
writeFileSync(
  join(figures, "small.json"),
  JSON.stringify({
    rigor: 1,
    name: "small",
    title: "Small",
    finding: "{count(dt)} runs are drawn.",
    grid: [
      {
        scene: "pendulum",
        solver: ["xpbd", "pgs"],
        options: { substeps: [1, 2, 4] },
        time: 0.1,
      },
    ],
    panels: [{ by: "solver", x: axis("h"), y: axis("error_end") }],
  }),
);
/* The picture that the page opens with, and a figure far below. */
const verdicts = { 0: "holds", 1: "drifts", 2: "falls", 3: "cannot" };
writeFileSync(
  join(figures, "table.json"),
  JSON.stringify({
    rigor: 1,
    name: "table",
    title: "Table",
    finding: "One holds {max(held; case=tally)}.",
    grid: [{ scene: ["pendulum", "stack"], solver: ["xpbd", "pgs", "kkt"], time: 0.1 }],
    data: [{ generator: "verdict" }],
    panels: [
      {
        kind: "map",
        from: "data",
        where: { case: "run" },
        x: { field: "scene" },
        y: { field: "solver" },
        z: { field: "verdict", labels: verdicts },
      },
    ],
  }),
);
const small = JSON.parse(readFileSync(join(figures, "small.json"), "utf8"));
writeFileSync(join(figures, "last.json"), JSON.stringify({ ...small, name: "last", title: "Last" }));
writeFileSync(join(figures, "middle.json"), JSON.stringify({ ...small, name: "middle", title: "Middle" }));
const sections = [
  { lecture: "002", title: "Chains", contents: ["small", "middle", ...viewers, "last"] },
];
const opening = { picture: "table", findings: ["small"] };
writeFileSync(
  join(figures, "contents.json"),
  JSON.stringify({ rigor: 1, opening, sections }),
);
execFileSync(rigor, ["report", "-o", join(out, "report")], {
  env: { ...process.env, RIGOR_FIGURES: resolve(figures) },
});
const fileOf = (name) => pathToFileURL(resolve(out, "report", name)).href;
const index = fileOf("index.html"), lecture = fileOf("lecture-002.html");
const open = (options) => openIn(browser, lecture, options);
const viewerOf = (page, i) => page.locator(`#see${i} .rigor-viewer`);

async function seen(page, i) {
  await viewerOf(page, i).evaluate((element) =>
    element.scrollIntoView({ behavior: "instant", block: "center" }),
  );
  await viewerOf(page, i).locator(".rg-transport").waitFor();
}

async function testStart() {
  const page = await open();
  await page.waitForTimeout(500);
  check(
    "no viewer starts before it is seen",
    (await page.locator("canvas.rg-canvas").count()) === 0,
  );
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  check(`at most 5,000 elements at load: ${elements}`, elements <= 5000);
  const painted = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  const paint = await (await page.waitForFunction(painted)).jsonValue();
  check(`it is painted before anything is expanded: after ${paint.toFixed(0)} ms`, paint > 0); // a clock: told, not judged
  for (const name of ["index.html", "lecture-002.html", "claims.html"]) {
    const bytes = readFileSync(join(out, "report", name)).length;
    check(`${name}: at most 3 MB: ${bytes} bytes`, bytes <= 3000000);
  }
  check(
    "a section has a heading in its page and in the contents",
    (await page.locator("h1").textContent()) === "Lecture 002: Chains" &&
      (await page.locator("nav a.page[aria-current]").textContent()) === "Lecture 002: Chains",
  );
  await seen(page, 0);
  const panel = viewerOf(page, 0);
  check(
    "its runs stand side by side",
    (await panel.locator(".rg-chip").allTextContents()).join() ===
      "xpbd 20×1,pgs 1×20",
  );
  await page.waitForTimeout(400);
  check("it does not play by itself", (await clockOf(panel)) === 0);
  await page.close();
}

/* What is not seen is no element yet; the contents and the address lead to it, and it comes. */
async function testLazy() {
  const page = await open();
  const drawn = (name) => page.locator(`#${name} svg`).count();
  check("a figure far below is not there yet", (await drawn("last")) === 0);
  check("the viewer's script is not there yet", (await page.locator("script:not([type])").count()) === 1);
  await page.locator('nav.contents a[href="lecture-002.html#last"]').click();
  await page.locator("#last svg").waitFor();
  check("it comes where the contents lead to it", (await drawn("last")) === 1);
  // What comes above it moves it down, and the page follows: in a moment, on a busy machine.
  const reached = () => page.locator("#last h2").evaluate((h) => h.getBoundingClientRect().top);
  const inSight = (top) => top >= -5 && top < 720;
  for (let tries = 0; tries < 50 && !inSight(await reached()); tries++) await page.waitForTimeout(100);
  const top = await reached();
  check(`and is in sight: ${top} px`, inSight(top));
  await page.waitForFunction(() => document.querySelector("nav.contents ul ul [aria-current]")?.hash === "#last");
  check("the contents stay in sight", await page.locator("nav.contents summary").isVisible());
  await page.locator("#last details summary").click();
  await page.locator("#last details td").first().waitFor();
  check("numbers come when they are asked for", (await page.locator("#last details td").count()) > 3);
  await page.close();
  const there = await openIn(browser, `${index}#last`);
  await there.waitForURL(`${lecture}#last`);
  await there.locator("#last svg").waitFor();
  check("a link to a section leads there, from the index, too", (await there.locator("#last svg").count()) === 1);
  await there.close();
}

/* A cell of the table leads to its run. */
async function testOverview() {
  const page = await openIn(browser, index);
  check("a run is told when it is asked for", await page.locator(".run").isHidden());
  await page.getByRole("link", { name: "kkt on stack: cannot" }).click();
  await page.getByRole("heading", { name: "kkt on stack: cannot" }).waitFor();
  await page.getByRole("link", { name: /^xpbd on pendulum/ }).click();
  await page.getByRole("heading", { name: /^xpbd on pendulum/ }).waitFor();
  check("its command is there", (await page.locator(".run code").textContent()) === "rigor run pendulum xpbd --time 0.1");
  const address = page.url();
  check(`it has an address: ${address}`, address.endsWith("#run-xpbd-on-pendulum"));
  await page.close();
  const there = await openIn(browser, address);
  check("which leads to it", (await there.locator(".run h3").textContent()).startsWith("xpbd on pendulum"));
  await there.keyboard.press("Escape");
  check("Escape closes it", await there.locator(".run").isHidden());
  await there.close();
}

/* Everything is there when it is printed, and every 3D view is a picture. */
async function testPrint() {
  const page = await open();
  await page.pdf({ path: join(out, "report.pdf"), format: "A4" });
  check(
    "all drawings are printed",
    (await page.locator(".drawing svg").count()) === 3 && (await page.locator("[data-drawing]").count()) === 0,
  );
  const strips = await page.locator(".rg-strip").count();
  const pictures = await page.locator(".rg-strip img").evaluateAll((all) => all.filter((image) => image.naturalWidth > 200).length);
  check(`3D views are printed as filmstrips: ${strips} of ${pictures} pictures`, strips === MANY && pictures === 4 * MANY);
  await page.close();
}

/* Dark drawings on a dark page. */
async function testDark() {
  const page = await open({ colorScheme: "dark" });
  await page.locator("#small").scrollIntoViewIfNeeded();
  await page.locator("#small svg").waitFor();
  const ground = await page.locator("#small svg rect").first().evaluate((r) => getComputedStyle(r).fill);
  const text = await page.locator("#small svg text").first().evaluate((t) => getComputedStyle(t).fill);
  check(`a drawing is dark: ${text} on ${ground}`, ground === "rgb(22, 24, 27)" && /rgb\((1[5-9]|2)\d\d?,/.test(text));
  await page.close();
}

async function testPlay() {
  const page = await open();
  await seen(page, 0);
  const panel = viewerOf(page, 0);
  await panel.getByRole("button", { name: "play", exact: true }).click();
  await page.waitForTimeout(900);
  await panel.getByRole("button", { name: "pause", exact: true }).click();
  const played = await clockOf(panel);
  check(`it plays: ${played} s`, played > 0.2 && played <= 2);
  await panel.locator(".rg-scrub").fill("1.3");
  check("it scrubs", Math.abs((await clockOf(panel)) - 1.3) < 1e-3);
  await page.keyboard.press("ArrowRight");
  check(
    "an arrow steps to the next frame recorded, two steps of the run on",
    Math.abs((await clockOf(panel)) - 40 / 30) < 1e-3,
  );
  await page.keyboard.press("Tab");
  check(
    "Tab goes on to the next control",
    await panel.evaluate((root) => root.contains(document.activeElement)),
  );
  await page.locator("h1").click();
  await page.keyboard.press("ArrowRight");
  check(
    "keys outside are the page's own",
    Math.abs((await clockOf(panel)) - 40 / 30) < 1e-3,
  );
  await page.close();
}

async function testMany() {
  const page = await open();
  await seen(page, 0);
  await viewerOf(page, 0).locator(".rg-scrub").fill("0.7");
  for (let i = 1; i < MANY; i++) await seen(page, i);
  await page.waitForTimeout(300);
  const [alive, stills] = [
    await page.locator("canvas.rg-canvas").count(),
    await page.locator(".rg-still").count(),
  ];
  check(
    `few are alive (${alive}), the others are stills (${stills})`,
    alive <= 3 && alive + stills === MANY,
  );
  const drawn = await page
    .locator("#see0 .rg-still")
    .evaluate((image) => image.naturalWidth);
  check(`a still is a picture: ${drawn} px`, drawn > 200);
  await seen(page, 0);
  check(
    "one that is seen again is where it was left",
    Math.abs((await clockOf(viewerOf(page, 0))) - 0.7) < 1e-3,
  );
  await page.close();
}

async function testLooks() {
  const dark = await open({ colorScheme: "dark", reducedMotion: "reduce" });
  await seen(dark, 0);
  await dark.waitForTimeout(500);
  check(
    "with reduced motion nothing moves by itself",
    (await clockOf(viewerOf(dark, 0))) === 0,
  );
  await dark.screenshot({ path: join(out, "report_dark.png") });
  await dark.emulateMedia({ media: "print" });
  const shown = (selector) =>
    dark.locator(selector).evaluateAll(
      (all) => all.filter((element) => element.offsetParent !== null).length,
    );
  check(
    "in print the views and their controls are gone",
    (await shown("canvas.rg-canvas, .rg-transport, .rg-side, .waiting")) === 0,
  );
  await dark.goto(index);
  const begins = await dark.locator("#solvers").evaluate((section) => getComputedStyle(section).breakBefore);
  check("the table of solvers, longer than a page, begins one", begins === "page");
  await dark.close();
  const phone = await open({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
  });
  await seen(phone, 0);
  await phone.waitForTimeout(400);
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  check(`a phone need not scroll sideways: ${wide} px`, wide <= 390);
  await phone.screenshot({ path: join(out, "report_phone.png") });
  await phone.locator("#small").scrollIntoViewIfNeeded();
  await phone.locator("#small .drawing svg").waitFor();
  const drawn = await phone.locator("#small .picture").evaluate((picture) => {
    const [box, svg] = [picture.firstElementChild, picture.querySelector("svg")];
    const text = parseFloat(svg.querySelector("[font-size]").getAttribute("font-size"));
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return { type: text * scale, hidden: box.scrollHeight - box.clientHeight };
  });
  check(`on a phone a drawing can be read: type of ${drawn.type.toFixed(1)} px`, drawn.type >= 10);
  check(`and is whole from top to bottom: ${drawn.hidden} px hidden`, drawn.hidden <= 1);
  await phone.close();
}

/* The page that was printed must not depend on anything beside it but the links to its figures' files. */
async function testAlone() {
  for (const name of ["index.html", "lecture-002.html", "claims.html"]) {
    const html = readFileSync(join(out, "report", name), "utf8");
    check(`${name}: no file beside it is loaded`, !/<(script|img|link|iframe)[^>]* (src|href)="(?!data:)/.test(html));
  }
}

/* The playground on the first screen, and a list of figures that can be searched. */
async function testIndex() {
  const page = await openIn(browser, index);
  await page.locator("#playground .rg-play").waitFor();
  const { top, bottom } = await page.locator("#playground canvas.rg-canvas").evaluate((canvas) => canvas.getBoundingClientRect());
  check(`the playground is on the first screen: ${top.toFixed(0)} to ${bottom.toFixed(0)} px`, top >= 0 && bottom <= 760);
  const found = () => page.locator(".found li:visible a").allTextContents();
  check("the list has every figure and view", (await found()).length === MANY + 3);
  await page.locator(".finder input").fill("LAST error_end runs");
  check(`what has every word is found: ${await found()}`, (await found()).join() === "" );
  await page.locator(".finder input").fill("LAST runs");
  check(`one word of the name, one of the finding: ${await found()}`, (await found()).join() === "Last");
  check("how many there are is said", (await page.locator(".finder output").textContent()) === `1 of ${MANY + 3}`);
  await page.locator(".found li:visible a").click();
  await page.waitForURL(`${lecture}#last`);
  await page.close();
}

/* Where a point of a figure is on the window. */
const pointAt = (page, name, panel, curve, i) =>
  page.locator(`#${name} svg`).evaluate(
    (svg, [name, panel, curve, i]) => {
      const { frame, x, y, curves } = JSON.parse(window.rigorExpand(`${name}-live`)).panels[panel];
      const [px, py] = curves[curve].points.slice(5 * i, 5 * i + 2);
      const part = ({ min, max }, v) => Math.log(v / min) / Math.log(max / min);
      const at = new DOMPoint(frame[0] + part(x, px) * (frame[2] - frame[0]), frame[3] - part(y, py) * (frame[3] - frame[1]));
      const { x: left, y: top } = at.matrixTransform(svg.getScreenCTM());
      return [left, top];
    },
    [name, panel, curve, i],
  );

/* Figures above may still grow as they are drawn: until this one has stood still for ten frames. */
const standStill = (locator) =>
  locator.evaluate(async (element) => {
    for (let still = 0, last = NaN; still < 10; ) {
      await new Promise(requestAnimationFrame);
      const { top } = element.getBoundingClientRect();
      still = top === last ? still + 1 : 0;
      last = top;
    }
  });

/* A figure tells a run, hides a curve, stretches, and gives what can be taken along. */
async function testLive() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.goto(`${lecture}#small`);
  await page.locator("#small svg .hit").waitFor();
  await page.locator("#small").evaluate((section) => section.scrollIntoView({ behavior: "instant" }));
  await standStill(page.locator("#small"));
  const small = page.locator("#small"), told = small.locator(".told");
  const text = readFileSync(join(out, "report", "small.csv"), "utf8").trim().split("\n").map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell));
  const row = text.find((cells) => cells[text[0].indexOf("solver")] === '"pgs"' && cells[text[0].indexOf("options.substeps")] === "2");
  const error = Number(row[text[0].indexOf("error_end")]);
  const [px, py] = await pointAt(page, "small", 0, 1, 1);
  await page.mouse.move(px + 3, py - 2);
  const words = await told.innerText();
  check(`a hand over a point is told its run: ${words.replaceAll("\n", "; ")}`, /pgs on pendulum.*substeps 2/.test(words) && /row solves/.test(words));
  check("and its value, as the CSV has it", words.includes(`error_end = ${Number(error.toPrecision(4))}`));
  const ring = await small.locator(".ring").evaluate((circle) => {
    const { left, top, width, height } = circle.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  });
  check("a ring is where the point is", Math.hypot(ring[0] - px, ring[1] - py) < 1.5);
  await page.mouse.move(5, 5);
  check("nothing is told elsewhere", await told.isHidden());
  await page.mouse.click(px, py);
  const said = async (name) => {
    await small.getByRole("button", { name, exact: true }).last().click();
    await small.getByRole("button", { name: "copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    await small.getByRole("button", { name: "copied" }).waitFor({ state: "detached" });
    return copied;
  };
  const command = await said("copy command");
  check(`the command makes the run again: ${command}`, command === "rigor run pendulum pgs -s substeps=2 --time 0.1");
  const again = JSON.parse(execFileSync(rigor, [...command.split(" ").slice(1), "--json"], { encoding: "utf8" }));
  check("to the same number", Math.abs(again.metrics.error_end - error) <= 1e-9 * error);
  check("Python", (await said("copy Python")).includes('scene = rigor.scene("pendulum")\nrun = rigor.run(scene, "pgs", substeps=2, time=0.1)'));
  check("LaTeX", (await said("copy LaTeX")).includes("\\includegraphics[width=\\linewidth]{small.pdf}"));
  check("a citation", (await said("copy citation")).startsWith("@software{rigor,"));

  const drawn = () => small.locator('[id="small-gnuplot_plot_2a"]').evaluate((group) => group.getBoundingClientRect().height > 0);
  check("both curves are drawn", await drawn());
  const name = small.locator('.name[aria-label^="pgs"]');
  await name.click();
  check("a click on its name hides a curve", !(await drawn()) && (await name.getAttribute("aria-pressed")) === "false");
  await page.mouse.move(px, py);
  check("which is told no more", (await told.isHidden()) || !(await told.innerText()).includes("pgs on"));
  await name.press("Enter");
  check("and Enter brings it back", await drawn());

  const box = await small.locator(".hit").boundingBox();
  await page.mouse.move(px - 60, py - 40);
  await page.mouse.down();
  await page.mouse.move(px, py);
  await page.mouse.move(px + 60, py + 40);
  await page.mouse.up();
  await page.mouse.move(5, 5);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  check("a stretch of the panel fills it: the point in its middle is in the panel's", (await told.innerText()).includes("substeps 2"));
  const mark = await small.locator(".zoomed > g").nth(1).locator("use").nth(1).evaluate((use) => {
    const { left, top, width, height } = use.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  });
  check(`and drawn there: ${mark}`, Math.hypot(mark[0] - box.x - box.width / 2, mark[1] - box.y - box.height / 2) < 3);
  check("numbers at its axes are new", (await small.locator(".tics text").count()) >= 4);
  await small.getByRole("button", { name: "whole axes" }).click();
  check("and the whole comes back", (await small.locator(".zoomed").count()) === 0);

  await small.locator(".hit").focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
  check("arrows go from point to point", /pgs on pendulum, substeps 2/.test(await told.innerText()));
  await page.keyboard.press("ArrowUp");
  check("and from curve to curve", /xpbd on pendulum, substeps 2/.test(await told.innerText()));

  await page.mouse.click(px, py);
  await small.getByRole("link", { name: "open in the playground" }).click();
  await page.waitForURL((url) => url.pathname.endsWith("index.html"));
  await page.locator("#playground .rg-play").waitFor();
  const chosen = await page.locator("#playground .rg-lane").first().evaluate((lane) => [lane.querySelector("select").value, lane.querySelector("[name=substeps]").value]);
  check(`the run opens in the playground: ${chosen}`, chosen.join() === "pgs,2");
  check("on its scene", (await page.locator("#playground .rg-setup select").first().inputValue()) === "pendulum");
  check("beside the truth", await page.getByLabel("ghost").isChecked());
  await context.close();
}

/* Where no script runs, figures are what gnuplot drew. */
async function testWithoutScript() {
  const page = await open({ javaScriptEnabled: false });
  const lines = await page.locator("#last svg path[stroke]").count();
  const file = readFileSync(join(out, "report", "last.svg"), "utf8").match(/<path stroke=/g).length;
  check(`a drawing is there without a script: ${lines} lines of ${file}`, lines >= file && (await page.locator("#last svg").isVisible()));
  await page.close();
}

/* axe's rules, all of them. */
async function testAxe() {
  const source = readFileSync(join(pageDir, "node_modules", "axe-core", "axe.min.js"), "utf8");
  for (const [address, colorScheme, viewport] of [
    [index, "light", { width: 1280, height: 760 }],
    [lecture, "light", { width: 1280, height: 760 }],
    [lecture, "dark", { width: 390, height: 844 }],
    [fileOf("claims.html"), "dark", { width: 1280, height: 760 }],
  ]) {
    const page = await openIn(browser, address, { colorScheme, viewport, bypassCSP: true });
    await page.waitForTimeout(700);
    await page.evaluate(source);
    const found = await page.evaluate(() => axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`)));
    check(`axe finds nothing, ${address.split("/").at(-1)}, ${colorScheme}: ${found.join("; ")}`, found.length === 0);
    await page.close();
  }
}

await run(browser, testStart, testIndex, testLive, testLazy, testOverview, testPrint, testDark, testPlay, testMany, testLooks,
  testAlone, testWithoutScript, testAxe);
