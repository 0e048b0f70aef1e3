/* SPDX-License-Identifier: MIT */
/* The world's length scale, and what it means for detection: a world grown by a power of two is seen alike. */
#include "model/contact.h"
#include "model/world.h"
#include "tests/support/box_mesh.h"
#include "tests/support/build.h"

#include <string.h>

static double measured(World *world)
{
    assert_true(world_measure_length(world));
    return world->length_scale;
}

static int add_shape(World *world, Shape shape, bool fixed)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "body";
    def.fixed = fixed;
    def.shape = shape;
    def.density = fixed ? 0.0 : 1.0;
    return build_body(world, &def);
}

static void an_empty_world_is_a_metre_long(void **state)
{
    (void)state;
    World *world = world_create();
    assert_near(world->length_scale, 1.0, 0.0);
    assert_near(measured(world), 1.0, 0.0);
    world_destroy(world);
}

static void the_length_is_the_lower_median_of_the_moving_shapes_longest_edges(void **state)
{
    (void)state;
    World *world = world_create();
    add_shape(world, (Shape){.kind = SHAPE_SPHERE, .radius = 9.0}, true);
    add_shape(world, (Shape){.kind = SHAPE_PLANE, .normal = {0, 1, 0}}, true);
    add_shape(world, (Shape){.kind = SHAPE_SPHERE, .radius = 0.35}, false);
    assert_near(measured(world), 0.7, 0.0);
    add_shape(world, (Shape){.kind = SHAPE_BOX, .size = {0.2, 1.9, 0.3}}, false);
    assert_near(measured(world), 0.7, 0.0);
    add_shape(world, (Shape){.kind = SHAPE_CAPSULE, .radius = 0.25, .length = 0.75}, false);
    assert_near(measured(world), 1.25, 0.0);
    add_shape(world, (Shape){.kind = SHAPE_CYLINDER, .radius = 0.75, .length = 0.5}, false);
    assert_near(measured(world), 1.25, 0.0);
    Mesh *mesh = box_mesh(vec3(0.5, 3.0, 0.125), QUAT_IDENTITY, vec3(4, 5, 6));
    add_shape(world, (Shape){.kind = SHAPE_MESH, .mesh = mesh}, false);
    assert_near(measured(world), 1.5, 0.0);
    mesh_destroy(mesh);
    world_destroy(world);
}

static void without_shapes_the_length_is_the_longest_joint(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "particle";
    def.mass = 1.0;
    def.position = vec3(7, 0, 0);
    build_body(world, &def);
    assert_near(measured(world), 1.0, 0.0);
    /* From an anchor of the world: its origin, 7 m away, is no point of the joint. */
    JointDef rope = joint_def(JOINT_DISTANCE, 0, 1);
    rope.local_anchors = true;
    rope.anchor[0] = vec3(7, 0.625, 0);
    build_joint(world, &rope);
    assert_near(measured(world), 0.625, 0.0);
    /* Joined at one point, the centres are apart. */
    def.position = vec3(7, 0, 2.5);
    build_body(world, &def);
    JointDef ball = joint_def(JOINT_BALL, 1, 2);
    ball.anchor[0] = vec3(7, 0, 1.5);
    build_joint(world, &ball);
    assert_near(measured(world), 2.5, 0.0);
    world_destroy(world);
}

/* Random boxes, hulls aside, in a heap; lengths times `scale`. */
static World *heap(double scale)
{
    Random random = {911};
    World *world = world_create();
    world->collide = true;
    world->length_scale = scale;
    for (int i = 0; i < 60; i++) {
        BodyDef def = build_random_def(&random, "body");
        def.position = vec3_scale(0.5 * scale, def.position);
        double a = random_in(&random, 0.2, 0.8) * scale, b = random_in(&random, 0.2, 0.8) * scale;
        const Shape shapes[] = {{.kind = SHAPE_BOX, .size = {a, b, a}},
                                {.kind = SHAPE_SPHERE, .radius = 0.5 * a},
                                {.kind = SHAPE_CYLINDER, .radius = 0.5 * a, .length = b},
                                {.kind = SHAPE_CAPSULE, .radius = 0.5 * a, .length = b}};
        def.shape = shapes[i % 4];
        def.density = 1.0;
        build_body(world, &def);
    }
    assert_true(contacts_detect(world));
    return world;
}

static void detection_sees_a_world_grown_by_a_power_of_two_alike(void **state)
{
    (void)state;
    World *one = heap(1.0);
    assert_true(one->contacts->manifold_count > 100);
    for (int k = -10; k <= 10; k += 5) {
        double scale = ldexp(1.0, k);
        World *other = heap(scale);
        assert_int_equal(other->contacts->manifold_count, one->contacts->manifold_count);
        for (size_t m = 0; m < one->contacts->manifold_count; m++) {
            const Manifold *a = &one->contacts->manifolds[m], *b = &other->contacts->manifolds[m];
            assert_int_equal(a->count, b->count);
            assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
            for (int i = 0; i < a->count; i++) {
                const ContactPoint *p = &a->point[i], *q = &b->point[i];
                Vec3 anchor1 = vec3_scale(scale, p->anchor1), anchor2 = vec3_scale(scale, p->anchor2);
                assert_true(p->id == q->id && q->gap == scale * p->gap && a->recovers[i] == b->recovers[i]);
                assert_memory_equal(&anchor1, &q->anchor1, sizeof anchor1);
                assert_memory_equal(&anchor2, &q->anchor2, sizeof anchor2);
            }
        }
        world_destroy(other);
    }
    world_destroy(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_world_is_a_metre_long),
        cmocka_unit_test(the_length_is_the_lower_median_of_the_moving_shapes_longest_edges),
        cmocka_unit_test(without_shapes_the_length_is_the_longest_joint),
        cmocka_unit_test(detection_sees_a_world_grown_by_a_power_of_two_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
