#include "solvers/position/position.h"

#include "solvers/position/pair_row.h"

/* a = alpha/h^2 */
TWO_INLINE double softness(const Block *block, const PositionSolve *how)
{
    double compliance = block_terms(block)->compliance;
    return how->by_stiffness || compliance == 0.0 ? 0.0 : compliance / (how->h * how->h);
}

TWO_INLINE double stiffness_of(const Block *block, const PositionSolve *how)
{
    double own = block_terms(block)->stiffness;
    return how->stiffness * (how->by_stiffness && !isnan(own) ? own : 1.0);
}

/* Several rows, along the error vector. With n = residual / |residual| written out, no root is needed:
 * dlambda n = residual |residual|^2 / (residual^T W residual + a |residual|^2). */
TWO_INLINE int solve_along_error(World *world, const Block *block, const Pair *pair, const BlockError *e,
                                 const PositionSolve *how, Multiplier *multiplier)
{
    double a = softness(block, how);
    Vec3 residual = vec3_negate(vec3_add_scaled(e->error, a, multiplier->lambda));
    double squared = vec3_dot(residual, residual);
    if (squared == 0.0) /* active, and solved already */
        return block_row_count(block->kind);
    PairRow row = pair_row_of_error(pair, e, residual);
    double w = pair_weight(pair, &row);
    if (!(w > 0.0))
        return 0;
    double scale = stiffness_of(block, how) * squared / (w + a * squared);
    pair_push(world, block->body, pair, &row, 1, &scale);
    multiplier->lambda = vec3_add_scaled(multiplier->lambda, scale, residual);
    multiplier->on_body2 = multiplier->lambda;
    return block_row_count(block->kind);
}

/* What most joints are made of: p2 - p1, as block_error has it. */
TWO_INLINE int solve_attach(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    Pair pair = pair_at(world, block->body);
    TwoVec3 arm = two_rotate(pair.pose.q, two_vec3(block->seat->anchor[0], block->seat->anchor[1]));
    BlockError e = {
        .error = two_difference(two_add(pair.pose.x, arm)), .arm1 = two_get(arm, 0), .arm2 = two_get(arm, 1)};
    return solve_along_error(world, block, &pair, &e, how, multiplier);
}

/* One row with a signed error: lambda stays within its bounds, so a limit that holds again lets go. */
static int solve_scalar(World *world, const Block *block, const BlockError *e, const PositionSolve *how,
                        Multiplier *multiplier)
{
    double h2 = how->h * how->h, a = softness(block, how), lambda = multiplier->lambda.x;
    bool satisfied = (e->lower == 0.0 && e->C >= 0.0) || (e->upper == 0.0 && e->C <= 0.0);
    if (satisfied && lambda == 0.0)
        return 0;
    Pair pair = pair_at(world, block->body);
    PairRow row = pair_row_of_error(&pair, e, e->gradient);
    double w = pair_weight(&pair, &row);
    if (!(w > 0.0))
        return 0;
    double step = stiffness_of(block, how) * (-e->C - a * lambda) / (w + a);
    double next = clamp(lambda + step, e->lower * h2, e->upper * h2), dlambda = next - lambda;
    pair_push(world, block->body, &pair, &row, 1, &dlambda);
    multiplier->lambda.x = next;
    multiplier->on_body2 = vec3_scale(next, e->gradient);
    return 1;
}

static int solve_volume(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    Vec3 gradient[4];
    double C = block_volume(world, block, gradient), a = softness(block, how), w = 0.0;
    for (int k = 0; k < 4; k++)
        w += world->mass[block->body[k]].inv_mass * vec3_dot(gradient[k], gradient[k]);
    if (!(w > 0.0))
        return 0;
    double dlambda = stiffness_of(block, how) * (-C - a * multiplier->lambda.x) / (w + a);
    for (int k = 0; k < 4; k++) {
        Vec3 *x = &world->pose[block->body[k]].x;
        if (!world_is_fixed(world, block->body[k]))
            *x = vec3_add_scaled(*x, dlambda * world->mass[block->body[k]].inv_mass, gradient[k]);
    }
    multiplier->lambda.x += dlambda;
    multiplier->on_body2 = vec3_scale(multiplier->lambda.x, gradient[1]);
    return 1;
}

/* dlambda = -(J M^-1 J^T + a)^-1 (C + a lambda) for two or three rows; a third row that is missing is a unit row. */
static int solve_whole(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    Rows rows;
    block_rows(world, block, &rows);
    double a = softness(block, how), residual[BLOCK_MAX_ROWS] = {0}, dlambda[BLOCK_MAX_ROWS];
    Mat3 A = mat3_diagonal(vec3(1, 1, 1));
    Pair pair = pair_at(world, block->body);
    PairRow row[BLOCK_MAX_ROWS];
    for (int i = 0; i < rows.count; i++) {
        row[i] = pair_row_of_jacobian(&pair, rows.J[i]);
        residual[i] = -(rows.C[i] + a * vec3_get(multiplier->lambda, i));
        for (int j = 0; j <= i; j++)
            A.m[i][j] = A.m[j][i] = pair_coupling(&pair, &row[i], &row[j]);
        A.m[i][i] += a;
    }
    Vec3 step = vec3_scale(stiffness_of(block, how),
                           mat3_mul_vec(mat3_inverse(A), vec3(residual[0], residual[1], residual[2])));
    multiplier->lambda = vec3_add(multiplier->lambda, step);
    multiplier->on_body2 = VEC3_ZERO;
    int at = block_unit(block->kind) == UNIT_ANGLE ? 9 : 6;
    for (int i = 0; i < rows.count; i++) {
        dlambda[i] = vec3_get(step, i);
        multiplier->on_body2 = vec3_add_scaled(multiplier->on_body2, vec3_get(multiplier->lambda, i),
                                               vec3(rows.J[i][at], rows.J[i][at + 1], rows.J[i][at + 2]));
    }
    pair_push(world, block->body, &pair, row, rows.count, dlambda);
    return rows.count;
}

int position_solve_contact(World *world, const Block *block, BlockError *e, const PositionSolve *how,
                           Multiplier *multiplier)
{
    e->C = position_contact_error(block, e->C, how);
    return solve_scalar(world, block, e, how, multiplier);
}

static int solve_any(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    if (block->kind == BLOCK_VOLUME)
        return block->off ? 0 : solve_volume(world, block, how, multiplier);
    if (block->kind == BLOCK_FRICTION || block->kind == BLOCK_TORSION)
        return 0;
    BlockError e;
    block_error(world, block, &e);
    if (!e.active)
        return 0;
    if (block->kind == BLOCK_CONTACT)
        return position_solve_contact(world, block, &e, how, multiplier);
    if (e.scalar)
        return solve_scalar(world, block, &e, how, multiplier);
    if (how->whole)
        return solve_whole(world, block, how, multiplier);
    Pair pair = pair_at(world, block->body);
    return solve_along_error(world, block, &pair, &e, how, multiplier);
}

TWO_INLINE int solve_block(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    if (block->kind == BLOCK_ATTACH && !how->whole)
        return block->off ? 0 : solve_attach(world, block, how, multiplier);
    return solve_any(world, block, how, multiplier);
}

int position_solve_block(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    return solve_block(world, block, how, multiplier);
}

int position_solve_joints(World *world, const PositionSolve *how, Multiplier *multipliers, SweepUnits blocks)
{
    int rows = 0;
    for (int k = 0; k < blocks.count; k++) {
        int b = sweep_unit(blocks, k);
        rows += solve_block(world, &world->blocks[b], how, &multipliers[b]);
    }
    return rows;
}

double position_residual_squared(const World *world, double h, const Multiplier *multipliers)
{
    double sum = 0.0;
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block->kind == BLOCK_FRICTION || block->kind == BLOCK_TORSION)
            continue;
        double a = multipliers ? block_terms(block)->compliance / (h * h) : 0.0;
        Vec3 lambda = multipliers ? multipliers[b].lambda : VEC3_ZERO;
        BlockError e;
        block_error(world, block, &e);
        if (!e.active)
            continue;
        Vec3 residual = e.scalar ? vec3(e.C + a * lambda.x, 0, 0) : vec3_add_scaled(e.error, a, lambda);
        bool satisfied = e.scalar && ((e.lower == 0.0 && e.C >= 0.0) || (e.upper == 0.0 && e.C <= 0.0));
        double metres = block_metres(world, block->kind);
        if (!satisfied)
            sum += metres * metres * vec3_dot(residual, residual);
    }
    return sum;
}
