/* SPDX-License-Identifier: MIT */
/* The playground: a scene run live by up to four solvers side by side or overlaid, tuned while it runs; one drag pulls
 * all of them alike; what was done can be taken back, and a link does it again. */
import { Box3, Vector3 } from "three";
import type uPlot from "uplot";
import { BodyPanel } from "./body_panel";
import { finishBounds, growBounds, markSize } from "./bounds";
import { Curves } from "./curves";
import { DisplayPanel } from "./display_panel";
import { h, icon, iconButton, labelled, options } from "./dom";
import { Engine, sameStructure, solverNames } from "./engine";
import { Ghost } from "./ghost";
import { Hand } from "./hand";
import { DT, Lane, NO_SOLVER, type PlaygroundData } from "./lane";
import { colourOf, dashOf, isDark } from "./palette";
import { Clip, download } from "./pictures";
import type { SceneFile } from "./scene_file";
import { ScenePanel } from "./scene_panel";
import { type Input, linkOf, type RunLink, runOf, Session, type Story, storyOf, type Triple3 } from "./session";
import { Stage } from "./stage";
import { listenKeys } from "./transport";
import { Truth } from "./truth";
import { Viewport } from "./viewport";

/* ms of each animation frame that the solvers may take together before the clock is let slip. */
const BUDGET = 14;

/* Frames and bodies that a link may ask for, and ms that it may keep the page busy. */
const MOST_RETOLD = 20000;
const MOST_BODIES = 500;
const RETELLING = 10000;

/* s a scene is run ahead, unseen, to learn how much room it needs. */
const FORESIGHT = 2.5;

const HINT = "drag a body to pull it in every run alike";

export class Playground {
  private viewport: Viewport;
  private lanes: Lane[];
  private session = new Session();
  private begun: Pick<Story, "lanes" | "gravity" | "dt" | "params" | "compliance">;
  private ghost: Ghost;
  private gravity = h("input", { type: "number", step: "any" });
  private frameTime = h("select", {}, ...options(["1/30", "1/60", "1/120", "1/240"], "1/60"));
  private overlay = h("input", { type: "checkbox" });
  private ghostBox = h("input", { type: "checkbox" });
  private ghostIs = h("output", { class: "rg-ghost", "aria-live": "off" });
  private said = h("span", { class: "rg-hint", role: "status" }, HINT);
  private clip: Clip;
  private display: DisplayPanel;
  private panel: BodyPanel;
  private driftTitle = h("span");
  private drift: Curves;
  private energy: Curves;
  private panelOfScene: ScenePanel;
  private hand: Hand;
  private compliance = h(
    "select",
    {},
    ...options(["as in the scene", "0", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1"]),
  );
  private play = h("button", { class: "rg-play", type: "button" });
  private clock = h("output", { class: "rg-clock", "aria-live": "off" });
  private speed = h("select", { "aria-label": "speed" }, ...options(["0.1×", "0.25×", "0.5×", "1×", "2×"], "1×"));
  private scene: SceneFile;
  private room = new Box3();
  private playing = true;
  private selected = -1;
  private following = false;
  private before = 0;
  private owed = 0; // s of simulated time
  private plotted = 0;
  private labels = ""; // of the runs, as the panes have them

  constructor(
    root: HTMLElement,
    private data: PlaygroundData,
  ) {
    const names = solverNames(data.module);
    const lane = (choices: string[], first: string, title: string, index: number) =>
      new Lane(data, choices, first, () => this.restart("another solver"), () => this.tune(index), title);
    const more = [...names, NO_SOLVER];
    this.lanes = [
      lane(names, "xpbd", "left", 0),
      lane(more, "pgs", "right", 1),
      lane(more, NO_SOLVER, "third", 2),
      lane(more, NO_SOLVER, "fourth", 3),
    ];
    this.ghost = new Ghost(data.module);
    this.panelOfScene = new ScenePanel(
      data,
      () => this.chooseScene(),
      (parameter) => this.tuneScene(parameter),
    );
    this.scene = this.panelOfScene.build();
    this.begun = { lanes: [], gravity: [0, 0, 0], dt: "1/60", params: {}, compliance: "" };
    this.display = new DisplayPanel(() => this.refresh(), true);
    this.panel = new BodyPanel(
      (body) => this.select(body),
      (on) => this.follow(on),
    );
    this.drift = new Curves(h("h3", {}, this.driftTitle, h("small", {}, "m")), () => undefined);
    this.energy = new Curves(
      h("h3", {}, "energy change ", h("small", {}, "of the scene's energy scale, what a drag feeds in left out")),
      () => undefined,
    );
    this.viewport = new Viewport({
      pick: (_, body) => this.select(body),
      grab: (pane, body, at) => pane >= 0 && !this.scene.bodies[body - 1]?.fixed && this.hand.grab(body, at),
      drag: (at) => this.hand.pull(at),
      drop: () => this.drop(),
    });
    this.hand = new Hand(
      this.viewport,
      () => this.active(),
      (input) => this.do(input),
      (text) => this.say(text),
    );
    this.clip = new Clip(this.viewport.canvas, (text) => this.say(text));
    this.lay(root);
    if (!this.followLink(() => this.chooseScene())) {
      this.chooseScene();
      this.say(HINT);
    }
    addEventListener("hashchange", () => this.followLink(() => this.chooseScene()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.build());
    requestAnimationFrame((now) => this.tick(now));
  }

  private lay(root: HTMLElement): void {
    this.compliance.addEventListener("change", () => this.tuneScene("compliance"));
    this.play.addEventListener("click", () => this.toggle());
    const bar = h(
      "div",
      { class: "rg-transport", role: "group", "aria-label": "time" },
      iconButton("start again", "start", () => this.restart("from the beginning")),
      iconButton("one frame back", "back", () => this.stepBack(1)),
      this.play,
      iconButton("one frame on", "on", () => this.stepOnce()),
      this.clock,
      labelled("speed", this.speed),
      h("button", { type: "button", onclick: () => this.picture() }, "picture"),
      this.clip.button,
      h("button", { type: "button", onclick: () => this.link() }, "link"),
      this.said,
    );
    this.gravity.addEventListener("change", () => this.do({ kind: "gravity", gravity: this.gravityOf() }));
    this.frameTime.addEventListener("change", () => this.lanes.forEach((_, i) => this.tune(i)));
    this.overlay.addEventListener("change", () => this.build());
    this.ghostBox.addEventListener("change", () => this.restart("a ghost begins with the runs"));
    const setup = h(
      "section",
      { class: "rg-setup", "aria-label": "scene and solvers" },
      labelled("scene", this.panelOfScene.chooser),
      this.panelOfScene.details,
      labelled("compliance (m/N)", this.compliance),
      labelled("gravity (m/s², down)", this.gravity),
      labelled("frame (s)", this.frameTime),
      h("div", { class: "rg-row" }, labelled("overlay", this.overlay), labelled("ghost", this.ghostBox), this.ghostIs),
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
        keysHelp(),
      ),
    );
    this.listen(root);
    this.setPlaying(true);
  }

  /* Everything that a pointer can do; in a field the keys are the field's. */
  private listen(root: HTMLElement): void {
    const reach = () => 0.02 * this.room.getSize(new Vector3()).length(); // m, of one press
    const next = (by: number) => this.select((this.selected + by + this.scene.bodies.length + 1) % (this.scene.bodies.length + 1));
    listenKeys(
      root,
      {
        toggle: () => this.toggle(),
        step: (frames) =>
          this.hand.move(Math.sign(frames) * reach(), 0, 0) || (frames < 0 ? this.stepBack(-frames) : this.stepOnce(frames)),
        seek: () => this.restart("from the beginning"),
      },
      {
        ArrowUp: () => this.hand.move(0, reach(), 0),
        ArrowDown: () => this.hand.move(0, -reach(), 0),
        PageUp: () => this.hand.move(0, 0, reach()),
        PageDown: () => this.hand.move(0, 0, -reach()),
        "]": () => next(1),
        "[": () => next(-1),
        h: () => this.hand.toggle(this.scene.bodies[this.selected - 1]?.fixed ? -1 : this.selected),
        f: () => this.follow(!this.following),
        r: () => this.fitMotion(),
        o: () => this.overlay.click(),
        g: () => this.ghostBox.click(),
        p: () => this.picture(),
        c: () => this.clip.button.click(),
        l: () => this.link(),
      },
    );
  }

  private chooseScene(): void {
    this.scene = this.panelOfScene.build();
    this.selected = -1;
    this.look();
    this.restart("another scene");
    this.viewport.fit(this.room, this.scene);
    this.display.setForces(this.forceScale(), this.scene.collide !== "none");
  }

  /* To what was foreseen, and to where the runs are by now. */
  private fitMotion(): void {
    for (const { engine } of this.active()) if (engine) growBounds(this.room, this.scene, engine.frame);
    this.viewport.fit(this.room, this.scene);
  }

  /* What the panels say of a scene, and the room that it needs. */
  private look(): void {
    this.panel.setBodies([{ name: "world" }, ...this.scene.bodies]);
    this.room = this.foresee();
    this.driftTitle.textContent = this.scene.joints?.length ? "joint drift " : "penetration ";
    this.gravity.value = String(-this.scene.gravity[1]);
  }

  private complianceOf(text: string): number | undefined {
    const number = Number(text);
    return Number.isNaN(number) ? undefined : number;
  }

  /* A parameter of the scene has changed: the runs go on where bodies and joints stay what they are. */
  private tuneScene(parameter: string): void {
    let next: SceneFile;
    try {
      next = this.panelOfScene.build();
    } catch (error) {
      return this.say((error as Error).message);
    }
    const name = parameter.replaceAll("_", " ");
    if (sameStructure(this.scene, next) && this.active().every((lane) => lane.engine)) {
      this.do({ kind: "scene", params: this.panelOfScene.params, compliance: this.compliance.value });
      this.say(`goes on with the new ${name}; poses, contacts and what the solver remembers stay`);
      return this.build();
    }
    this.scene = next;
    this.selected = Math.min(this.selected, next.bodies.length);
    this.look();
    this.restart(`${name} changes the bodies or how they begin`);
    this.viewport.fit(this.room, this.scene);
  }

  private adopt(params: Record<string, string>, compliance: string): void {
    const scene = this.panelOfScene.build(params);
    if (String(scene.gravity) !== String(this.scene.gravity)) this.gravity.value = String(-scene.gravity[1]);
    this.scene = scene;
    for (const run of [...this.lanes, this.ghost]) run.adopt(scene, this.complianceOf(compliance));
  }

  private say(text: string): void {
    this.said.textContent = text;
  }

  /* s */
  private dt(): number {
    const [one, other] = this.frameTime.value.split("/").map(Number);
    return (one ?? 1) / (other ?? 60) || DT;
  }

  /* Along the scene's own direction, which points down where it has none. */
  private gravityOf(): Triple3 {
    const [x, , z] = this.scene.gravity;
    return [x, -Number(this.gravity.value), z];
  }

  /* Something that is remembered: it happens to every run, now and whenever the past is done again. */
  private do(input: Input): void {
    this.session.forgetAfter(this.session.frame + 1);
    this.session.add(input);
    this.apply(input);
    this.refresh();
  }

  private apply(input: Input): void {
    this.show(input);
    const engines = [...this.lanes, this.ghost].flatMap((run) => (run.engine ? [run.engine] : []));
    if (input.kind === "grab") for (const engine of engines) engine.grab(input.body, ...input.at);
    if (input.kind === "pull") for (const engine of engines) engine.pull(...input.at);
    if (input.kind === "drop") for (const engine of engines) engine.release();
    if (input.kind === "gravity") for (const engine of engines) engine.setGravity(input.gravity);
    if (input.kind === "scene") this.adopt(input.params, input.compliance);
    if (input.kind === "tune") this.lanes[input.lane]?.retune(input.options, input.dt);
    if (input.kind === "tune" && input.lane === 0) this.ghost.retune(input.options, input.dt);
  }

  /* What was done since the last frame. */
  private applyNow(): void {
    for (const input of this.session.at(this.session.frame)) this.apply(input);
  }

  /* The fields say what was done, whoever did it. */
  private show(input: Input): void {
    if (input.kind === "gravity") this.gravity.value = String(-input.gravity[1]);
    if (input.kind === "scene") {
      this.panelOfScene.set(input.params);
      this.compliance.value = input.compliance;
    }
    if (input.kind !== "tune") return;
    this.lanes[input.lane]?.set(input.options);
    const dt = `1/${Math.round(1 / input.dt)}`;
    if ([...this.frameTime.options].some(({ value }) => value === dt)) this.frameTime.value = dt;
  }

  /* The fields say what a frame began with. */
  private showAt(frame: number): void {
    const { lanes, gravity, dt, params, compliance } = this.begun;
    this.lanes.forEach((lane, i) => lane.set(lanes[i]?.options ?? {}));
    this.gravity.value = String(-gravity[1]);
    this.frameTime.value = dt;
    this.panelOfScene.set(params ?? {});
    this.compliance.value = compliance;
    for (const [when, input] of this.session.inputs) if (when < frame) this.show(input);
    this.scene = this.panelOfScene.build();
  }

  /* Options of a lane have changed: it goes on from where it is. */
  private tune(index: number): void {
    const lane = this.lanes[index];
    if (!lane?.engine) {
      if (lane?.active) this.restart("a run that had ended"); // or was refused
      return;
    }
    this.do({ kind: "tune", lane: index, options: lane.chosen(), dt: this.dt() });
    this.say("goes on with the new options; poses, contacts and what the solver remembers stay");
    this.build();
  }

  /* One frame of every run, and what was done before it. */
  private frame(): void {
    if (this.session.wantsMoment())
      this.session.keep([...this.lanes, this.ghost].map((run) => run.engine?.save()));
    this.applyNow();
    for (const lane of this.lanes) lane.step();
    this.ghost.step();
    this.session.frame++;
  }

  private stepBack(frames: number): void {
    this.setPlaying(false);
    const wanted = Math.max(this.session.frame - frames, 0);
    const moment = this.session.before(wanted);
    if (!moment) return this.say("further back is forgotten");
    this.drop();
    [...this.lanes, this.ghost].forEach((run, i) => {
      const saved = moment.of[i];
      if (saved) run.engine?.restore(saved);
    });
    for (const lane of this.lanes) lane.forgetAfter(lane.engine?.time ?? 0);
    this.session.frame = moment.frame;
    while (this.session.frame < wanted) this.frame();
    this.showAt(wanted);
    this.applyNow();
    this.showRuns();
    this.plot();
  }

  private picture(): void {
    this.viewport.redraw();
    this.viewport.draw();
    download(this.viewport.canvas.toDataURL("image/png"), `${this.scene.name ?? "scene"}.png`);
    this.say("the picture is saved");
  }

  private story(): Story {
    return {
      scene: this.panelOfScene.title,
      ...this.begun,
      overlay: this.overlay.checked,
      ghost: this.ghostBox.checked,
      frame: this.session.frame,
      inputs: this.session.inputs,
    };
  }

  private link(): void {
    history.replaceState(null, "", linkOf(this.story()));
    this.say("the address leads back to this moment");
    navigator.clipboard?.writeText(location.href).catch(() => undefined);
  }

  /* Does again what a link tells; false: there is no such scene. */
  /* False: the scene is as it was, or with its own parameters. A link may come from anybody. */
  private retell(story: Story): boolean {
    if (!this.panelOfScene.has(story.scene)) return false;
    this.panelOfScene.show(story.scene, story.params);
    try {
      if (this.panelOfScene.build().bodies.length > MOST_BODIES) throw new Error(`more than ${MOST_BODIES} bodies`);
      this.retellFrames(story);
      return true;
    } catch (error) {
      this.say(`this link cannot be followed: ${(error as Error).message}`);
      this.panelOfScene.show(story.scene);
      return false;
    }
  }

  /* What the address asks for, a story or one run; false: nothing. */
  private followLink(otherwise: () => void): boolean {
    const story = storyOf(location.hash), run = runOf(location.hash);
    if ((story && !this.retell(story)) || (run && !this.rerun(run))) otherwise();
    return story !== undefined || run !== undefined;
  }

  /* A run from its beginning, beside the truth. */
  private rerun(run: RunLink): boolean {
    const before = this.panelOfScene.title;
    if (!this.panelOfScene.showNamed(run.scene, run.params)) return false;
    try {
      const { gravity, bodies } = this.panelOfScene.build();
      if (bodies.length > MOST_BODIES) throw new Error(`more than ${MOST_BODIES} bodies`);
      const lanes = [{ solver: run.solver, options: run.options }, ...this.lanes.slice(1).map(() => ({ solver: NO_SOLVER, options: {} }))];
      const { title: scene, params } = this.panelOfScene;
      this.retellFrames({ scene, params, compliance: "as in the scene", gravity: gravity as Triple3, dt: run.dt, lanes, overlay: false, ghost: true, frame: 0, inputs: [] });
      this.setPlaying(true);
      this.say(`${run.solver} on ${run.scene}, as in the figure`);
      return true;
    } catch (error) {
      this.say(`this run cannot be played: ${(error as Error).message}`);
      this.panelOfScene.show(before);
      return false;
    }
  }

  private retellFrames(story: Story): void {
    this.compliance.value = story.compliance;
    this.frameTime.value = story.dt;
    this.overlay.checked = story.overlay;
    this.ghostBox.checked = story.ghost;
    this.lanes.forEach((lane, i) => {
      const told = story.lanes[i];
      if (told) lane.choose(told.solver, told.options);
    });
    this.chooseScene();
    this.gravity.value = String(-story.gravity[1]);
    this.session.inputs = story.inputs;
    this.setPlaying(false);
    const end = performance.now() + RETELLING;
    let told = 0;
    for (; told < Math.min(story.frame, MOST_RETOLD) && performance.now() < end; told++) this.frame();
    if (told < story.frame) this.say(`this link is long: stopped at frame ${told} of ${story.frame}`);
    this.applyNow();
    this.build();
    this.plot();
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
    return (0.05 * size) / (weight || 1);
  }

  private active(): Lane[] {
    return this.lanes.filter((lane) => lane.active);
  }

  private sibling(lane: Lane): number {
    return this.lanes.slice(0, this.lanes.indexOf(lane)).filter((other) => other.solver === lane.solver).length;
  }

  /* All runs begin again, and that is said, with what makes them. */
  private restart(why: string): void {
    this.drop();
    this.owed = 0;
    this.session.clear();
    const compliance = this.complianceOf(this.compliance.value);
    for (const lane of this.lanes) lane.start(this.scene, compliance, this.dt());
    this.ghost.start(this.ghostBox.checked ? this.lanes[0] : undefined, this.scene, compliance, this.dt(), this.truth());
    this.begun = {
      lanes: this.lanes.map((lane) => ({ solver: lane.solver, options: lane.chosen() })),
      gravity: [...this.scene.gravity] as Triple3,
      dt: this.frameTime.value,
      params: this.panelOfScene.params,
      compliance: this.compliance.value,
    };
    this.say(`all runs start again: ${why}`);
    if (this.gravityOf()[1] !== this.scene.gravity[1]) this.do({ kind: "gravity", gravity: this.gravityOf() });
    this.build();
  }

  /* Of the scene as it is offered. */
  private truth(): Truth | undefined {
    const stored = this.data.truths[this.panelOfScene.title];
    const asOffered = this.panelOfScene.untouched && this.complianceOf(this.compliance.value) === undefined;
    return stored && asOffered ? new Truth(stored, this.scene) : undefined;
  }

  private build(): void {
    this.labels = this.labelsNow();
    const mark = markSize(this.room, this.scene);
    this.display.setHeat(0.01 * mark, mark);
    const ink = isDark() ? "#aab2bd" : "#4a5361";
    const lanes = this.active();
    for (const lane of this.lanes) lane.stage?.dispose();
    const own = lanes.map((lane, i) => {
      const colour = colourOf(lane.solver, this.sibling(lane));
      lane.stage = new Stage(this.scene, colour, mark, new Map(), ink);
      if (this.overlay.checked && i > 0) lane.stage.setOpacity(0.45);
      return { chips: [{ label: lane.label, colour }], stages: [lane.stage] };
    });
    const all = { chips: own.flatMap(({ chips }) => chips), stages: own.flatMap(({ stages }) => stages) };
    const panes = this.overlay.checked ? [all] : own;
    const ghosts = this.ghost.stages(panes.length, () => new Stage(this.scene, ink, mark, new Map(), ink));
    panes.forEach((pane, i) => pane.stages.push(...ghosts.slice(i, i + 1)));
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

  private labelsNow(): string {
    return this.active().map((lane) => lane.label).join();
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

  private drop(): void {
    this.hand.drop();
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

  private stepOnce(frames = 1): void {
    this.setPlaying(false);
    for (let i = 0; i < frames; i++) this.frame();
    this.showRuns();
    this.plot();
  }

  /* After steps, which may have led to other options. */
  private showRuns(): void {
    if (this.labelsNow() !== this.labels) this.build();
    else this.refresh();
  }

  private refresh(): void {
    const lanes = this.active();
    for (const { engine, stage } of lanes) if (engine) stage?.update(engine.frame, this.display.options);
    this.note(lanes);
    this.ghost.update(this.display.options, this.session.touched());
    this.panel.show(
      this.selected,
      lanes.flatMap((lane) => (lane.engine ? [{ label: lane.label, frame: lane.engine.frame }] : [])),
    );
    const time = Math.max(0, ...lanes.map((lane) => lane.engine?.time ?? 0));
    this.clock.textContent = `${time.toFixed(2)} s`;
    this.ghostIs.textContent = this.ghostBox.checked ? this.ghost.says(time, this.session.touched()) : "";
    this.viewport.redraw();
  }

  /* What is to be said of each run: in its own pane, or of all in one. */
  private note(lanes: Lane[]): void {
    const alarms = lanes.map((lane) => !!(lane.message || lane.engine?.failed));
    if (this.overlay.checked)
      this.viewport.setNote(0, lanes.map((lane) => `${lane.label}: ${lane.note()}`).join("; "), alarms.includes(true));
    else lanes.forEach((lane, i) => this.viewport.setNote(i, lane.note(), alarms[i]));
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
    if (this.clip.recording) this.viewport.redraw();
    this.viewport.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  private advance(seconds: number): void {
    this.owed += seconds;
    const begin = performance.now();
    const dt = this.dt();
    while (this.owed >= dt && performance.now() - begin < BUDGET) {
      this.frame();
      this.owed -= dt;
    }
    this.owed = Math.min(this.owed, dt);
    this.showRuns();
  }
}

function keysHelp(): HTMLElement {
  const keys: [string, string][] = [
    ["space", "play"],
    ["← →", "one frame, with shift ten"],
    ["[ ]", "body"],
    ["h", "hold it, arrows move the hand"],
    ["f", "follow"],
    ["o", "overlay"],
    ["g", "ghost"],
    ["p", "picture"],
    ["c", "clip"],
    ["l", "link"],
    ["r", "whole scene"],
    ["wasd + -", "turn, zoom (in the view)"],
  ];
  const entries = keys.flatMap(([key, what]) => [h("kbd", {}, key), ` ${what} `]);
  return h("p", { class: "rg-keys" }, ...entries);
}
