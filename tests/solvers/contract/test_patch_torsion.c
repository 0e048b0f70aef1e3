/* SPDX-License-Identifier: MIT */
/* Torsional friction (lecture 003, Contact Patch Friction): a point has none, a patch has, and its size follows from
 * the contact's geometry. Under uniform pressure it is mu N times the mean distance of the patch's points from its
 * centre:
 *
 *     disc of radius R    2/3 R
 *     ring of radius R    R
 *     square of side 2a   a (sqrt 2 + asinh 1) / 3 = 0.7652 a */
#include "tests/solvers/contact_worlds.h"
#include "tests/support/drive.h"

static const double MU = 0.37, G = 9.81;

static double square_mean(double a)
{
    return a * (sqrt(2.0) + asinh(1.0)) / 3.0;
}

/* Midpoints of n x n cells over [-1, 1]^2: the mean of r over those inside. */
static double mean_radius(bool (*inside)(double x, double y), int n)
{
    double sum = 0.0, count = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = (2 * i + 1.0) / n - 1.0, y = (2 * j + 1.0) / n - 1.0;
            if (inside(x, y)) {
                sum += hypot(x, y);
                count += 1.0;
            }
        }
    return sum / count;
}

static bool in_disc(double x, double y)
{
    return x * x + y * y <= 1.0;
}

static bool in_square(double x, double y)
{
    (void)x, (void)y;
    return true;
}

static bool in_thin_ring(double x, double y)
{
    double r = hypot(x, y);
    return r <= 1.0 && r >= 0.99;
}

static void closed_forms_are_the_integrals(void **state)
{
    (void)state;
    assert_near(mean_radius(in_square, 1000), square_mean(1.0), 1e-6); /* midpoints: 1/n^2 */
    assert_near(mean_radius(in_disc, 2000), 2.0 / 3.0, 2e-4);          /* cells at the rim are in or out: 1/n^1.5 */
    assert_near(mean_radius(in_thin_ring, 2000), 1.0, 6e-3);           /* it is 0.01 wide: its mean radius is 0.995 */
}

/* The torque of friction over mu N of a body that spins about the vertical for a tenth of a second. */
static double torsion_arm(BodyDef body, double patch_radius)
{
    World *world = contact_world(MU, 0.0);
    world->materials[0].patch_radius = patch_radius;
    add_plane(world, vec3(0, 1, 0));
    body.density = 0.0;
    body.mass = 2.3;
    body.has_inertia = true;
    body.inertia = vec3(40.0, 0.31, 40.0); /* kg m^2; a mast keeps it upright */
    body.angular_velocity = vec3(0, 11.0, 0);
    int spins = build_body(world, &body);
    drive_run(world, "pgs", "manifold=true", 1.0 / 60.0, 6); /* the points of a pair share the load evenly */
    double slowed = 11.0 - world->velocity[spins].w.y;
    world_destroy(world);
    return slowed * 0.31 / (6.0 / 60.0) / (MU * 2.3 * G);
}

static void a_point_has_no_torsional_friction(void **state)
{
    (void)state;
    assert_near(torsion_arm(sphere_def("ball", 0.2, vec3(0, 0.2, 0)), 0.0), 0.0, 1e-12);
}

/* The contact of one point with a patch's radius. */
static void a_disc_has_two_thirds_of_its_radius(void **state)
{
    (void)state;
    const double R = 0.13;
    assert_near(torsion_arm(sphere_def("ball", 0.2, vec3(0, 0.2, 0)), R), 2.0 / 3.0 * R, 1e-9);
}

/* Four points of the rim, each with a quarter of the load: also what a whole ring has. */
static void a_ring_has_its_radius(void **state)
{
    (void)state;
    const double R = 0.13;
    BodyDef ring = sphere_def("ring", 0.0, vec3(0, 0.001, 0));
    ring.shape = (Shape){.kind = SHAPE_CYLINDER, .radius = R, .length = 0.002};
    assert_near(torsion_arm(ring, 0.0), R, 1e-6);
}

/* A box touches with its corners, which are sqrt 2 a away: 1.848 times what uniform pressure gives. A patch of the
 * radius that the square's geometry asks for gives that. */
static void a_square_by_its_corners_has_too_much(void **state)
{
    (void)state;
    const double a = 0.11;
    double corners = torsion_arm(box_def("box", vec3(2 * a, 0.002, 2 * a), vec3(0, 0.001, 0)), 0.0);
    double patch = torsion_arm(sphere_def("ball", 0.2, vec3(0, 0.2, 0)), 1.5 * square_mean(a));
    assert_near(corners, sqrt(2.0) * a, 1e-6);
    assert_near(patch, square_mean(a), 1e-9);
    assert_near(corners / patch, 1.848, 5e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_are_the_integrals),       cmocka_unit_test(a_point_has_no_torsional_friction),
        cmocka_unit_test(a_disc_has_two_thirds_of_its_radius),  cmocka_unit_test(a_ring_has_its_radius),
        cmocka_unit_test(a_square_by_its_corners_has_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
