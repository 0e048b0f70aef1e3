/* SPDX-License-Identifier: MIT */
/* Starts what the document asks for: every element of class `rigor-viewer` becomes a viewer of the recordings whose
 * JSON is in the element named by its data-recordings; `rigor-playground` likewise a playground. So a report can carry
 * this script once and any number of viewers. */
import { h } from "./dom";
import { compile, inflate } from "./engine";
import type { PlaygroundData } from "./lane";
import { Playground } from "./playground";
import type { PackedRecording } from "./recording";
import { Slot } from "./slot";
import { Viewer } from "./viewer";

/* A report keeps its recordings compressed, and says how to read them. */
declare global {
  interface Window {
    rigorExpand?: (id: string) => string;
    rigorStills?: () => void;
  }
}

function jsonOf(id: string): unknown {
  const text = (window.rigorExpand?.(id) ?? document.getElementById(id)?.textContent)?.trim();
  return text ? JSON.parse(text) : undefined;
}

function makeViewer(host: HTMLElement, id: string): Viewer | undefined {
  const data = jsonOf(id) as { recordings: PackedRecording[] } | undefined;
  return data && data.recordings.length > 0 ? new Viewer(host, data.recordings) : undefined;
}

async function mountPlayground(root: HTMLElement): Promise<void> {
  const data = jsonOf("rigor-playground-data") as
    | { wasm: string; tables: string; scenes: PlaygroundData["scenes"] }
    | undefined;
  if (!data) return;
  const tables = (await inflate(data.tables).json()) as Pick<PlaygroundData, "solvers" | "truths">;
  const module = await compile(data.wasm);
  root.replaceChildren();
  new Playground(root, { module, scenes: data.scenes, ...tables });
}

/* The playground starts when it is first seen. */
function whenSeen(root: HTMLElement, mount: (root: HTMLElement) => Promise<void>): void {
  const watch = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    mount(root).catch((error: Error) => {
      console.error(error);
      root.replaceChildren(
        h("p", { class: "rg-sorry", role: "alert" }, `This needs WebGL and WebAssembly: ${error.message}`),
      );
    });
  });
  watch.observe(root);
}

for (const root of document.querySelectorAll<HTMLElement>(".rigor-viewer"))
  new Slot(root, (host) => makeViewer(host, root.dataset["recordings"] ?? "rigor-recordings"));
window.rigorStills = () => Slot.printAll();
for (const root of document.querySelectorAll<HTMLElement>(".rigor-playground")) whenSeen(root, mountPlayground);

/* Tabs of the page; a page without recordings is the playground alone. */
const tabs = [...document.querySelectorAll<HTMLButtonElement>("[role=tab]")];

function openTab(tab: HTMLButtonElement): void {
  for (const other of tabs) {
    const open = other === tab;
    other.setAttribute("aria-selected", String(open));
    other.tabIndex = open ? 0 : -1;
    const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
    if (panel) panel.hidden = !open;
  }
}

for (const tab of tabs) {
  tab.addEventListener("click", () => openTab(tab));
  tab.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next = tabs[(tabs.indexOf(tab) + (event.key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
    if (next) openTab(next);
    next?.focus();
  });
}
if (tabs[0] && tabs[1]) {
  const empty = jsonOf("rigor-recordings") === undefined;
  tabs[0].hidden = empty;
  openTab(empty || location.hash === "#playground" || location.hash.startsWith("#play=") ? tabs[1] : tabs[0]);
}
