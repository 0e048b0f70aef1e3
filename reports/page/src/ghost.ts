/* The ghost: the first lane's solver with many times its substeps, pale beside every run. It is no truth, but what the
 * same method comes to with finer steps. */
import { Engine } from "./engine";
import type { Lane } from "./lane";
import type { SceneFile } from "./scene_file";
import type { Stage, StageOptions } from "./stage";

const FINER = 8;
const OPACITY = 0.22;

export class Ghost {
  engine: Engine | undefined;
  private shown: Stage[] = [];

  constructor(private module: WebAssembly.Module) {}

  private finer(options: Record<string, string>): Record<string, string> {
    return { ...options, substeps: String(FINER * Number(options["substeps"] ?? 1)) };
  }

  /* Of no lane: there is none. */
  start(lane: Lane | undefined, scene: SceneFile, compliance: number | undefined, dt: number): void {
    this.engine = undefined;
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

  update(options: StageOptions): void {
    const plain = { ...options, joints: false, errors: false, contacts: false, jointForces: false, heat: false };
    if (this.engine) for (const stage of this.shown) stage.update(this.engine.frame, plain);
  }
}
