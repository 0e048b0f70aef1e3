/* SPDX-License-Identifier: MIT */
/* Cholesky's factor of a band against the matrix that it was made from. */
#include "solvers/linear/band.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

enum { N = 59, WIDTH = 19, PITCH = WIDTH };

/* A = G G^T: row i of G has numbers in the columns i to i + reach, and reach grows and shrinks along the band. */
static void random_band(Random *random, int copy, double A[N * (PITCH + 1)])
{
    double G[N][N + WIDTH + 1] = {{0}};
    for (int i = 0; i < N; i++)
        for (int c = 0; c <= WIDTH * i * (N - 1 - i) * 4 / ((N - 1) * (N - 1)); c++)
            G[i][i + c] = random_in(random, -1.0, 1.0) + (c == 0 ? 3.0 : 0.0);
    if (copy > 0)
        for (int c = 0; c < N + WIDTH + 1; c++)
            G[copy][c] = 0.7 * G[copy - 1][c] + (copy > 1 ? 1.9 * G[copy - 2][c] : 0.0);
    memset(A, 0, sizeof(double) * N * (PITCH + 1));
    for (int j = 0; j < N; j++)
        for (int i = j; i < N && i <= j + WIDTH; i++)
            for (int c = 0; c < N + WIDTH + 1; c++)
                A[i + j * PITCH] += G[i][c] * G[j][c];
}

static double at(const double *A, int i, int j)
{
    return abs(i - j) > WIDTH ? 0.0 : i >= j ? A[i + j * PITCH] : A[j + i * PITCH];
}

/* L_ij, whose columns end where the band says. */
static double factor_at(const Band *band, int i, int j)
{
    return i < j || i >= band->end[j] ? 0.0 : band->L[i + j * band->pitch];
}

static void product_of_the_factor_is_the_matrix(void **state)
{
    (void)state;
    Band band;
    Random random = {271};
    double A[N * (PITCH + 1)];
    int left_out[N];
    assert_true(band_init(&band, N, WIDTH));
    for (int rows = 1; rows <= N; rows += rows < 9 ? 1 : 10) { /* whole panels, and parts of one */
        random_band(&random, 0, A);
        assert_int_equal(band_factor(&band, A, PITCH, rows, 1e-9, left_out), 0);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0.0;
                for (int k = 0; k <= j; k++)
                    sum += factor_at(&band, i, k) * factor_at(&band, j, k);
                assert_near(sum, at(A, i, j), 1e-13 * 30.0); /* round-off of a diagonal of some 30 */
            }
    }
    band_free(&band);
}

static void dependent_row_is_left_out_and_the_others_are_solved(void **state)
{
    (void)state;
    Band band;
    Random random = {828};
    double A[N * (PITCH + 1)], b[N], x[N];
    int left_out[N];
    assert_true(band_init(&band, N, WIDTH));
    for (int copy = 0; copy < N; copy += 9) {
        random_band(&random, copy, A);
        assert_int_equal(band_factor(&band, A, PITCH, N, 1e-9, left_out), copy > 0);
        for (int i = 0; i < N; i++)
            x[i] = b[i] = random_in(&random, -1.0, 1.0);
        if (copy > 0) {
            assert_int_equal(left_out[0], copy);
            x[copy] = 0.0;
        }
        band_solve(&band, x);
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++)
                sum += at(A, i, j) * x[j];
            if (copy == 0 || i != copy)
                assert_near(sum, b[i], 1e-10); /* conditions up to 1e5 */
        }
    }
    band_free(&band);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_of_the_factor_is_the_matrix),
        cmocka_unit_test(dependent_row_is_left_out_and_the_others_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
