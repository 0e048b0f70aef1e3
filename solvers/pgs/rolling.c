/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/pgs/rolling.h"

#include "model/contact/block_contact.h"
#include "solvers/contact/law.h"

#include <stdlib.h>

static bool world_resists_rolling(const World *world)
{
    for (int i = 0; i < world->material_count; i++)
        if (world->materials[i].rolling_friction > 0.0 || world->materials[i].spin_friction > 0.0)
            return true;
    return false;
}

bool rolling_reserve(Rolling *rolling, const World *world)
{
    if (!world_resists_rolling(world))
        return true;
    if (!point_memory_reserve(&rolling->memory, world, sizeof(Vec3)))
        return false;
    if (rolling->capacity >= rolling->memory.capacity)
        return true;
    size_t room = (size_t)rolling->memory.capacity;
    RollingPoint *points = realloc(rolling->points, sizeof *points * room);
    rolling->points = points ? points : rolling->points;
    int *memory_at = realloc(rolling->memory_at, sizeof *memory_at * room);
    rolling->memory_at = memory_at ? memory_at : rolling->memory_at;
    if (points && memory_at)
        rolling->capacity = (int)room;
    return points && memory_at;
}

void rolling_free(Rolling *rolling)
{
    point_memory_free(&rolling->memory);
    free(rolling->points);
    free(rolling->memory_at);
}

static void apply(World *world, const RollingPoint *point, Vec3 lambda)
{
    for (int side = 0; side < 2; side++) {
        Velocity *V = &world->velocity[point->body[side]];
        Vec3 turn = world_inv_inertia_mul(world, point->body[side], lambda);
        V->w = side ? vec3_add(V->w, turn) : vec3_sub(V->w, turn);
    }
}

static void point_prepare(RollingPoint *point, const World *world, const Manifold *manifold, int block)
{
    ContactFrame f = contact_frame(world, &world->blocks[block]);
    *point = (RollingPoint){.block = block,
                            .body = {manifold->body1, manifold->body2},
                            .spin = manifold->spin_friction,
                            .roll = manifold->rolling_friction,
                            .axis = {f.n, f.t1, f.t2}};
    for (int k = 0; k < 3; k++) {
        Vec3 turned = vec3_add(world_inv_inertia_mul(world, manifold->body1, point->axis[k]),
                               world_inv_inertia_mul(world, manifold->body2, point->axis[k]));
        for (int i = 0; i < 3; i++)
            point->A[i][k] = vec3_dot(point->axis[i], turned);
    }
}

void rolling_begin(Rolling *rolling, World *world, double keep)
{
    rolling->count = 0;
    if (!world_resists_rolling(world))
        return;
    point_memory_match(&rolling->memory, world);
    for (int m = 0, k = 0; m < world->manifold_count; m++) {
        const Manifold *manifold = &world->contacts->manifolds[m];
        for (int i = 0; i < manifold->count; i++, k++) {
            if (!(manifold->spin_friction > 0.0 || manifold->rolling_friction > 0.0))
                continue;
            int block = manifold_contact(&world->manifolds[m], i);
            if (world->blocks[block].off)
                continue;
            RollingPoint *point = &rolling->points[rolling->count];
            Vec3 *lambda = point_memory_at(&rolling->memory, k);
            point_prepare(point, world, manifold, block);
            *lambda = vec3_scale(keep, *lambda);
            apply(world, point, *lambda);
            rolling->memory_at[rolling->count++] = k;
        }
    }
}

/* The spin row, then both rolling rows; lambda along the point's axes. */
static void point_solve(const RollingPoint *point, double N, const double w[3], double lambda[3])
{
    const double(*A)[3] = point->A;
    double before = lambda[0], limit = point->spin * N;
    if (A[0][0] > 0.0)
        lambda[0] = clamp(before - w[0] / A[0][0], -limit, limit);
    double change = lambda[0] - before;
    Lanes from[2] = {lanes_all(lambda[1]), lanes_all(lambda[2])}, to[2], stop[3], tangent[3];
    Lanes r[2] = {lanes_all(w[1] + A[1][0] * change), lanes_all(w[2] + A[2][0] * change)};
    Lanes a = lanes_all(A[1][1]), b = lanes_all(A[1][2]), c = lanes_all(A[2][2]), slide = law_slide_step(a, b, c);
    FrictionLaw law = {.model = FRICTION_CONE};
    law_stop(a, b, c, slide, stop);
    law_prepare(law.model, a, b, c, stop, tangent);
    law_step(law, slide, tangent, lanes_all(point->roll * N), from, r, to);
    lambda[1] = lane(to[0], 0);
    lambda[2] = lane(to[1], 0);
}

long rolling_sweep(Rolling *rolling, World *world)
{
    for (int p = 0; p < rolling->count; p++) {
        const RollingPoint *point = &rolling->points[p];
        Vec3 *given = point_memory_at(&rolling->memory, rolling->memory_at[p]);
        Vec3 turning = vec3_sub(world->velocity[point->body[1]].w, world->velocity[point->body[0]].w);
        double w[3], lambda[3], N = fmax(vec3_dot(world->block_impulse[point->block], point->axis[0]), 0.0);
        for (int k = 0; k < 3; k++) {
            w[k] = vec3_dot(point->axis[k], turning);
            lambda[k] = vec3_dot(point->axis[k], *given);
        }
        point_solve(point, N, w, lambda);
        Vec3 next = VEC3_ZERO;
        for (int k = 0; k < 3; k++)
            next = vec3_add_scaled(next, lambda[k], point->axis[k]);
        apply(world, point, vec3_sub(next, *given));
        *given = next;
    }
    return 3L * rolling->count;
}
