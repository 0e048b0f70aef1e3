/* SPDX-License-Identifier: MIT */
/* The closed-form truths of the scenes of joints and chains, each against a route that does not use its formula:
 * the constraints, force balance, m (a - g) by finite differences, integration, and printed numbers. */
#include "tests/scenes/fixture.h"

#include "model/energy.h"
#include "scenes/truth/catenary.h"
#include "scenes/truth/pendulum.h"

#include <stdlib.h>

/* Step of second differences, s: truncation h^2 x jerk rates and round-off 1e-16/h^2 both stay near 1e-8. */
#define STEP 1e-4

static double quat_apart(Quat a, Quat b)
{
    return vec3_norm(quat_log(quat_mul(a, quat_conj(b))));
}

static void check_truth_at_start(Problem *problem)
{
    if (!problem->truth)
        return;
    const World *world = problem->world;
    Truth truth = built_truth(world);
    fixture_truth_at(problem, 0.0, &truth);
    for (int i = 1; i < world->body_count; i++) {
        assert_true(truth.has_position[i] && truth.has_orientation[i]);
        assert_true(vec3_norm(vec3_sub(truth.position[i], world->pose[i].x)) < 1e-12);
        /* An angle from a quaternion's components has round-off of a few 1e-16; swing_angle adds that of asin. */
        assert_true(quat_apart(truth.orientation[i], world_reported_orientation(world, i)) < 1e-12);
    }
    truth_free(&truth);
}

static void truth_begins_with_the_state_as_built(void **state)
{
    (void)state;
    fixture_for_each(check_truth_at_start);
}

static void check_truth_keeps_constraints(Problem *problem)
{
    for (int i = 0; problem->truth && i < FIXTURE_TIMES; i++) {
        fixture_place(problem, fixture_times[i]);
        assert_true(fixture_worst_violation(problem->world) < 1e-12);
        /* Central differences with h = 1e-5 s: h^2 x third derivatives (about 1e3) and 1e-16 / h. */
        assert_true(fixture_worst_velocity_error(problem->world) < 1e-6);
    }
}

static void truth_satisfies_every_constraint_at_all_times(void **state)
{
    (void)state;
    fixture_for_each(check_truth_keeps_constraints);
}

static void check_initial_velocity(Problem *problem)
{
    if (!problem->truth || problem->world->body_count > 100)
        return;
    World *world = problem->world;
    Velocity built[100];
    for (int i = 1; i < world->body_count; i++)
        built[i] = world->velocity[i];
    /* Differences about a time just after the start, where limits do not act yet. */
    fixture_place(problem, 2e-5);
    for (int i = 1; i < world->body_count; i++) {
        /* Accelerations (below 100 m/s^2) for 2e-5 s. */
        assert_true(vec3_norm(vec3_sub(world->velocity[i].v, built[i].v)) < 2e-3);
        assert_true(vec3_norm(vec3_sub(world->velocity[i].w, built[i].w)) < 2e-3);
    }
}

static void truth_begins_with_the_velocity_as_built(void **state)
{
    (void)state;
    fixture_for_each(check_initial_velocity);
}

/* Sums the truth's joint forces and their moments about each body's centre. */
static void check_forces(Problem *problem)
{
    if (!problem->truth || !problem->rest)
        return;
    const World *world = problem->world;
    fixture_place(problem, problem->time);
    Truth truth = built_truth(world);
    fixture_truth_at(problem, problem->time, &truth);
    double weight = 0.0;
    Vec3 *force = calloc((size_t)world->body_count, sizeof *force),
         *moment = calloc((size_t)world->body_count, sizeof *moment);
    bool torque_free = true;
    for (int j = 0; j < world->joint_count; j++) {
        const Joint *joint = &world->joints[j];
        assert_true(truth.has_force[j]);
        torque_free &= joint->def.type == JOINT_BALL ? isnan(joint->def.swing_max) : joint->def.type == JOINT_HINGE;
        torque_free &= isnan(joint->def.angle_min);
        for (int k = 0; k < 2; k++) {
            int body = joint->def.body[k];
            Vec3 f = k == 1 ? truth.force[j] : vec3_negate(truth.force[j]);
            Vec3 arm = vec3_sub(world_point(world, body, joint->anchor[k]), world->pose[body].x);
            force[body] = vec3_add(force[body], f);
            moment[body] = vec3_add(moment[body], vec3_cross(arm, f));
        }
    }
    for (int i = 1; i < world->body_count; i++)
        weight += world->mass[i].mass * -world->gravity.y;
    for (int i = 1; i < world->body_count; i++) {
        Vec3 left = vec3_add_scaled(force[i], world->mass[i].mass, world->gravity);
        /* Round-off of sums over all bodies. */
        assert_true(vec3_norm(left) < 1e-11 * weight);
        /* The closing gap of the equilibrium (1e-11 of the length at most) acts as a lever for the tension. */
        assert_true(!torque_free || vec3_norm(moment[i]) < 1e-9 * weight);
    }
    free(force);
    free(moment);
    truth_free(&truth);
}

static void joint_forces_at_rest_balance_weight_on_every_body(void **state)
{
    (void)state;
    fixture_for_each(check_forces);
}

/* Scenes of one joint a body: the joint's force is m (a - g), a by second differences. */
static void check_moving_forces(Problem *problem)
{
    const World *world = problem->world;
    if (!problem->truth || world->body_count > 3 || world->joint_count != world->body_count - 1)
        return;
    Truth at[3];
    for (int k = 0; k < 3; k++)
        at[k] = built_truth(world);
    for (int i = 0; i < FIXTURE_TIMES; i++) {
        for (int k = 0; k < 3; k++)
            fixture_truth_at(problem, fixture_times[i] + (k - 1) * STEP, &at[k]);
        for (int j = 0; j < world->joint_count; j++) {
            int body = world->joints[j].def.body[1];
            if (world->joints[j].def.body[0] != 0 || !at[1].has_force[j])
                continue;
            Vec3 a = vec3_add(at[0].position[body], at[2].position[body]);
            a = vec3_scale(1.0 / (STEP * STEP), vec3_add_scaled(a, -2.0, at[1].position[body]));
            Vec3 force = vec3_scale(world->mass[body].mass, vec3_sub(a, world->gravity));
            /* Truncation h^2/12 x fourth derivatives (at most 6^4 m/s^4) and round-off, relative to the weight. */
            assert_vec3_near(at[1].force[j], force, 1e-5 * 9.81 * world->mass[body].mass);
        }
    }
    for (int k = 0; k < 3; k++)
        truth_free(&at[k]);
}

static void joint_forces_in_motion_accelerate_the_bodies(void **state)
{
    (void)state;
    fixture_for_each(check_moving_forces);
}

static void check_settles(Problem *problem)
{
    if (!problem->truth || !problem->settled)
        return;
    fixture_place(problem, problem->time);
    /* As the runner would have summed it: what the kinetic energy has gained. */
    problem->world->actuator_work = world_kinetic_energy(problem->world);
    assert_true(problem->settled(problem, problem->world));
}

static void truth_settles(void **state)
{
    (void)state;
    fixture_for_each(check_settles);
}

static void limits_that_are_not_held_do_not_settle(void **state)
{
    (void)state;
    static const char *const SCENES[] = {"hinge_limit", "ball_limit", "prismatic",
                                         "servo",       "cylinder",   "hanging_chain"};
    for (size_t i = 0; i < sizeof SCENES / sizeof SCENES[0]; i++) {
        Problem *problem = fixture_build(SCENES[i], i == 4 ? "mode=target" : "");
        World *world = problem->world;
        fixture_place(problem, problem->time);
        Quat nudge = quat_axis_angle(vec3(0, 0, 1), 0.02);
        world->pose[1].q = quat_mul(nudge, world->pose[1].q);
        world->pose[1].x = vec3_add(world->pose[1].x, vec3(0.05, 0, 0));
        assert_false(problem->settled(problem, world));
        problem_destroy(problem);
    }
}

typedef struct Catenary {
    double sag;     /* m, of the lowest point below the ends */
    double tension; /* at an end, over the weight */
} Catenary;

/* The continuous chain y = a cosh(x / a): span / length = asinh(u) / u with u = length / (2 a), by bisection; the end's
 * tension is sqrt(a^2 + (length / 2)^2) / length of the weight. */
static Catenary catenary_solve(double span, double length)
{
    double low = 1e-6, high = 100.0;
    for (int i = 0; i < 64; i++) {
        double u = 0.5 * (low + high);
        *(asinh(u) / u > span / length ? &low : &high) = u;
    }
    double a = 0.5 * length / low;
    return (Catenary){a * (cosh(0.5 * span / a) - 1.0), hypot(a / length, 0.5)};
}

static void catenary_matches_printed_numbers(void **state)
{
    (void)state;
    Catenary continuous = catenary_solve(1.0, 1.5);
    assert_true(fabs(continuous.sag - 0.502633262) < 5e-10);
    assert_true(fabs(continuous.tension - 0.540579821) < 5e-10);
    Problem *problem = fixture_build("hanging_chain", "links=10 length=0.15 span=2/3 thickness=0.01");
    const World *world = problem->world;
    Truth truth = built_truth(world);
    fixture_truth_at(problem, 0.0, &truth);
    double weight = 10 * 9.81 * world->mass[1].mass;
    Vec3 lowest = world_point(world, 5, vec3(0.075, 0, 0)), right = world_point(world, 10, vec3(0.075, 0, 0));
    assert_true(fabs(lowest.y + 0.505945932) < 5e-10);
    assert_true(fabs(vec3_norm(truth.force[0]) / weight - 0.540433255) < 5e-10);
    assert_true(fabs(vec3_norm(truth.force[10]) / weight - 0.540433255) < 5e-10);
    assert_true(vec3_norm(vec3_sub(right, vec3(0.5, 0, 0))) < 1e-14);
    truth_free(&truth);
    problem_destroy(problem);
}

static void hanging_chain_tends_to_the_catenary_with_second_order(void **state)
{
    (void)state;
    double sag = catenary_solve(0.61, 1.0).sag, error[2];
    for (int k = 0; k < 2; k++) {
        int links = k == 0 ? 64 : 128;
        double weight[128], H, V, y = 0.0;
        for (int i = 0; i < links; i++)
            weight[i] = 1.0;
        assert_true(catenary_solve_links(links, 1.0 / links, weight, 0.61, &H, &V));
        for (int i = 0; i < links / 2; i++)
            y += (V - i - 0.5) / hypot(H, V - i - 0.5) / links;
        error[k] = y - sag;
    }
    assert_true(fabs(error[0] / error[1] - 4.0) < 0.01);
}

static void loaded_bridge_hangs_lower_than_the_unloaded_shape(void **state)
{
    (void)state;
    const char *loads = "planks=23 loads=4 mass_ratio=31";
    Problem *released = fixture_build("bridge", loads);
    Problem *preloaded = fixture_build("bridge", "planks=23 loads=4 mass_ratio=31 preloaded=true");
    assert_true(released->reference && !released->truth && !released->rest);
    assert_true(preloaded->rest && preloaded->truth);
    assert_true(world_potential_energy(preloaded->world) < world_potential_energy(released->world));
    problem_destroy(released);
    problem_destroy(preloaded);
}

/* theta'' = -omega^2 sin(theta) by RK4 until it passes `limit`; the last step is cut by a secant. */
static double integrate_swing(double theta, double omega, double limit)
{
    const double h = 1e-4;
    double w = 0.0, t = 0.0, g = omega * omega, before = theta;
    while (theta > limit) {
        before = theta;
        double k1 = w, l1 = -g * sin(theta), k2 = w + 0.5 * h * l1, l2 = -g * sin(theta + 0.5 * h * k1);
        double k3 = w + 0.5 * h * l2, l3 = -g * sin(theta + 0.5 * h * k2), k4 = w + h * l3;
        double l4 = -g * sin(theta + h * k3);
        theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
        t += h;
    }
    return t - h * (limit - theta) / (before - theta);
}

static void pendulum_time_matches_integration(void **state)
{
    (void)state;
    static const double CASES[][2] = {{PI / 2, PI / 6}, {2.9, 0.2}, {1.3, 0.0}, {0.7, 0.69}};
    for (int i = 0; i < 4; i++) {
        double from = CASES[i][0], to = CASES[i][1];
        Pendulum rod = {.gravity = 9.81, .mass = 1.7, .arm = 0.43, .inertia = 0.061, .amplitude = from};
        double omega = sqrt(1.7 * 9.81 * 0.43 / (0.061 + 1.7 * 0.43 * 0.43)), time = pendulum_time(&rod, to);
        /* The secant is off by h^2 x acceleration / speed / 8, largest (1e-7 s) where it has hardly begun to move. */
        assert_near(time, integrate_swing(from, omega, to), 1e-7);
        assert_near(pendulum_at(&rod, time).angle, to, 1e-12);
    }
}

static void motor_from_rest_gains_its_speed_with_its_torque(void **state)
{
    (void)state;
    Problem *problem = fixture_build("motor", "from_rest=true speed=-6 max_torque=4.3");
    World *world = problem->world;
    double inertia = 2.5 * (1.0 / 3.0 + 0.05 * 0.05 / 12.0), ramp = 6 * inertia / 4.3;
    assert_true(world_max_speed(world) == 0.0);
    fixture_place(problem, 0.7 * ramp);
    assert_true(fabs(world->velocity[1].w.y + 0.7 * 6) < 1e-6);
    fixture_place(problem, ramp + 0.31);
    assert_true(fabs(world->velocity[1].w.y + 6) < 1e-6);
    /* Twice as far during the ramp's time at full speed as in the ramp. */
    assert_true(quat_apart(world_reported_orientation(world, 1),
                           quat_axis_angle(vec3(0, 1, 0), -6 * (0.5 * ramp + 0.31))) < 1e-12);
    problem_destroy(problem);
}

static void weak_or_displaced_drives_claim_no_rest(void **state)
{
    (void)state;
    /* The default arm needs 10.62 N m at 60 degrees. */
    Problem *weak = fixture_build("servo", "max_torque=10.6"), *strong = fixture_build("servo", "max_torque=10.63");
    Problem *away = fixture_build("servo", "away=170deg"), *jump = fixture_build("cylinder", "mode=target target=0.4");
    assert_true(!weak->truth && !weak->rest);
    assert_true(strong->truth && strong->rest);
    assert_true(!away->truth && away->rest && !away->settled(away, away->world));
    assert_true(!jump->truth && !jump->settled(jump, jump->world));
    problem_destroy(weak);
    problem_destroy(strong);
    problem_destroy(away);
    problem_destroy(jump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_begins_with_the_state_as_built),
        cmocka_unit_test(truth_begins_with_the_velocity_as_built),
        cmocka_unit_test(truth_satisfies_every_constraint_at_all_times),
        cmocka_unit_test(joint_forces_at_rest_balance_weight_on_every_body),
        cmocka_unit_test(joint_forces_in_motion_accelerate_the_bodies),
        cmocka_unit_test(truth_settles),
        cmocka_unit_test(limits_that_are_not_held_do_not_settle),
        cmocka_unit_test(catenary_matches_printed_numbers),
        cmocka_unit_test(hanging_chain_tends_to_the_catenary_with_second_order),
        cmocka_unit_test(loaded_bridge_hangs_lower_than_the_unloaded_shape),
        cmocka_unit_test(pendulum_time_matches_integration),
        cmocka_unit_test(motor_from_rest_gains_its_speed_with_its_torque),
        cmocka_unit_test(weak_or_displaced_drives_claim_no_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
