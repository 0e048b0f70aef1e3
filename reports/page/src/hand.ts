/* SPDX-License-Identifier: MIT */
/* The hand that pulls a body in every run alike: a pointer's, or the arrow keys'. */
import { Vector3 } from "three";
import type { Lane } from "./lane";
import type { Input, Triple3 } from "./session";
import type { Viewport } from "./viewport";

const HELD = "while a body is held the energy stands still: the hand's work is left out";

export class Hand {
  held = false;
  private at = new Vector3();

  constructor(
    private viewport: Viewport,
    private lanes: () => Lane[],
    private act: (input: Input) => void,
    private say: (text: string) => void,
  ) {}

  /* Of a body that moves in some run. */
  grab(body: number, at: Vector3): boolean {
    const lanes = this.lanes().filter((lane) => lane.engine && !lane.engine.failed);
    if (lanes.length === 0 || body <= 0) return false;
    this.act({ kind: "grab", body, at: this.triple(at) });
    this.held = true;
    for (const { stage } of lanes) if (stage) stage.pull = { body, at: stage.localOf(body, at), to: at.clone() };
    this.say(HELD);
    return true;
  }

  pull(at: Vector3): void {
    this.act({ kind: "pull", at: this.triple(at) });
    for (const lane of this.lanes()) lane.stage?.pull?.to.copy(at);
  }

  drop(): void {
    if (this.held) {
      this.act({ kind: "drop" });
      this.say("let go: the energy counts again");
    }
    this.held = false;
    for (const lane of this.lanes()) if (lane.stage) lane.stage.pull = undefined;
  }

  /* Holds a body at its centre, or lets go what is held. */
  toggle(body: number): void {
    if (this.held) return this.drop();
    const frame = this.lanes().find((lane) => lane.engine)?.engine?.frame;
    if (body <= 0 || !frame) return this.say("select a body first: [ and ]");
    const [x = 0, y = 0, z = 0] = frame.position.slice(3 * body, 3 * body + 3);
    if (this.grab(body, new Vector3(x, y, z))) this.say(`arrows and page up, page down move the hand, h lets go; ${HELD}`);
  }

  /* By so much to the right, up, and away, of what is seen; false: nothing is held. */
  move(right: number, up: number, away: number): boolean {
    if (!this.held) return false;
    const [x, y, z] = this.viewport.directions();
    this.pull(this.at.clone().addScaledVector(x, right).addScaledVector(y, up).addScaledVector(z, away));
    return true;
  }

  private triple(at: Vector3): Triple3 {
    this.at.copy(at);
    return [at.x, at.y, at.z];
  }
}
