/* SPDX-License-Identifier: MIT */
/* Many alike things in one draw call: sticks (segments with a thickness), dots, arrow heads. */
import {
  type BufferGeometry,
  type Color,
  ConeGeometry,
  CylinderGeometry,
  IcosahedronGeometry,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";

/* More marks than this are drawn with fewer triangles. */
const MANY = 500;

const UP = new Vector3(0, 1, 0);

export class Marks {
  readonly mesh: InstancedMesh<BufferGeometry, MeshLambertMaterial>;
  private used = 0;
  private matrix = new Matrix4();
  private turn = new Quaternion();
  private along = new Vector3();
  private middle = new Vector3();
  private scale = new Vector3();

  private constructor(geometry: BufferGeometry, colour: string, capacity: number) {
    const material = new MeshLambertMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.35 });
    this.mesh = new InstancedMesh(geometry, material, Math.max(capacity, 1));
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
  }

  static sticks(colour: string, capacity: number): Marks {
    return new Marks(new CylinderGeometry(1, 1, 1, capacity > MANY ? 5 : 10, 1, true), colour, capacity);
  }

  static dots(colour: string, capacity: number): Marks {
    return new Marks(capacity > MANY ? new IcosahedronGeometry(1, 1) : new SphereGeometry(1, 16, 12), colour, capacity);
  }

  /* Each of a colour of its own. */
  static tinted(capacity: number): Marks {
    const marks = Marks.dots("#ffffff", capacity);
    marks.mesh.material.emissiveIntensity = 0;
    return marks;
  }

  static heads(colour: string, capacity: number): Marks {
    return new Marks(new ConeGeometry(1, 1, 12), colour, capacity);
  }

  /* Seen through whatever lies before it. */
  shineThrough(): void {
    this.mesh.material.depthTest = false;
    this.mesh.material.transparent = true; // drawn after all that is solid
    this.mesh.renderOrder = 2;
  }

  begin(): void {
    this.used = 0;
  }

  /* From a to b, of that radius; a head's base lies at a. */
  stick(a: Vector3, b: Vector3, radius: number): void {
    this.along.subVectors(b, a);
    const length = this.along.length();
    if (!(length > 0) || !Number.isFinite(length)) return;
    this.turn.setFromUnitVectors(UP, this.along.divideScalar(length));
    this.middle.addVectors(a, b).multiplyScalar(0.5);
    this.put(this.middle, this.turn, this.scale.set(radius, length, radius));
  }

  dot(at: Vector3, radius: number, colour?: Color): void {
    if (colour && this.used < this.mesh.instanceMatrix.count) this.mesh.setColorAt(this.used, colour);
    this.put(at, this.turn.identity(), this.scale.setScalar(radius));
  }

  end(): void {
    this.mesh.count = this.used;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  private put(at: Vector3, turn: Quaternion, scale: Vector3): void {
    if (this.used >= this.mesh.instanceMatrix.count) return;
    this.mesh.setMatrixAt(this.used++, this.matrix.compose(at, turn, scale));
  }
}
