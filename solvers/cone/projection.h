/* SPDX-License-Identifier: MIT */
/* The projection on a block's set: Coulomb's cone {|x_t| <= mu x_n}, an interval, or everything. */
#ifndef RIGOR_SOLVERS_CONE_PROJECTION_H
#define RIGOR_SOLVERS_CONE_PROJECTION_H

#include "solvers/cone/cone_system.h"

#include <math.h>

/* |x_t| of a contact with one or two tangents. */
static inline double cone_tangent_norm(int size, const double x[CONE_MAX_SIZE])
{
    return size == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : size == 2 ? fabs(x[1]) : 0.0;
}

/* x <- the nearest point of the cone. */
static inline void cone_project(int size, double mu, double x[CONE_MAX_SIZE])
{
    double n = x[0], t = cone_tangent_norm(size, x);
    if (mu * t <= -n) { /* asked first: without friction a pull has t <= mu n, too */
        for (int i = 0; i < size; i++)
            x[i] = 0.0;
        return;
    }
    if (t <= mu * n)
        return;
    double normal = (n + mu * t) / (1.0 + mu * mu), scale = mu * normal / t;
    x[0] = normal;
    for (int i = 1; i < size; i++)
        x[i] *= scale;
}

static inline void cone_block_project(const ConeBlock *block, double x[CONE_MAX_SIZE])
{
    if (block->kind == CONE_CONTACT)
        cone_project(block->size, block->mu, x);
    else if (block->kind == CONE_BOUNDS)
        for (int i = 0; i < block->size; i++)
            x[i] = fmin(fmax(x[i], block->lower[i]), block->upper[i]);
}

#endif
