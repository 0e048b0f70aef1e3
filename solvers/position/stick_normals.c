/* The normals of a manifold together. Open points take part, since what pushes one end of a body out may push the other
 * one in. */
#include "solvers/position/pair_row.h"
#include "solvers/position/stick.h"
#include "solvers/rows/manifold.h"

typedef struct NormalRows {
    int count, block[MANIFOLD_MAX];
    BlockError e[MANIFOLD_MAX];
    double C[MANIFOLD_MAX]; /* what is to be corrected of e's */
    PairRow row[MANIFOLD_MAX];
} NormalRows;

/* The errors of all points of the manifold. False if none of them overlaps beyond the slop or pushes already. */
static bool normals_find(const World *world, const ManifoldBlocks *manifold, const PositionSolve *how,
                         const Multiplier *multipliers, NormalRows *rows)
{
    bool needed = false;
    rows->count = 0;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i), r = rows->count;
        block_error(world, &world->blocks[b], &rows->e[r]);
        if (!rows->e[r].active)
            continue;
        rows->block[r] = b;
        rows->C[r] = position_contact_error(&world->blocks[b], rows->e[r].C, how);
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

static int solve_manifold(World *world, const ManifoldBlocks *manifold, const PositionSolve *how,
                          Multiplier *multipliers)
{
    NormalRows rows;
    const int *body = manifold->body;
    if (!normals_find(world, manifold, how, multipliers, &rows))
        return 0;
    if (rows.count == 1)
        return position_solve_contact(world, &world->blocks[rows.block[0]], &rows.e[0], how,
                                      &multipliers[rows.block[0]]);
    ManifoldMatrix A;
    double dlambda[MANIFOLD_MAX];
    Pair pair = pair_at(world, body);
    for (int i = 0; i < rows.count; i++) {
        const BlockError *e = &rows.e[i];
        rows.row[i] = pair_row(&pair, e->gradient, two_vec3(e->arm1, e->arm2));
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] = pair_coupling(&pair, &rows.row[i], &rows.row[j]);
    }
    normals_solve(&rows, (const double(*)[MANIFOLD_MAX])A, multipliers, how->stiffness, dlambda);
    pair_push(world, body, &pair, rows.row, rows.count, dlambda);
    for (int i = 0; i < rows.count; i++) {
        Multiplier *own = &multipliers[rows.block[i]];
        own->lambda.x += dlambda[i];
        own->on_body2 = vec3_scale(own->lambda.x, rows.row[i].u);
    }
    return rows.count;
}

int stick_normals(World *world, const PositionSolve *how, Multiplier *multipliers)
{
    int rows = 0;
    for (int m = 0; m < world->manifold_count; m++)
        rows += solve_manifold(world, &world->manifolds[m], how, multipliers);
    return rows;
}
