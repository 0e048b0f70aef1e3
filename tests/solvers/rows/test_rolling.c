/* SPDX-License-Identifier: MIT */
/* Friction against rolling and spinning, by lengths, and more friction at rest than in sliding: closed forms.
 *
 *     rolling ball      N c against the turn, friction backwards on the centre: v loses 5/7 c g / R
 *     spinning ball     N c about the normal: w loses 5/2 c g / R^2
 *     ball on a slope   rests up to tan = c / R, and rolls with 5/7 g (sin - c/R cos) beyond
 *     block             sticks up to tan = mu_s; slides with g (sin - mu_k cos) beyond; stops after v^2 / (2 mu_k g) */
#include "tests/solvers/contact_worlds.h"
#include "tests/support/drive.h"

static const double G = 9.81, R = 0.11, C = 0.0031;

/* Converged: the rows' coupling is solved to round-off in every substep. */
static const char *const EXACT = "iterations=400 slop=0";

/* A ball on a plane that falls by `angle` towards +x. */
static World *ball_on_slope(double angle, double rolling, double spin)
{
    World *world = contact_world(0.6, 0.0);
    Vec3 normal = vec3(sin(angle), cos(angle), 0);
    world->materials[0].rolling_friction = rolling;
    world->materials[0].spin_friction = spin;
    add_plane(world, normal);
    BodyDef ball = sphere_def("ball", R, vec3_scale(R, normal));
    build_body(world, &ball);
    return world;
}

/* Rolls to +x without sliding. */
static void set_rolling(World *world, int body, double v)
{
    world->velocity[body] = (Velocity){vec3(v, 0, 0), vec3(0, 0, -v / R)};
}

static void a_rolling_ball_loses_five_sevenths_of_c_g_over_r(void **state)
{
    World *world = ball_on_slope(0.0, C, 0.0);
    set_rolling(world, 2, 1.3);
    drive_run(world, *state, EXACT, 1.0 / 60.0, 60);
    double lost = 1.3 - world->velocity[2].v.x;
    assert_near(lost, 5.0 / 7.0 * C * G / R, 1e-6 * lost);
    assert_near(world->velocity[2].w.z, -world->velocity[2].v.x / R, 1e-9);
    world_destroy(world);
}

static void a_spinning_ball_loses_five_halves_of_c_g_over_r_squared(void **state)
{
    World *world = ball_on_slope(0.0, 0.0, C);
    world->velocity[2].w = vec3(0, 23.0, 0);
    drive_run(world, *state, EXACT, 1.0 / 60.0, 60);
    double lost = 23.0 - world->velocity[2].w.y;
    assert_near(lost, 2.5 * C * G / (R * R), 1e-6 * lost);
    assert_vec3_near(world->velocity[2].v, VEC3_ZERO, 1e-12);
    world_destroy(world);
}

/* And then it stands: neither row pushes it back. */
static void both_stop_and_stay(void **state)
{
    World *world = ball_on_slope(0.0, C, C);
    set_rolling(world, 2, 0.05);
    world->velocity[2].w.y = 1.0;
    drive_run(world, *state, EXACT, 1.0 / 60.0, 120);
    Vec3 x = world->pose[2].x;
    assert_vec3_near(world->velocity[2].v, VEC3_ZERO, 1e-12);
    assert_vec3_near(world->velocity[2].w, VEC3_ZERO, 1e-10);
    drive_run(world, *state, EXACT, 1.0 / 60.0, 120);
    assert_vec3_near(world->pose[2].x, x, 1e-10);
    world_destroy(world);
}

static void a_ball_rests_on_a_slope_up_to_c_over_r(void **state)
{
    World *world = ball_on_slope(atan(0.99 * C / R), C, 0.0);
    drive_run(world, *state, EXACT, 1.0 / 60.0, 60);
    assert_true(vec3_norm(world->velocity[2].v) < 1e-9);
    world_destroy(world);
    double angle = atan(3.0 * C / R);
    world = ball_on_slope(angle, C, 0.0);
    drive_run(world, *state, EXACT, 1.0 / 60.0, 60);
    double v = vec3_norm(world->velocity[2].v), exact = 5.0 / 7.0 * G * (sin(angle) - C / R * cos(angle));
    assert_near(v, exact, 1e-6 * exact);
    world_destroy(world);
}

/* A ball between two plates: both contacts resist, and momentum goes to who is pushed. */
static void a_pair_of_balls_keeps_its_angular_momentum(void **state)
{
    World *world = contact_world(0.6, 0.0);
    world->gravity = VEC3_ZERO;
    world->materials[0].rolling_friction = world->materials[0].spin_friction = 0.02;
    BodyDef one = sphere_def("one", R, vec3(-R, 0, 0)), two = sphere_def("two", R, vec3(R, 0, 0));
    one.velocity = vec3(1, 0, 0);
    one.angular_velocity = vec3(5, 3, -2);
    int a = build_body(world, &one), b = build_body(world, &two);
    Vec3 before = world_angular_momentum(world);
    drive_run(world, *state, EXACT, 1.0 / 60.0, 1);
    assert_true(vec3_norm(world->velocity[b].w) > 0.01);
    assert_vec3_near(world_angular_momentum(world), before, 1e-12);
    assert_true(vec3_dot(world->velocity[a].w, vec3(1, 0, 0)) < 5.0);
    world_destroy(world);
}

static World *sticky_slope(double tangent, double kinetic, double still)
{
    World *world = block_on_slope(atan(tangent), kinetic);
    world->materials[0].static_friction = still;
    return world;
}

/* How far a block comes down the slope in half a second, from rest or pushed. */
static double comes_down(const char *solver, double kinetic, double still, double speed)
{
    const double tangent = 0.45, angle = atan(tangent);
    Vec3 down = vec3(cos(angle), -sin(angle), 0);
    World *world = sticky_slope(tangent, kinetic, still);
    world->velocity[2].v = vec3_scale(speed, down);
    drive_run(world, solver, "", 1.0 / 240.0, 120);
    double way = vec3_dot(down, vec3_sub(world->pose[2].x, world->bodies[2].position));
    world_destroy(world);
    return way;
}

/* Between both coefficients a block stays where it is put as if the static one were all there is, and slides on if it
 * is pushed as if the kinetic one were. */
static void what_rests_sticks_and_what_slides_slides_on(void **state)
{
    (void)state;
    const double kinetic = 0.3, still = 0.6;
    int wrong = 0;
    for (int s = 0; s < solver_count; s++) {
        const char *name = all_solvers[s]->name;
        if (!(all_solvers[s]->capabilities & CAN_STICTION))
            continue;
        double stays = comes_down(name, kinetic, still, 0.0), slides = comes_down(name, kinetic, still, 0.5);
        double least = 0.25 + 10.0 * fabs(stays); /* m; it would come 0.25 m down without speeding up */
        if (fabs(stays - comes_down(name, still, 0.0, 0.0)) > 1e-12 ||
            fabs(slides - comes_down(name, kinetic, 0.0, 0.5)) > 1e-12 || slides < least) {
            print_error("%s: %g m from rest, %g m if pushed\n", name, stays, slides);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* A ball too heavy to turn: one point, so that the load is no matter of convergence. */
static void the_threshold_is_the_static_coefficient(void **state)
{
    const double kinetic = 0.3, still = 0.6;
    for (int above = 0; above < 2; above++) {
        double angle = atan(still) + (above ? 1e-6 : -1e-6);
        World *world = contact_world(kinetic, 0.0);
        Vec3 normal = vec3(sin(angle), cos(angle), 0);
        world->materials[0].static_friction = still;
        add_plane(world, normal);
        BodyDef ball = sphere_def("ball", R, vec3_scale(R, normal));
        ball.density = 0.0;
        ball.mass = 1.3;
        ball.has_inertia = true;
        ball.inertia = vec3(1e12, 1e12, 1e12);
        build_body(world, &ball);
        drive_run(world, *state, EXACT, 1.0 / 60.0, 60);
        /* Beyond it: g (sin - mu_s cos), 1.1e-5 m/s^2, until that counts as sliding. */
        double v = vec3_norm(world->velocity[2].v);
        assert_true(above ? v > 5e-6 && v < 2e-5 : v < 1e-9);
        world_destroy(world);
    }
}

/* Once it slides, the kinetic coefficient alone: after so many steps that the threshold's speed is behind. */
static void beyond_the_threshold_it_slides_with_kinetic_friction(void **state)
{
    const double kinetic = 0.3, still = 0.6, tangent = 0.8, angle = atan(tangent);
    double v[2];
    for (int k = 0; k < 2; k++) {
        World *world = sticky_slope(tangent, kinetic, still);
        drive_run(world, *state, EXACT, 1.0 / (k ? 240.0 : 120.0), k ? 240 : 120);
        v[k] = vec3_norm(world->velocity[2].v);
        world_destroy(world);
    }
    double exact = G * (sin(angle) - kinetic * cos(angle));
    /* The time until it counts as sliding shrinks with the step: one extrapolation. */
    assert_near(2.0 * v[1] - v[0], exact, 1e-6 * exact);
    assert_true(fabs(v[1] - exact) < fabs(v[0] - exact));
}

/* Whole steps to the stop: x = v^2 / (2 mu_k g) - h v / 2 as semi-implicit Euler has it, extrapolated. */
static void the_stopping_distance_is_that_of_kinetic_friction(void **state)
{
    const double kinetic = 0.3, still = 0.4, T = 0.5, v = kinetic * G * T;
    double x[2];
    for (int k = 0; k < 2; k++) {
        World *world = sticky_slope(0.0, kinetic, still);
        world->velocity[2].v = vec3(v, 0, 0);
        drive_run(world, *state, EXACT, 1.0 / (k ? 240.0 : 120.0), k ? 240 : 120);
        x[k] = world->pose[2].x.x;
        assert_near(world->velocity[2].v.x, 0.0, 1e-9);
        world_destroy(world);
    }
    double exact = v * v / (2.0 * kinetic * G);
    assert_near(2.0 * x[1] - x[0], exact, 1e-6 * exact);
}

static void others_refuse_what_they_lack(void **state)
{
    World *world = ball_on_slope(0.0, C, 0.0);
    Status status = {0};
    assert_true(solver_supports(drive_find(*state), world, &status));
    assert_false(solver_supports(drive_find("xpbd"), world, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "rolling and spinning friction"));
    world->materials[0].rolling_friction = 0.0;
    world->materials[0].static_friction = 0.9;
    assert_true(solver_supports(drive_find("xpbd"), world, &status));
    assert_false(solver_supports(drive_find("reference"), world, &status));
    assert_non_null(strstr(status.message, "static above kinetic friction"));
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_rolling_ball_loses_five_sevenths_of_c_g_over_r, "pgs"),
        cmocka_unit_test_prestate(a_rolling_ball_loses_five_sevenths_of_c_g_over_r, "articulated"),
        cmocka_unit_test_prestate(a_spinning_ball_loses_five_halves_of_c_g_over_r_squared, "pgs"),
        cmocka_unit_test_prestate(a_spinning_ball_loses_five_halves_of_c_g_over_r_squared, "articulated"),
        cmocka_unit_test_prestate(both_stop_and_stay, "pgs"),
        cmocka_unit_test_prestate(both_stop_and_stay, "articulated"),
        cmocka_unit_test_prestate(a_ball_rests_on_a_slope_up_to_c_over_r, "pgs"),
        cmocka_unit_test_prestate(a_ball_rests_on_a_slope_up_to_c_over_r, "articulated"),
        cmocka_unit_test_prestate(a_pair_of_balls_keeps_its_angular_momentum, "pgs"),
        cmocka_unit_test_prestate(a_pair_of_balls_keeps_its_angular_momentum, "articulated"),
        cmocka_unit_test(what_rests_sticks_and_what_slides_slides_on),
        cmocka_unit_test_prestate(the_threshold_is_the_static_coefficient, "pgs"),
        cmocka_unit_test_prestate(the_threshold_is_the_static_coefficient, "articulated"),
        cmocka_unit_test_prestate(beyond_the_threshold_it_slides_with_kinetic_friction, "pgs"),
        cmocka_unit_test_prestate(beyond_the_threshold_it_slides_with_kinetic_friction, "articulated"),
        cmocka_unit_test_prestate(the_stopping_distance_is_that_of_kinetic_friction, "pgs"),
        cmocka_unit_test_prestate(the_stopping_distance_is_that_of_kinetic_friction, "articulated"),
        cmocka_unit_test_prestate(others_refuse_what_they_lack, "pgs"),
        cmocka_unit_test_prestate(others_refuse_what_they_lack, "articulated"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
