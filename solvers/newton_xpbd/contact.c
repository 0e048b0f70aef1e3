/* SPDX-License-Identifier: MIT */
#include "solvers/newton_xpbd/contact.h"

#include "model/contact.h"

void newton_point_set(NewtonPoint *point, const World *world, const Block *block)
{
    *point = (NewtonPoint){.n = world->contacts->manifolds[block->manifold].normal};
    for (int k = 0; k < 2; k++)
        point->reach[k] =
            quat_rotate_inverse(world->pose[block->body[k]].q,
                                vec3_scale(k == 0 ? block->seat->radius[0] : -block->seat->radius[1], point->n));
}

static double row_lambda(const World *world, const NewtonRow *row, double error, double h, double share)
{
    double w = newton_weight(world, row);
    return w > 0.0 ? -share * error / (h * w) : 0.0;
}

/* What meets of each body, from its centre: the cores' points, or those of the surfaces. */
static void arms_of(const NewtonPoint *point, const World *world, const Block *block, bool surface, Vec3 r[2])
{
    for (int k = 0; k < 2; k++) {
        Vec3 at = block->seat->anchor[k];
        r[k] = quat_rotate(world->pose[block->body[k]].q, surface ? vec3_add(at, point->reach[k]) : at);
    }
}

static Vec3 apart(const World *world, const Block *block, const Vec3 r[2])
{
    return vec3_sub(vec3_add(world->pose[block->body[1]].x, r[1]), vec3_add(world->pose[block->body[0]].x, r[0]));
}

static int solve_friction(NewtonPoint *point, const World *world, const Block *block, double load, double h,
                          NewtonFriction how, NewtonChange *change)
{
    Vec3 r[2];
    arms_of(point, world, block, true, r);
    Vec3 slip = apart(world, block, r);
    slip = vec3_add_scaled(slip, -vec3_dot(point->n, slip), point->n);
    double size = vec3_norm(slip);
    if (!(size > 0.0))
        return 0;
    NewtonRow row = newton_line(block->body, vec3_scale(1.0 / size, slip), r[0], r[1]);
    double lambda = fmax(row_lambda(world, &row, size, h, how.share), -block->friction * load);
    newton_give(change, &row, lambda, lambda);
    point->friction = vec3_scale(lambda, row.line);
    return 1;
}

/* A torque about u against the turn of a step about it. */
static int solve_spin(const World *world, const Block *block, Vec3 u, double turned, double bound, double h,
                      NewtonFriction how, NewtonChange *change)
{
    NewtonRow row = newton_turn(block->body, u);
    double lambda = clamp(row_lambda(world, &row, turned, h, how.share), -bound, bound);
    newton_give(change, &row, 0.0, lambda);
    return 1;
}

int newton_point_solve(NewtonPoint *point, const World *world, const Block *block, double h, NewtonFriction how,
                       NewtonChange *change)
{
    Vec3 r[2];
    point->normal = point->friction = VEC3_ZERO;
    arms_of(point, world, block, false, r);
    double d = vec3_dot(point->n, apart(world, block, r)) - block->seat->radius[0] - block->seat->radius[1];
    if (block->off || !(d < 0.0))
        return 0;
    NewtonRow row = newton_line(block->body, point->n, r[0], r[1]);
    double load = row_lambda(world, &row, d, h, how.share);
    newton_give(change, &row, load, load);
    point->normal = vec3_scale(load, point->n);
    for (int k = 0; k < 2; k++)
        change[block->body[k]].contacts++;
    int rows = 1;
    if (block->friction > 0.0)
        rows += solve_friction(point, world, block, load, h, how, change);
    Vec3 spin = vec3_sub(world->velocity[block->body[1]].w, world->velocity[block->body[0]].w);
    double about = vec3_dot(spin, point->n);
    Vec3 rolling = vec3_add_scaled(spin, -about, point->n);
    double rolls = vec3_norm(rolling);
    if (how.torsional > 0.0 && about != 0.0)
        rows += solve_spin(world, block, point->n, h * about, how.torsional * load, h, how, change);
    if (how.rolling > 0.0 && rolls > 0.0)
        rows +=
            solve_spin(world, block, vec3_scale(1.0 / rolls, rolling), h * rolls, how.rolling * load, h, how, change);
    return rows;
}
