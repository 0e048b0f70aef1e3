/* SPDX-License-Identifier: MIT */
/* What was done in a playground, frame by frame, so that it can be taken back and done again: moments, which are copies
 * of the runs' memory, and inputs, which lead from one moment to the next. */
import type { Moment } from "./engine";

export type Triple3 = [number, number, number];

/* A hand on a body, the options of a lane, gravity, parameters of the scene. */
export type Input =
  | { kind: "grab"; body: number; at: Triple3 }
  | { kind: "pull"; at: Triple3 }
  | { kind: "drop" }
  | { kind: "tune"; lane: number; options: Record<string, string>; dt: number }
  | { kind: "gravity"; gravity: Triple3 }
  | { kind: "scene"; params: Record<string, string>; compliance: string };

/* How a playground began, and what was done since: as a link holds it. */
export interface Story {
  scene: string;
  params?: Record<string, string>;
  compliance: string;
  gravity: Triple3;
  dt: string;
  lanes: { solver: string; options: Record<string, string> }[];
  overlay: boolean;
  ghost: boolean;
  frame: number;
  inputs: [number, Input][];
}

/* Frames from moment to moment; bytes that all moments may take together. */
const STRIDE = 10;
const ROOM = 160e6;

export class Session {
  frame = 0;
  inputs: [number, Input][] = [];
  private moments: { frame: number; of: (Moment | undefined)[] }[] = [];

  clear(): void {
    this.frame = 0;
    this.inputs = [];
    this.moments = [];
  }

  /* Of pulls within a frame only the last one counts. */
  add(input: Input): void {
    const last = this.inputs.at(-1);
    if (input.kind === "pull" && last?.[0] === this.frame && last[1].kind === "pull") this.inputs.pop();
    this.inputs.push([this.frame, input]);
    this.moments = this.moments.filter((moment) => moment.frame <= this.frame);
  }

  /* Before a frame: is a moment to be kept? */
  wantsMoment(): boolean {
    return this.frame % STRIDE === 0 && this.moments.at(-1)?.frame !== this.frame;
  }

  keep(of: (Moment | undefined)[]): void {
    this.moments = this.moments.filter((moment) => moment.frame < this.frame);
    this.moments.push({ frame: this.frame, of });
    const bytes = of.reduce((sum, moment) => sum + (moment?.memory.byteLength ?? 0), 0);
    while (this.moments.length > 2 && bytes * this.moments.length > ROOM) this.moments.shift();
  }

  /* The moment to go on from to be at a frame; undefined: it is no longer remembered. */
  before(frame: number): { frame: number; of: (Moment | undefined)[] } | undefined {
    return this.moments.filter((moment) => moment.frame <= frame).at(-1);
  }

  /* Whether the motion up to now is another one than the scene's own, whatever solver runs it. */
  touched(): boolean {
    return this.inputs.some(([when, { kind }]) => when < this.frame && ["grab", "gravity", "scene"].includes(kind));
  }

  /* What was done at a frame, before it was computed. */
  at(frame: number): Input[] {
    return this.inputs.flatMap(([when, input]) => (when === frame ? [input] : []));
  }

  /* Who goes back and does something else has another future. */
  forgetAfter(frame: number): void {
    this.inputs = this.inputs.filter(([when]) => when < frame);
  }
}

const KEY = "#play=";

export function linkOf(story: Story): string {
  const bytes = new TextEncoder().encode(JSON.stringify(story));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return KEY + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/* A link may come from anybody: characters of it, inputs, characters of a value, and iterations of a frame that it may
 * ask for. */
const LINK_MOST = 200000;
const INPUTS_MOST = 20000;
const VALUE_MOST = 64;
const WORK_MOST = 20000;

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === "string" && value.length <= VALUE_MOST;
const isTriple = (value: unknown): boolean => Array.isArray(value) && value.length === 3 && value.every(isNumber);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isTexts = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);

function isOptions(value: unknown): boolean {
  if (!isTexts(value)) return false;
  const { substeps, iterations } = value as Record<string, string>;
  return !(Number(substeps ?? 1) * Number(iterations ?? 1) > WORK_MOST);
}

const INPUTS: Record<Input["kind"], (input: Record<string, unknown>) => boolean> = {
  grab: ({ body, at }) => Number.isInteger(body) && isTriple(at),
  pull: ({ at }) => isTriple(at),
  drop: () => true,
  tune: ({ lane, options, dt }) => Number.isInteger(lane) && isOptions(options) && isNumber(dt) && dt > 0,
  gravity: ({ gravity }) => isTriple(gravity),
  scene: ({ params, compliance }) => isTexts(params) && isText(compliance),
};

function isInput(value: unknown): boolean {
  if (!Array.isArray(value) || !Number.isInteger(value[0]) || !isObject(value[1])) return false;
  const kind = value[1].kind as string;
  return Object.hasOwn(INPUTS, kind) && INPUTS[kind as Input["kind"]](value[1]);
}

function isStory(value: unknown): value is Story {
  if (!isObject(value)) return false;
  const { scene, params, compliance, gravity, dt, lanes, frame, inputs } = value;
  const isLane = (lane: unknown) => isObject(lane) && isText(lane.solver) && isOptions(lane.options);
  return (
    typeof scene === "string" &&
    (params === undefined || isTexts(params)) &&
    [compliance, dt].every(isText) &&
    isTriple(gravity) &&
    Number.isInteger(frame) &&
    Array.isArray(lanes) &&
    lanes.every(isLane) &&
    Array.isArray(inputs) &&
    inputs.length <= INPUTS_MOST &&
    inputs.every(isInput)
  );
}

/* What a link tells; undefined: it is none, is broken, or asks for too much. */
export function storyOf(hash: string): Story | undefined {
  if (!hash.startsWith(KEY) || hash.length > LINK_MOST) return undefined;
  try {
    const text = atob(hash.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const story: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    return isStory(story) ? story : undefined;
  } catch {
    return undefined;
  }
}

/* One run as a report's figure has it: the scene by its name, and what is not the scene's or the solver's own. */
export interface RunLink {
  scene: string;
  params: Record<string, string>;
  solver: string;
  options: Record<string, string>;
  dt: string;
}

const RUN_KEY = "#run=";

/* The run that a link names; undefined: it is none, or is broken. */
export function runOf(hash: string): RunLink | undefined {
  if (!hash.startsWith(RUN_KEY) || hash.length > LINK_MOST) return undefined;
  try {
    const run: unknown = JSON.parse(decodeURIComponent(hash.slice(RUN_KEY.length)));
    if (!isObject(run)) return undefined;
    const { scene, params, solver, options, dt } = run;
    return [scene, solver, dt].every(isText) && isTexts(params) && isOptions(options) ? (run as unknown as RunLink) : undefined;
  } catch {
    return undefined;
  }
}
