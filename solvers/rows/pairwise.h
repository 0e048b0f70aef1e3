/* What the two naive backends share: rows without memory, and the push-apart. */
#ifndef RIGOR_SOLVERS_ROWS_PAIRWISE_H
#define RIGOR_SOLVERS_ROWS_PAIRWISE_H

#include "solvers/motion.h"
#include "solvers/rows/rows.h"

typedef struct PairwiseOptions {
    CommonOptions common;
    double restitution_threshold;
} PairwiseOptions;

typedef struct Pairwise {
    PairwiseOptions options;
    Motion motion;
    RowSystem system;
    Velocity *seen; /* the velocities that every row of a pass sees (naive_avg) */
    double *share;  /* of each block: 1 / rows that compete with it (naive_avg) */
    int *touching;  /* rows that act on each body */
    int capacity;   /* of share */
} Pairwise;

void *pairwise_create(const SolverTask *task, Status *status);
void pairwise_destroy(void *self);
bool pairwise_reserve(void *self, const World *world, Status *status);

/* Free flight; rows with no bias but that of soft rows and of gaps still open; blocks are solved as a whole. */
void pairwise_begin(void *self, Step *step);
double pairwise_residual(void *self, const Step *step);

/* A pass never takes back what an earlier one gave: a row that may only push, or only pull, has its bound at the
 * impulse given so far while the pass runs. (That is what accumulated clamping in PGS mends.) */
void pairwise_begin_pass(Pairwise *pairwise);
void pairwise_end_pass(Pairwise *pairwise);

/* One pass over the contacts, each seeing the velocities `seen`; share NULL: whole impulses. Returns the rows solved.
 */
int pairwise_collide_all(Pairwise *pairwise, const World *world, const Velocity *seen, Velocity *velocity,
                         const double *share, double h);

/* Moves by the velocities; then push corrects every rigid block's position error once. */
void pairwise_move(void *self, Step *step);
void pairwise_push(void *self, Step *step);

#endif
