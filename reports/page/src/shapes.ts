/* Bodies as parts: every shape is put together from unit spheres, boxes and cylinders (axis y), so that all bodies of a
 * kind are one draw call; hulls and meshes have a geometry of their own, planes are floors. */
import { Vector3 } from "three";
import { isParticle, type SceneBody } from "./scene_file";

export type PartKind = "sphere" | "box" | "cylinder";

export interface Part {
  kind: PartKind;
  scale: Vector3;
  offset: Vector3;
}

function part(kind: PartKind, scale: Vector3, offset = new Vector3()): Part {
  return { kind, scale, offset };
}

/* Edge lengths of the homogeneous box with these moments and this mass: Ixx = m (y^2 + z^2) / 12. */
function inertiaBox(mass: number, [x, y, z]: [number, number, number]): Vector3 {
  const edge = (a: number) => Math.sqrt(Math.max((6 * a) / mass, 0));
  const size = new Vector3(edge(y + z - x), edge(z + x - y), edge(x + y - z));
  const least = 0.04 * Math.max(size.x, size.y, size.z);
  return size.clampScalar(least, Infinity);
}

/* `dot` is the radius of a particle, which has no size of its own. */
export function partsOf(body: SceneBody, dot: number): Part[] {
  const { sphere, box, capsule, cylinder, mesh } = body.shape ?? {};
  if (sphere) return [part("sphere", new Vector3().setScalar(sphere.radius))];
  if (box) return [part("box", new Vector3(...box.size))];
  if (cylinder) return [part("cylinder", new Vector3(cylinder.radius, cylinder.length, cylinder.radius))];
  if (capsule) {
    const { radius: r, length } = capsule;
    const end = (side: number) => part("sphere", new Vector3(r, r, r), new Vector3(0, (side * length) / 2, 0));
    return [part("cylinder", new Vector3(r, length, r)), end(-1), end(1)];
  }
  if (mesh) return [part("box", new Vector3().setScalar(4 * dot))];
  if (!body.shape && body.inertia && body.mass) return [part("box", inertiaBox(body.mass, body.inertia))];
  if (isParticle(body)) return [part("sphere", new Vector3().setScalar(dot))];
  return [];
}

/* m, from the body's centre to its farthest point; 0 for what has no size. */
export function extentOf(body: SceneBody): number {
  const hull = body.shape?.hull?.points ?? [];
  const parts = body.shape?.mesh ? [] : partsOf(body, 0);
  const reach = (p: Part) => (p.kind === "box" ? p.scale.length() / 2 : p.scale.x + p.scale.y / 2) + p.offset.length();
  return Math.max(0, ...parts.map((p) => (p.kind === "sphere" ? p.scale.x + p.offset.length() : reach(p))), ...hull.map((p) => Math.hypot(...p)));
}
