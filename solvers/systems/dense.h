/* SPDX-License-Identifier: MIT */
/* The system of rows.h as a dense matrix, (J M^-1 J^T + s) x = b, assembled by OpenBLAS: with the rows of J M^-1/2 as
 * G, A = G G^T + s. */
#ifndef RIGOR_SOLVERS_SYSTEMS_DENSE_H
#define RIGOR_SOLVERS_SYSTEMS_DENSE_H

#include "model/array.h"
#include "solvers/rows/rows.h"

typedef struct Dense {
    Arrays arrays;
    int capacity, rows;
    int columns; /* 0: without G and A */
    double *G;   /* rows x columns, row by row; six columns a body */
    double *A;   /* rows x rows, symmetric */
    double *b, *x, *lower, *upper;
} Dense;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool dense_init(Dense *dense, const World *world);
/* For dense_gather and dense_store alone. */
bool dense_init_rows(Dense *dense, const World *world);
/* Room for as many rows as the world has now; what stood in it is lost. */
bool dense_reserve(Dense *dense, const World *world);
void dense_free(Dense *dense);

/* A, b, x = lambda and the bounds of a prepared system, V* being the world's velocities. */
void dense_assemble(Dense *dense, const RowSystem *system, const World *world);

/* The same without A. */
void dense_gather(Dense *dense, const RowSystem *system, const World *world);

/* x becomes the system's lambda. */
void dense_store(const Dense *dense, RowSystem *system);

#endif
