/* SPDX-License-Identifier: MIT */
/* Frictional contact problems that others published, as cone systems (solvers/cone/cone_system.h): Siconos' text files
 * (.dat) and FCLIB's HDF5 files, local (u = W r + q) and global,
 *
 *     M v = f + H r + G l,   u = H^T v + w,   0 = G^T v + b      which becomes   W = [H G]^T M^-1 [H G].
 *
 * docs/reference/formats.md describes both formats. Stored solutions are not read: they are often none. */
#ifndef RIGOR_BENCH_PROBLEMS_PROBLEM_H
#define RIGOR_BENCH_PROBLEMS_PROBLEM_H

#include "solvers/cone/cone_system.h"

typedef struct ContactProblem {
    char name[256]; /* the file's, without its folder */
    int dimension;  /* 2 or 3 */
    int contacts;
    int limits;       /* rows with r >= 0, among the contacts */
    int equalities;   /* rows of joints after the contacts */
    bool global;      /* was given by M and H */
    double asymmetry; /* of W */
    ConeSystem system;
} ContactProblem;

/* The format goes by the content. False with `file:line:column: what is wrong`, or the HDF5 path. */
bool contact_problem_read(ContactProblem *problem, const char *path, Status *status);
void contact_problem_free(ContactProblem *problem);

#endif
