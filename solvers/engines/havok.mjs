/* SPDX-License-Identifier: MIT */
// Havok. A body's inertia is given for a mass of 1; it has no plane (a slab stands for it), no count of iterations, and no
// gyroscopic term. Its quaternions are [x, y, z, w]. Impulses stand for forces. It damps bodies that are slower than some
// 0.1 m/s: a constant force at first accelerates them by half of what it should, whatever the step.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import load from '@babylonjs/havok';
import { serve, rotate, scale, norm, given } from './bridge.mjs';

const SLAB = 1e3; // m; half width of the slab that stands for a plane; it is a tenth as deep
const FAST = 1e6; // m/s and rad/s: no bound
const STRONG = 300; // weights of its bodies: a motor without a bound; one of 1e6 N m on 2 kg holds nothing, in float

serve({ engine: 'Havok', package: '@babylonjs/havok', precision: 'float', dimension: 3, licence: 'MIT (binary)', clock: 'wasm', binding: true }, async (bridge) => {
  bridge.refuseJoints({ springs: ['distance', 'ball', 'hinge', 'motor', 'fixed', 'prismatic', 'servo', 'cylinder'] });
  const combine = { min: 'MINIMUM', max: 'MAXIMUM', average: 'ARITHMETIC_MEAN', multiply: 'MULTIPLY' };
  for (const what of ['friction', 'restitution'])
    if (bridge.hasContacts && !combine[bridge.combine[what]]) bridge.refuse(`${what} combined by ${bridge.combine[what]}`);
  if (bridge.unsupported.length > 0) return null;
  if (bridge.spins) bridge.approximate('no gyroscopic term');
  bridge.approximate('bodies slower than some 0.1 m/s are damped');
  const folder = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/@babylonjs/havok/lib/esm');
  const H = await load({ wasmBinary: readFileSync(join(folder, 'HavokPhysics.wasm')) });
  const quat = ([w, x, y, z]) => [x, y, z, w], none = [0, 0, 0, 1], origin = [0, 0, 0];
  const ok = ([result, value]) => { if (result !== H.Result.RESULT_OK) throw new Error('Havok refused a call'); return value; };
  const world = ok(H.HP_World_Create());
  H.HP_World_SetGravity(world, bridge.gravity);
  H.HP_World_SetIdealStepTime(world, bridge.h);
  H.HP_World_SetSpeedLimit(world, FAST, FAST);

  const hull = (points) => {
    const data = H._malloc(12 * points.length);
    new Float32Array(H.HEAPU8.buffer, data, 3 * points.length).set(points.flat());
    return ok(H.HP_Shape_CreateConvexHull(data, points.length));
  };
  const shapeOf = ({ kind, radius, length, size, points, normal, offset, turn }) => {
    const up = (length ?? 0) / 2, end = (s) => rotate(turn, [0, s * up, 0]);
    if (kind === 'sphere') return ok(H.HP_Shape_CreateSphere(origin, radius));
    if (kind === 'box') return ok(H.HP_Shape_CreateBox(origin, quat(turn), size));
    if (kind === 'capsule') return ok(H.HP_Shape_CreateCapsule(end(-1), end(1), radius));
    if (kind === 'cylinder') return ok(H.HP_Shape_CreateCylinder(end(-1), end(1), radius));
    if (kind === 'hull') return hull(points.map((p) => rotate(turn, p)));
    bridge.approximate('a plane is a slab 2 km wide');
    const axis = [normal[2], 0, -normal[0]], c = 1 + normal[1], q = c < 1e-9 ? [0, 1, 0, 0] : [c, ...axis], l = Math.hypot(...q);
    return ok(H.HP_Shape_CreateBox(scale(offset - SLAB / 10, normal), quat(q.map((x) => x / l)), [2 * SLAB, SLAB / 5, 2 * SLAB]));
  };
  const bodies = bridge.bodies.map((body) => {
    const made = ok(H.HP_Body_Create());
    if (body.shape && bridge.hasContacts) {
      const shape = shapeOf(body.shape), { friction, restitution } = bridge.materials[body.material];
      H.HP_Shape_SetMaterial(shape, [friction, friction, restitution, H.MaterialCombine[combine[bridge.combine.friction]], H.MaterialCombine[combine[bridge.combine.restitution]]]);
      H.HP_Body_SetShape(made, shape);
    }
    H.HP_Body_SetMotionType(made, body.fixed ? H.MotionType.STATIC : H.MotionType.DYNAMIC);
    H.HP_Body_SetQTransform(made, [body.position, quat(body.orientation)]);
    if (!body.fixed) {
      H.HP_Body_SetMassProperties(made, [origin, body.mass, body.particle ? origin : scale(1 / body.mass, body.inertia), none]);
      H.HP_Body_SetLinearDamping(made, 0);
      H.HP_Body_SetAngularDamping(made, 0);
      H.HP_Body_SetLinearVelocity(made, body.velocity);
      H.HP_Body_SetAngularVelocity(made, body.angular_velocity);
      H.HP_Body_SetActivationControl?.(made, H.ActivationControl.ALWAYS_ACTIVE);
    }
    ok([H.HP_World_AddBody(world, made, false)]);
    return made;
  });
  const joined = (a, b) => bridge.joints.some((joint) => joint.bodies.includes(a) && joint.bodies.includes(b));
  if (bridge.hasContacts && bridge.except.some(([a, b]) => bridge.bodies[a].shape && bridge.bodies[b].shape && !joined(a, b)))
    bridge.refuse('pairs that may not touch but are not joined');

  const Axis = H.ConstraintAxis, Mode = H.ConstraintAxisLimitMode, LINEAR = ['LINEAR_X', 'LINEAR_Y', 'LINEAR_Z'], ANGULAR = ['ANGULAR_X', 'ANGULAR_Y', 'ANGULAR_Z'];
  const driven = (joint) => (joint.type === 'cylinder' ? Axis.LINEAR_X : Axis.ANGULAR_X);
  const setSpeed = (made, joint, speed) => (H.HP_Constraint_SetAxisMotorVelocityTarget ?? H.HP_Constraint_SetAxisMotorTarget).call(H, made, driven(joint), speed);
  const joints = bridge.joints.map((joint) => {
    const strong = STRONG * (norm(bridge.gravity) + 1) * joint.bodies.reduce((sum, i) => sum + (bridge.bodies[i].mass ?? 0), 0);
    const made = ok(H.HP_Constraint_Create()), frame = (side) => [joint.anchors[side], rotate(joint.frames[side], [1, 0, 0]), rotate(joint.frames[side], [0, 1, 0])];
    const lock = (axes) => axes.forEach((axis) => H.HP_Constraint_SetAxisMode(made, Axis[axis], Mode.LOCKED));
    const limit = (axis, low, high) => {
      if (!given(low) && !given(high)) return;
      H.HP_Constraint_SetAxisMode(made, Axis[axis], Mode.LIMITED);
      H.HP_Constraint_SetAxisMinLimit(made, Axis[axis], low ?? (axis.startsWith('A') ? -Math.PI : -FAST));
      H.HP_Constraint_SetAxisMaxLimit(made, Axis[axis], high ?? (axis.startsWith('A') ? Math.PI : FAST));
    };
    H.HP_Constraint_SetParentBody(made, bodies[joint.bodies[0]]);
    H.HP_Constraint_SetChildBody(made, bodies[joint.bodies[1]]);
    H.HP_Constraint_SetAnchorInParent(made, ...frame(0));
    H.HP_Constraint_SetAnchorInChild(made, ...frame(1));
    H.HP_Constraint_SetCollisionsEnabled(made, bridge.mayTouch(...joint.bodies) ? 1 : 0);
    const slides = ['prismatic', 'cylinder'].includes(joint.type);
    if (joint.type === 'distance') limit('LINEAR_DISTANCE', joint.one_sided ? 0 : joint.rest, joint.rest);
    else lock(slides ? LINEAR.slice(1) : LINEAR);
    const soft = joint.compliance > 0, aims = given(joint.target);
    if (soft && !aims)
      (joint.type === 'distance' ? ['LINEAR_DISTANCE'] : slides ? LINEAR.slice(1) : LINEAR).forEach((axis) => {
        if (joint.type !== 'distance') limit(axis, 0, 0);
        H.HP_Constraint_SetAxisStiffness(made, Axis[axis], 1 / joint.compliance);
        H.HP_Constraint_SetAxisDamping(made, Axis[axis], 0);
      });
    if (joint.type === 'fixed' || joint.type === 'prismatic' || (joint.type === 'cylinder' && given(joint.angle))) lock(ANGULAR);
    else if (!['ball', 'distance'].includes(joint.type)) lock(ANGULAR.slice(1));
    if (joint.type === 'hinge') limit('ANGULAR_X', joint.angle_min, joint.angle_max);
    if (joint.type === 'prismatic') limit('LINEAR_X', joint.position_min, joint.position_max);
    if (joint.type === 'ball') {
      limit('ANGULAR_X', joint.twist_min, joint.twist_max);
      if (given(joint.swing_max)) ANGULAR.slice(1).forEach((axis) => limit(axis, -joint.swing_max, joint.swing_max));
      if (given(joint.swing_max)) bridge.approximate('a swing limit is a pyramid that rebounds');
    }
    if (soft && aims) {
      H.HP_Constraint_SetAxisMotorType(made, driven(joint), H.ConstraintMotorType.SPRING_FORCE);
      H.HP_Constraint_SetAxisMotorMaxForce(made, driven(joint), joint.max_torque ?? strong);
      H.HP_Constraint_SetAxisMotorStiffness(made, driven(joint), 1 / joint.compliance);
      H.HP_Constraint_SetAxisMotorDamping(made, driven(joint), 0);
      H.HP_Constraint_SetAxisMotorPositionTarget(made, driven(joint), joint.target);
    } else if (given(joint.speed) || aims) {
      H.HP_Constraint_SetAxisMotorType(made, driven(joint), H.ConstraintMotorType.VELOCITY);
      H.HP_Constraint_SetAxisMotorMaxForce(made, driven(joint), joint.max_torque ?? strong);
      setSpeed(made, joint, joint.speed ?? 0);
    }
    if (aims && !soft) bridge.approximate('a servo is a motor that heads for its target within one step');
    H.HP_Constraint_SetEnabled(made, 1);
    return made;
  });

  // Of contacts it tells the size of the normal impulse alone: not given.
  const readReactions = () => joints.forEach((made, j) => {
    if (bridge.joints[j].bodies.some((i) => bridge.removed[i])) return bridge.setReaction(j, [0, 0, 0], [0, 0, 0]);
    const [, impulse, torque] = H.HP_Constraint_GetAppliedImpulses(made);
    bridge.setReaction(j, impulse, torque);
  });
  bridge.jointImpulses = true;

  return {
    step() {
      bridge.pushBodies((i, force, torque) => {
        H.HP_Body_ApplyImpulse(bodies[i], bridge.motion[i].x, scale(bridge.h, force));
        H.HP_Body_ApplyAngularImpulse(bodies[i], scale(bridge.h, torque));
      });
      bridge.joints.forEach((joint, j) => {
        if (!given(joint.target) || joint.compliance > 0) return;
        const at = joint.type === 'cylinder' ? bridge.slide(joint) : bridge.angle(joint);
        setSpeed(joints[j], joint, (joint.target - at) / bridge.h);
      });
      H.HP_World_Step(world, bridge.h);
    },
    read() {
      if (bridge.before) readReactions();
      bodies.forEach((made, i) => {
        if (bridge.bodies[i].fixed || bridge.removed[i]) return;
        const [x, q] = ok(H.HP_Body_GetQTransform(made));
        bridge.motion[i] = { x, q: [q[3], q[0], q[1], q[2]], v: ok(H.HP_Body_GetLinearVelocity(made)), w: ok(H.HP_Body_GetAngularVelocity(made)) };
      });
    },
    remove(i) {
      bridge.joints.forEach((joint, j) => joint.bodies.includes(i) && H.HP_Constraint_Release(joints[j]));
      H.HP_World_RemoveBody(world, bodies[i]);
    },
  };
});
