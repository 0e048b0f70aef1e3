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

/* Four significant digits, in as few characters as that takes. */
export function brief(x: number): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size >= 1e-3 && size < 1e5 ? String(Number(x.toPrecision(4))) : x.toExponential(2).replace("e", "e");
}
