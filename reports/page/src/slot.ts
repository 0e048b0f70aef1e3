/* SPDX-License-Identifier: MIT */
/* A place in a document where a viewer lives while it is looked at. It starts when it has been in sight for a moment,
 * pauses out of sight, and of many only the last few seen stay alive: the others leave a still picture behind, since a
 * browser gives a page few 3D contexts. */
import { brief, h } from "./dom";
import type { Viewer } from "./viewer";

/* Browsers drop the oldest of about 8 (phones) to 16 contexts. */
const MOST_ALIVE = 3;

/* Poses of a filmstrip on paper. */
const POSES = 4;

/* ms in sight before it starts: who only scrolls past starts nothing. */
const DWELL = 200;

export class Slot {
  private static all: Slot[] = [];
  private static alive: Slot[] = []; // the last seen is the last
  private viewer: Viewer | undefined;
  private time = 0;
  private seen = false;

  constructor(
    private root: HTMLElement,
    private make: (host: HTMLElement) => Viewer | undefined,
  ) {
    Slot.all.push(this);
    new IntersectionObserver((entries) => {
      this.seen = entries.at(-1)?.isIntersecting ?? false;
      if (!this.seen) this.viewer?.pause();
      else setTimeout(() => this.seen && this.wake(), DWELL);
    }).observe(root);
  }

  /* For a printer: poses from the beginning to the end, in the place of the view, whoever was seen. */
  static printAll(): void {
    for (const slot of Slot.all) slot.print();
  }

  private print(): void {
    this.root.parentElement?.querySelector(".rg-strip")?.remove();
    const [awake, time] = [this.viewer !== undefined, this.viewer?.now() ?? this.time];
    const viewer = this.wake();
    if (!viewer) return;
    const poses = Array.from({ length: POSES }, (_, i) => (i * viewer.length()) / (POSES - 1));
    const pictures = poses.map((t) => {
      viewer.seek(t);
      return h("figure", {}, h("img", { src: viewer.picture(), alt: "" }), h("figcaption", {}, `${brief(t)} s`));
    });
    this.root.after(h("div", { class: "rg-strip", role: "img", "aria-label": "filmstrip" }, ...pictures));
    viewer.seek(time);
    if (!awake) this.sleep();
    this.time = time;
  }

  private wake(): Viewer | undefined {
    Slot.alive = [...Slot.alive.filter((slot) => slot !== this), this];
    if (this.viewer) return this.viewer;
    const host = h("div");
    this.root.replaceChildren(host);
    try {
      this.viewer = this.make(host);
      this.viewer?.seek(this.time);
    } catch (error) {
      console.error(error);
      const why = `This needs WebGL: ${(error as Error).message}`;
      this.root.replaceChildren(h("p", { class: "rg-sorry", role: "alert" }, why));
    }
    const asleep = Slot.alive.filter((slot) => !slot.seen);
    for (const slot of asleep.slice(0, Math.max(Slot.alive.length - MOST_ALIVE, 0))) slot.sleep();
    return this.viewer;
  }

  private sleep(): void {
    Slot.alive = Slot.alive.filter((slot) => slot !== this);
    if (!this.viewer) return;
    const picture = h("img", { class: "rg-still", src: this.viewer.picture(), alt: "the view as it was left" });
    this.time = this.viewer.now();
    picture.style.height = `${this.root.clientHeight}px`; // the page must not jump
    this.viewer.dispose();
    this.viewer = undefined;
    this.root.replaceChildren(picture);
  }
}
