/* SPDX-License-Identifier: MIT */
#include "solvers/position/multipliers.h"

#include "model/array.h"

bool multipliers_init(Multipliers *multipliers, const World *world)
{
    *multipliers = (Multipliers){.scratch = malloc(sizeof *multipliers->scratch * (size_t)world->body_count)};
    return multipliers->scratch && multipliers_reserve(multipliers, world);
}

bool multipliers_reserve(Multipliers *multipliers, const World *world)
{
    return array_reserve((void **)&multipliers->of, &multipliers->capacity, sizeof *multipliers->of,
                         (size_t)world->block_count);
}

void multipliers_free(Multipliers *multipliers)
{
    free(multipliers->of);
    free(multipliers->scratch);
}

void multipliers_clear(Multipliers *multipliers, const World *world)
{
    if (world->block_count > 0)
        memset(multipliers->of, 0, sizeof *multipliers->of * (size_t)world->block_count);
}

void multipliers_store_impulses(const Multipliers *multipliers, World *world, double h)
{
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = vec3_scale(1.0 / h, multipliers->of[b].on_body2);
}

double multipliers_residual(const Multipliers *multipliers, const Motion *motion, const Step *step)
{
    World *world = step->world;
    size_t bytes = sizeof *multipliers->scratch * (size_t)world->body_count;
    double left = position_residual_squared(world, step->h, multipliers->of);
    memcpy(multipliers->scratch, world->pose, bytes);
    motion_predict(motion, world, step->h);
    double before = position_residual_squared(world, step->h, NULL);
    memcpy(world->pose, multipliers->scratch, bytes);
    return left == 0.0 ? 0.0 : sqrt(left / (before > 0.0 ? before : 1.0));
}
