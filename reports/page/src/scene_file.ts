/* SPDX-License-Identifier: MIT */
/* The scene file (what `rigor export` writes), as viewer and playground read it. Body 0 is `world`. */

export type Triple = [number, number, number];
export type Shape = {
  sphere?: { radius: number };
  box?: { size: Triple };
  capsule?: { radius: number; length: number };
  cylinder?: { radius: number; length: number };
  hull?: { points: Triple[] };
  mesh?: { file: string };
  plane?: { normal?: Triple; offset?: number };
  ellipsoid?: { radii: Triple };
};

/* One of several shapes of a body, in the body's frame. */
export type PlacedShape = Shape & {
  position?: Triple;
  orientation?: [number, number, number, number];
};

export interface SceneBody {
  name: string;
  position?: Triple;
  orientation?: [number, number, number, number];
  velocity?: Triple;
  angular_velocity?: Triple;
  fixed?: boolean;
  material?: string;
  force?: Triple;
  torque?: Triple;
  density?: number;
  mass?: number;
  inertia?: number[]; // three, or six: xx, yy, zz, xy, xz, yz
  shape?: Shape;
  shapes?: PlacedShape[];
  group?: number;
  mask?: number;
  fused?: string;
}

export interface SceneJoint {
  name?: string;
  type: string;
  bodies: string[];
  anchor?: Triple;
  anchors?: [Triple, Triple];
  axis?: Triple;
  normal?: Triple;
  center?: Triple;
  one_sided?: boolean;
  radius?: number;
  rest?: number;
  compliance?: number;
  angular_compliance?: number;
  stiffness?: number;
  damping?: number;
  angular_damping?: number;
  swing_max?: number;
  twist_min?: number;
  twist_max?: number;
  angle_min?: number;
  angle_max?: number;
  position_min?: number;
  position_max?: number;
  target?: number;
  speed?: number;
  torque?: number;
  force?: number;
  max_torque?: number;
  angle?: number;
}

/* Materials, as far as a page runs them. */
export interface SceneMaterial {
  friction?: number;
  restitution?: number;
  patch_radius?: number | "auto";
  rolling_friction?: number;
  spin_friction?: number;
  static_friction?: number;
  slides?: boolean;
  priority?: number;
}

export interface SceneFile {
  name: string;
  gravity: Triple;
  time?: number;
  energy_scale?: number;
  speed_scale?: number;
  length_scale: number;
  attractor?: { at: Triple; gm: number };
  materials?: Record<string, SceneMaterial>;
  combine?: { friction?: string; restitution?: string };
  collide?: "all" | "none" | { except?: [string, string][]; only?: [string, string][] };
  bodies: SceneBody[];
  joints?: SceneJoint[];
  events?: { time: number; remove: string }[];
}

export const WORLD: SceneBody = { name: "world", fixed: true };

/* With `world` first, as all states and indices count. */
export function allBodies(scene: SceneFile): SceneBody[] {
  return [WORLD, ...scene.bodies];
}

/* All shapes of a body, each in its place. */
export function shapesOf(body: SceneBody): PlacedShape[] {
  return body.shapes ?? (body.shape ? [body.shape] : []);
}

/* Mass alone: it never turns. */
export function isParticle(body: SceneBody): boolean {
  return !body.shape && !body.shapes && !body.inertia && body !== WORLD;
}

/* Couplings stand among the joints, but join no bodies: states and forces count without them. */
export function sceneJoints(scene: SceneFile): SceneJoint[] {
  return (scene.joints ?? []).filter((joint) => joint.type !== "coupling");
}

/* What moves a joint's own coordinate; the playground has none of it. */
const LAWS = ["turn_max", "viscous", "spring", "armature", "dry_friction", "drive", "effort", "start", "axes"];

export function hasLaw(joint: SceneJoint): boolean {
  return joint.type === "coupling" || Object.keys(joint).some((key) => LAWS.includes(key));
}

/* The world point a joint is placed at, or none: then its anchors are in its bodies' frames. A fixed joint, a slide and
 * a series that give no place stand at body 2's centre. */
export function placeOf(joint: SceneJoint, second: SceneBody | undefined): Triple | undefined {
  const still = ["fixed", "prismatic", "series"].includes(joint.type) && !joint.anchors;
  return joint.anchor ?? (still ? (second?.position ?? [0, 0, 0]) : undefined);
}

/* The bodies that events have taken away by that time: states keep them where they were last. */
export function removedBy(scene: SceneFile, time: number): Set<string> {
  return new Set((scene.events ?? []).filter((event) => event.time <= time + 1e-9).map((event) => event.remove));
}
