/* SPDX-License-Identifier: MIT */
/* A contact problem without bodies: find r and u = W r + q so that, block by block,
 *
 *     contact    K* contains u + mu |u_t| e_n, orthogonal to r in K = {|r_t| <= mu r_n}      (Coulomb, De Saxce 1992)
 *     joint      u = 0
 *     bounds     lower <= r_i <= upper, u_i >= 0 at the lower and <= 0 at the upper one
 *
 * r is an impulse (N s), u a velocity (m/s); a contact's rows are its normal, then its tangents. W may be unsymmetric
 * and singular, as published problems are. It is kept in compressed rows of small dense blocks. */
#ifndef RIGOR_SOLVERS_CONE_CONE_SYSTEM_H
#define RIGOR_SOLVERS_CONE_CONE_SYSTEM_H

#include "model/array.h"
#include "model/status.h"

enum { CONE_MAX_SIZE = 3 };

typedef enum ConeKind { CONE_CONTACT, CONE_JOINT, CONE_BOUNDS } ConeKind;

typedef struct ConeBlock {
    ConeKind kind;
    int size;                                          /* rows */
    int first;                                         /* of them */
    double mu;                                         /* contact */
    double lower[CONE_MAX_SIZE], upper[CONE_MAX_SIZE]; /* bounds, N s */
} ConeBlock;

typedef struct ConeSystem {
    Arrays arrays;
    int count, rows;
    ConeBlock *blocks;
    double *q;
    /* Block row i: entries start[i] .. start[i + 1]; entry e is block column[e], row by row at value[at[e]]. */
    int *start, *column, *at;
    int *diagonal; /* entry of W_ii of each block; never missing */
    double *value;
    /* Of a system that was made of bodies: sum_b n_b J_b M_b^-1 J_b^T, n_b the blocks at body b; else NULL. */
    double (*split)[CONE_MAX_SIZE * CONE_MAX_SIZE];
} ConeSystem;

/* One number of W, by rows. */
typedef struct ConeEntry {
    int row, column;
    double x;
} ConeEntry;

/* Blocks have kind, size and bounds; `first` is filled in. Entries at one place add up; they are sorted in place. q is
 * copied. False with a message; free copes with half-built and zeroed systems. */
bool cone_system_init(ConeSystem *system, const ConeBlock *blocks, int count, ConeEntry *entries, long entry_count,
                      const double *q, Status *status);
void cone_system_free(ConeSystem *system);

/* u = W_i r + q_i of block i alone. */
void cone_block_velocity(const ConeSystem *system, int i, const double *r, double u[CONE_MAX_SIZE]);

/* y = W x */
void cone_system_product(const ConeSystem *system, const double *x, double *y);

/* u = W r + q */
void cone_system_velocity(const ConeSystem *system, const double *r, double *u);

/* W_ij of entry e, at row a and column b of the block. */
static inline double cone_entry(const ConeSystem *system, int e, int a, int b)
{
    return system->value[system->at[e] + a * system->blocks[system->column[e]].size + b];
}

/* The entry at block row j and block column i, or -1. */
int cone_system_find(const ConeSystem *system, int j, int i);

/* How many numbers `value` has. */
long cone_system_numbers(const ConeSystem *system);

/* The mean of the diagonal of W_ii; 1 where that is zero. */
double cone_block_weight(const ConeSystem *system, int i);

/* The largest |W_ij - W_ji| over the largest |W_ij|. */
double cone_system_asymmetry(const ConeSystem *system);

/* Which friction a method solves for. Its residual is that of its own law. */
typedef enum ConeLaw {
    CONE_COULOMB,
    CONE_CONVEX, /* without mu |u_t| e_n: an associated flow rule, which lets sliding contacts lift off */
} ConeLaw;

/* What r leaves, of all rows: |r - P(r - u - mu |u_t| e_n)| over the largest of |q|, |r| and |u| (the error that
 * Siconos prints for contacts), P the projection on K or the bounds. `scaled`: steps of 1/w, w the mean of the diagonal
 * of W_ii, that is |w r - w P(r - u/w ...)| over the largest of |q|, |w r| and |u|, which no choice of units changes.
 */
typedef struct ConeResidual {
    double plain, scaled;
} ConeResidual;

/* u is scratch, `rows` numbers; it becomes W r + q. */
ConeResidual cone_system_residual(const ConeSystem *system, ConeLaw law, const double *r, double *u);

#endif
