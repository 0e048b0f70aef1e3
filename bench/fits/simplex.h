/* SPDX-License-Identifier: MIT */
/* The least value of a function of a few numbers, without derivatives. */
#ifndef RIGOR_BENCH_FITS_SIMPLEX_H
#define RIGOR_BENCH_FITS_SIMPLEX_H

#include "model/status.h"

enum { SIMPLEX_NUMBERS = 8 };

/* Nelder and Mead's simplex (GSL's nmsimplex2): `at` is where it begins, `edges` its first ones. It ends once it is
 * smaller than `small`, or after so many iterations; `at` becomes the best place. False with a
 * message. */
typedef struct Simplex {
    int count;
    double at[SIMPLEX_NUMBERS], edges[SIMPLEX_NUMBERS];
    double small;
    int iterations;
    double (*value)(const double *at, void *context);
    void *context;
} Simplex;

bool simplex_descend(Simplex *simplex, Status *status);

#endif
