/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/position/position.h"

#include "solvers/position/correction.h"

const char *const contact_form_names[] = {"published", "stick", "approach", NULL};

/* Of a block's error along n. */
static PairRow row_of_error(const Pair *pair, const BlockError *e, Vec3 n)
{
    return e->angular ? pair_row_turn(pair, n) : pair_row(pair, n, both_vec3(e->arm1, e->arm2));
}

static Pair pair_of_block(const World *world, const Block *block, const PositionSolve *how)
{
    Pair pair = pair_at(world, block->body);
    pair.exact_turns = how->exact_turns;
    return pair;
}

static Softness block_softness(const Block *block, const PositionSolve *how)
{
    const JointTerms *terms = block_terms(block);
    return softness_of(&terms, how);
}

/* Several rows, along the error vector. */
static int solve_along_error(World *world, const Block *block, const BlockError *e, const PositionSolve *how,
                             Multiplier *multiplier)
{
    Pair pair = pair_of_block(world, block, how);
    Softness soft = block_softness(block, how);
    Vec3 lambda = multiplier->lambda, residual = residual_of(e->error, &soft, lambda);
    PairRow row = row_of_error(&pair, e, residual);
    bool moved, solved = correct_along(&pair, true, &row, residual, &soft, &lambda, &moved);
    if (moved) {
        pair_store(world, &pair, true);
        multiplier->lambda = multiplier->on_body2 = lambda;
    }
    return solved ? block_row_count(block->kind) : 0;
}

static int solve_scalar(World *world, const Block *block, const BlockError *e, const PositionSolve *how,
                        Multiplier *multiplier)
{
    Pair pair = pair_of_block(world, block, how);
    Softness soft = block_softness(block, how);
    PairRow row = row_of_error(&pair, e, e->gradient);
    double lambda = multiplier->lambda.x;
    if (!correct_scalar(&pair, true, &row, e->C, e->lower, e->upper, how, &soft, &lambda))
        return 0;
    pair_store(world, &pair, true);
    multiplier->lambda.x = lambda;
    multiplier->on_body2 = vec3_scale(lambda, e->gradient);
    return 1;
}

static int solve_volume(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    Vec3 gradient[4];
    double C = block_volume(world, block, gradient), w = 0.0;
    Softness soft = block_softness(block, how);
    for (int k = 0; k < 4; k++)
        w += world->mass[block->body[k]].inv_mass * vec3_dot(gradient[k], gradient[k]);
    if (!(w > 0.0))
        return 0;
    double dlambda = soft.stiffness * (-C - soft.a * multiplier->lambda.x) / (w + soft.a);
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
    Softness soft = block_softness(block, how);
    double residual[BLOCK_MAX_ROWS] = {0}, dlambda[BLOCK_MAX_ROWS];
    Mat3 A = mat3_diagonal(vec3(1, 1, 1));
    Pair pair = pair_of_block(world, block, how);
    PairRow row[BLOCK_MAX_ROWS];
    for (int i = 0; i < rows.count; i++) {
        row[i] = pair_row_of_jacobian(&pair, rows.J[i]);
        residual[i] = -(rows.C[i] + soft.a * vec3_get(multiplier->lambda, i));
        for (int j = 0; j <= i; j++)
            A.m[i][j] = A.m[j][i] = pair_coupling(&pair, &row[i], &row[j]);
        A.m[i][i] += soft.a;
    }
    Vec3 step = vec3_scale(soft.stiffness, mat3_mul_vec(mat3_inverse(A), vec3(residual[0], residual[1], residual[2])));
    multiplier->lambda = vec3_add(multiplier->lambda, step);
    multiplier->on_body2 = VEC3_ZERO;
    int at = block_unit(block->kind) == UNIT_ANGLE ? 9 : 6;
    for (int i = 0; i < rows.count; i++) {
        dlambda[i] = vec3_get(step, i);
        multiplier->on_body2 = vec3_add_scaled(multiplier->on_body2, vec3_get(multiplier->lambda, i),
                                               vec3(rows.J[i][at], rows.J[i][at + 1], rows.J[i][at + 2]));
    }
    pair_push_world(world, &pair, row, rows.count, dlambda);
    return rows.count;
}

int position_solve_contact(World *world, const Block *block, BlockError *e, const PositionSolve *how,
                           Multiplier *multiplier)
{
    e->C = position_contact_error(block, e->C, how);
    return solve_scalar(world, block, e, how, multiplier);
}

int position_solve_block(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier)
{
    if (block->kind == BLOCK_VOLUME)
        return block->off ? 0 : solve_volume(world, block, how, multiplier);
    bool left_out = how->no_axial && block_is_axial(block);
    if (block->kind == BLOCK_FRICTION || block->kind == BLOCK_TORSION || left_out)
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
    return solve_along_error(world, block, &e, how, multiplier);
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
