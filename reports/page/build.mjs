/* SPDX-License-Identifier: MIT */
/* Bundles the page: viewer.js and viewer.css for any document, viewer.html as the template that `rigor view` fills.
 * usage: node build.mjs RIGOR PLAYGROUND.wasm OUTPUT_DIR */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [rigor, wasm, out] = process.argv.slice(2);

const run = (...args) => JSON.parse(execFileSync(rigor, args, { encoding: "utf8", maxBuffer: 1 << 28 }));

/* The first `truth` seconds of a scene by `reference`, as the playground's ghost shows them, with their error in m. */
function truthOf({ scene, params = {}, truth }, folder) {
  const [recorded, data] = [join(folder, "truth.h5"), join(folder, "truth.json")];
  const given = Object.entries(params).flatMap(([key, value]) => ["-p", `${key}=${value}`]);
  const told = run("run", scene, "reference", ...given, "--time", truth, "--truth", "none", "--json", "--record", recorded);
  execFileSync(rigor, ["view", recorded, "-o", data]);
  const { bodies, time, position, orientation } = JSON.parse(readFileSync(data, "utf8")).recordings[0];
  return { estimate: told.error_estimate, bodies, time, position, orientation };
}

/* By title, of the scenes that name a time: those that `reference` can run, within some seconds for all. */
function listTruths() {
  const folder = mkdtempSync(join(out, "truths-"));
  const wanted = JSON.parse(readFileSync(join(here, "scenes.json"), "utf8")).filter((entry) => entry.truth);
  const truths = Object.fromEntries(wanted.map((entry) => [entry.title, truthOf(entry, folder)]));
  rmSync(folder, { recursive: true });
  return truths;
}

/* The scenes that the playground offers, with the parameters that each can be given; one that this build does not have
 * is said and left out. */
function listScenes() {
  const known = new Map(run("list", "scenes", "--json").map((scene) => [scene.name, scene.params]));
  const wanted = JSON.parse(readFileSync(join(here, "scenes.json"), "utf8"));
  for (const { scene } of wanted.filter((entry) => !known.has(entry.scene)))
    console.error(`playground: no scene ${scene}, left out`);
  const scenes = wanted
    .filter((entry) => known.has(entry.scene))
    .map(({ title, scene, params = {} }) => ({ title, name: scene, params, settings: known.get(scene) }));
  /* Of a solver what the page shows. Engines do not run there. */
  const solvers = run("list", "solvers", "--json")
    .filter((solver) => !solver.engine)
    .map(({ name, variant_of, summary, options }) => ({ name, variant_of, summary, options }));
  return { scenes, solvers, runs: listRunning() };
}

/* The solvers that the WebAssembly holds. */
function listRunning() {
  const module = new WebAssembly.Module(readFileSync(wasm));
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const { _initialize, memory, playground_solver_count, playground_solver_name } = new WebAssembly.Instance(module, imports).exports;
  _initialize();
  const textAt = (at) => {
    const bytes = new Uint8Array(memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  };
  return Array.from({ length: playground_solver_count() }, (_, i) => textAt(playground_solver_name(i)));
}

/* What the page carries of others, with the notice that each asks for: the packages by their own files; what the
 * WebAssembly is linked with by wasm/LICENCES.txt. */
function listLicences() {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const packages = Object.entries(dependencies).map(
    ([name, version]) => `${name} ${version}\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}`,
  );
  return [...packages, readFileSync(join(here, "wasm/LICENCES.txt"), "utf8").trim()].join("\n\n\n");
}
const licences = listLicences();

/* Text that may stand inside a script element. */
const safe = (text) => text.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");

const bundle = async (entry, name) => {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "inline",
    banner: { js: "/*! holds three.js and uPlot: see the licences of the page */", css: "/*! holds the style of uPlot: see the licences of the page */" },
    logLevel: "warning",
    outfile: join(out, name),
  });
  return result.outputFiles[0].text;
};

const [js, css] = await Promise.all([bundle("main.ts", "viewer.js"), bundle("style.css", "viewer.css")]);
const pack = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
const { solvers, ...offers } = listScenes();
const tables = pack(JSON.stringify({ solvers, truths: listTruths() }));
const playground = JSON.stringify({ wasm: pack(readFileSync(wasm)), tables, ...offers });
/* Only the page's own script runs, and nothing is fetched but what the page holds. */
const policy = [
  "default-src 'none'",
  `script-src 'wasm-unsafe-eval' 'sha256-${createHash("sha256").update(safe(js)).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "connect-src data: blob:",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const shown = licences.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const fold = `<details class="rg-licences"><summary>licences</summary><pre>${shown}</pre></details>`;
const parts = { css, js: safe(js), playground: playground.replaceAll("<", "\\u003c"), policy, licences: fold };
const html = readFileSync(join(here, "src/shell.html"), "utf8").replace(
  /<!--rigor:(css|js|licences|playground|policy)-->/g,
  (_, name) => parts[name],
);

writeFileSync(join(out, "viewer.js"), safe(js));
writeFileSync(join(out, "viewer.css"), css);
writeFileSync(join(out, "playground.json"), parts.playground);
writeFileSync(join(out, "licences.html"), fold);
writeFileSync(join(out, "viewer.html"), html);
