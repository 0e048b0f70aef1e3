/* SPDX-License-Identifier: MIT */
// cannon-es. It has no gyroscopic term. Its planes face +z, its cylinders lie along y. Every pair of materials has a contact
// material of its own. Sleeping and damping are off.
import * as CANNON from 'cannon-es';
import { serve, add, scale, cross, given } from './bridge.mjs';

serve({ engine: 'cannon-es', package: 'cannon-es', precision: 'double', dimension: 3, licence: 'MIT', clock: 'javascript' }, async (bridge) => {
  bridge.refuseJoints({ lacks: ['prismatic', 'cylinder'], springs: ['ball', 'hinge', 'motor', 'fixed', 'distance'], meshes: false });
  for (const joint of bridge.joints) {
    if (given(joint.swing_max) || given(joint.twist_min) || given(joint.twist_max)) bridge.refuse('swing and twist limits');
    if (given(joint.angle_min) || given(joint.angle_max)) bridge.refuse('hinge limits');
    if (joint.one_sided) bridge.refuse('ropes');
  }
  if (bridge.hasContacts && bridge.bodies.some((b) => b.shape?.kind === 'capsule')) bridge.refuse('capsules');
  if (bridge.unsupported.length > 0) return null;
  if (bridge.spins) bridge.approximate('no gyroscopic term');
  const o = bridge.options, vec = (a) => new CANNON.Vec3(...a), quat = ([w, x, y, z]) => new CANNON.Quaternion(x, y, z, w);
  const world = new CANNON.World({ gravity: vec(bridge.gravity), allowSleep: false });
  world.solver.iterations = o.iterations;
  world.solver.tolerance = o.tolerance;
  world.defaultContactMaterial.contactEquationStiffness = o.stiffness;
  world.defaultContactMaterial.contactEquationRelaxation = o.relaxation;
  const materials = bridge.materials.map((_, i) => new CANNON.Material(`m${i}`));
  bridge.pairs.forEach((row, i) => row.forEach(([friction, restitution], j) => {
    if (i <= j)
      world.addContactMaterial(new CANNON.ContactMaterial(materials[i], materials[j], { friction, restitution,
        contactEquationStiffness: o.stiffness, contactEquationRelaxation: o.relaxation, frictionEquationStiffness: o.stiffness, frictionEquationRelaxation: o.relaxation }));
  }));

  const hull = ({ points, triangles }) => new CANNON.ConvexPolyhedron({ vertices: points.map(vec), faces: triangles });
  const addShape = (made, { kind, radius, length, size, normal, offset, turn, ...mesh }) => {
    if (kind === 'sphere') made.addShape(new CANNON.Sphere(radius));
    else if (kind === 'box') made.addShape(new CANNON.Box(vec(scale(0.5, size))), vec([0, 0, 0]), quat(turn));
    else if (kind === 'cylinder') made.addShape(new CANNON.Cylinder(radius, radius, length, 24), vec([0, 0, 0]), quat(turn));
    else if (kind === 'hull') made.addShape(hull(mesh), vec([0, 0, 0]), quat(turn));
    else {
      const axis = cross([0, 0, 1], normal), c = 1 + normal[2], q = c < 1e-9 ? [0, 1, 0, 0] : [c, ...axis], l = Math.hypot(...q);
      made.addShape(new CANNON.Plane(), vec(scale(offset, normal)), quat(q.map((x) => x / l)));
    }
    if (kind === 'cylinder') bridge.approximate('a cylinder is a prism of 24 sides');
  };
  const bodies = bridge.bodies.map((body, index) => {
    const made = new CANNON.Body({ mass: body.fixed ? 0 : body.mass, position: vec(body.position), quaternion: quat(body.orientation),
      velocity: vec(body.velocity), angularVelocity: vec(body.angular_velocity), material: materials[body.material],
      linearDamping: 0, angularDamping: 0, fixedRotation: body.particle });
    if (body.shape && bridge.hasContacts) addShape(made, body.shape);
    if (!body.fixed && !body.particle) {
      made.inertia.set(...body.inertia);
      made.invInertia.set(...body.inertia.map((x) => 1 / x));
      made.updateInertiaWorld(true);
    }
    made.updateMassProperties = () => {}; // or the shape's inertia would take over
    made.index = index;
    world.addBody(made);
    return made;
  });
  const collide = world.narrowphase.getContacts.bind(world.narrowphase);
  world.narrowphase.getContacts = (p1, p2, ...rest) => {
    const kept = p1.map((b, k) => k).filter((k) => bridge.mayTouch(p1[k].index, p2[k].index));
    collide(kept.map((k) => p1[k]), kept.map((k) => p2[k]), ...rest);
  };

  const joints = bridge.joints.map((joint) => {
    const [one, two] = joint.bodies.map((i) => bodies[i]), [p1, p2] = joint.anchors.map(vec), [a1, a2] = joint.axes.map(vec);
    let made;
    if (joint.type === 'ball') made = new CANNON.PointToPointConstraint(one, p1, two, p2);
    else if (joint.type === 'distance') {
      if (joint.anchors.flat().some((x) => x !== 0)) bridge.refuse('distance joints away from the centres');
      made = new CANNON.DistanceConstraint(one, two, joint.rest);
    } else if (joint.type === 'fixed') made = new CANNON.LockConstraint(one, two);
    else made = new CANNON.HingeConstraint(one, two, { pivotA: p1, pivotB: p2, axisA: a1, axisB: a2 });
    if (given(joint.speed) || given(joint.target)) {
      made.enableMotor();
      made.setMotorMaxForce((joint.max_torque ?? 1e12) * bridge.h); // what it calls a force bounds an impulse
      made.setMotorSpeed(-(joint.speed ?? 0)); // of the first body against the second
    }
    made.collideConnected = bridge.mayTouch(...joint.bodies);
    if (given(joint.target)) bridge.approximate('a servo is a motor that heads for its target within one step');
    made.equations.forEach((equation) => equation.setSpookParams(o.stiffness, o.relaxation, bridge.h));
    // The point's (or line's) equations as a spring of 1/alpha without damping; the others stay as stiff as the engine has them.
    if (joint.compliance > 0)
      made.equations.slice(0, joint.type === 'distance' ? 1 : 3).forEach((equation) => equation.setSpookParams(1 / joint.compliance, 0, bridge.h));
    world.addConstraint(made);
    return made;
  });

  // What an equation did to its second body in the last step: its multiplier is a force.
  const impulseOf = ({ jacobianElementB: { spatial: f, rotational: t }, multiplier }) => {
    const p = multiplier * bridge.h;
    return { impulse: [p * f.x, p * f.y, p * f.z], torque: [p * t.x, p * t.y, p * t.z] };
  };
  const readImpulses = () => {
    if (!bridge.before) return;
    joints.forEach((made, j) => {
      const parts = made.equations.filter((equation) => equation.enabled).map(impulseOf);
      const sum = (key) => parts.reduce((a, part) => add(a, part[key]), [0, 0, 0]);
      bridge.setReactionAbout(j, sum('impulse'), sum('torque'), bridge.before[bridge.joints[j].bodies[1]].x);
    });
    for (const equation of [...world.contacts, ...world.frictionEquations])
      if (equation.enabled) bridge.addContact(equation.bi.index, equation.bj.index, impulseOf(equation).impulse);
  };
  bridge.jointImpulses = bridge.contactImpulses = true;

  return {
    step() {
      bridge.pushBodies((i, force, torque) => {
        bodies[i].force.set(...force);
        bodies[i].torque.set(...torque);
      });
      bridge.joints.forEach((joint, j) => { // a motor's speed is of the first body against the second
        if (given(joint.target)) joints[j].setMotorSpeed((bridge.angle(joint) - joint.target) / bridge.h);
      });
      world.step(bridge.h);
    },
    read() {
      readImpulses();
      bodies.forEach(({ position: p, quaternion: q, velocity: v, angularVelocity: w }, i) => {
        if (bridge.bodies[i].fixed || bridge.removed[i]) return;
        bridge.motion[i] = { x: [p.x, p.y, p.z], q: [q.w, q.x, q.y, q.z], v: [v.x, v.y, v.z], w: [w.x, w.y, w.z] };
      });
    },
    remove(i) {
      bridge.joints.forEach((joint, j) => joint.bodies.includes(i) && world.removeConstraint(joints[j]));
      world.removeBody(bodies[i]);
    },
  };
});
