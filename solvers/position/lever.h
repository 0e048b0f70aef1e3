/* One body's part in a correction along n: how far its inverse mass lets it go, and how it turns. */
#ifndef RIGOR_SOLVERS_POSITION_LEVER_H
#define RIGOR_SOLVERS_POSITION_LEVER_H

#include "model/world.h"

typedef struct Lever {
    double w;  /* n^T W n, W its inverse mass seen at the arm: 1/m + (r x n)^T I^-1 (r x n) for |n| = 1 */
    Vec3 turn; /* I_b^-1 R^T (r x n): in the body's frame, which saves turning it back */
} Lever;

static inline Lever lever_angular(const World *world, int body, Vec3 n)
{
    Vec3 n_body = quat_rotate_inverse(world->pose[body].q, n);
    Vec3 turn = vec3_mul(world->mass[body].inv_inertia, n_body);
    return (Lever){vec3_dot(n_body, turn), turn};
}

static inline Lever lever_linear(const World *world, int body, Vec3 arm, Vec3 n)
{
    const Mass *mass = &world->mass[body];
    double w = mass->inv_mass * vec3_dot(n, n);
    if (mass->inv_inertia.x == 0.0)
        return (Lever){w, VEC3_ZERO};
    Lever lever = lever_angular(world, body, vec3_cross(arm, n));
    lever.w += w;
    return lever;
}

static inline void push_linear(World *world, int body, const Lever *lever, double lambda, Vec3 n)
{
    const Mass *mass = &world->mass[body];
    if (mass->inv_mass == 0.0)
        return;
    Pose *pose = &world->pose[body];
    pose->x = vec3_add_scaled(pose->x, lambda * mass->inv_mass, n);
    if (mass->inv_inertia.x != 0.0)
        pose->q = quat_nudge_body(pose->q, vec3_scale(lambda, lever->turn));
}

static inline void push_angular(World *world, int body, const Lever *lever, double lambda)
{
    if (world->mass[body].inv_inertia.x != 0.0)
        world->pose[body].q = quat_nudge_body(world->pose[body].q, vec3_scale(lambda, lever->turn));
}

/* Both bodies' levers along n; false if neither can move. */
static inline bool correction_levers(const World *world, const Block *block, const BlockError *e, Vec3 n,
                                     Lever lever[2])
{
    for (int i = 0; i < 2; i++)
        lever[i] = e->angular ? lever_angular(world, block->body[i], n)
                              : lever_linear(world, block->body[i], i == 0 ? e->arm1 : e->arm2, n);
    return lever[0].w + lever[1].w > 0.0;
}

/* +lambda n on body 2, -lambda n on body 1 */
static inline void correction_apply(World *world, const Block *block, bool angular, const Lever lever[2], double lambda,
                                    Vec3 n)
{
    for (int i = 0; i < 2; i++) {
        double signed_lambda = i == 0 ? -lambda : lambda;
        if (angular)
            push_angular(world, block->body[i], &lever[i], signed_lambda);
        else
            push_linear(world, block->body[i], &lever[i], signed_lambda, n);
    }
}

#endif
