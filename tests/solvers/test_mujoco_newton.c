/* SPDX-License-Identifier: MIT */
/* What MuJoCo's soft contacts and joints do on cases with a closed form. The solution itself: convex/test_convex.c. */
#include "solvers/convex/impedance.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/support/check.h"

#include <string.h>

static const double H = 1.0 / 240;
static const Impedance DEFAULT = {0.02, 1.0, 0.9, 0.95, 0.001, 0.5, 2.0};

static void impedance_rises_over_the_width(void **state)
{
    (void)state;
    static const double AT[][2] = {{0.0, 0.9}, {-0.00025, 0.90625}, {0.0005, 0.925}, {0.00075, 0.94375}, {-0.3, 0.95}};
    for (size_t i = 0; i < sizeof AT / sizeof AT[0]; i++)
        assert_near(impedance_at(&DEFAULT, AT[i][0]), AT[i][1], 1e-15);
    assert_near(impedance_stiffness(&DEFAULT, 1e-3), 1.0 / (0.95 * 0.95 * 4e-4), 1e-9);
    assert_near(impedance_damping(&DEFAULT, 1e-3), 2.0 / (0.95 * 0.02), 1e-12);
    assert_near(impedance_damping(&DEFAULT, 0.05), 2.0 / (0.95 * 0.1), 1e-12); /* two steps at the least */
}

/* At rest a = 0, so the contact gives f = D K d |r| = m g with D = d m/(1 - d): g (1 - d) = K d^2 |r|. A pyramid has
 * four facets, each with 1/D = 2 mu^2 (1 - d)(1 + mu^2)/(d m), mu^2 divided by impratio: g (1 - d) = 2 K d^2 |r|/(mu^2
 * (1 + mu_0^2)). */
static void a_ball_rests_where_its_impedance_says(void **state)
{
    (void)state;
    static const struct {
        double mu;
        const char *options;
        double facets; /* what 4/(2 mu^2 (1 + mu_0^2)) is */
    } CASES[] = {{0.0, "", 1.0},
                 {0.5, "cone=elliptic impratio=3", 1.0},
                 {0.5, "", 2.0 / (0.25 * 1.25)},
                 {0.5, "impratio=4", 2.0 / (0.0625 * 1.25)}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        World *world = contact_world(CASES[i].mu, 0.0);
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.5, vec3(0, 0.5, 0));
        int body = build_body(world, &ball);
        drive_run(world, "mujoco_newton", CASES[i].options, H, 480);
        double r = 0.5 - world->pose[body].x.y, d = impedance_at(&DEFAULT, r), K = impedance_stiffness(&DEFAULT, H);
        assert_true(r > 1e-6);
        assert_near(CASES[i].facets * K * d * d * r, 9.81 * (1.0 - d), 1e-9);
        assert_near(contact_impulse(world).y / H, 9.81 * world->mass[body].mass, 1e-6);
        world_destroy(world);
    }
}

/* Regularised friction creeps: R f = -B v_t - a_t never lets a held block rest. */
static void a_block_creeps_below_the_friction_angle(void **state)
{
    (void)state;
    static const char *const CONES[] = {"cone=elliptic diagonal=exact", "cone=pyramidal"};
    for (int k = 0; k < 2; k++) {
        World *world = block_on_slope(0.38, 0.5);
        drive_run(world, "mujoco_newton", CONES[k], H, 240);
        double v = vec3_norm(world->velocity[2].v);
        assert_true(v > 1e-6 && v < 0.02);
        world_destroy(world);
    }
}

/* What slides is braked by mu times the load: by the pyramid's share of it where the slip lies between two facets. */
static void friction_is_mu_times_the_load_where_it_slides(void **state)
{
    (void)state;
    static const char *const CONES[] = {"cone=elliptic", "cone=pyramidal"};
    for (int k = 0; k < 2; k++) {
        World *world = block_on_slope(0.7, 0.5);
        Drive drive;
        double load = 0.0, held = 0.0;
        drive_begin(&drive, world, "mujoco_newton", CONES[k]);
        for (int f = 0; f < 120; f++) {
            drive_frame(&drive, H);
            for (int b = world->joint_block_count; b < world->block_count && f > 10; b += 2) {
                PointImpulse p = point_impulse(world, b);
                assert_true(p.normal >= 0.0 && vec3_norm(p.tangent) <= 0.5 * p.normal * (1.0 + 1e-9));
                load += p.normal;
                held += vec3_norm(p.tangent);
            }
        }
        drive_end(&drive);
        assert_true(load > 0.0);
        if (k == 0)
            assert_near(held, 0.5 * load, 1e-6 * load); /* what the tolerance of 1e-8 leaves */
        else
            assert_true(held > 0.5 * load * sqrt(0.5));
        world_destroy(world);
    }
}

static void restitution_and_compliance_are_refused_by_name(void **state)
{
    (void)state;
    const Solver *solver = drive_find("mujoco_newton");
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    Stepper stepper;
    Status status = {0};
    settings_init(solver->settings, solver->setting_count, options);
    World *world = contact_world(0.5, 0.3);
    assert_false(stepper_begin(&stepper, solver, options, world, H, DETECT_SUBSTEP, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "no restitution"));
    world_destroy(world);
    world = particle_chain(1, 1.0, 1.0, 1.0, vec3(0, -1, 0));
    joint_terms(&world->blocks[0])->compliance = 0.1;
    assert_false(stepper_begin(&stepper, solver, options, world, H, DETECT_SUBSTEP, &status));
    assert_non_null(strstr(status.message, "compliance"));
    world_destroy(world);
}

/* A patch resists spin with a torque of at most 2/3 mu R N. */
static void a_patch_brakes_a_spin(void **state)
{
    (void)state;
    World *world = contact_world(0.3, 0.0);
    world->materials[0].patch_radius = 0.2;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.5, vec3(0, 0.5, 0));
    ball.angular_velocity = vec3(0, 3, 0);
    int body = build_body(world, &ball);
    double I = world->mass[body].inertia.y;
    Drive drive;
    double load = 0.0, torque = 0.0;
    drive_begin(&drive, world, "mujoco_newton", "cone=elliptic");
    for (int f = 0; f < 60; f++) {
        double w = world->velocity[body].w.y;
        drive_frame(&drive, H);
        if (world->manifold_count == 0)
            continue;
        double given = world->block_impulse[world->manifolds[0].torsion].y;
        load += world->block_impulse[world->manifolds[0].first].y;
        torque += given;
        assert_near(I * (world->velocity[body].w.y - w), given, 1e-9 * I);
    }
    drive_end(&drive);
    assert_true(load > 0.0);
    assert_near(-torque, 2.0 / 3.0 * 0.3 * 0.2 * load, 1e-6 * load);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impedance_rises_over_the_width),
        cmocka_unit_test(a_ball_rests_where_its_impedance_says),
        cmocka_unit_test(a_block_creeps_below_the_friction_angle),
        cmocka_unit_test(friction_is_mu_times_the_load_where_it_slides),
        cmocka_unit_test(restitution_and_compliance_are_refused_by_name),
        cmocka_unit_test(a_patch_brakes_a_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
