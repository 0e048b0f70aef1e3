/* SPDX-License-Identifier: MIT */
/* What is drawn beside the bodies, and how much it is exaggerated. */
import { brief, h, labelled } from "./dom";
import { HEAT } from "./palette";
import type { StageOptions } from "./stage";

/* A slider over powers of ten, with its value written beside it. */
class Scale {
  readonly element: HTMLElement;
  private shown = h("output", { class: "rg-value" });
  private slider = h("input", { type: "range", step: "any" });

  constructor(
    text: string,
    private unit: string,
    private apply: (x: number) => void,
  ) {
    this.slider.addEventListener("input", () => this.read());
    this.element = labelled(text, this.slider, this.shown);
  }

  set(min: number, max: number, start: number): void {
    this.slider.min = String(Math.log10(min));
    this.slider.max = String(Math.log10(max));
    this.slider.value = String(Math.log10(start));
    this.read();
  }

  private read(): void {
    const x = 10 ** Number(this.slider.value);
    this.shown.textContent = `${brief(x)}${this.unit}`;
    this.apply(x);
  }
}

export class DisplayPanel {
  readonly element: HTMLElement;
  readonly options: StageOptions = { joints: true, errors: true, contacts: true, exaggeration: 1, forceScale: 0 };
  private forces: Scale;
  private contactBox: HTMLElement;
  private heatKey = h("output", { class: "rg-heat", hidden: true });

  /* `live`: forces of joints are known, and bodies may be coloured by their joints' errors. */
  constructor(
    private changed: () => void,
    live = false,
  ) {
    const set = (key: "exaggeration" | "forceScale") => (x: number) => {
      if (this.options[key] === x) return;
      this.options[key] = x;
      changed();
    };
    const errors = new Scale("errors drawn", "×", set("exaggeration"));
    this.forces = new Scale("forces drawn", " m/N", set("forceScale"));
    this.contactBox = this.check("contacts", "contacts");
    const boxes = [this.check("joints", "joints"), this.check("errors", "joint errors"), this.contactBox];
    if (live) boxes.push(this.check("jointForces", "joint forces", false), this.check("heat", "colour by error", false), this.heatKey);
    const label = { class: "rg-display", "aria-label": "what is drawn" };
    this.element = h("section", label, h("div", { class: "rg-row" }, ...boxes), errors.element, this.forces.element);
    errors.set(1, 1e8, 1);
    this.setForces(undefined);
  }

  /* m/N, where the forces' slider begins; undefined: there are no forces. */
  setForces(scale: number | undefined, contacts = scale !== undefined): void {
    this.forces.element.hidden = scale === undefined;
    this.contactBox.hidden = !contacts;
    if (scale !== undefined) this.forces.set(0.01 * scale, 100 * scale, scale);
  }

  /* m, of the errors that the colours go from and to. */
  setHeat(least: number, most: number): void {
    this.heatKey.replaceChildren(`${brief(least)} m `, h("i", { style: `--heat: ${HEAT.join(", ")}` }), ` ${brief(most)} m`);
  }

  private check(key: "joints" | "errors" | "contacts" | "jointForces" | "heat", text: string, on = true): HTMLElement {
    const box = h("input", { type: "checkbox", checked: on });
    box.addEventListener("change", () => {
      this.options[key] = box.checked;
      this.heatKey.hidden = !this.options.heat;
      this.changed();
    });
    return labelled(text, box);
  }
}
