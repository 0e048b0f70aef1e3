/* The normals of a manifold together. Open points take part, since what pushes one end of a body out may push the other
 * one in. */
#include "solvers/position/stick.h"
#include "solvers/rows/manifold.h"

/* A point's normal row: J = (-n, -r1 x n, n, r2 x n), and M^-1 J^T. */
typedef struct NormalRow {
    int block;
    double C;
    Vec3 n, moment[2], turn[2]; /* moment: r x n; turn: I^-1 (r x n) */
} NormalRow;

static NormalRow normal_row(const World *world, int b, const BlockError *e)
{
    const Block *block = &world->blocks[b];
    NormalRow row = {.block = b, .C = e->C, .n = e->gradient};
    for (int k = 0; k < 2; k++) {
        row.moment[k] = vec3_cross(k == 0 ? e->arm1 : e->arm2, row.n);
        row.turn[k] = world_inv_inertia_mul(world, block->body[k], row.moment[k]);
    }
    return row;
}

/* All points of the manifold; none if none of them overlaps beyond the slop or pushes already. */
static int normal_rows(const World *world, const ManifoldBlocks *manifold, const PositionSolve *how,
                       const Multiplier *multipliers, NormalRow rows[MANIFOLD_MAX])
{
    BlockError e[MANIFOLD_MAX];
    int count = 0;
    bool needed = false;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i);
        block_error(world, &world->blocks[b], &e[i]);
        e[i].C = position_contact_error(&world->blocks[b], e[i].C, how);
        needed = needed || (e[i].active && (e[i].C < 0.0 || multipliers[b].lambda.x > 0.0));
    }
    for (int i = 0; needed && i < manifold->count; i++)
        if (e[i].active)
            rows[count++] = normal_row(world, manifold_contact(manifold, i), &e[i]);
    return count;
}

static void manifold_push(World *world, const int body[2], const NormalRow *rows, int count, const double dlambda[])
{
    for (int k = 0; k < 2; k++) {
        const Mass *mass = &world->mass[body[k]];
        if (mass->inv_mass == 0.0)
            continue;
        Vec3 shift = VEC3_ZERO, turn = VEC3_ZERO;
        for (int i = 0; i < count; i++) {
            double signed_lambda = k == 0 ? -dlambda[i] : dlambda[i];
            shift = vec3_add_scaled(shift, signed_lambda * mass->inv_mass, rows[i].n);
            turn = vec3_add_scaled(turn, signed_lambda, rows[i].turn[k]);
        }
        Pose *pose = &world->pose[body[k]];
        pose->x = vec3_add(pose->x, shift);
        pose->q = quat_nudge_body(pose->q, quat_rotate_inverse(pose->q, turn));
    }
}

/* lambda >= 0, A dlambda + k C = 0 where lambda > 0: points that would pull are let go one by one, the one that pulls
 * most first, and the others solved again. */
static void manifold_solve(int count, const ManifoldMatrix A, const NormalRow *rows, const Multiplier *multipliers,
                           double stiffness, double dlambda[])
{
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
            rest[i] = stiffness * rows[index[i]].C;
            for (int j = 0; j < count; j++)
                rest[i] -= out[j] ? A[index[i]][j] * multipliers[rows[j].block].lambda.x : 0.0;
            for (int j = 0; j < size; j++)
                part[i][j] = A[index[i]][index[j]];
        }
        manifold_invert(size, part, inverse);
        for (int i = 0; i < count; i++)
            dlambda[i] = -multipliers[rows[i].block].lambda.x;
        for (int i = 0; i < size; i++) {
            double change = 0.0, next = multipliers[rows[index[i]].block].lambda.x;
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
        dlambda[worst] = -multipliers[rows[worst].block].lambda.x;
    }
}

static int solve_manifold(World *world, const ManifoldBlocks *manifold, const PositionSolve *how,
                          Multiplier *multipliers)
{
    NormalRow rows[MANIFOLD_MAX];
    int count = normal_rows(world, manifold, how, multipliers, rows);
    const int *body = manifold->body;
    ManifoldMatrix A;
    double dlambda[MANIFOLD_MAX];
    double inv_mass = world->mass[body[0]].inv_mass + world->mass[body[1]].inv_mass;
    if (count < 2)
        return count == 0
                   ? 0
                   : position_solve_block(world, &world->blocks[rows[0].block], how, &multipliers[rows[0].block]);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            A[i][j] = inv_mass * vec3_dot(rows[i].n, rows[j].n) + vec3_dot(rows[i].moment[0], rows[j].turn[0]) +
                      vec3_dot(rows[i].moment[1], rows[j].turn[1]);
    manifold_solve(count, (const double(*)[MANIFOLD_MAX])A, rows, multipliers, how->stiffness, dlambda);
    manifold_push(world, body, rows, count, dlambda);
    for (int i = 0; i < count; i++) {
        Multiplier *own = &multipliers[rows[i].block];
        own->lambda.x += dlambda[i];
        own->on_body2 = vec3_scale(own->lambda.x, rows[i].n);
    }
    return count;
}

int stick_normals(World *world, const PositionSolve *how, Multiplier *multipliers)
{
    int rows = 0;
    for (int m = 0; m < world->manifold_count; m++)
        rows += solve_manifold(world, &world->manifolds[m], how, multipliers);
    return rows;
}
