/* SPDX-License-Identifier: MIT */
/* The lecture's offset forces, orders of convergence, drift, and what limits, drives and springs do. */
#include "model/energy.h"
#include "solvers/systems/lagrange.h"
#include "tests/solvers/worlds.h"

#include <lapacke.h>

/* The inverse mass matrix of offset forces: acceleration at r2 from a force at r1, 1/m - [r2] I^-1 [r1] (lecture 003;
 * f1 at r1 turns the body by I^-1 (r1 x f1), which moves r2 by -r2 x of it). */
static Mat3 offset_inverse_mass(const World *world, int body, Vec3 r1, Vec3 r2)
{
    Mat3 inverse;
    for (int c = 0; c < 3; c++) {
        Vec3 f = vec3_axis(c);
        Vec3 turn = world_inv_inertia_mul(world, body, vec3_cross(r1, f));
        Vec3 a = vec3_add_scaled(vec3_cross(turn, r2), world->mass[body].inv_mass, f);
        for (int r = 0; r < 3; r++)
            inverse.m[r][c] = vec3_get(a, r);
    }
    return inverse;
}

/* a + w' x r + w x (w x r) of a body that nothing but gravity and its gyroscopic torque moves. */
static Vec3 offset_free_acceleration(const World *world, int body, Vec3 r)
{
    Quat q = world->pose[body].q;
    Vec3 w = world->velocity[body].w, w_body = quat_rotate_inverse(q, w);
    Vec3 L = vec3_mul(world->mass[body].inertia, w_body);
    Vec3 wdot = quat_rotate(q, vec3_mul(world->mass[body].inv_inertia, vec3_cross(L, w_body)));
    return vec3_add(vec3_add(world->gravity, vec3_cross(wdot, r)), vec3_cross(w, vec3_cross(w, r)));
}

static void evaluate(Lagrange *lagrange, const World *world)
{
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    assert_true(lagrange_init(lagrange, world, &options, false));
    lagrange_accelerate(lagrange, world, &(LagrangeSetup){0});
}

static void one_ball_joint_carries_the_offset_force(void **state)
{
    (void)state;
    Random random = {20240611};
    World *world = world_create();
    int body = build_random_box(world, &random, "box");
    JointDef def = joint_def(JOINT_BALL, 0, body);
    def.anchor[0] = random_vec3(&random, 1.5);
    build_joint(world, &def);
    Vec3 r = vec3_sub(def.anchor[0], world->pose[body].x);
    Mat3 M_rr = mat3_inverse(offset_inverse_mass(world, body, r, r));
    Vec3 force = vec3_negate(mat3_mul_vec(M_rr, offset_free_acceleration(world, body, r)));
    Lagrange lagrange;
    evaluate(&lagrange, world);
    /* A 3x3 solve whose condition is at most 1e3. */
    assert_vec3_near(row_system_on_body2(&lagrange.rows, world, 0), force, 1e-11 * vec3_norm(force));
    lagrange_free(&lagrange);
    world_destroy(world);
}

static void put_block(double A[36], int row, int column, Mat3 block, double sign)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[(3 * row + i) + 6 * (3 * column + j)] += sign * block.m[i][j];
}

/* Joint 1 holds body 1 to the world at r1, joint 2 body 2 to body 1 at r2. A force f1 at r1 moves r2 by M12^-1, a force
 * -f2 at r2 moves r1 by M21^-1, its transpose: the lecture has the two exchanged, which only collinear arms forgive. */
static void two_link_chain_is_one_6x6_system(void **state)
{
    (void)state;
    Random random = {77003};
    World *world = world_create();
    int one = build_random_box(world, &random, "one"), two = build_random_box(world, &random, "two");
    Vec3 p1 = random_vec3(&random, 1.0), p2 = random_vec3(&random, 1.0);
    JointDef def = joint_def(JOINT_BALL, 0, one);
    def.anchor[0] = p1;
    build_joint(world, &def);
    def = joint_def(JOINT_BALL, one, two);
    def.anchor[0] = p2;
    build_joint(world, &def);
    Vec3 r1 = vec3_sub(p1, world->pose[one].x), r2 = vec3_sub(p2, world->pose[one].x);
    Vec3 s2 = vec3_sub(p2, world->pose[two].x);
    double A[36] = {0}, f[6];
    put_block(A, 0, 0, offset_inverse_mass(world, one, r1, r1), 1);
    put_block(A, 0, 1, offset_inverse_mass(world, one, r2, r1), -1);
    put_block(A, 1, 0, offset_inverse_mass(world, one, r1, r2), -1);
    put_block(A, 1, 1, offset_inverse_mass(world, one, r2, r2), 1);
    put_block(A, 1, 1, offset_inverse_mass(world, two, s2, s2), 1);
    Vec3 a1 = offset_free_acceleration(world, one, r1);
    Vec3 a2 = vec3_sub(offset_free_acceleration(world, two, s2), offset_free_acceleration(world, one, r2));
    for (int i = 0; i < 3; i++) {
        f[i] = -vec3_get(a1, i);
        f[3 + i] = -vec3_get(a2, i);
    }
    lapack_int pivots[6];
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, 6, 1, A, 6, pivots, f, 6), 0);
    Lagrange lagrange;
    evaluate(&lagrange, world);
    /* Round-off of a 6x6 solve with a condition of some 1e3. */
    for (int joint = 0; joint < 2; joint++) {
        Vec3 force = vec3(f[3 * joint], f[3 * joint + 1], f[3 * joint + 2]);
        assert_vec3_near(row_system_on_body2(&lagrange.rows, world, joint), force, 1e-10 * vec3_norm(force));
    }
    lagrange_free(&lagrange);
    world_destroy(world);
}

static void constraint_forces_do_no_work(void **state)
{
    (void)state;
    Random random = {5150};
    World *world = build_hinged_chain(&random);
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    Lagrange lagrange;
    assert_true(lagrange_init(&lagrange, world, &options, false));
    lagrange_project_velocities(&lagrange, world, false);
    lagrange_accelerate(&lagrange, world, &(LagrangeSetup){0});
    double power = 0.0, scale = 0.0;
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lagrange.rows.blocks[b];
        double rates[BLOCK_MAX_ROWS], after[BLOCK_MAX_ROWS], k[BLOCK_MAX_ROWS];
        row_block_rates(rb, world->velocity, rates);
        row_block_rates(rb, lagrange.acceleration, after);
        block_rows_bias(world, &world->blocks[b], k);
        for (int i = 0; i < rb->count; i++) {
            power += rb->lambda[i] * rates[i];
            scale += fabs(rb->lambda[i]);
            assert_near(after[i] + k[i], 0.0, 1e-10); /* C'' = 0: forces of 1e2, conditions of 1e3 */
        }
    }
    assert_true(scale > 1.0);
    assert_near(power, 0.0, 1e-13 * scale); /* velocities of order 1 */
    lagrange_free(&lagrange);
    world_destroy(world);
}

static World *pendulum3(void)
{
    return rod_chain(3, 0.5 * PI);
}

/* The end of the last rod after half a second in so many steps. */
static Vec3 pendulum_tip(const char *options, int steps)
{
    World *world = pendulum3();
    drive_run(world, "kkt", options, 0.5 / steps, steps);
    Vec3 tip = world_point(world, 3, vec3(0.5, 0, 0));
    world_destroy(world);
    return tip;
}

/* The order from three step counts: log2 of the ratio of successive differences. */
static double order_of(const char *options, int steps)
{
    Vec3 coarse = pendulum_tip(options, steps), middle = pendulum_tip(options, 2 * steps);
    Vec3 fine = pendulum_tip(options, 4 * steps);
    return log2(vec3_norm(vec3_sub(coarse, middle)) / vec3_norm(vec3_sub(middle, fine)));
}

static void rk4_has_order_4_and_euler_order_1(void **state)
{
    (void)state;
    /* Differences shrink by 2^p (1 + O(h)): a tenth of an order at these steps. */
    assert_near(order_of("integrator=rk4 stabilise=projection", 100), 4.0, 0.15);
    assert_near(order_of("integrator=rk4 stabilise=none", 100), 4.0, 0.15);
    assert_near(order_of("integrator=rk4 stabilise=baumgarte", 100), 4.0, 0.3);
    assert_near(order_of("integrator=semi_implicit stabilise=projection", 400), 1.0, 0.1);
    assert_near(order_of("integrator=forward stabilise=projection", 400), 1.0, 0.1);
}

static double drift_after(const char *options, double dt, int frames)
{
    World *world = pendulum3();
    drive_run(world, "kkt", options, dt, frames);
    double drift = 0.0;
    for (int b = 0; b < world->block_count; b++)
        drift = fmax(drift, block_violation(world, &world->blocks[b]));
    world_destroy(world);
    return drift;
}

static void drift_grows_without_stabilisation_only(void **state)
{
    (void)state;
    double dt = 1.0 / 200;
    double early = drift_after("integrator=rk4 stabilise=none", dt, 50);
    double late = drift_after("integrator=rk4 stabilise=none", dt, 400);
    assert_true(late > 10.0 * early && late > 1e-6);
    /* C'' = errors of order h^4 without stabilisation. */
    double finer = drift_after("integrator=rk4 stabilise=none", dt / 2, 200);
    double coarser = drift_after("integrator=rk4 stabilise=none", dt, 100);
    assert_near(log2(coarser / finer), 4.0, 0.5);
    assert_true(drift_after("integrator=rk4 stabilise=projection", dt, 400) < 1e-12);
    assert_true(drift_after("stabilise=projection", dt, 400) < 1e-12);
    assert_true(drift_after("integrator=rk4 stabilise=baumgarte", dt, 400) < 0.01 * late);
}

static void dependent_rows_are_solved_and_said(void **state)
{
    (void)state;
    /* A planar four-bar of 3D hinges: 20 rows, of which 17 are independent. */
    World *world = world_create();
    Vec3 corner[4] = {vec3(0, 0, 0), vec3(0.3, 0.8, 0), vec3(1.2, 1.1, 0), vec3(1.5, 0, 0)};
    for (int i = 0; i < 4; i++) {
        if (i < 3) {
            Vec3 along = vec3_sub(corner[i + 1], corner[i]);
            BodyDef def = BODY_DEF_INIT;
            def.name = "bar";
            def.position = vec3_scale(0.5, vec3_add(corner[i], corner[i + 1]));
            def.orientation = quat_axis_angle(vec3(0, 0, 1), atan2(along.y, along.x));
            def.shape.kind = SHAPE_BOX;
            def.shape.size = vec3(vec3_norm(along), 0.05, 0.05);
            def.density = 1000.0;
            build_body(world, &def);
        }
    }
    for (int i = 0; i < 4; i++) {
        JointDef def = joint_def(JOINT_HINGE, i, (i + 1) % 4);
        def.anchor[0] = corner[i];
        def.axis = vec3(0, 0, 1);
        build_joint(world, &def);
    }
    double energy = world_energy(world);
    Drive drive;
    drive_begin(&drive, world, "kkt", "integrator=rk4");
    for (int frame = 0; frame < 300; frame++)
        drive_frame(&drive, 1.0 / 300);
    assert_string_equal(drive.step.events[0].what, "dependent rows: multipliers of least norm");
    assert_int_equal(drive.step.event_count, 1);
    drive_end(&drive);
    for (int b = 0; b < world->block_count; b++)
        assert_near(block_violation(world, &world->blocks[b]), 0.0, 1e-12);
    /* RK4 at this step loses some 1e-8 of the 10 J that it turns over. */
    assert_near(world_energy(world), energy, 1e-6);
    world_destroy(world);
}

static void assert_limit_carries_the_weight(const char *options, double tolerance)
{
    World *world = world_create();
    BodyDef body = BODY_DEF_INIT;
    body.name = "block";
    body.shape.kind = SHAPE_BOX;
    body.shape.size = vec3(0.3, 0.2, 0.4);
    body.density = 731.0;
    build_body(world, &body);
    JointDef def = joint_def(JOINT_PRISMATIC, 0, 1);
    def.axis = vec3(0, 1, 0);
    def.position_min = -0.2;
    build_joint(world, &def);
    Drive drive;
    drive_begin(&drive, world, "kkt", options);
    for (int frame = 0; frame < 60; frame++)
        drive_frame(&drive, 1.0 / 60);
    Vec3 force, torque;
    world_reaction(world, 0, 1.0 / 60, &force, &torque);
    assert_near(force.y, 9.81 * world->mass[1].mass, 1e-9);
    assert_near(world->pose[1].x.y, -0.2, tolerance);
    assert_near(world->velocity[1].v.y, 0.0, 1e-12);
    drive_end(&drive);
    world_destroy(world);
}

static void limit_stops_without_bounce_and_carries_the_weight(void **state)
{
    (void)state;
    assert_limit_carries_the_weight("substeps=10", 1e-12);
    assert_limit_carries_the_weight("substeps=10 integrator=rk4", 1e-12);
    assert_limit_carries_the_weight("substeps=10 stabilise=baumgarte", 1e-12);
    /* It sinks in by less than a step at the 2 m/s of the impact, and stays there. */
    assert_limit_carries_the_weight("substeps=10 stabilise=none", 2.0 / 600);
}

static void limit_lets_go_when_pulled(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef body = BODY_DEF_INIT;
    body.name = "bead";
    body.mass = 1.3;
    body.position = vec3(0, -0.7, 0);
    body.velocity = vec3(0, 3.1, 0);
    build_body(world, &body);
    JointDef rope = joint_def(JOINT_DISTANCE, 0, 1);
    rope.local_anchors = true;
    rope.one_sided = true;
    build_joint(world, &rope);
    drive_run(world, "kkt", "integrator=rk4 substeps=4", 1.0 / 60, 30);
    /* Taut at the start, then free flight, exact by RK4, until it falls into the rope again after 0.63 s. */
    assert_near(world->pose[1].x.y, -0.7 + 3.1 * 0.5 - 0.5 * 9.81 * 0.25, 1e-12);
    drive_run(world, "kkt", "integrator=rk4 substeps=4", 1.0 / 60, 30);
    assert_near(world->pose[1].x.y, -0.7, 1e-12);
    world_destroy(world);
}

static World *motor_world(double max_torque)
{
    World *world = world_create();
    BodyDef body = BODY_DEF_INIT;
    body.name = "rotor";
    body.mass = 2.0;
    body.has_inertia = true;
    body.inertia = vec3(0.4, 0.5, 0.7);
    build_body(world, &body);
    JointDef def = joint_def(JOINT_MOTOR, 0, 1);
    def.axis = vec3(0, 0, 1);
    def.speed = 3.7;
    def.max_torque = max_torque;
    build_joint(world, &def);
    return world;
}

static void motor_turns_at_its_speed_or_pushes_with_its_bound(void **state)
{
    (void)state;
    World *world = motor_world(NAN);
    drive_run(world, "kkt", "integrator=rk4", 1.0 / 60, 90);
    assert_near(joint_angle(world, &world->joints[0]), 3.7 * 1.5, 1e-10);
    world_destroy(world);
    world = motor_world(0.9);
    drive_run(world, "kkt", "", 1.0 / 60, 60);
    assert_near(world->velocity[1].w.z, 0.9 / 0.7, 1e-10); /* still spinning up: torque / inertia x 1 s */
    drive_run(world, "kkt", "", 1.0 / 60, 240);
    assert_near(world->velocity[1].w.z, 3.7, 1e-9); /* reached after 2.88 s */
    world_destroy(world);
}

static void spring_swings_with_its_frequency(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    BodyDef body = BODY_DEF_INIT;
    body.name = "mass";
    body.mass = 1.7;
    build_body(world, &body);
    JointDef def = joint_def(JOINT_BALL, 0, 1);
    def.compliance = 0.01;
    def.damping = 0.4;
    build_joint(world, &def);
    world->pose[1].x = vec3(0.3, 0, 0);
    drive_run(world, "kkt", "integrator=rk4 substeps=20", 1.0 / 60, 60);
    /* m x'' = -x/alpha - c m x' (the world does not move: 1/(w1 + w2) = m). */
    double w0 = sqrt(1.0 / (0.01 * 1.7)), g = 0.2, w = sqrt(w0 * w0 - g * g);
    double x = 0.3 * exp(-g) * (cos(w) + g / w * sin(w));
    assert_near(world->pose[1].x.x, x, 1e-9); /* (w0 h)^4 w0 t / 120 = 1e-9 x 0.3 */
    world_destroy(world);
}

/* A rod falls on its hinge's limit: with Baumgarte's rule, too, it never moves back out of it. */
static void baumgartes_rule_lets_no_limit_bounce(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef rod = BODY_DEF_INIT;
    rod.name = "rod";
    rod.shape = (Shape){.kind = SHAPE_BOX, .size = {1, 0.05, 0.05}};
    rod.density = 1000.0;
    rod.position = vec3(0.5, 0, 0);
    int body = build_body(world, &rod);
    JointDef hinge = joint_def(JOINT_HINGE, 0, body);
    hinge.axis = vec3(0, 0, 1);
    hinge.angle_min = -0.71;
    hinge.angle_max = 1.0;
    build_joint(world, &hinge);
    Drive drive;
    drive_begin(&drive, world, "kkt", "stabilise=baumgarte");
    double rebound = 0.0;
    for (int f = 0; f < 120; f++) {
        drive_frame(&drive, 1.0 / 60);
        rebound = fmax(rebound, world->velocity[body].w.z);
    }
    assert_true(rebound < 1e-9);
    assert_near(block_twist(world, &world->blocks[world->block_count - 1]), -0.71, 1e-9);
    drive_end(&drive);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(baumgartes_rule_lets_no_limit_bounce),
        cmocka_unit_test(one_ball_joint_carries_the_offset_force),
        cmocka_unit_test(two_link_chain_is_one_6x6_system),
        cmocka_unit_test(constraint_forces_do_no_work),
        cmocka_unit_test(rk4_has_order_4_and_euler_order_1),
        cmocka_unit_test(drift_grows_without_stabilisation_only),
        cmocka_unit_test(dependent_rows_are_solved_and_said),
        cmocka_unit_test(limit_stops_without_bounce_and_carries_the_weight),
        cmocka_unit_test(limit_lets_go_when_pulled),
        cmocka_unit_test(motor_turns_at_its_speed_or_pushes_with_its_bound),
        cmocka_unit_test(spring_swings_with_its_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
