/* SPDX-License-Identifier: MIT */
/* What a sweep does to the rows of a contact point: normal, tangents, packed or not. */
#include "solvers/rows/contact_rows.h"
#include "tests/solvers/contact_worlds.h"

#include <string.h>

static const double DT = 1.0 / 60.0;

/* A flat block slides and spins on the ground with random velocities. */
static World *sliding_block(Random *random, double mu)
{
    World *world = contact_world(mu, 0.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef block = box_def("block", vec3(0.9, 0.1, 0.7), vec3(0, 0.05, 0));
    block.velocity = random_across(random, -3, 3, 0);
    block.angular_velocity = vec3(0, random_in(random, -1, 1), 0);
    build_body(world, &block);
    return world;
}

/* |f| <= mu N at every point, equal and against the slip where it slides (erratum 18). */
static void sliding_points_rub_with_mu_times_load_against_the_slip(void **state)
{
    (void)state;
    const double mu = 0.37;
    for (int k = 0; k < 20; k++) {
        Random random = {(uint64_t)(50 + k)};
        World *world = sliding_block(&random, mu);
        drive_run(world, "pgs", "iterations=200", DT / 10, 2);
        int slides = 0;
        for (int b = 0; b < world->block_count; b += 2) {
            PointImpulse p = point_impulse(world, b);
            BlockError e;
            block_error(world, &world->blocks[b], &e);
            Vec3 slip = world_point_velocity(world, 2, e.arm2);
            slip.y = 0.0;
            assert_true(vec3_norm(p.tangent) <= mu * p.normal * (1 + 1e-12));
            if (vec3_norm(slip) < 0.05 || p.normal < 1e-3)
                continue;
            slides++;
            assert_near(vec3_norm(p.tangent), mu * p.normal, 1e-9 * p.normal);
            /* the slip has turned by what the block moved since the rows were made: |w| h = 1.7e-3 */
            assert_near(vec3_dot(p.tangent, slip), -vec3_norm(p.tangent) * vec3_norm(slip),
                        1e-4 * vec3_norm(p.tangent) * vec3_norm(slip));
        }
        assert_true(slides > 0);
        world_destroy(world);
    }
}

/* What an impulse p at the rod's contact point changes of that point's velocity. */
static Vec3 rod_response(const World *world, int rod, Vec3 arm, Vec3 p)
{
    Vec3 spin = world_inv_inertia_mul(world, rod, vec3_cross(arm, p));
    return vec3_add(vec3_scale(world->mass[rod].inv_mass, p), vec3_cross(spin, arm));
}

/* One sweep of pgs over one point: the normal first, to its end; then both tangents with one step, that of their
 * largest eigenvalue, and back to the disc. The rod's two tangents weigh differently: solved by themselves or together
 * they would not push straight against the slip. */
static void a_sweep_of_pgs_takes_the_normal_then_one_step_of_both_tangents(void **state)
{
    (void)state;
    static const double MU[] = {50.0, 0.1}; /* far from the bound, and at it */
    const double h = 1e-7;                  /* s: no arm moves */
    for (int k = 0; k < 2; k++) {
        World *world = falling_rod();
        int rod = 2;
        world->materials[0].friction = MU[k];
        world->velocity[rod].v = vec3(2, -1, 3);
        drive_run(world, "pgs", "iterations=1", h, 1);
        PointImpulse p = point_impulse(world, world->joint_block_count);
        BlockError e;
        block_error(world, &world->blocks[world->joint_block_count], &e);
        Vec3 arm = e.arm2, x = rod_response(world, rod, arm, vec3(1, 0, 0)),
             z = rod_response(world, rod, arm, vec3(0, 0, 1)), y = rod_response(world, rod, arm, vec3(0, 1, 0));
        double half = 0.5 * (x.x - z.z), largest = 0.5 * (x.x + z.z) + sqrt(half * half + x.z * x.z);
        assert_true(fabs(half) > 0.1 * largest);
        assert_near(p.normal, 1.0 / y.y, 1e-6);
        Vec3 slip = vec3_add_scaled(vec3(2, 0, 3), p.normal, vec3(y.x, 0, y.z));
        Vec3 expected = vec3_scale(-1.0 / largest, slip);
        double size = vec3_norm(expected), bound = MU[k] * p.normal;
        assert_true(k == 0 ? size < bound : size > bound);
        expected = vec3_scale(fmin(1.0, bound / size), expected);
        assert_vec3_near(p.tangent, expected, 1e-5); /* the rod's end is round: the arm's 1 mm */
        world_destroy(world);
    }
}

/* Velocities, multipliers and residual after some sweeps of a block that slides and spins. */
typedef struct Swept {
    Velocity velocity[3];
    double lambda[3 * MANIFOLD_MAX], residual;
} Swept;

static Swept sweep_sliding_block(double mu, const RowSetup *setup, bool unpack)
{
    Random random = {0x5eeb7};
    World *world = sliding_block(&random, mu);
    Drive drive;
    drive_begin(&drive, world, "pgs_block", "");
    drive_frame(&drive, DT);
    RowSystem system;
    assert_true(row_system_init(&system, world));
    world->velocity[2].v.y -= 0.3;
    row_system_prepare(&system, world, setup);
    if (unpack)
        row_system_unpack(&system);
    Swept swept = {0};
    row_system_apply(&system, world->velocity);
    for (int i = 0; i < 3; i++)
        assert_int_equal(row_system_sweep(&system, world->velocity, NULL), mu > 0.0 ? 12 : 4);
    const double *lambda;
    int rows = row_system_multipliers(&system, &lambda);
    memcpy(swept.lambda, lambda, sizeof *lambda * (size_t)rows);
    memcpy(swept.velocity, world->velocity, sizeof swept.velocity);
    swept.residual = row_system_residual(&system, world->velocity);
    assert_true(lambda[0] > 0.0 && swept.residual > 0.0);
    row_system_free(&system);
    drive_end(&drive);
    world_destroy(world);
    return swept;
}

static void packed_rows_do_what_their_blocks_do_to_the_bit(void **state)
{
    (void)state;
    static const double MU[] = {0.0, 0.37};
    for (int k = 0; k < 4; k++) {
        RowSetup setup = warm_setup();
        setup.manifold = k >= 2;
        Swept blocks = sweep_sliding_block(MU[k % 2], &setup, false);
        setup.sweeps_only = true;
        Swept packed = sweep_sliding_block(MU[k % 2], &setup, false);
        assert_memory_equal(&packed, &blocks, sizeof packed);
        setup.sweeps_only = false;
        /* Without friction and manifolds a point is one bounded row, which blocks can sweep too. */
        Swept unpacked = k == 0 ? sweep_sliding_block(0.0, &setup, true) : blocks;
        assert_memory_equal(&unpacked, &blocks, sizeof unpacked);
    }
}

/* One sweep as pgs makes it, written out: of each point the normal, then both tangents by one step, the inverse of the
 * larger eigenvalue of their 2 x 2 matrix, and back to the disc mu lambda_n. */
static void sweep_point_by_point(const RowSystem *system, Velocity *velocity, double mu, double *lambda)
{
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS] = {0}, *own = lambda + BLOCK_MAX_ROWS * b;
        if (rb->count == 0)
            continue;
        row_block_rates(rb, velocity, r);
        d[0] = fmax(own[0] - (r[0] + rb->bias[0]) / rb->A[0][0], 0.0) - own[0];
        own[0] += d[0];
        row_block_push(rb, d, velocity);
        row_block_rates(rb, velocity, r);
        double half = 0.5 * (rb->A[1][1] - rb->A[2][2]);
        double largest = 0.5 * (rb->A[1][1] + rb->A[2][2]) + hypot(half, rb->A[1][2]);
        double u = own[1] - r[1] / largest, v = own[2] - r[2] / largest;
        double scale = fmin(1.0, mu * own[0] / hypot(u, v));
        double change[BLOCK_MAX_ROWS] = {0.0, scale * u - own[1], scale * v - own[2]};
        own[1] = scale * u;
        own[2] = scale * v;
        row_block_push(rb, change, velocity);
    }
}

static void a_points_tangents_take_one_step_back_to_the_disc(void **state)
{
    (void)state;
    const double mu = 0.37;
    for (int k = 0; k < 20; k++) {
        Random random = {(uint64_t)(700 + k)};
        World *world = sliding_block(&random, k % 2 ? mu : 5.0);
        world->velocity[2].v.y = -0.3;
        assert_true(contacts_detect(world) && contacts_add_blocks(world));
        RowSystem system;
        assert_true(row_system_init(&system, world));
        RowSetup setup = warm_setup();
        setup.friction = FRICTION_DISC;
        row_system_prepare(&system, world, &setup);
        Velocity swept[3] = {0}, expected[3] = {0};
        swept[2] = expected[2] = world->velocity[2];
        double lambda[BLOCK_MAX_ROWS * 2 * MANIFOLD_MAX] = {0};
        for (int sweep = 0; sweep < 3; sweep++) {
            sweep_point_by_point(&system, expected, k % 2 ? mu : 5.0, lambda);
            row_system_sweep(&system, swept, NULL);
        }
        assert_vec3_near(swept[2].v, expected[2].v, 1e-13);
        assert_vec3_near(swept[2].w, expected[2].w, 1e-12); /* times 0.5 m over 0.08 m^2 */
        for (int b = 0; b < system.count; b++)
            for (int i = 0; i < system.blocks[b].count; i++)
                assert_near(system.blocks[b].lambda[i], lambda[BLOCK_MAX_ROWS * b + i], 1e-11); /* 63 kg at 1 m/s */
        row_system_free(&system);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_points_rub_with_mu_times_load_against_the_slip),
        cmocka_unit_test(a_sweep_of_pgs_takes_the_normal_then_one_step_of_both_tangents),
        cmocka_unit_test(packed_rows_do_what_their_blocks_do_to_the_bit),
        cmocka_unit_test(a_points_tangents_take_one_step_back_to_the_disc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
