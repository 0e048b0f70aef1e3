/* SPDX-License-Identifier: MIT */
/* Do the closed-form truths of the scenes of joints and chains obey Newton's and Euler's equations? Momentum rates by
 * finite differences of the poses, less gravity and actuators, must lie in the range of J^T (least squares, LAPACK). */
#include "tests/scenes/fixture.h"

#include <lapacke.h>

/* Step of second differences, s: truncation h^2 x jerk rates and round-off 1e-16/h^2 both stay near 1e-8. */
#define STEP 1e-4

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
        at[k] = built_truth(world);
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
        truth_free(&at[k]);
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
    for (int i = 0; i < FIXTURE_TIMES; i++)
        /* Truncation h^2/12 x fourth derivatives (at most 7.3^4 x 1 m/s^4) and round-off, relative to the weight. */
        assert_true(newton_residual(problem, fixture_times[i]) < 1e-5 * weight);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_obeys_newton_and_euler),
        cmocka_unit_test(newton_check_notices_a_wrong_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
