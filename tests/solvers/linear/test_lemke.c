/* SPDX-License-Identifier: MIT */
/* Complementary pivoting on problems whose answer is known or can be checked. */
#include "solvers/linear/lemke.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <string.h>

static void set(Lemke *lemke, int n, const double *M, const double *q)
{
    assert_true(lemke_reserve(lemke, n));
    lemke->count = n;
    memcpy(lemke->M, M, sizeof *M * (size_t)(n * n));
    memcpy(lemke->q, q, sizeof *q * (size_t)n);
}

/* |min(z, w)| of every pair, by its own sums. */
static double worst_pair(const Lemke *lemke)
{
    double worst = 0.0;
    for (int i = 0; i < lemke->count; i++) {
        double w = lemke->q[i];
        for (int j = 0; j < lemke->count; j++)
            w += lemke->M[i * lemke->count + j] * lemke->z[j];
        worst = fmax(worst, fabs(fmin(w, lemke->z[i])));
    }
    return worst;
}

static void a_small_problem_has_its_known_solution(void **state)
{
    (void)state;
    Lemke lemke = {0};
    /* Cottle, Pang, Stone: M = [2 1; 1 2], q = (-5, -6): both active, z = (4/3, 7/3). */
    set(&lemke, 2, (double[]){2, 1, 1, 2}, (double[]){-5, -6});
    assert_int_equal(lemke_solve(&lemke, 0.0), LEMKE_SOLVED);
    assert_near(lemke.z[0], 4.0 / 3, 1e-15);
    assert_near(lemke.z[1], 7.0 / 3, 1e-15);
    lemke_free(&lemke);
}

static void nothing_to_do_takes_no_pivot(void **state)
{
    (void)state;
    Lemke lemke = {0};
    set(&lemke, 2, (double[]){1, 0, 0, 1}, (double[]){0, 3});
    assert_int_equal(lemke_solve(&lemke, 0.0), LEMKE_SOLVED);
    assert_int_equal(lemke.pivots, 0);
    assert_near(lemke.z[0] + lemke.z[1], 0.0, 0.0);
    lemke.count = 0;
    assert_int_equal(lemke_solve(&lemke, 0.0), LEMKE_SOLVED);
    lemke_free(&lemke);
}

static void what_has_no_solution_is_not_called_solved(void **state)
{
    (void)state;
    Lemke lemke = {0};
    set(&lemke, 2, (double[]){1, -1, -1, 1}, (double[]){-1, -1}); /* w1 + w2 = -2 whatever z is */
    assert_int_equal(lemke_solve(&lemke, 0.0), LEMKE_RAY);
    assert_int_not_equal(lemke_solve(&lemke, 1e-4), LEMKE_SOLVED);
    set(&lemke, 2, (double[]){1, 0, 0, NAN}, (double[]){-1, -1});
    assert_int_not_equal(lemke_solve(&lemke, 0.0), LEMKE_SOLVED);
    lemke_free(&lemke);
}

/* M = G G^T with fewer columns than rows, q = -G v + nonnegative: solvable, dependent, and with many equal rows. */
static void dependent_rows_are_solved_to_round_off(void **state)
{
    (void)state;
    enum { N = 40, RANK = 12 };
    Lemke lemke = {0};
    Random random = {271828};
    for (int trial = 0; trial < 20; trial++) {
        double G[N][RANK], M[N * N], q[N], v[RANK];
        for (int k = 0; k < RANK; k++)
            v[k] = random_in(&random, -1, 1);
        for (int i = 0; i < N; i++) {
            double norm = 0.0;
            for (int k = 0; k < RANK; k++)
                norm += pow(G[i][k] = i % 4 == 3 ? G[i - 1][k] : random_in(&random, -1, 1), 2);
            q[i] = i % 5 == 0 ? random_in(&random, 0, 0.1) : 0.0;
            for (int k = 0; k < RANK; k++) {
                G[i][k] /= sqrt(norm);
                q[i] += G[i][k] * v[k];
            }
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                M[i * N + j] = 0.0;
                for (int k = 0; k < RANK; k++)
                    M[i * N + j] += G[i][k] * G[j][k];
            }
        set(&lemke, N, M, q);
        assert_int_equal(lemke_solve(&lemke, 1e-4), LEMKE_SOLVED);
        assert_true(lemke.pivots > 0);
        assert_true(worst_pair(&lemke) < 1e-12); /* round-off of 40 products, and 40 pivots' condition */
    }
    lemke_free(&lemke);
}

/* A unit mass meets a floor at speed 1 with the tangential velocity v, friction a polygon of eight corners. */
static void set_contact(Lemke *lemke, double mu, double vx, double vy)
{
    enum { FACETS = 8, N = FACETS + 2, SLACK = N - 1 };
    double M[N * N] = {[0] = 1}, q[N] = {-1};
    for (int i = 0; i < FACETS; i++) {
        double angle = 2 * PI * i / FACETS;
        q[1 + i] = vx * cos(angle) + vy * sin(angle);
        M[(1 + i) * N + SLACK] = 1;
        M[SLACK * N + 1 + i] = -1;
        for (int j = 0; j < FACETS; j++)
            M[(1 + i) * N + 1 + j] = cos(angle - 2 * PI * j / FACETS);
    }
    M[SLACK * N] = mu;
    set(lemke, N, M, q);
    lemke->fan_count = 1;
    lemke->fans[0] = (LemkeFan){1, FACETS};
}

static void friction_of(const Lemke *lemke, double f[2])
{
    f[0] = f[1] = 0.0;
    for (int i = 0; i < 8; i++) {
        f[0] += lemke->z[1 + i] * cos(PI / 4 * i);
        f[1] += lemke->z[1 + i] * sin(PI / 4 * i);
    }
}

/* Sticking at once is -v where it is in the polygon: from any guess, right or wrong, as along the path. */
static void any_guess_ends_in_the_contacts_impulse(void **state)
{
    (void)state;
    Lemke lemke = {0};
    Random random = {314159};
    for (int trial = 0; trial < 400; trial++) {
        double mu = 0.6, vx = random_in(&random, -1, 1), vy = random_in(&random, -1, 1), path[2], guessed[2];
        set_contact(&lemke, mu, vx, vy);
        lemke.guessed = false;
        assert_int_equal(lemke_solve(&lemke, 1e-4), LEMKE_SOLVED);
        friction_of(&lemke, path);
        lemke.guessed = true;
        for (int i = 0; i < lemke.count; i++)
            lemke.guess[i] = random_in(&random, 0, 1) < 0.5;
        assert_int_equal(lemke_solve(&lemke, 1e-4), LEMKE_SOLVED);
        friction_of(&lemke, guessed);
        assert_true(worst_pair(&lemke) < 1e-12);
        assert_near(guessed[0], path[0], 1e-11); /* both have the error that is aimed at, 1e-12, and eight corners */
        assert_near(guessed[1], path[1], 1e-11);
        if (hypot(vx, vy) < mu * cos(PI / 8)) {
            assert_near(guessed[0], -vx, 1e-11);
            assert_near(guessed[1], -vy, 1e-11);
        }
    }
    lemke_free(&lemke);
}

/* Two equal rows share a load evenly, though one would do. */
static void a_guess_that_leaves_a_load_to_one_is_evened(void **state)
{
    (void)state;
    Lemke lemke = {0};
    set(&lemke, 2, (double[]){1, 1, 1, 1}, (double[]){-1, -1});
    lemke.guessed = lemke.guess[0] = true;
    assert_int_equal(lemke_solve(&lemke, 1e-4), LEMKE_SOLVED);
    assert_near(lemke.z[0], 0.5, 1e-9); /* round-off over the guide, 1e-6 */
    assert_near(lemke.z[1], 0.5, 1e-9);
    lemke_free(&lemke);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_problem_has_its_known_solution),
        cmocka_unit_test(nothing_to_do_takes_no_pivot),
        cmocka_unit_test(what_has_no_solution_is_not_called_solved),
        cmocka_unit_test(dependent_rows_are_solved_to_round_off),
        cmocka_unit_test(any_guess_ends_in_the_contacts_impulse),
        cmocka_unit_test(a_guess_that_leaves_a_load_to_one_is_evened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
