/* SPDX-License-Identifier: MIT */
/* LU of a matrix with W's pattern, dense and sparse: A x = b for a matrix without symmetry, refusal of a singular one,
 * and no rows at all. */
#include "solvers/cone/factor.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 7, ROWS = 3 * BLOCKS, ENTRIES = 9 * (3 * BLOCKS - 2) };

/* A row of joints, each coupled to its neighbours, the diagonal ahead of the rest; `dead`: a row of zeros. */
static ConeSystem chain_system(int dead)
{
    static ConeEntry entries[ENTRIES];
    ConeBlock blocks[BLOCKS];
    double q[ROWS] = {0};
    Random random = {0xfac7};
    Status status = {0};
    ConeSystem system;
    long count = 0;
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = (ConeBlock){.kind = CONE_JOINT, .size = 3};
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < ROWS; column++)
            if (abs(row / 3 - column / 3) <= 1)
                entries[count++] = (ConeEntry){
                    row, column, row == dead ? 0.0 : random_in(&random, -1.0, 1.0) + (row == column ? 9.0 : 0.0)};
    assert_true(cone_system_init(&system, blocks, BLOCKS, entries, count, q, &status));
    return system;
}

static bool factor_as_it_is(ConeFactor *factor, const ConeSystem *system)
{
    double *value = cone_factor_values(factor, system);
    assert_non_null(value);
    memcpy(value, system->value, sizeof *value * (size_t)cone_system_numbers(system));
    return cone_factor(factor, system);
}

/* Without dense room a matrix is sparse. Rows are led by their diagonal, so x comes back to a few units of round-off.
 */
static void solutions_solve_the_system_dense_or_sparse(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        ConeSystem system = chain_system(-1);
        ConeFactor factor = {0};
        double x[ROWS], b[ROWS];
        assert_true(!dense || cone_factor_reserve(&factor, ROWS));
        for (int again = 0; again < 2; again++) { /* the sparse one replaces the last */
            assert_true(factor_as_it_is(&factor, &system));
            assert_true(factor.sparse == !dense);
            for (int i = 0; i < ROWS; i++)
                x[i] = sin(i + 1.0 + again);
            cone_system_product(&system, x, b);
            assert_true(cone_factor_solve(&factor, b));
            for (int i = 0; i < ROWS; i++)
                assert_near(b[i], x[i], 1e-14);
        }
        cone_factor_free(&factor);
        cone_system_free(&system);
    }
}

static void a_singular_matrix_is_refused(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        ConeSystem system = chain_system(4);
        ConeFactor factor = {0};
        assert_true(!dense || cone_factor_reserve(&factor, ROWS));
        assert_false(factor_as_it_is(&factor, &system));
        cone_factor_free(&factor);
        cone_system_free(&system);
    }
}

static void no_rows_are_solved_at_once(void **state)
{
    (void)state;
    ConeSystem system;
    ConeFactor factor = {0};
    Status status = {0};
    assert_true(cone_system_init(&system, NULL, 0, NULL, 0, NULL, &status));
    assert_true(factor_as_it_is(&factor, &system) && cone_factor_solve(&factor, NULL));
    cone_factor_free(&factor);
    cone_system_free(&system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_solve_the_system_dense_or_sparse),
        cmocka_unit_test(a_singular_matrix_is_refused),
        cmocka_unit_test(no_rows_are_solved_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
