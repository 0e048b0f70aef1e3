/* What is drawn beside the bodies, and how much it is exaggerated. */
import { brief, h, labelled } from "./dom";
import type { StageOptions } from "./stage";

export class DisplayPanel {
  readonly element: HTMLElement;
  readonly options: StageOptions;

  constructor(size: number, changed: () => void, withContacts: boolean) {
    this.options = { joints: true, errors: true, contacts: true, exaggeration: 1, forceScale: 0 };
    const check = (key: "joints" | "errors" | "contacts", text: string) => {
      const box = h("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        this.options[key] = box.checked;
        changed();
      });
      return labelled(text, box);
    };
    /* Powers of ten on the slider. */
    const scale = (text: string, min: number, max: number, start: number, show: (x: number) => string, set: (x: number) => void) => {
      const shown = h("output", { class: "rg-value" });
      const slider = h("input", { type: "range", min, max, step: 0.25, value: start });
      const apply = () => {
        const factor = 10 ** Number(slider.value);
        shown.textContent = show(factor);
        set(factor);
      };
      slider.addEventListener("input", () => {
        apply();
        changed();
      });
      apply();
      return labelled(text, slider, shown);
    };
    this.element = h(
      "section",
      { class: "rg-display", "aria-label": "what is drawn" },
      h("div", { class: "rg-row" }, check("joints", "joints"), check("errors", "joint errors"), ...(withContacts ? [check("contacts", "contacts")] : [])),
      scale("errors drawn", 0, 8, 0, (x) => `${brief(x)}×`, (x) => (this.options.exaggeration = x)),
      ...(withContacts
        ? [scale("impulses drawn", -6, 2, Math.log10(0.1 * size) - 1, (x) => `${brief(x)} m/(N s)`, (x) => (this.options.forceScale = x))]
        : []),
    );
  }
}
