/* SPDX-License-Identifier: MIT */
/* Four units of a colour or list at once have the bits of one after the other, whatever their lanes meet: points that
 * stick, slide, push or would pull, fixed bodies, joints of one to three rows, and units that are left over. */
#include "solvers/rows/row_schedule.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/random.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double DT = 1.0 / 60.0;
enum { SWEEPS = 20, MANY = 64 };

/* Boxes in pairs, one on the other, and spheres beside them, on a plane; all spin and slide. */
static World *crowd(Random *random, double mu)
{
    World *world = contact_world(mu, 0.0);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < MANY; i++) {
        Vec3 at = vec3(3.0 * (i % 8), 0.5, 3.0 * (i / 8));
        char name[2][16];
        snprintf(name[0], sizeof name[0], "lower%d", i);
        snprintf(name[1], sizeof name[1], "upper%d", i);
        BodyDef lower = i % 3 == 2 ? sphere_def(name[0], 0.5, at) : box_def(name[0], vec3(1, 1, 1), at);
        BodyDef upper = lower;
        upper.name = name[1];
        upper.position.y += 0.999;
        lower.velocity = random_vec3(random, 1.0);
        lower.angular_velocity = random_vec3(random, 1.0);
        upper.velocity = random_vec3(random, 1.0);
        build_body(world, &lower);
        build_body(world, &upper);
    }
    return world;
}

/* One system in quads, another whose rows stand one by one. */
typedef struct Twins {
    World *world;
    RowSchedule quads;
    RowSystem system[2];
    Velocity *velocity[2];
    int *order; /* of the blocks, by colour; NULL: the list */
} Twins;

static void twins_prepare(Twins *twins, RowSetup setup, bool list)
{
    World *world = twins->world;
    size_t bodies = (size_t)world->body_count;
    assert_true(row_schedule_reserve(&twins->quads, world));
    row_schedule_manifolds(&twins->quads, world, &setup, !list);
    for (int k = 0; k < 2; k++) {
        setup.quads = k == 0 ? &twins->quads : NULL;
        assert_true(row_system_init(&twins->system[k], world));
        row_system_prepare(&twins->system[k], world, &setup);
        twins->velocity[k] = calloc(bodies, sizeof *twins->velocity[k]);
        memcpy(twins->velocity[k], world->velocity, sizeof *twins->velocity[k] * bodies);
    }
    row_schedule_joints(&twins->quads, &twins->system[0], world, !list);
    if (!list) {
        twins->order = calloc((size_t)world->block_count, sizeof *twins->order);
        schedule_list_blocks(&twins->quads.joints, &twins->quads.manifolds, world, twins->order);
    }
}

static void twins_free(Twins *twins)
{
    for (int k = 0; k < 2; k++) {
        row_system_free(&twins->system[k]);
        free(twins->velocity[k]);
    }
    row_schedule_free(&twins->quads);
    free(twins->order);
    world_destroy(twins->world);
}

/* What others get to see: the norm of b, the residual, multipliers, and impulses on bodies. */
static void twins_compare_results(Twins *twins)
{
    World *world = twins->world;
    const double *lambda[2];
    double residual[2];
    Vec3 *impulse = calloc((size_t)world->block_count, sizeof *impulse);
    assert_int_equal(twins->system[0].rows, twins->system[1].rows);
    assert_memory_equal(&twins->system[0].b_norm, &twins->system[1].b_norm, sizeof(double));
    for (int k = 0; k < 2; k++)
        residual[k] = row_system_residual(&twins->system[k], twins->velocity[k]);
    assert_memory_equal(&residual[0], &residual[1], sizeof residual[0]);
    row_system_store_impulses(&twins->system[0], world);
    memcpy(impulse, world->block_impulse, sizeof *impulse * (size_t)world->block_count);
    row_system_store_impulses(&twins->system[1], world);
    assert_memory_equal(impulse, world->block_impulse, sizeof *impulse * (size_t)world->block_count);
    int count = row_system_multipliers(&twins->system[0], &lambda[0]);
    assert_int_equal(count, row_system_multipliers(&twins->system[1], &lambda[1]));
    assert_memory_equal(lambda[0], lambda[1], sizeof **lambda * (size_t)count);
    free(impulse);
}

static void twins_sweep(Twins *twins, int sweeps)
{
    size_t bytes = sizeof(Velocity) * (size_t)twins->world->body_count;
    for (int s = 0; s < sweeps; s++) {
        long rows = row_schedule_sweep(&twins->system[0], NULL, twins->velocity[0]);
        assert_int_equal(rows, row_system_sweep(&twins->system[1], twins->velocity[1], twins->order));
        assert_memory_equal(twins->velocity[0], twins->velocity[1], bytes);
    }
}

/* The same rows, swept twice: by quads, and block by block in the order of the colours or of the list. */
static void compare_sweeps(World *world, const char *options, RowSetup setup, bool list, int quads_at_least)
{
    Twins twins = {.world = world};
    drive_run(world, "pgs", options, DT, 3); /* leaves contacts, and impulses to start from */
    twins_prepare(&twins, setup, list);
    size_t bytes = sizeof(Velocity) * (size_t)world->body_count;
    assert_true(twins.quads.joints.quad_count + twins.quads.manifolds.quad_count >= quads_at_least);
    row_schedule_apply(&twins.system[0], NULL, twins.velocity[0]);
    if (list) { /* by colour the order of the joints is another */
        row_system_apply(&twins.system[1], twins.velocity[1]);
        assert_memory_equal(twins.velocity[0], twins.velocity[1], bytes);
    }
    memcpy(twins.velocity[1], twins.velocity[0], bytes);
    twins_sweep(&twins, SWEEPS);
    twins_compare_results(&twins);
    twins_free(&twins);
}

static void quads_of_points_have_the_bits_of_points_alone(void **state)
{
    (void)state;
    static const FrictionModel MODELS[] = {FRICTION_DISC, FRICTION_CONE, FRICTION_PYRAMID};
    static const double MU[] = {0.05, 0.6};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 2; k++) {
            Random random = {(uint64_t)(0x9ad + 10 * m + k)};
            RowSetup setup = warm_setup();
            setup.friction = MODELS[m];
            setup.relaxation = 1.2;
            for (int list = 0; list < 2; list++)
                compare_sweeps(crowd(&random, MU[k]), "iterations=5", setup, list, m < 2 ? MANY / 4 : 0);
        }
}

static void quads_of_manifolds_part_where_one_of_them_would_pull(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        Random random = {(uint64_t)(0x77c + k)};
        RowSetup setup = warm_setup();
        setup.manifold = true;
        setup.soft_contact = soft_rows(k % 2 ? 30.0 : 0.0, 1.0, DT);
        for (int list = 0; list < 2; list++)
            compare_sweeps(crowd(&random, 0.1 + 0.2 * k), "iterations=3 manifold=true", setup, list, MANY / 4);
    }
}

/* Biases that change between sweeps, blocks that others look at, and rows once the quads are left. */
static void quads_follow_what_is_done_to_their_rows(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        Random random = {(uint64_t)(0x51d + k)};
        bool list = k % 2;
        RowSetup setup = warm_setup();
        setup.manifold = k / 2;
        setup.sweeps_only = false;
        setup.rate = 0.2 / DT;
        setup.slop = 0.0;
        Twins twins = {.world = crowd(&random, 0.4)};
        drive_run(twins.world, "pgs", "iterations=3", DT, 3);
        twins_prepare(&twins, setup, list);
        const RowBlock *block[2] = {twins.system[0].blocks, twins.system[1].blocks};
        for (int b = 0; b < twins.world->block_count; b++)
            assert_int_equal(block[0][b].count, block[1][b].count);
        twins_sweep(&twins, 3);
        for (int i = 0; i < 2; i++)
            row_system_drop_errors(&twins.system[i], &setup);
        twins_sweep(&twins, 3);
        row_system_leave_quads(&twins.system[0]);
        assert_null(twins.system[0].quads);
        const ContactRow *row[2] = {twins.system[0].contacts, twins.system[1].contacts};
        for (int c = 0; c < twins.system[0].contact_count; c++)
            assert_memory_equal(row[0][c].lambda, row[1][c].lambda, sizeof *row[0] - offsetof(ContactRow, lambda));
        twins_free(&twins);
    }
}

static void quads_of_joints_have_the_bits_of_joints_alone(void **state)
{
    (void)state;
    RowSetup setup = {.h = DT, .rate = 0.2 / DT, .relaxation = 1.0, .keep = 1.0};
    compare_sweeps(mechanism_rods(29, 0.5, false), "iterations=2", setup, false, 6);
    setup.whole = true;
    compare_sweeps(mechanism_rods(29, 0.5, true), "iterations=2", setup, false, 6);
    compare_sweeps(mechanism_particles(41, vec3(0.31, 0.05, -0.1), 0.7), "iterations=2", setup, false, 9);
}

enum { SIDE = 6 };

static bool manifolds_share(const World *world, int one, int two)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int body = world->manifolds[one].body[i];
            if (body == world->manifolds[two].body[j] && !world_is_fixed(world, body))
                return true;
        }
    return false;
}

/* The level of each unit, every one of which is there once. */
static void levels_of_units(const Schedule *colours, int units, int level[])
{
    int seen = 0;
    for (int m = 0; m < units; m++)
        level[m] = -1;
    for (int c = 0; c < colours->count; c++) {
        for (int q = colours->start[c]; q < colours->start[c + 1]; q++)
            for (int i = 0; i < colours->quads[q].lanes; i++, seen++)
                level[colours->quads[q].unit[i]] = c;
        for (int k = colours->rest_start[c]; k < colours->rest_start[c + 1]; k++, seen++)
            level[colours->rest[k]] = c;
    }
    assert_int_equal(seen, units);
    for (int m = 0; m < units; m++)
        assert_true(level[m] >= 0);
}

/* Of spheres in a square that touch their neighbours: a unit comes after every earlier one that it shares a moving body
 * with; nearly all are in quads. */
static void a_list_in_quads_keeps_its_order(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < SIDE * SIDE; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        BodyDef def = sphere_def(name, 0.5, vec3(0.99 * (i % SIDE), 0.5, 0.99 * (double)(i / SIDE)));
        build_body(world, &def);
    }
    drive_run(world, "pgs", "", DT, 1);
    int units = world->manifold_count, level[3 * SIDE * SIDE];
    assert_int_equal(units, SIDE * SIDE + 2 * SIDE * (SIDE - 1));
    RowSchedule quads = {0};
    RowSetup setup = warm_setup();
    assert_true(row_schedule_reserve(&quads, world));
    row_schedule_manifolds(&quads, world, &setup, false);
    assert_true(quads.manifolds.quad_count > 0);
    levels_of_units(&quads.manifolds, units, level);
    for (int m = 0; m < units; m++)
        for (int e = 0; e < m; e++)
            assert_true(!manifolds_share(world, m, e) || level[e] < level[m]);
    assert_true(quads.manifolds.rest_start[quads.manifolds.count] < units / 10);
    row_schedule_free(&quads);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_of_points_have_the_bits_of_points_alone),
        cmocka_unit_test(quads_of_manifolds_part_where_one_of_them_would_pull),
        cmocka_unit_test(quads_follow_what_is_done_to_their_rows),
        cmocka_unit_test(quads_of_joints_have_the_bits_of_joints_alone),
        cmocka_unit_test(a_list_in_quads_keeps_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
