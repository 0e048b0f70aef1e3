/* SPDX-License-Identifier: MIT */
/* The normals of a manifold together. Open points take part, since what pushes one end of a body out may push the other
 * one in.
 *
 * Which of four points of a face carries is open: of two equal cubes J M^-1 J^T has eigenvalues as 4, 6, 6 and 0;
 * softened by 1e-6 (solvers/contact/manifold.c) its condition number is 1.5e6. Round-off of C, 1e-16 m, comes back as
 * 1e-10 m against the g h^2 = 7e-6 m of a substep of 1/1200 s: a point's load is known to 1e-5. Poses do not see it,
 * but the velocity pass bounds friction point by point. One unit in the last place of the bodies' heights changes
 * velocities of `pyramid`, `arch` and `wall` by up to 8e-7 m/s in a substep, poses by 1e-14 m; as published 1e-11 m/s,
 * and with a thousand times the softening 9e-10 m/s. Where an impact has equal ways out, as in `overlap`, round-off
 * chooses. */
#include "solvers/contact/manifold.h"
#include "solvers/position/unit.h"

typedef struct Normals {
    PointBlocks block[MANIFOLD_MAX];
    LanesVec3 n[MANIFOLD_MAX];
    BothVec3 at[MANIFOLD_MAX];
    Lanes C[MANIFOLD_MAX], lambda[MANIFOLD_MAX];
    PairRow row[MANIFOLD_MAX];
} Normals;

/* Returns the lanes where a point overlaps beyond the slop or pushes already. */
LANE_INLINE LaneMask normals_find(Unit *unit, int count, const Pair *pair, const Multiplier *multipliers,
                                  Normals *normals)
{
    LaneMask needed = mask_first(0);
    for (int i = 0; i < count; i++) {
        PointPlaces own;
        const PointPlaces *point = unit_point(unit, i, &own);
        ContactPlace place = contact_place(unit->world, &unit->lanes->seat, &point->seat, &pair->pose);
        normals->block[i] = point_blocks(unit, i);
        normals->n[i] = place.n;
        normals->at[i] = place.at;
        normals->C[i] = point_error(point, place.C, unit->how);
        normals->lambda[i] = gather_multipliers(multipliers, normals->block[i].contact).x;
        needed |= (LaneMask)(normals->C[i] < 0.0) | (LaneMask)(normals->lambda[i] > 0.0);
    }
    return needed;
}

/* A point alone: lambda + dlambda >= 0, dlambda = -k C / (w1 + w2). Returns the lanes that were solved. */
LANE_INLINE LaneMask normals_solve_one(const Pair *pair, const Normals *normals, double stiffness, LaneMask needed,
                                       Lanes next[], Lanes dlambda[])
{
    Lanes C = normals->C[0], lambda = normals->lambda[0], w = pair_weight(pair, &normals->row[0]);
    next[0] = lambda - stiffness * C / w;
    next[0] = lanes_where(mask_not((LaneMask)(next[0] < 0.0)), next[0]);
    dlambda[0] = next[0] - lambda;
    return needed & mask_not((LaneMask)(C >= 0.0) & (LaneMask)(lambda == 0.0)) & (LaneMask)(w > 0.0);
}

/* Rows that are out are those of the unit matrix: the others do not see them. */
LANE_INLINE void normals_try(int count, const Normals *normals, Lanes A[MANIFOLD_MAX][MANIFOLD_MAX],
                             const LaneMask out[], double stiffness, Lanes change[])
{
    Lanes part[MANIFOLD_MAX][MANIFOLD_MAX];
    for (int i = 0; i < count; i++) {
        change[i] = -stiffness * normals->C[i];
        for (int j = 0; j < count; j++)
            change[i] += lanes_where(out[j], A[i][j] * normals->lambda[j]);
        change[i] = lanes_where(mask_not(out[i]), change[i]);
        for (int j = 0; j < i; j++)
            part[i][j] = lanes_where(mask_not(out[i] | out[j]), A[i][j]);
        part[i][i] = lanes_choose(out[i], lanes_all(1.0), A[i][i] * (1.0 + MANIFOLD_SOFTENED));
    }
    lanes_solve_symmetric(count, MANIFOLD_MAX, part[0], change);
}

/* lambda >= 0, A dlambda + k C = 0 where lambda > 0: lanes whose points all push are done, in the others the one that
 * pulls most is let go and the rest solved again. */
LANE_INLINE void normals_solve(int count, const Normals *normals, Lanes A[MANIFOLD_MAX][MANIFOLD_MAX], double stiffness,
                               LaneMask open, Lanes dlambda[])
{
    LaneMask out[MANIFOLD_MAX];
    for (int i = 0; i < count; i++)
        out[i] = mask_first(0);
    for (int left = count; left > 0 && mask_any(open); left--) {
        Lanes change[MANIFOLD_MAX], least = lanes_all(0.0);
        LaneMask worst[MANIFOLD_MAX], pulls = mask_first(0);
        normals_try(count, normals, A, out, stiffness, change);
        for (int i = 0; i < count; i++) {
            Lanes step = lanes_choose(out[i], -normals->lambda[i], change[i]), next = normals->lambda[i] + change[i];
            LaneMask worse = mask_not(out[i]) & (LaneMask)(next < least);
            dlambda[i] = lanes_choose(open, step, dlambda[i]);
            least = lanes_choose(worse, next, least);
            for (int j = 0; j < i; j++)
                worst[j] &= mask_not(worse);
            worst[i] = worse;
            pulls |= worse;
        }
        open &= pulls;
        for (int i = 0; i < count; i++) {
            worst[i] &= open;
            out[i] |= worst[i];
            dlambda[i] = lanes_choose(worst[i], -normals->lambda[i], dlambda[i]);
        }
    }
}

LANE_INLINE LaneMask normals_solve_together(int count, const Pair *pair, const Normals *normals, double stiffness,
                                            LaneMask needed, Lanes next[], Lanes dlambda[])
{
    Lanes A[MANIFOLD_MAX][MANIFOLD_MAX];
    for (int i = 0; i < count; i++) {
        dlambda[i] = lanes_all(0.0);
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] = pair_coupling(pair, &normals->row[i], &normals->row[j]);
    }
    normals_solve(count, normals, A, stiffness, needed, dlambda);
    for (int i = 0; i < count; i++)
        next[i] = normals->lambda[i] + dlambda[i];
    return needed;
}

LANE_INLINE int normals_manifolds(Unit *unit, int count, World *world, Multiplier *multipliers)
{
    Normals normals;
    Pair pair;
    Lanes next[MANIFOLD_MAX], dlambda[MANIFOLD_MAX];
    double stiffness = unit->how->stiffness;
    pair_place(world, unit->body, &unit->lanes->mass, &pair);
    LaneMask needed = normals_find(unit, count, &pair, multipliers, &normals);
    if (!mask_any(needed))
        return 0;
    for (int i = 0; i < count; i++)
        normals.row[i] = pair_row(&pair, normals.n[i], both_sub(normals.at[i], pair.pose.x));
    needed = count == 1 ? normals_solve_one(&pair, &normals, stiffness, needed, next, dlambda)
                        : normals_solve_together(count, &pair, &normals, stiffness, needed, next, dlambda);
    pair_push(&pair, needed, normals.row, count, dlambda);
    pair_store(world, &pair, needed);
    for (int i = 0; i < count; i++) {
        LanesVec3 lambda = {next[i], lanes_all(0.0), lanes_all(0.0)}; /* of one row: x alone counts */
        scatter_multipliers(multipliers, normals.block[i].contact, needed, lambda,
                            lanes_scale(next[i], normals.row[i].u));
    }
    return count * mask_count(needed & unit->live);
}

LANE_CHOICE(stick_normals)
long LANE_BODY(stick_normals)(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    long rows = 0;
    ADD_OF_UNITS(rows, normals_manifolds, sweep, from, to, sweep->world, sweep->multipliers)
    return rows;
}
