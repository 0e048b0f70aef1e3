/* SPDX-License-Identifier: MIT */
/* The true numbers of the pendulums and tops, loops with dependent rows, events, and the error it states. */
#include "model/energy.h"
#include "tests/solvers/worlds.h"

/* Nine digits are printed: half of the last, and 1e-8 is asked for. */
#define PRINTED 1e-9

/* Frames of about 1/60 s that end at `time`; returns the stated error. */
static double run_reference(World *world, const char *options, double time)
{
    Drive drive;
    int frames = (int)ceil(time * 60 - 1e-9);
    drive_begin(&drive, world, "reference", options);
    for (int f = 0; f < frames; f++)
        drive_frame(&drive, time / frames);
    double error = drive.solver->error_estimate(drive.self);
    drive_end(&drive);
    return error;
}

/* Energy changes by the work of force and torque and nothing else, in joint coordinates and with multipliers. */
static void work_of_constant_torques_is_as_exact_as_the_motion(void **state)
{
    (void)state;
    for (int route = 0; route < 2; route++) {
        World *world = rod_chain(2, 0.7);
        world->bodies[1].torque = vec3(3.1, -40.0, 7.3);
        world->bodies[2].torque = vec3(-11.0, 5.9, 23.0);
        world->bodies[2].force = vec3(1.0, 2.0, -3.0);
        double energy = world_energy(world), scale = 9.81 * (world->mass[1].mass + world->mass[2].mass);
        double error = run_reference(world, route ? "coordinates=multipliers" : "", 0.7);
        assert_true(fabs(world->actuator_work) > 0.1 * scale);
        assert_near(world_energy(world) - world->actuator_work, energy, 10.0 * error * scale + 1e-13 * scale);
        world_destroy(world);
    }
}

static void double_pendulum_meets_the_true_numbers(void **state)
{
    (void)state;
    static const double TRUE[4][3] = {{0.5, 1.473465670, -1.200389435},
                                      {1.0, -1.444818850, -1.321794461},
                                      {2.0, -1.434124817, -1.129870196},
                                      {5.0, -1.550778469, -1.075912735}};
    for (int i = 0; i < 4; i++) {
        World *world = particle_chain(2, 1.0, 1.0, 1.0, vec3(1, 0, 0));
        double error = run_reference(world, "", TRUE[i][0]);
        assert_vec3_near(world->pose[2].x, vec3(TRUE[i][1], TRUE[i][2], 0), PRINTED);
        assert_true(error > 0.0 && error < PRINTED);
        world_destroy(world);
    }
}

static void chain_of_ten_meets_the_true_numbers(void **state)
{
    (void)state;
    static const double TRUE[3][3] = {
        {0.3, 0.798150486, -0.441449931}, {0.5, -0.156401511, -0.915683202}, {1.0, -0.913312229, -0.149655141}};
    for (int i = 0; i < 3; i++) {
        World *world = particle_chain(10, 0.1, 0.1, 1.0, vec3(1, 0, 0));
        double error = run_reference(world, "", TRUE[i][0]);
        assert_vec3_near(world->pose[10].x, vec3(TRUE[i][1], TRUE[i][2], 0), 1e-8); /* chaotic: 1e-12 grows */
        assert_true(error < 1e-8);
        world_destroy(world);
    }
}

static void bead_meets_the_true_numbers(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = vec3(0, -10, 0);
    BodyDef def = BODY_DEF_INIT;
    def.name = "bead";
    def.mass = 1.0;
    def.position = vec3(0.8, 0, 0);
    build_body(world, &def);
    JointDef wire = joint_def(JOINT_WIRE, 0, 1);
    wire.local_anchors = true;
    wire.axis = vec3(0, 0, 1);
    wire.radius = 0.8;
    build_joint(world, &wire);
    run_reference(world, "", 0.524411511);
    assert_vec3_near(world->pose[1].x, vec3(0, -0.8, 0), 4 * PRINTED); /* 4 m/s x half of the last digit */
    assert_near(vec3_norm(world->velocity[1].v), 4.0, 1e-10);
    run_reference(world, "", 1.0 - 0.524411511);
    assert_near(atan2(world->pose[1].x.x, -world->pose[1].x.y), -1.555898390, PRINTED);
    world_destroy(world);
}

static World *heavy_top(void)
{
    /* The printed top has gravity along -z and its axis along y: ours is turned by (x, y, z) -> (x, z, -y). */
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "top";
    def.mass = 15.0;
    def.has_inertia = true;
    def.inertia = vec3(0.234375, 0.234375, 0.46875);
    def.position = vec3(0, 0, -1);
    def.angular_velocity = vec3(0, -4.61538, -150);
    def.velocity = vec3_cross(def.angular_velocity, def.position);
    build_body(world, &def);
    JointDef tip = joint_def(JOINT_BALL, 0, 1);
    build_joint(world, &tip);
    return world;
}

static void heavy_top_meets_the_true_numbers(void **state)
{
    (void)state;
    World *world = heavy_top();
    run_reference(world, "", 0.1);
    assert_vec3_near(world->pose[1].x, vec3(0.421296659, -0.149164701, -0.894571974), 1e-8);
    run_reference(world, "", 0.9);
    assert_vec3_near(world->pose[1].x, vec3(0.173343964, -0.748490791, -0.640088592), 1e-8);
    world_destroy(world);
}

static void free_body_flips_on_time(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    BodyDef def = BODY_DEF_INIT;
    def.name = "body";
    def.mass = 1.0;
    def.has_inertia = true;
    def.inertia = vec3(1, 2, 3);
    def.angular_velocity = vec3(0.01, 1, 0.01);
    build_body(world, &def);
    run_reference(world, "", 10.916913494);
    Vec3 w = quat_rotate_inverse(world_reported_orientation(world, 1), world->velocity[1].w);
    assert_near(w.y, 0.0, PRINTED);
    world_destroy(world);
}

/* A Bricard mechanism: six equal bars along the edges of a cube, hinges at its corners, which closes for every angle
 * though counting says that it cannot move: 30 rows for 30 freedoms, of which 29 are independent. */
static World *bricard(void)
{
    World *world = world_create();
    Vec3 corner[6] = {vec3(0, 0, 0), vec3(1, 0, 0), vec3(1, -1, 0), vec3(1, -1, 1), vec3(0, -1, 1), vec3(0, 0, 1)};
    Vec3 axis[6];
    for (int i = 0; i < 6; i++) {
        Vec3 along = vec3_sub(corner[(i + 1) % 6], corner[i]), before = vec3_sub(corner[i], corner[(i + 5) % 6]);
        axis[i] = vec3_cross(before, along);
        if (i == 5)
            break;
        BodyDef def = BODY_DEF_INIT;
        def.name = "bar";
        def.position = vec3_scale(0.5, vec3_add(corner[i], corner[i + 1]));
        def.shape.kind = SHAPE_BOX;
        def.shape.size = vec3(along.x != 0 ? 1 : 0.1, along.y != 0 ? 1 : 0.1, along.z != 0 ? 1 : 0.1);
        def.density = 100.0;
        build_body(world, &def);
    }
    for (int i = 0; i < 6; i++) {
        JointDef def = joint_def(JOINT_HINGE, i, i == 5 ? 0 : i + 1);
        def.anchor[0] = corner[i];
        def.axis = axis[i];
        build_joint(world, &def);
    }
    return world;
}

static void bricard_moves_though_its_rows_are_dependent(void **state)
{
    (void)state;
    World *world = bricard();
    double energy = world_energy(world);
    Vec3 start = world->pose[3].x;
    Drive drive;
    drive_begin(&drive, world, "reference", "estimate=false");
    for (int f = 0; f < 120; f++)
        drive_frame(&drive, 1.0 / 60);
    assert_true(vec3_norm(vec3_sub(world->pose[3].x, start)) > 0.1);
    assert_near(world_energy(world), energy, 1e-8 * 100); /* of some 100 J turned over */
    for (int b = 0; b < world->block_count; b++)
        assert_near(block_violation(world, &world->blocks[b]), 0.0, 1e-11);
    assert_int_equal(drive.step.event_count, 2);
    assert_string_equal(drive.step.events[0].what, "integrated by multipliers with projection");
    assert_string_equal(drive.step.events[1].what, "dependent rows: multipliers of least norm");
    drive_end(&drive);
    world_destroy(world);
}

/* A rope of 1 m, let go 0.4 m below its end: falls freely, goes taut without bounce, and swings on. */
static void rope_goes_taut_on_time_and_swings_on(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "bob";
    def.mass = 1.3;
    def.position = vec3(0.6, 0, 0);
    build_body(world, &def);
    JointDef rope = joint_def(JOINT_DISTANCE, 0, 1);
    rope.local_anchors = true;
    rope.one_sided = true;
    rope.rest = 1.0;
    build_joint(world, &rope);
    /* Taut at y = -0.8; then the part of v along the rope is lost, 0.6 of v is kept. */
    double speed = 0.6 * sqrt(2 * 9.81 * 0.8), time = sqrt(2 * 0.8 / 9.81);
    run_reference(world, "", 0.7);
    assert_true(0.7 > time);
    double energy = world_energy(world);
    assert_near(vec3_norm(world->pose[1].x), 1.0, 1e-12);
    assert_near(energy, 1.3 * (0.5 * speed * speed - 9.81 * 0.8), 1e-9);
    run_reference(world, "", 1.0);
    assert_near(world_energy(world), energy, 1e-10);
    world_destroy(world);
}

/* A bob on a rope of length l, thrown with v0 from below: with 2 g l < v0^2 < 5 g l the rope goes slack at the angle
 * phi above the horizontal where g sin(phi) = v^2/l, sin(phi) = (v0^2 - 2 g l)/(3 g l); vx is constant from there on.
 */
static void rope_goes_slack_where_its_pull_ends(void **state)
{
    (void)state;
    double l = 0.7, v0 = 4.9, g = 9.81, sine = (v0 * v0 - 2 * g * l) / (3 * g * l);
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "bob";
    def.mass = 1.3;
    def.position = vec3(0, -l, 0);
    def.velocity = vec3(v0, 0, 0);
    build_body(world, &def);
    JointDef rope = joint_def(JOINT_DISTANCE, 0, 1);
    rope.local_anchors = true;
    rope.one_sided = true;
    build_joint(world, &rope);
    run_reference(world, "", 0.6);
    assert_true(vec3_norm(world->pose[1].x) < l - 1e-3);
    assert_near(world->velocity[1].v.x, -sqrt(g * l * sine) * sine, 1e-10);
    assert_near(world_energy(world), 1.3 * (0.5 * v0 * v0 - g * l), 1e-10);
    world_destroy(world);
}

static void hinge_limit_stops_without_bounce(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "rod";
    def.position = vec3(0.5, 0, 0);
    def.shape.kind = SHAPE_BOX;
    def.shape.size = vec3(1, 0.1, 0.1);
    def.density = 500.0;
    build_body(world, &def);
    JointDef hinge = joint_def(JOINT_HINGE, 0, 1);
    hinge.axis = vec3(0, 0, 1);
    hinge.angle_min = -0.9;
    build_joint(world, &hinge);
    run_reference(world, "", 2.0);
    assert_near(joint_angle(world, &world->joints[0]), -0.9, 1e-12);
    assert_near(vec3_norm(world->velocity[1].w), 0.0, 1e-12);
    world_destroy(world);
}

static void bounded_motor_spins_up_then_holds(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "rotor";
    def.mass = 2.0;
    def.has_inertia = true;
    def.inertia = vec3(0.4, 0.5, 0.7);
    build_body(world, &def);
    JointDef motor = joint_def(JOINT_MOTOR, 0, 1);
    motor.axis = vec3(0, 0, 1);
    motor.speed = 3.7;
    motor.max_torque = 0.9;
    build_joint(world, &motor);
    run_reference(world, "", 4.0);
    double spin_up = 3.7 * 0.7 / 0.9;
    assert_near(world->velocity[1].w.z, 3.7, 1e-10);
    assert_near(joint_angle(world, &world->joints[0]), 3.7 * (4.0 - 0.5 * spin_up), 1e-9);
    world_destroy(world);
}

/* A servo with a bound and no damping swings about its target, pushed towards it with its whole torque: from rest at 0
 * it passes the target after t1 = sqrt(2 target I / torque) and is back at rest after 4 t1. */
static void bounded_servo_swings_about_its_target(void **state)
{
    (void)state;
    double inertia = 0.7, torque = 0.9, target = 1.1, t1 = sqrt(2 * target * inertia / torque);
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "rotor";
    def.mass = 2.0;
    def.has_inertia = true;
    def.inertia = vec3(0.4, 0.5, inertia);
    build_body(world, &def);
    JointDef servo = joint_def(JOINT_SERVO, 0, 1);
    servo.axis = vec3(0, 0, 1);
    servo.target = target;
    servo.max_torque = torque;
    build_joint(world, &servo);
    run_reference(world, "", t1);
    assert_near(joint_angle(world, &world->joints[0]), target, 1e-9);
    assert_near(world->velocity[1].w.z, torque * t1 / inertia, 1e-9);
    run_reference(world, "", 3 * t1);
    assert_near(joint_angle(world, &world->joints[0]), 0.0, 1e-9); /* events are 1e-11 late */
    assert_near(world->velocity[1].w.z, 0.0, 1e-9);
    world_destroy(world);
}

static void reaction_is_the_mean_over_the_frame(void **state)
{
    (void)state;
    World *world = rod_chain(1, 0.5 * PI);
    double dt = 1e-4, mass = world->mass[1].mass;
    drive_run(world, "reference", "", dt, 1);
    Vec3 force, torque;
    world_reaction(world, 0, dt, &force, &torque);
    assert_near(force.y / (mass * 9.81), 0.250468, 1e-6);
    world_destroy(world);
}

static double kkt_error(const World *truth, const char *options)
{
    World *world = rod_chain(3, 0.5 * PI);
    drive_run(world, "kkt", options, 1.0 / 60, 30);
    double error = vec3_norm(vec3_sub(world->pose[3].x, truth->pose[3].x));
    world_destroy(world);
    return error;
}

/* Against the truth, not against itself: a wrong limit would show. */
static void kkt_reaches_it_with_the_order_of_its_integrator(void **state)
{
    (void)state;
    World *truth = rod_chain(3, 0.5 * PI);
    run_reference(truth, "", 0.5);
    double rk4 = log2(kkt_error(truth, "integrator=rk4 substeps=4") / kkt_error(truth, "integrator=rk4 substeps=8"));
    double euler = log2(kkt_error(truth, "substeps=32") / kkt_error(truth, "substeps=64"));
    assert_near(rk4, 4.0, 0.15); /* 1 + O(h) */
    assert_near(euler, 1.0, 0.1);
    assert_true(kkt_error(truth, "integrator=rk4 substeps=128") < 1e-12); /* round-off */
    world_destroy(truth);
}

/* kkt with RK4 at a small step and the reference are two integrators on the same equations. */
static void kkt_converges_to_it_on_a_chain_of_rods(void **state)
{
    (void)state;
    World *world = rod_chain(20, 0.5 * PI), *other = rod_chain(20, 0.5 * PI);
    double error = run_reference(world, "", 0.5);
    drive_run(other, "kkt", "integrator=rk4 substeps=60", 1.0 / 60, 30);
    for (int i = 1; i <= 20; i++)
        assert_vec3_near(other->pose[i].x, world->pose[i].x, 1e-8);
    assert_true(error < 1e-9);
    world_destroy(world);
    world_destroy(other);
}

/* Two random boxes, the first hung on a ball joint, the second joined to it by the type in question, with all that the
 * type can have: damping, a force, a speed. */
static World *hung_pair(JointType type, Random random)
{
    World *world = world_create();
    int one = build_random_box(world, &random, "one"), two = build_random_box(world, &random, "two");
    JointDef hang = joint_def(JOINT_BALL, 0, one);
    hang.anchor[0] = random_vec3(&random, 1.0);
    build_joint(world, &hang);
    JointDef def = joint_def(type, one, two);
    def.anchor[0] = random_vec3(&random, 1.0);
    def.axis = random_unit(&random);
    def.angular_damping = 0.3;
    if (type == JOINT_DISTANCE) {
        def.local_anchors = true;
        def.anchor[1] = random_vec3(&random, 0.3);
    } else if (type == JOINT_MOTOR) {
        def.speed = 2.3;
    } else if (type == JOINT_CYLINDER) {
        def.force = 4.1;
    } else if (type == JOINT_WIRE) {
        Vec3 out = vec3_any_normal(def.axis);
        def.centre = vec3_add_scaled(def.anchor[0], -0.6, out);
        def.radius = 0.6;
    }
    def.damping = type == JOINT_PRISMATIC ? 0.7 : 0.0;
    build_joint(world, &def);
    return world;
}

static void kkt_converges_to_it_on_every_joint(void **state)
{
    (void)state;
    for (int type = 0; type < JOINT_VOLUME; type++) {
        Random random = {4242 + (uint64_t)type};
        World *world = hung_pair((JointType)type, random), *other = hung_pair((JointType)type, random);
        double error = run_reference(world, "", 0.25);
        drive_run(other, "kkt", "integrator=rk4 substeps=40", 0.25 / 15, 15);
        for (int i = 1; i <= 2; i++) {
            assert_vec3_near(other->pose[i].x, world->pose[i].x, 1e-8); /* h = 4e-4: (w h)^4 of motions of 10 rad/s */
            assert_near(fabs(quat_mul(quat_conj(other->pose[i].q), world->pose[i].q).w), 1.0, 1e-14);
        }
        for (int b = 0; b < world->block_count; b++)
            assert_near(block_violation(world, &world->blocks[b]), 0.0, 1e-13);
        assert_true(error < 1e-9);
        world_destroy(world);
        world_destroy(other);
    }
}

static void volume_of_four_particles_is_kept(void **state)
{
    (void)state;
    Random random = {1312};
    World *world = world_create();
    JointDef def = joint_def(JOINT_VOLUME, 0, 0);
    for (int i = 0; i < 4; i++)
        def.body[i] = build_random_particle(world, &random, "particle");
    build_joint(world, &def);
    world->gravity = VEC3_ZERO;
    run_reference(world, "", 0.05); /* the random start comes onto the constraint */
    double energy = world_energy(world);
    Vec3 spin = world_angular_momentum(world), gradient[4];
    run_reference(world, "", 0.5);
    assert_near(world_energy(world), energy, 1e-10);
    assert_vec3_near(world_angular_momentum(world), spin, 1e-10);
    assert_near(block_volume(world, &world->blocks[0], gradient), 0.0, 1e-12);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_constant_torques_is_as_exact_as_the_motion),
        cmocka_unit_test(double_pendulum_meets_the_true_numbers),
        cmocka_unit_test(chain_of_ten_meets_the_true_numbers),
        cmocka_unit_test(bead_meets_the_true_numbers),
        cmocka_unit_test(heavy_top_meets_the_true_numbers),
        cmocka_unit_test(free_body_flips_on_time),
        cmocka_unit_test(bricard_moves_though_its_rows_are_dependent),
        cmocka_unit_test(rope_goes_taut_on_time_and_swings_on),
        cmocka_unit_test(rope_goes_slack_where_its_pull_ends),
        cmocka_unit_test(hinge_limit_stops_without_bounce),
        cmocka_unit_test(bounded_motor_spins_up_then_holds),
        cmocka_unit_test(bounded_servo_swings_about_its_target),
        cmocka_unit_test(reaction_is_the_mean_over_the_frame),
        cmocka_unit_test(kkt_reaches_it_with_the_order_of_its_integrator),
        cmocka_unit_test(kkt_converges_to_it_on_a_chain_of_rods),
        cmocka_unit_test(kkt_converges_to_it_on_every_joint),
        cmocka_unit_test(volume_of_four_particles_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
