/* The playground's WebAssembly against the native build: the same trajectories.
 * usage: node parity.mjs PAGE_DIR RIGOR PLAYGROUND.wasm PLAYGROUND.json */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [pageDir, rigor, wasmPath, dataPath] = process.argv.slice(2);
const { buildSync } = createRequire(join(pageDir, "package.json"))("esbuild");
const bundle = buildSync({
  entryPoints: [join(pageDir, "src/engine.ts")],
  bundle: true,
  format: "esm",
  write: false,
});
const { Engine, canRun, solverNames } = await import(
  `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`
);
const module = new WebAssembly.Module(readFileSync(wasmPath));
const { scenes } = JSON.parse(readFileSync(dataPath, "utf8"));

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

/* The largest difference of any coordinate of any body from the native run's final state. */
function difference(engine, bodies) {
  const { position, orientation, velocity, angular_velocity } = engine.frame;
  let largest = 0;
  bodies.forEach((body, i) => {
    const pairs = [
      [position, body.position, 3],
      [orientation, body.orientation, 4],
      [velocity, body.velocity, 3],
      [angular_velocity, body.angular_velocity, 3],
    ];
    for (const [mine, theirs, width] of pairs)
      for (let k = 0; k < width; k++) {
        const apart = Math.abs(mine[width * (i + 1) + k] - theirs[k]);
        largest = apart <= largest ? largest : apart; // NaN is kept
      }
  });
  return largest;
}

function compare(scene, solver, options, frames, assignments) {
  const engine = new Engine(module, scene, { solver, options, dt: DT });
  for (let i = 0; i < frames; i++) engine.step();
  const time = String(frames * DT);
  const run = native(
    "run",
    ...assignments,
    "--json",
    "--state",
    "--time",
    time,
    ...Object.entries(options).flatMap(([k, v]) => ["-s", `${k}=${v}`]),
  );
  return { apart: difference(engine, run.bodies), engine, run };
}

/* As the contract asks: 1e-12 m, rad/s ... over 1 s. */
for (const solver of ["xpbd", "pgs"]) {
  const scene = JSON.parse(
    execFileSync(rigor, ["export", "pendulum"], { encoding: "utf8" }),
  );
  const { apart, engine } = compare(scene, solver, {}, 60, [
    "pendulum",
    solver,
  ]);
  check(
    `pendulum ${solver}: 1 s apart by ${apart.toExponential(1)}`,
    apart < 1e-12,
  );
  check(
    `pendulum ${solver}: it swung to the other side`,
    engine.frame.position[3] < -0.3,
  );
}

/* Every scene and solver of the playground, so that every key of a scene file is read right. Sines and cosines of
 * another C library differ in their last bit; where a solver amplifies that (position-based ones up to tenfold a frame,
 * on four_bar out of its plane) the comparison must end early. A number that was lost makes far more than 1e-6. */
const FRAMES = { pbd: 4, xpbd: 4 };

/* Boxes deep inside each other: which way out is shortest is a tie that the last bit decides. */
const TIES = { "deep overlap": ["pbd", "xpbd"] };

/* These have a meaning only with their own. */
const OPTIONS = { penalty: {}, featherstone: {}, direct: {} };
const list = JSON.parse(readFileSync(join(pageDir, "scenes.json"), "utf8"));
for (const { title, scene } of scenes) {
  const { scene: name, params = {} } = list.find(
    (entry) => entry.title === title,
  );
  const assignments = Object.entries(params).flatMap(([k, v]) => [
    "-p",
    `${k}=${v}`,
  ]);
  check(`${title} can run`, canRun(scene));
  for (const solver of solverNames(module).filter(
    (solver) => !TIES[title]?.includes(solver),
  )) {
    let result;
    try {
      result = compare(
        scene,
        solver,
        OPTIONS[solver] ?? { substeps: "2", iterations: "3" },
        FRAMES[solver] ?? 20,
        [name, solver, ...assignments],
      );
    } catch (error) {
      /* Refused there as here; anything else is a failure. */
      check(
        `${title} ${solver}: refused alike`,
        /cannot run this scene/.test(error.message),
      );
      continue;
    }
    check(
      `${title} ${solver}: apart by ${result.apart.toExponential(1)}`,
      result.apart < 1e-6 ||
        (result.run.status === "blew_up" && result.engine.failed),
    );
  }
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

/* A solver that cannot run a scene says so, in the same words. */
{
  const { scene } = scenes.find(({ title }) => title === "pendulum");
  let message = "";
  try {
    new Engine(module, scene, {
      solver: "pbd",
      options: {},
      dt: DT,
      compliance: 1e-4,
    });
  } catch (error) {
    message = error.message;
  }
  check(`refusal: ${message}`, /pbd.*compliance/.test(message));
}
process.exit(failures ? 1 : 0);
