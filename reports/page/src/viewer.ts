/* SPDX-License-Identifier: MIT */
/* The viewer: recordings side by side or overlaid on one time line, with their curves and numbers. */
import { Box3, Vector3 } from "three";
import type uPlot from "uplot";
import { BodyPanel } from "./body_panel";
import { finishBounds, growBounds, markSize } from "./bounds";
import { Curves } from "./curves";
import { DisplayPanel } from "./display_panel";
import { h, labelled, options } from "./dom";
import { colourOf, dashOf, isDark } from "./palette";
import { frameIndexAt, openRecordings, type PackedRecording, type Recording } from "./recording";
import { Stage } from "./stage";
import { listenKeys, Transport } from "./transport";
import { Viewport } from "./viewport";

/* What the two plots show first: the first of these that the recordings have, and that is not zero all the time. */
const FIRST_DRIFT = ["drift_max", "penetration_max", "volume_error_max", "error_max", "error_angle_max"];
const FIRST_ENERGY = ["energy_error_max", "energy_gain_max", "energy_error_end", "jitter_rms", "residual"];

export class Viewer {
  private recordings: Recording[];
  private stages: Stage[] = [];
  private viewport: Viewport;
  private transport: Transport;
  private display: DisplayPanel;
  private panel: BodyPanel;
  private plots: { curves: Curves; chooser: HTMLSelectElement; log: HTMLInputElement }[] = [];
  private overlaid = false;
  private selected = -1;
  private following = false;
  private time = 0;
  private end: number;
  private speed = 1;
  private playing = false;
  private before = 0;
  private disposed = new AbortController();
  private bounds: Box3;

  constructor(root: HTMLElement, packed: PackedRecording[]) {
    this.recordings = openRecordings(packed);
    this.end = Math.max(...this.recordings.map((r) => r.time[r.time.length - 1] ?? 0));
    this.bounds = boundsOf(this.recordings);
    const size = this.bounds.getSize(new Vector3()).length();
    const force = Math.max(...this.recordings.map((r) => r.force));
    const seek = (t: number) => this.seek(t);
    const step = (frames: number) => this.step(frames);
    this.transport = new Transport(
      { toggle: () => this.toggle(), step, seek, speed: (x) => (this.speed = x) },
      this.end,
    );
    this.display = new DisplayPanel(() => this.refresh());
    this.panel = new BodyPanel(
      (body) => this.select(body),
      (on) => this.follow(on),
    );
    this.panel.setBodies([{ name: "world" }, ...(this.first().scene.bodies ?? [])]);
    this.viewport = new Viewport({ pick: (_, body) => this.select(body) });
    this.makePlots();
    root.classList.add("rg-viewer");
    root.append(
      h("div", { class: "rg-main" }, this.viewport.element, this.transport.element),
      h(
        "div",
        { class: "rg-side" },
        this.layoutChooser(),
        ...this.plots.map((plot) => plot.curves.element),
        this.panel.element,
        this.display.element,
        keysHelp(),
      ),
    );
    listenKeys(
      root,
      { toggle: () => this.toggle(), step, seek },
      {
        "[": () => this.selectNext(-1),
        "]": () => this.selectNext(1),
        f: () => this.follow(!this.following),
        r: () => this.viewport.reset(),
      },
    );
    this.build();
    this.viewport.fit(this.bounds, this.first().scene);
    this.display.setForces(force > 0 ? (0.12 * size) / force : undefined);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.build(), {
      signal: this.disposed.signal,
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  private first(): Recording {
    return this.recordings[0] as Recording;
  }

  private colour(recording: Recording): string {
    return colourOf(recording.solver, recording.sibling);
  }

  private layoutChooser(): HTMLElement {
    const box = h("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      this.overlaid = box.checked;
      this.build();
    });
    const heading = h("h2", {}, this.first().scene.name);
    return h(
      "div",
      { class: "rg-row rg-head" },
      heading,
      ...(this.recordings.length > 1 ? [labelled("overlay", box)] : []),
    );
  }

  private build(): void {
    for (const stage of this.stages) stage.dispose();
    const mark = markSize(this.bounds, this.first().scene);
    const ink = isDark() ? "#aab2bd" : "#4a5361";
    this.stages = this.recordings.map((r) => new Stage(r.scene, this.colour(r), mark, r.meshes, ink));
    const chip = (r: Recording) => ({ label: r.label, colour: this.colour(r) });
    if (this.overlaid) {
      this.stages.forEach((stage, i) => stage.setOpacity(i === 0 ? 1 : 0.55));
      this.viewport.show([{ chips: this.recordings.map(chip), stages: this.stages }]);
    } else {
      this.viewport.show(this.recordings.map((r, i) => ({ chips: [chip(r)], stages: [this.stages[i] as Stage] })));
    }
    for (const plot of this.plots) this.fill(plot);
    this.select(this.selected);
    this.refresh();
  }

  private makePlots(): void {
    const names = [...new Set(this.recordings.flatMap((r) => [...r.metrics.keys()]))].filter((name) =>
      this.recordings.some((r) => r.metrics.get(name)?.some((x) => Number.isFinite(x))),
    );
    const tells = (name: string) => this.recordings.some((r) => r.metrics.get(name)?.some((x) => Math.abs(x) > 0));
    for (const wanted of [FIRST_DRIFT, FIRST_ENERGY]) {
      const chosen = wanted.find(tells) ?? wanted.find((name) => names.includes(name)) ?? names[0];
      if (chosen === undefined) continue;
      const chooser = h("select", { "aria-label": "curve" }, ...options(names, chosen));
      const log = h("input", { type: "checkbox", checked: true });
      const heading = h("div", { class: "rg-row" }, chooser, labelled("log", log));
      const plot = { curves: new Curves(heading, (t) => this.seek(t)), chooser, log };
      for (const control of [chooser, log]) control.addEventListener("change", () => this.fill(plot));
      this.plots.push(plot);
    }
  }

  private fill(plot: Viewer["plots"][number]): void {
    const shown = this.recordings.filter((r) => r.metrics.has(plot.chooser.value));
    const lines = shown.map((r) => ({ label: r.label, colour: this.colour(r), dash: dashOf(r.solver, r.sibling) }));
    const tables = shown.map(
      (r): uPlot.AlignedData => [Array.from(r.time), Array.from(r.metrics.get(plot.chooser.value) ?? [])],
    );
    plot.curves.show(lines, tables, plot.log.checked);
    plot.curves.setTime(this.time);
  }

  private select(body: number): void {
    this.selected = body;
    this.stages.forEach((stage, i) => {
      stage.selected = body;
      stage.paint(this.colour(this.recordings[i] as Recording));
    });
    if (this.following) this.follow(body >= 0);
    this.refresh();
  }

  private selectNext(by: number): void {
    const count = this.first().scene.bodies.length;
    this.select(this.selected < 1 ? (by > 0 ? 1 : count) : ((this.selected - 1 + by + count) % count) + 1);
  }

  private follow(on: boolean): void {
    this.following = on;
    this.viewport.follow(on && this.selected >= 0 ? this.stages[0] : undefined, this.selected);
  }

  private refresh(): void {
    const runs = this.recordings.map((recording, i) => {
      const index = frameIndexAt(recording, this.time);
      const frame = recording.frameAt(index);
      this.stages[i]?.update(frame, this.display.options);
      const ended = index === recording.time.length - 1 && this.time > (recording.time[index] ?? 0) + recording.dt;
      if (!this.overlaid)
        this.viewport.setNote(i, ended ? `ended at ${(recording.time[index] ?? 0).toFixed(2)} s` : "", ended);
      return { label: recording.label, frame };
    });
    this.panel.show(this.selected, runs);
    this.viewport.redraw();
  }

  length(): number {
    return this.end;
  }

  now(): number {
    return this.time;
  }

  /* What the 3D view shows, as the address of an image. */
  picture(): string {
    this.viewport.redraw();
    this.viewport.draw();
    return this.viewport.canvas.toDataURL("image/png");
  }

  pause(): void {
    this.setPlaying(false);
  }

  /* Ends it; its elements are the caller's to remove. */
  dispose(): void {
    this.disposed.abort();
    for (const stage of this.stages) stage.dispose();
    for (const { curves } of this.plots) curves.dispose();
    this.viewport.dispose();
  }

  seek(t: number): void {
    this.time = Math.min(Math.max(t, 0), this.end);
    this.transport.setTime(this.time);
    for (const { curves } of this.plots) curves.setTime(this.time);
    this.refresh();
  }

  private step(frames: number): void {
    this.setPlaying(false);
    const dt = Math.min(...this.recordings.map((r) => r.dt));
    this.seek((Math.round(this.time / dt) + frames) * dt);
  }

  private toggle(): void {
    if (!this.playing && this.time >= this.end) this.seek(0);
    this.setPlaying(!this.playing);
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    this.transport.setPlaying(playing);
  }

  private tick(now: number): void {
    if (this.disposed.signal.aborted) return;
    const passed = Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    if (this.playing) {
      this.seek(this.time + passed * this.speed);
      if (this.time >= this.end) this.setPlaying(false);
    }
    this.viewport.draw();
    requestAnimationFrame((next) => this.tick(next));
  }
}

/* Of up to this many frames of each recording: enough to see where it goes. */
const BOUND_SAMPLES = 60;

function boundsOf(recordings: Recording[]): Box3 {
  const box = new Box3();
  for (const recording of recordings) {
    const stride = Math.max(1, Math.floor(recording.time.length / BOUND_SAMPLES));
    for (let i = 0; i < recording.time.length; i += stride)
      growBounds(box, recording.scene, recording.frameAt(i), recording.meshes);
  }
  return finishBounds(box, (recordings[0] as Recording).scene);
}

function keysHelp(): HTMLElement {
  const key = (name: string) => h("kbd", {}, name);
  return h(
    "p",
    { class: "rg-keys" },
    key("space"),
    " play ",
    key("←"),
    key("→"),
    " step ",
    key("["),
    key("]"),
    " body ",
    key("f"),
    " follow ",
    key("r"),
    " view ",
    key("wasd"),
    key("+"),
    key("-"),
    " camera",
  );
}
