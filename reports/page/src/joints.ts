/* SPDX-License-Identifier: MIT */
/* Joints with their anchors and axis in their bodies' frames, and the error each lets one see. */
import { Quaternion, Vector3 } from "three";
import {
  allBodies,
  placeOf,
  type SceneBody,
  type SceneFile,
  type SceneJoint,
  sceneJoints,
  type Triple,
  WORLD,
} from "./scene_file";

function startOf(body: SceneBody): { x: Vector3; q: Quaternion } {
  const [w, x, y, z] = body.orientation ?? [1, 0, 0, 0];
  return { x: new Vector3(...(body.position ?? [0, 0, 0])), q: new Quaternion(x, y, z, w) };
}

/* A joint with its bodies' indices and its anchors and axis in their frames. */
export interface PlacedJoint {
  joint: SceneJoint;
  bodies: number[];
  anchors: [Vector3, Vector3];
  axis: Vector3; // in body 1
  rest: number; // of a distance
}

export function placeJoints(scene: SceneFile): PlacedJoint[] {
  const bodies = allBodies(scene);
  const index = new Map(bodies.map((body, i) => [body.name, i]));
  return sceneJoints(scene).map((joint) => {
    const numbers = joint.bodies.map((name) => index.get(name) ?? 0);
    const [one, two] = [bodies[numbers[0] ?? 0] ?? WORLD, bodies[numbers[1] ?? 0] ?? WORLD];
    return place(joint, numbers, one, two);
  });
}

function place(joint: SceneJoint, bodies: number[], one: SceneBody, two: SceneBody): PlacedJoint {
  const starts = [startOf(one), startOf(two)] as const;
  const local = (k: 0 | 1, point: Triple) =>
    new Vector3(...point).sub(starts[k].x).applyQuaternion(starts[k].q.clone().invert());
  const at = placeOf(joint, two);
  const anchors: [Vector3, Vector3] = at
    ? [local(0, at), local(1, at)]
    : [new Vector3(...(joint.anchors?.[0] ?? [0, 0, 0])), new Vector3(...(joint.anchors?.[1] ?? [0, 0, 0]))];
  if (joint.center) anchors[0] = local(0, joint.center);
  const axis = new Vector3(...(joint.axis ?? [1, 0, 0])).normalize().applyQuaternion(starts[0].q.clone().invert());
  const world = (k: 0 | 1) => anchors[k].clone().applyQuaternion(starts[k].q).add(starts[k].x);
  return { joint, bodies, anchors, axis, rest: joint.rest ?? world(0).distanceTo(world(1)) };
}

/* m: the part of p2 - p1 that the joint forbids. */
export function jointError(joint: PlacedJoint, p1: Vector3, p2: Vector3, axis: Vector3): Vector3 {
  const d = p2.clone().sub(p1);
  switch (joint.joint.type) {
    case "distance": {
      const length = d.length();
      const stretch = joint.joint.one_sided ? Math.max(0, length - joint.rest) : length - joint.rest;
      return length > 0 ? d.multiplyScalar(stretch / length) : d;
    }
    case "prismatic":
    case "cylinder":
      return d.addScaledVector(axis, -d.dot(axis));
    case "wire": {
      const off = axis.clone().multiplyScalar(d.dot(axis));
      const radial = d.sub(off);
      const length = radial.length();
      return off.add(radial.multiplyScalar(length > 0 ? 1 - (joint.joint.radius ?? 0) / length : 0));
    }
    case "series": // its axes move it
      return d.set(0, 0, 0);
    default:
      return d;
  }
}
