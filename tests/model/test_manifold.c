/* SPDX-License-Identifier: MIT */
/* Bodies at rest on each other: how many points, where, and that their ids last. */
#include "tests/model/shapes.h"

typedef struct Rest {
    const char *what;
    ShapeKind kind1, kind2;
    Vec3 x2;
    Vec3 turn2; /* rotation vector */
    int count;
} Rest;

/* Body 1 at the origin: a plane y = 0, a box 2 x 2 x 2, a cylinder of radius 1 and length 2, a hull like the box.
 * Body 2: a box 1 x 1 x 1, a cylinder of radius 0.4 and length 1, a capsule of radius 0.25 and length 1, a sphere of
 * radius 0.5, a hull like the box. All overlap by 2 mm, as a solver leaves them. */
static const Rest RESTS[] = {
    {"box on plane", SHAPE_PLANE, SHAPE_BOX, {0.3, 0.498, 0}, {0, 0.3, 0}, 4},
    {"box's edge on plane", SHAPE_PLANE, SHAPE_BOX, {0, 0.70510678118654757, 0}, {0, 0, 0.78539816339744828}, 2},
    {"box's corner on plane", SHAPE_PLANE, SHAPE_BOX, {0, 0.85, 0}, {0.61547970867038734, 0, 0.78539816339744828}, 1},
    {"box on box", SHAPE_BOX, SHAPE_BOX, {0.2, 1.498, 0.1}, {0, 0.3, 0}, 4},
    {"box over box's edge", SHAPE_BOX, SHAPE_BOX, {0.9, 1.498, 0.1}, {0, 0, 0}, 4},
    {"box's edge on box's side", SHAPE_BOX, SHAPE_BOX, {1.7051067811865475, 1.0, 0}, {0, 0.78539816339744828, 0}, 2},
    {"cap on plane", SHAPE_PLANE, SHAPE_CYLINDER, {0, 0.498, 0}, {0, 0.2, 0}, 4},
    {"cylinder's side on plane", SHAPE_PLANE, SHAPE_CYLINDER, {0, 0.398, 0}, {1.5707963267948966, 0, 0}, 2},
    {"cap on box", SHAPE_BOX, SHAPE_CYLINDER, {0.1, 1.498, 0.2}, {0, 0.2, 0}, 4},
    {"cylinder's side on box", SHAPE_BOX, SHAPE_CYLINDER, {0.1, 1.398, 0.2}, {1.5707963267948966, 0, 0}, 2},
    {"cap on cap", SHAPE_CYLINDER, SHAPE_CYLINDER, {0.1, 1.498, 0.2}, {0, 0.2, 0}, 4},
    {"side on side", SHAPE_CYLINDER, SHAPE_CYLINDER, {1.398, 0, 0}, {0, 0.2, 0}, 2},
    {"capsule on plane", SHAPE_PLANE, SHAPE_CAPSULE, {0, 0.248, 0}, {1.5707963267948966, 0, 0}, 2},
    {"capsule on box", SHAPE_BOX, SHAPE_CAPSULE, {0, 1.248, 0}, {1.5707963267948966, 0, 0}, 2},
    {"upright capsule on box", SHAPE_BOX, SHAPE_CAPSULE, {0, 1.748, 0}, {0, 0, 0}, 1},
    {"sphere on box", SHAPE_BOX, SHAPE_SPHERE, {0.3, 1.498, 0.3}, {0, 0.5, 0}, 1},
    {"sphere on cylinder's side", SHAPE_CYLINDER, SHAPE_SPHERE, {1.498, 0.2, 0}, {0, 0.5, 0}, 1},
    {"hull on box", SHAPE_BOX, SHAPE_HULL, {0.2, 1.498, 0.1}, {0, 0.3, 0}, 4},
    {"box on hull", SHAPE_HULL, SHAPE_BOX, {0.2, 1.498, 0.1}, {0, 0.3, 0}, 4},
    {"hull on hull", SHAPE_HULL, SHAPE_HULL, {0.2, 1.498, 0.1}, {0, 0.3, 0}, 4},
    {"hull on plane", SHAPE_PLANE, SHAPE_HULL, {0.2, 0.498, 0.1}, {0, 0.3, 0}, 4},
    {"cap on hull", SHAPE_HULL, SHAPE_CYLINDER, {0.2, 1.498, 0.1}, {0, 0.3, 0}, 4},
};
enum { REST_COUNT = sizeof RESTS / sizeof RESTS[0] };

#define OVERLAP 0.002

/* A cube of this edge as triangles: its faces must be found again. */
static Mesh *cube_mesh(double edge)
{
    Vec3 vertices[8];
    int triangles[12][3];
    for (int v = 0; v < 8; v++)
        vertices[v] = vec3_scale(0.5 * edge, polyhedron_cube.vertices[v]);
    for (int f = 0; f < 6; f++) {
        const int *loop = polyhedron_cube.loop + polyhedron_cube.faces[f].first;
        int cut[2][3] = {{loop[0], loop[1], loop[2]}, {loop[0], loop[2], loop[3]}};
        for (int i = 0; i < 6; i++)
            triangles[2 * f + i / 3][i % 3] = cut[i / 3][i % 3];
    }
    Mesh *mesh = mesh_create(8, vertices, 12, (const int(*)[3])triangles);
    assert_non_null(mesh);
    return mesh;
}

static Placed rest_body(ShapeKind kind, bool large)
{
    double edge = large ? 2.0 : 1.0;
    Placed placed = {.shape = {.kind = kind, .normal = {0, 1, 0}, .size = {edge, edge, edge}, .length = edge},
                     .q = QUAT_IDENTITY};
    placed.shape.radius = kind == SHAPE_SPHERE ? 0.5 : kind == SHAPE_CAPSULE ? 0.25 : large ? 1.0 : 0.4;
    if (kind == SHAPE_HULL) {
        placed.shape.mesh = cube_mesh(edge);
        placed.poly = polyhedron_create(placed.shape.mesh, true);
    }
    return placed;
}

static void rest_collide(const Placed *one, const Placed *two, Patch *patch)
{
    Convex a = shapes_convex(one), b = shapes_convex(two);
    collide(&a, &b, 1.0, 0.01, patch);
    patch_reduce(patch, 1.0);
}

static void resting_bodies_have_their_points(void **state)
{
    (void)state;
    for (int r = 0; r < REST_COUNT; r++) {
        const Rest *rest = &RESTS[r];
        Placed one = rest_body(rest->kind1, true), two = rest_body(rest->kind2, false);
        two.x = rest->x2;
        two.q = quat_exp(rest->turn2);
        Patch patch;
        rest_collide(&one, &two, &patch);
        if (patch.count != rest->count)
            print_error("%s has %d points, not %d\n", rest->what, patch.count, rest->count);
        assert_int_equal(patch.count, rest->count);
        if (patch.count == 4)
            for (int i = 0; i < 4; i++)
                assert_near(patch.touch[i].gap, -OVERLAP, 1e-9);
        shapes_free(&one);
        shapes_free(&two);
    }
}

static void ids_last_under_small_motion(void **state)
{
    (void)state;
    Random random = {0x1d5};
    for (int r = 0; r < REST_COUNT; r++) {
        const Rest *rest = &RESTS[r];
        Placed one = rest_body(rest->kind1, true), two = rest_body(rest->kind2, false);
        two.x = rest->x2;
        two.q = quat_exp(rest->turn2);
        Patch before, after;
        rest_collide(&one, &two, &before);
        for (int trial = 0; trial < 30; trial++) {
            two.x = vec3_add(rest->x2, random_vec3(&random, 1e-4));
            two.q = quat_mul(quat_exp(random_vec3(&random, 1e-4)), quat_exp(rest->turn2));
            rest_collide(&one, &two, &after);
            if (before.count != after.count)
                print_error("%s: %d points become %d\n", rest->what, before.count, after.count);
            assert_int_equal(before.count, after.count);
            for (int i = 0; i < before.count; i++) {
                if (before.touch[i].id != after.touch[i].id)
                    print_error("%s: point %d is %llx, was %llx\n", rest->what, i,
                                (unsigned long long)after.touch[i].id, (unsigned long long)before.touch[i].id);
                assert_true(before.touch[i].id == after.touch[i].id);
                assert_vec3_near(before.touch[i].point1, after.touch[i].point1, 1e-3);
            }
        }
        shapes_free(&one);
        shapes_free(&two);
    }
}

/* Faces of equal size on each other, as in a stack: every vertex is on the other's edge, and round-off decides. */
static void equal_faces_keep_their_vertices(void **state)
{
    (void)state;
    Random random = {0x57ac};
    const ShapeKind kinds[] = {SHAPE_BOX, SHAPE_HULL, SHAPE_CYLINDER};
    for (int k = 0; k < 3; k++) {
        Placed one = rest_body(kinds[k], true), two = rest_body(kinds[k], true);
        two.x = vec3(0, 1.998, 0);
        Patch before, after;
        rest_collide(&one, &two, &before);
        assert_int_equal(before.count, 4);
        for (int trial = 0; trial < 50; trial++) {
            two.x = vec3_add(vec3(0, 1.998, 0), random_vec3(&random, 1e-4));
            /* Over a cap of 2 m depths then differ by less than SAME_DEPTH, 1e-4 m. */
            two.q = quat_exp(random_vec3(&random, 2e-5));
            rest_collide(&one, &two, &after);
            assert_int_equal(after.count, 4);
            for (int i = 0; i < 4; i++)
                assert_true(before.touch[i].id == after.touch[i].id);
        }
        shapes_free(&one);
        shapes_free(&two);
    }
}

/* Edges at a right angle, both tilted by 45 degrees, overlap by 2 mm where they cross. */
static void crossed_edges_touch_at_one_point(void **state)
{
    (void)state;
    Placed one = rest_body(SHAPE_BOX, false), two = rest_body(SHAPE_BOX, false);
    one.q = quat_exp(vec3(0, 0, 0.25 * PI));
    two.q = quat_exp(vec3(0.25 * PI, 0, 0));
    two.x = vec3(0, sqrt(2.0) - OVERLAP, 0);
    Patch patch;
    rest_collide(&one, &two, &patch);
    assert_int_equal(patch.count, 1);
    assert_vec3_near(patch.normal, vec3(0, 1, 0), 1e-12);
    assert_near(patch.touch[0].gap, -OVERLAP, 1e-12);
    assert_vec3_near(patch.touch[0].point1, vec3(0, 0.5 * sqrt(2.0), 0), 1e-12);
    assert_vec3_near(patch.touch[0].point2, vec3(0, 0.5 * sqrt(2.0) - OVERLAP, 0), 1e-12);
}

/* A cube standing on a larger one by its face touches with its corners, nothing else. */
static void reduction_keeps_the_corners_and_the_deepest(void **state)
{
    (void)state;
    Patch patch = {.normal = {0, 1, 0}};
    /* A grid of nine points, deepest one step off a corner. */
    for (int i = 0; i < 9; i++)
        patch.touch[patch.count++] = (Touch){.id = (uint64_t)i, .point1 = {i % 3, 0, i / 3}, .gap = -0.001};
    patch.touch[1].gap = -0.005;
    patch_reduce(&patch, 1.0);
    assert_int_equal(patch.count, 4);
    double deepest = 0.0, area = 0.0;
    for (int i = 0; i < 4; i++)
        deepest = fmin(deepest, patch.touch[i].gap);
    assert_near(deepest, -0.005, 0.0);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            for (int m = 0; m < 4; m++)
                area = fmax(area, vec3_norm(vec3_cross(vec3_sub(patch.touch[k].point1, patch.touch[i].point1),
                                                       vec3_sub(patch.touch[m].point1, patch.touch[i].point1))));
    assert_near(area, 4.0, 1e-12);
}

/* A ring of eight equal points: any four that span a square would do, so those of last time stay. */
static void reduction_keeps_the_points_of_the_last_detection(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        Patch patch = {.normal = {0, 1, 0}};
        uint64_t ids[4];
        for (int i = 0; i < 8; i++) {
            Vec3 at = vec3(cos(0.25 * PI * i), 0.0, sin(0.25 * PI * i));
            patch.touch[patch.count++] = (Touch){.id = (uint64_t)(10 + i), .point1 = at, .gap = 1e-5 * at.x};
        }
        for (int i = 0; i < 4; i++)
            ids[i] = (uint64_t)(10 + first + 2 * i);
        patch_prefer(&patch, ids, 4);
        patch_reduce(&patch, 1.0);
        assert_int_equal(patch.count, 4);
        for (int i = 0; i < 4; i++)
            assert_true(patch.touch[i].id == ids[i]);
    }
}

static void a_hull_of_a_cube_has_six_faces_of_four_vertices(void **state)
{
    (void)state;
    Mesh *mesh = cube_mesh(1.0);
    Polyhedron *poly = polyhedron_create(mesh, true);
    assert_int_equal(poly->face_count, 6);
    for (int f = 0; f < 6; f++) {
        const PolyFace *face = &poly->faces[f];
        assert_int_equal(face->count, 4);
        Vec3 a = poly->vertices[poly->loop[face->first]], b = poly->vertices[poly->loop[face->first + 1]];
        Vec3 c = poly->vertices[poly->loop[face->first + 2]];
        Vec3 area = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        assert_vec3_near(vec3_unit(area), face->normal, 1e-12);
        assert_true(vec3_dot(face->normal, a) > 0.0);
    }
    polyhedron_destroy(poly);
    mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_bodies_have_their_points),
        cmocka_unit_test(ids_last_under_small_motion),
        cmocka_unit_test(equal_faces_keep_their_vertices),
        cmocka_unit_test(crossed_edges_touch_at_one_point),
        cmocka_unit_test(reduction_keeps_the_corners_and_the_deepest),
        cmocka_unit_test(reduction_keeps_the_points_of_the_last_detection),
        cmocka_unit_test(a_hull_of_a_cube_has_six_faces_of_four_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
