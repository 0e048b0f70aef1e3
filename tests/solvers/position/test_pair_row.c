/* J M^-1 J^T of a contact point: the rows at the current poses and the packed rows of the sweeps agree. */
#include "solvers/position/pair_row.h"

#include "model/block_contact.h"
#include "solvers/rows/contact_rows.h"
#include "tests/solvers/contact_worlds.h"

/* Two turned boxes, one pressed into the other; no body of the pair is fixed. */
static World *two_boxes(void)
{
    World *world = contact_world(0.6, 0.0);
    BodyDef low = box_def("low", vec3(0.9, 0.31, 0.7), vec3(0.1, 0, -0.2));
    Quat turned = quat_axis_angle(vec3_unit(vec3(0.1, 1, -0.05)), 0.7);
    Vec3 above = vec3_add(low.position, quat_rotate(turned, vec3(0.03, 0.25, 0.04))); /* 5 mm in */
    BodyDef high = box_def("high", vec3(0.37, 0.2, 0.53), above);
    low.orientation = high.orientation = turned;
    build_body(world, &low);
    build_body(world, &high);
    return world;
}

static void a_point_has_one_coupling_whoever_forms_it(void **state)
{
    (void)state;
    World *world = two_boxes();
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
            arm[k] = vec3_sub(f.at, world->pose[block->body[k]].x);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                PairRow one = pair_row(world, block->body, u[i], arm[0], arm[1]);
                PairRow two = pair_row_of_jacobian(world, block->body, rb->J[j]);
                /* Sums of a dozen products of a few 1/kg: some units in their last place. */
                assert_near(pair_coupling(world, block->body, &one, &two), rb->A[i][j], 1e-14 * rb->A[0][0]);
            }
        points++;
    }
    assert_true(points >= 4);
    row_system_free(&system);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_point_has_one_coupling_whoever_forms_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
