/* SPDX-License-Identifier: MIT */
/* The matrix of the slide (003), solved as it stands, against the equations it was made from and its Schur complement.
 */
#include "solvers/systems/lagrange.h"
#include "tests/solvers/mechanisms.h"
#include "tests/solvers/worlds.h"
#include "tests/support/drive.h"

#include <string.h>

static const double DT = 1.0 / 60.0;

/* Boxes, turned and moving, on a ball joint, a hinge and a rod to a particle. */
static World *random_mechanism(Random *random)
{
    World *world = build_hinged_chain(random);
    int particle = mechanism_add_particle(world, random_vec3(random, 2.0), 0.7);
    mechanism_tie(world, 3, particle);
    return world;
}

/* M a = f + J^T lambda of every body, and J a = -k of every row. */
static void the_whole_matrix_solves_the_equations_of_motion(void **state)
{
    (void)state;
    Random random = {41517};
    World *world = random_mechanism(&random);
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    Lagrange lagrange;
    assert_true(lagrange_init(&lagrange, world, &options, false) && lagrange_keep_whole(&lagrange, world));
    lagrange_accelerate(&lagrange, world, &(LagrangeSetup){0});
    assert_false(lagrange.whole_lost);
    Vec3 force[8] = {{0}}, torque[8] = {{0}};
    double scale = 0.0;
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lagrange.rows.blocks[b];
        double rates[BLOCK_MAX_ROWS], k[BLOCK_MAX_ROWS];
        row_block_rates(rb, lagrange.acceleration, rates);
        block_rows_bias(world, &world->blocks[b], k);
        for (int i = 0; i < rb->count; i++) {
            assert_near(rates[i] + k[i], 0.0, 1e-10); /* accelerations of 1e2, a condition of 1e3 */
            scale = fmax(scale, fabs(rb->lambda[i]));
            for (int s = 0; s < 2; s++) {
                const double *j = rb->J[i] + 6 * s;
                int body = rb->body[s];
                force[body] = vec3_add_scaled(force[body], rb->lambda[i], vec3(j[0], j[1], j[2]));
                torque[body] = vec3_add_scaled(torque[body], rb->lambda[i], vec3(j[3], j[4], j[5]));
            }
        }
    }
    for (int i = 1; i < world->body_count; i++) {
        Velocity change = {vec3_sub(lagrange.acceleration[i].v, lagrange.free[i].v),
                           vec3_sub(lagrange.acceleration[i].w, lagrange.free[i].w)};
        Vec3 moved = vec3_scale(world->mass[i].inv_mass, force[i]), turned = world_inv_inertia_mul(world, i, torque[i]);
        /* Inverse masses and inertias are below 1e2 here. */
        assert_vec3_near(change.v, moved, 1e-11 * scale);
        assert_vec3_near(change.w, turned, 1e-11 * scale);
    }
    lagrange_free(&lagrange);
    world_destroy(world);
}

/* The slide's ball joint: f = -M_rr a_r at rest is the weight times what the lever leaves of it. A rod of length l on
 * its end, held out level, is carried with m g / 4. */
static void a_level_rod_is_carried_with_a_quarter_of_its_weight(void **state)
{
    (void)state;
    World *world = mechanism_rods(1, 1.0, false);
    /* A thin rod's 1/12 m l^2, so that the quarter is exact. */
    double mass = world->mass[1].mass;
    world->mass[1].inertia = vec3(1e-3, mass / 12, mass / 12);
    world->mass[1].inv_inertia = vec3(1e3, 12 / mass, 12 / mass);
    Drive drive;
    drive_begin(&drive, world, "kkt", "form=kkt stabilise=none integrator=forward");
    drive_frame(&drive, 1e-3);
    Vec3 impulse = world->block_impulse[0];
    assert_vec3_near(impulse, vec3(0, 1e-3 * mass * 9.81 / 4, 0), 1e-14 * mass); /* round-off */
    assert_int_equal(drive.step.event_count, 0);
    drive_end(&drive);
    world_destroy(world);
}

/* Every kind of joint, limit and drive: the same motion and the same reactions. */
static void both_forms_give_one_motion(void **state)
{
    (void)state;
    for (int c = 0; c < JOINT_CASE_COUNT; c++) {
        World *worlds[2];
        for (int k = 0; k < 2; k++) {
            worlds[k] = mechanism_joint_case(&JOINT_CASES[c]);
            drive_run(worlds[k], "kkt", k == 0 ? "form=schur" : "form=kkt", DT, 20);
        }
        /* Two stable solves of one system, conditions up to 1e4, twenty steps. */
        for (int i = 1; i < worlds[0]->body_count; i++) {
            assert_vec3_near(worlds[0]->pose[i].x, worlds[1]->pose[i].x, 1e-9);
            assert_vec3_near(worlds[0]->velocity[i].w, worlds[1]->velocity[i].w, 1e-8);
        }
        double scale = 1.0;
        for (int b = 0; b < worlds[0]->block_count; b++)
            scale = fmax(scale, vec3_norm(worlds[0]->block_impulse[b]));
        for (int b = 0; b < worlds[0]->block_count; b++)
            assert_vec3_near(worlds[0]->block_impulse[b], worlds[1]->block_impulse[b], 1e-8 * scale);
        world_destroy(worlds[0]);
        world_destroy(worlds[1]);
    }
}

static void a_singular_matrix_is_said_and_solved_by_its_complement(void **state)
{
    (void)state;
    World *worlds[2];
    bool said = false;
    for (int k = 0; k < 2; k++) {
        worlds[k] = mechanism_rods(2, 1.0, false);
        mechanism_join(worlds[k], JOINT_BALL, 1, 2, vec3(1, 0, 0)); /* once more */
        Drive drive;
        drive_begin(&drive, worlds[k], "kkt", k == 0 ? "form=schur" : "form=kkt");
        for (int frame = 0; frame < 10; frame++)
            drive_frame(&drive, DT);
        for (int e = 0; e < drive.step.event_count; e++)
            said = said || strstr(drive.step.events[e].what, "the KKT matrix is singular");
        drive_end(&drive);
    }
    assert_true(said);
    for (int i = 1; i <= 2; i++)
        assert_memory_equal(&worlds[0]->pose[i], &worlds[1]->pose[i], sizeof(Pose)); /* the same solve */
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_matrix_solves_the_equations_of_motion),
        cmocka_unit_test(a_level_rod_is_carried_with_a_quarter_of_its_weight),
        cmocka_unit_test(both_forms_give_one_motion),
        cmocka_unit_test(a_singular_matrix_is_said_and_solved_by_its_complement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
