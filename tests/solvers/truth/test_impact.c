/* SPDX-License-Identifier: MIT */
/* The impact matrix M_rr of lecture 003 by itself: what a body weighs at a point r of its own. */
#include "tests/solvers/contact_worlds.h"
#include "tests/support/drive.h"

/* So short that nothing moves or falls in it. */
static const double MOMENT = 1e-7;

/* A box of 0.4 x 0.6 x 0.8 m, turned so that one corner alone touches the ground, moving and spinning towards it. */
static World *corner_impact(double mu, double e, Vec3 *corner)
{
    World *world = contact_world(mu, e);
    world->gravity = VEC3_ZERO;
    add_plane(world, vec3(0, 1, 0));
    BodyDef box = box_def("box", vec3(0.4, 0.6, 0.8), VEC3_ZERO);
    box.orientation = quat_mul(quat_axis_angle(vec3(0, 0, 1), 0.5), quat_axis_angle(vec3(1, 0, 0), 0.7));
    Vec3 lowest = vec3(0, INFINITY, 0);
    for (int i = 0; i < 8; i++) {
        Vec3 at = quat_rotate(box.orientation, vec3(i & 1 ? 0.2 : -0.2, i & 2 ? 0.3 : -0.3, i & 4 ? 0.4 : -0.4));
        lowest = at.y < lowest.y ? at : lowest;
    }
    box.position = vec3(0, -lowest.y, 0);
    box.velocity = vec3(0.13, -1.7, 0.08);
    box.angular_velocity = vec3(0.2, 0.1, -0.3);
    int body = build_body(world, &box);
    *corner = vec3_add(world->pose[body].x, lowest);
    return world;
}

/* M_rr^-1 = 1/m - [r] I^-1 [r]. */
static Mat3 impact_matrix(const World *world, int body, Vec3 r)
{
    Mat3 inverse;
    for (int c = 0; c < 3; c++) {
        Vec3 f = vec3_axis(c), turn = world_inv_inertia_mul(world, body, vec3_cross(r, f));
        Vec3 v = vec3_add_scaled(vec3_cross(turn, r), world->mass[body].inv_mass, f);
        for (int k = 0; k < 3; k++)
            inverse.m[k][c] = vec3_get(v, k);
    }
    return mat3_inverse(inverse);
}

static const struct {
    const char *solver, *options;
} EXACT[] = {
    {"pgs", "iterations=4000 warm_start=false"}, {"pgs_dense", "iterations=4000 friction=pyramid"}, {"lcp", ""}};

static void check_impact(double e)
{
    for (size_t k = 0; k < sizeof EXACT / sizeof EXACT[0]; k++) {
        Vec3 corner, impulse = VEC3_ZERO;
        World *world = corner_impact(3.0, e, &corner);
        Vec3 r = vec3_sub(corner, world->pose[2].x), before = world_point_velocity(world, 2, r);
        /* j = M_rr (v_r+ - v_r), v_r+ = -e v_n n: the slide's -(1 + e) M_rr v_r would turn the slip round, too. */
        Vec3 wanted = vec3_sub(vec3(0, -e * before.y, 0), before);
        Vec3 expected = mat3_mul_vec(impact_matrix(world, 2, r), wanted);
        assert_true(hypot(expected.x, expected.z) < 3.0 * expected.y); /* it sticks */
        Status status;
        if (!solver_supports(drive_find(EXACT[k].solver), world, &status)) {
            world_destroy(world);
            continue;
        }
        drive_run(world, EXACT[k].solver, EXACT[k].options, MOMENT, 1);
        for (int b = 0; b < world->block_count; b++)
            impulse = vec3_add(impulse, world->block_impulse[b]);
        /* The sweeps end at 1e-9; a step of 1e-7 s moves the corner by as much. */
        assert_vec3_near(impulse, expected, 1e-6 * vec3_norm(expected));
        assert_vec3_near(world_point_velocity(world, 2, r), vec3(0, -e * before.y, 0), 1e-6);
        world_destroy(world);
    }
}

static void an_impact_that_sticks_is_the_impact_matrix_times_the_approach(void **state)
{
    (void)state;
    check_impact(0.0);
}

static void restitution_turns_the_normal_velocity_round_and_stops_the_slip(void **state)
{
    (void)state;
    check_impact(0.6);
}

/* The slide's recipe on a rod that hits the ground with its end: the impulse that sticks, clipped to the cone. Its
 * normal part was chosen for the friction that is then taken away: the end still approaches, or is thrown, and here
 * energy comes from nowhere. The solvers' own impulses: the_rod_gains_no_energy. */
static void clipping_the_sticking_impulse_to_the_cone_adds_energy(void **state)
{
    (void)state;
    World *world = falling_rod();
    const double mu = 0.1;
    Vec3 along = quat_rotate(world_reported_orientation(world, 2), vec3(0, 0.5, 0));
    Vec3 end = along.y < 0.0 ? along : vec3_negate(along);
    double before = world_kinetic_energy(world);
    Vec3 j = vec3_negate(mat3_mul_vec(impact_matrix(world, 2, end), world_point_velocity(world, 2, end)));
    double slip = hypot(j.x, j.z);
    assert_true(j.y > 0.0 && slip > mu * j.y); /* outside the cone */
    j.x *= mu * j.y / slip;
    j.z *= mu * j.y / slip;
    world->velocity[2].v = vec3_add_scaled(world->velocity[2].v, world->mass[2].inv_mass, j);
    world->velocity[2].w = vec3_add(world->velocity[2].w, world_inv_inertia_mul(world, 2, vec3_cross(end, j)));
    assert_true(world_kinetic_energy(world) > 1.05 * before);
    world_destroy(world);
}

/* One pair, one pass: a ball's normal and slip do not touch each other, so that even the naive impulse is exact. */
static void a_naive_bounce_does_not_throw_the_slip_back(void **state)
{
    (void)state;
    World *world = contact_world(2.0, 0.7);
    world->gravity = VEC3_ZERO;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.3, vec3(0, 0.3, 0));
    ball.velocity = vec3(0.9, -2.0, 0.4);
    ball.angular_velocity = vec3(1.1, 0.0, -0.6);
    build_body(world, &ball);
    drive_run(world, "naive", "", MOMENT, 1);
    /* Round-off, and what 1e-7 s turn the point by. */
    assert_vec3_near(world_point_velocity(world, 2, vec3(0, -0.3, 0)), vec3(0, 1.4, 0), 1e-6);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_that_sticks_is_the_impact_matrix_times_the_approach),
        cmocka_unit_test(restitution_turns_the_normal_velocity_round_and_stops_the_slip),
        cmocka_unit_test(clipping_the_sticking_impulse_to_the_cone_adds_energy),
        cmocka_unit_test(a_naive_bounce_does_not_throw_the_slip_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
