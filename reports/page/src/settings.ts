/* SPDX-License-Identifier: MIT */
/* Controls for named settings, of solvers and of scenes alike: options and parameters as `rigor list --json` gives them. */
import { h, options } from "./dom";

export interface Setting {
  name: string;
  meaning: string;
  type: string;
  default: number | string | boolean;
  min?: number;
  max?: number;
  choices?: string[];
}

type Control = HTMLInputElement | HTMLSelectElement;

export function settingControl(setting: Setting, changed: () => void): HTMLElement {
  const props = { name: setting.name, title: setting.meaning };
  const list = setting.type === "bool" ? ["true", "false"] : setting.choices;
  const isWord = typeof setting.default === "string"; // inf, auto: a number's field would lose it
  const control = list
    ? h("select", props, ...options(list, String(setting.default)))
    : h("input", {
        ...props,
        type: isWord ? "text" : "number",
        value: String(setting.default),
        min: setting.min,
        max: setting.max,
        step: setting.type === "int" ? 1 : "any",
      });
  control.addEventListener("change", changed);
  return control;
}

const controlsIn = (root: HTMLElement) => [...root.querySelectorAll<Control>("[name]")];

export function settingValues(root: HTMLElement): Record<string, string> {
  return Object.fromEntries(controlsIn(root).map((control) => [control.name, control.value]));
}

export function setValues(root: HTMLElement, values: Record<string, string | number>): void {
  for (const control of controlsIn(root)) control.value = String(values[control.name] ?? control.value);
}
