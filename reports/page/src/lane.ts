/* One side of the playground: a solver with its options, the run that they make, and its recent past. */
import { brief, h, labelled, options } from "./dom";
import { Engine } from "./engine";
import type { SceneFile } from "./scene_file";
import type { Stage } from "./stage";

/* As `rigor list solvers --json` gives them. */
export interface SolverInfo {
  name: string;
  summary: string;
  options: {
    name: string;
    meaning: string;
    type: string;
    default: number | string | boolean;
    min?: number;
    max?: number;
    choices?: string[];
  }[];
}

export interface PlaygroundData {
  module: WebAssembly.Module;
  scenes: { title: string; scene: SceneFile }[];
  solvers: SolverInfo[];
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

  get label(): string {
    const value = (name: string) => this.fields.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? "";
    const sweeps = value("iterations");
    return `${this.solver} ${value("substeps")}${sweeps && `×${sweeps}`}`;
  }

  /* The solver's own options with its defaults; substeps and iterations first, the others folded away. */
  private fill(): void {
    const info = this.data.solvers.find((solver) => solver.name === this.solver);
    const FIRST = ["substeps", "iterations"];
    const all = info?.options ?? [];
    const rows = (options: typeof all) =>
      options.map((option) => labelled(option.name.replaceAll("_", " "), this.control(option)));
    const first = rows(all.filter((option) => FIRST.includes(option.name)));
    const rest = rows(all.filter((option) => !FIRST.includes(option.name)));
    const more = h("details", {}, h("summary", {}, "more options"), ...rest);
    this.fields.replaceChildren(...first, ...(rest.length > 0 ? [more] : []));
  }

  private control(option: SolverInfo["options"][number]): HTMLElement {
    const props = { name: option.name, title: option.meaning };
    const list = option.type === "bool" ? ["true", "false"] : option.choices;
    const isWord = typeof option.default === "string"; // inf, auto: a number's field would lose it
    const control = list
      ? h("select", props, ...options(list, String(option.default)))
      : h("input", {
          ...props,
          type: isWord ? "text" : "number",
          value: String(option.default),
          min: option.min,
          max: option.max,
          step: option.type === "int" ? 1 : "any",
        });
    control.addEventListener("change", this.tuned);
    return control;
  }

  chosen(): Record<string, string> {
    const controls = this.fields.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]");
    return Object.fromEntries([...controls].map((control) => [control.name, control.value]));
  }

  /* Shows a solver with these options, whoever chose them. */
  choose(solver: string, options: Record<string, string>): void {
    this.chooser.value = solver;
    this.fill();
    this.set(options);
  }

  set(options: Record<string, string>): void {
    for (const control of this.fields.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]"))
      control.value = options[control.name] ?? control.value;
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
    return this.engine?.failed ?? `${brief(this.median())} µs/frame, median`;
  }
}
