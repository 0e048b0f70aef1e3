/* SPDX-License-Identifier: MIT */
/* Recordings as `rigor view` writes them into the page: JSON whose arrays are base64 of little-endian numbers. */
import type { SceneFile } from "./scene_file";

/* "f4:..." Float32, "f8:..." Float64, "i4:..." Int32; "p4:..." Float32 by planes: all lowest bytes first; "v2:step:width:..."
 * second differences of columns, as reports/recording/motion_code.h says */
type Packed = string;
export type Numbers = Float64Array | Float32Array | Int32Array;

type Settings = Record<string, number | string | boolean>;

export interface PackedRecording {
  file: string;
  bodies: string[];
  scene: SceneFile;
  run: { solver?: string; solver_options?: Settings; scene_params?: Settings; dt?: number; status?: string };
  time: Packed;
  position: Packed;
  orientation: Packed;
  velocity: Packed;
  angular_velocity: Packed;
  metrics: Record<string, Packed>;
  meshes?: Record<string, { vertices: Packed; triangles: Packed }>;
  contacts?: { offset: Packed; point: Packed; impulse: Packed };
}

/* The state of all bodies at one time, in the order of the scene, `world` first. */
export interface Frame {
  time: number; // s
  position: Numbers;
  orientation: Numbers; // [w, x, y, z]
  velocity: Numbers;
  angular_velocity: Numbers;
  contacts?: { point: Numbers; force: Numbers }; // N, on the second body, mean over the last substep
  joints?: { point: Numbers; force: Numbers }; // N, on the second body, mean over the frame
}

/* Surfaces of hulls and meshes, by the body's name. */
export type Meshes = Map<string, { vertices: Numbers; triangles: Numbers }>;

export interface Recording {
  file: string;
  label: string;
  solver: string;
  sibling: number; // how many recordings before it are of the same solver
  scene: SceneFile;
  dt: number; // s
  time: Numbers;
  metrics: Map<string, Numbers>;
  force: number; // N, that nine tenths of the contacts stay below; 0: there are no contacts
  meshes: Meshes;
  frameAt(index: number): Frame;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Numbers of base64 VLQ: five bits a letter, the lowest first; the first bit of all is the sign. */
function readVlq(text: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of text) {
    const bits = LETTERS.indexOf(letter);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function unpackMotion(packed: Packed): Float32Array {
  const [, step = "1", columns = "1", text = ""] = packed.split(":");
  const [width, changes] = [Number(columns), readVlq(text)];
  const rows = changes.length / width;
  const out = new Float32Array(changes.length);
  for (let column = 0; column < width; column++) {
    let [now, speed] = [0, 0];
    for (let row = 0; row < rows; row++) {
      const before = now;
      now += speed + (changes[column * rows + row] ?? 0);
      speed = row > 0 ? now - before : 0;
      out[row * width + column] = now * Number(step);
    }
  }
  return out;
}

export function unpack(packed: Packed): Numbers {
  if (packed.startsWith("v2:")) return unpackMotion(packed);
  const binary = atob(packed.slice(3));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const kind = packed.slice(0, 2);
  if (kind === "p4") {
    const count = bytes.length / 4;
    return new Float32Array(Uint8Array.from(bytes, (_, i) => bytes[(i & 3) * count + (i >> 2)] ?? 0).buffer);
  }
  if (kind === "f8") return new Float64Array(bytes.buffer);
  return kind === "i4" ? new Int32Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

function labelOf(packed: PackedRecording): string {
  const { solver = "run", solver_options: chosen } = packed.run;
  if (!chosen) return solver;
  return `${solver} ${chosen["substeps"]}${"iterations" in chosen ? `×${chosen["iterations"]}` : ""}`;
}

/* Recordings that would have the same label get what else tells them apart: options, then parameters of the scene. */
function labelsOf(all: PackedRecording[]): string[] {
  const labels = all.map(labelOf);
  return all.map((packed, i) => {
    const twins = all.filter((_, k) => labels[k] === labels[i]);
    const settings = (p: PackedRecording): Settings => ({ ...p.run.scene_params, ...p.run.solver_options });
    const own = Object.entries(settings(packed)).filter(([key, value]) =>
      twins.some((twin) => settings(twin)[key] !== value),
    );
    return [labels[i], ...own.map(([key, value]) => `${key.replaceAll("_", " ")} ${value}`)].join(", ");
  });
}

/* For each body of the scene, `world` first: its column in the recording, or -1 if it was not recorded. */
function columnsOf(packed: PackedRecording): number[] {
  const column = new Map(packed.bodies.map((name, i) => [name, i]));
  return ["world", ...packed.scene.bodies.map((body) => body.name)].map((name) => column.get(name) ?? -1);
}

/* Copies rows of `width` numbers into the scene's order. */
function gather(from: Numbers, frame: number, width: number, columns: number[], recorded: number, to: Float64Array) {
  columns.forEach((column, row) => {
    for (let k = 0; k < width; k++)
      to[row * width + k] = column < 0 ? 0 : (from[(frame * recorded + column) * width + k] ?? 0);
    if (column < 0 && width === 4) to[row * 4] = 1;
  });
  return to;
}

export function openRecordings(packed: PackedRecording[]): Recording[] {
  const seen = new Map<string, number>();
  const labels = labelsOf(packed);
  return packed.map((recording, i) => {
    const solver = recording.run.solver ?? "run";
    const sibling = seen.get(solver) ?? 0;
    seen.set(solver, sibling + 1);
    return openRecording(recording, labels[i] as string, solver, sibling);
  });
}

function openRecording(packed: PackedRecording, label: string, solver: string, sibling: number): Recording {
  const [time, position, orientation] = [unpack(packed.time), unpack(packed.position), unpack(packed.orientation)];
  const [velocity, spin] = [unpack(packed.velocity), unpack(packed.angular_velocity)];
  const [columns, recorded] = [columnsOf(packed), packed.bodies.length];
  const dt = time.length > 1 ? ((time[time.length - 1] ?? 0) - (time[0] ?? 0)) / (time.length - 1) : 1 / 60;
  const step = packed.run.dt ?? dt; // frames may have been left out between those recorded
  const raw = packed.contacts;
  const contacts = raw && {
    offset: unpack(raw.offset),
    point: unpack(raw.point),
    force: unpack(raw.impulse).map((impulse) => impulse / step) as Numbers, // impulses are summed over the frame
  };
  const room = (width: number) => new Float64Array(columns.length * width);
  const frame: Frame = { time: 0, position: room(3), orientation: room(4), velocity: room(3), angular_velocity: room(3) };
  return {
    file: packed.file,
    label,
    solver,
    sibling,
    scene: packed.scene,
    dt,
    time,
    force: contacts ? usualForce(contacts.force) : 0,
    metrics: new Map(Object.entries(packed.metrics).map(([name, values]) => [name, unpack(values)])),
    meshes: new Map(
      Object.entries(packed.meshes ?? {}).map(([name, mesh]) => [
        name,
        { vertices: unpack(mesh.vertices), triangles: unpack(mesh.triangles) },
      ]),
    ),
    frameAt(index) {
      frame.time = time[index] ?? 0;
      gather(position, index, 3, columns, recorded, frame.position as Float64Array);
      gather(orientation, index, 4, columns, recorded, frame.orientation as Float64Array);
      gather(velocity, index, 3, columns, recorded, frame.velocity as Float64Array);
      gather(spin, index, 3, columns, recorded, frame.angular_velocity as Float64Array);
      if (contacts) {
        const [from, to] = [contacts.offset[index] ?? 0, contacts.offset[index + 1] ?? contacts.point.length / 3];
        frame.contacts = {
          point: contacts.point.subarray(3 * from, 3 * to),
          force: contacts.force.subarray(3 * from, 3 * to),
        };
      }
      return frame;
    },
  };
}

function usualForce(force: Numbers): number {
  const sizes = Array.from({ length: force.length / 3 }, (_, i) =>
    Math.hypot(force[3 * i] ?? 0, force[3 * i + 1] ?? 0, force[3 * i + 2] ?? 0),
  );
  return sizes.sort((a, b) => a - b)[Math.floor(0.9 * sizes.length)] ?? 0;
}

/* The last frame not after t. */
export function frameIndexAt(recording: Recording, t: number): number {
  const time = recording.time;
  let [low, high] = [0, time.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((time[middle] ?? 0) <= t + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}
