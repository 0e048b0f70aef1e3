/* The normals of a manifold together. Open points take part, since what pushes one end of a body out may push the other
 * one in.
 *
 * Which of four points of a face carries is open: of two equal cubes J M^-1 J^T has eigenvalues as 4, 6, 6 and 0;
 * softened by 1e-6 (solvers/rows/manifold.c) its condition number is 1.5e6. Round-off of C, 1e-16 m, comes back as
 * 1e-10 m against the g h^2 = 7e-6 m of a substep of 1/1200 s: a point's load is known to 1e-5. Poses do not see it,
 * but the velocity pass bounds friction point by point. One unit in the last place of the bodies' heights changes
 * velocities of `pyramid`, `arch` and `wall` by up to 8e-7 m/s in a substep, poses by 1e-14 m; as published 1e-11 m/s,
 * and with a thousand times the softening 9e-10 m/s. Where an impact has equal ways out, as in `overlap`, round-off
 * chooses. */
#include "solvers/position/normal.h"
#include "solvers/position/stick.h"
#include "solvers/rows/manifold.h"
#include "solvers/rows/row_kernel.h"

typedef struct NormalRows {
    int count, block[MANIFOLD_MAX];
    Place place[MANIFOLD_MAX];
    double C[MANIFOLD_MAX]; /* what is to be corrected of the places' */
    PairRow row[MANIFOLD_MAX];
} NormalRows;

/* The errors of all points of the manifold. False if none of them overlaps beyond the slop or pushes already. */
TWO_INLINE bool normals_find(const World *world, const ManifoldBlocks *manifold, int points, const Pair *pair,
                             const PositionSolve *how, const Multiplier *multipliers, NormalRows *rows)
{
    bool needed = false;
    rows->count = 0;
    for (int i = 0; i < points; i++) {
        int b = manifold_contact(manifold, i), r = rows->count;
        const Block *block = &world->blocks[b];
        if (block->off)
            continue;
        rows->place[r] = place_contact(world, block, world->pose, &pair->pose);
        rows->block[r] = b;
        rows->C[r] = position_contact_error(block, rows->place[r].C, how);
        needed = needed || rows->C[r] < 0.0 || multipliers[b].lambda.x > 0.0;
        rows->count++;
    }
    return needed;
}

/* lambda >= 0, A dlambda + k C = 0 where lambda > 0: points that would pull are let go one by one, the one that pulls
 * most first, and the others solved again. */
static void normals_solve(const NormalRows *rows, const ManifoldMatrix A, const Multiplier *multipliers,
                          double stiffness, double dlambda[])
{
    int count = rows->count;
    bool out[MANIFOLD_MAX] = {false};
    for (int left = count; left > 0; left--) {
        ManifoldMatrix part;
        double change[MANIFOLD_MAX];
        int index[MANIFOLD_MAX], size = 0, worst = -1;
        double least = 0.0;
        for (int i = 0; i < count; i++)
            if (!out[i])
                index[size++] = i;
        for (int i = 0; i < size; i++) {
            change[i] = -stiffness * rows->C[index[i]];
            for (int j = 0; j < count; j++)
                change[i] += out[j] ? A[index[i]][j] * multipliers[rows->block[j]].lambda.x : 0.0;
            for (int j = 0; j <= i; j++)
                part[i][j] = A[index[i]][index[j]];
        }
        manifold_solve(size, part, change);
        for (int i = 0; i < count; i++)
            dlambda[i] = -multipliers[rows->block[i]].lambda.x;
        for (int i = 0; i < size; i++) {
            double next = multipliers[rows->block[index[i]]].lambda.x + change[i];
            dlambda[index[i]] = change[i];
            if (next < least) {
                least = next;
                worst = index[i];
            }
        }
        if (worst < 0)
            return;
        out[worst] = true;
        dlambda[worst] = -multipliers[rows->block[worst]].lambda.x;
    }
}

static void normals_solve_together(World *world, const int body[2], const Pair *pair, double stiffness,
                                   NormalRows *rows, Multiplier *multipliers)
{
    ManifoldMatrix A;
    double dlambda[MANIFOLD_MAX];
    for (int i = 0; i < rows->count; i++) {
        rows->row[i] = pair_row(pair, rows->place[i].n, two_from(rows->place[i].at, pair->pose.x));
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] = pair_coupling(pair, &rows->row[i], &rows->row[j]);
    }
    normals_solve(rows, (const double(*)[MANIFOLD_MAX])A, multipliers, stiffness, dlambda);
    pair_push(world, body, pair, rows->row, rows->count, dlambda);
    for (int i = 0; i < rows->count; i++) {
        Multiplier *own = &multipliers[rows->block[i]];
        own->lambda.x += dlambda[i];
        own->on_body2 = vec3_scale(own->lambda.x, rows->row[i].u);
    }
}

TWO_INLINE int solve_manifold(World *world, const ManifoldBlocks *manifold, int points, const PositionSolve *how,
                              Multiplier *multipliers)
{
    NormalRows rows;
    const int *body = manifold->body;
    Pair pair = pair_at(world, body);
    if (!normals_find(world, manifold, points, &pair, how, multipliers, &rows))
        return 0;
    if (rows.count == 1)
        return normal_solve(world, body, &pair, &rows.place[0], rows.C[0], how->stiffness, &multipliers[rows.block[0]]);
    normals_solve_together(world, body, &pair, how->stiffness, &rows, multipliers);
    return rows.count;
}

WIDE_VERSIONS int stick_normals(World *world, const PositionSolve *how, Multiplier *multipliers, SweepUnits manifolds)
{
    int rows = 0;
    for (int k = 0; k < manifolds.count; k++) {
        const ManifoldBlocks *manifold = &world->manifolds[sweep_unit(manifolds, k)];
        if (manifold->count == 1) /* the compiler knows the length */
            rows += solve_manifold(world, manifold, 1, how, multipliers);
        else
            rows += solve_manifold(world, manifold, manifold->count, how, multipliers);
    }
    return rows;
}
