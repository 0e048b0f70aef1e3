/* SPDX-License-Identifier: MIT */
/* The multipliers of all blocks in one substep: they begin with zero and are tracked over its iterations. */
#ifndef RIGOR_SOLVERS_POSITION_MULTIPLIERS_H
#define RIGOR_SOLVERS_POSITION_MULTIPLIERS_H

#include "solvers/motion.h"
#include "solvers/position/position.h"

typedef struct Multipliers {
    size_t capacity;
    Multiplier *of; /* each block */
    Pose *scratch;  /* of each body, for the residual only */
} Multipliers;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool multipliers_init(Multipliers *multipliers, const World *world);
bool multipliers_reserve(Multipliers *multipliers, const World *world);
void multipliers_free(Multipliers *multipliers);

void multipliers_clear(Multipliers *multipliers, const World *world);

/* lambda is a force times h^2: over the substep it gave the impulse lambda / h, which goes to world->block_impulse. */
void multipliers_store_impulses(const Multipliers *multipliers, World *world, double h);

/* |C + a lambda| over |C| at the predicted poses, which velocities not yet updated still give. */
double multipliers_residual(const Multipliers *multipliers, const Motion *motion, const Step *step);

#endif
