/* The playground: a scene run live by one or two solvers; bodies can be dragged. */
import { Box3, Vector3 } from "three";
import type uPlot from "uplot";
import { BodyPanel } from "./body_panel";
import { finishBounds, growBounds, markSize } from "./bounds";
import { Curves } from "./curves";
import { DisplayPanel } from "./display_panel";
import { h, icon, iconButton, labelled, options } from "./dom";
import { Engine, solverNames } from "./engine";
import { DT, Lane, NO_SOLVER, type PlaygroundData } from "./lane";
import { colourOf, dashOf, isDark } from "./palette";
import type { SceneFile } from "./scene_file";
import { Stage } from "./stage";
import { listenKeys } from "./transport";
import { Viewport } from "./viewport";

/* ms of each animation frame that the solvers may take together before the clock is let slip. */
const BUDGET = 14;

/* s a scene is run ahead, unseen, to learn how much room it needs. */
const FORESIGHT = 2.5;

export class Playground {
  private viewport: Viewport;
  private lanes: [Lane, Lane];
  private display: DisplayPanel;
  private panel: BodyPanel;
  private driftTitle = h("span");
  private drift: Curves;
  private energy: Curves;
  private sceneChooser: HTMLSelectElement;
  private compliance = h(
    "select",
    {},
    ...options(["as in the scene", "0", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1"]),
  );
  private play = h("button", { class: "rg-play", type: "button" });
  private clock = h("output", { class: "rg-clock" });
  private speed = h("select", { "aria-label": "speed" }, ...options(["0.1×", "0.25×", "0.5×", "1×", "2×"], "1×"));
  private scene: SceneFile;
  private room = new Box3();
  private playing = true;
  private selected = -1;
  private following = false;
  private before = 0;
  private owed = 0; // s of simulated time
  private plotted = 0;
  private held: Lane | undefined;

  constructor(
    root: HTMLElement,
    private data: PlaygroundData,
  ) {
    const names = solverNames(data.module);
    const restart = () => this.restart();
    this.lanes = [
      new Lane(data, names, "xpbd", restart, "left"),
      new Lane(data, [...names, NO_SOLVER], "pgs", restart, "right"),
    ];
    this.sceneChooser = h("select", {}, ...options(data.scenes.map((entry) => entry.title)));
    this.scene = (data.scenes[0] as PlaygroundData["scenes"][number]).scene;
    this.display = new DisplayPanel(() => this.refresh());
    this.panel = new BodyPanel(
      (body) => this.select(body),
      (on) => this.follow(on),
    );
    this.drift = new Curves(h("h3", {}, this.driftTitle, h("small", {}, "m")), () => undefined);
    this.energy = new Curves(
      h("h3", {}, "energy change ", h("small", {}, "of the scene's energy scale")),
      () => undefined,
    );
    this.viewport = new Viewport({
      pick: (_, body) => this.select(body),
      grab: (pane, body, at) => this.grab(pane, body, at),
      drag: (at) => this.pull(at),
      drop: () => this.drop(),
    });
    this.lay(root);
    this.chooseScene();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.build());
    requestAnimationFrame((now) => this.tick(now));
  }

  private lay(root: HTMLElement): void {
    this.sceneChooser.addEventListener("change", () => this.chooseScene());
    this.compliance.addEventListener("change", () => this.restart());
    this.play.addEventListener("click", () => this.toggle());
    const bar = h(
      "div",
      { class: "rg-transport", role: "group", "aria-label": "time" },
      iconButton("start again", "start", () => this.restart()),
      this.play,
      iconButton("one frame on", "on", () => this.stepOnce()),
      this.clock,
      labelled("speed", this.speed),
      h("span", { class: "rg-hint" }, "drag a body to pull it"),
    );
    const setup = h(
      "section",
      { class: "rg-setup", "aria-label": "scene and solvers" },
      labelled("scene", this.sceneChooser),
      labelled("compliance (m/N)", this.compliance),
      h("div", { class: "rg-lanes" }, ...this.lanes.map((lane) => lane.element)),
    );
    root.classList.add("rg-viewer");
    root.append(
      h("div", { class: "rg-main" }, this.viewport.element, bar),
      h(
        "div",
        { class: "rg-side" },
        setup,
        this.drift.element,
        this.energy.element,
        this.panel.element,
        this.display.element,
      ),
    );
    listenKeys(
      root,
      { toggle: () => this.toggle(), step: () => this.stepOnce(), seek: () => this.restart() },
      { r: () => this.viewport.reset() },
    );
    this.setPlaying(true);
  }

  private chooseScene(): void {
    const entry = this.data.scenes.find(({ title }) => title === this.sceneChooser.value);
    if (entry) this.scene = entry.scene;
    this.selected = -1;
    this.panel.setBodies([{ name: "world" }, ...this.scene.bodies]);
    this.room = this.foresee();
    this.driftTitle.textContent = this.scene.joints?.length ? "joint drift " : "penetration ";
    this.restart();
    this.viewport.fit(this.room, this.scene);
    this.display.setForces(this.forceScale());
  }

  private foresee(): Box3 {
    const box = new Box3();
    try {
      const scout = new Engine(this.data.module, this.scene, { solver: "xpbd", options: {}, dt: DT });
      for (let t = 0; t < FORESIGHT; t += DT) {
        growBounds(box, this.scene, scout.frame);
        scout.step();
      }
    } catch {
      /* xpbd cannot run it: the box of nothing is a plain one */
    }
    return finishBounds(box, this.scene);
  }

  /* m/N: a body's weight is drawn as a twentieth of the scene. */
  private forceScale(): number | undefined {
    const weight = this.active().flatMap((lane) => lane.engine?.weight() ?? [])[0] ?? 0;
    const size = this.room.getSize(new Vector3()).length();
    return this.scene.collide === "none" ? undefined : (0.05 * size) / (weight || 1);
  }

  private active(): Lane[] {
    return this.lanes.filter((lane) => lane.active);
  }

  private sibling(lane: Lane): number {
    return Number(lane === this.lanes[1] && lane.solver === this.lanes[0].solver);
  }

  private restart(): void {
    this.drop();
    this.owed = 0;
    const compliance = Number(this.compliance.value);
    for (const lane of this.lanes) lane.start(this.scene, Number.isNaN(compliance) ? undefined : compliance);
    this.build();
  }

  private build(): void {
    const mark = markSize(this.room, this.scene);
    const ink = isDark() ? "#aab2bd" : "#4a5361";
    const lanes = this.active();
    for (const lane of this.lanes) lane.stage?.dispose();
    const panes = lanes.map((lane) => {
      const colour = colourOf(lane.solver, this.sibling(lane));
      lane.stage = new Stage(this.scene, colour, mark, new Map(), ink);
      return { chips: [{ label: lane.label, colour }], stages: [lane.stage] };
    });
    this.viewport.show(panes);
    const lines = lanes.map((lane) => ({
      label: lane.label,
      colour: colourOf(lane.solver, this.sibling(lane)),
      dash: dashOf(lane.solver, this.sibling(lane)),
    }));
    this.drift.show(lines, this.tables("drift"), true);
    this.energy.show(lines, this.tables("energy"), false);
    this.select(this.selected);
    this.refresh();
  }

  private tables(what: "drift" | "energy"): uPlot.AlignedData[] {
    return this.active().map((lane) => [lane.history.t, lane.history[what]]);
  }

  private select(body: number): void {
    this.selected = body;
    for (const lane of this.active()) {
      if (!lane.stage) continue;
      lane.stage.selected = body;
      lane.stage.paint(colourOf(lane.solver, this.sibling(lane)));
    }
    if (this.following) this.follow(body >= 0);
    this.refresh();
  }

  private follow(on: boolean): void {
    this.following = on;
    this.viewport.follow(on && this.selected >= 0 ? this.active()[0]?.stage : undefined, this.selected);
  }

  private grab(pane: number, body: number, at: Vector3): boolean {
    const lane = this.active()[pane];
    if (!lane?.engine || !lane.stage || lane.engine.failed || !lane.engine.grab(body, at.x, at.y, at.z)) return false;
    this.held = lane;
    lane.stage.pull = { body, at: lane.stage.localOf(body, at), to: at.clone() };
    this.refresh();
    return true;
  }

  private pull(at: Vector3): void {
    this.held?.engine?.pull(at.x, at.y, at.z);
    this.held?.stage?.pull?.to.copy(at);
    this.refresh();
  }

  private drop(): void {
    this.held?.engine?.release();
    if (this.held?.stage) this.held.stage.pull = undefined;
    this.held = undefined;
    this.refresh();
  }

  private toggle(): void {
    this.setPlaying(!this.playing);
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", playing ? "pause" : "play");
  }

  private stepOnce(): void {
    this.setPlaying(false);
    for (const lane of this.lanes) lane.step();
    this.refresh();
    this.plot();
  }

  private refresh(): void {
    const lanes = this.active();
    lanes.forEach((lane, i) => {
      if (lane.engine) lane.stage?.update(lane.engine.frame, this.display.options);
      this.viewport.setNote(i, lane.note(), !!(lane.message || lane.engine?.failed));
    });
    this.panel.show(
      this.selected,
      lanes.flatMap((lane) => (lane.engine ? [{ label: lane.label, frame: lane.engine.frame }] : [])),
    );
    const time = Math.max(0, ...lanes.map((lane) => lane.engine?.time ?? 0));
    this.clock.textContent = `${time.toFixed(2)} s`;
    this.viewport.redraw();
  }

  private plot(): void {
    const last = Math.max(0, ...this.active().map((lane) => lane.engine?.time ?? 0));
    this.drift.update(this.tables("drift"));
    this.energy.update(this.tables("energy"));
    for (const curves of [this.drift, this.energy]) curves.setTime(last);
  }

  private tick(now: number): void {
    const passed = Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    if (this.playing && this.viewport.element.offsetParent) this.advance(passed * parseFloat(this.speed.value));
    if (this.playing && now - this.plotted > 120 && this.viewport.element.offsetParent) {
      this.plotted = now;
      this.plot();
    }
    this.viewport.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  private advance(seconds: number): void {
    this.owed += seconds;
    const begin = performance.now();
    while (this.owed >= DT && performance.now() - begin < BUDGET) {
      for (const lane of this.lanes) lane.step();
      this.owed -= DT;
    }
    this.owed = Math.min(this.owed, DT);
    this.refresh();
  }
}
