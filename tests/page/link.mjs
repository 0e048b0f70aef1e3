/* SPDX-License-Identifier: MIT */
/* A playground's link may come from anybody: whatever it holds, the page's own decoder answers at once, with nothing or
 * with a story that its encoder turns into a link of the same story. Links are made by a seeded random: valid ones, valid
 * ones with a value put in another's place, texts with bytes changed, and anything. Each branch of the decoder's grammar
 * must be reached from both sides: something is accepted by it, something is refused by it alone; and no branch of the code
 * stays unvisited.
 * usage: node link.mjs PAGE_DIR [INPUTS] [SEED] */
import { Session } from "node:inspector";
import { createRequire } from "node:module";
import { isDeepStrictEqual, promisify } from "node:util";
import { join } from "node:path";

const [pageDir, inputs = "20000", seed = "20260101"] = process.argv.slice(2);
const { buildSync } = createRequire(join(pageDir, "package.json"))("esbuild");
const linkAlone = { contents: 'export { linkOf, storyOf } from "./session";', resolveDir: join(pageDir, "src") };
const bundle = buildSync({ stdin: linkAlone, bundle: true, format: "esm", write: false });
const address = `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`;
const inspector = new Session();
inspector.connect();
const profiler = promisify((call, options, told) => inspector.post(`Profiler.${call}`, options, told));
await profiler("enable", {});
await profiler("startPreciseCoverage", { callCount: true, detailed: true });
const { linkOf, storyOf } = await import(address);

/* mulberry32: a state of 32 bits is enough for inputs that are told apart. */
let state = Number(seed) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (count) => Math.floor(random() * count);
const one = (list) => list[below(list.length)];
const some = (most, make) => Array.from({ length: below(most + 1) }, make);

const number = () => one([0, -0.5, 1e-300, 9.81, 1e308, random() - 0.5]);
const text = () => one(["", "1/60", "xpbd", "ü→𝄞", "__proto__", "\u0000", "x".repeat(64)]);
const triple = () => [number(), number(), number()];
const texts = () => Object.fromEntries(some(3, () => [one(["substeps", "iterations", "beta", "constructor"]), String(below(100))]));
const INPUTS = {
  grab: () => ({ kind: "grab", body: below(9), at: triple() }),
  pull: () => ({ kind: "pull", at: triple() }),
  drop: () => ({ kind: "drop" }),
  tune: () => ({ kind: "tune", lane: below(4), options: texts(), dt: 1 / 60 }),
  gravity: () => ({ kind: "gravity", gravity: triple() }),
  scene: () => ({ kind: "scene", params: texts(), compliance: text() }),
};
const story = () => ({
  scene: text(),
  ...(below(2) ? { params: texts() } : {}),
  compliance: text(),
  gravity: triple(),
  dt: text(),
  lanes: some(4, () => ({ solver: text(), options: texts() })),
  overlay: below(2) === 1,
  ghost: below(2) === 1,
  frame: below(1000),
  inputs: some(5, () => [below(1000), INPUTS[one(Object.keys(INPUTS))]()]),
});

/* What stands where it should not. */
const WRONG = [null, true, "x", "x".repeat(65), "1e400", -1, 0, 1.5, 1e300, [], [1, 2], [1, 2, "3"], [[0, { kind: "toString" }]], {}, { substeps: "1e9" }, { substeps: 1 }];

/* All places of a value, as lists of keys. */
const places = (value, path = []) =>
  value && typeof value === "object" ? [path, ...Object.keys(value).flatMap((key) => places(value[key], [...path, key]))] : [path];

function misplace(value) {
  const copy = structuredClone(value);
  const path = one(places(copy).slice(1));
  const holder = path.slice(0, -1).reduce((at, key) => at[key], copy);
  if (below(4) === 0) delete holder[path.at(-1)];
  else holder[path.at(-1)] = structuredClone(one(WRONG));
  return copy;
}

const ALPHABET = "ABCXYZabcxyz0189-_+/=#%\u00e9 \n";
function scramble(link) {
  const letters = [...link];
  for (let i = below(4) + 1; i > 0; i--) {
    const at = below(letters.length);
    if (below(3) === 0) letters.splice(at, below(20));
    else letters.splice(at, below(2), one([...ALPHABET]));
  }
  return letters.join("");
}

/* The same bytes in base64, whether or not they are UTF-8 or JSON. */
const encoded = (bytes) => "#play=" + btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
function bytesOff(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  for (let i = below(3) + 1; i > 0; i--) bytes[below(bytes.length)] = below(256);
  return encoded(bytes);
}
const anything = () => one(["", "#", "#play=", "#play"]) + some(60, () => one([...ALPHABET])).join("");

const KINDS = {
  valid: () => linkOf(story()),
  misplaced: () => linkOf(misplace(story())),
  scrambled: () => scramble(linkOf(story())),
  bytes: () => bytesOff(story()),
  anything,
};

let failures = 0;
function check(what, ok, told = "") {
  if (!ok) failures++;
  console.log(`${ok ? "ok" : "not ok"} - ${what}${ok ? "" : ` ${told}`}`);
}

/* ms that an answer may take: a link of 200000 letters takes some. */
const SLOW = 1000;
const counts = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, { taken: 0, refused: 0 }]));
const faults = [];
function ask(link) {
  const begin = performance.now();
  try {
    const told = storyOf(link);
    if (performance.now() - begin > SLOW) faults.push(`slow: ${link.slice(0, 200)}`);
    if (told !== undefined && !isDeepStrictEqual(storyOf(linkOf(told)), told)) faults.push(`another story: ${link.slice(0, 200)}`);
    return told;
  } catch (error) {
    faults.push(`${error}: ${link.slice(0, 200)}`);
    return undefined;
  }
}
for (let i = 0; i < Number(inputs); i++) {
  const kind = one(Object.keys(KINDS));
  const asked = KINDS[kind]();
  counts[kind][ask(asked) === undefined ? "refused" : "taken"]++;
}
console.log(`# ${inputs} links, seed ${seed}: ${JSON.stringify(counts)}`);
check("no link throws, hangs or becomes another story", faults.length === 0, faults.slice(0, 3).join("\n"));
check("every valid story is taken", counts.valid.refused === 0 && counts.valid.taken > 0);
check("links with bytes in the wrong place are taken or refused", counts.misplaced.taken > 0 && counts.misplaced.refused > 0);

/* The grammar: a whole story is taken, and with one thing changed it is not. */
const whole = () => ({
  scene: "s", params: { a: "1" }, compliance: "", gravity: [0, -9.81, 0], dt: "1/60",
  lanes: [{ solver: "pgs", options: { iterations: "20" } }], overlay: false, ghost: false, frame: 7,
  inputs: Object.keys(INPUTS).map((kind, i) => [i, INPUTS[kind]()]),
});
const at = (kind) => Object.keys(INPUTS).indexOf(kind);
const SPOILED = {
  "no text for a scene": (s) => (s.scene = 1),
  "params that are no texts": (s) => (s.params = { a: 1 }),
  "params that are no object": (s) => (s.params = "a"),
  "a long compliance": (s) => (s.compliance = "1".repeat(65)),
  "no dt": (s) => delete s.dt,
  "gravity of two numbers": (s) => s.gravity.pop(),
  "gravity with a text": (s) => (s.gravity[1] = "1"),
  "gravity without end (as JSON has it: null)": (s) => (s.gravity[1] = null),
  "half a frame": (s) => (s.frame = 7.5),
  "lanes that are no list": (s) => (s.lanes = {}),
  "a lane that is none": (s) => s.lanes.push(null),
  "a lane without a solver": (s) => delete s.lanes[0].solver,
  "a lane without options": (s) => delete s.lanes[0].options,
  "too much work": (s) => (s.lanes[0].options = { substeps: "1000", iterations: "1000" }),
  "inputs that are no list": (s) => (s.inputs = { length: 0 }),
  "too many inputs": (s) => (s.inputs = Array(20001).fill(0)),
  "an input without a frame": (s) => (s.inputs[0][0] = "0"),
  "an input that is none": (s) => (s.inputs[0][1] = null),
  "an input that is no pair": (s) => (s.inputs[0] = {}),
  "an unknown kind": (s) => (s.inputs[0][1].kind = "shove"),
  "a kind that every object has": (s) => (s.inputs[0][1].kind = "constructor"),
  "a grab of half a body": (s) => (s.inputs[at("grab")][1].body = 0.5),
  "a grab nowhere": (s) => delete s.inputs[at("grab")][1].at,
  "a pull nowhere": (s) => (s.inputs[at("pull")][1].at = [1]),
  "a tune of no lane": (s) => delete s.inputs[at("tune")][1].lane,
  "a tune of too much work": (s) => (s.inputs[at("tune")][1].options = { iterations: "1e9" }),
  "a tune of no time": (s) => (s.inputs[at("tune")][1].dt = 0),
  "a tune of text for time": (s) => (s.inputs[at("tune")][1].dt = "1"),
  "gravity of no triple": (s) => (s.inputs[at("gravity")][1].gravity = 9.81),
  "a scene's params that are numbers": (s) => (s.inputs[at("scene")][1].params = { a: 1 }),
  "a scene's compliance that is a number": (s) => (s.inputs[at("scene")][1].compliance = 1),
};
check("a whole story with every kind of input comes back", isDeepStrictEqual(Object.keys(ask(linkOf(whole())) ?? {}), Object.keys(whole())));
for (const [what, spoil] of Object.entries(SPOILED)) {
  const spoiled = whole();
  spoil(spoiled);
  check(`refused: ${what}`, ask(linkOf(spoiled)) === undefined);
}
check("refused: another key", ask(linkOf(whole()).replace("play", "pray")) === undefined);
check("refused: a link that is too long", ask(linkOf({ ...whole(), scene: "s".repeat(150000) })) === undefined);
check("refused: no base64", ask("#play=%%%") === undefined);
check("refused: no JSON", ask(encoded(new TextEncoder().encode('{"scene":'))) === undefined);
check("refused: a story that is null", ask(encoded(new TextEncoder().encode("null"))) === undefined);
check("refused: lists within lists", ask(encoded(new Uint8Array(100000).fill(91))) === undefined);
check("no fault on the way", faults.length === 0, faults.at(-1));

const { result } = await profiler("takePreciseCoverage", {});
const { functions } = result.find(({ url }) => url === address);
const ranges = functions.flatMap(({ ranges }) => ranges);
const unvisited = ranges.filter(({ count }) => count === 0).map((range) => bundle.outputFiles[0].text.slice(range.startOffset, range.endOffset).trim());
console.log(`# ${functions.length} functions, ${ranges.length} ranges of code, ${unvisited.length} unvisited`);
check("no branch stays unvisited", functions.length >= 15 && unvisited.length === 0, unvisited.join("\n"));
process.exit(failures ? 1 : 0);
