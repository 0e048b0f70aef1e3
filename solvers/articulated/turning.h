/* SPDX-License-Identifier: MIT */
/* Friction against rolling and spinning at contact points, as rows on the trees: of the relative turning w = w2 - w1
 *     n.w = 0,  |lambda_n| <= spin_friction x N        t1.w = t2.w = 0,  |lambda_t| <= rolling_friction x N
 * with N the point's normal as the sweep has it (solvers/pgs/rolling.h has the same between free bodies). They come
 * after all others of a sweep, and are warm started by point. */
#ifndef RIGOR_SOLVERS_ARTICULATED_TURNING_H
#define RIGOR_SOLVERS_ARTICULATED_TURNING_H

#include "solvers/contact/point_memory.h"
#include "solvers/tree/answers.h"

typedef struct TurningPoint {
    const double *normal; /* the point's multiplier, N s */
    int body[2];
    double spin, roll; /* m */
    Vec3 axis[3];      /* n, t1, t2 */
    double rate[3];    /* of the velocities without rows */
    double lambda[3];  /* N m s */
    Vec3 *kept;        /* the same in the world, from substep to substep */
    Answer answer;
} TurningPoint;

typedef struct Turning {
    PointMemory memory;
    int count, capacity;
    TurningPoint *points;
} Turning;

/* Whether some material resists turning: else nothing here does anything. */
bool world_resists_turning(const World *world);

/* False when out of memory; free copes with zeroed ones. */
bool turning_reserve(Turning *turning, const World *world);
void turning_free(Turning *turning);

/* Forgets the last substep's points, but not what they gave. */
void turning_begin(Turning *turning, const World *world);

/* The k-th contact point of the world, whose normal's block is `block` and whose multiplier is at `normal`. */
void turning_add(Turning *turning, int k, const Manifold *manifold, int block, const double *normal, double keep,
                 const World *world, Answers *answers, const Forest *forest, const Articulated *tree);

/* u += Y lambda; one sweep, which returns the rows solved; and what they gave acts on the links, and is kept. */
void turning_apply(const Turning *turning, double *u);
int turning_sweep(Turning *turning, double *u);
void turning_push(const Turning *turning, Articulated *tree);

#endif
