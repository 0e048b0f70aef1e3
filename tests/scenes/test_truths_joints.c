/* The closed-form truths of the scenes of joints and chains, each against a route that does not use its formula:
 * the constraints, Newton's and Euler's equations by finite differences, force balance, energy, and printed numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scenes/fixture.h"

#include "model/energy.h"
#include "scenes/truth_catenary.h"
#include "scenes/truth_swing.h"

#include <lapacke.h>
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
    Truth truth = fixture_truth_create(world);
    fixture_truth_at(problem, 0.0, &truth);
    for (int i = 1; i < world->body_count; i++) {
        assert_true(truth.has_position[i] && truth.has_orientation[i]);
        assert_true(vec3_norm(vec3_sub(truth.position[i], world->pose[i].x)) < 1e-12);
        /* An angle from a quaternion's components has round-off of a few 1e-16; swing_angle adds that of asin. */
        assert_true(quat_apart(truth.orientation[i], world_reported_orientation(world, i)) < 1e-12);
    }
    fixture_truth_destroy(&truth);
}

static void truth_begins_with_the_state_as_built(void **state)
{
    (void)state;
    fixture_for_each(check_truth_at_start);
}

/* Times that hit no symmetry, before and after the stops of the limits. */
static const double TIMES[] = {0.0137, 0.1973, 0.4219, 1.6180, 2.7183};
enum { TIME_COUNT = sizeof TIMES / sizeof TIMES[0] };

static void check_truth_keeps_constraints(Problem *problem)
{
    for (int i = 0; problem->truth && i < TIME_COUNT; i++) {
        fixture_place(problem, TIMES[i]);
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

/* The rate of change of momentum and angular momentum of body i at time t, from the truth's poses alone. */
static void truth_momentum_rate(const World *world, int i, const Truth at[3], double rate[6])
{
    Vec3 a = vec3_add(at[0].position[i], at[2].position[i]);
    a = vec3_scale(1.0 / (STEP * STEP), vec3_add_scaled(a, -2.0, at[1].position[i]));
    Vec3 spin[2];
    for (int k = 0; k < 2; k++) {
        Quat from = at[k].orientation[i], to = at[k + 1].orientation[i];
        Vec3 turn = quat_log(quat_mul(to, quat_conj(from)));
        Quat middle = quat_mul(quat_mul(quat_exp(vec3_scale(0.5, turn)), from), world->principal[i]);
        spin[k] = mat3_mul_vec(mat3_turn_diagonal(middle, world->mass[i].inertia), vec3_scale(1.0 / STEP, turn));
    }
    Vec3 torque = vec3_scale(1.0 / STEP, vec3_sub(spin[1], spin[0])), force = vec3_scale(world->mass[i].mass, a);
    double all[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < 6; k++)
        rate[k] = all[k];
}

/* Takes gravity and actuators off the momentum rates: what is left must come from the rows. */
static void subtract_known_forces(const World *world, double *b)
{
    for (int i = 1; i < world->body_count; i++)
        for (int k = 0; k < 3; k++)
            b[6 * (i - 1) + k] -= world->mass[i].mass * vec3_get(world->gravity, k);
    for (int j = 0; j < world->joint_count; j++) {
        const Joint *joint = &world->joints[j];
        if (!joint_has_actuator(joint))
            continue;
        Vec3 force, torque;
        joint_actuation(world, joint, &force, &torque);
        /* Both actuated scenes push one body against the world, at its centre or with a pure torque. */
        assert_int_equal(joint->def.body[0], 0);
        for (int k = 0; k < 3; k++) {
            b[6 * (joint->def.body[1] - 1) + k] -= vec3_get(force, k);
            b[6 * (joint->def.body[1] - 1) + 3 + k] -= vec3_get(torque, k);
        }
    }
}

/* J^T of all rows that act now: limits only where they are touched. Returns the number of columns. */
static int active_rows(const World *world, double *A, int capacity)
{
    int columns = 0;
    for (int n = 0; n < world->block_count; n++) {
        const Block *block = &world->blocks[n];
        Rows rows;
        block_rows(world, block, &rows);
        for (int r = 0; r < rows.count; r++) {
            if (block_is_limit(block) && fabs(rows.C[r]) > 1e-9)
                continue;
            assert_true(columns < capacity);
            for (int k = 0; k < 12; k++)
                if (block->body[k / 6] > 0)
                    A[(6 * (block->body[k / 6] - 1) + k % 6) * capacity + columns] = rows.J[r][k];
            columns++;
        }
    }
    return columns;
}

/* min |J^T lambda - b| over lambda: zero if the truth's motion obeys Newton's and Euler's equations. */
static double newton_residual(Problem *problem, double t)
{
    World *world = problem->world;
    int height = 6 * (world->body_count - 1), capacity = 8 * world->joint_count;
    int tall = height > capacity ? height : capacity;
    double *A = calloc((size_t)height * (size_t)capacity, sizeof *A), *b = calloc((size_t)tall, sizeof *b);
    double *singular = calloc((size_t)tall, sizeof *singular), *copy = calloc((size_t)height, sizeof *copy);
    Truth at[3];
    for (int k = 0; k < 3; k++) {
        at[k] = fixture_truth_create(world);
        fixture_truth_at(problem, t + (k - 1) * STEP, &at[k]);
    }
    for (int i = 1; i < world->body_count; i++)
        truth_momentum_rate(world, i, at, &b[6 * (i - 1)]);
    fixture_place(problem, t);
    subtract_known_forces(world, b);
    for (int k = 0; k < height; k++)
        copy[k] = b[k];
    double *A_copy = calloc((size_t)height * (size_t)capacity, sizeof *A_copy);
    int rank, columns = active_rows(world, A, capacity);
    active_rows(world, A_copy, capacity);
    assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, height, columns, 1, A, capacity, b, 1, singular, 1e-10, &rank),
                     0);
    double worst = 0.0;
    for (int i = 0; i < height; i++) {
        double sum = -copy[i];
        for (int c = 0; c < columns; c++)
            sum += A_copy[i * capacity + c] * b[c];
        worst = fmax(worst, fabs(sum));
    }
    for (int k = 0; k < 3; k++)
        fixture_truth_destroy(&at[k]);
    free(A);
    free(A_copy);
    free(b);
    free(copy);
    free(singular);
    return worst;
}

static void check_newton(Problem *problem)
{
    if (!problem->truth || problem->world->body_count > 20)
        return;
    double weight = 0.0;
    for (int i = 1; i < problem->world->body_count; i++)
        weight += 9.81 * problem->world->mass[i].mass;
    for (int i = 0; i < TIME_COUNT; i++)
        /* Truncation h^2/12 x fourth derivatives (at most 7.3^4 x 1 m/s^4) and round-off, relative to the weight. */
        assert_true(newton_residual(problem, TIMES[i]) < 1e-5 * weight);
}

static void truth_obeys_newton_and_euler(void **state)
{
    (void)state;
    fixture_for_each(check_newton);
}

static void newton_check_notices_a_wrong_motion(void **state)
{
    (void)state;
    /* The same truths in another gravity: each falls, or accelerates along its guide, too slowly. */
    static const char *const SCENES[] = {"hinge_limit", "ball_limit", "prismatic"};
    for (size_t i = 0; i < sizeof SCENES / sizeof SCENES[0]; i++) {
        Problem *problem = fixture_build(SCENES[i], "");
        problem->world->gravity.y *= 1.001;
        double weight = 9.81 * problem->world->mass[1].mass;
        assert_true(newton_residual(problem, 0.1973) > 1e-4 * weight);
        problem_destroy(problem);
    }
}

/* Sums the truth's joint forces and their moments about each body's centre. */
static void check_forces(Problem *problem)
{
    if (!problem->truth || !problem->rest)
        return;
    const World *world = problem->world;
    fixture_place(problem, problem->time);
    Truth truth = fixture_truth_create(world);
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
    fixture_truth_destroy(&truth);
}

static void joint_forces_at_rest_balance_weight_on_every_body(void **state)
{
    (void)state;
    fixture_for_each(check_forces);
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

static void catenary_matches_printed_numbers(void **state)
{
    (void)state;
    Catenary continuous = catenary_solve(1.0, 1.5);
    assert_true(fabs(continuous.sag - 0.502633262) < 5e-10);
    assert_true(fabs(continuous.tension - 0.540579821) < 5e-10);
    Problem *problem = fixture_build("hanging_chain", "links=10 length=0.15 span=2/3 thickness=0.01");
    const World *world = problem->world;
    Truth truth = fixture_truth_create(world);
    fixture_truth_at(problem, 0.0, &truth);
    double weight = 10 * 9.81 * world->mass[1].mass;
    Vec3 lowest = world_point(world, 5, vec3(0.075, 0, 0)), right = world_point(world, 10, vec3(0.075, 0, 0));
    assert_true(fabs(lowest.y + 0.505945932) < 5e-10);
    assert_true(fabs(vec3_norm(truth.force[0]) / weight - 0.540433255) < 5e-10);
    assert_true(fabs(vec3_norm(truth.force[10]) / weight - 0.540433255) < 5e-10);
    assert_true(vec3_norm(vec3_sub(right, vec3(0.5, 0, 0))) < 1e-14);
    fixture_truth_destroy(&truth);
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

/* theta'' = -rate^2 sin(theta) by RK4 until it passes `limit`; the last step is cut by a secant. */
static double integrate_swing(double theta, double rate, double limit)
{
    const double h = 1e-4;
    double w = 0.0, t = 0.0, g = rate * rate, before = theta;
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

static void swing_time_matches_integration(void **state)
{
    (void)state;
    /* The secant is off by h^2 x acceleration / speed / 8: below 1e-8 s. */
    assert_true(fabs(swing_time(PI / 2, 3.8356, PI / 6) - integrate_swing(PI / 2, 3.8356, PI / 6)) < 1e-8);
    assert_true(fabs(swing_time(2.9, 2.3, 0.2) - integrate_swing(2.9, 2.3, 0.2)) < 1e-8);
    assert_true(fabs(swing_angle(2.9, 2.3, swing_time(2.9, 2.3, 0.7)) - 0.7) < 1e-12);
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
        cmocka_unit_test(truth_obeys_newton_and_euler),
        cmocka_unit_test(newton_check_notices_a_wrong_motion),
        cmocka_unit_test(joint_forces_at_rest_balance_weight_on_every_body),
        cmocka_unit_test(truth_settles),
        cmocka_unit_test(limits_that_are_not_held_do_not_settle),
        cmocka_unit_test(catenary_matches_printed_numbers),
        cmocka_unit_test(hanging_chain_tends_to_the_catenary_with_second_order),
        cmocka_unit_test(loaded_bridge_hangs_lower_than_the_unloaded_shape),
        cmocka_unit_test(swing_time_matches_integration),
        cmocka_unit_test(motor_from_rest_gains_its_speed_with_its_torque),
        cmocka_unit_test(weak_or_displaced_drives_claim_no_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
