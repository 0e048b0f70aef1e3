/* Static friction of a manifold. Point by point the corrections of one would be the slips of the others, and a block on
 * a slope would creep.
 *
 * It goes before the normals and is tested against the load that the contact carried in the last substep (its cached
 * impulse); a new contact is held by the velocity pass alone. After the normals it would leave them broken: with one
 * iteration a stack of boxes then shakes itself apart. If the bound followed the normals through the iterations, the
 * two would drive each other up where bodies jam: a falling house of cards bursts. */
#include "solvers/linear/small.h"
#include "solvers/position/pair_row.h"
#include "solvers/position/place.h"
#include "solvers/position/stick.h"
#include "solvers/rows/row_kernel.h"

/* The tangent rows of the points that carry load. */
typedef struct StickRows {
    int point[STICK_MAX];    /* of each row */
    double share[STICK_MAX]; /* of the manifold's load that the row's point carries */
    double C[STICK_MAX], slip[STICK_MAX];
    PairRow row[STICK_MAX];
} StickRows;

/* Two rows, from row r on. */
TWO_INLINE void stick_add(const Pair *pair, const Place *place, const Vec3 t[2], Vec3 slip, int r, StickRows *sticks)
{
    TwoVec3 arm = two_from(place->at, pair->pose.x);
    for (int i = 0; i < 2; i++) {
        sticks->C[r + i] = sticks->slip[r + i] = vec3_dot(t[i], slip);
        sticks->row[r + i] = pair_row(pair, t[i], arm);
    }
}

/* Returns how many rows there are. How far the bodies moved, and where a face holds them the directions, is the same
 * for all points of a manifold. */
TWO_INLINE int stick_rows(const World *world, const ManifoldBlocks *manifold, int points, const Pair *pair,
                          const double load[], StickRows *sticks)
{
    TwoTravel travel = place_travel(world, manifold->body, &pair->pose);
    double whole = 0.0, none = STICK_LOAD_NONE * world->length_scale / two_sum(pair->inv_mass);
    Vec3 n = VEC3_ZERO, t[2];
    int r = 0;
    for (int i = 0; i < points; i++)
        whole += load[i];
    for (int i = 0; i < points; i++) {
        const Block *block = &world->blocks[manifold_contact(manifold, i)];
        if (load[i] <= none || block->friction == 0.0 || block->off)
            continue;
        TwoVec3 core = place_cores(block, &pair->pose);
        if (r == 0 || block->carrier == NORMAL_ALONG_CORES) {
            n = place_normal(world, block, world->pose, &core);
            place_tangents(block, n, t);
        }
        Place place = place_along(world, block, world->pose, core, n);
        sticks->point[r] = sticks->point[r + 1] = i;
        sticks->share[r] = sticks->share[r + 1] = load[i] / whole;
        stick_add(pair, &place, t, place_slip(world, block, n, &travel), r, sticks);
        r += 2;
    }
    return r;
}

/* Solves A x = -C in place of C. The points of a face are dependent and their slips not quite
 * consistent, so something is added to the diagonal; with much less of it opposing multipliers grow until an arch
 * bursts. It is more where a point carries less: then friction is shared as the load is, and all points begin to slip
 * together, when the whole load no longer holds. */
TWO_INLINE void stick_solve(const Pair *pair, int n, StickRows *sticks)
{
    double A[STICK_MAX][STICK_MAX], *x = sticks->C;
    for (int i = 0; i < n; i++) {
        x[i] = -x[i];
        for (int j = 0; j <= i; j++)
            A[i][j] = pair_coupling(pair, &sticks->row[i], &sticks->row[j]);
        A[i][i] *= 1.0 + STICK_SOFTENED / (MANIFOLD_MAX * sticks->share[i]);
    }
    if (n == 2) /* a sphere, or a face: the compiler knows their lengths */
        small_solve_symmetric(2, STICK_MAX, A[0], x);
    else if (n == STICK_MAX)
        small_solve_symmetric(STICK_MAX, STICK_MAX, A[0], x);
    else
        small_solve_symmetric(n, STICK_MAX, A[0], x);
}

/* Each point's share, cut to friction x load; x becomes what is really added. A point that slides takes its step
 * against the slip and goes back to the bound, where the fixed point is friction against the slip. */
TWO_INLINE void stick_bound(const World *world, const ManifoldBlocks *manifold, int n, StickRows *sticks,
                            const PositionSolve *how, const double load[], Multiplier *multipliers)
{
    for (int r = 0; r < n; r += 2) {
        int point = sticks->point[r], b = manifold_friction(manifold, point);
        Multiplier *own = &multipliers[b];
        Vec3 t[2], step = VEC3_ZERO, slip = VEC3_ZERO;
        for (int i = 0; i < 2; i++) {
            t[i] = sticks->row[r + i].u;
            step = vec3_add_scaled(step, how->stiffness * sticks->C[r + i], t[i]);
            slip = vec3_add_scaled(slip, sticks->slip[r + i], t[i]);
        }
        Vec3 next = vec3_add(own->lambda, step);
        double limit = world->blocks[b].friction * load[point], left = vec3_norm(slip);
        if (vec3_norm(next) > limit && left > 0.0)
            next = vec3_add_scaled(own->lambda, -vec3_norm(step) / left, slip);
        if (vec3_norm(next) > limit)
            next = vec3_scale(limit / vec3_norm(next), next);
        Vec3 change = vec3_sub(next, own->lambda);
        for (int i = 0; i < 2; i++)
            sticks->C[r + i] = vec3_dot(t[i], change);
        own->lambda = own->on_body2 = next;
    }
}

/* load: the normal multipliers that the last substep's impulses amount to. */
TWO_INLINE int stick_manifold(World *world, const ManifoldBlocks *manifold, int points, const PositionSolve *how,
                              Multiplier *multipliers)
{
    StickRows sticks;
    double load[MANIFOLD_MAX];
    for (int i = 0; i < points; i++)
        load[i] = how->h * vec3_norm(world->block_impulse[manifold_contact(manifold, i)]);
    Pair pair = pair_at(world, manifold->body);
    int rows = stick_rows(world, manifold, points, &pair, load, &sticks);
    if (rows == 0)
        return 0;
    int n = points == 1 ? 2 : rows; /* the compiler knows it, too */
    stick_solve(&pair, n, &sticks);
    stick_bound(world, manifold, n, &sticks, how, load, multipliers);
    pair_push(world, manifold->body, &pair, sticks.row, n, sticks.C);
    return n;
}

/* A patch sticks and slides as one, in the velocity pass. */
WIDE_VERSIONS int stick_tangents(World *world, const PositionSolve *how, Multiplier *multipliers, SweepUnits manifolds)
{
    int rows = 0;
    for (int k = 0; k < manifolds.count; k++) {
        const ManifoldBlocks *manifold = &world->manifolds[sweep_unit(manifolds, k)];
        if (manifold->torsion >= 0)
            continue;
        if (manifold->count == 1) /* the compiler knows the length */
            rows += stick_manifold(world, manifold, 1, how, multipliers);
        else
            rows += stick_manifold(world, manifold, manifold->count, how, multipliers);
    }
    return rows;
}
