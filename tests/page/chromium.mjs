/* SPDX-License-Identifier: MIT */
/* What the browser tests share: Chromium, pages that tell of every message and request, and checks that count. Exit
 * status 77: no Chromium. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

let failures = 0;
export function check(what, ok) {
  if (!ok) failures++;
  console.log(`${ok ? "ok" : "not ok"} - ${what}`);
}

/* `pageDir` is where playwright-core is installed. */
export async function launch(pageDir) {
  const executablePath = places.find((path) => path && existsSync(path));
  if (!executablePath) {
    console.log("skipped: no Chromium (set CHROMIUM, or install chromium)");
    process.exit(77);
  }
  const { chromium } = createRequire(join(pageDir, "package.json"))(
    "playwright-core",
  );
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
    ],
  });
}

/* What pages said or asked for from outside. */
const troubles = [];

export async function open(browser, address, options = {}) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 760 },
    ...options,
  });
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (
      !request.url().startsWith("file:") &&
      !request.url().startsWith("data:")
    )
      troubles.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return page;
}

export const clockOf = async (panel) =>
  parseFloat(await panel.locator(".rg-clock").textContent());

/* Runs the tests and ends the process. */
export async function run(browser, ...tests) {
  try {
    for (const test of tests) await test();
    check(
      `no message, no request: ${troubles.join("; ")}`,
      troubles.length === 0,
    );
  } finally {
    await browser.close();
  }
  process.exit(failures ? 1 : 0);
}
