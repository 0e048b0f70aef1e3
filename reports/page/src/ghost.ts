/* SPDX-License-Identifier: MIT */
/* The ghost, pale beside every run: the stored truth where there is one and nothing was done to the scene, else the first
 * lane's solver with many times its substeps, which is no truth, but what the same method comes to with finer steps.
 * What it is at a moment is said. */
import { brief } from "./dom";
import { Engine } from "./engine";
import type { Lane } from "./lane";
import type { SceneFile } from "./scene_file";
import type { Stage, StageOptions } from "./stage";
import type { Truth } from "./truth";

const FINER = 8;
const OPACITY = 0.22;

export class Ghost {
  engine: Engine | undefined;
  private truth: Truth | undefined;
  private shown: Stage[] = [];

  constructor(private module: WebAssembly.Module) {}

  private finer(options: Record<string, string>): Record<string, string> {
    return { ...options, substeps: String(FINER * Number(options["substeps"] ?? 1)) };
  }

  /* Of no lane: there is none. */
  start(lane: Lane | undefined, scene: SceneFile, compliance: number | undefined, dt: number, truth: Truth | undefined): void {
    this.engine = undefined;
    this.truth = truth;
    if (!lane?.engine) return;
    const how = { solver: lane.solver, options: this.finer(lane.chosen()), dt };
    this.engine = new Engine(this.module, scene, compliance === undefined ? how : { ...how, compliance });
  }

  retune(options: Record<string, string>, dt: number): void {
    this.engine?.retune(this.finer(options), dt);
  }

  adopt(scene: SceneFile, compliance: number | undefined): void {
    this.engine?.adopt(scene, compliance);
  }

  step(): void {
    this.engine?.step();
  }

  /* One for each pane: a stage stands in one only. */
  stages(count: number, make: () => Stage): Stage[] {
    for (const stage of this.shown) stage.dispose();
    this.shown = this.engine ? Array.from({ length: count }, make) : [];
    for (const stage of this.shown) stage.setOpacity(OPACITY);
    return this.shown;
  }

  /* Why it is not the truth now; "": it is. */
  private lacks(time: number, touched: boolean): string {
    if (!this.truth) return "no truth is stored of this";
    if (touched) return "what was done to the scene has no stored truth";
    return time > this.truth.end + 1e-9 ? `the truth is stored up to ${brief(this.truth.end)} s` : "";
  }

  /* `touched`: a hand, another gravity or other parameters have made it another motion. */
  says(time: number, touched: boolean): string {
    const why = this.lacks(time, touched);
    if (why) return `the first run with ${FINER}× its substeps: ${why}`;
    return `the truth, by reference, right to ${brief(this.truth?.error ?? 0)} m`;
  }

  update(options: StageOptions, touched: boolean): void {
    if (!this.engine) return;
    const plain = { ...options, joints: false, errors: false, contacts: false, jointForces: false, heat: false };
    const isTrue = this.truth && !this.lacks(this.engine.time, touched);
    const frame = isTrue ? this.truth!.at(this.engine.time) : this.engine.frame;
    for (const stage of this.shown) stage.update(frame, plain);
  }
}
