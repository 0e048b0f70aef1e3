/* SPDX-License-Identifier: MIT */
/* Play, pause, step, scrub, speed: the time line's controls, and the keys that do the same. */
import { brief, h, icon, iconButton, labelled, options } from "./dom";

export interface TransportEvents {
  toggle(): void;
  step(frames: number): void;
  seek(t: number): void;
  speed(factor: number): void;
}

const SPEEDS = ["0.05×", "0.1×", "0.25×", "0.5×", "1×", "2×", "4×"];

export class Transport {
  readonly element: HTMLElement;
  private play = h("button", { class: "rg-play", type: "button" });
  private slider = h("input", {
    type: "range",
    min: 0,
    max: 1,
    step: "any",
    value: 0,
    class: "rg-scrub",
    "aria-label": "time",
  });
  private clock = h("output", { class: "rg-clock", "aria-live": "off" });

  constructor(
    events: TransportEvents,
    private end: number,
  ) {
    const speed = h("select", { "aria-label": "speed" }, ...options(SPEEDS, "1×"));
    speed.addEventListener("change", () => events.speed(parseFloat(speed.value)));
    this.play.addEventListener("click", () => events.toggle());
    this.slider.max = String(end);
    this.slider.addEventListener("input", () => events.seek(Number(this.slider.value)));
    this.element = h(
      "div",
      { class: "rg-transport", role: "group", "aria-label": "time line" },
      iconButton("to the start", "start", () => events.seek(0)),
      iconButton("one frame back", "back", () => events.step(-1)),
      this.play,
      iconButton("one frame on", "on", () => events.step(1)),
      this.slider,
      this.clock,
      labelled("speed", speed),
    );
    this.setPlaying(false);
    this.setTime(0);
  }

  setPlaying(playing: boolean): void {
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", playing ? "pause" : "play");
    this.play.title = playing ? "pause (space)" : "play (space)";
  }

  setTime(t: number): void {
    this.slider.value = String(t);
    this.slider.setAttribute("aria-valuetext", `${brief(t)} s`);
    this.clock.textContent = `${t.toFixed(3)} / ${this.end.toFixed(2)} s`;
  }
}

/* Keys that work wherever the focus is, but in a field that uses them itself: on the page of its own anywhere, inside
 * another document only within the viewer. */
export function listenKeys(
  root: HTMLElement,
  events: Pick<TransportEvents, "toggle" | "step" | "seek">,
  more: Record<string, () => unknown> = {}, // false: the key was not meant
): void {
  const scope: HTMLElement = root.closest<HTMLElement>(".rg-page") ?? root;
  scope.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (root.offsetParent === null || target.matches("[role=tab]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("select, textarea, input:not([type=range]):not([type=checkbox])")) return;
    const many = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => unknown> = {
      " ": () => events.toggle(),
      ArrowRight: () => events.step(many),
      ArrowLeft: () => events.step(-many),
      Home: () => events.seek(0),
      End: () => events.seek(Infinity),
      ...more,
    };
    if (event.key === " " && target.matches("button, input[type=checkbox]")) return;
    if (event.key.startsWith("Arrow") && target.matches("input[type=range]:not(.rg-scrub)")) return;
    const action = actions[event.key];
    if (action && action() !== false) event.preventDefault();
  });
}
