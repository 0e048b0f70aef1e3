/* SPDX-License-Identifier: MIT */
/* Every pair of shapes against a search over all directions. The separation is the largest gap over unit directions, so
 * a reported one is right if its own direction has that gap (it is not too large) and no direction found by a dense
 * search with local refinement has a larger one (it is not too small). Where edges meet the direction is that of the
 * shapes with their faces moved inwards (collide_edge.c), which gets the same search. */
#include "tests/model/gap_search.h"

#include <string.h>

/* m: clipped points may miss the deepest by 1e-6 (NEAREST_TOLERANCE), the polytope by 1e-9 of the size. */
#define TOLERANCE 1.1e-6
/* m: a clipping polygon is grown by 2e-4 of its size, at most 2.5 m, and that again over the sine of half a corner,
 * which is above 0.25 here. */
#define OUTSIDE 2e-3
/* Lanes, so that shapes which are apart are compared too. */
#define MARGIN 0.08

enum { TRIALS = 60 };

static const ShapeKind KINDS[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_HULL};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* Points lie in their solids (see OUTSIDE), and face each other along n as far as the gap says. */
static void check_points(const Placed *one, const Placed *two, const Patch *patch)
{
    Convex a = shapes_convex(one), b = shapes_convex(two);
    for (int i = 0; i < patch->count; i++) {
        const Touch *touch = &patch->touch[i];
        Vec3 p1 = shapes_surface1(&a, patch, touch), p2 = shapes_surface2(&b, patch, touch);
        assert_near(vec3_dot(patch->normal, vec3_sub(p2, p1)), touch->gap, 1e-9);
        for (int k = 0; k < 100; k++) {
            Vec3 d = fibonacci(k, 100);
            assert_true(vec3_dot(d, p1) < shapes_height(one, d) + OUTSIDE);
            assert_true(vec3_dot(d, p2) < shapes_height(two, d) + OUTSIDE);
        }
    }
}

static double inset_max(const Shape *shape)
{
    Vec3 s = shape->size;
    return shape->kind == SHAPE_BOX        ? 0.25 * fmin(s.x, fmin(s.y, s.z))
           : shape->kind == SHAPE_CYLINDER ? 0.5 * fmin(shape->radius, 0.5 * shape->length)
                                           : 0.0;
}

static Placed moved_inwards(Placed placed, double inset)
{
    placed.shape.size = vec3_sub(placed.shape.size, vec3(2.0 * inset, 2.0 * inset, 2.0 * inset));
    placed.shape.radius -= inset;
    placed.shape.length -= 2.0 * inset;
    return placed;
}

/* The direction of the largest gap: between the shapes with their faces moved inwards until they are EDGE_GAP apart, if
 * they can be, else between the shapes. Every gap of theirs is at least that much wider. */
static void check_normal(const Placed *one, const Placed *two, double found, Vec3 n, Random *random)
{
    double limit = fmin(EDGE_MAX_INSET, fmin(inset_max(&one->shape), inset_max(&two->shape)));
    double inset = fmax(fmin(0.5 * (EDGE_GAP - found), limit), 0.0);
    Placed inner1 = moved_inwards(*one, inset), inner2 = moved_inwards(*two, inset);
    double largest = inset > 0.0 ? search(&inner1, &inner2, random) : -INFINITY;
    if (largest < TOLERANCE) {
        assert_near(found, shapes_gap(one, two, n), TOLERANCE);
        return;
    }
    assert_true(shapes_gap(&inner1, &inner2, n) > largest - 2.0 * TOLERANCE);
    assert_true(shapes_gap(&inner1, &inner2, n) > found + 2.0 * inset - TOLERANCE);
}

static void check_pair(const Placed *one, const Placed *two, Random *random, int *touching)
{
    Patch patch;
    Convex a = shapes_convex(one), b = shapes_convex(two);
    collide(&a, &b, 1.0, MARGIN, &patch);
    double truth = search(one, two, random);
    if (patch.count == 0) {
        assert_true(truth > MARGIN - TOLERANCE);
        return;
    }
    double found = shapes_least_gap(&patch);
    assert_near(vec3_norm(patch.normal), 1.0, 1e-12);
    if (!(found > truth - TOLERANCE))
        print_error("kinds %d and %d at (%.17g, %.17g, %.17g) from each other: found %.9f, a direction has %.9f\n",
                    one->shape.kind, two->shape.kind, two->x.x - one->x.x, two->x.y - one->x.y, two->x.z - one->x.z,
                    found, truth);
    assert_true(found > truth - TOLERANCE);
    check_normal(one, two, found, patch.normal, random);
    check_points(one, two, &patch);
    ++*touching;
}

static void every_pair_of_shapes_has_the_largest_gap_over_all_directions(void **state)
{
    (void)state;
    Random random = {0x5eed1};
    for (int i = 0; i < KIND_COUNT; i++)
        for (int k = 0; k < KIND_COUNT; k++) {
            int touching = 0;
            for (int trial = 0; trial < TRIALS; trial++) {
                Placed one = shapes_random(&random, KINDS[i]), two = shapes_random(&random, KINDS[k]);
                two.x = vec3_add(one.x, random_arrow(&random, 0.0, 1.3));
                check_pair(&one, &two, &random, &touching);
                shapes_free(&one);
                shapes_free(&two);
            }
            assert_in_range(touching, TRIALS / 4, TRIALS - 1);
        }
}

/* Boxes, cylinders and hulls along common axes: parallel faces and edges, coplanar sides, equal sizes. */
static void aligned_shapes_have_the_largest_gap_too(void **state)
{
    (void)state;
    Random random = {0x5eed2};
    const ShapeKind flat[] = {SHAPE_BOX, SHAPE_CYLINDER, SHAPE_CAPSULE};
    for (int trial = 0; trial < 400; trial++) {
        Placed one = shapes_random(&random, flat[trial % 3]), two = shapes_random(&random, flat[trial / 3 % 3]);
        one.shape.size = two.shape.size = vec3(1.0, 0.5, 0.75);
        one.shape.length = two.shape.length = 0.5;
        one.shape.radius = two.shape.radius = 0.25;
        one.q = quat_axis_angle(vec3_axis(trial / 9 % 3), 0.5 * PI * (trial / 27 % 4));
        two.q = QUAT_IDENTITY;
        one.x = VEC3_ZERO;
        for (int i = 0; i < 3; i++)
            *(&two.x.x + i) = 0.125 * nearbyint(random_in(&random, -6.0, 6.0));
        int touching = 0;
        check_pair(&one, &two, &random, &touching);
    }
}

/* A prism of twelve sides about y. */
static Mesh *prism(double radius, double length)
{
    Vec3 points[24];
    Status status = {0};
    for (int i = 0; i < 24; i++)
        points[i] = vec3(radius * cos(i * PI / 6.0), i < 12 ? 0.5 * length : -0.5 * length, radius * sin(i * PI / 6.0));
    return mesh_create_hull(24, points, &status);
}

/* Axes that coincide, or nearly: deep in each other, round things are alike in all directions across. */
static void cylinders_deep_in_things_along_their_axis_have_the_largest_gap_too(void **state)
{
    (void)state;
    Random random = {0x5eed7};
    const ShapeKind along[] = {SHAPE_BOX, SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_HULL};
    int touching = 0;
    for (int trial = 0; trial < 320; trial++) {
        Placed one = shapes_random(&random, SHAPE_CYLINDER), two = shapes_random(&random, along[trial % 4]);
        if (two.shape.kind == SHAPE_HULL) {
            shapes_free(&two);
            two.shape.mesh = prism(two.shape.radius, two.shape.length);
            two.poly = polyhedron_create(two.shape.mesh, true);
        }
        const double offset[] = {0.0, 1e-3, 0.1}, turn[] = {0.0, 1e-3};
        two.x = vec3_add(one.x, random_vec3(&random, offset[trial / 4 % 3]));
        two.q = quat_mul(one.q, quat_exp(random_vec3(&random, turn[trial / 12 % 2])));
        check_pair(&one, &two, &random, &touching);
        shapes_free(&one);
        shapes_free(&two);
    }
    assert_int_equal(touching, 320);
}

static void a_plane_touches_the_lowest_point_of_every_shape(void **state)
{
    (void)state;
    Random random = {0x5eed3};
    for (int i = 0; i < KIND_COUNT; i++)
        for (int trial = 0; trial < TRIALS; trial++) {
            Patch patch;
            Placed plane = shapes_random(&random, SHAPE_PLANE), other = shapes_random(&random, KINDS[i]);
            Convex a = shapes_convex(&plane), b = shapes_convex(&other);
            Vec3 n = quat_rotate(plane.q, plane.shape.normal);
            double lowest = -shapes_height(&other, vec3_negate(n)) - plane.shape.offset - vec3_dot(n, plane.x);
            collide(&a, &b, 1.0, MARGIN, &patch);
            assert_int_equal(patch.count > 0, lowest < MARGIN);
            if (patch.count > 0) {
                /* A rim may miss its lowest point by 1e-5 of the radius (RIM_TOLERANCE). */
                assert_near(shapes_least_gap(&patch), lowest, KINDS[i] == SHAPE_CYLINDER ? 6e-6 : 1e-12);
                assert_vec3_near(patch.normal, n, 1e-12);
                assert_int_equal(patch.carrier, NORMAL_ON_1);
            }
            shapes_free(&other);
        }
}

static void exchanging_the_bodies_flips_the_normal_and_keeps_the_points(void **state)
{
    (void)state;
    Random random = {0x5eed4};
    for (int i = 0; i < KIND_COUNT * KIND_COUNT * 30; i++) {
        ShapeKind kind1 = KINDS[i % KIND_COUNT], kind2 = KINDS[i / KIND_COUNT % KIND_COUNT];
        Placed one = shapes_random(&random, kind1), two = shapes_random(&random, kind2);
        two.x = vec3_add(one.x, random_arrow(&random, 0.2, 0.9));
        Convex a = shapes_convex(&one), b = shapes_convex(&two);
        Patch there, back;
        collide(&a, &b, 1.0, MARGIN, &there);
        collide(&b, &a, 1.0, MARGIN, &back);
        /* Two rims: each order of the polytope's growth ends within 1e-9 of the overlap, and at the overlap's flat
         * maximum that leaves the direction open by its root, and the points with it. All else is exact. */
        bool rims = kind1 == SHAPE_CYLINDER && kind2 == SHAPE_CYLINDER;
        double sharp = rims ? 2e-4 : 1e-9;
        if (there.count != back.count)
            print_error("kinds %d and %d\n", kind1, kind2);
        assert_int_equal(there.count, back.count);
        if (there.count > 0) {
            assert_near(shapes_least_gap(&there), shapes_least_gap(&back), rims ? 1e-6 : 1e-12);
            assert_vec3_near(there.normal, vec3_negate(back.normal), sharp);
        }
        for (int k = 0; k < there.count; k++) {
            double nearest = INFINITY;
            for (int m = 0; m < back.count; m++)
                nearest = fmin(nearest, vec3_norm(vec3_sub(there.touch[k].point1, back.touch[m].point2)));
            assert_true(nearest < sharp);
        }
        shapes_free(&one);
        shapes_free(&two);
    }
}

static bool patch_is_finite(const Patch *patch)
{
    bool finite = vec3_is_finite(patch->normal) && fabs(vec3_norm(patch->normal) - 1.0) < 1e-9;
    for (int i = 0; i < patch->count; i++)
        finite = finite && vec3_is_finite(patch->touch[i].point1) && vec3_is_finite(patch->touch[i].point2) &&
                 isfinite(patch->touch[i].gap);
    return finite;
}

/* Coincident centres, equal poses, sizes of zero, exact touching: whatever is reported is finite and one unit normal.
 */
static void degenerate_poses_and_sizes_give_finite_answers(void **state)
{
    (void)state;
    Random random = {0x5eed5};
    for (int i = 0; i < KIND_COUNT * KIND_COUNT * 8; i++) {
        Placed one = shapes_random(&random, KINDS[i % KIND_COUNT]);
        Placed two = shapes_random(&random, KINDS[i / KIND_COUNT % KIND_COUNT]);
        int variant = i / (KIND_COUNT * KIND_COUNT);
        two.x = one.x;
        if (variant & 1)
            two.q = one.q;
        if (variant & 2) {
            two.shape.radius = 0.0;
            two.shape.length = 0.0;
            two.shape.size = VEC3_ZERO;
        }
        if (variant & 4) {
            one.shape.size.y = 0.0;
            one.shape.length = 0.0;
        }
        Convex a = shapes_convex(&one), b = shapes_convex(&two);
        Patch patch;
        collide(&a, &b, 1.0, MARGIN, &patch);
        assert_true(patch.count > 0);
        assert_true(patch_is_finite(&patch));
        shapes_free(&one);
        shapes_free(&two);
    }
}

static void shapes_that_touch_exactly_have_no_gap(void **state)
{
    (void)state;
    Random random = {0x5eed6};
    for (int i = 0; i < KIND_COUNT * KIND_COUNT * 20; i++) {
        Placed one = shapes_random(&random, KINDS[i % KIND_COUNT]);
        Placed two = shapes_random(&random, KINDS[i / KIND_COUNT % KIND_COUNT]);
        Vec3 n = i % 2 ? random_unit(&random) : quat_rotate(one.q, vec3(0, 1, 0));
        two.q = i % 4 ? two.q : one.q;
        two.x = vec3_add_scaled(two.x, -shapes_gap(&one, &two, n), n);
        Convex a = shapes_convex(&one), b = shapes_convex(&two);
        Patch patch;
        collide(&a, &b, 1.0, MARGIN, &patch);
        /* They may be apart along another direction. */
        double truth = search(&one, &two, &random);
        if (truth < MARGIN) {
            assert_true(patch.count > 0);
            assert_true(patch_is_finite(&patch));
            assert_true(shapes_least_gap(&patch) > truth - TOLERANCE);
            check_normal(&one, &two, shapes_least_gap(&patch), patch.normal, &random);
        }
        shapes_free(&one);
        shapes_free(&two);
    }
}

static void meshes_collide_with_planes_only(void **state)
{
    (void)state;
    assert_true(collide_supported(SHAPE_MESH, SHAPE_PLANE));
    assert_true(collide_supported(SHAPE_PLANE, SHAPE_SPHERE));
    assert_true(collide_supported(SHAPE_HULL, SHAPE_CYLINDER));
    assert_false(collide_supported(SHAPE_MESH, SHAPE_BOX));
    assert_false(collide_supported(SHAPE_MESH, SHAPE_MESH));
    assert_false(collide_supported(SHAPE_PLANE, SHAPE_PLANE));
    assert_false(collide_supported(SHAPE_NONE, SHAPE_PLANE));
}

/* A box finds its face by the direction alone; as a hull with the same faces it compares all of them. */
static void a_box_shows_the_face_that_it_shows_as_a_hull(void **state)
{
    (void)state;
    Random random = {0xfacef};
    for (int k = 0; k < 500; k++) {
        Shape shape = {.kind = SHAPE_BOX, .size = vec3(1.7, 0.3, 0.9)};
        Quat q = k % 2 ? random_quat(&random) : QUAT_IDENTITY;
        Convex box, hull;
        convex_place(&box, &shape, NULL, random_vec3(&random, 2.0), q);
        hull = box;
        Vec3 direction = k % 4 == 0 ? vec3_axis(k / 4 % 3) : random_unit(&random);
        Feature one = {0}, two = {0};
        hull.kind = SHAPE_HULL;
        convex_feature(&box, k % 8 == 4 ? vec3_negate(direction) : direction, &one);
        convex_feature(&hull, k % 8 == 4 ? vec3_negate(direction) : direction, &two);
        assert_int_equal(one.count, 4);
        assert_memory_equal(&one, &two, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_shows_the_face_that_it_shows_as_a_hull),
        cmocka_unit_test(every_pair_of_shapes_has_the_largest_gap_over_all_directions),
        cmocka_unit_test(aligned_shapes_have_the_largest_gap_too),
        cmocka_unit_test(cylinders_deep_in_things_along_their_axis_have_the_largest_gap_too),
        cmocka_unit_test(a_plane_touches_the_lowest_point_of_every_shape),
        cmocka_unit_test(exchanging_the_bodies_flips_the_normal_and_keeps_the_points),
        cmocka_unit_test(degenerate_poses_and_sizes_give_finite_answers),
        cmocka_unit_test(shapes_that_touch_exactly_have_no_gap),
        cmocka_unit_test(meshes_collide_with_planes_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
