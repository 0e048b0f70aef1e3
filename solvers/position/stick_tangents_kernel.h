/* SPDX-License-Identifier: MIT */
/* Contacts of the `stick` form of the position-based backends: a manifold at a time, static friction before the
 * normals.
 *
 *     tangents   the slip of all points since the substep began is taken back at once, (J M^-1 J^T) dlambda = -C over
 *                their tangents, and each point keeps what the load it carried in the last substep allows
 *     normals    0 <= lambda, J M^-1 J^T dlambda + C >= 0, one of them equal at every point
 *     velocity   sliding   p_t = -v_t/|v_t| min(mu N - |p_static|, |v_t| / w),   N = lambda_n / h + what the stop adds
 *                normal    v_n -> 0; never by more than it takes back N.   Restitution comes after it: bounce.h.
 *
 * Static friction first. Point by point the corrections of one would be the slips of the others, and a block on
 * a slope would creep.
 *
 * It goes before the normals and is tested against the load that the contact carried in the last substep (its cached
 * impulse); a new contact is held by the velocity pass alone. After the normals it would leave them broken: with one
 * iteration a stack of boxes then shakes itself apart. If the bound followed the normals through the iterations, the
 * two would drive each other up where bodies jam: a falling house of cards bursts. */
#include "solvers/position/unit.h"

/* Of the length scale. A point whose load moves its bodies by less carries nothing: what is left of a load that was
 * given back shrinks by ten decades a substep, and would be a row until it underflows. */
#define STICK_LOAD_NONE 1e-20

/* Of the tangents' diagonal: one part in a hundred of a slip is left. */
#define STICK_SOFTENED 1e-2

/* The tangents of a manifold. */
enum { STICK_MAX = 2 * MANIFOLD_MAX };

/* Two rows a point; those of a point that carries no load are rows of the unit matrix with nothing to solve. */
typedef struct Sticks {
    PointBlocks block[MANIFOLD_MAX];
    Lanes load[MANIFOLD_MAX];
    LaneMask carries[MANIFOLD_MAX];
    Lanes C[STICK_MAX], slip[STICK_MAX];
    PairRow row[STICK_MAX];
} Sticks;

/* The loads: the normal multipliers that the last substep's impulses amount to. Returns the lanes where some point
 * carries. */
LANE_INLINE LaneMask sticks_find(const Unit *unit, int count, Lanes *whole, Sticks *sticks)
{
    const World *world = unit->world;
    Lanes none = STICK_LOAD_NONE * world->length_scale / both_sum(unit->lanes->mass.inv_mass);
    LaneMask any = mask_first(0), rubs = (LaneMask)(unit->lanes->friction != 0.0);
    *whole = lanes_all(0.0);
    for (int i = 0; i < count; i++) {
        sticks->block[i] = point_blocks(unit, i);
        const int *contact = sticks->block[i].contact; /* what is loaded after its impulse is its friction's */
        LanesVec3 impulse = lanes_gather_vec3(LANE_ELEMENTS(world->block_impulse, contact, x));
        sticks->load[i] = unit->how->h * lanes_norm(impulse);
        sticks->carries[i] = rubs & mask_not((LaneMask)(sticks->load[i] <= none));
        *whole += sticks->load[i];
        any |= sticks->carries[i];
    }
    return any;
}

/* How far the bodies moved, and where a face holds them the directions, is the same for all points of a manifold. */
LANE_INLINE void sticks_rows(Unit *unit, int count, const Pair *pair, Sticks *sticks)
{
    const World *world = unit->world;
    const ManifoldSeat *seat = &unit->lanes->seat;
    ContactTravel travel = contact_travel(world, unit->body, &pair->pose);
    LanesVec3 n = lanes_same(VEC3_ZERO), t[2];
    for (int i = 0; i < count; i++) {
        PointPlaces own;
        const PointSeat *point = &unit_point(unit, i, &own)->seat;
        BothVec3 core = contact_cores(seat, point, &pair->pose);
        if (i == 0 || seat->any_along_cores) {
            n = contact_normal(world, seat, point, &pair->pose, &core);
            contact_tangents(point, n, t);
        }
        ContactPlace place = contact_place_along(world, seat, point, &pair->pose, core, n);
        LanesVec3 slip = contact_slip(world, seat, point, n, &travel);
        BothVec3 arm = both_sub(place.at, pair->pose.x);
        for (int k = 0; k < 2; k++) {
            int r = 2 * i + k;
            sticks->C[r] = sticks->slip[r] = lanes_dot(t[k], slip);
            sticks->row[r] = pair_row(pair, t[k], arm);
        }
    }
}

/* A point alone carries the whole load. */
LANE_INLINE Lanes sticks_softened(const Sticks *sticks, int count, int point, Lanes whole)
{
    Lanes share = lanes_all(1.0);
    if (count > 1)
        share = sticks->load[point] / whole;
    return 1.0 + STICK_SOFTENED / (MANIFOLD_MAX * share);
}

/* Row i where mask is not: that of the unit matrix, with nothing to solve. */
LANE_INLINE void sticks_leave_out(LaneMask mask, int i, int count, Lanes A[STICK_MAX][STICK_MAX], Lanes x[])
{
    for (int j = 0; j < i; j++)
        A[i][j] = lanes_where(mask, A[i][j]);
    for (int j = i + 1; j < count; j++)
        A[j][i] = lanes_where(mask, A[j][i]);
    A[i][i] = lanes_choose(mask, A[i][i], lanes_all(1.0));
    x[i] = lanes_where(mask, x[i]);
}

/* Solves A x = -C in place of C. The points of a face are dependent and their slips not quite
 * consistent, so something is added to the diagonal; with much less of it opposing multipliers grow until an arch
 * bursts. It is more where a point carries less: then friction is shared as the load is, and all points begin to slip
 * together, when the whole load no longer holds. */
LANE_INLINE void sticks_solve(const Pair *pair, int count, Lanes whole, Sticks *sticks)
{
    Lanes A[STICK_MAX][STICK_MAX], softened[MANIFOLD_MAX], *x = sticks->C;
    for (int p = 0; p < count; p++)
        softened[p] = sticks_softened(sticks, count, p, whole);
    for (int i = 0; i < 2 * count; i++) {
        x[i] = -x[i];
        for (int j = 0; j <= i; j++)
            A[i][j] = pair_coupling(pair, &sticks->row[i], &sticks->row[j]);
        A[i][i] *= softened[i / 2];
    }
    for (int i = 0; i < 2 * count; i++)
        if (!mask_all(sticks->carries[i / 2]))
            sticks_leave_out(sticks->carries[i / 2], i, 2 * count, A, x);
    if (count == MANIFOLD_MAX) /* a face: the compiler knows the length */
        lanes_solve_symmetric(STICK_MAX, STICK_MAX, A[0], x);
    else
        lanes_solve_symmetric(2 * count, STICK_MAX, A[0], x);
}

/* held + step. A point that slides, beyond the limit, takes its step against the slip and goes back to the limit, where
 * the fixed point is friction against the slip. */
LANE_INLINE LanesVec3 sticks_within(Lanes limit, LanesVec3 held, LanesVec3 step, LanesVec3 slip)
{
    LanesVec3 next = lanes_add(held, step);
    LaneMask outside = (LaneMask)(lanes_norm(next) > limit);
    if (!mask_any(outside))
        return next;
    Lanes left = lanes_norm(slip);
    LaneMask slides = outside & (LaneMask)(left > 0.0);
    next = lanes_choose_vec3(slides, lanes_add_scaled(held, -lanes_norm(step) / left, slip), next);
    Lanes size = lanes_norm(next);
    return lanes_choose_vec3((LaneMask)(size > limit), lanes_scale(limit / size, next), next);
}

/* Each point's share, cut to friction x load; x becomes what is really added. */
LANE_INLINE void sticks_bound(const Unit *unit, int count, Sticks *sticks, Multiplier *multipliers)
{
    for (int i = 0; i < count; i++) {
        Lanes *C = &sticks->C[2 * i], *slid = &sticks->slip[2 * i];
        LanesVec3 held = gather_multipliers(multipliers, sticks->block[i].friction);
        LanesVec3 step = lanes_same(VEC3_ZERO), slip = step;
        for (int k = 0; k < 2; k++) {
            LanesVec3 t = sticks->row[2 * i + k].u;
            step = lanes_add_scaled(step, unit->how->stiffness * C[k], t);
            slip = lanes_add_scaled(slip, slid[k], t);
        }
        LanesVec3 next = sticks_within(unit->lanes->friction * sticks->load[i], held, step, slip);
        LanesVec3 change = lanes_sub(next, held);
        for (int k = 0; k < 2; k++)
            C[k] = lanes_where(sticks->carries[i], lanes_dot(sticks->row[2 * i + k].u, change));
        scatter_multipliers(multipliers, sticks->block[i].friction, sticks->carries[i], next, next);
    }
}

/* A patch sticks and slides as one, in the velocity pass: its points do not rub. */
LANE_INLINE int stick_manifolds(Unit *unit, int count, World *world, Multiplier *multipliers)
{
    Sticks sticks;
    Pair pair;
    Lanes whole;
    int rows = 0;
    LaneMask any = sticks_find(unit, count, &whole, &sticks);
    if (!mask_any(any))
        return 0;
    pair_place(world, unit->body, &unit->lanes->mass, &pair);
    sticks_rows(unit, count, &pair, &sticks);
    sticks_solve(&pair, count, whole, &sticks);
    sticks_bound(unit, count, &sticks, multipliers);
    pair_push(&pair, any, sticks.row, 2 * count, sticks.C);
    pair_store(world, &pair, any);
    for (int i = 0; i < count; i++)
        rows += 2 * mask_count(sticks.carries[i] & unit->live);
    return rows;
}

LANE_CHOICE(stick_tangents)
long LANE_BODY(stick_tangents)(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    long rows = 0;
    ADD_OF_UNITS(rows, stick_manifolds, sweep, from, to, sweep->world, sweep->multipliers)
    return rows;
}
