/* SPDX-License-Identifier: MIT */
/* One side of the playground: a solver with its options, the run that they make, and its recent past. */
import { brief, h, labelled, options } from "./dom";
import { setValues, type Setting, settingControl, settingValues } from "./settings";
import { Engine } from "./engine";
import type { SceneFile } from "./scene_file";
import type { Stage } from "./stage";
import type { StoredTruth } from "./truth";

/* As `rigor list solvers --json` gives them. */
export interface SolverInfo {
  name: string;
  summary: string;
  options: Setting[];
}

/* A scene by its name, with parameters that differ from their defaults, and all that it can be given. */
export interface SceneEntry {
  title: string;
  name: string;
  params: Record<string, number | string>;
  settings: Setting[];
}

export interface PlaygroundData {
  module: WebAssembly.Module;
  scenes: SceneEntry[];
  solvers: SolverInfo[];
  truths: Record<string, StoredTruth>; // by the scene's title
}

/* s, of a frame unless said otherwise. */
export const DT = 1 / 60;

/* Frames whose times the median is of. */
const TIMES = 61;

/* s of the past that the curves show. */
const MEMORY = 10;

export const NO_SOLVER = "none";

export class Lane {
  readonly element: HTMLElement;
  readonly chooser: HTMLSelectElement;
  engine: Engine | undefined;
  stage: Stage | undefined;
  message = "";
  private times: number[] = []; // µs, of the last frames
  history: { t: number[]; drift: number[]; energy: number[] } = { t: [], drift: [], energy: [] };
  private fields = h("div", { class: "rg-options" });

  constructor(
    private data: PlaygroundData,
    names: string[],
    initial: string,
    changed: () => void,
    private tuned: () => void,
    title: string,
  ) {
    this.chooser = h("select", {}, ...options(names, initial));
    this.chooser.addEventListener("change", () => {
      this.fill();
      changed();
    });
    this.element = h(
      "fieldset",
      { class: "rg-lane" },
      h("legend", {}, title),
      labelled("solver", this.chooser),
      this.fields,
    );
    this.fill();
  }

  get solver(): string {
    return this.chooser.value;
  }

  get active(): boolean {
    return this.solver !== NO_SOLVER;
  }

  /* With the options that are in force; those of the fields may be on their way. */
  get label(): string {
    const { substeps = "", iterations } = this.engine?.how.options ?? this.chosen();
    return `${this.solver} ${substeps}${iterations ? `×${iterations}` : ""}`;
  }

  /* The solver's own options with its defaults; substeps and iterations first, the others folded away. */
  private fill(): void {
    const info = this.data.solvers.find((solver) => solver.name === this.solver);
    const FIRST = ["substeps", "iterations"];
    const all = info?.options ?? [];
    const rows = (options: typeof all) =>
      options.map((option) => labelled(option.name.replaceAll("_", " "), settingControl(option, this.tuned)));
    const first = rows(all.filter((option) => FIRST.includes(option.name)));
    const rest = rows(all.filter((option) => !FIRST.includes(option.name)));
    const more = h("details", {}, h("summary", {}, "more options"), ...rest);
    this.fields.replaceChildren(...first, ...(rest.length > 0 ? [more] : []));
  }

  chosen(): Record<string, string> {
    return settingValues(this.fields);
  }

  /* Shows a solver with these options, whoever chose them. */
  choose(solver: string, options: Record<string, string>): void {
    this.chooser.value = solver;
    this.fill();
    this.set(options);
  }

  set(options: Record<string, string>): void {
    setValues(this.fields, options);
  }

  /* Goes on with the options as they are now; what the solver refuses is said, and ends the run. */
  retune(options: Record<string, string>, dt: number): void {
    try {
      this.engine?.retune(options, dt);
    } catch (error) {
      this.message = (error as Error).message;
      this.engine = undefined;
    }
  }

  /* Goes on with another scene of the same structure; what the solver refuses is said, and ends the run. */
  adopt(scene: SceneFile, compliance: number | undefined): void {
    try {
      this.engine?.adopt(scene, compliance);
    } catch (error) {
      this.message = (error as Error).message;
      this.engine = undefined;
    }
  }

  start(scene: SceneFile, compliance: number | undefined, dt: number): void {
    this.engine = undefined;
    this.message = "";
    this.history = { t: [], drift: [], energy: [] };
    this.times = [];
    if (!this.active) return;
    try {
      const how = { solver: this.solver, options: this.chosen(), dt };
      this.engine = new Engine(this.data.module, scene, compliance === undefined ? how : { ...how, compliance });
    } catch (error) {
      this.message = (error as Error).message;
    }
  }

  step(): void {
    if (!this.engine || this.engine.failed) return;
    const begin = performance.now();
    this.engine.step();
    this.times.push(1000 * (performance.now() - begin));
    if (this.times.length > TIMES) this.times.shift();
    this.record();
  }

  /* After a step back: what lies ahead is not yet. */
  forgetAfter(time: number): void {
    const { t, drift, energy } = this.history;
    const kept = t.filter((x) => x <= time + 1e-9).length;
    for (const list of [t, drift, energy]) list.length = kept;
  }

  private median(): number {
    const sorted = [...this.times].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  private record(): void {
    if (!this.engine || this.engine.failed) return;
    const { t, drift, energy } = this.history;
    t.push(this.engine.time);
    drift.push(this.engine.drift());
    energy.push(this.engine.energyChange());
    if (t.length > MEMORY / DT) for (const list of [t, drift, energy]) list.shift();
  }

  note(): string {
    if (this.message) return this.message;
    /* A browser's clock may go by steps of 100 µs. */
    return this.engine?.failed ?? `${this.median() > 0 ? brief(this.median()) : "< 100"} µs/frame, median`;
  }
}
