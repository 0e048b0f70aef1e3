/* SPDX-License-Identifier: MIT */
// Box2D 3, in the x-y plane. Its `iterations` are substeps within a step. A body's angle turns its first orientation about
// z; its moment is the principal one along z. Friction of a pair is the scene's, by a callback on material numbers.
import load from './node_modules/box2d3-wasm/build/dist/es/compat/Box2D.compat.mjs';
import { serve, rotate, conj, mul, dot, isZero, given } from './bridge.mjs';

const SLAB = 1e3; // m; a plane is a slab of this half width and depth
const FAST = 1e6; // m/s: no bound
const KINDS = { hinge: 'Revolute', servo: 'Revolute', motor: 'Revolute', ball: 'Revolute', prismatic: 'Prismatic', cylinder: 'Prismatic', distance: 'Distance', fixed: 'Weld' };

serve({ engine: 'Box2D', package: 'box2d3-wasm', precision: 'float', dimension: 2, licence: 'MIT', clock: 'wasm', binding: true }, async (bridge) => {
  bridge.refuseJoints({ springs: ['distance', 'servo'] });
  bridge.refuseSpatial();
  for (const joint of bridge.joints) {
    const soft = joint.compliance > 0;
    if (soft && joint.one_sided) bridge.refuse('soft ropes');
    if (soft && given(joint.max_torque)) bridge.refuse('a soft servo with a bound');
    // Its springs are given by frequency: the stiffness stays the same only where the mass that they move does.
    if (soft && joint.type === 'distance' && joint.bodies.some((i, side) => !bridge.bodies[i].fixed && !bridge.bodies[i].particle && !isZero(joint.anchors[side])))
      bridge.refuse('compliance in distance joints away from the centres');
  }
  if (bridge.unsupported.length > 0) return null;
  const B = await load(), o = bridge.options;
  const vec = (a) => { const v = new B.b2Vec2(); v.Set ? v.Set(a[0], a[1]) : ((v.x = a[0]), (v.y = a[1])); return v; };
  const turn = (angle) => { const q = new B.b2Rot(); q.c = Math.cos(angle); q.s = Math.sin(angle); return q; };
  const place = (i, p) => rotate(bridge.bodies[i].orientation, p); // of a body's frame, in the plane, about its centre

  const worldDef = B.b2DefaultWorldDef();
  worldDef.gravity = vec(bridge.gravity);
  worldDef.enableSleep = false;
  worldDef.restitutionThreshold = o.restitution_threshold;
  worldDef.maximumLinearSpeed = FAST;
  const world = B.b2CreateWorld(worldDef);
  B.b2World_SetContactTuning(world, o.contact_hertz, o.contact_damping, o.push_speed);
  B.b2World_SetFrictionCallback(world, (f1, m1, f2, m2) => bridge.pairs[Number(m1)][Number(m2)][0]);
  B.b2World_SetRestitutionCallback?.(world, (e1, m1, e2, m2) => bridge.pairs[Number(m1)][Number(m2)][1]);

  const polygon = (body, shape, points) => {
    const hull = B.b2ComputeHull(points.map(vec));
    B.b2CreatePolygonShape(body, shape, B.b2MakePolygon(hull, 0));
  };
  const addShape = (made, index) => {
    const { kind, radius, length, size, points, normal, offset, turn: q } = bridge.bodies[index].shape, def = B.b2DefaultShapeDef();
    const flat = (p) => place(index, rotate(q, p)), material = bridge.materials[bridge.bodies[index].material];
    def.density = 0;
    def.updateBodyMass = false;
    def.material.friction = material.friction;
    def.material.restitution = material.restitution;
    def.material.userMaterialId = BigInt(bridge.bodies[index].material);
    def.filter.groupIndex = 0;
    const box = (s) => [-1, 1].flatMap((i) => [-1, 1].flatMap((j) => [-1, 1].map((k) => flat([i * s[0] / 2, j * s[1] / 2, k * s[2] / 2]))));
    const end = flat([0, (length ?? 0) / 2, 0]), upright = Math.hypot(end[0], end[1]) < 1e-9;
    if (kind === 'sphere' || (['capsule', 'cylinder'].includes(kind) && upright)) {
      const circle = new B.b2Circle();
      circle.center = vec([0, 0]);
      circle.radius = radius;
      B.b2CreateCircleShape(made, def, circle);
    } else if (kind === 'capsule') {
      const capsule = new B.b2Capsule();
      capsule.center1 = vec(end);
      capsule.center2 = vec([-end[0], -end[1]]);
      capsule.radius = radius;
      B.b2CreateCapsuleShape(made, def, capsule);
    } else if (kind === 'plane') {
      const n = place(index, normal), t = [-n[1], n[0]];
      if (Math.abs(n[2]) > 1e-9) bridge.refuse('planes that are not along z');
      polygon(made, def, [[0, 1], [0, -1], [1, 1], [1, -1]].map(([deep, side]) => [0, 1].map((k) => n[k] * (offset - deep * SLAB) + side * SLAB * t[k])));
    } else polygon(made, def, distinct(kind === 'box' ? box(size) : kind === 'cylinder' ? box([2 * radius, length, 2 * radius]) : points.map(flat)));
  };

  const made = bridge.bodies.map((body, index) => {
    const def = B.b2DefaultBodyDef();
    def.type = body.fixed ? B.b2BodyType.b2_staticBody : B.b2BodyType.b2_dynamicBody;
    def.position = vec(body.position);
    def.linearVelocity = vec(body.velocity);
    def.angularVelocity = body.angular_velocity[2];
    def.enableSleep = false;
    def.allowFastRotation = true;
    def.linearDamping = def.angularDamping = 0;
    const one = B.b2CreateBody(world, def);
    if (body.shape && bridge.hasContacts) addShape(one, index);
    if (!body.fixed) {
      const along = rotate(conj(body.orientation), [0, 0, 1]), mass = new B.b2MassData();
      mass.mass = body.mass;
      mass.center = vec([0, 0]);
      mass.rotationalInertia = dot(body.inertia, along.map((x) => x * x));
      B.b2Body_SetMassData(one, mass);
    }
    return one;
  });
  if (bridge.hasContacts && bridge.except.some(([a, b]) => bridge.bodies[a].shape && bridge.bodies[b].shape && !bridge.joints.some((j) => j.bodies.includes(a) && j.bodies.includes(b))))
    bridge.refuse('pairs that may not touch but are not joined');

  // Hertz of a spring of 1/alpha between two bodies whose inverse masses (or moments) add up to w.
  const hertz = (alpha, w) => Math.sqrt(w / alpha) / (2 * Math.PI);
  const inverse = (i, of) => (bridge.bodies[i].fixed || (of === 'moment' && bridge.bodies[i].particle) ? 0
    : 1 / (of === 'mass' ? bridge.bodies[i].mass : dot(bridge.bodies[i].inertia, rotate(conj(bridge.bodies[i].orientation), [0, 0, 1]).map((x) => x * x))));
  const joints = bridge.joints.map((joint) => {
    const soft = joint.compliance > 0;
    const kind = KINDS[joint.type], def = B[`b2Default${kind}JointDef`](), axis = bridge.axis(joint, 0);
    const [one, two] = joint.bodies, angle = kind === 'Prismatic' ? Math.atan2(axis[1], axis[0]) : 0, sign = axis[2] < 0 ? -1 : 1;
    const base = def.base, frame = (side) => {
      const t = new B.b2Transform();
      t.p = vec(place(joint.bodies[side], joint.anchors[side]));
      t.q = turn(angle);
      return t;
    };
    base.bodyIdA = made[one];
    base.bodyIdB = made[two];
    base.localFrameA = frame(0);
    base.localFrameB = frame(1);
    base.collideConnected = bridge.mayTouch(one, two);
    def.base = base;
    if (kind === 'Distance') {
      def.length = joint.rest;
      def.minLength = joint.one_sided ? 0 : joint.rest;
      def.maxLength = joint.rest;
      if (joint.one_sided) { def.enableLimit = true; def.enableSpring = true; def.hertz = 0; }
      if (soft) {
        def.minLength = 0;
        def.maxLength = SLAB;
        def.enableSpring = true;
        def.hertz = hertz(joint.compliance, inverse(one, 'mass') + inverse(two, 'mass'));
        def.dampingRatio = 0;
      }
    }
    if (joint.type === 'hinge' && (given(joint.angle_min) || given(joint.angle_max))) {
      const low = joint.angle_min ?? -3.1, high = joint.angle_max ?? 3.1; // the engine knows less than half a turn
      if (Math.max(-low, high) > Math.PI) bridge.refuse('hinge limits beyond half a turn');
      def.enableLimit = true;
      def.lowerAngle = sign > 0 ? low : -high;
      def.upperAngle = sign > 0 ? high : -low;
    }
    if (joint.type === 'prismatic' && (given(joint.position_min) || given(joint.position_max))) {
      def.enableLimit = true;
      def.lowerTranslation = joint.position_min ?? -SLAB;
      def.upperTranslation = joint.position_max ?? SLAB;
    }
    if (kind === 'Revolute' && soft) {
      def.enableSpring = true;
      def.targetAngle = sign * joint.target;
      def.hertz = hertz(joint.compliance, inverse(one, 'moment') + inverse(two, 'moment'));
      def.dampingRatio = 0;
    } else if (kind === 'Prismatic' && given(joint.target)) {
      def.enableMotor = true;
      def.maxMotorForce = 1e20;
    } else if (kind === 'Revolute' && (given(joint.speed) || given(joint.target))) {
      def.enableMotor = true;
      def.motorSpeed = sign * (joint.speed ?? 0);
      def.maxMotorTorque = joint.max_torque ?? 1e20;
    }
    if (given(joint.target) && !soft) bridge.approximate('a servo is a motor that heads for its target within one step');
    return { id: B[`b2Create${kind}Joint`](world, def), sign };
  });
  bridge.approximate('the scene in its x-y plane');
  if (o.iterations > 1) bridge.approximate('impulses are those of the last of its own substeps');

  const indexOf = new Map(made.map((id, i) => [id.index1, i]));
  const bodyOf = (shape) => indexOf.get(B.b2Shape_GetBody(shape).index1);
  // Impulses are those of the last substep, taken for each: what it sums over them counts its relaxing sweeps twice.
  const readContacts = () => made.forEach((one, i) => {
    if (bridge.bodies[i].fixed || bridge.removed[i]) return;
    for (const { manifold, shapeIdA, shapeIdB } of B.b2Body_GetContactData(one, B.b2Body_GetContactCapacity(one))) {
      const a = bodyOf(shapeIdA), b = bodyOf(shapeIdB), { normal: n } = manifold;
      if (i !== a && !(bridge.bodies[a].fixed)) continue; // of two moving bodies both tell
      for (let k = 0; k < manifold.pointCount; k++) {
        const point = manifold.GetPoint(k), p = point.normalImpulse * o.iterations, t = point.tangentImpulse * o.iterations;
        bridge.addContact(a, b, [p * n.x + t * n.y, p * n.y - t * n.x, 0]);
      }
    }
  });
  const readReactions = () => joints.forEach(({ id }, j) => {
    if (bridge.joints[j].bodies.some((i) => bridge.removed[i])) return bridge.setReaction(j, [0, 0, 0], [0, 0, 0]);
    const f = B.b2Joint_GetConstraintForce(id), t = B.b2Joint_GetConstraintTorque(id);
    bridge.setReaction(j, [bridge.h * f.x, bridge.h * f.y, 0], [0, 0, bridge.h * t]);
  });
  bridge.jointImpulses = bridge.contactImpulses = true;

  return {
    step() {
      bridge.pushBodies((i, force, torque) => {
        B.b2Body_ApplyForceToCenter(made[i], vec(force), true);
        B.b2Body_ApplyTorque(made[i], torque[2], true);
      });
      bridge.joints.forEach(({ type, target, compliance }, j) => {
        const { id, sign } = joints[j];
        if (!given(target) || compliance > 0) return;
        if (type === 'cylinder') B.b2PrismaticJoint_SetMotorSpeed(id, (target - B.b2PrismaticJoint_GetTranslation(id)) / bridge.h);
        else B.b2RevoluteJoint_SetMotorSpeed(id, (sign * target - B.b2RevoluteJoint_GetAngle(id)) / bridge.h);
      });
      B.b2World_Step(world, bridge.h, o.iterations);
    },
    read() {
      if (bridge.before) { readReactions(); readContacts(); }
      made.forEach((one, i) => {
        const body = bridge.bodies[i];
        if (body.fixed || bridge.removed[i]) return;
        const p = B.b2Body_GetPosition(one), q = B.b2Body_GetRotation(one), v = B.b2Body_GetLinearVelocity(one);
        const half = 0.5 * Math.atan2(q.s, q.c);
        bridge.motion[i] = { x: [p.x, p.y, body.position[2]], q: mul([Math.cos(half), 0, 0, Math.sin(half)], body.orientation),
          v: [v.x, v.y, 0], w: [0, 0, B.b2Body_GetAngularVelocity(one)] };
      });
    },
    remove(i) {
      B.b2DestroyBody(made[i]); // its joints go with it
    },
  };
});

// Corners in the plane, once each: Box2D's hulls have eight at most.
function distinct(points) {
  const kept = [];
  for (const p of points) if (!kept.some((k) => Math.hypot(k[0] - p[0], k[1] - p[1]) < 1e-6)) kept.push(p);
  return kept;
}
