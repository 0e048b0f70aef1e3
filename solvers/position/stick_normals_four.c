/* stick_normals.c for four manifolds of one colour at once, a lane each. */
#include "solvers/position/four_place.h"
#include "solvers/position/four_small.h"
#include "solvers/rows/manifold.h"

typedef struct NormalsFour {
    PointBlocks block[MANIFOLD_MAX];
    Wide C[MANIFOLD_MAX], lambda[MANIFOLD_MAX];
    FourRow row[MANIFOLD_MAX];
} NormalsFour;

/* Returns the lanes where a point overlaps beyond the slop or pushes already. */
WIDE_INLINE WideMask normals_find(const World *world, const QuadUnits *units, const ManifoldLanes *lanes,
                                  const PointPlaces *point, int count, const FourPair *pair, const PositionSolve *how,
                                  const Multiplier *multipliers, NormalsFour *normals)
{
    WideMask needed = {0};
    for (int i = 0; i < count; i++) {
        FourPlace place = four_place(world, lanes, &point[i], pair->pose);
        FourVec3 arm[2];
        Wide x[FOUR];
        normals->block[i] = point_blocks(world, units, i);
        four_multipliers(multipliers, normals->block[i].contact, x);
        four_arms(pair, place.at, arm);
        four_row(pair, place.n, arm, &normals->row[i]);
        normals->lambda[i] = x[0];
        normals->C[i] = four_contact_error(&point[i], place.C, how);
        needed |= (WideMask)(normals->C[i] < 0.0) | (WideMask)(normals->lambda[i] > 0.0);
    }
    return needed;
}

/* normal_solve; returns the lanes that were solved. */
WIDE_INLINE WideMask normals_solve_one(const FourPair *pair, const NormalsFour *normals, double stiffness,
                                       WideMask needed, Wide next[], Wide dlambda[])
{
    Wide C = normals->C[0], lambda = normals->lambda[0], w = four_weight(pair, &normals->row[0]);
    next[0] = lambda - stiffness * C / w;
    next[0] = four_mask(~(WideMask)(next[0] < 0.0), next[0]);
    dlambda[0] = next[0] - lambda;
    return needed & ~((WideMask)(C >= 0.0) & (WideMask)(lambda == 0.0)) & (WideMask)(w > 0.0);
}

/* Rows that are out are those of the unit matrix: the others do not see them. */
WIDE_INLINE void normals_try(int count, const NormalsFour *normals, Wide A[MANIFOLD_MAX][MANIFOLD_MAX],
                             const WideMask out[], double stiffness, Wide change[])
{
    Wide part[MANIFOLD_MAX][MANIFOLD_MAX];
    for (int i = 0; i < count; i++) {
        change[i] = -stiffness * normals->C[i];
        for (int j = 0; j < count; j++)
            change[i] += four_mask(out[j], A[i][j] * normals->lambda[j]);
        change[i] = four_mask(~out[i], change[i]);
        for (int j = 0; j < i; j++)
            part[i][j] = four_mask(~(out[i] | out[j]), A[i][j]);
        part[i][i] = four_choose(out[i], wide_all(1.0), A[i][i] * (1.0 + MANIFOLD_SOFTENED));
    }
    four_solve_symmetric(count, MANIFOLD_MAX, part[0], change);
}

/* normals_solve of stick_normals.c: lanes whose points all push are done, in the others the one that pulls most is let
 * go and the rest solved again. */
WIDE_INLINE void normals_solve(int count, const NormalsFour *normals, Wide A[MANIFOLD_MAX][MANIFOLD_MAX],
                               double stiffness, WideMask open, Wide dlambda[])
{
    WideMask out[MANIFOLD_MAX] = {{0}};
    for (int left = count; left > 0 && four_any(open); left--) {
        Wide change[MANIFOLD_MAX], least = wide_all(0.0);
        WideMask worst[MANIFOLD_MAX], pulls = {0};
        normals_try(count, normals, A, out, stiffness, change);
        for (int i = 0; i < count; i++) {
            Wide step = four_choose(out[i], -normals->lambda[i], change[i]), next = normals->lambda[i] + change[i];
            WideMask worse = ~out[i] & (WideMask)(next < least);
            dlambda[i] = four_choose(open, step, dlambda[i]);
            least = four_choose(worse, next, least);
            for (int j = 0; j < i; j++)
                worst[j] &= ~worse;
            worst[i] = worse;
            pulls |= worse;
        }
        open &= pulls;
        for (int i = 0; i < count; i++) {
            worst[i] &= open;
            out[i] |= worst[i];
            dlambda[i] = four_choose(worst[i], -normals->lambda[i], dlambda[i]);
        }
    }
}

WIDE_INLINE WideMask normals_solve_together(int count, const FourPair *pair, const NormalsFour *normals,
                                            double stiffness, WideMask needed, Wide next[], Wide dlambda[])
{
    Wide A[MANIFOLD_MAX][MANIFOLD_MAX];
    for (int i = 0; i < count; i++) {
        dlambda[i] = wide_all(0.0);
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] = four_coupling(pair, &normals->row[i], &normals->row[j]);
    }
    normals_solve(count, normals, A, stiffness, needed, dlambda);
    for (int i = 0; i < count; i++)
        next[i] = normals->lambda[i] + dlambda[i];
    return needed;
}

WIDE_INLINE int solve_four(World *world, const QuadUnits *units, const ManifoldLanes *lanes, const PointPlaces *point,
                           int count, const PositionSolve *how, Multiplier *multipliers)
{
    NormalsFour normals;
    FourPair pair;
    Wide next[MANIFOLD_MAX], dlambda[MANIFOLD_MAX];
    four_pair_at(world, units->body, &lanes->mass, &pair);
    WideMask needed = normals_find(world, units, lanes, point, count, &pair, how, multipliers, &normals);
    if (!four_any(needed))
        return 0;
    needed = count == 1 ? normals_solve_one(&pair, &normals, how->stiffness, needed, next, dlambda)
                        : normals_solve_together(count, &pair, &normals, how->stiffness, needed, next, dlambda);
    four_pair_push(&pair, needed, normals.row, count, dlambda);
    four_pair_store(world, &pair, needed);
    for (int i = 0; i < count; i++) {
        FourVec3 lambda = {next[i], wide_all(0.0), wide_all(0.0)}; /* of one row: x alone counts */
        four_set_multipliers(multipliers, normals.block[i].contact, needed, lambda,
                             four_scale(next[i], normals.row[i].u));
    }
    return count * four_count(needed & four_live(units));
}

WIDE_ALONE long stick_quads_normals(const PositionQuads *quads, int from, int to, World *world,
                                    const PositionSolve *how, Multiplier *multipliers)
{
    long rows = 0;
    ADD_OF_QUADS(rows, solve_four, quads, from, to, world, how, multipliers)
    return rows;
}
