/* SPDX-License-Identifier: MIT */
/* The playground's WebAssembly against the native build: the same row solves, and states that differ by round-off.
 * usage: node parity.mjs PAGE_DIR RIGOR PLAYGROUND.wasm PLAYGROUND.json */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [pageDir, rigor, wasmPath, dataPath] = process.argv.slice(2);
const { buildSync } = createRequire(join(pageDir, "package.json"))("esbuild");
function load(entry) {
  const bundle = buildSync({ entryPoints: [join(pageDir, "src", entry)], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`);
}
const { Engine, inflate, sameStructure, sceneOf, solverNames } = await load("engine.ts");
const { Truth } = await load("truth.ts");
const module = new WebAssembly.Module(readFileSync(wasmPath));
const { scenes: offers, tables } = JSON.parse(readFileSync(dataPath, "utf8"));
const { solvers, truths } = await inflate(tables).json();
const textOf = (params) => Object.fromEntries(Object.entries(params).map(([key, value]) => [key, String(value)]));
const scenes = offers.map((offer) => ({ ...offer, scene: sceneOf(module, offer.name, textOf(offer.params)) }));

const DT = 1 / 60;
const native = (...args) =>
  JSON.parse(
    execFileSync(rigor, args, { encoding: "utf8", maxBuffer: 1 << 28 }),
  );

let failures = 0;
function check(what, ok) {
  if (!ok) failures++;
  console.log(`${ok ? "ok" : "not ok"} - ${what}`);
}

/* Scene files that both sides read; without what the scene expects, so that no truth is computed. */
const folder = mkdtempSync(join(tmpdir(), "parity-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
function sceneFile(scene) {
  const path = join(folder, `${scene.name}.json`);
  writeFileSync(path, JSON.stringify({ rigor: 1, ...scene, expect: {} }).replaceAll(":null", ":1e999"));
  return path;
}

/* What the states are measured in: lengths in the scene's extent, speeds in its speed scale. */
function scalesOf(scene) {
  const length = Math.max(
    ...scene.bodies.flatMap((body) => (body.position ?? [0]).map(Math.abs)),
    ...scene.bodies.flatMap((body) => body.shape?.box?.size ?? []),
  );
  const speed = scene.speed_scale;
  return { position: length, orientation: 1, velocity: speed, angular_velocity: speed / length };
}

/* The largest difference of any coordinate of any body from the native run's final state, in the scene's scales. */
function difference(scene, engine, bodies) {
  let largest = 0;
  for (const [name, scale] of Object.entries(scalesOf(scene)))
    bodies.forEach((body, i) =>
      body[name].forEach((theirs, k) => {
        const mine = engine.frame[name][body[name].length * (i + 1) + k];
        const apart = Math.abs(mine - theirs) / scale;
        largest = apart <= largest ? largest : apart; // NaN is kept
      }),
    );
  return largest;
}

/* undefined: both refuse the run, in the same words. */
function compare(scene, solver, options, frames) {
  const path = sceneFile(scene);
  const command = ["run", path, solver, "--json", "--state", "--time", String(frames * DT)];
  for (const [key, value] of Object.entries(options)) command.push("-s", `${key}=${value}`);
  let engine;
  try {
    engine = new Engine(module, scene, { solver, options, dt: DT });
  } catch (error) {
    const { status, stderr } = spawnSync(rigor, command, { encoding: "utf8" });
    return { refused: status === 4 && stderr.includes(error.message), message: error.message };
  }
  for (let i = 0; i < frames; i++) engine.step();
  const run = native(...command);
  return {
    apart: difference(scene, engine, run.bodies),
    solves: engine.rowSolves(),
    theirs: run.cost.row_solves,
    failed: engine.failed !== undefined,
    blewUp: run.status === "blew_up",
  };
}

/* Of the scene's scales. */
const TOLERANCE = 1e-12;

/* `loose`: "states" or "rows", what the last bit decides here. */
function checkParity(what, scene, solver, options, frames, loose) {
  const result = compare(scene, solver, options, frames);
  if ("refused" in result) {
    check(`${what}: refused alike: ${result.message}`, result.refused);
    return;
  }
  const { apart, solves, theirs, failed, blewUp } = result;
  const sameStates = failed || blewUp ? failed === blewUp : loose === "states" || apart <= TOLERANCE;
  check(
    `${what}: ${frames} frames, ${solves} row solves, apart by ${failed ? "a blow-up" : apart.toExponential(1)}` +
      (solves === theirs ? "" : `; native ${theirs} row solves`),
    sameStates && (loose === "rows" || solves === theirs),
  );
}

/* Sines and cosines of another C library differ in their last bit, and solvers amplify that: position-based ones up to a
 * thousandfold a substep, where friction sticks. So states are compared over a few frames. */
const FRAMES = { naive: 2, pbd: 1, xpbd: 1, xpbd_lecture: 1, newton_xpbd: 1 };
const backendOf = (solver) => solvers.find(({ name }) => name === solver).variant_of ?? solver;
const framesOf = (solver) => FRAMES[backendOf(solver)] ?? 5;

/* Fewer sweeps than by default, for time; these are stable, or have a meaning, only with their own. */
const OWN = ["penalty", "featherstone", "direct"];
function optionsOf(solver) {
  if (OWN.includes(solver)) return {};
  const { options } = solvers.find(({ name }) => name === solver);
  const substeps = solver.includes("pbd") ? "1" : "2";
  return options.some(({ name }) => name === "iterations") ? { substeps, iterations: "3" } : { substeps };
}

/* What the last bit decides: how four points share a load in the plane of a wall, which way out of a deep overlap is
 * shortest, what penalties give to a card that is far lighter than they are stiff, whether a motor is at its bound, and so how often its system is solved. */
const LOOSE = {
  wall: { pbd: "states", xpbd: "states" },
  "deep overlap": { pbd: "states", xpbd: "states", pgs_ngs_block: "states" },
  "house of cards": { avbd_demo_post: "states" },
  motor: { featherstone: "rows" },
  "slider-crank": { featherstone: "rows" },
  "four-bar linkage": { featherstone: "rows" },
};

/* The page offers the program's own list: every variant of every backend that it has. */
{
  const offered = solverNames(module);
  const expected = solvers.filter(({ name, variant_of }) => offered.includes(variant_of ?? name)).map(({ name }) => name);
  check(`solvers offered: ${offered.join(" ")}`, expected.every((name) => offered.includes(name)) && offered.every((name) => expected.includes(name)));
  for (const name of ["pgs_block", "pgs_lecture", "xpbd_stick", "pbd_stick"]) check(`${name} is offered`, offered.includes(name));
}

/* What a scene file leaves out is what is plain; of infinite and missing bounds only a slide's twist is told. */
function told({ rigor: _, time, expect, materials = {}, combine = {}, joints = [], events = [], collide = "all", ...rest }) {
  const plain = { friction: 0.5, restitution: 0, patch_radius: 0 };
  const whole = Object.entries({ default: plain, ...materials }).map(([name, own]) => [name, { ...plain, ...own }]);
  const how = { friction: "average", restitution: "max", ...combine };
  return { ...rest, materials: Object.fromEntries(whole), combine: how, joints, events, collide };
}

/* The path of the first difference; numbers may differ by the round-off of another C library's sines: 1e-14 of the scene's
 * size. */
function differs(mine, theirs, path = "") {
  if (typeof mine === "number" && typeof theirs === "number")
    return mine === theirs || Math.abs(mine - theirs) <= 1e-14 * Math.max(1, Math.abs(theirs)) ? "" : path;
  if (typeof mine !== "object" || typeof theirs !== "object" || !mine || !theirs) return mine === theirs ? "" : path;
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const found = differs(mine[key], theirs[key], `${path}.${key}`);
    if (found) return `${found}: ${JSON.stringify(mine[key])} and ${JSON.stringify(theirs[key])}`.slice(0, 200);
  }
  return "";
}

/* The module builds the scenes that the program builds. */
for (const { title, name, params, scene } of scenes) {
  const words = Object.entries(params).flatMap(([key, value]) => ["-p", `${key}=${value}`]);
  const apart = differs(told(scene), told(native("export", name, ...words)));
  check(`${title} is what rigor export writes ${apart}`, apart === "");
}
try {
  sceneOf(module, "pendulum", { links: "0" });
  check("a parameter out of range is refused", false);
} catch (error) {
  check(`a parameter out of range is refused: ${error.message}`, /links/.test(error.message));
}

/* Of two runs one goes on as a run of another scene of the same structure: with nothing changed as if nothing had been,
 * but for multipliers that are found again from impulses: where a block's rows are not quite at right angles, as a motor's
 * are that turns, these are off by a billionth. */
for (const [title, solver] of [["chain of 20 links", "pgs"], ["stack of boxes", "pgs"], ["house of cards", "pgs"], ["motor", "pgs"], ["ragdoll", "xpbd"], ["stack of boxes", "avbd"], ["stack of boxes", "tgs_sticky"]]) {
  const { name, params, scene } = scenes.find((entry) => entry.title === title);
  const [one, other] = [0, 1].map(() => new Engine(module, scene, { solver, options: {}, dt: DT }));
  for (let i = 0; i < 60; i++) [one, other].forEach((engine) => engine.step());
  other.adopt(sceneOf(module, name, textOf(params)), undefined);
  [one, other].forEach((engine) => engine.step());
  const apart = Math.max(...one.frame.position.map((x, i) => Math.abs(x - other.frame.position[i])));
  check(`${title}, ${solver}: taken over without a change, apart by ${apart.toExponential(1)} m`, apart < 1e-8);
}

/* A run that is tuned to the options it has goes on to the last bit: its multipliers and its contacts are still there,
 * and that they are matters, as a run shows that begins every step without them. So are avbd's penalties and tgs_sticky's
 * anchors. */
for (const [title, solver] of [["chain of 20 links", "pgs"], ["stack of boxes", "pgs"], ["stack of boxes", "xpbd"], ["chain of 20 links", "avbd"], ["stack of boxes", "avbd"], ["stack of boxes", "tgs_sticky"]]) {
  const { scene } = scenes.find((entry) => entry.title === title);
  const [one, other] = [0, 1].map(() => new Engine(module, scene, { solver, options: {}, dt: DT }));
  for (let i = 0; i < 20; i++) [one, other].forEach((engine) => engine.step());
  other.retune({}, DT);
  for (let i = 0; i < 5; i++) [one, other].forEach((engine) => engine.step());
  check(`${title}, ${solver}: tuned without a change it goes on alike`, ["position", "velocity"].every((what) => String(one.frame[what]) === String(other.frame[what])));
}
{
  const { scene } = scenes.find((entry) => entry.title === "stack of boxes");
  const [cold, kept] = ["false", "true"].map((warm) => new Engine(module, scene, { solver: "pgs", options: { warm_start: warm }, dt: DT }));
  for (let i = 0; i < 20; i++) [cold, kept].forEach((engine) => engine.step());
  check("and what is kept matters", String(cold.frame.position) !== String(kept.frame.position));
}

/* Forces as they are drawn: what moves a pendulum beside its weight is its joint, m dv/dt = f + m g; a stack weighs on
 * the ground. */
{
  const engine = new Engine(module, sceneOf(module, "pendulum", {}), { solver: "pgs", options: { substeps: "1" }, dt: DT });
  for (let i = 0; i < 20; i++) engine.step();
  const before = [...engine.frame.velocity.slice(3, 6)];
  engine.step();
  const mass = engine.weight() / 9.81;
  const wanted = before.map((v, k) => mass * ((engine.frame.velocity[3 + k] - v) / DT + (k === 1 ? 9.81 : 0)));
  const drawn = [...engine.frame.joints.force];
  const apart = Math.max(...wanted.map((f, k) => Math.abs(f - drawn[k])));
  check(`the joint's force is what moves the body: ${drawn.map((f) => f.toFixed(3))} N, apart by ${apart.toExponential(1)} N`, apart < 1e-9 * Math.max(...wanted.map(Math.abs)));
}
{
  const { scene } = scenes.find((entry) => entry.title === "stack of boxes");
  const engine = new Engine(module, scene, { solver: "pgs", options: { iterations: "200" }, dt: DT });
  for (let i = 0; i < 60; i++) engine.step();
  const { point, force } = engine.frame.contacts;
  let ground = 0;
  for (let i = 0; i < point.length; i += 3) if (point[i + 1] < 0.01) ground += Math.abs(force[i + 1]);
  const weight = scene.bodies.filter((body) => !body.fixed).length * engine.weight();
  check(`the stack weighs on the ground: ${(ground / weight).toFixed(4)} of its weight`, Math.abs(ground / weight - 1) < 0.01);
}
{
  const [light, heavy, longer] = [{}, { density: "4000" }, { length: "2" }].map((params) => sceneOf(module, "pendulum", params));
  check("a density leaves the structure", sameStructure(light, heavy));
  check("a length does not", !sameStructure(light, longer));
  const engine = new Engine(module, light, { solver: "xpbd", options: {}, dt: DT });
  for (let i = 0; i < 30; i++) engine.step();
  const [place, time, weight] = [engine.frame.position[4], engine.time, engine.weight()];
  engine.adopt(heavy, 1e-3);
  check("it goes on where it was", engine.frame.position[4] === place && engine.time === time);
  check(`four times as heavy: ${engine.weight() / weight}`, Math.abs(engine.weight() / weight - 4) < 1e-12);
  const saved = engine.save();
  engine.adopt(light, undefined);
  engine.restore(saved);
  check("a step back is a step back to the other scene", Math.abs(engine.weight() / weight - 4) < 1e-12);
  for (let i = 0; i < 30; i++) engine.step();
  const [x, y] = engine.frame.position.slice(3, 5);
  check(`and its joint is soft now: ${Math.hypot(x, y) - 0.5} m`, Math.abs(Math.hypot(x, y) - 0.5) > 1e-3);
}

/* Every scene and solver of the playground, so that every key of a scene file is read right. */
for (const { title, scene } of scenes) {
  for (const solver of solverNames(module))
    checkParity(
      `${title}, ${solver}`,
      scene,
      solver,
      optionsOf(solver),
      framesOf(solver),
      LOOSE[title]?.[solver],
    );
}

/* A value other than the default, for an option that is a number. */
function otherNumber({ default: usual, min, max, type }) {
  const other = usual === 0 ? 0.5 * Math.min(max, 1) : typeof usual === "number" ? 0.5 * usual : 1;
  return type === "int" ? Math.min(Math.max(Math.round(other) + 1, min), max) : other;
}

function valuesOf(option) {
  if (option.type === "bool") return ["true", "false"];
  return option.choices ?? [String(option.default), String(otherNumber(option))];
}

/* Every value of every option that is a choice, and two of every number: on joints, on contacts, on all kinds of both.
 * A variant has its backend's. */
const optionScenes = ["chain of 20 links", "stack of boxes", "all joints in one machine"];
for (const { title, scene } of scenes.filter((entry) => optionScenes.includes(entry.title)))
  for (const { name, options } of solvers.filter((solver) => !solver.variant_of && solverNames(module).includes(solver.name)))
    for (const option of options)
      for (const value of valuesOf(option))
        checkParity(
          `${title}, ${name} ${option.name}=${value}`,
          scene,
          name,
          { ...optionsOf(name), [option.name]: value },
          Math.min(framesOf(name), 2),
          /* Twenty substeps amplify the last bit twenty times. */
          name === "xpbd" && option.name === "substeps" ? "states" : undefined,
        );

/* Sweeps end at stop_residual here as there, all through a second of simulated time. */
{
  const { scene } = scenes.find(({ title }) => title === "chain of 20 links");
  checkParity("chain of 20 links, pgs that stops", scene, "pgs", { iterations: "50", stop_residual: "0.5" }, 60, "states");
}

/* The lecture's drag: a grabbed body follows, another run does not, and letting go frees it. */
{
  const { scene } = scenes.find(({ title }) => title === "pendulum");
  const [free, held] = [0, 1].map(
    () => new Engine(module, scene, { solver: "xpbd", options: {}, dt: DT }),
  );
  check("a fixed body cannot be grabbed", !held.grab(0, 0, 0, 0));
  check("a body can be grabbed", held.grab(1, 1, 0, 0));
  held.pull(0.6, 0.8, 0);
  for (let i = 0; i < 90; i++) [free, held].forEach((engine) => engine.step());
  const [x, y] = [held.frame.position[3], held.frame.position[4]];
  check(
    `the pendulum is held up at its pull: (${x.toFixed(3)}, ${y.toFixed(3)})`,
    Math.hypot(x - 0.3, y - 0.4) < 0.1,
  );
  check(
    "what is held does not count as an error of energy",
    Math.abs(held.energyChange()) < 0.05,
  );
  held.release();
  const before = held.frame.velocity[4];
  for (let i = 0; i < 20; i++) held.step();
  check("it falls when let go", held.frame.velocity[4] < before - 0.5);
}

/* The ghost's truths are those of `reference`, to the 16 bits they are stored with; the middle of two frames is that of
 * the motion to what gravity bends within a step, g h^2 / 8. */
{
  const wanted = JSON.parse(readFileSync(join(pageDir, "scenes.json"), "utf8")).filter((entry) => entry.truth);
  check(`${wanted.length} truths are stored`, wanted.length > 20 && wanted.every(({ title, truth }) => {
    const { scene } = scenes.find((one) => one.title === title);
    return truths[title].estimate < 1e-6 && Math.abs(new Truth(truths[title], scene).end - truth) < 1e-9;
  }));
  for (const title of ["pendulum of 4 links", "four-bar linkage", "bouncing ball"]) {
    const { scene, name, params } = scenes.find((one) => one.title === title);
    const truth = new Truth(truths[title], scene);
    const given = Object.entries(params).flatMap(([key, value]) => ["-p", `${key}=${value}`]);
    const apart = (time, dt) => {
      const { bodies } = native("run", name, "reference", ...given, "--truth", "none", "--time", time, "--dt", dt, "--json", "--state");
      const { position, orientation } = truth.at(time);
      return Math.max(...bodies.flatMap((body, i) => [
        ...body.position.map((x, k) => Math.abs(x - position[3 * i + 3 + k])),
        ...body.orientation.map((x, k) => Math.abs(x - orientation[4 * i + 4 + k])),
      ]));
    };
    const size = Math.max(1, ...scene.bodies.flatMap((body) => (body.position ?? [0]).map(Math.abs)));
    const [on, between] = [apart(1, DT), apart(61 / 120, 1 / 120)];
    check(`the truth of ${title} is reference's: ${on.toExponential(1)}, between frames ${between.toExponential(1)}`,
      on < (4 * size) / 65536 && between < (4 * size) / 65536 + 20 * DT * DT / 8);
  }
}

/* A solver that cannot run a scene says so, in the same words. */
{
  const { scene } = scenes.find(({ title }) => /stack/.test(title));
  let message = "";
  try {
    new Engine(module, scene, {
      solver: "featherstone",
      options: {},
      dt: DT,
    });
  } catch (error) {
    message = error.message;
  }
  check(`refusal: ${message}`, /featherstone.*contacts/.test(message));
}
process.exit(failures ? 1 : 0);
