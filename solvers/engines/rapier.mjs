/* SPDX-License-Identifier: MIT */
// Rapier. Its joints have one axis for both bodies, so every body is placed unturned, with the scene's orientation in its
// inertia frame and its shape. Limits in a joint's data are ignored: they are set afterwards. It tells no impulses of joints,
// and of friction only sizes: contact impulses are given where nothing rubs.
import RAPIER from '@dimforge/rapier3d-compat';
import { serve, rotate, scale, mul, given } from './bridge.mjs';

// N m s/rad of a motor that has no bound: as good as rigid, and still a number that float can hold beside inertias.
const RIGID = 1e9;
const RULES = { average: 0, min: 1, multiply: 2, max: 3 };

serve({ engine: 'Rapier', package: '@dimforge/rapier3d-compat', precision: 'float', dimension: 3, licence: 'Apache-2.0', clock: 'wasm' }, async (bridge) => {
  bridge.refuseJoints({ springs: ['distance', 'ball', 'hinge', 'motor', 'fixed', 'prismatic', 'servo', 'cylinder'] });
  for (const joint of bridge.joints) {
    const soft = joint.compliance > 0;
    if (joint.type === 'distance' && !joint.one_sided && !soft) bridge.refuse('rigid distance joints');
    if (joint.type === 'distance' && joint.one_sided && soft) bridge.refuse('soft ropes');
    if (given(joint.swing_max) || given(joint.twist_min) || given(joint.twist_max)) bridge.refuse('swing and twist limits');
  }
  for (const what of ['friction', 'restitution'])
    if (bridge.hasContacts && !given(RULES[bridge.combine[what]])) bridge.refuse(`${what} combined by ${bridge.combine[what]}`);
  if (bridge.unsupported.length > 0) return null;
  await RAPIER.init();
  const o = bridge.options, vec = ([x, y, z]) => ({ x, y, z }), quat = ([w, x, y, z]) => ({ w, x, y, z });
  const world = new RAPIER.World(vec(bridge.gravity)), tuning = world.integrationParameters;
  world.timestep = bridge.h;
  tuning.numSolverIterations = o.iterations;
  tuning.numInternalPgsIterations = o.pgs_iterations;
  tuning.contact_natural_frequency = o.contact_frequency;
  tuning.normalizedAllowedLinearError = o.slop;
  tuning.normalizedPredictionDistance = o.prediction;

  const colliderOf = (body) => {
    const { kind, radius, length, size, points, normal, offset, turn } = body.shape, placed = mul(body.orientation, turn);
    let made;
    if (kind === 'sphere') made = RAPIER.ColliderDesc.ball(radius);
    else if (kind === 'box') made = RAPIER.ColliderDesc.cuboid(...scale(0.5, size));
    else if (kind === 'capsule') made = RAPIER.ColliderDesc.capsule(0.5 * length, radius);
    else if (kind === 'cylinder') made = RAPIER.ColliderDesc.cylinder(0.5 * length, radius);
    else if (kind === 'hull') made = RAPIER.ColliderDesc.convexHull(new Float32Array(points.flat()));
    else {
      const n = rotate(body.orientation, normal);
      return new RAPIER.ColliderDesc(new RAPIER.HalfSpace(vec(n))).setTranslation(...scale(offset, n));
    }
    return made.setRotation(quat(placed)).setDensity(0);
  };

  const bodies = bridge.bodies.map((body, index) => {
    const made = world.createRigidBody((body.fixed ? RAPIER.RigidBodyDesc.fixed() : RAPIER.RigidBodyDesc.dynamic())
      .setTranslation(...body.position).setCanSleep(false).setLinearDamping(0).setAngularDamping(0));
    if (body.shape && bridge.hasContacts) {
      const material = bridge.materials[body.material];
      const collider = world.createCollider(colliderOf(body).setFriction(material.friction).setRestitution(material.restitution), made);
      collider.setFrictionCombineRule(RULES[bridge.combine.friction]);
      collider.setRestitutionCombineRule(RULES[bridge.combine.restitution]);
      if (bridge.except.some((pair) => pair.includes(index))) collider.setActiveHooks(RAPIER.ActiveHooks.FILTER_CONTACT_PAIRS);
    }
    if (!body.fixed) {
      const I = body.particle ? [1, 1, 1] : body.inertia;
      made.setAdditionalMassProperties(body.mass, vec([0, 0, 0]), vec(I), quat(body.orientation), true);
      if (body.particle) made.lockRotations(true, true);
      made.setLinvel(vec(body.velocity), true);
      made.setAngvel(vec(body.angular_velocity), true);
    }
    return made;
  });
  bridge.contactImpulses = bridge.pairs.flat().every(([friction]) => friction === 0);
  // Normal impulses over all of its own substeps; the normal is that of the step's beginning, from first to second.
  const readContacts = () => bodies.forEach((made, i) => {
    if (bridge.removed[i] || made.numColliders() === 0) return;
    const own = made.collider(0);
    world.contactPairsWith(own, (other) => {
      const j = indexOf.get(other.parent().handle);
      if (i < j) world.contactPair(own, other, (manifold, flipped) => {
        const { x, y, z } = manifold.normal();
        for (let k = 0; k < manifold.numContacts(); k++) bridge.addContact(i, j, scale((flipped ? -1 : 1) * manifold.contactImpulse(k), [x, y, z]));
      });
    });
  });
  const indexOf = new Map(bodies.map((made, i) => [made.handle, i]));
  const hooks = { filterContactPair: (c1, c2, b1, b2) => (bridge.mayTouch(indexOf.get(b1), indexOf.get(b2)) ? RAPIER.SolverFlags.COMPUTE_IMPULSE : null),
    filterIntersectionPair: () => true };

  // Motors of any axis, which only the binding's inner layer has: 0 to 2 along, 3 to 5 about the joint's axes.
  const FORCE = RAPIER.MotorModel.ForceBased;
  const spring = ({ rawSet, handle }, axis, target, stiffness, damping) => {
    rawSet.jointConfigureMotorModel(handle, axis, FORCE);
    rawSet.jointConfigureMotorPosition(handle, axis, target, stiffness, damping);
  };
  const { LinX, LinY, LinZ, AngX, AngY, AngZ } = RAPIER.JointAxesMask;
  const joints = bridge.joints.map((joint) => {
    const [one, two] = joint.bodies, placed = joint.anchors.map((p, i) => vec(rotate(bridge.bodies[joint.bodies[i]].orientation, p)));
    const axis = vec(bridge.axis(joint, 0)), none = quat([1, 0, 0, 0]);
    const slides = joint.type === 'prismatic' || (joint.type === 'cylinder' && given(joint.angle));
    const soft = joint.compliance > 0, aims = given(joint.target), free = soft && !aims && joint.type !== 'distance';
    const held = { ball: 0, hinge: AngY | AngZ, motor: AngY | AngZ, fixed: AngX | AngY | AngZ, prismatic: AngX | AngY | AngZ }[joint.type];
    const data = free ? RAPIER.JointData.generic(...placed, axis, held) : joint.type === 'ball' ? RAPIER.JointData.spherical(...placed)
      : joint.type === 'fixed' ? RAPIER.JointData.fixed(placed[0], none, placed[1], none)
        : joint.type === 'distance' && joint.compliance > 0 ? RAPIER.JointData.spring(joint.rest, 1 / joint.compliance, 0, ...placed)
        : joint.type === 'distance' ? RAPIER.JointData.rope(joint.rest, ...placed)
          : slides ? RAPIER.JointData.prismatic(...placed, axis)
            : joint.type === 'cylinder' ? RAPIER.JointData.generic(...placed, axis, LinY | LinZ | AngY | AngZ)
              : RAPIER.JointData.revolute(...placed, axis);
    const made = world.createImpulseJoint(data, bodies[one], bodies[two], true);
    const low = slides ? joint.position_min : joint.angle_min, high = slides ? joint.position_max : joint.angle_max;
    made.setContactsEnabled(!bridge.excepted.has(one < two ? `${one} ${two}` : `${two} ${one}`));
    if (free) (joint.type === 'prismatic' ? [1, 2] : [0, 1, 2]).forEach((k) => spring(made, k, 0, 1 / joint.compliance, 0));
    if (free && (given(low) || given(high) || given(joint.speed))) bridge.refuse('compliance in joints with limits or motors');
    else if (['hinge', 'prismatic'].includes(joint.type) && (given(low) || given(high))) made.setLimits(low ?? (slides ? -1e6 : -Math.PI), high ?? (slides ? 1e6 : Math.PI));
    if (joint.type === 'cylinder' && aims) {
      spring(made, 0, joint.target, soft ? 1 / joint.compliance : RIGID, soft ? 0 : RIGID * bridge.h);
      if (!soft) bridge.approximate('a servo is a stiff spring and damper');
    } else if ((given(joint.speed) && !free) || aims) {
      made.configureMotorModel(RAPIER.MotorModel.ForceBased);
      if (given(joint.max_torque)) {
        if (made.setMotorMaxForce) made.setMotorMaxForce(joint.max_torque);
        else bridge.refuse('motors with a bound');
      }
      made.configureMotorVelocity(joint.speed ?? 0, RIGID);
    }
    if (joint.type === 'servo') {
      made.configureMotorPosition(joint.target, soft ? 1 / joint.compliance : RIGID, soft ? 0 : RIGID * bridge.h);
      if (!soft) bridge.approximate('a servo is a stiff spring and damper');
    }
    return made;
  });

  return {
    step() {
      bridge.pushBodies((i, force, torque) => {
        bodies[i].resetForces(true);
        bodies[i].resetTorques(true);
        bodies[i].addForce(vec(force), true);
        bodies[i].addTorque(vec(torque), true);
      });
      world.step(undefined, hooks);
    },
    read() {
      if (bridge.before && bridge.contactImpulses) readContacts();
      bodies.forEach((made, i) => {
        if (bridge.bodies[i].fixed || bridge.removed[i]) return;
        const p = made.translation(), r = made.rotation(), v = made.linvel(), w = made.angvel();
        bridge.motion[i] = { x: [p.x, p.y, p.z], q: mul([r.w, r.x, r.y, r.z], bridge.bodies[i].orientation),
          v: [v.x, v.y, v.z], w: [w.x, w.y, w.z] };
      });
    },
    remove(i) {
      bridge.joints.forEach((joint, j) => joint.bodies.includes(i) && world.removeImpulseJoint(joints[j], true));
      world.removeRigidBody(bodies[i]);
    },
  };
});
