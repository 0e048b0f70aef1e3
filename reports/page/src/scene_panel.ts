/* SPDX-License-Identifier: MIT */
/* Which scene is played, and its parameters, as `rigor show SCENE` lists them. */
import { h, labelled, options } from "./dom";
import { sceneOf } from "./engine";
import type { PlaygroundData, SceneEntry } from "./lane";
import type { SceneFile } from "./scene_file";
import { setValues, settingControl, settingValues } from "./settings";

export class ScenePanel {
  readonly chooser: HTMLSelectElement;
  private fields = h("div", { class: "rg-options rg-params" });
  readonly details = h("details", { class: "rg-scene" }, h("summary", {}, "scene parameters"), this.fields);

  constructor(
    private data: PlaygroundData,
    chosen: () => void,
    private tuned: (parameter: string) => void,
  ) {
    this.chooser = h("select", {}, ...options(data.scenes.map((entry) => entry.title)));
    this.chooser.addEventListener("change", () => {
      this.show(this.chooser.value);
      chosen();
    });
    this.show(this.chooser.value);
  }

  get title(): string {
    return this.chooser.value;
  }

  get params(): Record<string, string> {
    return settingValues(this.fields);
  }

  has(title: string): boolean {
    return this.data.scenes.some((entry) => entry.title === title);
  }

  /* A scene with its own parameters, or with these. */
  show(title: string, params: Record<string, string> = {}): void {
    this.chooser.value = title;
    const entry = this.data.scenes.find((one) => one.title === title) as SceneEntry;
    const rows = entry.settings.map((setting) =>
      labelled(
        setting.name.replaceAll("_", " "),
        settingControl(setting, () => this.tuned(setting.name)),
      ),
    );
    this.fields.replaceChildren(...rows);
    this.set({ ...entry.params, ...params });
  }

  /* The scene of this name: as it is offered with these parameters, or else with these and for the rest its own. */
  showNamed(name: string, params: Record<string, string>): boolean {
    const all = this.data.scenes.filter((one) => one.name === name);
    for (const { title, settings } of all) {
      this.show(title, { ...Object.fromEntries(settings.map((one) => [one.name, String(one.default)])), ...params });
      if (this.untouched) break;
    }
    return all.length > 0;
  }

  set(params: Record<string, string | number>): void {
    setValues(this.fields, params);
  }

  /* Whether the scene has the parameters that it is offered with. */
  get untouched(): boolean {
    const entry = this.data.scenes.find((one) => one.title === this.title) as SceneEntry;
    const params = this.params;
    return entry.settings.every(({ name, default: usual }) => params[name] === String(entry.params[name] ?? usual));
  }

  /* Throws what is wrong with the parameters. */
  build(params = this.params): SceneFile {
    const entry = this.data.scenes.find((one) => one.title === this.title) as SceneEntry;
    return sceneOf(this.data.module, entry.name, params);
  }
}
