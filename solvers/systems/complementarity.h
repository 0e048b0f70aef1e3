/* SPDX-License-Identifier: MIT */
/* Rows with bounds as a linear complementarity problem (Anitescu, Potra 1997; Stewart, Trinkle 1996).
 *
 * Equality rows are eliminated, A' = A_bb - A_bf A_ff^-1 A_fb. Of the others, v = A' lambda - b':
 *     one bound    lambda = +-z:                z >= 0  _|_  +-v >= 0
 *     two bounds   lambda = lower + z:          z _|_ v + s,   s >= 0  _|_  upper - lower - z >= 0
 *     friction     lambda = sum_j d_j z_j:      z_j _|_ d_j.v + s,   s _|_ mu lambda_n - sum_j z_j >= 0
 * with d_j the corners of a polygon (of the spin of a patch: +-1, and 2/3 mu R times its points' lambda_n). The matrix
 * is copositive whatever mu is, so that Painleve's configurations have an impulse too. */
#ifndef RIGOR_SOLVERS_SYSTEMS_COMPLEMENTARITY_H
#define RIGOR_SOLVERS_SYSTEMS_COMPLEMENTARITY_H

#include "solvers/linear/lemke.h"
#include "solvers/systems/dense.h"
#include "solvers/systems/joint_elimination.h"
#include "solvers/systems/schur.h"

/* How equality rows are eliminated: A is assembled and factored, or the joints' sparse graph is. */
typedef enum EliminationForm { ELIMINATE_DENSE, ELIMINATE_SPARSE } EliminationForm;

/* How a row of the dense system enters. */
typedef struct ComplementarityRow {
    int index;     /* among the eliminated, or among the others; -1: nothing moves, lambda = 0 */
    bool equality; /* eliminated */
    int variable;  /* of a row with bounds: its first */
    double offset; /* N s: lambda at z = 0 */
} ComplementarityRow;

/* z >= 0, and what it gives: lambda += weight z for a row among the others, or two. The weights hold 1/sqrt(A_ii), so
 * that the matrix has a diagonal of about one before elimination. */
typedef struct ComplementarityVariable {
    int count;
    int row[2];
    double weight[2]; /* N s; a slack has none */
    double scale;     /* 1/sqrt(A_ii) */
    int slack;        /* the variable that bounds it; -1: none */
} ComplementarityVariable;

typedef struct Complementarity {
    Arrays arrays;
    EliminationForm form;
    Dense dense;             /* sparse: without A */
    Schur schur;             /* dense: of the equality rows */
    JointElimination joints; /* sparse */
    Lemke lemke;
    int capacity, equalities, others;
    int facets; /* corners of the polygon of friction */
    int variable_capacity;
    ComplementarityRow *rows; /* of the dense system */
    ComplementarityVariable *variables;
    int *equality, *other; /* their rows there */
    double *diagonal;      /* A_ii of all rows */
    double *coupling;      /* dense: A_bf, others x equalities */
    double *eliminated;    /* dense: A_bf A_ff^-1 */
    double *reduced;       /* A', others x others */
    double *lambda;        /* of the others */
    double *rest;          /* of the others: -b', what they run at without impulses of theirs */
    double *rate;          /* of the others: A' offset - b' */
    double *free, *least;  /* dense: of the equalities */
    double *acts;          /* of the others: what one variable's row of M takes of them */
    double *known;         /* of all rows: about what lambda will be, if `guessed` */
    bool guessed;
} Complementarity;

/* Variables of the problem if every block is active; dense: as if every row of a joint had bounds. */
int complementarity_size(const World *world, int facets, EliminationForm form);

/* False when out of memory; free copes with half-built and zeroed ones. */
bool complementarity_init(Complementarity *lcp, const World *world, int facets, EliminationForm form);
bool complementarity_reserve(Complementarity *lcp, const World *world);
void complementarity_free(Complementarity *lcp);

/* Whether some equality rows repeat others; their multipliers are not unique then. */
bool complementarity_is_deficient(const Complementarity *lcp);

/* For row_solves: the rows that a pivot goes through, and those that elimination solved: sparse, all of the joints for
 * each row with bounds, and twice besides. */
int complementarity_pivoted_rows(const Complementarity *lcp);
long long complementarity_eliminated_rows(const Complementarity *lcp);

/* Eliminates the equality rows of a prepared system, V* being the world's velocities. `guess`: multipliers of its
 * rows that are about right, to begin with, or NULL. */
void complementarity_reduce(Complementarity *lcp, RowSystem *system, const World *world, const double *guess);

/* Solves what is left, with `softness` added to the unit diagonal, for the system's lambda, which stays as it was
 * unless this succeeds; `guide` as in lemke.h. */
LemkeEnd complementarity_solve(Complementarity *lcp, RowSystem *system, const World *world, double softness,
                               double guide);

#endif
