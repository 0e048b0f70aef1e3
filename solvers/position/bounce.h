/* SPDX-License-Identifier: MIT */
/* Restitution of the position-based backends: Newton's law at all contacts of an impact at once,
 *     0 <= p  _|_  J v + e J v- >= 0   (e = 0 where v- is slower than the threshold),   v = v0 + M^-1 J^T dp,
 * v0 and p being what the position solve and the plain velocity pass left, v- the velocity before the substep. One
 * contact alone is Mueller et al. 2020, v_n -> -e v_n-. Several are swept (projected Gauss-Seidel on the rows of
 * rows.h) until the law holds; after one sweep three balls in a row would have (0, 1/2, 1/2). Friction stays within mu
 * p, and the rigid joints of the bodies hit answer with J v = 0. Energy is never added: see bounce.c. */
#ifndef RIGOR_SOLVERS_POSITION_BOUNCE_H
#define RIGOR_SOLVERS_POSITION_BOUNCE_H

#include "solvers/position/position.h"
#include "solvers/rows/rows.h"

/* Of the bodies that hang together in an impact, by their root: J. */
typedef struct BounceEnergy {
    double before, plain, mixed, added; /* T(v-), T(v0), v0 M dv / 2, T(dv) */
} BounceEnergy;

typedef struct Bounce {
    bool possible;    /* some material has e > 0: else there is no more to this struct */
    double threshold; /* m/s: slower impacts do not bounce; the caller sets it */
    RowSystem system;
    int *root;            /* of each body, model/joint/graph.h */
    bool *hit;            /* of each body that is a root: something hits in its island */
    Velocity *plain;      /* of each body: v0 */
    BounceEnergy *energy; /* of each root */
    bool *part;           /* of each block: closed contacts and rigid joints, then those of an impact */
    int *order, count;    /* the blocks of an impact; 0: nothing is hit in this substep */
    int capacity;         /* of blocks */
} Bounce;

/* The table entry; the struct has an `int velocity_iterations`. Five balls in a row take 30 sweeps. */
#define VELOCITY_ITERATIONS_SETTING(Options)                                                                           \
    PARAM_INT(Options, velocity_iterations, "sweeps over the rows of an impact that bounces, at most (stick)", 50, 1,  \
              1000000)

/* False when out of memory; free copes with half-built and zeroed ones. */
bool bounce_init(Bounce *bounce, const World *world);
bool bounce_reserve(Bounce *bounce, const World *world);
void bounce_free(Bounce *bounce);

/* The part of the velocities asked for at which the law counts as fulfilled: far below what a substep's error is. */
#define BOUNCE_CONVERGED 1e-6

/* A phase of its own, once poses are those of the substep's end and world->block_impulse holds what contacts gave:
 * begin finds the impacts, a sweep goes through their rows, the residual is a share of that before the first sweep, end
 * bounds the energy, adds the impulses and reports its caps. */
void bounce_begin(Bounce *bounce, Step *step, const Multiplier *multipliers);
void bounce_sweep(Bounce *bounce, Step *step);
double bounce_residual(const Bounce *bounce, const World *world);
void bounce_end(Bounce *bounce, Step *step);

#endif
