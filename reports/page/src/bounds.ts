/* The box that a run lives in, so that the camera sees all of it. */
import { Box3, Vector3 } from "three";
import type { Numbers } from "./recording";
import { allBodies, type SceneFile } from "./scene_file";
import { extentOf } from "./shapes";

/* Grows the box by a state; what has flown off farther than `limit` is left out. */
export function growBounds(box: Box3, scene: SceneFile, position: Numbers, limit = 1e3): void {
  const at = new Vector3();
  allBodies(scene).forEach((body, i) => {
    if (i === 0 || body.shape?.plane) return;
    at.set(position[3 * i] ?? 0, position[3 * i + 1] ?? 0, position[3 * i + 2] ?? 0);
    const reach = extentOf(body);
    if (!(at.length() + reach < limit)) return;
    box.expandByPoint(at.clone().addScalar(reach)).expandByPoint(at.clone().addScalar(-reach));
  });
}

/* Never empty, never flat: at least a tenth of its length in every direction. */
export function finishBounds(box: Box3, scene: SceneFile): Box3 {
  if ((scene.joints ?? []).some((joint) => joint.bodies.includes("world"))) box.expandByPoint(new Vector3());
  if (box.isEmpty()) return new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  const length = Math.max(box.getSize(new Vector3()).length(), 1e-3);
  return box.expandByScalar(0.04 * length);
}
