/* SPDX-License-Identifier: MIT */
/* The mixed LCP: loads of a stack, impacts, friction, Painleve's rod, and the same velocities as converged sweeps. */
#include "model/contact.h"
#include "model/energy.h"
#include "solvers/rows/rows.h"
#include "tests/solvers/worlds.h"

#include <string.h>

static const double H = 1.0 / 60;

static World *touching_world(double mu, double restitution)
{
    World *world = world_create();
    world->collide = true;
    world->materials[0].friction = mu;
    world->materials[0].restitution = restitution;
    return world;
}

static int add_floor(World *world)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "floor";
    def.fixed = true;
    def.shape = (Shape){.kind = SHAPE_PLANE, .normal = {0, 1, 0}};
    return build_body(world, &def);
}

static int add_box(World *world, Vec3 size, double mass, Vec3 position)
{
    BodyDef def = BODY_DEF_INIT;
    char name[16];
    snprintf(name, sizeof name, "box%d", world->body_count);
    def.name = name;
    def.shape = (Shape){.kind = SHAPE_BOX, .size = size};
    def.mass = mass;
    def.position = position;
    return build_body(world, &def);
}

static int add_ball(World *world, double radius, double mass, Vec3 position)
{
    BodyDef def = BODY_DEF_INIT;
    char name[16];
    snprintf(name, sizeof name, "ball%d", world->body_count);
    def.name = name;
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = radius};
    def.mass = mass;
    def.position = position;
    return build_body(world, &def);
}

/* N s along y that the contacts give body 2 of the pair in the last substep; body1 < body2. */
static double normal_impulse(const World *world, int body1, int body2)
{
    double sum = 0.0;
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block->kind == BLOCK_CONTACT && block->body[0] == body1 && block->body[1] == body2)
            sum += world->block_impulse[b].y;
    }
    return sum;
}

static void assert_finite(const World *world)
{
    for (int i = 1; i < world->body_count; i++)
        assert_true(vec3_is_finite(world->velocity[i].v) && vec3_is_finite(world->velocity[i].w) &&
                    vec3_is_finite(world->pose[i].x));
}

/* Boxes of random mass, not quite above each other: each interface carries the weight above it. */
static void interfaces_of_a_stack_carry_the_weight_above(void **state)
{
    (void)state;
    enum { BOXES = 10 };
    Random random = {4711};
    World *world = touching_world(0.5, 0);
    add_floor(world);
    for (int i = 0; i < BOXES; i++) {
        Vec3 at = random_across(&random, -0.1, 0.1, 0.5 + i);
        add_box(world, vec3(1, 1, 1), random_in(&random, 1, 100), at);
    }
    Drive drive;
    drive_begin(&drive, world, "lcp", "");
    for (int frame = 0; frame < 30; frame++) {
        drive_frame(&drive, H);
        double weight = 0.0;
        for (int i = BOXES + 1; i > 1; i--) {
            weight += world->mass[i].mass * 9.81;
            assert_near(normal_impulse(world, i - 1, i) / H, weight, 1e-10 * weight);
        }
    }
    assert_int_equal(drive.step.event_count, 0); /* no fallback */
    assert_true(drive.phases[0].residual(drive.self, &drive.step) < 1e-11);
    drive_end(&drive);
    world_destroy(world);
}

/* One simultaneous solve with Newton's law shares the blow. */
static void three_balls_share_an_impact(void **state)
{
    (void)state;
    World *world = touching_world(0, 1);
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 3; i++)
        add_ball(world, 0.1, 2.3, vec3(0.2 * i, 0, 0));
    world->velocity[1].v = vec3(1, 0, 0);
    drive_run(world, "lcp", "", H, 1);
    assert_vec3_near(world->velocity[1].v, vec3(-1.0 / 3, 0, 0), 1e-14);
    assert_vec3_near(world->velocity[2].v, vec3(2.0 / 3, 0, 0), 1e-14);
    assert_vec3_near(world->velocity[3].v, vec3(2.0 / 3, 0, 0), 1e-14);
    world_destroy(world);
}

/* Erratum 17: a contact that is open and stays open gives nothing, though it is a row. */
static void a_box_falling_above_the_floor_feels_no_force(void **state)
{
    (void)state;
    World *world = touching_world(0.5, 0.3);
    add_floor(world);
    int box = add_box(world, vec3(0.7, 0.4, 0.9), 3.1, vec3(0, 0.2 + 0.009, 0)); /* within the margin */
    Drive drive;
    drive_begin(&drive, world, "lcp", "");
    drive_frame(&drive, H);
    assert_true(world->block_count > 0);
    assert_near(normal_impulse(world, 1, box), 0.0, 0.0);
    assert_near(world->velocity[box].v.y, -9.81 * H, 1e-16);
    drive_end(&drive);
    world_destroy(world);
}

/* Slides iff tan(angle) > mu, then with g (sin - mu cos), exactly at every step. */
static void a_block_slips_beyond_the_friction_angle(void **state)
{
    (void)state;
    const struct {
        double degrees, mu;
    } cases[] = {{20, 0.363}, {20, 0.365}, {30, 0.3}, {40, 0.839}, {40, 0.84}};
    for (int k = 0; k < 5; k++) {
        double angle = cases[k].degrees * PI / 180, slope = tan(angle);
        World *world = touching_world(cases[k].mu, 0);
        world->gravity = vec3(9.81 * sin(angle), -9.81 * cos(angle), 0); /* the floor stays level instead */
        add_floor(world);
        int block = add_box(world, vec3(1, 0.2, 1), 200, vec3(0, 0.1, 0));
        drive_run(world, "lcp", "", H, 30);
        double speed = slope > cases[k].mu ? 9.81 * (sin(angle) - cases[k].mu * cos(angle)) * 0.5 : 0.0;
        assert_vec3_near(world->velocity[block].v, vec3(speed, 0, 0), 1e-13); /* 30 sums of numbers below 2 */
        assert_vec3_near(world->velocity[block].w, VEC3_ZERO, 1e-13);
        world_destroy(world);
    }
}

/* The same, whichever way the slope falls: with axes of its own a square would hold a block at 30 degrees. */
static void friction_is_the_same_in_all_directions(void **state)
{
    (void)state;
    const double angle = PI / 6, mu = 0.5, g = 9.81;
    static const char *const FACETS[] = {"facets=4", "facets=8", "facets=16"};
    for (int k = 0; k < 12; k++) {
        double turn = k / 3 * PI / 8, speed = g * (sin(angle) - mu * cos(angle));
        World *world = touching_world(mu, 0);
        world->gravity = vec3(g * sin(angle) * cos(turn), -g * cos(angle), g * sin(angle) * sin(turn));
        add_floor(world);
        int block = add_box(world, vec3(1, 0.2, 1), 200, vec3(0, 0.1, 0));
        drive_run(world, "lcp", FACETS[k % 3], H, 60);
        assert_vec3_near(world->velocity[block].v, vec3(speed * cos(turn), 0, speed * sin(turn)), 1e-12);
        /* 0.3286 m, and half a step more that semi-implicit Euler makes. */
        assert_near(hypot(world->pose[block].x.x, world->pose[block].x.z), 0.5 * speed * (1.0 + H), 1e-12);
        world_destroy(world);
    }
}

static bool was_said(const Drive *drive, const char *word);

/* A block that slides and spins: no point's friction is weaker than its polygon allows, or stronger than Coulomb's. */
static void friction_between_corners_is_within_the_facets_bound(void **state)
{
    (void)state;
    const int facets[] = {4, 8, 16, 64};
    for (int k = 0; k < 4; k++) {
        World *world = touching_world(0.5, 0);
        add_floor(world);
        int block = add_box(world, vec3(1, 0.2, 0.7), 140, vec3(0, 0.1, 0));
        world->velocity[block] = (Velocity){{1.3, 0, 0.4}, {0, 5.1, 0}};
        Drive drive;
        char options[32];
        snprintf(options, sizeof options, "facets=%d", facets[k]);
        drive_begin(&drive, world, "lcp", options);
        double weakest = 1.0;
        for (int f = 0; f < 10; f++) {
            drive_frame(&drive, H);
            for (int b = 0; b < world->block_count; b += 2) {
                double share = vec3_norm(world->block_impulse[b + 1]) / (0.5 * vec3_norm(world->block_impulse[b]));
                weakest = fmin(weakest, share);
                assert_true(share < 1.0 + 1e-12);
            }
        }
        assert_true(weakest > cos(PI / facets[k]) - 1e-12);
        assert_true(weakest < 1.0 - 1e-6 && was_said(&drive, "between two corners"));
        drive_end(&drive);
        world_destroy(world);
    }
}

static bool was_said(const Drive *drive, const char *word)
{
    for (int i = 0; i < drive->step.event_count; i++)
        if (strstr(drive->step.events[i].what, word))
            return true;
    return false;
}

/* A rod that slides on its lower end with its centre behind: 1 + 3 cos (cos - mu sin) < 0, so that a normal force
 * would press the end into the floor, and no finite force exists. An impulse does. */
static void painleves_rod_gets_an_impulse(void **state)
{
    (void)state;
    const double mus[] = {1.0, 1.4, 2.0, 10.0, 1000.0};
    for (int k = 0; k < 5; k++) {
        double angle = 65 * PI / 180, width = 0.02;
        assert_true(k == 0 || 1 + 3 * cos(angle) * (cos(angle) - mus[k] * sin(angle)) < 0);
        World *world = touching_world(mus[k], 0);
        add_floor(world);
        double height = sin(angle) + 0.5 * width * cos(angle);
        int rod = add_box(world, vec3(2, width, width), 1, vec3(0, height, 0));
        world->pose[rod].q = quat_axis_angle(vec3(0, 0, 1), angle);
        world->velocity[rod].v = vec3(-3, 0, 0);
        double energy = world_kinetic_energy(world);
        Drive drive;
        drive_begin(&drive, world, "lcp", "");
        drive_frame(&drive, H);
        double impulse = normal_impulse(world, 1, rod);
        assert_true(isfinite(impulse) && impulse > 0.0 && impulse < 100.0);
        if (k > 0) /* far more than the weight: it is thrown up, and the end sticks at once */
            assert_true(impulse > 3 * 9.81 * H);
        for (int frame = 0; frame < 60; frame++) {
            drive_frame(&drive, H);
            assert_finite(world);
            assert_true(world_kinetic_energy(world) < energy + 9.81 * height);
        }
        assert_false(was_said(&drive, "softened") || was_said(&drive, "swept"));
        drive_end(&drive);
        world_destroy(world);
    }
}

/* A chain with its joints, let fall on the floor from a slant. */
static World *chain_above_floor(void)
{
    World *world = touching_world(0.6, 0);
    add_floor(world);
    for (int i = 0; i < 5; i++) {
        int link = add_box(world, vec3(0.4, 0.1, 0.1), 1.7 + i, vec3(0.45 * i, 0.07 + 0.01 * i, 0));
        if (i == 0)
            continue;
        JointDef joint = joint_def(JOINT_BALL, link - 1, link);
        joint.anchor[0] = vec3(0.45 * i - 0.225, 0.065 + 0.01 * i, 0);
        build_joint(world, &joint);
    }
    return world;
}

static void a_chain_comes_to_rest_on_the_ground(void **state)
{
    (void)state;
    World *world = chain_above_floor();
    Drive drive;
    drive_begin(&drive, world, "lcp", "");
    for (int frame = 0; frame < 120; frame++)
        drive_frame(&drive, H);
    double weight = 0.0, load = 0.0;
    for (int i = 2; i < world->body_count; i++) {
        weight += 9.81 * world->mass[i].mass;
        load += normal_impulse(world, 1, i) / H;
        assert_true(vec3_norm(world->velocity[i].v) < 1e-6); /* what Baumgarte's rule still takes back */
    }
    assert_near(load, weight, 1e-5 * weight);
    assert_true(worst_violation(world) < 0.005); /* the slop of contacts; joints are far below */
    drive_end(&drive);
    world_destroy(world);
}

static void assert_same_velocities(const World *a, const World *b, double tolerance)
{
    for (int i = 1; i < a->body_count; i++) {
        assert_vec3_near(a->velocity[i].v, b->velocity[i].v, tolerance);
        assert_vec3_near(a->velocity[i].w, b->velocity[i].w, tolerance);
    }
}

static World *boxes_and_balls(Random random)
{
    World *world = touching_world(random_in(&random, 0.1, 0.8), 0);
    add_floor(world);
    for (int i = 0; i < 4; i++) {
        Vec3 at = random_across(&random, -0.3, 0.3, 0.5 + 0.8 * i);
        double mass = random_in(&random, 1, 3);
        int body = i % 2 ? add_ball(world, random_in(&random, 0.2, 0.4), mass, at)
                         : add_box(world, vec3(0.6, 0.4, random_in(&random, 0.5, 0.9)), mass, at);
        world->pose[body].q = random_quat(&random);
        world->velocity[body] = (Velocity){random_vec3(&random, 1), random_vec3(&random, 1)};
    }
    return world;
}

/* One frame; returns the residual that it leaves. */
static double frame_residual(World *world, const char *solver, const char *options)
{
    Drive drive;
    drive_begin(&drive, world, solver, options);
    drive_frame(&drive, H);
    double residual = drive.phases[0].residual(drive.self, &drive.step);
    drive_end(&drive);
    return residual;
}

/* The same rows with the same polygon, swept; returns the residual that is left. */
static double sweep_frame(World *world, int sweeps)
{
    Drive drive;
    Status status;
    RowSystem system;
    drive_begin(&drive, world, "lcp", "");
    drive.step.h = H;
    assert_true(stepper_find_contacts(world, H, &status) && drive.solver->reserve(drive.self, world, &status));
    world_begin_substep(world, H);
    drive.phases[0].enter(drive.self, &drive.step); /* free flight */
    assert_true(row_system_init(&system, world));
    row_system_prepare(&system, world,
                       &(RowSetup){.h = H,
                                   .rate = 0.2 / H,
                                   .relaxation = 1.0,
                                   .friction = FRICTION_FACETS,
                                   .facets = 8,
                                   .slop = 0.005,
                                   .push_speed = 2.0,
                                   .restitution_threshold = 0.05});
    for (int i = 0; i < sweeps; i++)
        row_system_sweep(&system, world->velocity, NULL);
    double residual = row_system_residual(&system, world->velocity);
    row_system_free(&system);
    drive_end(&drive);
    return residual;
}

static double velocities_apart(const World *a, const World *b)
{
    double apart = 0.0;
    for (int i = 1; i < a->body_count; i++) {
        apart = fmax(apart, vec3_norm(vec3_sub(a->velocity[i].v, b->velocity[i].v)));
        apart = fmax(apart, vec3_norm(vec3_sub(a->velocity[i].w, b->velocity[i].w)));
    }
    return apart;
}

/* From states in the middle of a fall one frame is solved by both. Where a face shares its load among points in more
 * than one way, friction has more than one solution, too: in one of the twelve they are some 1e-6 m/s apart. */
static void contacts_move_as_converged_sweeps_move_them(void **state)
{
    (void)state;
    int agree = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        World *world[2];
        for (int k = 0; k < 2; k++) {
            world[k] = boxes_and_balls((Random){seed});
            drive_run(world[k], "lcp", "", H, 15 + 5 * (int)seed);
        }
        double exact = frame_residual(world[0], "lcp", "");
        double swept = sweep_frame(world[1], 10000);
        assert_true(world[0]->block_count > 0);
        assert_true(exact < 1e-11);
        assert_true(swept < 1e-13);
        agree += velocities_apart(world[0], world[1]) < 1e-11; /* residuals over the least eigenvalue, about 0.01 */
        world_destroy(world[0]);
        world_destroy(world[1]);
    }
    assert_true(agree >= 11);
}

/* A limit that is hit, a motor too weak for its speed, a soft joint. */
static World *limited_chain(void)
{
    World *world = world_create();
    Random random = {1618};
    for (int i = 0; i < 4; i++) {
        int body = add_box(world, vec3(0.8, 0.2, 0.3), random_in(&random, 1, 5), vec3(i + 0.5, 0, 0));
        world->velocity[body] = (Velocity){random_vec3(&random, 2), random_vec3(&random, 2)};
        JointDef def = joint_def(i == 2 ? JOINT_MOTOR : i == 3 ? JOINT_FIXED : JOINT_HINGE, body - 1, body);
        def.anchor[0] = vec3(i, 0, 0);
        def.axis = random_unit(&random);
        if (i < 2) {
            def.angle_min = i == 0 ? 0.0 : -0.01;
            def.angle_max = i == 0 ? 0.3 : 0.0;
        }
        if (i == 2) {
            def.speed = 40;
            def.max_torque = 5;
        }
        def.compliance = i == 3 ? 1e-3 : 0.0;
        build_joint(world, &def);
    }
    return world;
}

static void limits_and_weak_motors_move_as_converged_sweeps_move_them(void **state)
{
    (void)state;
    World *world[2] = {limited_chain(), limited_chain()};
    drive_run(world[0], "lcp", "", H, 20);
    drive_run(world[1], "pgs", "iterations=10000", H, 20);
    assert_same_velocities(world[0], world[1], 1e-8); /* 20 frames carry on what 10000 sweeps leave */
    world_destroy(world[0]);
    world_destroy(world[1]);
}

static void rows_that_contradict_each_other_are_softened_and_said(void **state)
{
    (void)state;
    World *world = touching_world(0.5, 0);
    add_floor(world);
    BodyDef lid = BODY_DEF_INIT;
    lid.name = "lid";
    lid.fixed = true;
    lid.shape = (Shape){.kind = SHAPE_PLANE, .normal = {0, -1, 0}, .offset = -0.3};
    build_body(world, &lid);
    int ball = add_ball(world, 0.2, 1.3, vec3(0, 0.15, 0)); /* 0.4 m wide between walls 0.3 m apart */
    Drive drive;
    drive_begin(&drive, world, "lcp", "");
    drive_frame(&drive, H);
    assert_true(was_said(&drive, "softened") && !was_said(&drive, "swept"));
    assert_vec3_near(world->velocity[ball].v, VEC3_ZERO, 1e-3); /* both push alike */
    drive_end(&drive);
    world_destroy(world);
}

/* A block that rests, or slides under load, is the same at both levels: J a + Jdot V >= 0 where gap and speed are
 * closed. A ball that falls is not: a velocity-level gap stops it at the floor, an acceleration-level contact is closed
 * only once it has been run through, and then needs an impact. */
static void acceleration_level_contacts_carry_alike_and_impacts_stand_apart(void **state)
{
    (void)state;
    static const char *const LEVELS[] = {"level=velocity position=none", "level=acceleration position=none"};
    World *world[2], *falls[2];
    double deepest[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world[k] = touching_world(0.3, 0);
        add_floor(world[k]);
        int low = add_box(world[k], vec3(1, 1, 1), 100, vec3(0, 0.5, 0));
        add_box(world[k], vec3(1, 1, 1), 300, vec3(0.1, 1.5, 0));
        world[k]->velocity[low].v = world[k]->velocity[low + 1].v = vec3(1.3, 0, 0.4);
        drive_run(world[k], "lcp", LEVELS[k], H, 10);
        falls[k] = touching_world(0.0, 0.5);
        add_floor(falls[k]);
        int ball = add_ball(falls[k], 0.1, 1.0, vec3(0, 0.6, 0));
        Drive drive;
        drive_begin(&drive, falls[k], "lcp", LEVELS[k]);
        for (int f = 0; f < 30; f++) {
            drive_frame(&drive, H);
            deepest[k] = fmax(deepest[k], 0.1 - falls[k]->pose[ball].x.y);
        }
        drive_end(&drive);
    }
    assert_near(normal_impulse(world[0], 1, 2), 400 * 9.81 * H, 1e-9);
    assert_near(normal_impulse(world[1], 1, 2), 400 * 9.81 * H, 1e-9);
    for (int i = 2; i < world[0]->body_count; i++)
        assert_vec3_near(world[1]->velocity[i].v, world[0]->velocity[i].v, 1e-10);
    assert_true(deepest[0] < 1e-12);
    assert_true(deepest[1] > 1e-3 && deepest[1] < 3.2 * H); /* at most one step at the impact's 3.1 m/s */
    for (int k = 0; k < 2; k++) {
        world_destroy(world[k]);
        world_destroy(falls[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acceleration_level_contacts_carry_alike_and_impacts_stand_apart),
        cmocka_unit_test(interfaces_of_a_stack_carry_the_weight_above),
        cmocka_unit_test(three_balls_share_an_impact),
        cmocka_unit_test(a_box_falling_above_the_floor_feels_no_force),
        cmocka_unit_test(a_block_slips_beyond_the_friction_angle),
        cmocka_unit_test(friction_is_the_same_in_all_directions),
        cmocka_unit_test(friction_between_corners_is_within_the_facets_bound),
        cmocka_unit_test(painleves_rod_gets_an_impulse),
        cmocka_unit_test(a_chain_comes_to_rest_on_the_ground),
        cmocka_unit_test(contacts_move_as_converged_sweeps_move_them),
        cmocka_unit_test(limits_and_weak_motors_move_as_converged_sweeps_move_them),
        cmocka_unit_test(rows_that_contradict_each_other_are_softened_and_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
