/* SPDX-License-Identifier: MIT */
/* What pairs that hardly moved keep: their points, moved on with the bodies, until they have moved too far. */
#include "model/contact/memory.h"
#include "tests/support/build.h"

/* m; the worlds' length scale is 1 m. */
static const double KEEP = CONTACT_KEEP;

/* A box on a fixed one, both turned, 2 mm in; a sphere on the fixed one; two spheres. */
static World *heap(double keep)
{
    World *world = world_create();
    assert_non_null(world);
    world->collide = true;
    world->contacts->keep = keep;
    Quat turned = quat_axis_angle(vec3_unit(vec3(0.2, 1, -0.1)), 0.4);
    BodyDef low = BODY_DEF_INIT, high = BODY_DEF_INIT, ball = BODY_DEF_INIT;
    low.name = "low";
    low.fixed = true;
    low.orientation = high.orientation = turned;
    low.shape = (Shape){.kind = SHAPE_BOX, .size = {3, 1, 3}};
    high.name = "high";
    high.position = quat_rotate(turned, vec3(0.3, 0.748, 0.1));
    high.shape = (Shape){.kind = SHAPE_BOX, .size = {0.7, 0.5, 0.9}};
    ball.name = "ball";
    ball.position = quat_rotate(turned, vec3(-0.9, 0.799, 0.2));
    ball.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.3};
    high.density = ball.density = 1000.0;
    build_body(world, &low);
    build_body(world, &high);
    build_body(world, &ball);
    ball.name = "on_top";
    ball.position = vec3_add(ball.position, vec3_scale(0.599, vec3_unit(vec3(-0.3, 1, 0.2))));
    build_body(world, &ball);
    return world;
}

static void find(World *world)
{
    contacts_store_impulses(world);
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    assert_int_equal(world->contacts->manifold_count, 3);
}

/* Moves and turns every free body by `part` of what may be kept: half of it each. */
static void disturb(World *world, double part)
{
    for (int i = 0; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Vec3 way = vec3_unit(vec3(0.4, -0.7, 0.2)), axis = vec3_unit(vec3(-0.3, 0.5, 0.9));
        world->pose[i].x = vec3_add_scaled(world->pose[i].x, 0.5 * part * KEEP, way);
        world->pose[i].q = quat_mul(quat_axis_angle(axis, 0.5 * part * KEEP), world->pose[i].q);
    }
}

static double deepest(const Manifold *manifold)
{
    double gap = INFINITY;
    for (int i = 0; i < manifold->count; i++)
        gap = fmin(gap, manifold->point[i].gap);
    return gap;
}

static void kept_points_are_where_new_ones_would_be(void **state)
{
    (void)state;
    World *lazy = heap(KEEP), *eager = heap(0.0);
    find(lazy);
    find(eager);
    assert_int_equal(lazy->contacts->kept_count, 0);
    disturb(lazy, 0.9);
    disturb(eager, 0.9);
    find(lazy);
    find(eager);
    assert_int_equal(lazy->contacts->kept_count, 3);
    assert_int_equal(eager->contacts->kept_count, 0);
    for (size_t m = 0; m < 3; m++) {
        const Manifold *kept = &lazy->contacts->manifolds[m], *found = &eager->contacts->manifolds[m];
        /* A point lies at most this far from where it would be found, and so does the surface under it. */
        assert_near(deepest(kept), deepest(found), KEEP);
        assert_near(vec3_norm(vec3_sub(kept->normal, found->normal)), 0.0, KEEP);
        assert_int_equal(kept->count, found->count);
        for (int i = 0; i < kept->count; i++)
            for (int k = 0; k < found->count; k++)
                if (kept->point[i].id == found->point[k].id) {
                    Vec3 a = world_point(lazy, kept->body2, kept->point[i].anchor2);
                    Vec3 b = world_point(eager, found->body2, found->point[k].anchor2);
                    assert_true(vec3_norm(vec3_sub(a, b)) <= KEEP);
                }
    }
    /* Two spheres: their line is taken anew, to round-off. */
    assert_near(deepest(&lazy->contacts->manifolds[2]), deepest(&eager->contacts->manifolds[2]), 1e-15);
    world_destroy(lazy);
    world_destroy(eager);
}

static void small_moves_add_up_until_points_are_found_anew(void **state)
{
    (void)state;
    World *lazy = heap(KEEP), *eager = heap(0.0);
    /* Against the fixed body both moved by 0, 0.4, 0.8, 1.2 of KEEP since, then 0.4; the two spheres moved together. */
    static const size_t KEPT[] = {0, 3, 3, 1, 3};
    for (int i = 0; i < 5; i++) {
        find(lazy);
        find(eager);
        assert_int_equal(lazy->contacts->kept_count, KEPT[i]);
        if (KEPT[i] < 3) /* no trace of the past */
            for (size_t m = 0; m < 3; m++)
                assert_near(deepest(&lazy->contacts->manifolds[m]), deepest(&eager->contacts->manifolds[m]), 1e-15);
        disturb(lazy, 0.4);
        disturb(eager, 0.4);
    }
    world_destroy(lazy);
    world_destroy(eager);
}

static void kept_points_keep_their_impulses(void **state)
{
    (void)state;
    World *world = heap(KEEP);
    find(world);
    const Vec3 given = vec3(0.3, 7.1, -0.2);
    world->block_impulse[manifold_contact(&world->manifolds[0], 0)] = given;
    disturb(world, 0.5);
    find(world);
    /* Normal and tangent are taken apart and put together again. */
    assert_vec3_near(world->contacts->manifolds[0].point[0].impulse, given, 1e-14);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_points_are_where_new_ones_would_be),
        cmocka_unit_test(small_moves_add_up_until_points_are_found_anew),
        cmocka_unit_test(kept_points_keep_their_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
