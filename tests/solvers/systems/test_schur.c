/* SPDX-License-Identifier: MIT */
/* Dense and banded solves of singular systems: same rank, same least solution. */
#include "solvers/systems/schur.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <string.h>

enum { N = 24, WIDTH = 9, BAND = 5 };

/* Rows that reach over a few neighbouring columns: A = G G^T is banded. Row `copy` is a mixture of the two before it:
 * dependent. */
static void random_rows(Random *random, int copy, double G[N][N + WIDTH])
{
    memset(G, 0, sizeof(double) * N * (N + WIDTH));
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 4; c++)
            G[i][i + c] = random_in(random, -1.0, 1.0) * (i % 3 == 0 ? 100.0 : 1.0);
    for (int c = 0; copy > 1 && c < N + WIDTH; c++)
        G[copy][c] = 0.7 * G[copy - 1][c] - 1.9 * G[copy - 2][c];
}

static double row_product(double G[N][N + WIDTH], int i, int j)
{
    double sum = 0.0;
    for (int c = 0; c < N + WIDTH; c++)
        sum += G[i][c] * G[j][c];
    return sum;
}

static void solve(int band, double G[N][N + WIDTH], const double *target, int rank, double *least)
{
    Schur schur;
    double b[N];
    assert_true(schur_init(&schur, N, band));
    schur_clear(&schur, N);
    for (int i = 0; i < N; i++)
        for (int j = i > BAND ? i - BAND : 0; j <= i; j++)
            *schur_at(&schur, i, j) = row_product(G, i, j);
    schur_factor(&schur);
    assert_int_equal(schur.rank, rank);
    assert_int_equal(schur.deficient, rank < N);
    memcpy(b, target, sizeof b);
    schur_solve(&schur, b, least);
    for (int i = 0; i < N; i++) {
        double basic = -target[i], other = -target[i], scale = fabs(target[i]) + 1.0;
        for (int j = 0; j < N; j++) {
            basic += row_product(G, i, j) * b[j];
            other += row_product(G, i, j) * least[j];
        }
        /* Round-off of terms up to 1e4, conditions of the independent rows up to 1e4. */
        assert_near(basic, 0.0, 1e-9 * scale);
        assert_near(other, 0.0, 1e-9 * scale);
    }
    schur_free(&schur);
}

static void dense_and_banded_agree(void **state)
{
    (void)state;
    for (int copy = 0; copy < N; copy += 7) {
        Random random = {(uint64_t)(31 + copy)};
        double G[N][N + WIDTH], x[N + WIDTH], b[N], dense[N], banded[N], size = 0.0;
        random_rows(&random, copy, G);
        for (int c = 0; c < N + WIDTH; c++)
            x[c] = random_in(&random, -1.0, 1.0);
        for (int i = 0; i < N; i++) { /* consistent: in the range of G */
            b[i] = 0.0;
            for (int c = 0; c < N + WIDTH; c++)
                b[i] += G[i][c] * x[c];
        }
        int rank = copy > 1 ? N - 1 : N;
        solve(N, G, b, rank, dense);
        solve(BAND, G, b, rank, banded);
        for (int i = 0; i < N; i++)
            size = fmax(size, fabs(dense[i]));
        for (int i = 0; i < N; i++)
            assert_near(banded[i], dense[i], 1e-9 * size);
    }
}

static void two_equal_rows_share_their_load(void **state)
{
    (void)state;
    Schur schur;
    double b[2] = {3.4, 3.4}, least[2];
    assert_true(schur_init(&schur, 2, 2));
    schur_clear(&schur, 2);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j <= i; j++)
            *schur_at(&schur, i, j) = 1.7;
    schur_factor(&schur);
    schur_solve(&schur, b, least);
    assert_int_equal(schur.rank, 1);
    assert_near(b[0] + b[1], 2.0, 1e-15);
    assert_near(least[0], 1.0, 1e-15);
    assert_near(least[1], 1.0, 1e-15);
    schur_free(&schur);
}

static void rows_that_move_nothing_and_numbers_that_are_none(void **state)
{
    (void)state;
    Schur schur;
    double b[2] = {5.0, 3.0}, least[2];
    assert_true(schur_init(&schur, 2, 2));
    schur_clear(&schur, 2);
    *schur_at(&schur, 0, 0) = 2.0;
    schur_factor(&schur);
    schur_solve(&schur, b, least);
    assert_near(b[0], 2.5, 1e-15);
    assert_near(b[1], 0.0, 0.0);
    schur_clear(&schur, 2);
    *schur_at(&schur, 0, 0) = *schur_at(&schur, 1, 1) = 1.0;
    *schur_at(&schur, 1, 0) = NAN;
    schur_factor(&schur);
    schur_solve(&schur, b, least);
    assert_true(isnan(b[0]) && isnan(least[1]));
    schur_free(&schur);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_and_banded_agree),
        cmocka_unit_test(two_equal_rows_share_their_load),
        cmocka_unit_test(rows_that_move_nothing_and_numbers_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
