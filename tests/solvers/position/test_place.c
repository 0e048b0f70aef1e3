/* Where contacts are, for both bodies at once, against the model's evaluation of one block: to the bit. */
#include "solvers/position/place.h"

#include "solvers/position/pair_row.h"
#include "tests/solvers/contact_worlds.h"

#include <string.h>

static BodyDef round_def(const char *name, ShapeKind kind, Vec3 position)
{
    BodyDef def = sphere_def(name, 0.3, position);
    def.shape = (Shape){.kind = kind, .radius = 0.3, .length = 0.8};
    def.orientation = quat_axis_angle(vec3(1, 0, 0), 0.5 * PI); /* it lies */
    return def;
}

/* Each pair of surfaces touches somewhere: spheres, faces, corners, sides that roll. */
static World *crowded_world(void)
{
    World *world = contact_world(0.7, 0.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef bodies[] = {
        sphere_def("ball", 0.4, vec3(0, 0.397, 0)),
        sphere_def("upper ball", 0.4, vec3(0.11, 1.18, 0.07)),
        box_def("box", vec3(0.9, 0.5, 0.7), vec3(3, 0.247, 0)),
        box_def("upper box", vec3(0.4, 0.4, 0.6), vec3(3.1, 0.693, 0.05)),
        round_def("capsule", SHAPE_CAPSULE, vec3(6, 0.296, 0)),
        round_def("cylinder", SHAPE_CYLINDER, vec3(9, 0.296, 0)),
        round_def("upper cylinder", SHAPE_CYLINDER, vec3(9.1, 0.887, 0.03)),
    };
    bodies[3].orientation = quat_axis_angle(vec3(0, 1, 0), 0.4);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        build_body(world, &bodies[i]);
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    return world;
}

/* Turns and shifts every moving body a little, each in its own way; where they were is kept as before the substep. */
static void stir(World *world)
{
    memcpy(world->pose_before, world->pose, sizeof *world->pose * (size_t)world->body_count);
    for (int i = 1; i < world->body_count; i++) {
        Vec3 turn = vec3(0.013 * i, -0.021, 0.017 * (i % 3));
        if (world_is_fixed(world, i))
            continue;
        world->pose[i].q = quat_nudge_world(world->pose[i].q, turn);
        world->pose[i].x = vec3_add(world->pose[i].x, vec3(0.0031 * i, -0.0017, 0.0023 * (i % 2)));
    }
}

static void assert_same(Vec3 a, Vec3 b)
{
    assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
}

static void contacts_are_where_the_model_has_them(void **state)
{
    (void)state;
    World *world = crowded_world();
    int carriers[3] = {0}, rolling = 0;
    stir(world);
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block->kind != BLOCK_CONTACT)
            continue;
        TwoPose pose = two_pose(world->pose, block->body);
        TwoTravel travel = place_travel(world, block->body, &pose);
        Place place = place_contact(world, block, world->pose, &pose);
        ContactFrame frame = contact_frame(world, block);
        BlockError error, slip;
        Vec3 t[2];
        contact_error(world, block, &error);
        friction_error(world, block, &slip);
        place_tangents(block, place.n, t);
        assert_same(place.n, frame.n);
        assert_same(place.at, frame.at);
        assert_same(t[0], frame.t1);
        assert_same(t[1], frame.t2);
        assert_true(place.C == error.C);
        assert_same(place_slip(world, block, place.n, &travel), slip.error);
        carriers[block->carrier]++;
        rolling += block->rolls;
    }
    assert_true(carriers[NORMAL_ON_1] + carriers[NORMAL_ON_2] > 0 && carriers[NORMAL_ALONG_CORES] > 0 && rolling > 0);
    world_destroy(world);
}

/* A zero with a sign is a zero; the least number is none. */
static void zeros_are_seen_by_their_bits(void **state)
{
    (void)state;
    Vec3 v[2] = {{0.0, -0.0, 0.0}, {-0.0, 0.0, -0.0}};
    assert_true(place_are_zero(v));
    for (int i = 0; i < 6; i++) {
        Vec3 w[2] = {v[0], v[1]};
        ((double *)w)[i] = 4.9e-324;
        assert_false(place_are_zero(w));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_where_the_model_has_them),
        cmocka_unit_test(zeros_are_seen_by_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
