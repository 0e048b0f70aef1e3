/* SPDX-License-Identifier: MIT */
/* Springs and dampers on rows, f = -k C - c J V: what a penalty method makes of constraints, and what its step may be.
 */
#ifndef RIGOR_MODEL_ROWS_SPRINGS_H
#define RIGOR_MODEL_ROWS_SPRINGS_H

#include "model/random.h"
#include "model/rows/prepared_rows.h"

#include <string.h>

/* A row's spring and damper as they act now; zero where it is open. */
typedef struct Spring {
    double k; /* N/m, N m/rad */
    double c; /* N s/m, N m s/rad */
    double s; /* kg, kg m^2: c h of a damper that is weaker the longer the step */
} Spring;

/* A block's. */
typedef struct SprungRows {
    PreparedRows p;
    Spring spring[BLOCK_MAX_ROWS];
    double mode[BLOCK_MAX_ROWS]; /* J u of the mode u that becomes unstable first */
} SprungRows;

/* zeta of a spring and damper that stop pushing when their force is zero and then have given back e: with zeta =
 * sin(theta), e = exp(-(pi - 2 theta) tan(theta)) (Schwager and Poeschel 2007). At most 1, which gives e^-2 = 0.135. */
static inline double contact_damping_ratio(double e)
{
    double low = 0.0, high = 0.5 * PI;
    if (e <= exp(-2.0))
        return 1.0;
    for (int i = 0; i < 52; i++) { /* halvings of pi/2: to round-off */
        double theta = 0.5 * (low + high);
        if (exp(-(PI - 2.0 * theta) * tan(theta)) > e)
            low = theta;
        else
            high = theta;
    }
    return sin(low);
}

/* Before it has pushed, a mode alternates as in the stiffest of a chain, and is uneven, so that no symmetry of a scene
 * keeps it from any. */
static inline void springs_start_modes(SprungRows *of, size_t from, size_t to)
{
    for (size_t b = from; b < to; b++)
        for (size_t i = 0; i < BLOCK_MAX_ROWS; i++) {
            Random random = {b * BLOCK_MAX_ROWS + i};
            of[b].mode[i] = (b % 2 == 0 ? 1.0 : -1.0) * random_in(&random, 0.5, 1.5);
        }
}

/* Where row i of block b has its part of the mode: a contact point has one place for its three rows. */
static inline double *springs_mode(SprungRows *of, const World *world, int b, int i)
{
    return world->blocks[b].kind == BLOCK_FRICTION ? &of[b - 1].mode[i + 1] : &of[b].mode[i];
}

/* u <- M^-1 J^T (h^2 k + 2 h c + 2 s) J u; returns u'Mu. */
static inline double springs_excite(SprungRows *of, const World *world, double h, Velocity *u)
{
    double sum = 0.0;
    memset(u, 0, sizeof *u * (size_t)world->body_count);
    for (int b = 0; b < world->block_count; b++)
        for (int i = 0; i < of[b].p.rows.count; i++) {
            Spring row = of[b].spring[i];
            double weight = h * h * row.k + 2.0 * h * row.c + 2.0 * row.s;
            row_apply(of[b].p.B[i], &world->blocks[b], weight * *springs_mode(of, world, b, i), u);
        }
    for (int i = 1; i < world->body_count; i++) {
        Vec3 w = quat_rotate_inverse(world->pose[i].q, u[i].w);
        if (!world_is_fixed(world, i))
            sum += world->mass[i].mass * vec3_dot(u[i].v, u[i].v) + vec3_dot(w, vec3_mul(world->mass[i].inertia, w));
    }
    return sum;
}

/* s, the longest stable step of springs by semi-implicit Euler, by one step of a power iteration from the `limit` found
 * so far; infinite where nothing pushes. A mode u with u'Mu = 1 obeys
 *     z^2 - (2 - h^2 u'Ku - h u'Cu) z + 1 - h u'Cu = 0,    K = J^T k J,    C = J^T c J:
 * all are stable while h^2 K + 2 h C + 2 S < 4 M. u is scratch, of each body. */
static inline double springs_stable_step(SprungRows *of, const World *world, double limit, Velocity *u)
{
    double uMu = springs_excite(of, world, isfinite(limit) ? limit : 1.0, u), uKu = 0.0, uCu = 0.0, uSu = 0.0;
    double largest = 0.0;
    for (int pass = 0; pass < 2 && uMu > 0.0; pass++) /* J u, then in units of the largest: its scale is free */
        for (int b = 0; b < world->block_count; b++)
            for (int i = 0; i < of[b].p.rows.count; i++) {
                Spring row = of[b].spring[i];
                double *mode = springs_mode(of, world, b, i), Ju = row_rate(of[b].p.rows.J[i], &world->blocks[b], u);
                if (row.k + row.c + row.s == 0.0) /* it keeps its part for when it pushes */
                    continue;
                *mode = pass == 0 || largest == 0.0 ? Ju : Ju / largest;
                largest = pass == 0 ? fmax(largest, fabs(Ju)) : largest;
                uKu += pass == 0 ? row.k * Ju * Ju / uMu : 0.0;
                uCu += pass == 0 ? row.c * Ju * Ju / uMu : 0.0;
                uSu += pass == 0 ? row.s * Ju * Ju / uMu : 0.0;
            }
    double left = 4.0 - 2.0 * uSu, rates = uCu + sqrt(uCu * uCu + left * uKu);
    return rates > 0.0 ? left / rates : INFINITY;
}

#endif
