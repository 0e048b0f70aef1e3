/* stick_tangents.c for four manifolds of one colour at once, a lane each. */
#include "solvers/position/four_place.h"
#include "solvers/position/four_small.h"
#include "solvers/position/stick.h"

/* Two rows a point; those of a point that carries no load are rows of the unit matrix with nothing to solve. */
typedef struct SticksFour {
    PointBlocks block[MANIFOLD_MAX];
    Wide load[MANIFOLD_MAX];
    WideMask carries[MANIFOLD_MAX];
    Wide C[STICK_MAX], slip[STICK_MAX];
    FourRow row[STICK_MAX];
} SticksFour;

/* The loads; returns the lanes where some point carries. */
WIDE_INLINE WideMask sticks_find(const World *world, const QuadUnits *units, const ManifoldLanes *lanes, int count,
                                 double h, Wide *whole, SticksFour *sticks)
{
    const Vec3 *impulse = world->block_impulse;
    Wide none = STICK_LOAD_NONE * world->length_scale / (lanes->mass.inv_mass[0] + lanes->mass.inv_mass[1]);
    WideMask any = {0}, rubs = (WideMask)(lanes->friction != 0.0);
    *whole = wide_all(0.0);
    for (int i = 0; i < count; i++) {
        Wide x[FOUR];
        sticks->block[i] = point_blocks(world, units, i);
        const int *b = sticks->block[i].contact; /* what is loaded after the last one's is its friction's */
        four_gather((const double *[]){&impulse[b[0]].x, &impulse[b[1]].x, &impulse[b[2]].x, &impulse[b[3]].x}, x);
        sticks->load[i] = h * four_norm((FourVec3){x[0], x[1], x[2]});
        sticks->carries[i] = rubs & ~(WideMask)(sticks->load[i] <= none);
        *whole += sticks->load[i];
        any |= sticks->carries[i];
    }
    return any;
}

WIDE_INLINE void sticks_rows(const World *world, const ManifoldLanes *lanes, const PointPlaces *point, int count,
                             const FourPair *pair, SticksFour *sticks)
{
    FourTravel travel;
    FourVec3 n = four_same(VEC3_ZERO), t[2];
    four_travel(world, pair, &travel);
    for (int i = 0; i < count; i++) {
        FourVec3 core[2], arm[2];
        four_cores(lanes, &point[i], pair->pose, core);
        if (i == 0 || lanes->any_along_cores) {
            n = four_normal(world, lanes, &point[i], pair->pose, core);
            four_tangents(&point[i], n, t);
        }
        FourPlace place = four_place_along(lanes, &point[i], core, n);
        FourVec3 slip = four_slip(world, lanes, &point[i], n, &travel);
        four_arms(pair, place.at, arm);
        for (int k = 0; k < 2; k++) {
            int r = 2 * i + k;
            sticks->C[r] = sticks->slip[r] = four_dot(t[k], slip);
            four_row(pair, t[k], arm, &sticks->row[r]);
        }
    }
}

/* A point alone carries the whole load. */
WIDE_INLINE Wide sticks_softened(const SticksFour *sticks, int count, int point, Wide whole)
{
    Wide share = wide_all(1.0);
    if (count > 1)
        share = sticks->load[point] / whole;
    return 1.0 + STICK_SOFTENED / (MANIFOLD_MAX * share);
}

WIDE_INLINE void sticks_solve(const FourPair *pair, int count, Wide whole, SticksFour *sticks)
{
    Wide A[STICK_MAX][STICK_MAX], softened[MANIFOLD_MAX], *x = sticks->C;
    for (int p = 0; p < count; p++)
        softened[p] = sticks_softened(sticks, count, p, whole);
    for (int i = 0; i < 2 * count; i++) {
        WideMask carries = sticks->carries[i / 2];
        x[i] = four_mask(carries, -x[i]);
        for (int j = 0; j <= i; j++)
            A[i][j] =
                four_mask(carries & sticks->carries[j / 2], four_coupling(pair, &sticks->row[i], &sticks->row[j]));
        A[i][i] = four_choose(carries, A[i][i] * softened[i / 2], wide_all(1.0));
    }
    four_solve_symmetric(2 * count, STICK_MAX, A[0], x);
}

/* Where held + step is beyond the limit: the step against the slip instead, and back to the limit. */
WIDE_INLINE FourVec3 sticks_within(Wide limit, FourVec3 held, FourVec3 step, FourVec3 slip)
{
    FourVec3 next = four_add(held, step);
    WideMask outside = (WideMask)(four_norm(next) > limit);
    if (!four_any(outside))
        return next;
    Wide left = four_norm(slip);
    WideMask slides = outside & (WideMask)(left > 0.0);
    next = four_choose_vec3(slides, four_add_scaled(held, -four_norm(step) / left, slip), next);
    Wide size = four_norm(next);
    return four_choose_vec3((WideMask)(size > limit), four_scale(limit / size, next), next);
}

/* x becomes what is really added. */
WIDE_INLINE void sticks_bound(const ManifoldLanes *lanes, int count, const PositionSolve *how, SticksFour *sticks,
                              Multiplier *multipliers)
{
    for (int i = 0; i < count; i++) {
        Wide x[FOUR], *C = &sticks->C[2 * i], *slid = &sticks->slip[2 * i];
        four_multipliers(multipliers, sticks->block[i].friction, x);
        FourVec3 held = {x[0], x[1], x[2]}, step = four_same(VEC3_ZERO), slip = step;
        for (int k = 0; k < 2; k++) {
            FourVec3 t = sticks->row[2 * i + k].u;
            step = four_add_scaled(step, how->stiffness * C[k], t);
            slip = four_add_scaled(slip, slid[k], t);
        }
        FourVec3 next = sticks_within(lanes->friction * sticks->load[i], held, step, slip);
        FourVec3 change = four_sub(next, held);
        for (int k = 0; k < 2; k++)
            C[k] = four_mask(sticks->carries[i], four_dot(sticks->row[2 * i + k].u, change));
        four_set_multipliers(multipliers, sticks->block[i].friction, sticks->carries[i], next, next);
    }
}

WIDE_INLINE int stick_four(World *world, const QuadUnits *units, const ManifoldLanes *lanes, const PointPlaces *point,
                           int count, const PositionSolve *how, Multiplier *multipliers)
{
    SticksFour sticks;
    FourPair pair;
    Wide whole;
    int rows = 0;
    WideMask any = sticks_find(world, units, lanes, count, how->h, &whole, &sticks);
    if (!four_any(any))
        return 0;
    four_pair_at(world, units->body, &lanes->mass, &pair);
    sticks_rows(world, lanes, point, count, &pair, &sticks);
    sticks_solve(&pair, count, whole, &sticks);
    sticks_bound(lanes, count, how, &sticks, multipliers);
    four_pair_push(&pair, any, sticks.row, 2 * count, sticks.C);
    four_pair_store(world, &pair, any);
    for (int i = 0; i < count; i++)
        rows += 2 * four_count(sticks.carries[i] & four_live(units));
    return rows;
}

WIDE_ALONE long stick_quads_tangents(const PositionQuads *quads, int from, int to, World *world,
                                     const PositionSolve *how, Multiplier *multipliers)
{
    long rows = 0;
    ADD_OF_QUADS(rows, stick_four, quads, from, to, world, how, multipliers)
    return rows;
}
