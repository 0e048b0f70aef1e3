/* SPDX-License-Identifier: MIT */
/* The page in Chromium: the viewer plays, scrubs, selects; the playground runs, switches solver, and lets bodies be
 * dragged; nothing is said on the console and nothing is fetched.
 * usage: node browser.mjs PAGE_DIR BUILT_DIR RIGOR MAKE_RECORDING SCENE.json OUTPUT_DIR */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, clockOf, launch, open as openIn, run } from "./chromium.mjs";

const [pageDir, built, rigor, makeRecording, sceneFile, out] =
  process.argv.slice(2);
const browser = await launch(pageDir);
const open = (address, options) => openIn(browser, address, options);
mkdirSync(out, { recursive: true });
copyFileSync(join(dirname(sceneFile), "wedge.obj"), join(out, "wedge.obj")); // beside what names it

const recordings = ["xpbd", "pgs"].map((solver) => {
  const file = join(out, `${solver}.h5`);
  execFileSync(makeRecording, [sceneFile, solver, file]);
  return file;
});
const html = resolve(out, "view.html");
execFileSync(rigor, ["view", ...recordings, "-o", html]);
const url = pathToFileURL(html).href;

/* The middle of all pixels of a pane that are nearly of this hue: where its bodies are. */
async function findColour(panel, colour, part) {
  for (let tries = 0; tries < 50; tries++) {
    const found = await lookForColour(panel, colour, part);
    if (found) return found;
    await new Promise((wake) => setTimeout(wake, 200)); // it is not drawn yet
  }
  throw new Error(`nothing is of the colour ${colour}`);
}

async function lookForColour(panel, [r, g, b], part) {
  return panel.locator("canvas.rg-canvas").evaluate(
    (canvas, { want, part: [from, to] }) => {
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      const { data, width, height } = context.getImageData(
        0,
        0,
        canvas.width,
        canvas.height,
      );
      const unit = (rgb) => rgb.map((x) => x / Math.hypot(...rgb));
      const aim = unit(want);
      const found = [];
      for (let y = 0; y < height; y += 2)
        for (let x = Math.floor(from * width); x < to * width; x += 2) {
          const rgb = [0, 1, 2].map((k) => data[4 * (y * width + x) + k] + 1);
          const near = unit(rgb).reduce(
            (sum, value, k) => sum + value * aim[k],
            0,
          );
          if (near > 0.985 && Math.max(...rgb) > 60) found.push([x, y]);
        }
      found.sort((p, q) => p[0] - q[0]);
      const middle = found[found.length >> 1];
      const box = canvas.getBoundingClientRect();
      return (
        middle && {
          x: box.left + (middle[0] * box.width) / width,
          y: box.top + (middle[1] * box.height) / height,
          count: found.length,
          left: found[0][0] / width,
          right: found.at(-1)[0] / width,
          top: found.reduce((least, [, y]) => Math.min(least, y), height) / height,
          bottom: found.reduce((most, [, y]) => Math.max(most, y), 0) / height,
        }
      );
    },
    { want: [r, g, b], part },
  );
}

const ORANGE = [213, 94, 0];
const FORCE = [204, 121, 167]; // of contacts' and joints' forces
const COLD = [45, 58, 116]; // a body whose joints have hardly any error

/* How many pixels are of a colour in the whole view, once the picture stands. */
async function countColour(panel, colour) {
  await panel.page().waitForTimeout(250);
  return (await lookForColour(panel, colour, [0, 1]))?.count ?? 0;
}

/* Numbers of the selected body: rows of the panel, a cell a run. */
async function numbersOf(panel) {
  return panel
    .locator(".rg-numbers")
    .evaluate((table) =>
      Object.fromEntries(
        [...table.rows]
          .slice(1)
          .map((row) => [
            row.cells[0].firstChild.textContent,
            [...row.cells]
              .slice(1)
              .map((cell) =>
                [...cell.children].map((x) => parseFloat(x.textContent)),
              ),
          ]),
      ),
    );
}

async function testViewer() {
  const page = await open(url);
  const panel = page.locator("#recordings");
  await panel.locator(".rg-transport").waitFor();
  await page.waitForTimeout(400);
  check(
    "both recordings are labelled",
    (await panel.locator(".rg-chip").allTextContents()).join() ===
      "xpbd 7×3,pgs 7×3",
  );
  check(
    "the scene is named",
    (await panel.locator("h2").textContent()) === "shapes of all kinds",
  );

  const nameless = await page.evaluate(() =>
    [
      ...document.querySelectorAll(
        "#recordings button, #recordings select, #recordings input, #recordings .rg-canvas, #recordings .rg-plot",
      ),
    ]
      .filter(
        (control) =>
          !control.getAttribute("aria-label") &&
          !control.labels?.length &&
          !control.textContent.trim(),
      )
      .map((control) => control.outerHTML),
  );
  check(`every control has a name ${nameless.join()}`, nameless.length === 0);

  await page.keyboard.press("Space");
  await page.waitForTimeout(900);
  await panel.getByRole("button", { name: "pause" }).click();
  const played = await clockOf(panel);
  check(`it plays: ${played} s`, played > 0.2 && played < 2);
  await page.waitForTimeout(150);
  check("it pauses", (await clockOf(panel)) === played);

  await panel.locator(".rg-scrub").fill("1.25");
  check("it scrubs", Math.abs((await clockOf(panel)) - 1.25) < 1e-3);
  const values = await panel
    .locator(".rg-curves")
    .first()
    .locator("output")
    .allTextContents();
  const frame = Math.floor(1.25 * 60 + 1e-9);
  const drift = 1e-3 * Math.abs(Math.sin((3 * frame) / 60)) + 1e-6;
  check(
    `the curve's value follows: ${values[0]}`,
    Math.abs(parseFloat(values[0]) / drift - 1) < 1e-3,
  );

  await panel.locator("canvas.rg-canvas").focus();
  await page.keyboard.press("ArrowRight");
  check(
    "an arrow steps one frame",
    Math.abs((await clockOf(panel)) - 76 / 60) < 1e-3,
  );
  await page.keyboard.press("Home");
  check("Home goes to the start", (await clockOf(panel)) === 0);
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  check(
    "a bracket selects the next body",
    (await panel.getByLabel("body", { exact: true }).inputValue()) === "2",
  );

  const hit = await findColour(page.locator("#recordings"), ORANGE, [0, 0.5]);
  await page.mouse.click(hit.x, hit.y);
  const chosen = await panel.getByLabel("body", { exact: true }).inputValue();
  const numbers = await numbersOf(panel);
  check(
    `a click selects a body: ${chosen}`,
    Number(chosen) >= 1 && numbers.position.length === 2,
  );
  await panel
    .getByLabel("body", { exact: true })
    .selectOption({ label: "ball" });
  await panel.locator(".rg-scrub").fill("0.5");
  const rate = 3.2;
  const ball = await numbersOf(panel);
  const x = -2.4 + 0.2 * Math.sin(rate * 0.5);
  check(
    `its numbers are those recorded: ${ball.position[0]}`,
    Math.abs(ball.position[0][0] - x) < 1e-3 &&
      ball.position[1][1] === ball.position[0][1],
  );
  check(
    "and its speed too",
    Math.abs(ball.velocity[0][0] - 0.2 * rate * Math.cos(rate * 0.5)) < 1e-3,
  );
  await page.screenshot({ path: join(out, "viewer_light.png") });

  await panel.getByLabel("overlay").check();
  check(
    "overlaid there is one pane",
    (await panel.locator(".rg-label").count()) === 1,
  );
  await panel.getByLabel("follow").check();
  await panel.locator(".rg-scrub").fill("1.8");
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(out, "viewer_overlay.png") });
  await page.close();
}

/* Another document may carry the script once and several viewers. */
async function testEmbedding() {
  const read = (name) => readFileSync(join(built, name), "utf8");
  const data = readFileSync(html, "utf8").match(
    /id="rigor-recordings">\n([^]*?)<\/script>/,
  )[1];
  const viewer =
    '<div class="rigor-viewer" style="height:30rem" data-recordings="runs"></div>';
  const document = `<!doctype html><title>t</title><link rel="icon" href="data:,"><style>${read("viewer.css")}</style><p>above</p>${viewer}<p>between</p>${viewer}
    <script type="application/json" id="runs">${data}</script><script>${read("viewer.js")}</script>`;
  writeFileSync(join(out, "embedded.html"), document);
  const page = await open(pathToFileURL(resolve(out, "embedded.html")).href);
  await page.locator(".rg-transport").first().waitFor();
  await page.locator(".rigor-viewer").nth(1).scrollIntoViewIfNeeded();
  await page.locator(".rg-transport").nth(1).waitFor();
  check(
    "a document can embed several viewers",
    (await page.locator(".rg-canvas").count()) === 2,
  );
  await page.close();
}

async function testLooks() {
  const dark = await open(url, { colorScheme: "dark" });
  await dark.locator("#recordings .rg-scrub").fill("0.7");
  await dark.waitForTimeout(500);
  const ground = await dark.evaluate(
    () => getComputedStyle(document.body).backgroundColor,
  );
  check(`dark is dark: ${ground}`, ground === "rgb(23, 27, 33)");
  await dark.screenshot({ path: join(out, "viewer_dark.png") });
  await dark.close();
  const phone = await open(url, {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
  });
  await phone.locator("#recordings .rg-transport").waitFor();
  await phone.waitForTimeout(500);
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  check(`a phone need not scroll sideways: ${wide} px`, wide <= 390);
  await phone.screenshot({ path: join(out, "viewer_phone.png") });
  await phone.close();
}

async function testPlayground() {
  const page = await open(`${url}#playground`);
  const panel = page.locator("#playground");
  await panel.locator(".rg-transport").waitFor();
  await page.waitForFunction(() => parseFloat(document.querySelector("#playground .rg-clock").textContent) > 0.1);
  const begun = await clockOf(panel);
  check(`it runs live: ${begun} s`, begun > 0.1);
  check(
    "two solvers run",
    (await panel.locator(".rg-chip").allTextContents()).join() ===
      "xpbd 20×1,pgs 1×20",
  );
  const right = panel.getByRole("group", { name: "right" });
  await right.getByLabel("solver").selectOption("naive");
  await page.waitForTimeout(600);
  check(
    "a solver is switched",
    (await panel.locator(".rg-chip").nth(1).textContent()).startsWith("naive"),
  );
  const left = panel.getByRole("group", { name: "left" });
  await left.getByLabel("substeps").fill("5");
  await left.getByLabel("substeps").blur();
  check(
    "an option is changed",
    (await panel.locator(".rg-chip").first().textContent()) === "xpbd 5×1",
  );
  await panel.getByLabel("compliance (m/N)").selectOption("1e-4");
  await right.getByLabel("solver").selectOption("featherstone");
  await page.waitForTimeout(200);
  check(
    "what a solver cannot do is said",
    /compliance, which featherstone lacks/.test(await panel.locator(".rg-note").nth(1).textContent()),
  );
  await panel.getByLabel("compliance (m/N)").selectOption("as in the scene");
  await testDrag(page, panel, left, right);
  await page.close();
}

/* What is tuned goes on from where it is; a step back undoes a step; a link does everything again. */
async function testTuning() {
  const page = await open(`${url}#playground`);
  const panel = page.locator("#playground");
  const left = panel.getByRole("group", { name: "left" });
  const step = panel.getByRole("button", { name: "one frame on" });
  await panel.locator(".rg-transport").waitFor();
  await panel.getByRole("button", { name: "pause" }).click();
  await panel.getByRole("button", { name: "start again" }).click();
  await panel.getByLabel("body", { exact: true }).selectOption({ label: "link1" });
  for (let i = 0; i < 25; i++) await step.click();
  const before = await numbersOf(panel);
  await left.getByLabel("substeps").fill("7");
  await left.getByLabel("substeps").blur();
  const tuned = await numbersOf(panel);
  check(
    "a run that is tuned stays where it is",
    JSON.stringify(tuned) === JSON.stringify(before) && (await clockOf(panel)) > 0.4,
  );
  check("and says so", (await panel.locator(".rg-chip").first().textContent()) === "xpbd 7×1");
  const right = panel.getByRole("group", { name: "right" });
  await right.getByLabel("iterations", { exact: true }).fill("33");
  await right.getByLabel("iterations", { exact: true }).blur();
  await panel.getByLabel("frame (s)").selectOption("1/120");
  check("iterations and the step, too", JSON.stringify(await numbersOf(panel)) === JSON.stringify(before) && (await clockOf(panel)) > 0.4);
  const [chips, atTuning] = [await panel.locator(".rg-chip").allTextContents(), await clockOf(panel)];
  for (let i = 0; i < 6; i++) await step.click();
  check(`six frames of 1/120 s later: ${await clockOf(panel)} s`, Math.abs((await clockOf(panel)) - atTuning - 0.05) < 0.011);
  await panel.getByLabel("gravity (m/s², down)").fill("3");
  await panel.getByLabel("gravity (m/s², down)").blur();
  for (let i = 0; i < 12; i++) await step.click();
  const there = await numbersOf(panel);
  await step.click();
  check("a frame on is another", JSON.stringify(await numbersOf(panel)) !== JSON.stringify(there));
  await panel.getByRole("button", { name: "one frame back" }).click();
  check("a frame back is the one before", JSON.stringify(await numbersOf(panel)) === JSON.stringify(there));
  const time = await clockOf(panel);
  for (let i = 0; i < 15; i++) await page.keyboard.press("ArrowLeft");
  for (let i = 0; i < 15; i++) await page.keyboard.press("ArrowRight");
  check(
    "back beyond what was tuned and on again is the same",
    JSON.stringify(await numbersOf(panel)) === JSON.stringify(there) && (await clockOf(panel)) === time,
  );
  for (let i = 0; i < 25; i++) await page.keyboard.press("ArrowLeft");
  const fields = async () => [await left.getByLabel("substeps").inputValue(), await right.getByLabel("iterations", { exact: true }).inputValue(), await panel.getByLabel("frame (s)").inputValue(), await panel.getByLabel("gravity (m/s², down)").inputValue()].join();
  check(`before it was tuned the fields say what was: ${await fields()}`, (await fields()) === "20,20,1/60,9.81" && (await panel.locator(".rg-chip").allTextContents()).join() === "xpbd 20×1,pgs 1×20");
  for (let i = 0; i < 25; i++) await page.keyboard.press("ArrowRight");
  check(`and after it: ${await fields()}`, (await fields()) === "7,33,1/120,3" && (await panel.locator(".rg-chip").allTextContents()).join() === chips.join());
  await panel.getByRole("button", { name: "link" }).click();
  const address = page.url();
  const saved = page.waitForEvent("download");
  await panel.getByRole("button", { name: "picture" }).click();
  check("a picture is saved", (await saved).suggestedFilename().endsWith(".png"));
  await page.close();

  const again = await open(address);
  const same = again.locator("#playground");
  await same.locator(".rg-transport").waitFor();
  await same.getByLabel("body", { exact: true }).selectOption({ label: "link1" });
  check(`a link restores the moment: ${await clockOf(same)} s`, (await clockOf(same)) === time);
  check("to the last bit shown", JSON.stringify(await numbersOf(same)) === JSON.stringify(there));
  check("and its options", (await same.locator(".rg-chip").allTextContents()).join() === chips.join() && (await same.getByLabel("frame (s)").inputValue()) === "1/120");
  await same.getByLabel("overlay").check();
  check("overlaid there is one pane", (await same.locator(".rg-label").count()) === 1);
  const times = () => same.locator(".rg-note").first().textContent();
  check(`overlaid the times are of all: ${await times()}`, /^xpbd 7×1: .* median; pgs 1×33: .* median$/.test(await times()));
  await same.getByLabel(/ghost/).check();
  await same.getByLabel("joint forces").check();
  await same.getByLabel("colour by error").check();
  await same.getByRole("group", { name: "third" }).getByLabel("solver").selectOption("naive");
  await same.getByRole("button", { name: "play", exact: true }).click();
  await again.waitForFunction(() => parseFloat(document.querySelector("#playground .rg-clock").textContent) > 0.05);
  check("three runs and a ghost go on", (await same.locator(".rg-chip").count()) === 3);
  await again.screenshot({ path: join(out, "playground_overlay.png") });
  await again.close();
}

/* What is drawn: forces of joints and of contacts, errors as colours; and all of the motion is in view. */
async function testDrawn() {
  const page = await open(`${url}#playground`);
  const panel = page.locator("#playground");
  const step = async (presses) => {
    for (let i = 0; i < presses; i++) await page.keyboard.press("Shift+ArrowRight");
  };
  await panel.locator(".rg-transport").waitFor();
  await panel.getByRole("button", { name: "pause" }).click();
  await panel.locator(".rg-setup select").first().selectOption("chain of 20 links");
  await panel.locator("canvas.rg-canvas").focus();
  const seen = [];
  for (let shot = 0; shot < 3; shot++) {
    await step(4);
    await page.waitForTimeout(250);
    seen.push(await lookForColour(panel, ORANGE, [0, 0.5]));
  }
  const [left, right] = [Math.min(...seen.map((box) => box.left)), Math.max(...seen.map((box) => box.right))];
  const [top, bottom] = [Math.min(...seen.map((box) => box.top)), Math.max(...seen.map((box) => box.bottom))];
  check(
    `two seconds of a fall are in view: ${[left, right, top, bottom].map((part) => part.toFixed(2))}`,
    left > 0.005 && right < 0.495 && top > 0.01 && bottom < 0.99,
  );
  check("and fill it", Math.max(2 * (right - left), bottom - top) > 0.5);
  const note = await panel.locator(".rg-note").first().textContent();
  check(`the time is a median: ${note}`, /^(< 100|[\d.e+]+) µs\/frame, median$/.test(note));

  const plain = await countColour(panel, FORCE);
  await panel.getByLabel("joint forces").check();
  const drawn = await countColour(panel, FORCE);
  check(`forces of joints are drawn: ${plain}, then ${drawn} pixels`, drawn > 10 * plain + 100);
  await panel.getByLabel("joint forces").uncheck();
  const colours = [await countColour(panel, ORANGE), await countColour(panel, COLD)];
  await panel.getByLabel("colour by error").focus();
  await page.keyboard.press("Space"); // a box's own, not the time's
  const heated = [await countColour(panel, ORANGE), await countColour(panel, COLD)];
  check(`errors are colours: ${colours}, then ${heated} pixels`, heated[0] < 0.2 * colours[0] && heated[1] > 2 * colours[1]);
  await page.screenshot({ path: join(out, "playground_heat.png") });
  await page.keyboard.press("Space");

  await panel.locator(".rg-setup select").first().selectOption("stack of boxes");
  await panel.locator("canvas.rg-canvas").focus();
  await step(1);
  const touching = await countColour(panel, FORCE);
  await page.screenshot({ path: join(out, "playground_forces.png") });
  await panel.getByRole("checkbox", { name: "contacts" }).uncheck();
  const without = await countColour(panel, FORCE);
  check(`forces of contacts are drawn: ${touching}, else ${without} pixels`, touching > 10 * without + 100);
  await page.close();
}

/* The ghost says what it is: the stored truth, as long as the motion is the scene's own; else a finer run. */
async function testGhost() {
  const page = await open(`${url}#playground`);
  const panel = page.locator("#playground");
  const says = () => panel.locator(".rg-ghost").textContent();
  const step = async (presses, key) => {
    for (let i = 0; i < presses; i++) await page.keyboard.press(key);
  };
  await panel.locator(".rg-transport").waitFor();
  await panel.getByRole("button", { name: "pause" }).click();
  check("without a ghost nothing is said", (await says()) === "");
  await panel.getByLabel("ghost", { exact: true }).check();
  await panel.locator("canvas.rg-canvas").focus();
  await step(2, "Shift+ArrowRight");
  check(`a ghost is the truth: ${await says()}`, /^the truth, by reference, right to .* m$/.test(await says()));
  await page.screenshot({ path: join(out, "playground_ghost.png") });
  await panel.getByLabel("gravity (m/s², down)").fill("5");
  await panel.getByLabel("gravity (m/s², down)").blur();
  await panel.locator("canvas.rg-canvas").focus();
  await step(1, "ArrowRight");
  check(`with another gravity it is not: ${await says()}`, /^the first run with 8× its substeps: what was done/.test(await says()));
  await step(1, "ArrowLeft");
  check("before that it is", /^the truth/.test(await says()));
  await page.keyboard.press("Home");
  await panel.getByLabel("gravity (m/s², down)").fill("9.81");
  await panel.getByLabel("gravity (m/s², down)").blur();
  await panel.locator("canvas.rg-canvas").focus();
  await page.keyboard.press("Home");
  await step(30, "Shift+ArrowRight");
  check(`to its end it is: ${await clockOf(panel)} s`, (await clockOf(panel)) === 5 && /^the truth/.test(await says()));
  await step(1, "ArrowRight");
  check(`beyond it is not: ${await says()}`, /stored up to 5 s$/.test(await says()));
  await panel.getByText("scene parameters").click();
  await panel.locator(".rg-params [name=links]").fill("2");
  await panel.locator(".rg-params [name=links]").blur();
  check(`nor of another scene: ${await says()}`, /no truth is stored of this$/.test(await says()));
  await panel.getByLabel("colour by error").check();
  check("colours of errors have a key", / m .* m$/.test((await panel.locator(".rg-heat").textContent()).trim().replace("  ", " _ ")));
  await page.close();
}

/* Parameters of the scene change while it runs; what changes the bodies starts again, and says so. */
async function testScene() {
  const page = await open(`${url}#playground`);
  const panel = page.locator("#playground");
  const said = () => panel.locator(".rg-hint").textContent();
  const set = async (name, value) => {
    const field = panel.locator(`.rg-params [name=${name}]`);
    await field.fill(value);
    await field.blur();
  };
  await panel.locator(".rg-transport").waitFor();
  await panel.getByRole("button", { name: "pause" }).click();
  await panel.getByText("scene parameters").click();
  await panel.getByLabel("body", { exact: true }).selectOption({ label: "link1" });
  for (let i = 0; i < 20; i++) await panel.getByRole("button", { name: "one frame on" }).click();
  const before = await numbersOf(panel);
  await set("density", "5000");
  check(`a density is changed on the way: ${await said()}`, /^goes on with the new density/.test(await said()));
  check("nothing moves", JSON.stringify(await numbersOf(panel)) === JSON.stringify(before));
  await panel.getByLabel("compliance (m/N)").selectOption("1e-3");
  check(`so is a compliance: ${await said()}`, /^goes on with the new compliance/.test(await said()));
  for (let i = 0; i < 10; i++) await panel.getByRole("button", { name: "one frame on" }).click();
  const there = await numbersOf(panel);
  await panel.getByRole("button", { name: "link" }).click();
  const address = page.url();
  await set("links", "0");
  check(`what is wrong is said: ${await said()}`, /links/.test(await said()));
  await set("links", "3");
  check(`links start again: ${await said()}`, /^all runs start again: links/.test(await said()) && (await clockOf(panel)) === 0);
  const bodies = await panel.getByLabel("body", { exact: true }).locator("option").allTextContents();
  check(`there are three: ${bodies}`, bodies.includes("link3") && !bodies.includes("link4"));
  await panel.getByRole("group", { name: "left" }).getByLabel("solver").selectOption("naive");
  check(`another solver starts again: ${await said()}`, /^all runs start again/.test(await said()));
  await page.close();
  const again = await open(address);
  const same = again.locator("#playground");
  await same.locator(".rg-transport").waitFor();
  await same.getByLabel("body", { exact: true }).selectOption({ label: "link1" });
  check("a link does it again", JSON.stringify(await numbersOf(same)) === JSON.stringify(there));
  check("with its parameters", (await same.locator(".rg-params [name=density]").inputValue()) === "5000");
  await again.close();
}

/* Links that somebody made to do harm: the page opens all the same, is not kept busy, and nothing in them is alive. */
async function testHostileLinks() {
  const bad = `"'></script><img src=x onerror="document.body.dataset.alive = 1">`;
  const first = await open(`${url}#playground`);
  await first.locator("#playground .rg-transport").waitFor();
  await first.locator("#playground").getByRole("button", { name: "link" }).click();
  const story = JSON.parse(Buffer.from(first.url().split("#play=")[1], "base64url").toString());
  await first.close();
  const many = { solver: "pgs", options: { substeps: "1000000", iterations: "1000000" } };
  const changes = [
    { scene: bad },
    { params: { ...story.params, [bad]: bad } },
    { params: Object.fromEntries(Object.keys(story.params ?? {}).map((key) => [key, "1e9"])) },
    { params: null, gravity: null },
    { compliance: bad, dt: bad },
    { lanes: [{ solver: bad, options: { [bad]: bad } }] },
    { lanes: [many] },
    { frame: 1e15 },
    { inputs: [[0, { kind: "__proto__" }], [0, null]] },
    { inputs: [[0, { kind: "tune", lane: 0, ...many, dt: 1e-9 }]] },
  ];
  for (const change of changes) {
    const page = await open(`${url}#play=${Buffer.from(JSON.stringify({ ...story, ...change })).toString("base64url")}`);
    await page.locator("#playground .rg-transport").waitFor({ timeout: 60000 });
    await page.locator("#playground .rg-clock").waitFor();
    check(`a link with ${JSON.stringify(change).slice(0, 50)}`, (await page.locator("[data-alive], img[src=x]").count()) === 0);
    await page.close();
  }
}

/* No pointer: select, hold, move the hand, let go, record a clip. */
async function testKeyboard() {
  const page = await open(`${url}#playground`);
  const panel = page.locator("#playground");
  await panel.locator(".rg-transport").waitFor();
  await panel.locator("canvas.rg-canvas").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Home");
  check("Home starts again", (await clockOf(panel)) === 0);
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  check("brackets select a body", (await panel.getByLabel("body", { exact: true }).inputValue()) === "1");
  const before = await numbersOf(panel);
  await page.keyboard.press("h");
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowUp");
  check("the arrows are the hand's", (await clockOf(panel)) === 0);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => parseFloat(document.querySelector("#playground .rg-clock").textContent) > 0.5);
  await page.keyboard.press("Space");
  const held = await numbersOf(panel);
  check(`the body is held up: ${held.position[0][1]} m`, held.position[0][1] > before.position[0][1] - 0.05);
  const hint = await panel.locator(".rg-hint").textContent();
  check(`why the energy is what it is: ${hint}`, /held the energy stands still: the hand's work is left out/.test(hint));
  await page.keyboard.press("h");
  check("it counts again", /energy counts again/.test(await panel.locator(".rg-hint").textContent()));
  const time = await clockOf(panel);
  await page.keyboard.press("ArrowRight");
  check("let go, the arrows are the time's", (await clockOf(panel)) > time);
  await page.keyboard.press("o");
  check("o overlays", (await panel.locator(".rg-label").count()) === 1);
  await page.keyboard.press("l");
  check("l makes a link", page.url().includes("#play="));
  const picture = page.waitForEvent("download");
  await page.keyboard.press("p");
  check("p is a picture", (await picture).suggestedFilename().endsWith(".png"));
  await page.keyboard.press("g");
  check("g is the ghost", (await panel.locator(".rg-ghost").textContent()) !== "" && (await clockOf(panel)) === 0);
  for (const key of ["g", "o"]) await page.keyboard.press(key);
  const clip = panel.getByRole("button", { name: "clip" });
  await page.keyboard.press("c");
  check("a clip is recorded", (await clip.getAttribute("aria-pressed")) === "true");
  await page.setViewportSize({ width: 480, height: 400 }); // software draws few pictures a second
  await page.keyboard.press("Space");
  await panel.getByText(/clip is recorded.* kB/).waitFor({ timeout: 90000 });
  const saved = page.waitForEvent("download");
  await page.keyboard.press("c");
  const file = await saved;
  const bytes = readFileSync(await file.path());
  check(`and saved: ${file.suggestedFilename()}, ${bytes.length} bytes`, file.suggestedFilename().endsWith(".webm") && bytes.length > 2000 && bytes.readUInt32BE(0) === 0x1a45dfa3);
  await page.close();
}

/* The same solver on both sides: the runs stay the same, for one drag pulls both. */
async function testDrag(page, panel, left, right) {
  await right.getByLabel("solver").selectOption("xpbd");
  await left.getByLabel("substeps").fill("20");
  await left.getByLabel("substeps").blur();
  await panel.getByRole("button", { name: "pause" }).click();
  await panel.getByRole("button", { name: "start again" }).click();
  await panel
    .getByLabel("body", { exact: true })
    .selectOption({ label: "link1" });
  for (let i = 0; i < 5; i++)
    await panel.getByRole("button", { name: "one frame on" }).click();
  const before = await numbersOf(panel);
  check(
    "undragged runs are the same",
    JSON.stringify(before.position[0]) === JSON.stringify(before.position[1]) &&
      before.position[0][1] < 0,
  );
  await panel.getByLabel("body", { exact: true }).selectOption({ value: "-1" });
  await page.waitForTimeout(300);
  const energy = async () => parseFloat(await panel.locator(".rg-curves").nth(1).locator("output").first().textContent());
  const undragged = await energy();
  const hit = await findColour(panel, ORANGE, [0, 0.5]);
  await page.mouse.move(hit.x, hit.y);
  await page.mouse.down();
  await page.mouse.move(hit.x, hit.y - 60, { steps: 3 });
  await page.mouse.move(hit.x, hit.y - 160, { steps: 5 });
  await page.keyboard.press("Space");
  await page.waitForTimeout(1500);
  await panel
    .getByLabel("body", { exact: true })
    .selectOption({ label: "link1" });
  const during = await numbersOf(panel);
  const apart = Math.hypot(
    ...during.position[0].map((x, k) => x - during.position[1][k]),
  );
  const moved = Math.hypot(...during.position[0].map((x, k) => x - before.position[0][k]));
  check(`a dragged body moves: ${during.position[0]} from ${before.position[0]}`, moved > 0.1);
  check("one drag pulls all runs alike", apart < 1e-12);
  const dragged = await energy();
  check(`the hand's work is no error of energy: ${undragged}, then ${dragged}`, Math.abs(dragged - undragged) <= 1e-3 * Math.abs(undragged) + 1e-12);
  check("and that is said", /held the energy stands still/.test(await panel.locator(".rg-hint").textContent()));
  await page.screenshot({ path: join(out, "playground_drag.png") });
  await page.mouse.up();
  await panel.locator(".rg-setup select").first().selectOption("bridge");
  await left.getByLabel("solver").selectOption("xpbd");
  await right.getByLabel("solver").selectOption("pgs");
  await page.waitForTimeout(2500);
  await page.screenshot({ path: join(out, "playground.png") });
}

await run(browser, testViewer, testEmbedding, testLooks, testPlayground, testTuning, testDrawn, testGhost, testScene, testHostileLinks, testKeyboard);
