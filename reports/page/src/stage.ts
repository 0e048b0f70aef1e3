/* SPDX-License-Identifier: MIT */
/* What is drawn of one run: its bodies, its joints with their errors, its contacts; update() puts it to a state. */
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Group,
  IcosahedronGeometry,
  InstancedMesh,
  type Intersection,
  Matrix4,
  MeshLambertMaterial,
  type Object3D,
  Quaternion,
  type Raycaster,
  SphereGeometry,
  Vector3,
} from "three";
import { Marks } from "./marks";
import { CONTACT, errorColour, heatColour, SELECTION } from "./palette";
import type { Frame, Meshes } from "./recording";
import { jointError, type PlacedJoint, placeJoints } from "./joints";
import { allBodies, removedBy, type SceneBody, type SceneFile } from "./scene_file";
import { halfSizeOf, isHousing, type Part, type PartKind, part, partsOf } from "./shapes";

export interface StageOptions {
  joints: boolean;
  errors: boolean;
  contacts: boolean;
  exaggeration: number; // of joint errors
  forceScale: number; // m/N, of contact and joint forces
  jointForces?: boolean;
  heat?: boolean; // joints coloured by their errors, bodies by those of their joints
}

/* One draw call: which body and which part of it each instance is. */
interface Batch {
  mesh: InstancedMesh<BufferGeometry, MeshLambertMaterial>;
  items: { body: number; part: Part }[];
  seeThrough: boolean;
}

/* More parts than this are drawn with fewer triangles and without shadows: a thousand must still move. */
const MANY = 300;

const GEOMETRY: Record<PartKind, (many: boolean) => BufferGeometry> = {
  sphere: (many) => (many ? new IcosahedronGeometry(1, 2) : new SphereGeometry(1, 28, 18)),
  box: () => new BoxGeometry(1, 1, 1),
  cylinder: (many) => new CylinderGeometry(1, 1, 1, many ? 12 : 32),
};

/* Dark lines along a box's edges, drawn where its texture coordinates end: bodies of one colour stay apart. */
function drawEdges(material: MeshLambertMaterial): void {
  material.defines = { ...material.defines, USE_UV: "" };
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <color_fragment>",
      `#include <color_fragment>
       vec2 inside = min(vUv, 1.0 - vUv) / fwidth(vUv);
       diffuseColor.rgb *= mix(0.55, 1.0, smoothstep(0.6, 1.6, min(inside.x, inside.y)));`,
    );
  };
}

/* Contacts between more bodies than this would hide them if they shone through. */
const CROWD = 100;
const PULL = "#009E73";
const HOUSING_OPACITY = 0.16;
const NOTHING = new Vector3(0, 0, 0);
const UNIT = new Vector3(1, 1, 1);

export class Stage {
  readonly group = new Group();
  readonly bodies: SceneBody[];
  selected = -1;
  /* What a pointer holds: a point of a body, in its frame, and where it is pulled to. */
  pull: { body: number; at: Vector3; to: Vector3 } | undefined;
  private batches: Batch[] = [];
  private joints: PlacedJoint[];
  private rods: Marks;
  private anchors: Marks;
  private hotAnchors: Marks;
  private errors: Marks;
  private errorHeads: Marks;
  private forces: Marks;
  private forceHeads: Marks;
  private touches: Marks;
  private pulls: Marks;
  private pullEnds: Marks;
  private frame: Frame | undefined;
  private removed = new Set<number>();
  private colour = "";
  private bodyError: Float64Array; // m, the largest of each body's joints
  private heated = false;

  /* `mark` is the radius of a joint's dot in m: all marks are drawn in proportion. */
  constructor(
    private scene: SceneFile,
    colour: string,
    private mark: number,
    meshes: Meshes = new Map(),
    private ink = "#555555",
  ) {
    this.bodies = allBodies(scene);
    this.bodyError = new Float64Array(this.bodies.length);
    this.joints = placeJoints(scene);
    this.addParts(meshes);
    this.addMeshes(meshes);
    this.setOpacity(1);
    this.paint(colour);
    const joints = this.joints.length;
    const contacts = 8 * this.bodies.length + 64 + joints;
    this.rods = Marks.sticks(ink, 4 * joints + 64 * joints * Number(this.joints.some((j) => j.joint.type === "wire")));
    this.anchors = Marks.dots(ink, 2 * joints);
    this.hotAnchors = Marks.tinted(joints);
    this.errors = Marks.sticks(errorColour(), joints);
    this.errorHeads = Marks.heads(errorColour(), joints);
    this.forces = Marks.sticks(CONTACT, contacts);
    this.forceHeads = Marks.heads(CONTACT, contacts);
    this.touches = Marks.dots(CONTACT, contacts);
    this.pulls = Marks.sticks(PULL, 1);
    this.pullEnds = Marks.dots(PULL, 2);
    for (const marks of this.marks()) this.group.add(marks.mesh);
    const inside = [this.errors, this.errorHeads, this.hotAnchors];
    if (this.bodies.length < CROWD) inside.push(this.forces, this.forceHeads, this.touches);
    for (const marks of inside) marks.shineThrough();
  }

  private marks(): Marks[] {
    return [
      this.rods,
      this.anchors,
      this.hotAnchors,
      this.errors,
      this.errorHeads,
      this.forces,
      this.forceHeads,
      this.touches,
      this.pulls,
      this.pullEnds,
    ];
  }

  private addParts(meshes: Meshes): void {
    const byKind = new Map<PartKind, Batch["items"]>();
    const housings: Batch["items"] = [];
    this.bodies.forEach((body, index) => {
      if (meshes.has(body.name) && !body.shapes) return;
      const housing = isHousing(body, this.bodies);
      for (const part of partsOf(body, 1.6 * this.mark)) {
        const items = housing ? housings : (byKind.get(part.kind) ?? []);
        items.push({ body: index, part });
        if (!housing) byKind.set(part.kind, items);
      }
    });
    for (const [kind, items] of byKind) this.addBatch(GEOMETRY[kind](items.length > MANY), items, kind === "box");
    if (housings.length > 0) this.addBatch(GEOMETRY.box(false), housings, true).seeThrough = true;
  }

  private addMeshes(meshes: Meshes): void {
    this.bodies.forEach((body, index) => {
      const mesh = meshes.get(body.name);
      if (!mesh) return;
      const indexed = new BufferGeometry();
      indexed.setAttribute("position", new BufferAttribute(new Float32Array(mesh.vertices), 3));
      indexed.setIndex(Array.from(mesh.triangles));
      const geometry = indexed.toNonIndexed();
      geometry.computeVertexNormals();
      this.addBatch(geometry, [{ body: index, part: part("box", UNIT) }], false);
    });
  }

  private addBatch(geometry: BufferGeometry, items: Batch["items"], edges: boolean): Batch {
    const material = new MeshLambertMaterial();
    if (edges) drawEdges(material);
    const mesh = new InstancedMesh(geometry, material, items.length);
    mesh.frustumCulled = false;
    mesh.receiveShadow = items.length <= MANY;
    const batch = { mesh, items, seeThrough: false };
    this.batches.push(batch);
    this.group.add(mesh);
    return batch;
  }

  /* Fixed bodies are grey; the others the solver's colour, every second one a little lighter. */
  paint(colour: string): void {
    this.colour = colour;
    const [own, other] = [new Color(colour), new Color(colour).lerp(new Color("#ffffff"), 0.12)];
    const still = new Color(this.ink).lerp(new Color("#ffffff"), 0.45);
    const chosen = new Color(SELECTION);
    for (const { mesh, items } of this.batches) {
      items.forEach(({ body }, i) => {
        const plain = this.bodies[body]?.fixed ? still : body % 2 ? own : other;
        mesh.setColorAt(i, body === this.selected ? chosen : plain);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /* By its logarithm: a hundredth of a joint's dot is nothing yet, its whole size all. */
  private heatOf(error: number): Color {
    return new Color(heatColour(1 + 0.5 * Math.log10(error / this.mark)));
  }

  private paintHeat(): void {
    for (const { mesh, items } of this.batches) {
      items.forEach(({ body }, i) => {
        if (this.bodies[body]?.fixed || body === this.selected) return;
        mesh.setColorAt(i, this.heatOf(this.bodyError[body] ?? 0));
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /* In an overlay the runs behind the first shine through. */
  setOpacity(opacity: number): void {
    for (const { mesh, items, seeThrough } of this.batches) {
      const own = seeThrough ? HOUSING_OPACITY : opacity;
      mesh.material.transparent = own < 1;
      mesh.material.opacity = own;
      mesh.material.depthWrite = own === 1;
      mesh.castShadow = !seeThrough && items.length <= MANY;
      mesh.material.needsUpdate = true;
    }
  }

  positionOf(body: number, to: Vector3): Vector3 {
    const x = this.frame?.position;
    return x ? to.set(x[3 * body] ?? 0, x[3 * body + 1] ?? 0, x[3 * body + 2] ?? 0) : to.set(0, 0, 0);
  }

  private orientationOf(body: number, to: Quaternion): Quaternion {
    const q = this.frame?.orientation;
    return q
      ? to.set(q[4 * body + 1] ?? 0, q[4 * body + 2] ?? 0, q[4 * body + 3] ?? 0, q[4 * body] ?? 1)
      : to.identity();
  }

  update(frame: Frame, options: StageOptions): void {
    this.frame = frame;
    const names = removedBy(this.scene, frame.time);
    this.removed = new Set(this.bodies.flatMap(({ name }, i) => (names.has(name) ? [i] : [])));
    this.moveBodies();
    for (const marks of this.marks()) marks.begin();
    this.bodyError.fill(0);
    for (const joint of this.joints)
      if (!joint.bodies.some((body) => this.removed.has(body))) this.drawJoint(joint, options);
    if (this.pull) this.drawPull(this.pull);
    if (options.contacts && frame.contacts) this.drawContacts(frame.contacts, options);
    if (options.jointForces && frame.joints) this.drawJointForces(frame.joints, options);
    for (const marks of this.marks()) marks.end();
    if (options.heat) this.paintHeat();
    else if (this.heated) this.paint(this.colour);
    this.heated = !!options.heat;
  }

  private moveBodies(): void {
    const [matrix, x, q, at] = [new Matrix4(), new Vector3(), new Quaternion(), new Vector3()];
    for (const { mesh, items } of this.batches) {
      items.forEach(({ body, part }, i) => {
        this.orientationOf(body, q);
        at.copy(part.offset).applyQuaternion(q).add(this.positionOf(body, x));
        mesh.setMatrixAt(i, matrix.compose(at, q.multiply(part.turn), this.removed.has(body) ? NOTHING : part.scale));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // picking must not trust the one of another frame
    }
  }

  private pointOf(body: number, local: Vector3): Vector3 {
    return local
      .clone()
      .applyQuaternion(this.orientationOf(body, new Quaternion()))
      .add(this.positionOf(body, new Vector3()));
  }

  /* A world point in the body's frame. */
  localOf(body: number, point: Vector3): Vector3 {
    return point
      .clone()
      .sub(this.positionOf(body, new Vector3()))
      .applyQuaternion(this.orientationOf(body, new Quaternion()).invert());
  }

  private drawPull({ body, at, to }: NonNullable<Stage["pull"]>): void {
    const from = this.pointOf(body, at);
    this.pulls.stick(from, to, 0.4 * this.mark);
    this.pullEnds.dot(from, this.mark);
    this.pullEnds.dot(to, 1.3 * this.mark);
  }

  private drawJoint(joint: PlacedJoint, options: StageOptions): void {
    const type = joint.joint.type;
    if (type === "volume") return;
    const [p1, p2] = ([0, 1] as const).map((k) => this.pointOf(joint.bodies[k] ?? 0, joint.anchors[k])) as [
      Vector3,
      Vector3,
    ];
    const axis = joint.axis.clone().applyQuaternion(this.orientationOf(joint.bodies[0] ?? 0, new Quaternion()));
    const thin = 0.35 * this.mark;
    if (options.joints) {
      if (type === "distance") this.rods.stick(p1, p2, thin);
      else if (type === "wire") this.drawCircle(p1, axis, joint.joint.radius ?? 0, thin);
      else this.anchors.dot(p1, this.mark);
      if (["hinge", "servo", "motor"].includes(type)) this.drawAxis(p1, axis, 5 * this.mark, 1.6 * thin);
      if (["prismatic", "cylinder"].includes(type)) this.rods.stick(p1, p2, 1.4 * thin);
      for (const k of [0, 1] as const) this.drawArm(joint, k, k === 0 ? p1 : p2, thin);
    }
    /* What a compliant joint gives is no error. */
    if (joint.joint.compliance) return;
    const error = jointError(joint, p1, p2, axis);
    for (const body of joint.bodies) this.bodyError[body] = Math.max(this.bodyError[body] ?? 0, error.length());
    if (options.heat) this.hotAnchors.dot(p1, 1.5 * this.mark, this.heatOf(error.length()));
    if (options.errors) this.drawError(p1, error, options.exaggeration);
  }

  /* An anchor outside the body's shape hangs on a rod from its centre. */
  private drawArm(joint: PlacedJoint, k: 0 | 1, anchor: Vector3, radius: number): void {
    const index = joint.bodies[k] ?? 0;
    const body = this.bodies[index];
    if (!body || index === 0 || body.fixed || joint.joint.type === "prismatic" || body.shape?.mesh) return;
    const half = halfSizeOf(body).multiplyScalar(1.05).addScalar(this.mark);
    const at = joint.anchors[k];
    if (Math.abs(at.x) > half.x || Math.abs(at.y) > half.y || Math.abs(at.z) > half.z)
      this.rods.stick(this.positionOf(index, new Vector3()), anchor, radius);
  }

  private drawAxis(at: Vector3, axis: Vector3, reach: number, radius: number): void {
    this.rods.stick(at.clone().addScaledVector(axis, -reach), at.clone().addScaledVector(axis, reach), radius);
  }

  private drawCircle(centre: Vector3, axis: Vector3, radius: number, thickness: number): void {
    const across = Math.abs(axis.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    const a = across.cross(axis).normalize().multiplyScalar(radius);
    const b = axis.clone().cross(a);
    const at = (k: number) =>
      centre
        .clone()
        .addScaledVector(a, Math.cos((k * Math.PI) / 32))
        .addScaledVector(b, Math.sin((k * Math.PI) / 32));
    for (let k = 0; k < 64; k++) this.rods.stick(at(k), at(k + 1), thickness);
  }

  private drawError(at: Vector3, error: Vector3, exaggeration: number): void {
    const tip = at.clone().addScaledVector(error, exaggeration);
    arrow(this.errors, this.errorHeads, at, tip, 0.6 * this.mark);
  }

  private drawJointForces({ point, force }: NonNullable<Frame["joints"]>, options: StageOptions): void {
    for (let i = 0; 3 * i < point.length; i++) {
      const at = new Vector3(point[3 * i], point[3 * i + 1], point[3 * i + 2]);
      const pull = new Vector3(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
      arrow(this.forces, this.forceHeads, at, at.clone().addScaledVector(pull, options.forceScale), 0.4 * this.mark);
    }
  }

  private drawContacts(contacts: NonNullable<Frame["contacts"]>, options: StageOptions): void {
    const { point, force } = contacts;
    for (let i = 0; 3 * i < point.length; i++) {
      const at = new Vector3(point[3 * i], point[3 * i + 1], point[3 * i + 2]);
      const push = new Vector3(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
      this.touches.dot(at, 0.9 * this.mark);
      arrow(this.forces, this.forceHeads, at, at.clone().addScaledVector(push, options.forceScale), 0.4 * this.mark);
    }
  }

  /* The body under the ray and where it was hit. */
  pick(ray: Raycaster): { body: number; hit: Intersection } | undefined {
    let best: { body: number; hit: Intersection } | undefined;
    for (const { mesh, items, seeThrough } of this.batches)
      for (const hit of ray.intersectObject(mesh as Object3D, false)) {
        const body = items[hit.instanceId ?? -1]?.body;
        if (body !== undefined && !seeThrough && (!best || hit.distance < best.hit.distance)) best = { body, hit };
      }
    return best;
  }

  dispose(): void {
    for (const { mesh } of this.batches) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
    for (const { mesh } of this.marks()) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}

/* A short arrow is thin: it must not look like a long error. */
function arrow(shafts: Marks, heads: Marks, from: Vector3, to: Vector3, thickest: number): void {
  const length = from.distanceTo(to);
  const radius = Math.min(thickest, 0.1 * length);
  if (!(length > 0.1 * thickest)) return;
  const neck = to.clone().lerp(from, (5 * radius) / length);
  shafts.stick(from, neck, radius);
  heads.stick(neck, to, 2.2 * radius);
}
