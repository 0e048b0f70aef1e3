/* SPDX-License-Identifier: MIT */
#include "model/shape.h"
#include "tests/support/box_mesh.h"
#include "tests/support/build.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

/* Sums over a dozen triangles of numbers of order one. */
#define ROUND_OFF 1e-13

static const Vec3 BOX_SIZE = {0.37, 1.91, 0.83};

static void assert_mass(Shape shape, double density, double mass, double Ixx, double Iyy, double Izz)
{
    MassProperties solid = shape_mass_properties(&shape, density);
    assert_near(solid.mass, mass, ROUND_OFF * mass);
    assert_vec3_near(solid.centre, VEC3_ZERO, 0.0);
    assert_mat3_near(solid.inertia, mat3_diagonal(vec3(Ixx, Iyy, Izz)), ROUND_OFF * (Ixx + Iyy + Izz));
}

/* Erratum 35: a solid ball, so 2/5 m r^2 and not a shell's 2/3. */
static void sphere_has_two_fifths_m_r_squared(void **state)
{
    (void)state;
    double m = 2.3 * 4.0 / 3.0 * PI * 1.7 * 1.7 * 1.7, I = 2.0 / 5.0 * m * 1.7 * 1.7;
    assert_mass((Shape){.kind = SHAPE_SPHERE, .radius = 1.7}, 2.3, m, I, I, I);
}

static void box_has_a_twelfth_of_the_squared_edges(void **state)
{
    (void)state;
    double m = 5.1 * 0.37 * 1.91 * 0.83;
    assert_mass((Shape){.kind = SHAPE_BOX, .size = BOX_SIZE}, 5.1, m, m / 12 * (1.91 * 1.91 + 0.83 * 0.83),
                m / 12 * (0.37 * 0.37 + 0.83 * 0.83), m / 12 * (0.37 * 0.37 + 1.91 * 1.91));
}

/* A solid of revolution about y with radius r(y), by Simpson's rule on discs: dm = rho pi r^2 dy, along r^2/2 dm,
 * across (r^2/4 + y^2) dm. */
static void assert_revolution(Shape shape, double half_height, double (*radius)(const Shape *, double),
                              double tolerance)
{
    enum { SLICES = 200000 };
    double sum[3] = {0}, density = 3.7;
    for (int i = 0; i <= SLICES; i++) {
        double y = half_height * (2.0 * i / SLICES - 1.0), r = radius(&shape, y);
        double weight = (i == 0 || i == SLICES ? 1.0 : i % 2 ? 4.0 : 2.0) * 2.0 * half_height / SLICES / 3.0;
        double dm = weight * density * PI * r * r;
        sum[0] += dm;
        sum[1] += dm * (0.25 * r * r + y * y);
        sum[2] += dm * 0.5 * r * r;
    }
    MassProperties solid = shape_mass_properties(&shape, density);
    assert_near(solid.mass, sum[0], tolerance);
    assert_near(solid.inertia.m[0][0], sum[1], tolerance);
    assert_near(solid.inertia.m[2][2], sum[1], tolerance);
    assert_near(solid.inertia.m[1][1], sum[2], tolerance);
}

static double cylinder_radius(const Shape *shape, double y)
{
    (void)y;
    return shape->radius;
}

static double capsule_radius(const Shape *shape, double y)
{
    double beyond = fabs(y) - 0.5 * shape->length, r = shape->radius;
    return beyond > 0.0 ? sqrt(fmax(0.0, r * r - beyond * beyond)) : r;
}

static void cylinder_agrees_with_integration_over_discs(void **state)
{
    (void)state;
    /* Polynomials of degree 2: Simpson is exact. */
    assert_revolution((Shape){.kind = SHAPE_CYLINDER, .radius = 0.43, .length = 1.3}, 0.65, cylinder_radius, 1e-11);
}

static void capsule_agrees_with_integration_over_discs(void **state)
{
    (void)state;
    /* A kink in the second derivative where the caps begin: Simpson's error is of the order of (1.9/200000)^3. */
    assert_revolution((Shape){.kind = SHAPE_CAPSULE, .radius = 0.29, .length = 1.33}, 0.955, capsule_radius, 1e-11);
}

static void capsule_without_length_is_a_sphere(void **state)
{
    (void)state;
    Shape sphere = {.kind = SHAPE_SPHERE, .radius = 0.7}, capsule = {.kind = SHAPE_CAPSULE, .radius = 0.7};
    MassProperties a = shape_mass_properties(&sphere, 1.9), b = shape_mass_properties(&capsule, 1.9);
    assert_near(a.mass, b.mass, ROUND_OFF);
    assert_mat3_near(a.inertia, b.inertia, ROUND_OFF);
}

/* Erratum 13: integrals about the centre of mass, and x^2 + y^2 in the last diagonal entry. */
static void turned_and_offset_mesh_of_a_box_has_the_boxs_mass_properties(void **state)
{
    (void)state;
    Random random = {11};
    Shape box = {.kind = SHAPE_BOX, .size = BOX_SIZE};
    MassProperties expected = shape_mass_properties(&box, 4.3);
    Vec3 d = vec3(expected.inertia.m[0][0], expected.inertia.m[1][1], expected.inertia.m[2][2]);
    for (int i = 0; i < 100; i++) {
        Quat q = random_quat(&random);
        Vec3 centre = random_vec3(&random, 3.0);
        Mesh *mesh = box_mesh(BOX_SIZE, q, centre);
        Shape shape = {.kind = SHAPE_MESH, .mesh = mesh};
        MassProperties solid = shape_mass_properties(&shape, 4.3);
        assert_near(solid.mass, expected.mass, ROUND_OFF);
        assert_vec3_near(solid.centre, centre, ROUND_OFF);
        assert_mat3_near(solid.inertia, mat3_turn_diagonal(q, d), ROUND_OFF);
        mesh_destroy(mesh);
    }
}

static void mesh_far_from_its_origin_keeps_its_inertia(void **state)
{
    (void)state;
    Shape box = {.kind = SHAPE_BOX, .size = BOX_SIZE};
    MassProperties expected = shape_mass_properties(&box, 1.0);
    Vec3 far = vec3(1234.5, -9876.5, 4321.5);
    Mesh *mesh = box_mesh(BOX_SIZE, QUAT_IDENTITY, far);
    MassProperties solid = mesh_mass_properties(mesh, 1.0);
    /* The corners themselves are rounded to 1e4 x 1e-16. */
    assert_mat3_near(solid.inertia, expected.inertia, 1e-11);
    mesh_recentre(mesh, solid.centre);
    assert_vec3_near(mesh_mass_properties(mesh, 1.0).centre, VEC3_ZERO, 1e-11);
    mesh_destroy(mesh);
}

/* Shuffles nothing: the principal frame may list the axes in any order and sign, but it must turn I into a diagonal. */
static void principal_axes_of_a_turned_box_are_its_edges(void **state)
{
    (void)state;
    Random random = {12};
    for (int i = 0; i < 200; i++) {
        Quat q = random_quat(&random), axes;
        Vec3 d = vec3(0.31, 1.7, 0.92), moments;
        Status status;
        assert_true(inertia_principal_axes(mat3_turn_diagonal(q, d), &axes, &moments, &status));
        assert_near(mat3_determinant(mat3_from_quat(axes)), 1.0, ROUND_OFF);
        assert_mat3_near(mat3_turn_diagonal(axes, moments), mat3_turn_diagonal(q, d), ROUND_OFF);
        /* dsyev sorts: 0.31, 0.92, 1.7 are the box's x, z, y. */
        static const int EDGE[3] = {0, 2, 1};
        for (int k = 0; k < 3; k++) {
            assert_near(vec3_get(moments, k), vec3_get(d, EDGE[k]), ROUND_OFF);
            Vec3 found = quat_rotate(axes, vec3_axis(k)), edge = quat_rotate(q, vec3_axis(EDGE[k]));
            assert_near(fabs(vec3_dot(found, edge)), 1.0, ROUND_OFF);
        }
    }
}

static void diagonal_tensor_keeps_its_axes_to_the_bit(void **state)
{
    (void)state;
    Mat3 I = mat3_diagonal(vec3(2.9, 0.4, 1.3));
    I.m[0][2] = I.m[2][0] = 3e-15; /* round-off: below 1e-14 of the trace 4.6 */
    Quat axes;
    Vec3 moments;
    Status status;
    assert_true(inertia_principal_axes(I, &axes, &moments, &status));
    assert_memory_equal(&axes, &QUAT_IDENTITY, sizeof axes);
    assert_vec3_near(moments, vec3(2.9, 0.4, 1.3), 0.0);
}

static void inertia_that_no_solid_has_is_refused(void **state)
{
    (void)state;
    Mat3 I = mat3_diagonal(vec3(1.0, 2.0, 3.0));
    I.m[0][1] = I.m[1][0] = 5.0; /* an eigenvalue below zero */
    Quat axes;
    Vec3 moments;
    Status status = {0};
    assert_false(inertia_principal_axes(I, &axes, &moments, &status));
    assert_non_null(strstr(status.message, "not all positive"));
}

/* Erratum 8: the inverse turns like the tensor, R I_body^-1 R^T. */
static void turned_inertia_times_turned_inverse_is_one(void **state)
{
    (void)state;
    Random random = {13};
    for (int i = 0; i < 100; i++) {
        Quat q = random_quat(&random);
        Vec3 d = vec3(0.31, 1.7, 0.92);
        Mat3 I = mat3_turn_diagonal(q, d), inverse = mat3_turn_diagonal(q, vec3(1 / d.x, 1 / d.y, 1 / d.z));
        assert_mat3_near(mat3_mul(I, inverse), mat3_diagonal(vec3(1, 1, 1)), ROUND_OFF);
        assert_mat3_near(inverse, mat3_inverse(I), ROUND_OFF);
    }
    World *world = world_create();
    int body = build_random_box(world, &random, "box");
    Mat3 I = mat3_turn_diagonal(world->pose[body].q, world->mass[body].inertia);
    Vec3 u = random_vec3(&random, 1.0);
    assert_mat3_near(mat3_mul(I, world_inv_inertia(world, body)), mat3_diagonal(vec3(1, 1, 1)), ROUND_OFF);
    assert_vec3_near(mat3_mul_vec(I, world_inv_inertia_mul(world, body, u)), u, ROUND_OFF);
    world_destroy(world);
}

static void hull_of_a_boxs_corners_and_inner_points_is_the_box(void **state)
{
    (void)state;
    Random random = {14};
    enum { INNER = 40, COUNT = 8 + INNER };
    for (int trial = 0; trial < 20; trial++) {
        Vec3 size = random_sides(&random, 0.2, 2);
        Vec3 points[COUNT], centre = random_vec3(&random, 5.0);
        Quat q = random_quat(&random);
        box_corners(size, q, centre, points + INNER);
        for (int i = 0; i < INNER; i++)
            points[i] = vec3_add(centre, quat_rotate(q, vec3_mul(size, random_vec3(&random, 0.49))));
        Status status;
        Mesh *hull = mesh_create_hull(COUNT, points, &status);
        assert_non_null(hull);
        assert_int_equal(hull->vertex_count, 8);
        assert_int_equal(hull->triangle_count, 12);
        assert_true(mesh_check_closed(hull, &status));
        Shape box = {.kind = SHAPE_BOX, .size = size}, shape = {.kind = SHAPE_HULL, .mesh = hull};
        MassProperties expected = shape_mass_properties(&box, 2.7), solid = shape_mass_properties(&shape, 2.7);
        Mat3 I = expected.inertia;
        assert_near(solid.mass, expected.mass, 1e-12);
        assert_vec3_near(solid.centre, centre, 1e-12);
        assert_mat3_near(solid.inertia, mat3_turn_diagonal(q, vec3(I.m[0][0], I.m[1][1], I.m[2][2])), 1e-12);
        mesh_destroy(hull);
    }
}

/* An axis-aligned box has exactly coplanar quads; points on faces and edges and repeated points are no corners. */
static void hull_passes_over_points_on_faces_and_repeated_points(void **state)
{
    (void)state;
    Vec3 points[8 * 2 + 3];
    box_corners(vec3(2, 4, 6), QUAT_IDENTITY, VEC3_ZERO, points);
    memcpy(points + 8, points, 8 * sizeof *points);
    points[16] = vec3(1, 0.5, -0.25);
    points[17] = vec3(1, 2, 0.125);
    points[18] = VEC3_ZERO;
    Status status;
    Mesh *hull = mesh_create_hull(19, points, &status);
    assert_non_null(hull);
    assert_true(mesh_check_closed(hull, &status));
    assert_near(mesh_mass_properties(hull, 1.0).mass, 48.0, 1e-12);
    mesh_destroy(hull);
}

static void hull_of_random_points_is_convex_and_seen_from_outside(void **state)
{
    (void)state;
    Random random = {15};
    enum { COUNT = 300 };
    Vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[i] = random_vec3(&random, 0.2);
        points[i] = vec3_add(random_unit(&random), points[i]);
    }
    Status status;
    Mesh *hull = mesh_create_hull(COUNT, points, &status);
    assert_non_null(hull);
    assert_true(mesh_check_closed(hull, &status));
    /* Euler's formula for a closed triangle surface. */
    assert_int_equal(hull->triangle_count, 2 * hull->vertex_count - 4);
    for (int t = 0; t < hull->triangle_count; t++) {
        const int *k = hull->triangles[t];
        Vec3 a = hull->vertices[k[0]], b = hull->vertices[k[1]], c = hull->vertices[k[2]];
        Vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        for (int i = 0; i < COUNT; i++)
            assert_true(vec3_dot(normal, vec3_sub(points[i], a)) <= 1e-14);
    }
    mesh_destroy(hull);
}

static void assert_no_hull(int count, const Vec3 *points, const char *reason)
{
    Status status = {0};
    assert_null(mesh_create_hull(count, points, &status));
    assert_int_equal(status.code, STATUS_FAILED);
    if (!strstr(status.message, reason))
        fail_msg("the message is '%s'", status.message);
}

static void points_that_span_no_volume_have_no_hull(void **state)
{
    (void)state;
    Random random = {16};
    Vec3 plane[20], line[5], same[6], u = random_unit(&random), v = random_unit(&random);
    for (int i = 0; i < 20; i++) {
        plane[i] = vec3_scale(random_in(&random, -1, 1), v);
        plane[i] = vec3_add_scaled(plane[i], random_in(&random, -1, 1), u);
    }
    for (int i = 0; i < 5; i++)
        line[i] = vec3_scale(random_in(&random, -1, 1), u);
    for (int i = 0; i < 6; i++)
        same[i] = u;
    assert_no_hull(20, plane, "lie in a plane");
    assert_no_hull(5, line, "lie in a plane");
    assert_no_hull(6, same, "all the same");
    assert_no_hull(3, plane, "it takes 4");
    plane[7].y = NAN;
    assert_no_hull(20, plane, "point 7 is not finite");
}

/* About its own centre a tetrahedron has the second moments m/20 sum of (v - c)(v - c)^T over its corners. */
static void tetrahedron_has_its_closed_form_inertia_about_its_centre(void **state)
{
    (void)state;
    static const int FACES[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    Random random = {17};
    for (int trial = 0; trial < 50; trial++) {
        Vec3 v[4], c = VEC3_ZERO;
        for (int i = 0; i < 4; i++)
            v[i] = vec3_add(vec3(5, -3, 2), random_vec3(&random, 1.5));
        double m = vec3_dot(vec3_cross(vec3_sub(v[1], v[0]), vec3_sub(v[2], v[0])), vec3_sub(v[3], v[0])) / 6.0;
        for (int i = 0; i < 4; i++)
            c = vec3_add_scaled(c, 0.25, v[i]);
        Mat3 I = {0};
        for (int i = 0; i < 4; i++) {
            Vec3 r = vec3_sub(v[i], c);
            double x[3] = {r.x, r.y, r.z};
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    I.m[j][k] += m / 20.0 * ((j == k) * vec3_dot(r, r) - x[j] * x[k]);
        }
        Mesh *mesh = mesh_create(4, v, 4, FACES);
        MassProperties solid = mesh_mass_properties(mesh, 1.0); /* of either sign: so is m */
        assert_near(solid.mass, m, ROUND_OFF);
        assert_mat3_near(solid.inertia, I, ROUND_OFF);
        /* Towards a flat one the centre is a quotient of small numbers. */
        assert_vec3_near(solid.centre, c, ROUND_OFF / fabs(m));
        mesh_destroy(mesh);
    }
}

/* Its mass is a third of the polygon's area times the height. */
static void pyramid_on_a_polygon_has_its_centre_at_a_quarter_height(void **state)
{
    (void)state;
    enum { SIDES = 17 };
    double r = 0.8, height = 1.9;
    Vec3 points[SIDES + 1];
    for (int i = 0; i < SIDES; i++)
        points[i] = vec3(r * cos(2 * PI * i / SIDES), 0.3, r * sin(2 * PI * i / SIDES));
    points[SIDES] = vec3(0, 0.3 + height, 0);
    Status status;
    Mesh *hull = mesh_create_hull(SIDES + 1, points, &status);
    assert_non_null(hull);
    MassProperties solid = mesh_mass_properties(hull, 1.0);
    assert_near(solid.mass, 0.5 * SIDES * r * r * sin(2 * PI / SIDES) * height / 3, 1e-13);
    assert_vec3_near(solid.centre, vec3(0, 0.3 + height / 4, 0), 1e-13);
    mesh_destroy(hull);
}

static void assert_not_closed(int triangle_count, const int (*triangles)[3], const char *reason)
{
    Vec3 corners[8];
    box_corners(BOX_SIZE, QUAT_IDENTITY, VEC3_ZERO, corners);
    Mesh *mesh = mesh_create(8, corners, triangle_count, triangles);
    Status status = {0};
    assert_non_null(mesh);
    assert_false(mesh_check_closed(mesh, &status));
    if (!strstr(status.message, reason))
        fail_msg("the message is '%s'", status.message);
    mesh_destroy(mesh);
}

static void open_or_badly_oriented_mesh_is_refused(void **state)
{
    (void)state;
    int triangles[13][3];
    memcpy(triangles, BOX_TRIANGLES, sizeof BOX_TRIANGLES);
    assert_not_closed(11, (const int(*)[3])triangles, "edge 4-6 belongs to 1 triangle, not to 2");
    assert_not_closed(0, (const int(*)[3])triangles, "no triangles");
    memcpy(triangles[12], triangles[11], sizeof triangles[12]);
    assert_not_closed(13, (const int(*)[3])triangles, "belongs to 3 triangles");
    triangles[11][0] = BOX_TRIANGLES[11][1];
    triangles[11][1] = BOX_TRIANGLES[11][0];
    assert_not_closed(12, (const int(*)[3])triangles, "the same way");
    Mesh *whole = box_mesh(BOX_SIZE, QUAT_IDENTITY, VEC3_ZERO);
    Status status;
    assert_true(mesh_check_closed(whole, &status));
    mesh_destroy(whole);
}

static void bounding_radius_touches_the_farthest_point(void **state)
{
    (void)state;
    Mesh *mesh = box_mesh(BOX_SIZE, quat_axis_angle(vec3(0, 0, 1), 0.7), VEC3_ZERO);
    double half_diagonal = 0.5 * sqrt(0.37 * 0.37 + 1.91 * 1.91 + 0.83 * 0.83);
    assert_near(shape_bounding_radius(&(Shape){.kind = SHAPE_SPHERE, .radius = 0.7}), 0.7, 0.0);
    assert_near(shape_bounding_radius(&(Shape){.kind = SHAPE_BOX, .size = BOX_SIZE}), half_diagonal, ROUND_OFF);
    assert_near(shape_bounding_radius(&(Shape){.kind = SHAPE_MESH, .mesh = mesh}), half_diagonal, ROUND_OFF);
    assert_near(shape_bounding_radius(&(Shape){.kind = SHAPE_CAPSULE, .radius = 0.2, .length = 3.0}), 1.7, ROUND_OFF);
    assert_near(shape_bounding_radius(&(Shape){.kind = SHAPE_CYLINDER, .radius = 3.0, .length = 8.0}), 5.0, ROUND_OFF);
    assert_near(shape_bounding_radius(&(Shape){.kind = SHAPE_NONE}), 0.0, 0.0);
    assert_true(isinf(shape_bounding_radius(&(Shape){.kind = SHAPE_PLANE})));
    mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_has_two_fifths_m_r_squared),
        cmocka_unit_test(box_has_a_twelfth_of_the_squared_edges),
        cmocka_unit_test(cylinder_agrees_with_integration_over_discs),
        cmocka_unit_test(capsule_agrees_with_integration_over_discs),
        cmocka_unit_test(capsule_without_length_is_a_sphere),
        cmocka_unit_test(turned_and_offset_mesh_of_a_box_has_the_boxs_mass_properties),
        cmocka_unit_test(mesh_far_from_its_origin_keeps_its_inertia),
        cmocka_unit_test(principal_axes_of_a_turned_box_are_its_edges),
        cmocka_unit_test(diagonal_tensor_keeps_its_axes_to_the_bit),
        cmocka_unit_test(inertia_that_no_solid_has_is_refused),
        cmocka_unit_test(turned_inertia_times_turned_inverse_is_one),
        cmocka_unit_test(hull_of_a_boxs_corners_and_inner_points_is_the_box),
        cmocka_unit_test(hull_passes_over_points_on_faces_and_repeated_points),
        cmocka_unit_test(hull_of_random_points_is_convex_and_seen_from_outside),
        cmocka_unit_test(points_that_span_no_volume_have_no_hull),
        cmocka_unit_test(tetrahedron_has_its_closed_form_inertia_about_its_centre),
        cmocka_unit_test(pyramid_on_a_polygon_has_its_centre_at_a_quarter_height),
        cmocka_unit_test(open_or_badly_oriented_mesh_is_refused),
        cmocka_unit_test(bounding_radius_touches_the_farthest_point),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
