/* The normals of a manifold together. Open points take part, since what pushes one end of a body out may push the other
 * one in. */
#include "solvers/position/pair_row.h"
#include "solvers/position/stick.h"
#include "solvers/rows/manifold.h"

typedef struct NormalRows {
    int count, block[MANIFOLD_MAX];
    double C[MANIFOLD_MAX];
    PairRow row[MANIFOLD_MAX];
} NormalRows;

/* All points of the manifold; none if none of them overlaps beyond the slop or pushes already. */
static void normal_rows(const World *world, const ManifoldBlocks *manifold, const PositionSolve *how,
                        const Multiplier *multipliers, NormalRows *rows)
{
    BlockError e[MANIFOLD_MAX];
    bool needed = false;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i);
        block_error(world, &world->blocks[b], &e[i]);
        e[i].C = position_contact_error(&world->blocks[b], e[i].C, how);
        needed = needed || (e[i].active && (e[i].C < 0.0 || multipliers[b].lambda.x > 0.0));
    }
    rows->count = 0;
    for (int i = 0; needed && i < manifold->count; i++) {
        int r = rows->count;
        if (!e[i].active)
            continue;
        rows->block[r] = manifold_contact(manifold, i);
        rows->C[r] = e[i].C;
        rows->row[r] = pair_row(world, manifold->body, e[i].gradient, e[i].arm1, e[i].arm2);
        rows->count++;
    }
}

/* lambda >= 0, A dlambda + k C = 0 where lambda > 0: points that would pull are let go one by one, the one that pulls
 * most first, and the others solved again. */
static void manifold_solve(const NormalRows *rows, const ManifoldMatrix A, const Multiplier *multipliers,
                           double stiffness, double dlambda[])
{
    int count = rows->count;
    bool out[MANIFOLD_MAX] = {false};
    for (int left = count; left > 0; left--) {
        ManifoldMatrix part, inverse;
        double rest[MANIFOLD_MAX];
        int index[MANIFOLD_MAX], size = 0, worst = -1;
        double least = 0.0;
        for (int i = 0; i < count; i++)
            if (!out[i])
                index[size++] = i;
        for (int i = 0; i < size; i++) {
            rest[i] = stiffness * rows->C[index[i]];
            for (int j = 0; j < count; j++)
                rest[i] -= out[j] ? A[index[i]][j] * multipliers[rows->block[j]].lambda.x : 0.0;
            for (int j = 0; j < size; j++)
                part[i][j] = A[index[i]][index[j]];
        }
        manifold_invert(size, part, inverse);
        for (int i = 0; i < count; i++)
            dlambda[i] = -multipliers[rows->block[i]].lambda.x;
        for (int i = 0; i < size; i++) {
            double change = 0.0, next = multipliers[rows->block[index[i]]].lambda.x;
            for (int j = 0; j < size; j++)
                change -= inverse[i][j] * rest[j];
            dlambda[index[i]] = change;
            if (next + change < least) {
                least = next + change;
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
    normal_rows(world, manifold, how, multipliers, &rows);
    const int *body = manifold->body;
    ManifoldMatrix A;
    double dlambda[MANIFOLD_MAX];
    if (rows.count == 0)
        return 0;
    if (rows.count == 1)
        return position_solve_block(world, &world->blocks[rows.block[0]], how, &multipliers[rows.block[0]]);
    for (int i = 0; i < rows.count; i++)
        for (int j = 0; j < rows.count; j++)
            A[i][j] = pair_coupling(world, body, &rows.row[i], &rows.row[j]);
    manifold_solve(&rows, (const double(*)[MANIFOLD_MAX])A, multipliers, how->stiffness, dlambda);
    pair_push(world, body, rows.row, rows.count, dlambda);
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
