/* SPDX-License-Identifier: MIT */
/* The gradient of a constraint, body by body, and what a correction along it does: with the lecture's names
 *     w = sum_i w_i |grad_i C|^2,    x_i <- x_i + lambda w_i grad_i C,    w_i: inverse mass and inertia.
 * A turn counts as a coordinate like the others, so the same holds of two rigid bodies and of a volume's particles. */
#ifndef RIGOR_MODEL_ROWS_GRADIENT_H
#define RIGOR_MODEL_ROWS_GRADIENT_H

#include "model/rows/row.h"
#include "model/world.h"

typedef struct BodyGradient {
    Vec3 x;    /* dC/dx of the centre */
    Vec3 turn; /* dC of a small turn, world frame: of a point at the arm r, r x dC/dp */
} BodyGradient;

typedef struct Gradient {
    int count; /* bodies: 2, or 4 of a volume */
    const int *body;
    BodyGradient of[4];
} Gradient;

/* Of n.(p2 - p1), the points at these arms from the centres. n need not be a unit vector. */
static inline Gradient gradient_linear(const int body[2], Vec3 n, Vec3 arm1, Vec3 arm2)
{
    Vec3 back = vec3_negate(n);
    return (Gradient){2, body, {{back, vec3_cross(arm1, back)}, {n, vec3_cross(arm2, n)}}};
}

/* Of n.(turn of body 2 - turn of body 1). */
static inline Gradient gradient_angular(const int body[2], Vec3 n)
{
    return (Gradient){2, body, {{VEC3_ZERO, vec3_negate(n)}, {VEC3_ZERO, n}}};
}

/* Of a block's error along n. */
static inline Gradient gradient_of_error(const Block *block, const BlockError *e, Vec3 n)
{
    return e->angular ? gradient_angular(block->body, n) : gradient_linear(block->body, n, e->arm1, e->arm2);
}

/* The velocity of body 2 against body 1 where the error acts; of an angular one, their turning. */
static inline Vec3 error_velocity(const Block *block, const BlockError *e, const Velocity *V)
{
    const Velocity *one = &V[block->body[0]], *two = &V[block->body[1]];
    if (e->angular)
        return vec3_sub(two->w, one->w);
    return vec3_sub(vec3_add(two->v, vec3_cross(two->w, e->arm2)), vec3_add(one->v, vec3_cross(one->w, e->arm1)));
}

/* Its part across the error's gradient: slip, of a contact. */
static inline Vec3 error_slip(const Block *block, const BlockError *e, const Velocity *V)
{
    Vec3 v = error_velocity(block, e, V);
    return vec3_add_scaled(v, -vec3_dot(e->gradient, v), e->gradient);
}

/* Of a volume, as block_volume gives it. */
static inline Gradient gradient_volume(const Block *block, const Vec3 of[4])
{
    return (Gradient){4, block->body, {{.x = of[0]}, {.x = of[1]}, {.x = of[2]}, {.x = of[3]}}};
}

/* The same of any block; a volume has its own gradient, of four particles. */
static inline Gradient gradient_along(const World *world, const Block *block, const BlockError *e, Vec3 n)
{
    Vec3 of[4];
    if (block->kind == BLOCK_VOLUME) {
        block_volume(world, block, of);
        return gradient_volume(block, of);
    }
    return gradient_of_error(block, e, n);
}

typedef struct GradientRow {
    double J[ROW_WIDTH];
} GradientRow;

/* The same as a row of J; n2 is its |n|^2, and the row's n has length 1. */
static inline GradientRow gradient_row(const Gradient *g, double n2)
{
    GradientRow row;
    if (g->count == 2)
        row_set(row.J, g->of[0].x, g->of[0].turn, g->of[1].x, g->of[1].turn);
    else
        row_set(row.J, g->of[0].x, g->of[1].x, g->of[2].x, g->of[3].x);
    for (int c = 0; c < ROW_WIDTH; c++)
        row.J[c] /= sqrt(n2);
    return row;
}

/* A moment in the frame in which I^-1 is diagonal, the body's own. Of a body with equal moments every frame is one. */
static inline Vec3 body_moment(const World *world, int body, Vec3 moment)
{
    return mass_is_even(&world->mass[body]) ? moment : quat_rotate_inverse(world->pose[body].q, moment);
}

/* w = sum_i |dC/dx_i|^2 / m_i + turn_i^T I_i^-1 turn_i: C'' of a unit of lambda, what -C is divided by. */
static inline double gradient_weight(const World *world, const Gradient *g)
{
    double w = 0.0;
    for (int k = 0; k < g->count; k++) {
        const Mass *mass = &world->mass[g->body[k]];
        Vec3 moment = body_moment(world, g->body[k], g->of[k].turn);
        w += mass->inv_mass * vec3_dot(g->of[k].x, g->of[k].x) + vec3_dot(moment, vec3_mul(mass->inv_inertia, moment));
    }
    return w;
}

/* x_i <- x_i + lambda grad_i C / m_i,    q_i <- q_i + 1/2 [lambda I_i^-1 turn_i, 0] q_i */
static inline void gradient_move(World *world, const Gradient *g, double lambda)
{
    for (int k = 0; k < g->count; k++) {
        const Mass *mass = &world->mass[g->body[k]];
        Pose *pose = &world->pose[g->body[k]];
        Vec3 moment = body_moment(world, g->body[k], g->of[k].turn);
        Vec3 phi = vec3_scale(lambda, vec3_mul(mass->inv_inertia, moment));
        if (mass->inv_mass != 0.0)
            pose->x = vec3_add_scaled(pose->x, lambda * mass->inv_mass, g->of[k].x);
        if (mass->inv_inertia.x != 0.0)
            pose->q = mass_is_even(mass) ? quat_nudge_world(pose->q, phi) : quat_nudge_body(pose->q, phi);
    }
}

/* v_i <- v_i + impulse grad_i C / m_i,    w_i <- w_i + impulse I_i^-1 turn_i */
static inline void gradient_kick(World *world, const Gradient *g, double impulse)
{
    for (int k = 0; k < g->count; k++) {
        int body = g->body[k];
        const Mass *mass = &world->mass[body];
        Velocity *u = &world->velocity[body];
        Vec3 turned = vec3_mul(mass->inv_inertia, body_moment(world, body, g->of[k].turn));
        Vec3 spin = mass_is_even(mass) ? turned : quat_rotate(world->pose[body].q, turned);
        u->v = vec3_add_scaled(u->v, impulse * mass->inv_mass, g->of[k].x);
        u->w = vec3_add_scaled(u->w, impulse, spin);
    }
}

/* An impulse P on body 2 where the error acts, its opposite on body 1: velocities follow, and the block has given it.
 */
static inline void error_kick(World *world, int b, const BlockError *e, Vec3 P)
{
    Gradient g = gradient_along(world, &world->blocks[b], e, P);
    gradient_kick(world, &g, 1.0);
    world->block_impulse[b] = vec3_add(world->block_impulse[b], P);
}

/* w_1 + w_2 along n */
static inline double error_weight(const World *world, const Block *block, const BlockError *e, Vec3 n)
{
    Gradient g = gradient_along(world, block, e, n);
    return gradient_weight(world, &g);
}

#endif
