/* SPDX-License-Identifier: MIT */
/* Cone systems for tests: W = A A^T of random numbers, as dense as it is. */
#ifndef RIGOR_TESTS_SOLVERS_CONE_SYSTEMS_H
#define RIGOR_TESTS_SOLVERS_CONE_SYSTEMS_H

#include "solvers/cone/method.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <stdlib.h>

enum { SYSTEM_MOST_ROWS = 60 };

/* `count` blocks alike; A has `rank` columns, so W is singular where that is less than the rows. */
static inline ConeSystem random_system(Random *random, int count, ConeBlock block, int rank)
{
    int rows = count * block.size;
    double A[SYSTEM_MOST_ROWS][SYSTEM_MOST_ROWS], q[SYSTEM_MOST_ROWS];
    ConeBlock blocks[SYSTEM_MOST_ROWS];
    ConeEntry entries[SYSTEM_MOST_ROWS * SYSTEM_MOST_ROWS];
    ConeSystem system;
    Status status = {0};
    assert_true(rows <= SYSTEM_MOST_ROWS && rank <= SYSTEM_MOST_ROWS);
    for (int i = 0; i < count; i++)
        blocks[i] = block;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rank; k++)
            A[i][k] = random_in(random, -1.0, 1.0);
    /* q in the range of A, pushing into the contacts: otherwise a singular W may have no solution. */
    double push[SYSTEM_MOST_ROWS];
    for (int k = 0; k < rank; k++)
        push[k] = random_in(random, -1.0, 1.0);
    for (int i = 0; i < rows; i++) {
        q[i] = 0.0;
        for (int k = 0; k < rank; k++)
            q[i] += A[i][k] * push[k];
        for (int j = 0; j < rows; j++) {
            double sum = 0.0;
            for (int k = 0; k < rank; k++)
                sum += A[i][k] * A[j][k];
            entries[i * rows + j] = (ConeEntry){i, j, sum};
        }
    }
    assert_true(cone_system_init(&system, blocks, count, entries, (long)rows * rows, q, &status));
    return system;
}

/* W_ij of a dense system. */
static inline double system_entry(const ConeSystem *system, int row, int column)
{
    int size = system->blocks[0].size, i = row / size, j = column / size;
    for (int e = system->start[i]; e < system->start[i + 1]; e++)
        if (system->column[e] == j)
            return cone_entry(system, e, row % size, column % size);
    return 0.0;
}

/* r after so many iterations from zero. */
static inline void system_solve(const ConeMethod *method, const void *options, const ConeSystem *system, int iterations,
                                double *r)
{
    Status status = {0};
    void *self = cone_method_create(method, options, &status);
    assert_non_null(self);
    assert_true(cone_method_reserve(method, self, system->rows));
    for (int i = 0; i < system->rows; i++)
        r[i] = 0.0;
    assert_true(cone_method_begin(method, self, system, r, &status));
    for (int i = 0; i < iterations; i++)
        method->iterate(self, system, r);
    cone_method_destroy(method, self);
}

#endif
