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

/* What a link tells; undefined: it is none, or is broken. */
export function storyOf(hash: string): Story | undefined {
  if (!hash.startsWith(KEY)) return undefined;
  try {
    const text = atob(hash.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const story = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)))) as Story;
    return Array.isArray(story.lanes) && Array.isArray(story.inputs) && Number.isInteger(story.frame) ? story : undefined;
  } catch {
    return undefined;
  }
}
