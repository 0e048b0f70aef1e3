/* SPDX-License-Identifier: MIT */
/* Ellipsoids: mass, points on them, and contact with every shape against a search over all directions. */
#include "tests/model/gap_search.h"

#include "model/array.h"
#include "model/contact.h"
#include "model/contact/block_contact.h"
#include "tests/support/build.h"

static const ShapeKind OTHERS[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_HULL, SHAPE_ELLIPSOID};
enum { OTHER_COUNT = sizeof OTHERS / sizeof OTHERS[0], TRIALS = 120 };

/* m, as of the other shapes: the polytope ends within 1e-9 of the size, the search within 1e-8. */
#define TOLERANCE 1.1e-6
#define MARGIN 0.08

/* The integrals over scaled balls, by slices of x: exact for polynomials of this degree in the sum over many slices up
 * to the square of their width. */
static void its_mass_and_inertia_are_those_of_its_slices(void **state)
{
    (void)state;
    Vec3 r = {0.37, 0.81, 0.53};
    double density = 1730.0, mass = 0.0, xx = 0.0, yy = 0.0, zz = 0.0;
    enum { SLICES = 200000 };
    for (int i = 0; i < SLICES; i++) {
        double x = r.x * ((2.0 * i + 1.0) / SLICES - 1.0), s = 1.0 - x * x / (r.x * r.x);
        double slice = density * PI * r.y * r.z * s * 2.0 * r.x / SLICES; /* an ellipse of radii r sqrt(s) */
        mass += slice;
        xx += slice * x * x;
        yy += slice * 0.25 * r.y * r.y * s;
        zz += slice * 0.25 * r.z * r.z * s;
    }
    MassProperties solid = shape_mass_properties(&(Shape){.kind = SHAPE_ELLIPSOID, .radii = r}, density);
    assert_near(solid.mass, mass, 1e-10 * mass);
    assert_near(solid.inertia.m[0][0], yy + zz, 1e-9 * (yy + zz));
    assert_near(solid.inertia.m[1][1], xx + zz, 1e-9 * (xx + zz));
    assert_near(solid.inertia.m[2][2], xx + yy, 1e-9 * (xx + yy));
    assert_near(solid.inertia.m[0][1], 0.0, 0.0);
}

static double on_surface(Vec3 r, Vec3 p)
{
    return p.x * p.x / (r.x * r.x) + p.y * p.y / (r.y * r.y) + p.z * p.z / (r.z * r.z);
}

static void the_nearest_point_lies_on_it_and_below_its_normal_inside_and_outside(void **state)
{
    (void)state;
    Random random = {0xe111};
    for (int i = 0; i < 20000; i++) {
        Vec3 r = random_sides(&random, 0.05, 1.0), p = random_vec3(&random, 1.5), n;
        double *part[3] = {&p.x, &p.y, &p.z};
        if (i % 5 == 0) /* in a plane of symmetry, on an axis, in the centre */
            for (int k = 0; k <= i / 5 % 3; k++)
                *part[(i / 15 + k) % 3] = 0.0;
        Vec3 q = ellipsoid_nearest(r, p, &n), away = vec3_sub(p, q);
        assert_near(on_surface(r, q), 1.0, 1e-9);
        /* The difference is along the normal, but for what the smallest radius blows up. */
        assert_true(vec3_norm(vec3_cross(n, away)) < 1e-8);
        /* No other point is nearer. */
        for (int k = 0; k < 40; k++) {
            Vec3 d = fibonacci(k, 40), other = vec3_scale(1.0 / sqrt(on_surface(r, d)), d);
            assert_true(vec3_norm(vec3_sub(p, other)) > vec3_norm(away) - 1e-9);
        }
    }
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
    assert_int_equal(patch.count, 1);
    const Touch *touch = &patch.touch[0];
    assert_near(vec3_norm(patch.normal), 1.0, 1e-12);
    /* The gap of its own direction, and none that the search finds is larger. */
    if (!(touch->gap > truth - TOLERANCE))
        print_error("kinds %d and %d: found %.9f, a direction has %.9f\n", one->shape.kind, two->shape.kind, touch->gap,
                    truth);
    assert_near(shapes_gap(one, two, patch.normal), touch->gap, 1e-9);
    assert_true(touch->gap > truth - TOLERANCE);
    Vec3 p1 = shapes_surface1(&a, &patch, touch), p2 = shapes_surface2(&b, &patch, touch);
    assert_near(vec3_dot(patch.normal, vec3_sub(p2, p1)), touch->gap, 1e-9);
    for (int k = 0; k < 100; k++) {
        Vec3 d = fibonacci(k, 100);
        assert_true(vec3_dot(d, p1) < shapes_height(one, d) + 2e-3 && vec3_dot(d, p2) < shapes_height(two, d) + 2e-3);
    }
    ++*touching;
}

static void every_pair_with_an_ellipsoid_has_the_largest_gap_over_all_directions(void **state)
{
    (void)state;
    Random random = {0xe112};
    for (int i = 0; i < OTHER_COUNT; i++) {
        int touching = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            Placed one = shapes_random(&random, SHAPE_ELLIPSOID), two = shapes_random(&random, OTHERS[i]);
            two.x = vec3_add(one.x, random_arrow(&random, 0.2, 1.2));
            if (trial % 2)
                check_pair(&two, &one, &random, &touching);
            else
                check_pair(&one, &two, &random, &touching);
            shapes_free(&two);
        }
        assert_in_range(touching, TRIALS / 5, TRIALS);
    }
}

/* m: closed form, round-off only. */
static void a_plane_touches_its_lowest_point(void **state)
{
    (void)state;
    Random random = {0xe113};
    for (int trial = 0; trial < 500; trial++) {
        Patch patch;
        Placed plane = shapes_random(&random, SHAPE_PLANE), other = shapes_random(&random, SHAPE_ELLIPSOID);
        Convex a = shapes_convex(&plane), b = shapes_convex(&other);
        Vec3 n = quat_rotate(plane.q, plane.shape.normal);
        double lowest = -shapes_height(&other, vec3_negate(n)) - plane.shape.offset - vec3_dot(n, plane.x);
        collide(&a, &b, 1.0, MARGIN, &patch);
        assert_int_equal(patch.count, lowest < MARGIN);
        if (patch.count > 0)
            assert_near(patch.touch[0].gap, lowest, 1e-13);
    }
}

/* Of equal radii it is a ball: with spheres and boxes the same contacts to round-off. */
static void of_equal_radii_it_is_a_sphere(void **state)
{
    (void)state;
    Random random = {0xe114};
    const ShapeKind kinds[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_PLANE};
    for (int trial = 0; trial < 400; trial++) {
        Placed ball = shapes_random(&random, SHAPE_SPHERE), round = ball,
               other = shapes_random(&random, kinds[trial % 4]);
        round.shape =
            (Shape){.kind = SHAPE_ELLIPSOID, .radii = {ball.shape.radius, ball.shape.radius, ball.shape.radius}};
        other.x = vec3_add(ball.x, random_arrow(&random, 0.5, 0.9));
        Convex a = shapes_convex(&other), b = shapes_convex(&ball), c = shapes_convex(&round);
        Patch there, here;
        collide(&a, &b, 1.0, MARGIN, &there);
        collide(&a, &c, 1.0, MARGIN, &here);
        assert_int_equal(there.count, here.count);
        if (there.count == 0)
            continue;
        /* The polytope ends within 1e-9 of the overlap, which leaves the direction open by the root of that; the first
         * touching point of several is not the deepest of a capsule. */
        assert_near(shapes_least_gap(&there), here.touch[0].gap, 1e-8);
        assert_true(kinds[trial % 4] == SHAPE_CAPSULE || vec3_norm(vec3_sub(there.normal, here.normal)) < 1e-4);
        assert_near(here.touch[0].radius1 + here.touch[0].radius2, there.touch[0].radius1 + there.touch[0].radius2,
                    1e-9);
    }
}

/* C and its rate at the poses of a body that turns: C anew is C plus the row's rate to first order, and Jdot V is what
 * a difference of J V says. */
static void a_contact_of_a_body_that_rolls_follows_its_surface(void **state)
{
    (void)state;
    Random random = {0xe115};
    World *world = world_create();
    build_plane(world, vec3(0, 1, 0), 0.0);
    BodyDef def = build_random_def(&random, "egg");
    def.shape = (Shape){.kind = SHAPE_ELLIPSOID, .radii = {0.31, 0.72, 0.45}};
    def.has_inertia = false;
    def.mass = 2.3;
    Convex convex;
    convex_place(&convex, &def.shape, NULL, VEC3_ZERO, def.orientation);
    def.position = vec3(0.3, -convex_support(&convex, vec3(0, -1, 0)).y - 0.001, -0.2);
    int egg = build_body(world, &def);
    world->collide = true;
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    assert_int_equal(world->manifold_count, 1);
    const Block *contact = &world->blocks[world->joint_block_count];
    assert_true(contact->rolls);
    world->velocity[egg] = (Velocity){vec3(0.4, -0.3, 0.7), vec3(1.3, -0.8, 0.9)};
    Rows now, later;
    double bias[BLOCK_MAX_ROWS], h = 1e-6;
    block_rows(world, contact, &now);
    block_rows_bias(world, contact, bias);
    Velocity V = world->velocity[egg];
    world->pose[egg].x = vec3_add_scaled(world->pose[egg].x, h, V.v);
    world->pose[egg].q = quat_nudge_world(world->pose[egg].q, vec3_scale(h, V.w));
    block_rows(world, contact, &later);
    const double v[6] = {V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z};
    double rate = 0.0, rate_later = 0.0;
    for (int k = 0; k < 6; k++) {
        rate += now.J[0][6 + k] * v[k];
        rate_later += later.J[0][6 + k] * v[k];
    }
    assert_near((later.C[0] - now.C[0]) / h, rate, 1e-5);
    assert_near((rate_later - rate) / h, bias[0], 1e-5);
    /* The lowest point itself. */
    convex_place(&convex, &def.shape, NULL, world->pose[egg].x, world_reported_orientation(world, egg));
    assert_near(later.C[0], convex_support(&convex, vec3(0, -1, 0)).y, 1e-15);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_mass_and_inertia_are_those_of_its_slices),
        cmocka_unit_test(the_nearest_point_lies_on_it_and_below_its_normal_inside_and_outside),
        cmocka_unit_test(every_pair_with_an_ellipsoid_has_the_largest_gap_over_all_directions),
        cmocka_unit_test(a_plane_touches_its_lowest_point),
        cmocka_unit_test(of_equal_radii_it_is_a_sphere),
        cmocka_unit_test(a_contact_of_a_body_that_rolls_follows_its_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
