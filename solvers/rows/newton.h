/* Semismooth Newton on the natural map of the velocity-level system (Alart, Curnier 1991; De Saxce, Feng 1998):
 *
 *     F(lambda) = (lambda - P(lambda - rho r)) / rho = 0,   r = J V + s lambda + bias,   V = V* + M^-1 J^T lambda,
 *
 * P the projection on the bounds, of friction on its disc, polygon or square of size mu lambda_n. Linearised, group by
 * group, P_g dlambda + Q_g J dV = -F_g; with dlambda eliminated, (1 + M^-1 J^T P^-1 Q J) dV = -M^-1 J^T P^-1 F has six
 * unknowns a body, in a band. Where rows depend on each other or contradict each other, P is singular: Levenberg and
 * Marquardt's epsilon A_ii (lambda - centre) in r mends that, and the centre moves on once |F| has fallen. */
#ifndef RIGOR_SOLVERS_ROWS_NEWTON_H
#define RIGOR_SOLVERS_ROWS_NEWTON_H

#include "solvers/rows/rows.h"

typedef struct Newton {
    int bodies, size, band; /* size: unknowns; band: its half width */
    int *column;            /* of each body: its first unknown; -1: fixed */
    int *order, *level;     /* scratch of the numbering */
    double *matrix, *right; /* banded, as LAPACK keeps it */
    int *pivots;
    double *lambda, *change, *centre, *best; /* before a step, its direction ...: three for each block */
    Velocity *before, *turn, *best_velocity; /* before a step; dV; of the best lambda so far */
    int steps;                               /* of the last solve */
} Newton;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool newton_init(Newton *newton, const World *world);
void newton_free(Newton *newton);

/* Numbers the bodies and makes room for the system; false: its band is beyond `most` doubles, or out of memory. */
bool newton_prepare(Newton *newton, const RowSystem *system, const World *world, size_t most);

/* At most `steps` steps from the system's lambda, `velocity` being V of it, until the residual (row_system_residual) is
 * at most `tolerance`; returns it. Leaves the best that it found. */
double newton_solve(Newton *newton, RowSystem *system, Velocity *velocity, int steps, double tolerance);

#endif
