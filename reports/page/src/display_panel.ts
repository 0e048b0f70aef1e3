/* What is drawn beside the bodies, and how much it is exaggerated. */
import { brief, h, labelled } from "./dom";
import type { StageOptions } from "./stage";

export class DisplayPanel {
  readonly element: HTMLElement;
  readonly options: StageOptions;

  /* `forceScale` in m/(N s) is where the impulses' slider begins; without it there are no contacts to draw. */
  constructor(
    private changed: () => void,
    forceScale?: number,
  ) {
    this.options = { joints: true, errors: true, contacts: true, exaggeration: 1, forceScale: forceScale ?? 0 };
    const boxes = [this.check("joints", "joints"), this.check("errors", "joint errors")];
    const sliders = [this.scale("errors drawn", "exaggeration", [0, 8], (x) => `${brief(x)}×`)];
    if (forceScale !== undefined) {
      const middle = Math.log10(forceScale);
      boxes.push(this.check("contacts", "contacts"));
      sliders.push(this.scale("impulses drawn", "forceScale", [middle - 2, middle + 2], (x) => `${brief(x)} m/(N s)`));
    }
    this.element = h(
      "section",
      { class: "rg-display", "aria-label": "what is drawn" },
      h("div", { class: "rg-row" }, ...boxes),
      ...sliders,
    );
  }

  private check(key: "joints" | "errors" | "contacts", text: string): HTMLElement {
    const box = h("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      this.options[key] = box.checked;
      this.changed();
    });
    return labelled(text, box);
  }

  /* A slider over powers of ten. */
  private scale(
    text: string,
    key: "exaggeration" | "forceScale",
    [min, max]: [number, number],
    show: (x: number) => string,
  ): HTMLElement {
    const shown = h("output", { class: "rg-value" }, show(this.options[key]));
    const slider = h("input", { type: "range", min, max, step: "any", value: Math.log10(this.options[key]) });
    slider.addEventListener("input", () => {
      this.options[key] = 10 ** Number(slider.value);
      shown.textContent = show(this.options[key]);
      this.changed();
    });
    return labelled(text, slider, shown);
  }
}
