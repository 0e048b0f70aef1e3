/* SPDX-License-Identifier: MIT */
/* What a pass gives a body: every constraint adds to it, reading the poses and velocities of before the pass. */
#ifndef RIGOR_SOLVERS_NEWTON_XPBD_CHANGE_H
#define RIGOR_SOLVERS_NEWTON_XPBD_CHANGE_H

#include "model/world.h"

typedef struct NewtonChange {
    Vec3 P, T;    /* N s; N m s */
    int contacts; /* points of it that overlap */
} NewtonChange;

/* A row: along u at arms r1, r2, so J = (-u, -r1 x u, u, r2 x u); or about u, J = (0, -u, 0, u). */
typedef struct NewtonRow {
    const int *body;
    Vec3 line; /* of body 2; zero: an angular row */
    Vec3 turn[2];
} NewtonRow;

static inline NewtonRow newton_line(const int body[2], Vec3 u, Vec3 r1, Vec3 r2)
{
    return (NewtonRow){body, u, {vec3_negate(vec3_cross(r1, u)), vec3_cross(r2, u)}};
}

static inline NewtonRow newton_turn(const int body[2], Vec3 u)
{
    return (NewtonRow){body, VEC3_ZERO, {vec3_negate(u), u}};
}

/* J M^-1 J^T */
static inline double newton_weight(const World *world, const NewtonRow *row)
{
    double w = 0.0, squared = vec3_dot(row->line, row->line);
    for (int k = 0; k < 2; k++)
        w += squared * world->mass[row->body[k]].inv_mass +
             vec3_dot(row->turn[k], world_inv_inertia_mul(world, row->body[k], row->turn[k]));
    return w;
}

/* J v */
static inline double newton_rate(const World *world, const NewtonRow *row)
{
    const Velocity *one = &world->velocity[row->body[0]], *two = &world->velocity[row->body[1]];
    return vec3_dot(row->line, vec3_sub(two->v, one->v)) + vec3_dot(row->turn[0], one->w) +
           vec3_dot(row->turn[1], two->w);
}

/* The impulse `line` along the row, and `turn` of its lever arms: two numbers, as they are relaxed by two. */
static inline void newton_give(NewtonChange *change, const NewtonRow *row, double line, double turn)
{
    for (int k = 0; k < 2; k++) {
        NewtonChange *own = &change[row->body[k]];
        own->P = vec3_add_scaled(own->P, k == 0 ? -line : line, row->line);
        own->T = vec3_add_scaled(own->T, turn, row->turn[k]);
    }
}

#endif
