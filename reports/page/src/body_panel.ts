/* SPDX-License-Identifier: MIT */
/* One body's numbers, a column a run; and whether the camera follows it. */
import { brief, h, labelled } from "./dom";
import type { Frame, Numbers } from "./recording";
import type { SceneBody } from "./scene_file";

const ROWS: {
  name: string;
  unit: string;
  field: "position" | "orientation" | "velocity" | "angular_velocity";
  width: 3 | 4;
}[] = [
  { name: "position", unit: "m", field: "position", width: 3 },
  { name: "orientation", unit: "w x y z", field: "orientation", width: 4 },
  { name: "velocity", unit: "m/s", field: "velocity", width: 3 },
  { name: "spin", unit: "rad/s", field: "angular_velocity", width: 3 },
];

export class BodyPanel {
  readonly element: HTMLElement;
  private chooser = h("select", { "aria-label": "body" });
  private followBox = h("input", { type: "checkbox" });
  private table = h("table", { class: "rg-numbers" });
  private bodies: SceneBody[] = [];

  constructor(select: (body: number) => void, follow: (on: boolean) => void) {
    this.chooser.addEventListener("change", () => select(Number(this.chooser.value)));
    this.followBox.addEventListener("change", () => follow(this.followBox.checked));
    this.element = h(
      "section",
      { class: "rg-body", "aria-label": "selected body" },
      h("div", { class: "rg-row" }, labelled("body", this.chooser), labelled("follow", this.followBox)),
      this.table,
    );
  }

  setBodies(bodies: SceneBody[]): void {
    this.bodies = bodies;
    this.chooser.replaceChildren(
      h("option", { value: -1 }, "none: click one"),
      ...bodies.flatMap((body, i) => (i === 0 ? [] : [h("option", { value: i }, body.name)])),
    );
  }

  /* The state of every run's body at this time. */
  show(body: number, runs: { label: string; frame: Frame }[]): void {
    if (this.chooser.value !== String(body)) this.chooser.value = String(body);
    if (body < 0 || !this.bodies[body]) {
      this.table.replaceChildren();
      return;
    }
    const slice = (values: Numbers, width: number) => Array.from(values.subarray(width * body, width * body + width));
    const cell = (values: number[]) => h("td", {}, ...values.map((x) => h("span", {}, brief(x))));
    this.table.replaceChildren(
      h("tr", {}, h("th", {}), ...runs.map((run) => h("th", { scope: "col" }, run.label))),
      ...ROWS.map(({ name, unit, field, width }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name, h("small", {}, ` ${unit}`)),
          ...runs.map(({ frame }) => cell(slice(frame[field], width))),
        ),
      ),
      h(
        "tr",
        {},
        h("th", { scope: "row" }, "speed", h("small", {}, " m/s")),
        ...runs.map(({ frame }) => cell([Math.hypot(...slice(frame.velocity, 3))])),
      ),
    );
  }
}
