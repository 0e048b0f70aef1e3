/* SPDX-License-Identifier: MIT */
#include "model/math3.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

enum { TRIALS = 200 };

/* A few operations on numbers of order one. */
#define ROUND_OFF 1e-14

static void quat_rotate_agrees_with_its_matrix_and_with_q_a_conj(void **state)
{
    (void)state;
    Random random = {1};
    for (int i = 0; i < TRIALS; i++) {
        Quat q = random_quat(&random);
        Vec3 a = random_vec3(&random, 1.0);
        Quat sandwich = quat_mul(quat_mul(q, (Quat){0, a.x, a.y, a.z}), quat_conj(q));
        assert_vec3_near(quat_rotate(q, a), quat_vec(sandwich), ROUND_OFF);
        assert_vec3_near(quat_rotate(q, a), mat3_mul_vec(mat3_from_quat(q), a), ROUND_OFF);
        assert_vec3_near(quat_rotate_inverse(q, quat_rotate(q, a)), a, ROUND_OFF);
    }
}

static void quat_mul_turns_by_the_right_factor_first(void **state)
{
    (void)state;
    Random random = {2};
    for (int i = 0; i < TRIALS; i++) {
        Quat p = random_quat(&random), q = random_quat(&random);
        Vec3 a = random_vec3(&random, 1.0);
        assert_vec3_near(quat_rotate(quat_mul(p, q), a), quat_rotate(p, quat_rotate(q, a)), ROUND_OFF);
    }
    /* A quarter turn about z takes x to y. */
    assert_vec3_near(quat_rotate(quat_axis_angle(vec3(0, 0, 1), PI / 2), vec3(1, 0, 0)), vec3(0, 1, 0), ROUND_OFF);
}

static void exp_and_log_are_inverse_from_tiny_to_nearly_pi(void **state)
{
    (void)state;
    Random random = {3};
    static const double ANGLES[] = {0.0, 1e-300, 1e-12, 1e-8, 1.9e-4, 2.1e-4, 0.3, 1.0, 2.9, 3.14159};
    for (size_t k = 0; k < sizeof ANGLES / sizeof ANGLES[0]; k++)
        for (int i = 0; i < TRIALS; i++) {
            Vec3 phi = vec3_scale(ANGLES[k], random_unit(&random));
            /* Relative: a tiny turn keeps its digits. */
            assert_vec3_near(quat_log(quat_exp(phi)), phi, ROUND_OFF * ANGLES[k]);
        }
}

static void q_and_minus_q_have_the_same_rotation_vector(void **state)
{
    (void)state;
    Random random = {4};
    for (int i = 0; i < TRIALS; i++) {
        Quat q = random_quat(&random), minus = {-q.w, -q.x, -q.y, -q.z};
        assert_vec3_near(quat_log(minus), quat_log(q), 0.0);
        assert_true(vec3_norm(quat_log(q)) <= PI * (1.0 + ROUND_OFF));
    }
}

static void axis_angle_is_exp_of_the_rotation_vector(void **state)
{
    (void)state;
    Random random = {5};
    for (int i = 0; i < TRIALS; i++) {
        Vec3 axis = random_unit(&random);
        double angle = random_in(&random, -6.0, 6.0);
        Quat q = quat_axis_angle(axis, angle), e = quat_exp(vec3_scale(angle, axis));
        assert_near(q.w, e.w, ROUND_OFF);
        assert_vec3_near(quat_vec(q), quat_vec(e), ROUND_OFF);
    }
}

/* q + 1/2 q phi turns by 2 atan(|phi|/2): short of |phi| by |phi|^3/12. */
static void nudge_turns_by_twice_the_arctangent(void **state)
{
    (void)state;
    Random random = {6};
    for (int i = 0; i < TRIALS; i++) {
        Quat q = random_quat(&random);
        Vec3 axis = random_unit(&random);
        double angle = random_in(&random, 0.0, 0.5);
        Quat turned = quat_nudge_body(q, vec3_scale(angle, quat_rotate_inverse(q, axis)));
        Vec3 turn = quat_log(quat_mul(turned, quat_conj(q)));
        assert_vec3_near(turn, vec3_scale(2.0 * atan(0.5 * angle), axis), ROUND_OFF);
        Quat in_world = quat_nudge_world(q, vec3_scale(angle, axis));
        assert_near(in_world.w, turned.w, ROUND_OFF);
        assert_vec3_near(quat_vec(in_world), quat_vec(turned), ROUND_OFF);
    }
}

static void quat_from_mat3_inverts_in_each_of_its_four_branches(void **state)
{
    (void)state;
    Random random = {7};
    for (int branch = 0; branch < 4; branch++)
        for (int i = 0; i < TRIALS; i++) {
            double c[4];
            for (int k = 0; k < 4; k++)
                c[k] = random_in(&random, -0.5, 0.5);
            c[branch] = random_in(&random, 1.0, 2.0); /* the largest component */
            Quat q = quat_unit((Quat){c[0], c[1], c[2], c[3]});
            Quat back = quat_from_mat3(mat3_from_quat(q));
            assert_near(back.w, q.w, ROUND_OFF);
            assert_vec3_near(quat_vec(back), quat_vec(q), ROUND_OFF);
        }
}

static void quat_from_mat3_copes_with_half_turns(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        Quat half = quat_axis_angle(vec3_axis(i), PI), back = quat_from_mat3(mat3_from_quat(half));
        assert_vec3_near(quat_vec(back), vec3_axis(i), ROUND_OFF);
    }
}

static void mat3_inverse_times_matrix_is_one(void **state)
{
    (void)state;
    Random random = {8};
    for (int trial = 0; trial < TRIALS; trial++) {
        /* Diagonally dominant, so well conditioned. */
        Mat3 a = mat3_diagonal(vec3(3.0, -4.0, 5.0));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a.m[i][j] += random_in(&random, -1.0, 1.0);
        assert_mat3_near(mat3_mul(a, mat3_inverse(a)), mat3_diagonal(vec3(1, 1, 1)), ROUND_OFF);
        assert_near(mat3_determinant(a) * mat3_determinant(mat3_inverse(a)), 1.0, ROUND_OFF);
    }
}

static void turn_diagonal_is_R_D_R_transposed(void **state)
{
    (void)state;
    Random random = {9};
    for (int i = 0; i < TRIALS; i++) {
        Quat q = random_quat(&random);
        Vec3 d = random_vec3(&random, 3.0);
        Mat3 R = mat3_from_quat(q), RD = mat3_mul(R, mat3_diagonal(d));
        assert_mat3_near(mat3_turn_diagonal(q, d), mat3_mul(RD, mat3_transpose(R)), ROUND_OFF);
    }
}

static void any_normal_is_a_unit_normal(void **state)
{
    (void)state;
    Random random = {10};
    for (int i = 0; i < TRIALS + 3; i++) {
        Vec3 a = i < 3 ? vec3_axis(i) : random_unit(&random), n = vec3_any_normal(a);
        assert_near(vec3_dot(a, n), 0.0, ROUND_OFF);
        assert_near(vec3_norm(n), 1.0, ROUND_OFF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quat_rotate_agrees_with_its_matrix_and_with_q_a_conj),
        cmocka_unit_test(quat_mul_turns_by_the_right_factor_first),
        cmocka_unit_test(exp_and_log_are_inverse_from_tiny_to_nearly_pi),
        cmocka_unit_test(q_and_minus_q_have_the_same_rotation_vector),
        cmocka_unit_test(axis_angle_is_exp_of_the_rotation_vector),
        cmocka_unit_test(nudge_turns_by_twice_the_arctangent),
        cmocka_unit_test(quat_from_mat3_inverts_in_each_of_its_four_branches),
        cmocka_unit_test(quat_from_mat3_copes_with_half_turns),
        cmocka_unit_test(mat3_inverse_times_matrix_is_one),
        cmocka_unit_test(turn_diagonal_is_R_D_R_transposed),
        cmocka_unit_test(any_normal_is_a_unit_normal),
    };
    return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
