/* SPDX-License-Identifier: MIT */
/* Pictures and clips of a canvas, as files. */
import { h } from "./dom";

export function download(address: string, name: string): void {
  h("a", { href: address, download: name }).click();
}

/* Pictures a second of a clip. */
const RATE = 30;

/* ms, after which what is recorded so far is counted. */
const SLICE = 500;

/* A button that records until it is pressed again. */
export class Clip {
  readonly button = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggle() }, "clip");
  private recorder: MediaRecorder | undefined;

  constructor(
    private canvas: HTMLCanvasElement,
    private say: (text: string) => void,
  ) {
    this.button.hidden = typeof MediaRecorder === "undefined" || !("captureStream" in canvas);
  }

  /* A stream takes a picture when one is drawn: who records draws on, also what stands still. */
  get recording(): boolean {
    return this.recorder !== undefined;
  }

  private toggle(): void {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(RATE));
    recorder.addEventListener("dataavailable", ({ data }) => {
      parts.push(data);
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      if (size > 0) this.say(`a clip is recorded until the button is pressed again: ${(size / 1000).toFixed(1)} kB`);
    });
    recorder.addEventListener("stop", () => this.save(parts, recorder.mimeType));
    recorder.start(SLICE);
    this.recorder = recorder;
    this.button.setAttribute("aria-pressed", "true");
    this.say("a clip is recorded until the button is pressed again");
  }

  private save(parts: Blob[], type: string): void {
    this.recorder = undefined;
    this.button.setAttribute("aria-pressed", "false");
    const address = URL.createObjectURL(new Blob(parts, { type }));
    download(address, "playground.webm");
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    this.say("the clip is saved");
  }
}
