/* SPDX-License-Identifier: MIT */
/* The force-based backend: springs carry by being stretched, and tell when the step is too long for them. */
#include "solvers/penalty/contact.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"

#include <stdio.h>

static const double DT = 1.0 / 60.0;

/* Particles hanging straight down from the origin on rigid distance joints. */
static World *hanging_chain(int links, double mass)
{
    return mechanism_particles(links, vec3(0, -0.37, 0), mass);
}

static void a_hanging_particle_sags_by_its_weight_over_the_stiffness(void **state)
{
    (void)state;
    World *world = hanging_chain(1, 1.3);
    drive_run(world, "penalty", "stiffness=5000 damping=0.02", DT, 300);
    /* mg/k; the transient has decayed by exp(-c/(2m) 5 s) = e^-192 */
    assert_near(world->pose[1].x.y, -0.37 - 1.3 * 9.81 / 5000.0, 1e-12);
    Vec3 force, torque;
    world_reaction(world, 0, DT, &force, &torque);
    assert_vec3_near(force, vec3(0, 1.3 * 9.81, 0), 1e-8);
    world_destroy(world);
}

static void one_spring_steps_as_semi_implicit_euler_does(void **state)
{
    (void)state;
    World *world = hanging_chain(1, 1.3);
    world->gravity = VEC3_ZERO;
    world->pose[1].x.y -= 0.11;
    drive_run(world, "penalty", "substeps=7 stiffness=310 damping=0.013", DT, 5);
    double x = 0.11, v = 0.0, h = DT / 7;
    for (int i = 0; i < 35; i++) {
        v += h * (-310.0 * x - 310.0 * 0.013 * v) / 1.3;
        x += h * v;
    }
    assert_near(-world->pose[1].x.y - 0.37, x, 1e-14); /* round-off of 35 steps */
    world_destroy(world);
}

static double stable_step(World *world, const char *options)
{
    Drive drive;
    drive_begin(&drive, world, "penalty", options);
    drive_frame(&drive, 1e-9);
    double limit = drive.solver->stable_step(drive.self);
    drive_end(&drive);
    return limit;
}

static void the_stable_step_of_one_spring_is_its_closed_form(void **state)
{
    (void)state;
    World *world = hanging_chain(1, 0.8);
    double mu = 7000.0 / 0.8, tau = 0.004;
    /* One row: the power iteration is exact. */
    assert_near(stable_step(world, "stiffness=7000 damping=0.004"), sqrt(tau * tau + 4.0 / mu) - tau, 1e-15);
    world_destroy(world);
}

/* Largest speed after `frames` of one step each; also how often the limit was reported. */
static double speed_after(double step, const char *options, int frames, long *reports)
{
    World *world = hanging_chain(12, 0.5);
    world->pose[5].x.y -= 1e-6; /* something for the unstable mode to grow from */
    Drive drive;
    drive_begin(&drive, world, "penalty", options);
    for (int f = 0; f < frames; f++)
        drive_frame(&drive, step);
    *reports = drive.step.event_count > 0 ? drive.step.events[0].count : 0;
    double speed = world_max_speed(world);
    drive_end(&drive);
    world_destroy(world);
    return speed;
}

static void a_chain_is_stable_below_the_reported_limit_and_blows_up_above(void **state)
{
    (void)state;
    const char *options[] = {"substeps=1 stiffness=20000 damping=0", "substeps=1 stiffness=20000 damping=0.002"};
    for (int i = 0; i < 2; i++) {
        World *world = hanging_chain(12, 0.5);
        double limit = stable_step(world, options[i]);
        world_destroy(world);
        long reports;
        /* 3 per cent to either side: a mode that grows does so by more than 1.2 a step there, until the chain folds up
         * at some link lengths a step (0.37 m / 5 ms). At rest it bobs by its sag, sqrt(g x 3 cm) = 0.5 m/s. */
        assert_true(speed_after(0.97 * limit, options[i], 400, &reports) < 2.0);
        assert_int_equal(reports, 0);
        assert_false(speed_after(1.03 * limit, options[i], 400, &reports) < 10.0);
        assert_true(reports > 0);
    }
}

static void stiffer_springs_follow_the_rigid_pendulum_more_closely(void **state)
{
    (void)state;
    double before = INFINITY;
    for (int k = 0; k < 3; k++) {
        World *world = mechanism_particles(1, vec3(1, 0, 0), 1.0);
        char options[96];
        snprintf(options, sizeof options, "substeps=500 damping=0.002 stiffness=%g", 1e3 * pow(10.0, k));
        drive_run(world, "penalty", options, DT, 30);
        double stretch = vec3_norm(world->pose[1].x) - 1.0;
        /* It stretches as the load 3 m g sin(angle) needs, so ten times less each time. */
        assert_true(stretch > 0.0 && stretch < 0.2 * before);
        before = stretch;
        world_destroy(world);
    }
}

static void a_limit_pushes_only_when_it_is_passed(void **state)
{
    (void)state;
    for (int below = 0; below < 2; below++) {
        World *world = world_create();
        world->gravity = VEC3_ZERO;
        BodyDef def = BODY_DEF_INIT;
        def.name = "slider";
        def.mass = 1.7;
        def.has_inertia = true;
        def.inertia = vec3(0.2, 0.3, 0.4);
        int body = build_body(world, &def);
        JointDef joint = joint_def(JOINT_PRISMATIC, 0, body);
        joint.axis = vec3(0, 0, 1);
        joint.position_min = -0.05;
        joint.position_max = 0.4;
        build_joint(world, &joint);
        world->pose[body].x.z = below ? -0.07 : 0.02;
        drive_run(world, "penalty", "substeps=1 damping=0", 1e-3, 1);
        /* One step: v = h k depth / m. */
        assert_near(world->velocity[body].v.z, below ? 1e-3 * 1e4 * 0.02 / 1.7 : 0.0, 1e-15);
        world_destroy(world);
    }
}

static void internal_springs_keep_momentum(void **state)
{
    (void)state;
    Random random = {0x51f2e7};
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    JointType types[] = {JOINT_BALL, JOINT_HINGE, JOINT_FIXED, JOINT_DISTANCE, JOINT_PRISMATIC};
    build_random_chain(world, &random, types, 5);
    Vec3 before = world_momentum(world);
    double scale = world_momentum_scale(world);
    drive_run(world, "penalty", "substeps=20 stiffness=500 angular_stiffness=20", DT, 30);
    assert_vec3_near(world_momentum(world), before, 1e-13 * scale); /* 600 substeps of round-off */
    world_destroy(world);
}

/* A ball flies at a plane without gravity, 3 mm away; its speed afterwards over that before. */
static double rebound(double e, const char *options, double dt)
{
    World *world = contact_world(0.0, e);
    world->gravity = VEC3_ZERO;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.23, vec3(0, 0.233, 0));
    ball.velocity = vec3(0, -1.7, 0);
    int body = build_body(world, &ball);
    drive_run(world, "penalty", options, dt, (int)(0.2 / dt));
    double speed = world->velocity[body].v.y / 1.7;
    world_destroy(world);
    return speed;
}

static void the_damper_gives_back_the_restitution_asked_for(void **state)
{
    (void)state;
    static const double E[] = {0.2, 0.5, 0.83, 1.0};
    for (int i = 0; i < 4; i++) {
        /* the spring is met up to a step late: h w = 1.6e-3 */
        assert_near(rebound(E[i], "substeps=1", 1e-5), E[i], 2e-3);
        double theta = asin(contact_damping_ratio(E[i]));
        assert_near(exp(-(PI - 2.0 * theta) * tan(theta)), E[i], 1e-13); /* 52 halvings of pi/2 */
    }
    /* Critical damping is as far as it goes: e^-2. */
    assert_near(rebound(0.0, "substeps=1", 1e-5), exp(-2.0), 2e-3);
    assert_near(rebound(0.05, "substeps=1", 1e-5), exp(-2.0), 2e-3);
    /* A plain k is another frequency and the same e. */
    assert_near(rebound(0.5, "substeps=1 contact_frequency=0 stiffness=2e6", 1e-5), 0.5, 3e-3);
}

/* A step conserves v^2/2 + w^2 x (x - h v)/2, and the spring acts from the first to the last step with x < 0: at both
 * ends x (x - h v) is between -(h v)^2/4 and 0, so v^2 changes by a factor between 1 - (h w)^2/4 and its inverse. */
static void an_elastic_spring_gains_at_most_the_square_of_the_step(void **state)
{
    (void)state;
    double w = 2.0 * PI * 25.0, most = 0.0;
    for (int i = 0; i < 40; i++) {
        double h = (0.1 + 0.02 * i) / w, kept = 1.0 - 0.25 * h * h * w * w, e = rebound(1.0, "substeps=1", h);
        assert_true(e * e >= kept && e * e <= 1.0 / kept);
        most = fmax(most, (e * e - 1.0) / (h * h * w * w));
    }
    assert_true(most > 0.1); /* and it does gain */
}

static void a_ball_rests_g_over_omega_squared_deep_and_knows_its_step(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.3);
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.31, vec3(0, 0.309, 0));
    int body = build_body(world, &ball);
    Drive drive;
    drive_begin(&drive, world, "penalty", "contact_frequency=17");
    for (int f = 0; f < 300; f++)
        drive_frame(&drive, DT);
    double w = 2.0 * PI * 17.0, zeta = contact_damping_ratio(0.3);
    assert_near(world->pose[body].x.y, 0.31 - 9.81 / (w * w), 1e-12); /* decayed by exp(-zeta w 5 s) */
    /* One row: h^2 w^2 + 4 zeta h w = 4. */
    assert_near(drive.solver->stable_step(drive.self) * w, 2.0 * (sqrt(zeta * zeta + 1.0) - zeta), 1e-12);
    assert_int_equal(drive.step.event_count, 0);
    drive_end(&drive);
    world_destroy(world);
}

/* Five cubes: stable below the limit, and shaken above it. */
static void a_stack_rests_below_the_reported_limit_and_not_above(void **state)
{
    (void)state;
    static const double PART[] = {0.9, 1.3};
    const double limit = 0.309 / (2.0 * PI * 25.0); /* h w < 0.309: penalty.c */
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        for (int i = 0; i < 5; i++) {
            BodyDef box = box_def("box", vec3(1, 1, 1), vec3(0.01 * i, 0.5 + i, 0));
            build_body(world, &box);
        }
        Drive drive;
        drive_begin(&drive, world, "penalty", "substeps=1");
        for (int f = 0; f < 1200; f++)
            drive_frame(&drive, PART[k] * limit);
        double speed = world_max_speed(world), found = drive.solver->stable_step(drive.self);
        long reports = drive.step.event_count > 0 ? drive.step.events[0].count : 0;
        /* friction takes part in modes that rock, and offsets of 1 cm make the boxes uneven */
        assert_near(found, limit, 0.08 * limit);
        if (k == 0)
            assert_true(speed < 5e-3 && reports == 0); /* it leans a little and creeps: less than slip_speed */
        else
            assert_true(speed > 1e-2 && reports > 100);
        drive_end(&drive);
        world_destroy(world);
    }
}

static void a_block_slides_as_coulomb_says_and_creeps_where_it_should_stick(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double angle = 0.5, mu = k == 0 ? 0.3 : 0.8, time = 0.5;
        World *world = block_on_slope(angle, mu);
        drive_run(world, "penalty", "substeps=100", DT, 30);
        Vec3 down = vec3(cos(angle), -sin(angle), 0);
        double speed = vec3_dot(world->velocity[2].v, down), creep = 0.01 * tan(angle) / mu;
        double slides = 9.81 * (sin(angle) - mu * cos(angle)) * time;
        /* the block settles 0.2 mm into the slope first: 8 ms under less than its weight */
        assert_near(speed, k == 0 ? slides : creep, k == 0 ? 9.81 * 0.008 : 1e-3 * creep);
        world_destroy(world);
    }
}

static void a_limit_that_opens_is_seen_again_when_it_closes(void **state)
{
    (void)state;
    World *world = contact_world(0.0, 1.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.1, vec3(0, 0.2, 0));
    build_body(world, &ball);
    Drive drive;
    drive_begin(&drive, world, "penalty", "");
    drive_frame(&drive, DT);
    assert_true(isinf(drive.solver->stable_step(drive.self))); /* nothing has pushed yet */
    for (int f = 0; f < 30; f++)
        drive_frame(&drive, DT);
    assert_near(drive.solver->stable_step(drive.self), 2.0 / (2.0 * PI * 25.0), 1e-12);
    drive_end(&drive);
    world_destroy(world);
}

/* From rest, without load: the speed grows with max_torque / I, as long as the target is far. */
static void a_motor_that_is_too_slow_gives_all_of_its_torque(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    int body = mechanism_add_box(world, VEC3_ZERO, vec3(1, 0.05, 0.05));
    JointDef motor = joint_def(JOINT_MOTOR, 0, body);
    motor.axis = vec3(0, 0, 1);
    motor.speed = 50.0;
    motor.max_torque = 2.0;
    build_joint(world, &motor);
    drive_run(world, "penalty", "", 1.0 / 60, 30);
    double inertia = 2.5 * (1.0 + 0.0025) / 12.0;
    assert_near(world->velocity[body].w.z, 2.0 / inertia * 0.5, 1e-9); /* a spring that begins anew gives 0.8 of it */
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motor_that_is_too_slow_gives_all_of_its_torque),
        cmocka_unit_test(a_hanging_particle_sags_by_its_weight_over_the_stiffness),
        cmocka_unit_test(one_spring_steps_as_semi_implicit_euler_does),
        cmocka_unit_test(the_stable_step_of_one_spring_is_its_closed_form),
        cmocka_unit_test(a_chain_is_stable_below_the_reported_limit_and_blows_up_above),
        cmocka_unit_test(stiffer_springs_follow_the_rigid_pendulum_more_closely),
        cmocka_unit_test(a_limit_pushes_only_when_it_is_passed),
        cmocka_unit_test(internal_springs_keep_momentum),
        cmocka_unit_test(the_damper_gives_back_the_restitution_asked_for),
        cmocka_unit_test(an_elastic_spring_gains_at_most_the_square_of_the_step),
        cmocka_unit_test(a_ball_rests_g_over_omega_squared_deep_and_knows_its_step),
        cmocka_unit_test(a_stack_rests_below_the_reported_limit_and_not_above),
        cmocka_unit_test(a_block_slides_as_coulomb_says_and_creeps_where_it_should_stick),
        cmocka_unit_test(a_limit_that_opens_is_seen_again_when_it_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
