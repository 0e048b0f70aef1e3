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
const sections = [
  { lecture: "002", title: "Chains", contents: ["small", ...viewers] },
];
writeFileSync(
  join(figures, "contents.json"),
  JSON.stringify({ rigor: 1, sections }),
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
    "in print a started viewer is a still, its controls and the others are gone",
    (await shown("canvas.rg-canvas")) >= 1 &&
      (await shown(".rg-transport, .rg-side, .waiting")) === 0,
  );
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

await run(browser, testStart, testPlay, testMany, testLooks, testAlone);
