/* SPDX-License-Identifier: MIT */
/* Where edges meet: two boxes that lean against each other, each turned by `lean` about a common direction, touch with
 * parallel edges. Overlap is least along a normal of a face; the force between equal bodies must be level. */
#include "tests/model/shapes.h"

#define MARGIN 0.01

typedef struct Leaning {
    double lean; /* rad, of each from upright */
    Vec3 size;
    double overlap; /* m, level, of the edges that meet */
    double higher;  /* m, by which the right one is lifted */
} Leaning;

/* Edges along z meet at the origin; the left box (side -1) leans to the right and the right one to the left. */
static Placed lean_box(const Leaning *leaning, int side, Vec3 x, Quat q)
{
    double s = sin(leaning->lean), c = cos(leaning->lean);
    Vec3 h = vec3_scale(0.5, leaning->size);
    Vec3 at = vec3(side * (h.x * c + h.y * s - 0.5 * leaning->overlap), h.x * s - h.y * c, 0.0);
    at.y += 0.5 * side * leaning->higher;
    Placed placed = {.shape = {.kind = SHAPE_BOX, .size = leaning->size}};
    placed.q = quat_mul(q, quat_axis_angle(vec3(0, 0, 1), side * leaning->lean));
    placed.x = vec3_add(x, quat_rotate(q, at));
    return placed;
}

static Mesh *box_hull(Vec3 size)
{
    Vec3 corners[8];
    Status status = {0};
    for (int v = 0; v < 8; v++)
        corners[v] = vec3_scale(0.5, vec3_mul(size, polyhedron_cube.vertices[v]));
    Mesh *mesh = mesh_create_hull(8, corners, &status);
    assert_non_null(mesh);
    return mesh;
}

static void make_hull(Placed *placed)
{
    placed->shape = (Shape){.kind = SHAPE_HULL, .mesh = box_hull(placed->shape.size)};
    placed->poly = polyhedron_create(placed->shape.mesh, true);
}

static void collide_placed(const Placed *one, const Placed *two, Patch *patch)
{
    Convex a = shapes_convex(one), b = shapes_convex(two);
    collide(&a, &b, 1.0, MARGIN, patch);
}

static Leaning random_leaning(Random *random)
{
    Leaning leaning = {.lean = random_in(random, 0.25, 0.7)};
    leaning.size.z = random_in(random, 0.2, 1.0);
    leaning.size.y = random_in(random, 0.3, 1.0);
    leaning.size.x = random_in(random, 0.03, 0.2);
    leaning.overlap = random_in(random, -0.006, 0.006);
    return leaning;
}

/* Kinds: two boxes, a box and a hull, two hulls. */
static void parallel_edges_of_equal_bodies_push_level(void **state)
{
    (void)state;
    Random random = {0xed6e1};
    for (int trial = 0; trial < 150; trial++) {
        Leaning leaning = random_leaning(&random);
        Vec3 x = random_vec3(&random, 2.0);
        Quat q = random_quat(&random);
        Placed left = lean_box(&leaning, -1, x, q), right = lean_box(&leaning, 1, x, q);
        if (trial % 3 > 0)
            make_hull(&right);
        if (trial % 3 > 1)
            make_hull(&left);
        Patch patch;
        collide_placed(&left, &right, &patch);
        /* The direction comes from distances found to 1e-14 of their square: to its root. */
        assert_vec3_near(patch.normal, quat_rotate(q, vec3(1, 0, 0)), 1e-6);
        assert_int_equal(patch.count, 2);
        /* As deep as along the best axis, which is a face's where they overlap. */
        double best = -leaning.overlap * (leaning.overlap > 0.0 ? cos(leaning.lean) : 1.0);
        for (int i = 0; i < 2; i++) {
            Vec3 at = quat_rotate_inverse(q, vec3_sub(patch.touch[i].point1, x));
            assert_near(patch.touch[i].gap, best, 1e-9);
            assert_near(fabs(at.z), 0.5 * leaning.size.z, 1e-9);
            /* On the middle plane, but for half of the gap. */
            assert_near(at.x, -0.5 * best, 1e-8);
            assert_near(at.y, 0.0, 1e-8);
        }
        shapes_free(&left);
        shapes_free(&right);
    }
}

static void exchanging_bodies_that_meet_with_edges_exchanges_everything(void **state)
{
    (void)state;
    Random random = {0xed6e2};
    for (int trial = 0; trial < 100; trial++) {
        Leaning leaning = random_leaning(&random);
        leaning.higher = random_in(&random, -0.004, 0.004);
        Placed left = lean_box(&leaning, -1, VEC3_ZERO, QUAT_IDENTITY),
               right = lean_box(&leaning, 1, VEC3_ZERO, QUAT_IDENTITY);
        right.q = quat_mul(quat_exp(random_vec3(&random, 1e-3)), right.q);
        Patch there, back;
        collide_placed(&left, &right, &there);
        collide_placed(&right, &left, &back);
        assert_true(there.count == back.count && there.count > 0);
        assert_vec3_near(there.normal, vec3_negate(back.normal), 1e-6);
        for (int i = 0; i < there.count; i++) {
            int same = 0;
            while (same < back.count && back.touch[same].id != (there.touch[i].id << 32 | there.touch[i].id >> 32))
                same++;
            assert_true(same < back.count);
            assert_near(there.touch[i].gap, back.touch[same].gap, 1e-6);
            /* Ends are laid over each other along the first body's edge: 1e-3 rad off the second's, over 6 mm. */
            assert_vec3_near(there.touch[i].point1, back.touch[same].point2, 1e-5);
        }
    }
}

/* One edge passes the other from far below to far above, by 10 um at a time: from the one face's normal to the other's,
 * never back, and by no more a step than the step over EDGE_GAP, which is how far apart the inner edges are at least.
 */
static void the_normal_turns_steadily_from_face_to_face_as_edges_pass(void **state)
{
    (void)state;
    const double step = 1e-5;
    Leaning leaning = {0.43, {0.05, 0.7, 0.4}, 0.003, -0.03};
    double last = 0.0;
    int renamed = 0;
    Patch patch, before = {0};
    for (int k = 0; leaning.higher < 0.03; k++, leaning.higher += step) {
        Placed left = lean_box(&leaning, -1, VEC3_ZERO, QUAT_IDENTITY),
               right = lean_box(&leaning, 1, VEC3_ZERO, QUAT_IDENTITY);
        collide_placed(&left, &right, &patch);
        if (patch.count == 0) /* passed far enough to be apart along the face */
            continue;
        double angle = atan2(patch.normal.y, patch.normal.x);
        assert_true(fabs(angle) < leaning.lean + 1e-6);
        assert_near(patch.normal.z, 0.0, 1e-6);
        if (k > 0) {
            assert_true(angle > last - 1e-6 && angle < last + step / EDGE_GAP);
            bool same = patch.count == before.count;
            for (int i = 0; same && i < patch.count; i++)
                same = patch.touch[i].id == before.touch[i].id;
            renamed += !same;
        } else {
            assert_near(angle, -leaning.lean, 1e-9);
        }
        last = angle;
        before = patch;
    }
    assert_near(last, leaning.lean, 1e-9);
    /* The edge on the left face; a second edge, within the margin of it, and gone again; the edges; and back. */
    assert_in_range(renamed, 2, 6);
}

/* A box on the border of another, wider than overlap and EDGE_GAP: a face is a face. Narrower, the normal leans out. */
static void a_face_keeps_its_normal_up_to_the_border(void **state)
{
    (void)state;
    const double overlap = 0.004;
    for (int k = 0; k < 60; k++) {
        double width = 0.0005 * (k + 1);
        Placed one = {.shape = {.kind = SHAPE_BOX, .size = {0.8, 0.6, 0.7}}, .q = QUAT_IDENTITY}, two = one;
        two.x = vec3(0.8 - width, 0.6 - overlap, 0.0);
        Patch patch;
        collide_placed(&one, &two, &patch);
        if (width > overlap + EDGE_GAP + 1e-9) {
            assert_vec3_near(patch.normal, vec3(0, 1, 0), 0.0);
            assert_int_equal(patch.count, 4);
        } else if (width > overlap) {
            /* What is left lies EDGE_GAP apart upwards, and overlap + EDGE_GAP - width sideways. */
            double sideways = overlap + EDGE_GAP - width;
            assert_vec3_near(patch.normal, vec3_unit(vec3(sideways, EDGE_GAP, 0)), 1e-6);
        }
        assert_near(shapes_least_gap(&patch), -fmin(overlap, width), 1e-9);
    }
}

static void a_deep_overlap_ends_the_shortest_way(void **state)
{
    (void)state;
    Placed one = {.shape = {.kind = SHAPE_BOX, .size = {0.8, 0.6, 0.7}}, .q = QUAT_IDENTITY}, two = one;
    two.x = vec3(0.8 - 0.03, 0.6 - 0.027, 0.0);
    Patch patch;
    collide_placed(&one, &two, &patch);
    assert_vec3_near(patch.normal, vec3(0, 1, 0), 0.0);
    assert_near(shapes_least_gap(&patch), -0.027, 1e-12);
}

/* Three faces at every vertex: boxes cut by a slanted plane or two, and a tetrahedron, which vanishes at its inradius.
 */
static void insets_move_every_face_by_the_same(void **state)
{
    (void)state;
    Random random = {0xed6e5};
    for (int trial = 0; trial < 40; trial++) {
        Vec3 points[8];
        int count = trial % 2 ? 4 : 8;
        Mat3 shear;
        for (int i = 0; i < 9; i++)
            shear.m[i / 3][i % 3] = (i % 4 == 0) + random_in(&random, -0.2, 0.2);
        for (int v = 0; v < count; v++)
            points[v] = mat3_mul_vec(shear, count == 8 ? polyhedron_cube.vertices[v]
                                                       : polyhedron_cube.vertices[(const int[]){0, 3, 5, 6}[v]]);
        Status status = {0};
        Mesh *mesh = mesh_create_hull(count, points, &status);
        Polyhedron *poly = polyhedron_create(mesh, true);
        assert_true(poly->inset_max > 0.0);
        double inradius = INFINITY, r = 0.7 * poly->inset_max;
        for (int f = 0; f < poly->face_count; f++)
            for (int i = 0; i < poly->faces[f].count; i++) {
                int v = poly->loop[poly->faces[f].first + i];
                Vec3 n = poly->faces[f].normal, inner = vec3_add_scaled(poly->vertices[v], -r, poly->inset[v]);
                assert_near(vec3_dot(n, inner), vec3_dot(n, poly->vertices[v]) - r, 1e-12);
                inradius = fmin(inradius, vec3_dot(n, poly->vertices[v]));
            }
        if (count == 8) /* about the origin, and symmetric: the nearest pair of faces meets there */
            assert_near(poly->inset_max, 0.5 * inradius, 1e-12);
        polyhedron_destroy(poly);
        mesh_destroy(mesh);
    }
    /* A hull of many triangles has vertices whose faces cannot all move alike. */
    Mesh *rock = shapes_hull(&random, 0.6);
    Polyhedron *poly = polyhedron_create(rock, true);
    assert_near(poly->inset_max, 0.0, 0.0);
    polyhedron_destroy(poly);
    mesh_destroy(rock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_edges_of_equal_bodies_push_level),
        cmocka_unit_test(exchanging_bodies_that_meet_with_edges_exchanges_everything),
        cmocka_unit_test(the_normal_turns_steadily_from_face_to_face_as_edges_pass),
        cmocka_unit_test(a_face_keeps_its_normal_up_to_the_border),
        cmocka_unit_test(a_deep_overlap_ends_the_shortest_way),
        cmocka_unit_test(insets_move_every_face_by_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
