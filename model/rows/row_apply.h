/* SPDX-License-Identifier: MIT */
/* What a row of J does: its rate J V, its B = M^-1 J^T, V += B lambda, and its multiplier as an impulse and back.
 * A row is (v1, w1, v2, w2), or the v of a volume's four particles: three numbers to each of four parts. */
#ifndef RIGOR_MODEL_ROWS_ROW_APPLY_H
#define RIGOR_MODEL_ROWS_ROW_APPLY_H

#include "model/world.h"

/* Rows of the world if every block is active. */
static inline int row_count_all(const World *world)
{
    int rows = 0;
    for (int b = 0; b < world->block_count; b++)
        rows += block_row_count(world->blocks[b].kind);
    return rows;
}

static inline Vec3 row_vector(const double row[ROW_WIDTH], int part)
{
    return vec3(row[3 * part], row[3 * part + 1], row[3 * part + 2]);
}

static inline int row_part_body(const Block *block, int part)
{
    return block->kind == BLOCK_VOLUME ? block->body[part] : block->body[part / 2];
}

static inline bool row_part_turns(const Block *block, int part)
{
    return block->kind != BLOCK_VOLUME && part % 2 == 1;
}

/* J V */
static inline double row_rate(const double J[ROW_WIDTH], const Block *block, const Velocity *V)
{
    double sum = 0.0;
    for (int part = 0; part < 4; part++) {
        const Velocity *u = &V[row_part_body(block, part)];
        sum += vec3_dot(row_vector(J, part), row_part_turns(block, part) ? u->w : u->v);
    }
    return sum;
}

/* B = M^-1 J^T at the current poses, written as a row. */
static inline void row_times_inverse_mass(const World *world, const Block *block, const double J[ROW_WIDTH],
                                          double B[ROW_WIDTH])
{
    for (int part = 0; part < 4; part++) {
        int body = row_part_body(block, part);
        Vec3 j = row_vector(J, part);
        Vec3 b = row_part_turns(block, part) ? world_inv_inertia_mul(world, body, j)
                                             : vec3_scale(world->mass[body].inv_mass, j);
        for (int c = 0; c < 3; c++)
            B[3 * part + c] = vec3_get(b, c);
    }
}

/* A_ij = J_i M^-1 J_j^T */
static inline double row_coupling(const double J_i[ROW_WIDTH], const double B_j[ROW_WIDTH])
{
    double sum = 0.0;
    for (int c = 0; c < ROW_WIDTH; c++)
        sum += J_i[c] * B_j[c];
    return sum;
}

/* V <- V + B lambda. Fixed bodies, whose part of B is zero, stay as they are. */
static inline void row_apply(const double B[ROW_WIDTH], const Block *block, double lambda, Velocity *V)
{
    for (int part = 0; part < 4; part++) {
        Velocity *u = &V[row_part_body(block, part)];
        Vec3 *own = row_part_turns(block, part) ? &u->w : &u->v;
        *own = vec3_add_scaled(*own, lambda, row_vector(B, part));
    }
}

/* Where world->block_impulse sees a row: its part on the second body, or the second particle; of angular kinds w2. */
static inline Vec3 row_on_body2(const double J[ROW_WIDTH], BlockKind kind)
{
    return row_vector(J, kind == BLOCK_VOLUME ? 1 : block_unit(kind) == UNIT_ANGLE ? 3 : 2);
}

/* What a block's multipliers give its second body. */
static inline Vec3 rows_impulse(const Rows *rows, BlockKind kind, const double lambda[BLOCK_MAX_ROWS])
{
    Vec3 sum = VEC3_ZERO;
    for (int i = 0; i < rows->count; i++)
        sum = vec3_add_scaled(sum, lambda[i], row_on_body2(rows->J[i], kind));
    return sum;
}

/* The multiplier of a row that gave its second body this impulse: the inverse of the above, since the directions of a
 * block's rows are at right angles to each other. */
static inline double row_recall(const double J[ROW_WIDTH], BlockKind kind, Vec3 impulse)
{
    Vec3 direction = row_on_body2(J, kind);
    double square = vec3_dot(direction, direction);
    return square > 0.0 ? vec3_dot(direction, impulse) / square : 0.0;
}

/* What block b gave in the last substep, as it is remembered. A contact and its friction remember one vector, so that a
 * normal or tangents that have turned meanwhile only divide it otherwise. */
static inline Vec3 block_remembered(const World *world, int b)
{
    const Block *block = &world->blocks[b];
    const Vec3 *impulse = world->block_impulse;
    if (block->kind != BLOCK_CONTACT && block->kind != BLOCK_FRICTION)
        return impulse[b];
    return vec3_add(impulse[block->normal_block], impulse[block->normal_block + 1]);
}

#endif
