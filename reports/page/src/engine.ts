/* SPDX-License-Identifier: MIT */
/* The solvers as WebAssembly: a scene file put into wasm/playground.h, and its state read back. No page needed: tests
 * run it too. */
import type { Frame } from "./recording";
import { allBodies, hasLaw, placeOf, type SceneBody, type SceneFile, type SceneJoint, type Shape } from "./scene_file";

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  playground_create(): number;
  playground_destroy(p: number): void;
  playground_text(p: number): number;
  playground_message(p: number): number;
  playground_body(p: number): number;
  playground_joint(p: number): number;
  playground_set_length_scale(p: number, length: number): void;
  playground_set_field(
    p: number,
    gx: number,
    gy: number,
    gz: number,
    ax: number,
    ay: number,
    az: number,
    gm: number,
  ): void;
  playground_add_material(p: number, friction: number, restitution: number, patchRadius: number): number;
  playground_set_collide(p: number, collide: number, friction: number, restitution: number): void;
  playground_add_exception(p: number, body1: number, body2: number): number;
  playground_add_body(p: number, kind: number, material: number, fixed: number, hasInertia: number): number;
  playground_add_joint(
    p: number,
    type: number,
    b0: number,
    b1: number,
    b2: number,
    b3: number,
    localAnchors: number,
    oneSided: number,
  ): number;
  playground_joint_type(p: number): number;
  playground_solver_count(): number;
  playground_solver_name(solver: number): number;
  playground_choose_solver(p: number, solver: number): number;
  playground_set_option(p: number): number;
  playground_start(p: number, dt: number): number;
  playground_retune(p: number, dt: number): number;
  playground_set_gravity(p: number, x: number, y: number, z: number): void;
  playground_joint_forces(p: number): number;
  playground_frame(p: number, speedScale: number): number;
  playground_remove_at(p: number, time: number, body: number): number;
  playground_state(p: number): number;
  playground_energy_change(p: number): number;
  playground_drift(p: number): number;
  playground_penetration(p: number): number;
  playground_count_contacts(p: number): number;
  playground_contacts(p: number): number;
  playground_row_solves(p: number): number;
  playground_grab(p: number, body: number, x: number, y: number, z: number, compliance: number): number;
  playground_pull(p: number, x: number, y: number, z: number): void;
  playground_release(p: number): void;
  playground_moving_mass(p: number): number;
  playground_take_over(p: number, from: number): number;
  scene_input(): number;
  scene_describe(): number;
  scene_message(): number;
}

export interface EngineOptions {
  solver: string;
  options: Record<string, string>;
  dt: number; // s
  compliance?: number; // of every joint, instead of the scene's
}

/* In the order of ShapeKind. */
const SHAPES: (keyof Shape | "none")[] = ["none", "sphere", "box", "capsule", "cylinder", "hull", "mesh", "plane", "ellipsoid"];

/* In the order of Combine. */
const COMBINE = ["average", "multiply", "sum", "min", "max"];

/* What a material is that says nothing. */
const PLAIN = { friction: 0.5, restitution: 0, patch_radius: 0 };

const TEXT_BYTES = 256;
const STATE_WIDTH = 13;
const CONTACT_WIDTH = 6;

/* How fast a dragged scene follows the pointer: rad/s of the whole mass on the grip's spring. */
const GRIP_RATE = 12;

const NO_FILE = 8; // WASI's EBADF

/* What the page carries as gzip in base64. */
export function inflate(base64: string): Response {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
}

export async function compile(base64: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await inflate(base64).arrayBuffer());
}

function instantiate(module: WebAssembly.Module): Exports {
  /* The C library would like files for messages that nobody prints. */
  const none = () => NO_FILE;
  const wasi_snapshot_preview1 = { fd_close: none, fd_seek: none, fd_write: none };
  /* Truths of scenes, which nobody asks for here (wasm/truths.txt). */
  const missing = WebAssembly.Module.imports(module).filter((one) => one.module === "env");
  const env = Object.fromEntries(missing.map(({ name }) => [name, () => 0]));
  const wasm = new WebAssembly.Instance(module, { wasi_snapshot_preview1, env }).exports as unknown as Exports;
  wasm._initialize();
  return wasm;
}

function textAt(wasm: Exports, at: number): string {
  const bytes = new Uint8Array(wasm.memory.buffer, at);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

export function solverNames(module: WebAssembly.Module): string[] {
  const wasm = instantiate(module);
  return Array.from({ length: wasm.playground_solver_count() }, (_, i) => textAt(wasm, wasm.playground_solver_name(i)));
}

const INPUT_BYTES = 4096;

/* The scene of this name, built by the module as the program builds it. Throws what is wrong with its parameters. */
export function sceneOf(module: WebAssembly.Module, name: string, params: Record<string, string>): SceneFile {
  const wasm = instantiate(module);
  const words = [name, ...Object.entries(params).flat(), ""];
  const bytes = new TextEncoder().encode(words.map((word) => `${word}\0`).join(""));
  if (bytes.length > INPUT_BYTES) throw new Error(`too many parameters of ${name}`);
  new Uint8Array(wasm.memory.buffer, wasm.scene_input(), bytes.length).set(bytes);
  const at = wasm.scene_describe();
  if (!at) throw new Error(textAt(wasm, wasm.scene_message()));
  return JSON.parse(textAt(wasm, at)) as SceneFile;
}

/* Whether two scenes have the same bodies in the same places and the same joints, so that a run of one can go on as the
 * other: what may differ are masses, materials, forces, and the numbers of joints. */
export function sameStructure(one: SceneFile, other: SceneFile): boolean {
  const numbers = ["compliance", "angular_compliance", "stiffness", "damping", "angular_damping"];
  const form = ({ bodies, joints = [], collide, events, attractor }: SceneFile) =>
    JSON.stringify([
      bodies.map((b) => [b.name, b.position, b.orientation, b.velocity, b.angular_velocity, b.fixed, b.shape, b.shapes, b.fused]),
      joints.map((joint) => Object.keys(joint).filter((key) => !numbers.includes(key))),
      joints.map((j) => [j.type, j.bodies, j.anchor, j.anchors, j.axis, j.normal, j.center]),
      [collide, events, !!attractor],
    ]);
  return form(one) === form(other);
}

/* A copy of a run's memory, and what it is a run of. */
export interface Moment {
  memory: ArrayBuffer;
  time: number;
  failed: string | undefined;
  p: number;
  scene: SceneFile;
  how: EngineOptions;
}

export class Engine {
  time = 0;
  failed: string | undefined;
  readonly frame: Frame;
  private wasm: Exports;
  private p: number;
  private bodies: SceneBody[];
  private materials = new Map<string, number>();
  private grip: number; // m/N

  /* Throws the solver's message if it cannot run the scene. */
  constructor(
    module: WebAssembly.Module,
    private scene: SceneFile,
    public how: EngineOptions,
  ) {
    this.wasm = instantiate(module);
    this.p = this.wasm.playground_create();
    this.bodies = allBodies(scene);
    this.fill();
    this.choose();
    this.start();
    this.grip = 1 / (this.wasm.playground_moving_mass(this.p) * GRIP_RATE ** 2);
    const room = (width: number) => new Float64Array(this.bodies.length * width);
    this.frame = { time: 0, position: room(3), orientation: room(4), velocity: room(3), angular_velocity: room(3) };
    this.read();
  }

  private start(): void {
    if (!this.wasm.playground_start(this.p, this.how.dt)) this.fail();
    for (const event of this.scene.events ?? [])
      if (!this.wasm.playground_remove_at(this.p, event.time, this.indexOf(event.remove))) this.fail();
  }

  private fail(): never {
    throw new Error(textAt(this.wasm, this.wasm.playground_message(this.p)));
  }

  private write(...texts: string[]): void {
    const bytes = new TextEncoder().encode(texts.map((text) => `${text}\0`).join(""));
    if (bytes.length > TEXT_BYTES) throw new Error(`too long: ${texts.join(" ")}`);
    new Uint8Array(this.wasm.memory.buffer, this.wasm.playground_text(this.p), bytes.length).set(bytes);
  }

  private numbers(at: number, values: number[]): void {
    new Float64Array(this.wasm.memory.buffer, at, values.length).set(values);
  }

  private fill(): void {
    const { gravity, attractor } = this.scene;
    this.wasm.playground_set_field(this.p, ...gravity, ...(attractor?.at ?? [0, 0, 0]), attractor?.gm ?? 0);
    this.wasm.playground_set_length_scale(this.p, this.scene.length_scale);
    for (const [name, material] of Object.entries(this.scene.materials ?? {})) {
      const {
        friction = PLAIN.friction,
        restitution = PLAIN.restitution,
        patch_radius = PLAIN.patch_radius,
      } = material;
      const { rolling_friction, spin_friction, static_friction, slides = true, priority } = material;
      if (rolling_friction || spin_friction || static_friction || !slides || priority)
        throw new Error(`${name}: its friction is not for the playground`);
      this.write(name);
      const patch = patch_radius === "auto" ? NaN : patch_radius;
      this.materials.set(name, this.wasm.playground_add_material(this.p, friction, restitution, patch));
    }
    for (const body of this.scene.bodies) this.addBody(body);
    for (const joint of this.scene.joints ?? []) this.addJoint(joint);
    this.setCollide();
  }

  private indexOf(name: string | undefined): number {
    return name === undefined ? -1 : this.bodies.findIndex((body) => body.name === name);
  }

  private setCollide(): void {
    const { collide = "all", combine } = this.scene;
    if (typeof collide !== "string" && collide.only) throw new Error("pairs that alone collide are not for the playground");
    const rule = (name: string | undefined, usual: string) => COMBINE.indexOf(name ?? usual);
    this.wasm.playground_set_collide(
      this.p,
      Number(collide !== "none"),
      rule(combine?.friction, "average"),
      rule(combine?.restitution, "max"),
    );
    for (const [one, other] of typeof collide === "string" ? [] : (collide.except ?? []))
      this.wasm.playground_add_exception(this.p, this.indexOf(one), this.indexOf(other));
  }

  private addBody(body: SceneBody): void {
    if (body.shapes) throw new Error(`${body.name}: several shapes a body are not for the playground`);
    if (body.fused) throw new Error(`${body.name}: fused bodies are not for the playground`);
    if (body.group !== undefined || body.mask !== undefined)
      throw new Error(`${body.name}: groups and masks are not for the playground`);
    if (body.inertia && body.inertia.length > 3)
      throw new Error(`${body.name}: inertia of six numbers is not for the playground`);
    const shape = body.shape ?? {};
    const kind = SHAPES.findIndex((name) => name !== "none" && shape[name]);
    const round = shape.sphere ?? shape.capsule ?? shape.cylinder;
    this.write(body.name);
    this.numbers(this.wasm.playground_body(this.p), [
      ...(body.position ?? [0, 0, 0]),
      ...(body.orientation ?? [1, 0, 0, 0]),
      ...(body.velocity ?? [0, 0, 0]),
      ...(body.angular_velocity ?? [0, 0, 0]),
      ...(body.force ?? [0, 0, 0]),
      ...(body.torque ?? [0, 0, 0]),
      round?.radius ?? 0,
      (shape.capsule ?? shape.cylinder)?.length ?? 0,
      ...(shape.box?.size ?? shape.ellipsoid?.radii ?? [0, 0, 0]),
      ...(shape.plane?.normal ?? [0, 1, 0]),
      shape.plane?.offset ?? 0,
      body.density ?? 0,
      body.mass ?? 0,
      ...(body.inertia?.slice(0, 3) ?? [0, 0, 0]),
    ]);
    if (
      this.wasm.playground_add_body(
        this.p,
        Math.max(kind, 0),
        this.materials.get(body.material ?? "default") ?? 0,
        Number(body.fixed ?? false),
        Number(!!body.inertia),
      ) < 0
    )
      this.fail();
  }

  private addJoint(joint: SceneJoint): void {
    if (hasLaw(joint)) throw new Error(`joint ${joint.name ?? joint.type}: the playground has no laws, series or couplings`);
    const bodies = [0, 1, 2, 3].map((k) => this.indexOf(joint.bodies[k])) as [number, number, number, number];
    const at = placeOf(joint, this.bodies[bodies[1]]);
    this.write(joint.type);
    const type = this.wasm.playground_joint_type(this.p);
    this.write(joint.name ?? "");
    this.numbers(this.wasm.playground_joint(this.p), [
      ...(at ?? joint.anchors?.[0] ?? [0, 0, 0]),
      ...(joint.anchors?.[1] ?? [0, 0, 0]),
      ...(joint.axis ?? [0, 0, 0]),
      ...(joint.normal ?? [0, 0, 0]),
      this.how.compliance ?? joint.compliance ?? 0,
      joint.angular_compliance ?? 0,
      joint.stiffness ?? NaN,
      joint.damping ?? 0,
      joint.angular_damping ?? 0,
      joint.rest ?? NaN,
      joint.swing_max ?? NaN,
      joint.twist_min ?? NaN,
      joint.twist_max ?? NaN,
      joint.angle_min ?? NaN,
      joint.angle_max ?? NaN,
      joint.position_min ?? NaN,
      joint.position_max ?? NaN,
      joint.target ?? NaN,
      joint.speed ?? NaN,
      joint.torque ?? NaN,
      joint.force ?? NaN,
      joint.max_torque ?? NaN,
      joint.angle ?? NaN,
      ...(joint.center ?? [0, 0, 0]),
      joint.radius ?? NaN,
    ]);
    const local = Number(!at && joint.type !== "volume");
    if (this.wasm.playground_add_joint(this.p, type, ...bodies, local, Number(joint.one_sided ?? false)) < 0)
      this.fail();
  }

  private choose(): void {
    const count = this.wasm.playground_solver_count();
    const index = Array.from({ length: count }, (_, i) =>
      textAt(this.wasm, this.wasm.playground_solver_name(i)),
    ).indexOf(this.how.solver);
    if (index < 0) throw new Error(`no solver ${this.how.solver} in the playground`);
    if (!this.wasm.playground_choose_solver(this.p, index)) this.fail();
    this.setOptions(this.how.options);
  }

  private setOptions(options: Record<string, string>): void {
    for (const [name, value] of Object.entries(options)) {
      this.write(name, value);
      if (!this.wasm.playground_set_option(this.p)) this.fail();
    }
  }

  /* Goes on from here with other options; poses, velocities and the contacts' impulses stay. Throws if it cannot. */
  retune(options: Record<string, string>, dt: number): void {
    this.setOptions(options);
    this.how = { ...this.how, options, dt };
    if (!this.wasm.playground_retune(this.p, dt)) this.fail();
  }

  /* Goes on as a run of another scene of the same structure. Throws if it cannot. */
  adopt(scene: SceneFile, compliance: number | undefined): void {
    const [before, old] = [this.p, this.scene];
    const { compliance: _, ...how } = this.how;
    this.how = compliance === undefined ? how : { ...how, compliance };
    this.scene = scene;
    this.p = this.wasm.playground_create();
    this.fill();
    this.choose();
    this.start();
    if (!this.wasm.playground_take_over(this.p, before)) this.fail();
    this.wasm.playground_destroy(before);
    if (String(scene.gravity) !== String(old.gravity)) this.setGravity(scene.gravity);
    this.read();
  }

  setGravity(gravity: readonly [number, number, number]): void {
    this.wasm.playground_set_gravity(this.p, ...gravity);
  }

  /* Everything that the run is at this moment: its memory. */
  save(): Moment {
    const { time, failed, p, scene, how } = this;
    return { memory: this.wasm.memory.buffer.slice(0), time, failed, p, scene, how };
  }

  restore({ memory, time, failed, p, scene, how }: Moment): void {
    new Uint8Array(this.wasm.memory.buffer).set(new Uint8Array(memory)); // memory only grows
    [this.time, this.failed, this.p, this.scene, this.how] = [time, failed, p, scene, how];
    this.read();
  }

  private read(): void {
    const rows = new Float64Array(
      this.wasm.memory.buffer,
      this.wasm.playground_state(this.p),
      this.bodies.length * STATE_WIDTH,
    );
    const { position, orientation, velocity, angular_velocity } = this.frame;
    this.frame.time = this.time;
    for (let i = 0; i < this.bodies.length; i++) {
      const row = rows.subarray(i * STATE_WIDTH, (i + 1) * STATE_WIDTH);
      position.set(row.subarray(0, 3), 3 * i);
      orientation.set(row.subarray(3, 7), 4 * i);
      velocity.set(row.subarray(7, 10), 3 * i);
      angular_velocity.set(row.subarray(10, 13), 3 * i);
    }
    if (this.scene.collide !== "none") this.readContacts();
    this.readJoints();
  }

  private readJoints(): void {
    const count = this.scene.joints?.length ?? 0;
    this.frame.joints = this.forcesAt(this.wasm.playground_joint_forces(this.p), count);
  }

  private forcesAt(at: number, count: number): { point: Float64Array; force: Float64Array } {
    const rows = new Float64Array(this.wasm.memory.buffer, at, count * CONTACT_WIDTH);
    const [point, force] = [new Float64Array(3 * count), new Float64Array(3 * count)];
    for (let i = 0; i < count; i++) {
      point.set(rows.subarray(CONTACT_WIDTH * i, CONTACT_WIDTH * i + 3), 3 * i);
      force.set(rows.subarray(CONTACT_WIDTH * i + 3, CONTACT_WIDTH * (i + 1)), 3 * i);
    }
    return { point, force };
  }

  private readContacts(): void {
    const count = this.wasm.playground_count_contacts(this.p);
    this.frame.contacts = this.forcesAt(this.wasm.playground_contacts(this.p), count);
  }

  /* One frame on; a run that has blown up stays where it is. */
  step(): void {
    if (this.failed) return;
    if (!this.wasm.playground_frame(this.p, this.scene.speed_scale ?? Infinity))
      this.failed = `blew up at ${(this.time + this.how.dt).toFixed(2)} s`;
    this.time += this.how.dt;
    if (!this.failed) this.read();
  }

  /* (E - W - E(0)) / energy scale */
  energyChange(): number {
    return this.wasm.playground_energy_change(this.p) / (this.scene.energy_scale ?? 1);
  }

  /* m: of rigid joints; in a scene without joints the deepest overlap. */
  drift(): number {
    const joints = this.scene.joints?.length ?? 0;
    return joints > 0 ? this.wasm.playground_drift(this.p) : this.wasm.playground_penetration(this.p);
  }

  /* N, of one body on average. */
  weight(): number {
    const moving = this.bodies.filter((body) => !body.fixed).length;
    return (this.wasm.playground_moving_mass(this.p) * Math.hypot(...this.scene.gravity)) / moving;
  }

  rowSolves(): number {
    return this.wasm.playground_row_solves(this.p);
  }

  grab(body: number, x: number, y: number, z: number): boolean {
    return this.wasm.playground_grab(this.p, body, x, y, z, this.grip) !== 0;
  }

  pull(x: number, y: number, z: number): void {
    this.wasm.playground_pull(this.p, x, y, z);
  }

  release(): void {
    this.wasm.playground_release(this.p);
  }
}
