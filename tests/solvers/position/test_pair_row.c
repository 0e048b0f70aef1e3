/* SPDX-License-Identifier: MIT */
/* J M^-1 J^T of a contact point: the rows at the current poses and the packed rows of the sweeps agree. */
#define LANES 1
#include "solvers/position/pair.h"

#include "model/contact/block_contact.h"
#include "solvers/rows/contact_rows.h"
#include "tests/solvers/contact_worlds.h"

/* Two turned boxes, one pressed into the other; no body of the pair is fixed. */
static World *two_boxes(Vec3 size)
{
    World *world = contact_world(0.6, 0.0);
    BodyDef low = box_def("low", vec3(0.9, 0.31, 0.7), vec3(0.1, 0, -0.2));
    Quat turned = quat_axis_angle(vec3_unit(vec3(0.1, 1, -0.05)), 0.7);
    Vec3 above = vec3_add(low.position, quat_rotate(turned, vec3(0.03, 0.25, 0.04))); /* 5 mm in */
    BodyDef high = box_def("high", size, above);
    low.orientation = high.orientation = turned;
    build_body(world, &low);
    build_body(world, &high);
    return world;
}

static void a_point_has_one_coupling_whoever_forms_it(void **state)
{
    (void)state;
    World *world = two_boxes(vec3(0.37, 0.2, 0.53));
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    RowSystem system;
    assert_true(row_system_init(&system, world));
    RowSetup setup = {.h = 1e-3, .relaxation = 1.0, .push_speed = INFINITY};
    row_system_prepare(&system, world, &setup);
    int points = 0;
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        const RowBlock *rb = &system.blocks[b];
        if (block->kind != BLOCK_CONTACT)
            continue;
        ContactFrame f = contact_frame(world, block);
        Vec3 u[3] = {f.n, f.t1, f.t2}, arm[2];
        for (int k = 0; k < 2; k++)
            arm[k] = vec3_sub(f.at[k], world->pose[block->body[k]].x);
        Pair pair = pair_at(world, block->body);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                PairRow one = pair_row(&pair, u[i], both_vec3(arm[0], arm[1]));
                PairRow two = pair_row_of_jacobian(&pair, rb->J[j]);
                /* Sums of a dozen products of a few 1/kg: some units in their last place. */
                assert_near(pair_coupling(&pair, &one, &two), rb->A[i][j], 1e-14 * rb->A[0][0]);
            }
        points++;
    }
    assert_true(points >= 4);
    row_system_free(&system);
    world_destroy(world);
}

/* J V of a row at the world's velocities. */
static double rate(const World *world, const int body[2], const PairRow *row, const Vec3 arm[2])
{
    Vec3 v[2];
    for (int k = 0; k < 2; k++)
        v[k] = world_point_velocity(world, body[k], arm[k]);
    return vec3_dot(row->u, vec3_sub(v[1], v[0]));
}

/* A cube's moments are equal, and its rows are kept in another frame: both must do the same. */
static void an_impulse_and_a_shift_move_their_row_by_its_weight(void **state)
{
    (void)state;
    const Vec3 sizes[2] = {{0.37, 0.2, 0.53}, {0.2, 0.2, 0.2}};
    const Vec3 u = vec3_unit(vec3(0.3, 0.8, -0.2)), arm[2] = {{0.1, 0.2, -0.15}, {-0.07, -0.1, 0.11}};
    const double amount = 1e-6; /* small: a turn is linear in it but for its square */
    for (int i = 0; i < 2; i++) {
        World *world = two_boxes(sizes[i]);
        int body[2] = {world_find_body(world, "low"), world_find_body(world, "high")};
        assert_int_equal(mass_is_even(&world->mass[body[1]]), i == 1);
        Pair pair = pair_at(world, body);
        PairRow row = pair_row(&pair, u, both_vec3(arm[0], arm[1]));
        double weight = pair_weight(&pair, &row), before = rate(world, body, &row, arm);
        BothVelocity V = both_gather_velocities(world->velocity, body);
        pair_kick(&pair, &row, amount, &V);
        pair_store_velocity(world, &pair, true, &V);
        assert_near(rate(world, body, &row, arm) - before, weight * amount, 1e-12 * weight * amount + 1e-15);
        Vec3 local[2], apart[2];
        for (int k = 0; k < 2; k++)
            local[k] = quat_rotate_inverse(world->pose[body[k]].q, arm[k]);
        for (int pass = 0; pass < 2; pass++) {
            apart[pass] = vec3_sub(world_point(world, body[1], local[1]), world_point(world, body[0], local[0]));
            if (pass == 0)
                pair_push_world(world, &pair, &row, 1, &amount);
        }
        assert_near(vec3_dot(u, vec3_sub(apart[1], apart[0])), weight * amount, 1e-4 * weight * amount);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_has_one_coupling_whoever_forms_it),
        cmocka_unit_test(an_impulse_and_a_shift_move_their_row_by_its_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
