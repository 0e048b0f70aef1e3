/* SPDX-License-Identifier: MIT */
// MuJoCo. Joints of a tree are its reduced coordinates; what closes a loop, or all of them with `joints=equality`, are its
// soft equality constraints. A distance is a tendon: held, limited (a rope) or sprung. What holds a target or a speed is an
// equality; with a bound on its torque a velocity actuator. Contacts are soft and convex, restitution is not known.
// Poses lag a step unless kinematics are run again, off the clock.
import load from '@mujoco/mujoco';
import { serve, rotate, scale, mul, conj, sub, add, cross, dot, norm, given } from './bridge.mjs';

const OPEN = 1e6; // rad or m: a limit that is never reached
const ALONG_Y = [Math.SQRT1_2, -Math.SQRT1_2, 0, 0]; // its capsules and cylinders lie along z
const isDriven = (joint) => given(joint.speed) || (given(joint.target) && !(joint.compliance > 0));
const text = (a) => a.map((x) => (Object.is(x, -0) ? 0 : x)).join(' ');

// The tree: for each body its parent and the joint that carries it; the other joints close loops.
function plant(bridge) {
  const tree = bridge.bodies.map((b) => ({ parent: 0, joint: null, children: [], fixed: b.fixed }));
  const root = bridge.bodies.map((b, i) => (b.fixed ? 0 : i));
  const find = (i) => (root[i] === i ? i : (root[i] = find(root[i])));
  const links = bridge.bodies.map(() => []), loops = [];
  for (const joint of bridge.joints) {
    const [a, b] = joint.bodies.map(find);
    if (joint.type === 'distance') continue; // a tendon
    if (a === b || bridge.options.joints === 'equality') { loops.push(joint); continue; }
    root[Math.max(a, b)] = Math.min(a, b);
    links[joint.bodies[0]].push([joint.bodies[1], joint]);
    links[joint.bodies[1]].push([joint.bodies[0], joint]);
  }
  const seen = new Set();
  const grow = (from) => {
    seen.add(from);
    for (const [to, joint] of links[from])
      if (!seen.has(to) && !bridge.bodies[to].fixed) {
        tree[to].parent = from;
        tree[to].joint = joint;
        tree[from].children.push(to);
        grow(to);
      }
  };
  bridge.bodies.forEach((b, i) => b.fixed && grow(i));
  bridge.bodies.forEach((b, i) => {
    if (!seen.has(i)) { tree[0].children.push(i); grow(i); }
  });
  bridge.bodies.forEach((b, i) => b.fixed && i > 0 && tree[0].children.push(i));
  return { tree, loops };
}

function geomXml(bridge, body, index, material) {
  if (!body.shape || !bridge.hasContacts) return '';
  const { kind, radius, length, size, normal, offset, turn } = body.shape, o = bridge.options;
  const common = `name="g${index}" solref="${o.solref_time} ${o.solref_damping}" condim="${material.friction > 0 ? 3 : 1}" friction="${material.friction} 0 0"`;
  if (kind === 'sphere') return `<geom ${common} type="sphere" size="${radius}"/>`;
  if (kind === 'box') return `<geom ${common} type="box" size="${text(scale(0.5, size))}" quat="${text(turn)}"/>`;
  if (kind === 'hull') return `<geom ${common} type="mesh" mesh="m${index}" quat="${text(turn)}"/>`;
  if (kind === 'plane') {
    const cosine = normal[2], axis = cross([0, 0, 1], normal); // the turn that brings z to the normal
    const q = cosine < -0.999999 ? [0, 1, 0, 0] : [1 + cosine, ...axis], l = Math.hypot(...q);
    return `<geom ${common} type="plane" size="0 0 1" pos="${text(scale(offset, normal))}" quat="${text(q.map((c) => c / l))}"/>`;
  }
  return `<geom ${common} type="${kind}" size="${radius} ${0.5 * length}" quat="${text(mul(turn, ALONG_Y))}"/>`;
}

// Where distances are held, by body.
const sitesXml = (bridge, index) => bridge.joints.map((joint, j) => (joint.type !== 'distance' ? ''
  : joint.bodies.map((i, side) => (i === index ? `<site name="s${j}_${side}" pos="${text(joint.anchors[side])}"/>` : '')).join(''))).join('');

// Distances. A held one is an equality of its length, off what it is as placed.
function tendonsXml(bridge, soft) {
  const tendons = [], held = [];
  bridge.joints.forEach((joint, j) => {
    if (joint.type !== 'distance') return;
    const spring = joint.compliance > 0 ? ` stiffness="${1 / joint.compliance}" springlength="${joint.one_sided ? `0 ${joint.rest}` : joint.rest}"` : '';
    const rope = joint.one_sided && !spring ? ` limited="true" range="0 ${joint.rest}" solreflimit="${soft}"` : '';
    const length = norm(sub(bridge.anchor(joint, 1), bridge.anchor(joint, 0)));
    tendons.push(`<spatial name="t${j}"${spring}${rope}><site site="s${j}_0"/><site site="s${j}_1"/></spatial>`);
    if (!spring && !rope) held.push(`<tendon tendon1="t${j}" polycoef="${joint.rest - length} 0 0 0 0" solref="${soft}"/>`);
  });
  if (held.length > 0) bridge.approximate('distances are soft equality constraints');
  return { tendons: tendons.join(''), held: held.join('') };
}

// What drives the coordinate of a joint of the tree: an equality that is moved on, or an actuator with a bound.
function drivesXml(bridge, tree, soft) {
  const held = [], actuators = [];
  tree.forEach(({ joint }, i) => {
    if (!joint || !isDriven(joint)) return;
    const name = `j${bridge.joints.indexOf(joint)}`, most = joint.max_torque;
    if (given(most)) actuators.push(`<velocity name="a${name}" joint="${name}" kv="1" forcelimited="true" forcerange="${-most} ${most}"/>`);
    else held.push(`<joint name="e${name}" joint1="${name}" polycoef="${joint.target ?? 0} 0 0 0 0" solref="${soft}"/>`);
  });
  if (held.length > 0) bridge.approximate('servos and motors are soft equality constraints');
  if (actuators.length > 0) bridge.approximate('a bounded motor is an actuator that heads for its speed or target within one step');
  return { held: held.join(''), actuators: actuators.join('') };
}

function jointXml(bridge, index, node) {
  const body = bridge.bodies[index], { joint } = node, o = bridge.options;
  if (body.fixed) return '';
  if (!joint && body.particle) return [0, 1, 2].map((k) => `<joint type="slide" axis="${text([0, 1, 2].map((c) => +(c === k)))}"/>`).join('');
  if (!joint) return '<freejoint/>';
  const side = joint.bodies.indexOf(index), sign = side === 1 ? 1 : -1;
  // The coordinate is of this body against its parent: with `sign` along the axis it is the joint's own.
  const spring = given(joint.target) && joint.compliance > 0 ? ` stiffness="${1 / joint.compliance}" springref="${joint.target}"` : '';
  const place = `name="j${bridge.joints.indexOf(joint)}"${spring} pos="${text(joint.anchors[side])}" axis="${text(scale(sign, joint.axes[side]))}"`;
  const range = (low, high) => (given(low) || given(high)
    ? ` limited="true" range="${low ?? -OPEN} ${high ?? OPEN}" solreflimit="${o.solref_time} ${o.solref_damping}"` : '');
  if (joint.type === 'ball') return `<joint type="ball" pos="${text(joint.anchors[side])}"/>`;
  if (joint.type === 'fixed') return '';
  if (joint.type === 'prismatic') return `<joint type="slide" ${place}${range(joint.position_min, joint.position_max)}/>`;
  const turning = `pos="${text(joint.anchors[side])}" axis="${text(scale(sign, joint.axes[side]))}"`;
  if (joint.type === 'cylinder') return `<joint type="slide" ${place}/>${given(joint.angle) ? '' : `<joint type="hinge" ${turning}/>`}`;
  return `<joint type="hinge" ${place}${range(joint.angle_min, joint.angle_max)}/>`;
}

function bodyXml(bridge, tree, index) {
  const body = bridge.bodies[index], node = tree[index], parent = bridge.bodies[node.parent];
  const pos = rotate(conj(parent.orientation), sub(body.position, parent.position)), quat = mul(conj(parent.orientation), body.orientation);
  const I = body.particle ? [body.mass, body.mass, body.mass] : body.inertia;
  const inertial = body.fixed ? '' : `<inertial pos="0 0 0" mass="${body.mass}" diaginertia="${text(I)}"/>`;
  return `<body name="b${index}" pos="${text(pos)}" quat="${text(quat)}">${inertial}${jointXml(bridge, index, node)}${sitesXml(bridge, index)}${
    geomXml(bridge, body, index, bridge.materials[body.material])}${node.children.map((c) => bodyXml(bridge, tree, c)).join('')}</body>`;
}

function equalityXml(bridge, joint) {
  const [one, two] = joint.bodies, soft = `solref="${bridge.options.solref_time} ${bridge.options.solref_damping}"`;
  const name = (i) => (i === 0 ? 'world' : `b${i}`), local = (p) => rotate(conj(bridge.bodies[one].orientation), sub(p, bridge.bodies[one].position));
  const connect = (p) => `<connect body1="${name(one)}" body2="${name(two)}" anchor="${text(local(p))}" ${soft}/>`;
  const at = bridge.anchor(joint, 0);
  bridge.approximate('joints that close a loop are soft equality constraints');
  if (joint.compliance > 0) bridge.refuse('compliance in joints that close a loop');
  if (joint.type === 'ball') return connect(at);
  if (joint.type === 'fixed') return `<weld body1="${name(one)}" body2="${name(two)}" ${soft}/>`;
  if (joint.type === 'hinge') return connect(at) + connect(add(at, bridge.axis(joint, 0))); // two points of its axis
  bridge.refuse(`${joint.type} joints that close a loop`);
  return '';
}

function modelXml(bridge) {
  const { tree, loops } = plant(bridge), o = bridge.options;
  const solver = { newton: 'Newton', cg: 'CG', pgs: 'PGS' }[bridge.mode], integrator = { euler: 'Euler', implicitfast: 'implicitfast', rk4: 'RK4' }[o.integrator];
  const meshes = bridge.bodies.map((b, i) => (b.shape?.kind === 'hull' && bridge.hasContacts ? `<mesh name="m${i}" vertex="${text(b.shape.points.flat())}"/>` : '')).join('');
  const frictions = new Set(bridge.bodies.filter((b) => b.shape).map((b) => bridge.materials[b.material].friction));
  let contacts = bridge.except.filter(([a, b]) => a > 0 && b > 0 && bridge.hasContacts).map(([a, b]) => `<exclude body1="b${a}" body2="b${b}"/>`).join('');
  if (bridge.hasContacts && frictions.size > 1) contacts += pairsXml(bridge);
  if (bridge.hasContacts && bridge.pairs.flat().some(([, e]) => e > 0)) bridge.refuse('restitution');
  const soft = `${o.solref_time} ${o.solref_damping}`, { tendons, held } = tendonsXml(bridge, soft), drives = drivesXml(bridge, tree, soft);
  return `<mujoco><compiler angle="radian" inertiafromgeom="false" balanceinertia="true" autolimits="false"/>
<option timestep="${bridge.h}" gravity="${text(bridge.gravity)}" solver="${solver}" integrator="${integrator}" iterations="${o.iterations}"
 tolerance="${o.tolerance}" cone="${o.cone}" impratio="${o.impratio}"/><size memory="64M"/><asset>${meshes}</asset><worldbody>${sitesXml(bridge, 0)}${
    tree[0].children.map((i) => bodyXml(bridge, tree, i)).join('')}</worldbody><contact>${contacts}</contact><equality>${
    loops.map((joint) => equalityXml(bridge, joint)).join('')}${held}${drives.held}</equality><tendon>${tendons}</tendon><actuator>${drives.actuators}</actuator></mujoco>`;
}

// Its friction of two bodies is the larger one: where the scene's is another, pairs are listed.
function pairsXml(bridge) {
  const solid = bridge.bodies.map((b, i) => (b.shape ? i : -1)).filter((i) => i >= 0), o = bridge.options;
  if (solid.length > 64) { bridge.refuse('friction of many bodies combined by another rule than the maximum'); return ''; }
  return solid.flatMap((i, k) => solid.slice(k + 1).filter((j) => bridge.mayTouch(i, j)).map((j) => {
    const f = bridge.friction(i, j);
    return `<pair geom1="g${i}" geom2="g${j}" condim="${f > 0 ? 3 : 1}" friction="${f} ${f} 0 0 0" solref="${o.solref_time} ${o.solref_damping}"/>`;
  })).join('');
}

serve({ engine: 'MuJoCo', package: '@mujoco/mujoco', precision: 'double', dimension: 3, licence: 'Apache-2.0', clock: 'wasm' }, async (bridge) => {
  bridge.refuseJoints({ springs: ['distance', 'servo', 'cylinder'] });
  for (const joint of bridge.joints) {
    if (given(joint.swing_max) || given(joint.twist_min) || given(joint.twist_max)) bridge.refuse('swing and twist limits');
    if (given(joint.max_torque) && joint.compliance > 0) bridge.refuse('a soft servo with a bound');
    if (given(joint.max_torque) && bridge.options.integrator !== 'implicitfast') bridge.refuse('motors with a bound, but with integrator=implicitfast,');
    if (joint.type === 'cylinder' && joint.compliance > 0 && !given(joint.target)) bridge.refuse('compliance in cylinder joints');
    if (joint.type !== 'distance' && joint.bodies.some((i) => bridge.bodies[i]?.particle)) bridge.refuse('particles on joints');
  }
  if (bridge.options.joints === 'tree') bridge.refuseSpeeds();
  const xml = modelXml(bridge);
  if (bridge.unsupported.length > 0) return null;
  if (bridge.hasContacts) bridge.approximate('contacts are soft, friction is a convex relaxation');
  const mujoco = await load();
  const model = mujoco.MjModel.from_xml_string(xml), data = new mujoco.MjData(model);
  const BODY = 1, id = bridge.bodies.map((_, i) => (i === 0 ? 0 : mujoco.mj_name2id(model, BODY, `b${i}`))), indexOf = [];
  id.forEach((own, i) => (indexOf[own] = i));

  // Speeds of the coordinates from those of the bodies.
  const { tree } = plant(bridge);
  bridge.bodies.forEach((body, i) => {
    const { joint, parent } = tree[i], at = model.body_jntadr[id[i]];
    if (body.fixed || at < 0) return;
    const dof = model.jnt_dofadr[at], base = bridge.bodies[parent], own = rotate(conj(body.orientation), body.angular_velocity);
    const set = (k, values) => values.forEach((x, n) => (data.qvel[dof + k + n] = x));
    if (!joint) { set(0, body.velocity); if (!body.particle) set(3, own); return; }
    const side = joint.bodies.indexOf(i), turn = sub(body.angular_velocity, base.angular_velocity);
    const axis = scale(side === 1 ? 1 : -1, bridge.axis(joint, side));
    const slip = sub(add(body.velocity, cross(body.angular_velocity, rotate(body.orientation, joint.anchors[side]))),
      add(base.velocity, cross(base.angular_velocity, rotate(base.orientation, joint.anchors[1 - side]))));
    if (joint.type === 'ball') set(0, rotate(conj(body.orientation), turn));
    else if (joint.type === 'prismatic') set(0, [dot(slip, axis)]);
    else if (joint.type === 'cylinder') set(0, given(joint.angle) ? [dot(slip, axis)] : [dot(slip, axis), dot(turn, axis)]);
    else set(0, [dot(turn, axis)]);
  });
  // An equality pulls with b (0 - speed) + k (target - angle), b/k = 2 damping^2 time: a target that is ahead by b/k times the
  // speed wanted makes it b (wanted - speed). An actuator heads for its target within the step, with the gain that does it
  // at the inertia as placed.
  const ahead = 2 * bridge.options.solref_damping ** 2 * Math.max(bridge.options.solref_time, 2 * bridge.h);
  const EQUALITY = 17, JOINT = 3, ACTUATOR = 19, EQ_DATA = 11, GAIN = 10;
  const drives = bridge.joints.map((joint, j) => ({ joint, name: `j${j}` })).filter(({ joint }) => isDriven(joint) && tree.some((node) => node.joint === joint))
    .map(({ joint, name }) => ({ joint, actuator: given(joint.max_torque) ? mujoco.mj_name2id(model, ACTUATOR, `a${name}`) : -1,
      equality: given(joint.max_torque) ? -1 : mujoco.mj_name2id(model, EQUALITY, `e${name}`), at: mujoco.mj_name2id(model, JOINT, name) }));
  for (const { actuator, at } of drives)
    if (actuator >= 0) {
      const gain = 1 / (bridge.h * model.dof_invweight0[model.jnt_dofadr[at]]);
      model.actuator_gainprm[GAIN * actuator] = gain;
      model.actuator_biasprm[GAIN * actuator + 2] = -gain;
    }
  const drive = () => drives.forEach(({ joint, actuator, equality, at }) => {
    const angle = data.qpos[model.jnt_qposadr[at]];
    if (actuator >= 0) data.ctrl[actuator] = given(joint.target) ? (joint.target - angle) / bridge.h : joint.speed;
    else if (given(joint.speed)) model.eq_data[EQ_DATA * equality] = angle + ahead * joint.speed;
  });
  const velocity = new mujoco.DoubleBuffer(6), force6 = new mujoco.DoubleBuffer(6);
  const view = (buffer) => (buffer.GetView ? buffer.GetView() : buffer);

  // A tree's joint carries what moves its child and all beyond, as inverse dynamics of the step's accelerations tells: of
  // one evaluation a step, so not with Runge-Kutta. Equalities that close loops are left out: then none is given.
  bridge.jointImpulses = bridge.options.integrator !== 'rk4' && bridge.joints.every((joint) => tree.some((node) => node.joint === joint));
  bridge.contactImpulses = bridge.options.integrator !== 'rk4';
  const readImpulses = () => {
    if (bridge.jointImpulses) {
      mujoco.mj_rnePostConstraint(model, data);
      const all = data.cfrc_int, centres = data.subtree_com;
      tree.forEach(({ joint }, i) => {
        if (!joint) return;
        const at = 6 * id[i], centre = 3 * model.body_rootid[id[i]], h = (joint.bodies[1] === i ? 1 : -1) * bridge.h;
        const part = (from) => scale(h, [...all.slice(at + from, at + from + 3)]);
        bridge.setReactionAbout(bridge.joints.indexOf(joint), part(3), part(0), [...centres.slice(centre, centre + 3)]);
      });
    }
    const contacts = data.contact;
    for (let c = 0; bridge.contactImpulses && c < data.ncon; c++) {
      const { geom1, geom2, frame } = contacts.get(c);
      mujoco.mj_contactForce(model, data, c, force6);
      const f = view(force6), world = [0, 1, 2].map((k) => bridge.h * (f[0] * frame[k] + f[1] * frame[3 + k] + f[2] * frame[6 + k]));
      bridge.addContact(indexOf[model.geom_bodyid[geom1]], indexOf[model.geom_bodyid[geom2]], world);
    }
  };

  return {
    step() {
      const { force, torque, any } = bridge.forces();
      if (any)
        bridge.bodies.forEach((body, i) => {
          if (!body.fixed) [...force[i], ...torque[i]].forEach((x, k) => (data.xfrc_applied[6 * id[i] + k] = x));
        });
      drive();
      mujoco.mj_step(model, data);
    },
    read() {
      if (bridge.before) readImpulses();
      mujoco.mj_kinematics(model, data);
      mujoco.mj_comPos(model, data);
      mujoco.mj_comVel(model, data);
      const xpos = data.xpos, xquat = data.xquat;
      bridge.bodies.forEach((body, i) => {
        if (body.fixed || bridge.removed[i]) return;
        mujoco.mj_objectVelocity(model, data, BODY, id[i], velocity, 0);
        const v = view(velocity);
        bridge.motion[i] = { x: [...xpos.slice(3 * id[i], 3 * id[i] + 3)], q: [...xquat.slice(4 * id[i], 4 * id[i] + 4)],
          v: [v[3], v[4], v[5]], w: [v[0], v[1], v[2]] };
      });
    },
    remove(i) { // out of every contact; where it goes is not looked at any more
      const from = model.body_geomadr[id[i]];
      for (let g = from; from >= 0 && g < from + model.body_geomnum[id[i]]; g++) model.geom_contype[g] = model.geom_conaffinity[g] = 0;
    },
  };
});
