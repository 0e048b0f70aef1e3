/* SPDX-License-Identifier: MIT */
/* The report in Chromium: it opens without starting a viewer; a viewer starts when it is seen, plays, scrubs and hears
 * keys of its own; of many only a few stay alive; nothing is said on the console and nothing is fetched.
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
        solver: "xpbd",
        options: { substeps: [1, 2, 4] },
        time: 0.1,
      },
    ],
    panels: [{ x: axis("h"), y: axis("error_end") }],
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
const sections = [
  { lecture: "002", title: "Chains", contents: ["small", ...viewers, "last"] },
];
const opening = { picture: "table", findings: ["small"] };
writeFileSync(
  join(figures, "contents.json"),
  JSON.stringify({ rigor: 1, opening, sections }),
);
execFileSync(rigor, ["report", "-o", join(out, "report")], {
  env: { ...process.env, RIGOR_FIGURES: resolve(figures) },
});
const url = pathToFileURL(resolve(out, "report", "index.html")).href;
const open = (options) => openIn(browser, url, options);
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
  const bytes = readFileSync(join(out, "report", "index.html")).length;
  check(`at most 3 MB: ${bytes} bytes`, bytes <= 3000000);
  check(
    "a section has a heading in the page and in the contents",
    (await page.locator("h2.lecture").textContent()) ===
      "Lecture 002: Chains" &&
      (await page.locator("nav h3").textContent()) === "Lecture 002: Chains",
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
  await page.locator('nav.contents a[href="#last"]').click();
  await page.locator("#last svg").waitFor();
  check("it comes where the contents lead to it", (await drawn("last")) === 1);
  // What comes above it moves it down, and the page follows: in a moment, on a busy machine.
  const reached = () => page.locator("#last h3").evaluate((h) => h.getBoundingClientRect().top);
  const inSight = (top) => top >= -5 && top < 720;
  for (let tries = 0; tries < 50 && !inSight(await reached()); tries++) await page.waitForTimeout(100);
  const top = await reached();
  check(`and is in sight: ${top} px`, inSight(top));
  await page.waitForFunction(() => document.querySelector("nav.contents [aria-current]")?.hash === "#last");
  check("the contents stay in sight", await page.locator("nav.contents summary").isVisible());
  await page.locator("#last details summary").click();
  await page.locator("#last details td").first().waitFor();
  check("numbers come when they are asked for", (await page.locator("#last details td").count()) > 3);
  await page.close();
  const there = await openIn(browser, `${url}#last`);
  await there.locator("#last svg").waitFor();
  check("a link to a section leads there", (await there.locator("#last svg").count()) === 1);
  await there.close();
}

/* A cell of the table leads to its run. */
async function testOverview() {
  const page = await open();
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
    (await page.locator(".picture svg").count()) === 2 && (await page.locator(".picture [data-part]").count()) === 0,
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
  await phone.locator("#small .picture svg").waitFor();
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
  const html = readFileSync(join(out, "report", "index.html"), "utf8");
  check(
    "no file beside it is loaded",
    !/<(script|img|link|iframe)[^>]* (src|href)="(?!data:)/.test(html),
  );
}

await run(browser, testStart, testLazy, testOverview, testPrint, testDark, testPlay, testMany, testLooks, testAlone);
