/* SPDX-License-Identifier: MIT */
// Jolt. Friction and restitution of a pair are set as the scene has them when a contact is made; a hinge's angle has our
// sign. Sleeping and damping are off, the bounds on speed out of the way.
import init from 'jolt-physics/wasm-compat';
import { serve, add, sub, scale, cross, norm, rotate, given, isUnturned } from './bridge.mjs';

// The direction across another that Jolt takes: of the two larger components one is zeroed.
const perpendicular = ([x, y, z]) => (Math.abs(x) > Math.abs(y)
  ? scale(1 / Math.hypot(x, z), [z, 0, -x]) : scale(1 / Math.hypot(y, z), [0, z, -y]));
const FAST = 1e6; // m/s and rad/s: no bound

// Room that Jolt reserves before the first step. Equal balls touch 12 others at most, 6 pairs a ball; contacts are made
// 2 cm ahead, too, so that a few small bodies have many more. The rest of a step is islands and bodies' indices.
const CONTACTS_A_BODY = 8, CONTACTS = 8192, PAIRS_A_BODY = 16, PAIRS = 65536;
const CONTACT_BYTES = 512, PAIR_BYTES = 16, BODY_BYTES = 256; // of temporary memory; a contact takes 472 in 5.6
const TEMPORARY = 10 << 20; // bytes, the binding's default
const TEMPORARY_WORD = 3; // of JoltSettings, after three limits: the binding does not name it

const reserve = (Jolt, settings, count) => {
  settings.mMaxBodies = count + 16;
  settings.mMaxBodyPairs = PAIRS_A_BODY * count + PAIRS;
  settings.mMaxContactConstraints = CONTACTS_A_BODY * count + CONTACTS;
  const bytes = CONTACT_BYTES * settings.mMaxContactConstraints + PAIR_BYTES * settings.mMaxBodyPairs + BODY_BYTES * count;
  if (bytes <= TEMPORARY) return;
  const word = (Jolt.getPointer(settings) >> 2) + TEMPORARY_WORD;
  if (Jolt.HEAPU32[word] !== TEMPORARY) throw new Error('Jolt keeps the size of its temporary memory elsewhere than in binding 1.1');
  Jolt.HEAPU32[word] = bytes;
};

serve({ engine: 'Jolt', package: 'jolt-physics', precision: 'float', dimension: 3, licence: 'MIT', clock: 'wasm', binding: true }, async (bridge) => {
  bridge.refuseJoints({ springs: ['distance', 'ball', 'hinge', 'motor', 'fixed', 'prismatic', 'servo', 'cylinder'] });
  for (const joint of bridge.joints) {
    const limits = [joint.swing_max, joint.twist_min, joint.twist_max, joint.angle_min, joint.angle_max, joint.position_min, joint.position_max, joint.speed];
    if (joint.compliance > 0 && limits.some(given)) bridge.refuse('compliance in joints with limits or motors');
    if (joint.type === 'cylinder' && given(joint.target) && !given(joint.angle)) bridge.refuse('cylinder joints with a target and free rotation');
  }
  if (bridge.unsupported.length > 0) return null;
  const Jolt = await init();
  const o = bridge.options, vec = (a) => new Jolt.Vec3(...a), rvec = (a) => new Jolt.RVec3(...a);
  const quat = (q) => new Jolt.Quat(q[1], q[2], q[3], q[0]);

  // One layer for what moves, one for what does not.
  const settings = new Jolt.JoltSettings();
  const pairs = new Jolt.ObjectLayerPairFilterTable(2);
  pairs.EnableCollision(0, 1);
  pairs.EnableCollision(1, 1);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
  layers.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
  layers.MapObjectToBroadPhaseLayer(1, new Jolt.BroadPhaseLayer(1));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
  reserve(Jolt, settings, bridge.bodies.length);
  const jolt = new Jolt.JoltInterface(settings), system = jolt.GetPhysicsSystem(), bodies = system.GetBodyInterface();
  system.SetGravity(vec(bridge.gravity));
  const tuning = system.GetPhysicsSettings();
  tuning.mNumVelocitySteps = o.iterations;
  tuning.mNumPositionSteps = o.position_iterations;
  tuning.mBaumgarte = o.baumgarte;
  tuning.mPenetrationSlop = o.slop;
  tuning.mSpeculativeContactDistance = o.speculative;
  tuning.mMinVelocityForRestitution = o.restitution_threshold;
  tuning.mConstraintWarmStart = o.warm_start;
  tuning.mAllowSleeping = false;
  system.SetPhysicsSettings(tuning);

  // Boxes, cylinders and hulls are rounded inwards by a convex radius; less where the body is small.
  const shapeSettings = ({ kind, radius, length, size, points, normal, offset }) => {
    const rounding = (least) => Math.min(o.convex_radius, 0.2 * least);
    if (kind === 'sphere') return new Jolt.SphereShapeSettings(radius);
    if (kind === 'plane') return new Jolt.PlaneShapeSettings(new Jolt.Plane(vec(normal), -offset), null, 1e4);
    if (kind === 'box') return new Jolt.BoxShapeSettings(vec(scale(0.5, size)), rounding(0.5 * Math.min(...size)));
    if (kind === 'capsule') return new Jolt.CapsuleShapeSettings(0.5 * length, radius);
    if (kind === 'cylinder')
      return new Jolt.CylinderShapeSettings(0.5 * length, radius, rounding(Math.min(radius, 0.5 * length)));
    const hull = new Jolt.ConvexHullShapeSettings();
    points.forEach((p) => hull.mPoints.push_back(vec(p)));
    hull.mMaxConvexRadius = o.convex_radius;
    return hull;
  };
  const shapeOf = (shape) => {
    const own = shapeSettings(shape);
    const turned = isUnturned(shape.turn) ? own : new Jolt.RotatedTranslatedShapeSettings(vec([0, 0, 0]), quat(shape.turn), own);
    const result = turned.Create();
    if (result.HasError()) throw new Error(`Jolt makes no ${shape.kind}: ${result.GetError().c_str()}`);
    const created = result.Get(), centre = created.GetCenterOfMass();
    created.AddRef();
    // Jolt finds a hull's centre of mass by itself, off by a rounding: it is taken back to ours.
    return shape.kind === 'hull'
      ? new Jolt.OffsetCenterOfMassShape(created, vec([-centre.GetX(), -centre.GetY(), -centre.GetZ()])) : created;
  };

  const made = bridge.bodies.map((body, index) => {
    const solid = body.shape && bridge.hasContacts;
    const shape = solid ? shapeOf(body.shape) : new Jolt.EmptyShape(vec([0, 0, 0]));
    const creation = new Jolt.BodyCreationSettings(shape, rvec(body.position), quat(body.orientation),
      body.fixed ? Jolt.EMotionType_Static : Jolt.EMotionType_Dynamic, body.fixed ? 0 : 1);
    creation.mUserData = index;
    if (!body.fixed) {
      const I = body.particle ? [1, 1, 1] : body.inertia;
      creation.mOverrideMassProperties = Jolt.EOverrideMassProperties_MassAndInertiaProvided;
      creation.mMassPropertiesOverride.mMass = body.mass;
      creation.mMassPropertiesOverride.mInertia = Jolt.Mat44.prototype.sScaleVec3(vec(I));
      creation.mLinearDamping = creation.mAngularDamping = 0;
      creation.mMaxLinearVelocity = creation.mMaxAngularVelocity = FAST;
      creation.mAllowSleeping = false;
      creation.mApplyGyroscopicForce = true;
      if (body.particle) creation.mAllowedDOFs = Jolt.EAllowedDOFs_TranslationX | Jolt.EAllowedDOFs_TranslationY | Jolt.EAllowedDOFs_TranslationZ;
    }
    const one = bodies.CreateBody(creation);
    bodies.AddBody(one.GetID(), Jolt.EActivation_Activate);
    if (!body.fixed) {
      one.SetLinearVelocity(vec(body.velocity));
      if (!body.particle) one.SetAngularVelocity(vec(body.angular_velocity));
    }
    return one;
  });

  let contacts = 0; // of this step
  const listener = new Jolt.ContactListenerJS();
  const indexOf = (pointer) => Jolt.wrapPointer(pointer, Jolt.Body).GetUserData();
  listener.OnContactValidate = (one, two) => (bridge.mayTouch(indexOf(one), indexOf(two))
    ? Jolt.ValidateResult_AcceptAllContactsForThisBodyPair : Jolt.ValidateResult_RejectAllContactsForThisBodyPair);
  listener.OnContactAdded = listener.OnContactPersisted = (one, two, manifold, settingsPointer) => {
    const contact = Jolt.wrapPointer(settingsPointer, Jolt.ContactSettings), i = indexOf(one), j = indexOf(two);
    contact.mCombinedFriction = bridge.friction(i, j);
    contact.mCombinedRestitution = bridge.restitution(i, j);
    contacts++;
  };
  listener.OnContactRemoved = () => {};
  system.SetContactListener(listener);

  const local = Jolt.EConstraintSpace_LocalToBodyCOM;
  const x = (joint, side) => rotate(joint.frames[side], [1, 0, 0]), y = (joint, side) => rotate(joint.frames[side], [0, 1, 0]);
  const motor = (s, joint) => {
    const most = joint.max_torque ?? 1e30;
    s.mMotorSettings.mMinTorqueLimit = s.mMotorSettings.mMinForceLimit = -most;
    s.mMotorSettings.mMaxTorqueLimit = s.mMotorSettings.mMaxForceLimit = most;
  };
  const six = (joint) => { // for a cylinder joint, and a fixed one
    const s = new Jolt.SixDOFConstraintSettings();
    s.mPosition1 = rvec(joint.anchors[0]); s.mPosition2 = rvec(joint.anchors[1]);
    s.mAxisX1 = vec(x(joint, 0)); s.mAxisX2 = vec(x(joint, 1)); s.mAxisY1 = vec(y(joint, 0)); s.mAxisY2 = vec(y(joint, 1));
    return s;
  };
  const makers = {
    ball: (joint) => {
      if (!given(joint.swing_max) && !given(joint.twist_min) && !given(joint.twist_max)) {
        const s = new Jolt.PointConstraintSettings();
        s.mPoint1 = rvec(joint.anchors[0]); s.mPoint2 = rvec(joint.anchors[1]);
        return s;
      }
      const s = new Jolt.SwingTwistConstraintSettings();
      s.mPosition1 = rvec(joint.anchors[0]); s.mPosition2 = rvec(joint.anchors[1]);
      s.mTwistAxis1 = vec(x(joint, 0)); s.mTwistAxis2 = vec(x(joint, 1));
      s.mPlaneAxis1 = vec(y(joint, 0)); s.mPlaneAxis2 = vec(y(joint, 1));
      s.mNormalHalfConeAngle = s.mPlaneHalfConeAngle = joint.swing_max ?? Math.PI;
      s.mTwistMinAngle = joint.twist_min ?? -Math.PI; s.mTwistMaxAngle = joint.twist_max ?? Math.PI;
      return s;
    },
    hinge: (joint) => {
      const s = new Jolt.HingeConstraintSettings();
      s.mPoint1 = rvec(joint.anchors[0]); s.mPoint2 = rvec(joint.anchors[1]);
      s.mHingeAxis1 = vec(x(joint, 0)); s.mHingeAxis2 = vec(x(joint, 1));
      s.mNormalAxis1 = vec(y(joint, 0)); s.mNormalAxis2 = vec(y(joint, 1));
      if (joint.type === 'hinge') { s.mLimitsMin = joint.angle_min ?? -Math.PI; s.mLimitsMax = joint.angle_max ?? Math.PI; }
      if (Math.max(-(joint.angle_min ?? 0), joint.angle_max ?? 0) > Math.PI || (joint.angle_min ?? 0) > 0 || (joint.angle_max ?? 0) < 0)
        bridge.refuse('hinge limits beyond half a turn, or on one side of zero');
      motor(s, joint);
      return s;
    },
    prismatic: (joint) => {
      const s = new Jolt.SliderConstraintSettings();
      s.mPoint1 = rvec(joint.anchors[0]); s.mPoint2 = rvec(joint.anchors[1]);
      s.mSliderAxis1 = vec(x(joint, 0)); s.mSliderAxis2 = vec(x(joint, 1));
      s.mNormalAxis1 = vec(y(joint, 0)); s.mNormalAxis2 = vec(y(joint, 1));
      if (given(joint.position_min)) s.mLimitsMin = joint.position_min;
      if (given(joint.position_max)) s.mLimitsMax = joint.position_max;
      motor(s, joint);
      return s;
    },
    cylinder: (joint) => {
      if (given(joint.angle)) return makers.prismatic(joint);
      const s = six(joint);
      s.MakeFreeAxis(Jolt.SixDOFConstraintSettings_EAxis_TranslationX);
      s.MakeFreeAxis(Jolt.SixDOFConstraintSettings_EAxis_RotationX);
      for (const axis of ['TranslationY', 'TranslationZ', 'RotationY', 'RotationZ'])
        s.MakeFixedAxis(Jolt[`SixDOFConstraintSettings_EAxis_${axis}`]);
      return s;
    },
    fixed: (joint) => { // the same rows as its fixed constraint's, whose impulses the binding does not tell
      const s = six(joint);
      for (const axis of ['TranslationX', 'TranslationY', 'TranslationZ', 'RotationX', 'RotationY', 'RotationZ'])
        s.MakeFixedAxis(Jolt[`SixDOFConstraintSettings_EAxis_${axis}`]);
      return s;
    },
    // Six axes, of which the soft ones are free, with a position motor each that is a spring.
    soft: (joint) => {
      const s = six(joint), Axis = (name) => Jolt[`SixDOFConstraintSettings_EAxis_${name}`];
      const free = { ball: ['X', 'Y', 'Z'], hinge: ['X'], motor: ['X'], fixed: [], prismatic: [] }[joint.type];
      for (const k of ['X', 'Y', 'Z']) {
        s.MakeFreeAxis(Axis(`Translation${k}`));
        if (free.includes(k)) s.MakeFreeAxis(Axis(`Rotation${k}`));
        else s.MakeFixedAxis(Axis(`Rotation${k}`));
      }
      return s;
    },
    distance: (joint) => {
      const s = new Jolt.DistanceConstraintSettings();
      s.mPoint1 = rvec(joint.anchors[0]); s.mPoint2 = rvec(joint.anchors[1]);
      s.mMinDistance = joint.one_sided ? 0 : joint.rest; s.mMaxDistance = joint.rest;
      if (joint.compliance > 0) {
        s.mLimitsSpringSettings.mMode = Jolt.ESpringMode_StiffnessAndDamping;
        s.mLimitsSpringSettings.mStiffness = 1 / joint.compliance;
        s.mLimitsSpringSettings.mDamping = 0;
      }
      return s;
    },
  };
  makers.servo = makers.motor = makers.hinge;
  const classes = { hinge: Jolt.HingeConstraint, servo: Jolt.HingeConstraint, motor: Jolt.HingeConstraint, 
    prismatic: Jolt.SliderConstraint, fixed: Jolt.SixDOFConstraint, distance: Jolt.DistanceConstraint };
  const isSoft = (joint) => joint.compliance > 0 && joint.type !== 'distance' && !given(joint.target);
  const setSpring = (motorSettings, joint) => {
    motorSettings.mSpringSettings.mMode = Jolt.ESpringMode_StiffnessAndDamping;
    motorSettings.mSpringSettings.mStiffness = 1 / joint.compliance;
    motorSettings.mSpringSettings.mDamping = 0;
  };
  const joints = bridge.joints.map((joint) => {
    const s = makers[isSoft(joint) ? 'soft' : joint.type](joint);
    s.mSpace = local;
    const constraint = s.Create(made[joint.bodies[0]], made[joint.bodies[1]]);
    system.AddConstraint(constraint);
    const limited = given(joint.swing_max) || given(joint.twist_min) || given(joint.twist_max);
    const kind = joint.type === 'ball' ? (limited ? Jolt.SwingTwistConstraint : Jolt.PointConstraint)
      : joint.type === 'cylinder' && given(joint.angle) ? Jolt.SliderConstraint : classes[joint.type];
    const own = isSoft(joint) ? Jolt.castObject(constraint, Jolt.SixDOFConstraint) : kind ? Jolt.castObject(constraint, kind) : constraint;
    if (isSoft(joint))
      for (const k of joint.type === 'prismatic' ? ['Y', 'Z'] : ['X', 'Y', 'Z']) {
        const axis = Jolt[`SixDOFConstraintSettings_EAxis_Translation${k}`];
        setSpring(own.GetMotorSettings(axis), joint);
        own.SetMotorState(axis, Jolt.EMotorState_Position);
      }
    if (joint.compliance > 0 && given(joint.target)) {
      setSpring(own.GetMotorSettings(), joint);
      own.SetMotorState(Jolt.EMotorState_Position);
      if (joint.type === 'servo') own.SetTargetAngle(joint.target);
      else own.SetTargetPosition(joint.target);
      return own;
    }
    if (given(joint.speed) && own.SetTargetAngularVelocity) {
      own.SetMotorState(Jolt.EMotorState_Velocity);
      own.SetTargetAngularVelocity(joint.speed);
    }
    if (given(joint.target)) {
      bridge.approximate('a servo is a motor that heads for its target within one step');
      own.SetMotorState(Jolt.EMotorState_Velocity);
    }
    return own;
  });

  // What a constraint did in the last step: sums of impulses along its own rows, given on the second body. `turned` is a
  // direction of a body's joint frame as it was when the step began.
  const turned = (joint, side, direction) => rotate(bridge.before[joint.bodies[side]].q, rotate(joint.frames[side], direction));
  const three = (v) => [v.GetX(), v.GetY(), v.GetZ()], two = (v) => [v.GetComponent(0), v.GetComponent(1)];
  const along = (...parts) => parts.reduce((sum, [size, direction]) => add(sum, scale(size, direction)), [0, 0, 0]);
  const reactions = {
    ball: (own, joint) => ({ impulse: three(own.GetTotalLambdaPosition()), torque: given(own.GetTotalLambdaTwist) ? along(
      [own.GetTotalLambdaTwist(), turned(joint, 0, [1, 0, 0])], [own.GetTotalLambdaSwingY(), turned(joint, 0, [0, 1, 0])],
      [own.GetTotalLambdaSwingZ(), turned(joint, 0, [0, 0, 1])]) : [0, 0, 0] }),
    hinge: (own, joint) => {
      const axis = turned(joint, 0, [1, 0, 0]), second = turned(joint, 1, [1, 0, 0]), [b, c] = two(own.GetTotalLambdaRotation());
      const across = perpendicular(second);
      return { impulse: three(own.GetTotalLambdaPosition()), torque: along([own.GetTotalLambdaMotor() + own.GetTotalLambdaRotationLimits(), axis],
        [b, cross(across, axis)], [c, cross(cross(second, across), axis)]) };
    },
    prismatic: (own, joint) => {
      const axis = turned(joint, 0, [1, 0, 0]), n1 = turned(joint, 0, [0, 1, 0]), [a, b] = two(own.GetTotalLambdaPosition());
      const impulse = along([a, n1], [b, cross(axis, n1)], [own.GetTotalLambdaMotor() + own.GetTotalLambdaPositionLimits(), axis]);
      // Its position rows act on the first body at the second's anchor: no torque about it there.
      return { impulse, torque: three(own.GetTotalLambdaRotation()) };
    },
    fixed: (own) => ({ impulse: three(own.GetTotalLambdaPosition()), torque: three(own.GetTotalLambdaRotation()) }),
    distance: (own, joint, j) => {
      const from = add(bridge.before[joint.bodies[0]].x, rotate(bridge.before[joint.bodies[0]].q, joint.anchors[0]));
      const way = sub(bridge.places[j], from), length = norm(way);
      return { impulse: scale(own.GetTotalLambdaPosition() / length, way), torque: [0, 0, 0] };
    },
  };
  reactions.servo = reactions.motor = reactions.hinge;
  bridge.jointImpulses = bridge.joints.every((joint) => !isSoft(joint) && (reactions[joint.type] ?? given(joint.angle)));

  return {
    step() {
      bridge.pushBodies((i, force, torque) => {
        made[i].AddForce(vec(force));
        made[i].AddTorque(vec(torque));
      });
      bridge.joints.forEach((joint, j) => {
        if (!given(joint.target) || joint.compliance > 0) return;
        if (joint.type === 'servo') joints[j].SetTargetAngularVelocity((joint.target - joints[j].GetCurrentAngle()) / bridge.h);
        else joints[j].SetTargetVelocity((joint.target - joints[j].GetCurrentPosition()) / bridge.h);
      });
      contacts = 0;
      jolt.Step(bridge.h, 1);
      if (contacts >= settings.mMaxContactConstraints) bridge.event(`no room for more than ${settings.mMaxContactConstraints} contacts`);
    },
    read() {
      if (bridge.jointImpulses && bridge.before)
        bridge.joints.forEach((joint, j) => {
          const { impulse, torque } = (reactions[joint.type] ?? reactions.prismatic)(joints[j], joint, j);
          bridge.setReaction(j, impulse, torque);
        });
      made.forEach((one, i) => {
        if (bridge.bodies[i].fixed || bridge.removed[i]) return;
        const p = one.GetCenterOfMassPosition(), q = one.GetRotation(), v = one.GetLinearVelocity(), w = one.GetAngularVelocity();
        bridge.motion[i] = { x: [p.GetX(), p.GetY(), p.GetZ()], q: [q.GetW(), q.GetX(), q.GetY(), q.GetZ()],
          v: [v.GetX(), v.GetY(), v.GetZ()], w: [w.GetX(), w.GetY(), w.GetZ()] };
      });
    },
    remove(i) {
      bridge.joints.forEach((joint, j) => joint.bodies.includes(i) && system.RemoveConstraint(joints[j]));
      bodies.RemoveBody(made[i].GetID());
    },
  };
});
