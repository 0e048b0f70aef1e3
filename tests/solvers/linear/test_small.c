/* SPDX-License-Identifier: MIT */
/* Systems of a few rows, against each other and against their right-hand side. */
#include "solvers/linear/small.h"

#include "tests/support/check.h"
#include "tests/support/random.h"

#include <string.h>

enum { STRIDE = SMALL_MAX, TRIALS = 50 };

/* G G^T + 1: symmetric, and far from singular. */
static void random_matrix(Random *random, int count, double A[SMALL_MAX][STRIDE])
{
    double G[SMALL_MAX][SMALL_MAX];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            G[i][j] = random_in(random, -1.0, 1.0);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            A[i][j] = i == j;
            for (int k = 0; k < count; k++)
                A[i][j] += G[i][k] * G[j][k];
        }
}

static void solutions_fulfil_their_equations(void **state)
{
    (void)state;
    Random random = {0x5a11};
    for (int trial = 0; trial < TRIALS; trial++)
        for (int count = 1; count <= SMALL_MAX; count++) {
            double A[SMALL_MAX][STRIDE], whole[SMALL_MAX][STRIDE], lower[SMALL_MAX][STRIDE];
            double b[SMALL_MAX], x[SMALL_MAX], y[SMALL_MAX];
            random_matrix(&random, count, A);
            memcpy(whole, A, sizeof A);
            memcpy(lower, A, sizeof A);
            for (int i = 0; i < count; i++) {
                b[i] = x[i] = y[i] = random_in(&random, -1.0, 1.0);
                for (int j = i + 1; j < count; j++)
                    lower[i][j] = NAN; /* must not be read */
            }
            small_solve(count, STRIDE, whole[0], x);
            small_solve_symmetric(count, STRIDE, lower[0], y);
            for (int i = 0; i < count; i++) {
                double sum = 0.0;
                for (int j = 0; j < count; j++)
                    sum += A[i][j] * y[j];
                /* Entries below 10, condition below 30: some hundred round-offs. */
                assert_near(sum, b[i], 1e-13);
                assert_near(x[i], y[i], 1e-13);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solutions_fulfil_their_equations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
