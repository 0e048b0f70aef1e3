/* SPDX-License-Identifier: MIT */
/* The matrix and the matrix-free form are the same iteration. */
#include "tests/solvers/contact_worlds.h"

#include <string.h>

/* A chain of boxes on all kinds of joints, with limits, a motor, a soft joint and four particles of constant volume. */
static World *machine(void)
{
    static const JointType TYPES[5] = {JOINT_BALL, JOINT_HINGE, JOINT_MOTOR, JOINT_PRISMATIC, JOINT_FIXED};
    Random random = {90125};
    World *world = world_create();
    for (int i = 0; i < 5; i++) {
        int body = build_random_box(world, &random, "box");
        JointDef def = joint_def(TYPES[i], body - 1, body);
        def.anchor[0] = random_vec3(&random, 1.0);
        def.axis = random_unit(&random);
        def.compliance = i == 4 ? 1e-4 : 0.0;
        if (i == 1)
            def.angle_min = -0.01;
        if (i == 2) {
            def.speed = 2.5;
            def.max_torque = 3.0;
        }
        build_joint(world, &def);
    }
    JointDef volume = joint_def(JOINT_VOLUME, 0, 0);
    for (int i = 0; i < 4; i++)
        volume.body[i] = build_random_particle(world, &random, "particle");
    volume.rest = 0.7;
    build_joint(world, &volume);
    return world;
}

static void assert_same_motion(const char *options)
{
    World *dense = machine(), *free_form = machine();
    Drive one, two;
    drive_begin(&one, dense, "pgs_dense", options);
    drive_begin(&two, free_form, "pgs", options);
    for (int frame = 0; frame < 5; frame++) {
        drive_frame(&one, 1.0 / 60);
        drive_frame(&two, 1.0 / 60);
    }
    assert_int_equal(one.step.row_solves, two.step.row_solves);
    /* Sums in another order: round-off of impulses of order 1 that a hundred sweeps carry on. */
    const double *a, *b;
    int rows = one.solver->multipliers(one.self, &a);
    assert_int_equal(two.solver->multipliers(two.self, &b), rows);
    for (int i = 0; i < rows; i++)
        assert_near(a[i], b[i], 1e-11);
    for (int i = 1; i < dense->body_count; i++) {
        assert_vec3_near(dense->pose[i].x, free_form->pose[i].x, 1e-12);
        assert_vec3_near(dense->velocity[i].w, free_form->velocity[i].w, 1e-11);
    }
    double residual = one.phases[0].residual(one.self, &one.step);
    assert_true(residual > 0.0 && residual < 1.0);
    drive_end(&one);
    drive_end(&two);
    world_destroy(dense);
    world_destroy(free_form);
}

static void solves_like_pgs_to_round_off(void **state)
{
    (void)state;
    assert_same_motion("");
    assert_same_motion("iterations=7 warm_start=false relaxation=1.3");
    assert_same_motion("iterations=3 relax=2 warm_share=0.9");
    assert_same_motion("iterations=11 position=none substeps=3");
}

static void residual_is_that_of_pgs(void **state)
{
    (void)state;
    World *worlds[2] = {machine(), machine()};
    const char *names[2] = {"pgs_dense", "pgs"};
    double residual[2][6];
    for (int k = 0; k < 2; k++) {
        Drive drive;
        drive_begin(&drive, worlds[k], names[k], "");
        drive.step.h = 1.0 / 60;
        world_begin_substep(worlds[k], drive.step.h);
        drive.phases[0].enter(drive.self, &drive.step);
        for (int i = 0; i < 6; i++) {
            residual[k][i] = drive.phases[0].residual(drive.self, &drive.step);
            drive.phases[0].iterate(drive.self, &drive.step);
        }
        drive_end(&drive);
        world_destroy(worlds[k]);
    }
    for (int i = 0; i < 6; i++)
        assert_near(residual[0][i], residual[1][i], 1e-12); /* round-off of numbers below 1 */
}

static void too_many_rows_are_refused(void **state)
{
    (void)state;
    World *world = particle_chain(10001, 0.1, 1.0, 1.0, vec3(1, 0, 0));
    static const char *const DENSE[] = {"pgs_dense", "kkt"};
    for (int k = 0; k < 2; k++) {
        const Solver *solver = drive_find(DENSE[k]);
        double options[SETTINGS_MAX_BYTES / sizeof(double)] = {0};
        Status status = {0};
        settings_init(solver->settings, solver->setting_count, options);
        assert_null(solver->create(&(SolverTask){solver, world, options, 1.0 / 60.0, false}, &status));
        assert_int_equal(status.code, STATUS_UNSUPPORTED);
        assert_non_null(strstr(status.message, "10001"));
    }
    world_destroy(world);
}

/* Boxes that slide, bounce and lean on a floor: normals, tangents and the cache, with either bound of friction. */
static void contacts_are_rows_like_all_others(void **state)
{
    (void)state;
    static const char *const BOUNDS[] = {"friction=box", "friction=pyramid"};
    for (int k = 0; k < 2; k++) {
        World *world[2];
        for (int w = 0; w < 2; w++) {
            char options[96];
            world[w] = contact_world(0.4, 0.3);
            add_plane(world[w], vec3(0, 1, 0));
            for (int i = 0; i < 3; i++) {
                BodyDef box = box_def(i == 0   ? "a"
                                      : i == 1 ? "b"
                                               : "c",
                                      vec3(0.6, 0.3, 0.5), vec3(0.1 * i, 0.16 + 0.32 * i, 0));
                box.velocity = vec3(0.7 - 0.4 * i, 0, 0.3);
                box.angular_velocity = vec3(0, 0.9 * i, 0);
                build_body(world[w], &box);
            }
            snprintf(options, sizeof options, "slop=0 push_speed=inf %s%s", BOUNDS[k], w ? " manifold=false" : "");
            drive_run(world[w], w ? "pgs" : "pgs_dense", options, 1.0 / 60, 40);
            assert_true(world[w]->block_count >= 12);
        }
        for (int i = 2; i < world[0]->body_count; i++) {
            /* Sums in another order; contacts that open and close carry round-off on. */
            assert_vec3_near(world[0]->pose[i].x, world[1]->pose[i].x, 1e-9);
            assert_vec3_near(world[0]->velocity[i].w, world[1]->velocity[i].w, 1e-8);
        }
        world_destroy(world[0]);
        world_destroy(world[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_rows_like_all_others),
        cmocka_unit_test(solves_like_pgs_to_round_off),
        cmocka_unit_test(residual_is_that_of_pgs),
        cmocka_unit_test(too_many_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
