/* Four units of a colour or level at once have the bits of one after the other, whatever their lanes meet: points that
 * stick, slide, push or would pull, fixed bodies, joints of one to three rows, and units that are left over. */
#include "solvers/rows/quad.h"
#include "tests/random.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"

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

/* The same rows, swept twice: by quads, and block by block in the order of the colours or, for levels, of the list. */
static void compare_sweeps(World *world, const char *options, RowSetup setup, bool levels, int quads_at_least)
{
    RowSystem system[2];
    Colouring colouring = {0};
    RowQuads quads = {0};
    drive_run(world, "pgs", options, DT, 3); /* leaves contacts, and impulses to start from */
    int bodies = world->body_count, *order = calloc((size_t)world->block_count, sizeof *order);
    Velocity *velocity = calloc((size_t)bodies, sizeof *velocity);
    memcpy(velocity, world->velocity, sizeof *velocity * (size_t)bodies);
    assert_true(colouring_reserve(&colouring, world) &&
                row_quads_reserve(&quads, world->joint_block_count, world->manifold_count, world->block_count));
    if (levels) {
        colouring_set_levels(&colouring, world);
    } else {
        colouring_set_joints(&colouring, world);
        colouring_set_manifolds(&colouring, world);
        colouring_list(&colouring, world, order);
        setup.manifolds = colouring.manifolds.units;
    }
    for (int k = 0; k < 2; k++) {
        assert_true(row_system_init(&system[k], world));
        row_system_prepare(&system[k], world, &setup);
    }
    (levels ? row_quads_fill_levels : row_quads_fill)(&quads, &system[0], &colouring, NULL);
    assert_true(quads.joints.quad_count + quads.manifolds.quad_count >= quads_at_least);
    for (int s = 0; s < SWEEPS; s++) {
        long rows =
            (levels ? row_system_sweep_levels : row_system_sweep_colours)(&system[0], &quads, NULL, world->velocity);
        assert_int_equal(rows, row_system_sweep(&system[1], velocity, levels ? NULL : order));
        assert_memory_equal(world->velocity, velocity, sizeof *velocity * (size_t)bodies);
    }
    joint_quads_store(&quads, &system[0]);
    assert_int_equal(system[0].rows, system[1].rows);
    for (int k = 0; k < system[0].contact_count; k++)
        assert_memory_equal(system[0].contacts[k].lambda, system[1].contacts[k].lambda,
                            sizeof system[0].contacts->lambda);
    for (int b = 0; b < system[0].joint_count; b++)
        assert_memory_equal(system[0].joints[b].lambda, system[1].joints[b].lambda, sizeof system[0].joints->lambda);
    for (int k = 0; k < 2; k++)
        row_system_free(&system[k]);
    row_quads_free(&quads);
    colouring_free(&colouring);
    free(order);
    free(velocity);
    world_destroy(world);
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
            for (int levels = 0; levels < 2; levels++)
                compare_sweeps(crowd(&random, MU[k]), "iterations=5", setup, levels, m < 2 ? MANY / 4 : 0);
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
        for (int levels = 0; levels < 2; levels++)
            compare_sweeps(crowd(&random, 0.1 + 0.2 * k), "iterations=3 manifold=true", setup, levels, MANY / 4);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_of_points_have_the_bits_of_points_alone),
        cmocka_unit_test(quads_of_manifolds_part_where_one_of_them_would_pull),
        cmocka_unit_test(quads_of_joints_have_the_bits_of_joints_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
