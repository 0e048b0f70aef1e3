/* SPDX-License-Identifier: MIT */
/* The box that a run lives in, so that the camera sees all of it, and how large marks in it should be. */
import { Box3, Matrix4, Quaternion, Vector3 } from "three";
import { placeJoints } from "./joints";
import type { Frame, Meshes } from "./recording";
import { allBodies, type SceneFile, sceneJoints } from "./scene_file";
import { halfSizeOf } from "./shapes";

/* m; what has flown off farther than this is left out. */
const FAR = 1e3;

/* Grows the box by a state. */
export function growBounds(
  box: Box3,
  scene: SceneFile,
  { position: x, orientation: q }: Pick<Frame, "position" | "orientation">,
  meshes?: Meshes,
): void {
  const [at, turn, matrix, own] = [new Vector3(), new Quaternion(), new Matrix4(), new Box3()];
  allBodies(scene).forEach((body, i) => {
    if (i === 0 || body.shape?.plane) return;
    const half = halfSizeOf(body, meshes?.get(body.name)?.vertices);
    at.set(x[3 * i] ?? 0, x[3 * i + 1] ?? 0, x[3 * i + 2] ?? 0);
    if (!(at.length() + half.length() < FAR)) return;
    turn.set(q[4 * i + 1] ?? 0, q[4 * i + 2] ?? 0, q[4 * i + 3] ?? 0, q[4 * i] ?? 1);
    own.min.copy(half).negate();
    own.max.copy(half);
    box.union(own.applyMatrix4(matrix.makeRotationFromQuaternion(turn).setPosition(at)));
  });
}

/* Never empty, and with what is fixed to the world in it. */
export function finishBounds(box: Box3, scene: SceneFile): Box3 {
  if (sceneJoints(scene).some((joint) => joint.bodies.includes("world"))) box.expandByPoint(new Vector3());
  if (box.isEmpty()) return new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  return box.expandByScalar(0.02 * Math.max(box.getSize(new Vector3()).length(), 1e-3));
}

/* m, the radius of a joint's dot: seen in the whole scene, no thicker than what it joins, and apart from its
 * neighbours. */
export function markSize(box: Box3, scene: SceneFile): number {
  const size = box.getSize(new Vector3()).length();
  const widths = scene.bodies.map((body) => Math.min(...halfSizeOf(body).toArray())).filter((width) => width > 0);
  const lengths = placeJoints(scene).flatMap(({ joint, rest }) =>
    joint.type === "distance" && rest > 0 ? [rest] : [],
  );
  return Math.min(Math.max(0.6 * median(widths), 0.004 * size), 0.009 * size, 0.15 * median(lengths));
}

/* Infinite for none. */
function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Infinity;
}
