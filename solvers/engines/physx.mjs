/* SPDX-License-Identifier: MIT */
// PhysX 5: `pgs` and `tgs` with joints as constraints, `articulation` with joints in reduced coordinates. Its capsules lie
// along x, its planes face +x. Damping, sleeping and the bound on angular speed are off; the gyroscopic term is on, by its
// raw bit, which the binding does not name. It loads as in a browser: it refuses Node if it sees it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { serve, rotate, scale, add, sub, mul, conj, cross, given } from './bridge.mjs';

const GYROSCOPIC = 1 << 10, ANGULAR_LOCKS = 8 | 16 | 32, KILL = 1;
const PAIR = 1 | 1024, REPORTS = 4 | 8 | 512; // solve and detect; report a touch that is new and one that lasts, with its points
const OPEN = 1e6; // rad or m: a limit that is never reached
const STIFF = 1e6; // 1/s, of a drive: as good as rigid
const STIFF_DRIVE = 1e9; // N s/m, of a drive along an axis: the same
const RULES = { average: 0, min: 1, multiply: 2, max: 3 };
const X_TO_Y = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];

async function load() {
  const path = createRequire(import.meta.url).resolve('physx-js-webidl'), versions = process.versions;
  Object.defineProperty(process, 'versions', { value: { ...versions, node: undefined }, configurable: true });
  globalThis.window = globalThis;
  const { default: init } = await import('physx-js-webidl');
  const PhysX = await init({ wasmBinary: readFileSync(path.replace(/\.mjs$/, '.wasm')) });
  delete globalThis.window;
  Object.defineProperty(process, 'versions', { value: versions, configurable: true });
  return PhysX;
}

serve({ engine: 'PhysX', package: 'physx-js-webidl', precision: 'float', dimension: 3, licence: 'BSD-3-Clause (binding: MIT)', clock: 'wasm', binding: true }, async (bridge) => {
  const reduced = bridge.mode === 'articulation';
  bridge.refuseJoints({ springs: reduced ? ['servo'] : ['distance', 'ball', 'hinge', 'motor', 'fixed', 'prismatic', 'servo', 'cylinder'] });
  for (const what of ['friction', 'restitution'])
    if (bridge.hasContacts && !given(RULES[bridge.combine[what]])) bridge.refuse(`${what} combined by ${bridge.combine[what]}`);
  if (bridge.hasContacts && bridge.bodies.some((b) => b.shape?.kind === 'cylinder')) bridge.refuse('cylinders');
  for (const joint of bridge.joints)
    if (joint.compliance > 0 && (given(joint.speed) || given(joint.angle_min) || given(joint.angle_max) || given(joint.position_min) || given(joint.position_max)))
      bridge.refuse('compliance in joints with limits or motors');
  if (reduced) refuseArticulation(bridge);
  if (bridge.unsupported.length > 0) return null;
  const PhysX = await load(), top = PhysX.PxTopLevelFunctions.prototype, o = bridge.options;
  const vec = (a) => new PhysX.PxVec3(...a), quat = (q) => new PhysX.PxQuat(q[1], q[2], q[3], q[0]), pose = (x, q) => new PhysX.PxTransform(vec(x), quat(q));
  const foundation = top.CreateFoundation(top.PHYSICS_VERSION, new PhysX.PxDefaultAllocator(), new PhysX.PxDefaultErrorCallback());
  const tolerances = new PhysX.PxTolerancesScale(), physics = top.CreatePhysics(top.PHYSICS_VERSION, foundation, tolerances);
  top.InitExtensions(physics);

  const desc = new PhysX.PxSceneDesc(tolerances);
  desc.gravity = vec(bridge.gravity);
  desc.cpuDispatcher = top.DefaultCpuDispatcherCreate(0);
  desc.solverType = bridge.mode === 'pgs' ? PhysX.PxSolverTypeEnum.ePGS : PhysX.PxSolverTypeEnum.eTGS;
  desc.bounceThresholdVelocity = o.restitution_threshold;
  const contacts = bridge.hasContacts && o.contact_reports ? listen(bridge, PhysX, desc) : null;
  bridge.contactImpulses = contacts !== null;
  const shader = new PhysX.PassThroughFilterShaderImpl();
  shader.filterShader = (a0, i, w01, w02, w03, a1, j) => {
    shader.outputPairFlags = contacts ? PAIR | REPORTS : PAIR;
    return bridge.mayTouch(i, j) ? 0 : KILL;
  };
  top.setupPassThroughFilterShader(desc, shader);
  const scene = physics.createScene(desc);

  const materials = bridge.materials.map(({ friction, restitution }) => {
    const made = physics.createMaterial(friction, friction, restitution);
    made.setFrictionCombineMode(RULES[bridge.combine.friction]);
    made.setRestitutionCombineMode(RULES[bridge.combine.restitution]);
    return made;
  });
  const hullGeometry = (points) => {
    const array = new PhysX.PxArray_PxVec3(points.length), hull = new PhysX.PxConvexMeshDesc();
    points.forEach((p, i) => array.set(i, vec(p)));
    hull.flags = new PhysX.PxConvexFlags(PhysX.PxConvexFlagEnum.eCOMPUTE_CONVEX);
    hull.points.count = points.length;
    hull.points.stride = 12;
    hull.points.data = array.begin();
    return new PhysX.PxConvexMeshGeometry(top.CreateConvexMesh(new PhysX.PxCookingParams(tolerances), hull));
  };
  const addShape = (actor, body, index) => {
    const { kind, radius, length, size, points, normal, offset, turn } = body.shape;
    let geometry, at = [0, 0, 0], q = turn;
    if (kind === 'sphere') geometry = new PhysX.PxSphereGeometry(radius);
    else if (kind === 'box') geometry = new PhysX.PxBoxGeometry(...scale(0.5, size));
    else if (kind === 'hull') geometry = hullGeometry(points);
    else if (kind === 'capsule') { geometry = new PhysX.PxCapsuleGeometry(radius, 0.5 * length); q = mul(turn, X_TO_Y); }
    else {
      const axis = cross([1, 0, 0], normal), c = 1 + normal[0]; // the turn that brings x to the normal
      const r = c < 1e-9 ? [0, 0, 1, 0] : [c, ...axis], l = Math.hypot(...r);
      geometry = new PhysX.PxPlaneGeometry();
      q = r.map((k) => k / l);
      at = scale(offset, normal);
    }
    const shape = physics.createShape(geometry, materials[body.material], true,
      new PhysX.PxShapeFlags(PhysX.PxShapeFlagEnum.eSIMULATION_SHAPE));
    shape.setLocalPose(pose(at, q));
    shape.setSimulationFilterData(new PhysX.PxFilterData(index, 0, 0, 0));
    shape.setContactOffset(o.contact_offset);
    shape.setRestOffset(0);
    actor.attachShape(shape);
  };

  const setUp = (actor, body, index) => {
    if (body.shape && bridge.hasContacts) addShape(actor, body, index);
    if (body.fixed) return;
    const I = body.particle ? [1, 1, 1] : body.inertia;
    actor.setMass(body.mass);
    actor.setMassSpaceInertiaTensor(vec(I));
    actor.setCMassLocalPose(pose([0, 0, 0], [1, 0, 0, 0]));
    actor.setLinearDamping(0);
    actor.setAngularDamping(0);
    actor.setMaxAngularVelocity(1e6);
    if (typeof o.push_speed === 'number') actor.setMaxDepenetrationVelocity(o.push_speed);
    actor.setRigidBodyFlag(GYROSCOPIC, true);
  };
  const built = reduced ? articulate(bridge, PhysX, physics, scene, { vec, pose, quat, setUp }) : { links: [], aims: [] };
  const actors = bridge.bodies.map((body, index) => {
    if (built.links[index]) return built.links[index];
    const actor = body.fixed ? physics.createRigidStatic(pose(body.position, body.orientation)) : physics.createRigidDynamic(pose(body.position, body.orientation));
    setUp(actor, body, index);
    if (!body.fixed) {
      actor.setSolverIterationCounts(o.iterations, o.velocity_iterations);
      actor.setSleepThreshold(0);
      actor.setStabilizationThreshold(0);
      if (body.particle) actor.setRigidDynamicLockFlags(new PhysX.PxRigidDynamicLockFlags(ANGULAR_LOCKS));
      actor.setLinearVelocity(vec(body.velocity));
      actor.setAngularVelocity(vec(body.angular_velocity));
    }
    scene.addActor(actor);
    return actor;
  });
  actors.forEach((actor, i) => contacts?.bodyOf.set(PhysX.getPointer(actor), i));

  const D6 = PhysX.PxD6AxisEnum, Motion = PhysX.PxD6MotionEnum, hard = new PhysX.PxSpring(0, 0);
  const create = (kind, joint) => top[`${kind}JointCreate`](physics, actors[joint.bodies[0]], pose(joint.anchors[0], joint.frames[0]),
    actors[joint.bodies[1]], pose(joint.anchors[1], joint.frames[1]));
  const makers = {
    fixed: (joint) => create('Fixed', joint),
    ball: (joint) => {
      const made = create('D6', joint);
      const swing = given(joint.swing_max), twist = given(joint.twist_min) || given(joint.twist_max);
      [D6.eSWING1, D6.eSWING2].forEach((axis) => made.setMotion(axis, swing ? Motion.eLIMITED : Motion.eFREE));
      made.setMotion(D6.eTWIST, twist ? Motion.eLIMITED : Motion.eFREE);
      if (swing) made.setSwingLimit(new PhysX.PxJointLimitCone(joint.swing_max, joint.swing_max));
      if (twist) made.setTwistLimit(new PhysX.PxJointAngularLimitPair(joint.twist_min ?? -Math.PI, joint.twist_max ?? Math.PI));
      return made;
    },
    hinge: (joint) => {
      const made = create('Revolute', joint), Flag = PhysX.PxRevoluteJointFlagEnum;
      if (joint.type === 'hinge' && (given(joint.angle_min) || given(joint.angle_max))) {
        made.setLimit(new PhysX.PxJointAngularLimitPair(joint.angle_min ?? -6, joint.angle_max ?? 6));
        made.setRevoluteJointFlag(Flag.eLIMIT_ENABLED, true);
      }
      if (given(joint.speed) || given(joint.target)) {
        made.setRevoluteJointFlag(Flag.eDRIVE_ENABLED, true);
        made.setDriveForceLimit(given(joint.max_torque) ? joint.max_torque * bridge.h : 3e38);
        made.setDriveVelocity(joint.speed ?? 0);
      }
      if (given(joint.target)) bridge.approximate('a servo is a motor that heads for its target within one step');
      return made;
    },
    prismatic: (joint) => {
      const made = create('Prismatic', joint);
      if (given(joint.position_min) || given(joint.position_max)) {
        made.setLimit(new PhysX.PxJointLinearLimitPair(joint.position_min ?? -1e6, joint.position_max ?? 1e6, hard));
        made.setPrismaticJointFlag(PhysX.PxPrismaticJointFlagEnum.eLIMIT_ENABLED, true);
      }
      return made;
    },
    cylinder: (joint) => {
      const made = create('D6', joint);
      made.setMotion(D6.eX, Motion.eFREE);
      if (!given(joint.angle)) made.setMotion(D6.eTWIST, Motion.eFREE);
      if (given(joint.target)) {
        made.setDrive(PhysX.PxD6DriveEnum.eX, new PhysX.PxD6JointDrive(0, STIFF_DRIVE, 3e38, false));
        bridge.approximate('a servo is a motor that heads for its target within one step');
      }
      return made;
    },
    // A six-axis joint whose soft axes are free and driven by springs; `axes` are locked otherwise.
    soft: (joint) => {
      const made = create('D6', joint), Drive = PhysX.PxD6DriveEnum, aims = given(joint.target), { type } = joint;
      const along = type === 'cylinder' ? ['X'] : type === 'servo' ? [] : type === 'prismatic' ? ['Y', 'Z'] : ['X', 'Y', 'Z'];
      const spring = new PhysX.PxD6JointDrive(1 / joint.compliance, 0, joint.max_torque ?? 3e38, false);
      along.forEach((k) => { made.setMotion(D6[`e${k}`], Motion.eFREE); made.setDrive(Drive[`e${k}`], spring); });
      if (type === 'prismatic') made.setMotion(D6.eX, Motion.eFREE);
      if (['ball', 'hinge', 'servo'].includes(type) || (type === 'cylinder' && !given(joint.angle))) made.setMotion(D6.eTWIST, Motion.eFREE);
      if (type === 'ball') [D6.eSWING1, D6.eSWING2].forEach((axis) => made.setMotion(axis, Motion.eFREE));
      if (type === 'servo') made.setDrive(Drive.eTWIST, spring);
      if (aims) made.setDrivePosition(type === 'servo' ? pose([0, 0, 0], [Math.cos(joint.target / 2), Math.sin(joint.target / 2), 0, 0]) : pose([joint.target, 0, 0], [1, 0, 0, 0]));
      return made;
    },
    distance: (joint) => {
      const made = create('Distance', joint), Flag = PhysX.PxDistanceJointFlagEnum;
      made.setMaxDistance(joint.rest);
      made.setMinDistance(joint.one_sided ? 0 : joint.rest);
      made.setTolerance(0);
      made.setDistanceJointFlag(Flag.eMAX_DISTANCE_ENABLED, true);
      made.setDistanceJointFlag(Flag.eMIN_DISTANCE_ENABLED, !joint.one_sided);
      if (joint.compliance > 0) {
        made.setStiffness(1 / joint.compliance);
        made.setDamping(0);
        made.setDistanceJointFlag(Flag.eSPRING_ENABLED, true);
      }
      return made;
    },
  };
  makers.servo = makers.motor = makers.hinge;
  const isSoft = (joint) => joint.compliance > 0 && joint.type !== 'distance';
  const joints = reduced ? [] : bridge.joints.map((joint) => makers[isSoft(joint) ? 'soft' : joint.type](joint));

  // A constraint tells its force on the first body and the torque about the joint, but leaves its drive out; with TGS the
  // torque is another number altogether, so there only joints without one are told.
  const isPoint = (joint) => joint.type === 'distance' || (joint.type === 'ball' && !given(joint.swing_max) && !given(joint.twist_min) && !given(joint.twist_max));
  bridge.jointImpulses = !reduced && bridge.joints.every((joint) => !isSoft(joint) && (isPoint(joint) || (bridge.mode === 'pgs' && !given(joint.speed) && !given(joint.target))));
  const linear = new PhysX.PxVec3(), angular = new PhysX.PxVec3();
  const readReactions = () => joints.forEach((made, j) => {
    if (bridge.joints[j].bodies.some((i) => bridge.removed[i])) return;
    made.getConstraint().getForce(linear, angular);
    const on = ({ x, y, z }) => scale(-bridge.h, [x, y, z]);
    bridge.setReaction(j, on(linear), isPoint(bridge.joints[j]) ? [0, 0, 0] : on(angular));
  });

  return {
    step() {
      bridge.pushBodies((i, force, torque) => {
        actors[i].addForce(vec(force), PhysX.PxForceModeEnum.eFORCE, true);
        actors[i].addTorque(vec(torque), PhysX.PxForceModeEnum.eFORCE, true);
      });
      joints.forEach((made, j) => {
        const joint = bridge.joints[j], { type, target } = joint;
        if (!given(target) || isSoft(joint)) return;
        if (type === 'cylinder') made.setDriveVelocity(vec([(target - bridge.slide(joint)) / bridge.h, 0, 0]), vec([0, 0, 0]));
        else made.setDriveVelocity((target - made.getAngle()) / bridge.h);
      });
      for (const { joint, inbound, sign } of built.aims)
        inbound.setDriveVelocity(PhysX.PxArticulationAxisEnum.eTWIST, (sign * (joint.target - bridge.angle(joint))) / bridge.h);
      scene.simulate(bridge.h);
      scene.fetchResults(true);
      return contacts?.takeTime() ?? 0;
    },
    read() {
      if (bridge.before && bridge.jointImpulses) readReactions();
      actors.forEach((actor, i) => {
        if (bridge.bodies[i].fixed || bridge.removed[i]) return;
        const { p, q } = actor.getGlobalPose(), x = [p.x, p.y, p.z], turn = [q.w, q.x, q.y, q.z];
        const v = actor.getLinearVelocity(), v3 = [v.x, v.y, v.z], w = actor.getAngularVelocity();
        bridge.motion[i] = { x, q: turn, v: v3, w: [w.x, w.y, w.z] };
      });
    },
    remove(i) {
      bridge.joints.forEach((joint, j) => joint.bodies.includes(i) && joints[j]?.release());
      scene.removeActor(actors[i]);
    },
  };
});

// Contact reports: normal impulses by the binding's extractContacts, those of friction from the memory behind a pair, whose
// last words the binding does not name: patches of 13 words, of which 6 to 11 are the impulses at two anchors, and 12 says
// how many count. All act on the first actor. The words that the binding does name are held against it. The engine calls
// back at the end of its step, one pair after the other: from the first call to the last its time is not the step's.
function listen(bridge, PhysX, desc) {
  const MOST = 256, PATCH_BYTES = 52; // a pair counts its points in a byte
  const bodyOf = new Map();
  const callback = new PhysX.PxSimulationEventCallbackImpl(), at = PhysX.NativeArrayHelpers.prototype;
  const points = new PhysX.PxArray_PxContactPairPoint(MOST), first = points.begin();
  let begin = 0n, end = 0n;
  const word = (pointer, i) => at.getU32At(at.voidToU32Ptr(pointer), i), real = (pointer, i) => at.getRealAt(at.voidToRealPtr(pointer), i);
  const frictionPatches = (pair) => {
    const p = PhysX.getPointer(pair), counts = word(p, 7) & 0xffff;
    if ([0, 1].some((k) => word(p, k) !== PhysX.getPointer(pair.get_shapes(k))) || counts !== (pair.contactCount | (pair.patchCount << 8)))
      throw new Error('contact pairs of this version of the binding lie otherwise in memory');
    return word(p, 5);
  };
  const impulseOf = (pair) => {
    let sum = [0, 0, 0];
    for (let k = 0, n = pair.extractContacts(first, MOST); k < n; k++) {
      const { x, y, z } = points.get(k).impulse;
      sum = add(sum, [x, y, z]);
    }
    for (let k = 0, patch = frictionPatches(pair); patch !== 0 && k < pair.patchCount; k++, patch += PATCH_BYTES)
      for (let anchor = 0; anchor < word(patch, 12); anchor++) sum = add(sum, [6, 7, 8].map((i) => real(patch, i + 3 * anchor)));
    return sum;
  };
  callback.onConstraintBreak = callback.onWake = callback.onSleep = callback.onTrigger = () => {};
  callback.onContact = (headerPointer, pairsPointer, count) => {
    begin ||= process.hrtime.bigint();
    const pairs = PhysX.wrapPointer(pairsPointer, PhysX.PxContactPair);
    const header = PhysX.wrapPointer(headerPointer, PhysX.PxContactPairHeader);
    const [one, two] = [0, 1].map((k) => bodyOf.get(PhysX.getPointer(header.get_actors(k))));
    for (let k = 0; k < count; k++) bridge.addContact(two, one, impulseOf(at.getContactPairAt(pairs, k)));
    end = process.hrtime.bigint();
  };
  desc.simulationEventCallback = callback;
  const takeTime = () => { const seconds = Number(end - begin) * 1e-9; begin = end = 0n; return seconds; };
  return { bodyOf, takeTime };
}

function refuseArticulation(bridge) {
  for (const joint of bridge.joints) {
    if (['cylinder', 'distance'].includes(joint.type)) bridge.refuse(`${joint.type} joints in reduced coordinates`);
    if (given(joint.swing_max) || given(joint.twist_max) || given(joint.twist_min)) bridge.refuse('swing and twist limits in reduced coordinates');
    if (joint.bodies.some((i) => bridge.bodies[i].particle)) bridge.refuse('particles on joints');
  }
  bridge.refuseSpeeds();
}

// Trees of joints as articulations: on a fixed base if they hang on something fixed, which is always the world here.
function articulate(bridge, PhysX, physics, scene, { vec, pose, setUp }) {
  const links = [], inbounds = [], used = new Set(), o = bridge.options;
  const touching = (i) => bridge.joints.filter((joint) => joint.bodies.includes(i));
  const Axis = PhysX.PxArticulationAxisEnum, Motion = PhysX.PxArticulationMotionEnum, Type = PhysX.PxArticulationJointTypeEnum;
  // Speeds of the coordinates from those of the bodies; as placed both frames of a joint agree.
  const setSpeeds = (whole, root) => {
    if (!bridge.bodies[root].fixed) {
      whole.setRootLinearVelocity(vec(bridge.bodies[root].velocity));
      whole.setRootAngularVelocity(vec(bridge.bodies[root].angular_velocity));
    }
    for (const { joint, inbound, side } of inbounds.splice(0)) {
      const [child, parent] = [joint.bodies[side], joint.bodies[1 - side]].map((i) => bridge.motion[i]), at = bridge.anchor(joint, side);
      const own = (v) => rotate(conj(mul(child.q, joint.frames[side])), v), speed = (m) => add(m.v, cross(m.w, sub(at, m.x)));
      const turn = own(sub(child.w, parent.w)), slip = own(sub(speed(child), speed(parent)));
      if (joint.type === 'ball') [Axis.eTWIST, Axis.eSWING1, Axis.eSWING2].forEach((axis, k) => inbound.setJointVelocity(axis, turn[k]));
      else if (joint.type === 'prismatic') inbound.setJointVelocity(Axis.eX, slip[0]);
      else if (joint.type !== 'fixed') inbound.setJointVelocity(Axis.eTWIST, turn[0]);
      if (given(joint.target) && !(joint.compliance > 0)) aims.push({ joint, inbound, sign: side === 1 ? 1 : -1 });
    }
    whole.updateKinematic(new PhysX.PxArticulationKinematicFlags(3));
  };
  const aims = [];
  const plant = (root) => {
    const whole = physics.createArticulationReducedCoordinate(), own = [];
    whole.setSolverIterationCounts(o.iterations, o.velocity_iterations);
    whole.setSleepThreshold(0);
    whole.setArticulationFlag(PhysX.PxArticulationFlagEnum.eFIX_BASE, bridge.bodies[root].fixed);
    const grow = (i, parent, joint) => {
      const body = bridge.bodies[i], link = whole.createLink(parent, pose(body.position, body.orientation));
      own[i] = link;
      if (body.fixed) { link.setMass(1); link.setMassSpaceInertiaTensor(vec([1, 1, 1])); }
      else { setUp(link, body, i); links[i] = link; }
      if (joint) {
        const inbound = link.getInboundJoint(), side = joint.bodies.indexOf(i);
        if (joint.type === 'ball') { // any frame will do: the child's own, in which speeds are not turned and so not rounded
          joint.frames[side] = [1, 0, 0, 0];
          joint.frames[1 - side] = mul(conj(bridge.bodies[joint.bodies[1 - side]].orientation), body.orientation);
        }
        const slides = joint.type === 'prismatic', turns = ['hinge', 'servo', 'motor'].includes(joint.type);
        inbound.setJointType({ ball: Type.eSPHERICAL, prismatic: Type.ePRISMATIC, fixed: Type.eFIX }[joint.type] ?? Type.eREVOLUTE);
        inbound.setParentPose(pose(joint.anchors[1 - side], joint.frames[1 - side]));
        inbound.setChildPose(pose(joint.anchors[side], joint.frames[side]));
        inbound.setFrictionCoefficient?.(0);
        inbound.setMaxJointVelocity?.(1e6);
        const free = joint.type === 'ball' ? [Axis.eTWIST, Axis.eSWING1, Axis.eSWING2] : turns ? [Axis.eTWIST] : slides ? [Axis.eX] : [];
        free.forEach((axis) => inbound.setMotion(axis, Motion.eFREE));
        inbounds.push({ joint, inbound, side, axis: free[0] });
        const [low, high] = slides ? [joint.position_min, joint.position_max] : joint.type === 'hinge' ? [joint.angle_min, joint.angle_max] : [];
        if (given(low) || given(high)) { // the engine's coordinate is of the child against its parent
          const ends = [low ?? -OPEN, high ?? OPEN];
          inbound.setMotion(free[0], Motion.eLIMITED);
          inbound.setLimitParams(free[0], side === 1 ? new PhysX.PxArticulationLimit(...ends) : new PhysX.PxArticulationLimit(-ends[1], -ends[0]));
        }
        if (given(joint.speed) || given(joint.target)) {
          // What it calls a drive's force bounds an impulse.
          const most = (joint.max_torque ?? 3e38) * bridge.h, Drive = PhysX.PxArticulationDriveTypeEnum, soft = joint.compliance > 0;
          inbound.setDriveParams(free[0], soft ? new PhysX.PxArticulationDrive(1 / joint.compliance, 0, most, Drive.eFORCE)
            : new PhysX.PxArticulationDrive(0, STIFF, most, Drive.eACCELERATION));
          if (soft) inbound.setDriveTarget(free[0], (side === 1 ? 1 : -1) * joint.target);
          inbound.setDriveVelocity(free[0], (side === 1 ? 1 : -1) * (joint.speed ?? 0));
        }
        if (given(joint.target) && !(joint.compliance > 0)) bridge.approximate('a servo is a motor that heads for its target within one step');
      }
      for (const next of touching(i)) {
        const to = next.bodies[0] === i ? next.bodies[1] : next.bodies[0];
        if (used.has(next) || (bridge.bodies[i].fixed && joint)) continue;
        used.add(next);
        if (own[to] || links[to]) { bridge.refuse('loops'); continue; }
        grow(to, link, next);
        if (bridge.bodies[i].fixed) break; // one tree for each joint on the ground
      }
    };
    grow(root, null, null);
    scene.addArticulation(whole);
    setSpeeds(whole, root);
  };
  bridge.bodies.forEach((body, i) => {
    if (body.fixed) while (touching(i).some((joint) => !used.has(joint) && !joint.bodies.every((b) => bridge.bodies[b].fixed || links[b]))) plant(i);
  });
  bridge.bodies.forEach((body, i) => {
    if (!body.fixed && !links[i] && touching(i).length > 0) plant(i);
  });
  return { links, aims };
}
