/* A contact point at velocity level, for the velocity passes of the position-based backends. */
#ifndef RIGOR_SOLVERS_POSITION_POINT_H
#define RIGOR_SOLVERS_POSITION_POINT_H

#include "model/block_contact.h"
#include "solvers/position/pair_row.h"

/* At the end of the substep. */
typedef struct Point {
    int body[2];
    Vec3 n, arm[2];
} Point;

static inline bool point_at(const World *world, int b, Point *point)
{
    const Block *block = &world->blocks[b];
    if (block->off)
        return false;
    BlockError e;
    contact_error(world, block, &e);
    *point = (Point){{block->body[0], block->body[1]}, e.gradient, {e.arm1, e.arm2}};
    return true;
}

static inline Vec3 point_velocity(const Velocity *velocity, const Point *p)
{
    Vec3 v[2];
    for (int k = 0; k < 2; k++)
        v[k] = vec3_add(velocity[p->body[k]].v, vec3_cross(velocity[p->body[k]].w, p->arm[k]));
    return vec3_sub(v[1], v[0]);
}

static inline PairRow point_row(const World *world, const Point *p, Vec3 u)
{
    return pair_row(world, p->body, u, p->arm[0], p->arm[1]);
}

/* w1 + w2 along the unit direction u */
static inline double point_weight(const World *world, const Point *p, Vec3 u)
{
    PairRow row = point_row(world, p, u);
    return pair_weight(world, p->body, &row);
}

static inline void point_push(World *world, const Point *p, Vec3 impulse)
{
    for (int k = 0; k < 2; k++) {
        Velocity *u = &world->velocity[p->body[k]];
        Vec3 own = k == 0 ? vec3_negate(impulse) : impulse;
        u->v = vec3_add_scaled(u->v, world->mass[p->body[k]].inv_mass, own);
        u->w = vec3_add(u->w, world_inv_inertia_mul(world, p->body[k], vec3_cross(p->arm[k], own)));
    }
}

static inline Vec3 tangential(Vec3 v, Vec3 n)
{
    return vec3_add_scaled(v, -vec3_dot(n, v), n);
}

static inline Vec3 point_slip(const Velocity *velocity, const Point *p)
{
    return tangential(point_velocity(velocity, p), p->n);
}

#endif
