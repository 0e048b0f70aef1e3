#include "solvers/position_manifold.h"

#include "solvers/manifold.h"

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

/* The points that count: those that overlap beyond the slop, or push already. */
static int normal_rows(const World *world, int b, int points, const PositionSolve *how, const Multiplier *multipliers,
                       NormalRow rows[MANIFOLD_MAX])
{
    int count = 0;
    for (int i = 0; i < points; i++) {
        BlockError e;
        block_error(world, &world->blocks[b + 2 * i], &e);
        e.C += how->slop;
        if (how->push > 0.0)
            e.C = fmax(e.C, -how->push);
        if (e.active && (e.C < 0.0 || multipliers[b + 2 * i].lambda.x > 0.0))
            rows[count++] = normal_row(world, b + 2 * i, &e);
    }
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

int position_solve_manifold(World *world, int b, const PositionSolve *how, Multiplier *multipliers)
{
    int points = manifold_count(world, b), solved = 0;
    NormalRow rows[MANIFOLD_MAX];
    int count = normal_rows(world, b, points, how, multipliers, rows);
    const int *body = world->blocks[b].body;
    ManifoldMatrix A, inverse;
    double dlambda[MANIFOLD_MAX];
    bool pushes = count > 1;
    double inv_mass = world->mass[body[0]].inv_mass + world->mass[body[1]].inv_mass;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            A[i][j] = inv_mass * vec3_dot(rows[i].n, rows[j].n) + vec3_dot(rows[i].moment[0], rows[j].turn[0]) +
                      vec3_dot(rows[i].moment[1], rows[j].turn[1]);
    if (count > 1)
        manifold_invert(count, A, inverse);
    for (int i = 0; pushes && i < count; i++) {
        dlambda[i] = 0.0;
        for (int j = 0; j < count; j++)
            dlambda[i] -= how->stiffness * inverse[i][j] * rows[j].C;
        pushes = multipliers[rows[i].block].lambda.x + dlambda[i] >= 0.0;
    }
    if (!pushes) {
        for (int i = 0; i < points; i++)
            solved += position_solve_block(world, &world->blocks[b + 2 * i], how, &multipliers[b + 2 * i]);
        return solved;
    }
    manifold_push(world, body, rows, count, dlambda);
    for (int i = 0; i < count; i++) {
        Multiplier *own = &multipliers[rows[i].block];
        own->lambda.x += dlambda[i];
        own->on_body2 = vec3_scale(own->lambda.x, rows[i].n);
    }
    return count;
}
