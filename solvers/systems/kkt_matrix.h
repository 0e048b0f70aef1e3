/* SPDX-License-Identifier: MIT */
/* The lecture's matrix (003) as a whole, dense, symmetric and indefinite:
 *
 *     [M  J^T] [   u   ]   [M u_free]
 *     [J   0 ] [-lambda] = [ -bias  ]      by Bunch and Kaufman's pivoting, as LAPACK's dsysv.
 *
 * With +lambda as unknown it would read [M -J^T; J 0], as on the slide, and not be symmetric. Its Schur complement
 * (schur.h) is what remains of it once u is eliminated. */
#ifndef RIGOR_SOLVERS_SYSTEMS_KKT_MATRIX_H
#define RIGOR_SOLVERS_SYSTEMS_KKT_MATRIX_H

#include "model/array.h"
#include "solvers/rows/rows.h"

typedef struct KktMatrix {
    Arrays arrays;
    int motions;   /* unknowns of u: 6 a body that moves, 3 a particle */
    int *first;    /* of each body: its first unknown; -1: it does not move */
    int capacity;  /* unknowns of u and lambda at most */
    double *A;     /* lower triangle, by columns */
    double *b;     /* right-hand side, then the solution */
    double *scale; /* D of D A D, which has a diagonal of ones where M stands, and rows of J of length one */
    double *work;  /* LAPACK's */
    int *pivot, *iwork;
    int work_size;
} KktMatrix;

/* Which rows of which blocks take part, and what J u should be. */
typedef struct KktRows {
    const RowSystem *system;
    const int *first; /* of each block: its first row; -1: left out */
    int count;        /* rows in all */
    const double (*bias)[BLOCK_MAX_ROWS];
    const double *soft; /* of each block: J u + soft lambda = -bias; NULL: all are rigid */
} KktRows;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool kkt_matrix_init(KktMatrix *matrix, const World *world, int rows);
void kkt_matrix_free(KktMatrix *matrix);

/* u = u_free becomes the solution, lambda its multipliers row by row. False, with both left alone: the matrix is
 * singular, its rows are dependent. */
bool kkt_matrix_solve(KktMatrix *matrix, const World *world, const KktRows *rows, Velocity *u, double *lambda);

#endif
