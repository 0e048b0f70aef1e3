/* SPDX-License-Identifier: MIT */
/* Elements in one expression: h("button", { class: "rg-button", onclick: play }, "Play"). */

type Props = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/* A control with its name before it. */
export function labelled(text: string, control: HTMLElement, after?: Node): HTMLLabelElement {
  return h("label", { class: "rg-field" }, h("span", {}, text), control, ...(after ? [after] : []));
}

export function options(names: readonly string[], chosen?: string): HTMLOptionElement[] {
  return names.map((name) => h("option", { value: name, selected: name === chosen }, name));
}

/* Pictures of the time line's buttons, as the page cannot count on a font that has them. */
const ICONS = {
  play: "M4 2 L14 8 L4 14 Z",
  pause: "M3 2 h4 v12 h-4 Z M9 2 h4 v12 h-4 Z",
  start: "M2 2 h3 v12 h-3 Z M14 2 L6 8 L14 14 Z",
  back: "M12 3 L4 8 L12 13 Z",
  on: "M4 3 L12 8 L4 13 Z",
};

export function icon(name: keyof typeof ICONS): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "rg-icon");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = `<path d="${ICONS[name]}" fill="currentColor"/>`;
  return svg;
}

export function iconButton(label: string, name: keyof typeof ICONS, action: () => void): HTMLButtonElement {
  return h("button", { type: "button", "aria-label": label, title: label, onclick: action }, icon(name));
}

/* Four significant digits, in as few characters as that takes. */
export function brief(x: number): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size >= 1e-3 && size < 1e5 ? String(Number(x.toPrecision(4))) : x.toExponential(2);
}
