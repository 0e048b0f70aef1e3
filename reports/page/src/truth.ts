/* SPDX-License-Identifier: MIT */
/* Truths that were computed when the page was made, by `reference`: the motion of a scene as it is placed, untouched,
 * for some seconds. */
import { type Frame, type Numbers, openRecordings, type PackedRecording } from "./recording";
import type { SceneFile } from "./scene_file";

/* `estimate`: of its largest error, in m, turns in length scales, by the solver itself. */
export type StoredTruth = { estimate: number } & Pick<PackedRecording, "bodies" | "time" | "position" | "orientation">;

/* From a to b, which are poses of neighbouring frames. */
const between = (a: Numbers, b: Numbers, part: number) => Float64Array.from(a, (x, i) => x + part * ((b[i] ?? x) - x));

export class Truth {
  readonly error: number; // m: its estimate, or what it was rounded to
  readonly end: number; // s
  private recording;

  constructor(stored: StoredTruth, scene: SceneFile) {
    const rest = { file: "", run: {}, velocity: "f4:", angular_velocity: "f4:", metrics: {} };
    this.recording = openRecordings([{ ...rest, ...stored, scene }])[0]!;
    this.error = Math.max(stored.estimate, Number(stored.position.split(":")[1]));
    this.end = this.recording.time.at(-1) ?? 0;
  }

  /* At a time up to its end; between two of its frames a straight line, whose error is below what is seen. */
  at(t: number): Frame {
    const place = Math.min(t, this.end) / this.recording.dt;
    const first = Math.floor(place + 1e-6); // times of a run are sums of its steps
    const pose = ({ position, orientation }: Frame) => ({ position: position.slice(), orientation: orientation.slice() });
    const before = pose(this.recording.frameAt(first));
    const after = pose(this.recording.frameAt(Math.min(first + 1, this.recording.time.length - 1)));
    const [part, still] = [Math.max(place - first, 0), new Float64Array(before.position.length)];
    return {
      time: t,
      position: between(before.position, after.position, part),
      orientation: between(before.orientation, after.orientation, part),
      velocity: still,
      angular_velocity: still,
    };
  }
}
