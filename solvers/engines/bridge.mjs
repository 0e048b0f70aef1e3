/* SPDX-License-Identifier: MIT */
// What the bridges in JavaScript share: reading the resolved world, the hello, and the states. The protocol is described
// in bridge_protocol.md. A bridge calls serve(about, build); build(bridge) returns the engine's { step, read, remove }.
import { readFileSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROTOCOL = 1;

// Standard output belongs to the protocol: what an engine prints is words.
console.log = console.info = console.warn = console.error;

// Vectors are arrays of 3, quaternions [w, x, y, z].
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a) => Math.sqrt(dot(a, a));
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const conj = (q) => [q[0], -q[1], -q[2], -q[3]];
export const mul = (p, q) => [
  p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
  p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
  p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
  p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
];
export const rotate = (q, v) => {
  const u = [q[1], q[2], q[3]], t = scale(2, cross(u, v));
  return add(add(v, scale(q[0], t)), cross(u, t));
};
export const isZero = (a) => a.every((x) => x === 0);
export const given = (x) => x !== undefined;
export const isUnturned = (q) => q[1] === 0 && q[2] === 0 && q[3] === 0;

function* lines() {
  const chunk = Buffer.alloc(1 << 16);
  let rest = '';
  for (;;) {
    let end;
    while ((end = rest.indexOf('\n')) >= 0) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
    const got = readSync(0, chunk, 0, chunk.length, null);
    if (got === 0) return;
    rest += chunk.toString('utf8', 0, got);
  }
}

function writeAll(data) {
  for (let done = 0; done < data.length;) done += writeSync(1, data, done);
}

const printLine = (object) => writeAll(Buffer.from(JSON.stringify(object) + '\n'));

export class Bridge {
  constructor(world) {
    Object.assign(this, world);
    this.unsupported = [];
    this.approximates = [];
    this.jointImpulses = this.contactImpulses = false;
    this.contacts = new Map();
    this.events = '';
    this.motion = world.bodies.map((b) => ({ x: b.position, q: b.orientation, v: b.velocity, w: b.angular_velocity }));
    this.reactions = world.joints.map(() => ({ impulse: [0, 0, 0], torque: [0, 0, 0] }));
    this.removed = world.bodies.map(() => false);
    this.excepted = new Set(world.except.map(([a, b]) => (a < b ? `${a} ${b}` : `${b} ${a}`)));
    const solid = world.bodies.filter((b) => b.shape);
    this.hasContacts = world.collide && solid.length > 1 && solid.some((b) => !b.fixed);
    this.bodies.forEach((b) => (b.particle = !b.fixed && isZero(b.inertia)));
    for (const joint of this.joints) if (joint.type === 'distance' && joint.rest === 0) joint.type = 'ball'; // a length of zero
    // Whether -w x I w may matter: some moving body is no ball.
    this.spins = this.bodies.some((b) => !b.fixed && Math.max(...b.inertia) > Math.min(...b.inertia) * (1 + 1e-6));
  }

  // What of this scene the engine cannot express, once each.
  refuse(what) {
    if (!this.unsupported.includes(what)) this.unsupported.push(what);
  }

  approximate(what) {
    if (!this.approximates.includes(what)) this.approximates.push(what);
  }

  event(text) {
    this.events += text + '\n';
  }

  friction(i, j) {
    return this.pairs[this.bodies[i].material][this.bodies[j].material][0];
  }

  restitution(i, j) {
    return this.pairs[this.bodies[i].material][this.bodies[j].material][1];
  }

  mayTouch(i, j) {
    const [a, b] = i < j ? [i, j] : [j, i];
    return !(this.bodies[a].fixed && this.bodies[b].fixed) && !this.excepted.has(`${a} ${b}`);
  }

  // In the world, at the state as it is.
  anchor(joint, side) {
    const at = this.motion[joint.bodies[side]];
    return add(at.x, rotate(at.q, joint.anchors[side]));
  }

  axis(joint, side) {
    return rotate(this.motion[joint.bodies[side]].q, joint.axes[side]);
  }

  // How far body 2 has turned against body 1 about a joint's axis (rad, within half a turn), and slid along it (m).
  angle(joint) {
    const [q1, q2] = joint.bodies.map((i, side) => mul(this.motion[i].q, joint.frames[side])), q = mul(conj(q1), q2);
    return 2 * Math.atan2(q[0] < 0 ? -q[1] : q[1], Math.abs(q[0]));
  }

  slide(joint) {
    return dot(this.axis(joint, 0), sub(this.anchor(joint, 1), this.anchor(joint, 0)));
  }

  // Refuses what no engine has, and what the caller's does not.
  refuseJoints({ lacks = [], springs = [], meshes = true } = {}) {
    for (const joint of this.joints) {
      if (['volume', 'wire', ...lacks].includes(joint.type)) this.refuse(`${joint.type} joints`);
      if (joint.damping > 0 || joint.angular_damping > 0) this.refuse('damping in joints');
      if (joint.angular_compliance > 0) this.refuse('angular compliance');
      if (joint.compliance > 0 && !springs.includes(joint.type)) this.refuse(springs.length > 0 ? `compliance in ${joint.type} joints` : 'compliance');
      if (joint.type === 'prismatic' && ((joint.angle_min ?? 0) !== 0 || (joint.angle_max ?? 0) !== 0))
        this.refuse('twist of a prismatic joint');
      if (joint.type === 'cylinder' && (joint.angle ?? 0) !== 0)
        this.refuse('a cylinder joint held at another angle than as placed');
      for (let side = 0; side < 2; side++)
        if (this.bodies[joint.bodies[side]].particle && !isZero(joint.anchors?.[side] ?? [0, 0, 0]))
          this.refuse('particles held away from their centre');
    }
    if (this.hasContacts && this.materials.some((m) => m.patch_radius !== 0)) this.refuse('friction that resists spinning');
    for (const { shape } of this.bodies)
      if (this.hasContacts && shape?.kind === 'mesh') {
        if (meshes) shape.kind = 'hull'; // for contacts a mesh is its hull, which the engine finds from the points
        else this.refuse('meshes');
      }
  }

  // Refuses speeds that the joints do not allow: reduced coordinates have no such motion.
  refuseSpeeds() {
    const SLIP = 1e-9; // m/s and rad/s: round-off of a scene whose speeds were computed
    for (const joint of this.joints) {
      const [one, two] = joint.bodies.map((i) => this.motion[i]), axis = this.axis(joint, 0), at = this.anchor(joint, 1);
      const across = (v) => sub(v, scale(dot(v, axis), axis)), speed = (m) => add(m.v, cross(m.w, sub(at, m.x)));
      const slip = sub(speed(two), speed(one)), turn = sub(two.w, one.w), slides = ['prismatic', 'cylinder'].includes(joint.type);
      const wrong = [slides ? across(slip) : slip];
      if (joint.type !== 'ball') wrong.push(['fixed', 'prismatic'].includes(joint.type) ? turn : across(turn));
      if (wrong.some((v) => norm(v) > SLIP * Math.max(1, norm(two.v)))) this.refuse('speeds at the start that its joints do not allow');
    }
  }

  // Forces that the engine does not know: the bodies' own, the attractor's, the joints' actuators; about the centres.
  forces() {
    const force = this.bodies.map((b) => (b.fixed ? [0, 0, 0] : b.force));
    const torque = this.bodies.map((b) => (b.fixed ? [0, 0, 0] : b.torque));
    if (this.attractor)
      this.bodies.forEach((b, i) => {
        if (b.fixed) return;
        const r = sub(this.motion[i].x, this.attractor.at);
        force[i] = add(force[i], scale((-b.mass * this.attractor.gm) / norm(r) ** 3, r));
      });
    for (const joint of this.joints) {
      if (!given(joint.force) && !given(joint.torque)) continue;
      const [one, two] = joint.bodies, axis = this.axis(joint, 0), at = this.anchor(joint, 1);
      const f = scale(joint.force ?? 0, axis), t = scale(joint.torque ?? 0, axis);
      force[two] = add(force[two], f);
      force[one] = sub(force[one], f);
      torque[two] = add(torque[two], add(t, cross(sub(at, this.motion[two].x), f)));
      torque[one] = sub(torque[one], add(t, cross(sub(at, this.motion[one].x), f)));
    }
    return { force, torque, any: [...force, ...torque].some((a) => !isZero(a)) };
  }

  // Calls push(i, force, torque) for every body that moves, unless there is no such force at all.
  pushBodies(push) {
    const { force, torque, any } = this.forces();
    if (any)
      this.bodies.forEach((body, i) => {
        if (!body.fixed && !this.removed[i]) push(i, force[i], torque[i]);
      });
  }

  // Impulses act where the bodies were when the step began.
  rememberPlaces() {
    this.before = this.motion.map(({ x, q }) => ({ x, q }));
    this.places = this.joints.map((joint) => this.anchor(joint, 1));
  }

  // Takes a joint's impulse on its second body, with the torque about its anchor there.
  setReaction(index, impulse, torque) {
    const gone = this.joints[index].bodies.some((i) => this.removed[i]);
    this.reactions[index] = gone ? { impulse: [0, 0, 0], torque: [0, 0, 0] } : { impulse, torque };
  }

  // The same with the torque about a point, given from where it acted.
  setReactionAbout(index, impulse, torque, point) {
    this.setReaction(index, impulse, sub(torque, cross(sub(this.places[index], point), impulse)));
  }

  // Adds to the net impulse of a pair, on the second.
  addContact(i, j, impulse) {
    const [a, b, p] = i < j ? [i, j, impulse] : [j, i, scale(-1, impulse)], key = a * 65536 * 16 + b;
    this.contacts.set(key, [a, b, add(this.contacts.get(key)?.[2] ?? [0, 0, 0], p)]);
  }

  // Whether the scene lies in the x-y plane, for engines that know no other; refuses it if not.
  refuseSpatial() {
    const FLAT = 1e-9, moving = this.bodies.filter((b) => !b.fixed);
    for (const b of moving) {
      const along = rotate(conj(b.orientation), [0, 0, 1]).map(Math.abs);
      const out = [b.position[2] - moving[0].position[2], b.velocity[2], b.angular_velocity[0], b.angular_velocity[1],
        b.force[2], b.torque[0], b.torque[1]];
      if (out.some((x) => Math.abs(x) > FLAT)) this.refuse('motion out of the x-y plane');
      if (!b.particle && Math.max(...along) < 1 - FLAT) this.refuse('bodies whose principal axes are not along z');
    }
    if (Math.abs(this.gravity[2]) > FLAT) this.refuse('gravity along z');
    for (const joint of this.joints) {
      const along = Math.abs(this.axis(joint, 0)[2]), turns = ['hinge', 'servo', 'motor'].includes(joint.type);
      const slides = ['prismatic', 'cylinder'].includes(joint.type);
      if ((turns && along < 1 - FLAT) || (slides && along > FLAT)) this.refuse('joint axes out of the x-y plane');
      if (given(joint.swing_max) || given(joint.twist_min) || given(joint.twist_max))
        this.refuse('swing and twist limits');
    }
  }

  writeState(seconds) {
    const joints = this.jointImpulses ? this.joints.length : 0, text = Buffer.from(this.events);
    const contacts = this.contactImpulses ? [...this.contacts.values()] : [];
    const size = 32 + 104 * this.bodies.length + 48 * joints + 32 * contacts.length;
    const data = Buffer.alloc(size);
    data.write('RIGS', 0);
    [this.bodies.length, joints, contacts.length, text.length, 0].forEach((n, i) => data.writeUInt32LE(n, 4 + 4 * i));
    data.writeDoubleLE(seconds, 24);
    let at = 32;
    const put = (values) => values.forEach((x) => (at = data.writeDoubleLE(x, at)));
    for (const m of this.motion) [m.x, m.q, m.v, m.w].forEach(put);
    for (let j = 0; j < joints; j++) [this.reactions[j].impulse, this.reactions[j].torque].forEach(put);
    for (const [i, j, impulse] of contacts) {
      at = data.writeUInt32LE(i, at);
      at = data.writeUInt32LE(j, at);
      put(impulse);
    }
    writeAll(Buffer.concat([data, text]));
    this.events = '';
    this.contacts.clear();
  }
}

// The version of an npm package beside this file.
function packageVersion(name) {
  const folder = dirname(fileURLToPath(import.meta.url));
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

// about: { engine, package, precision, dimension, licence, clock, binding }; binding: the package counts its versions by
// itself, not as the engine does.
export function serve(about, build) {
  converse(about, build).catch((error) => {
    writeSync(2, `${error?.message ?? error}\n`); // the last words
    process.exit(1);
  });
}

async function converse(about, build) {
  const version = `${about.binding ? 'binding ' : ''}${packageVersion(about.package)}`;
  const hello = { rigor_engine: PROTOCOL, ...about, version };
  if (process.argv.includes('--describe')) return printLine(hello);
  const input = lines(), world = JSON.parse(input.next().value);
  if (world.rigor_engine !== PROTOCOL) throw new Error('the first line is no world of version 1 of the protocol');
  const bridge = new Bridge(world);
  const engine = await build(bridge);
  const { unsupported, approximates } = bridge;
  printLine({ ...hello, options: world.options, unsupported, approximates, joint_impulses: bridge.jointImpulses,
    contact_impulses: bridge.contactImpulses });
  if (unsupported.length > 0) process.exit(0);
  engine.read();
  bridge.writeState(0);
  for (const line of input) {
    const [word, body] = line.split(' ');
    if (word === 'step') {
      bridge.rememberPlaces();
      const begin = process.hrtime.bigint();
      const reading = engine.step() ?? 0; // s of it in which the engine was read
      const seconds = Number(process.hrtime.bigint() - begin) * 1e-9 - reading;
      engine.read();
      bridge.writeState(seconds);
    } else if (word === 'remove') {
      bridge.removed[Number(body)] = true;
      engine.remove(Number(body));
    } else {
      throw new Error(`a command that this bridge does not know: ${line}`);
    }
  }
  process.exit(0);
}
