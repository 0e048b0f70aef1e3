/* SPDX-License-Identifier: MIT */
/* Bodies as parts: every shape is put together from unit spheres (stretched: ellipsoids), boxes and cylinders (axis y), so that all bodies of a
 * kind are one draw call; hulls and meshes have a geometry of their own, planes are floors. */
import { Quaternion, Vector3 } from "three";
import { isParticle, type PlacedShape, type SceneBody, shapesOf, type Triple, WORLD } from "./scene_file";

export type PartKind = "sphere" | "box" | "cylinder";

export interface Part {
  kind: PartKind;
  scale: Vector3;
  offset: Vector3;
  turn: Quaternion;
}

export function part(kind: PartKind, scale: Vector3, offset = new Vector3()): Part {
  return { kind, scale, offset, turn: new Quaternion() };
}

/* Edge lengths of the homogeneous box with these moments and this mass: Ixx = m (y^2 + z^2) / 12. */
function inertiaBox(mass: number, [x, y, z]: [number, number, number]): Vector3 {
  const edge = (a: number) => Math.sqrt(Math.max((6 * a) / mass, 0));
  const size = new Vector3(edge(y + z - x), edge(z + x - y), edge(x + y - z));
  const least = 0.04 * Math.max(size.x, size.y, size.z);
  return size.clampScalar(least, Infinity);
}

/* The parts of one shape in its own frame. */
function partsOfShape({ sphere, box, capsule, cylinder, ellipsoid }: PlacedShape): Part[] {
  if (sphere) return [part("sphere", new Vector3().setScalar(sphere.radius))];
  if (ellipsoid) return [part("sphere", new Vector3(...ellipsoid.radii))];
  if (box) return [part("box", new Vector3(...box.size))];
  if (cylinder) return [part("cylinder", new Vector3(cylinder.radius, cylinder.length, cylinder.radius))];
  if (!capsule) return [];
  const { radius: r, length } = capsule;
  const end = (side: number) => part("sphere", new Vector3(r, r, r), new Vector3(0, (side * length) / 2, 0));
  return [part("cylinder", new Vector3(r, length, r)), end(-1), end(1)];
}

/* Moved to where the shape is in the body's frame. */
function placed(one: Part, { position = [0, 0, 0], orientation = [1, 0, 0, 0] }: PlacedShape): Part {
  const [w, x, y, z] = orientation;
  const turn = new Quaternion(x, y, z, w);
  const offset = one.offset.clone().applyQuaternion(turn).add(new Vector3(...position));
  return { ...one, offset, turn };
}

/* `dot` is the radius of a particle, which has no size of its own. */
export function partsOf(body: SceneBody, dot: number): Part[] {
  if (body.shape?.mesh) return [part("box", new Vector3().setScalar(4 * dot))];
  if (body.shape || body.shapes)
    return shapesOf(body).flatMap((shape) => partsOfShape(shape).map((one) => placed(one, shape)));
  const [x, y, z] = body.inertia ?? [];
  if (x !== undefined && y !== undefined && z !== undefined && body.mass)
    return [part("box", inertiaBox(body.mass, [x, y, z]))];
  if (isParticle(body)) return [part("sphere", new Vector3().setScalar(dot))];
  return [];
}

/* m, half the edges of the box around the body in its own frame; zero for what has no size. */
export function halfSizeOf(body: SceneBody, vertices: ArrayLike<number> = []): Vector3 {
  const half = new Vector3();
  const reach = (p: Triple) => half.max(new Vector3(Math.abs(p[0]), Math.abs(p[1]), Math.abs(p[2])));
  for (const point of body.shape?.hull?.points ?? []) reach(point);
  for (let i = 0; i < vertices.length; i += 3) reach([vertices[i] ?? 0, vertices[i + 1] ?? 0, vertices[i + 2] ?? 0]);
  for (const { kind, scale, offset, turn } of body.shape?.mesh ? [] : partsOf(body, 0)) {
    const own = kind === "sphere" ? [1, 1, 1] : kind === "box" ? [0.5, 0.5, 0.5] : [1, 0.5, 1];
    for (let corner = 0; corner < 8; corner++) {
      const at = [0, 1, 2].map((i) => (corner & (1 << i) ? 1 : -1) * (own[i] ?? 0));
      reach(new Vector3(at[0], at[1], at[2]).multiply(scale).applyQuaternion(turn).add(offset).toArray());
    }
  }
  return half;
}

/* Whether a box holds the centres of other bodies from the start: a housing, which must not hide them. */
export function isHousing(body: SceneBody, bodies: SceneBody[]): boolean {
  if (!body.shape?.box) return false;
  const [w, x, y, z] = body.orientation ?? [1, 0, 0, 0];
  const back = new Quaternion(-x, -y, -z, w);
  const half = halfSizeOf(body);
  const inside = bodies.filter((other) => {
    if (other === body || other.shape?.plane || other === WORLD) return false;
    const at = new Vector3(...(other.position ?? [0, 0, 0]))
      .sub(new Vector3(...(body.position ?? [0, 0, 0])))
      .applyQuaternion(back);
    return Math.abs(at.x) < half.x && Math.abs(at.y) < half.y && Math.abs(at.z) < half.z;
  });
  return inside.length >= 2;
}
