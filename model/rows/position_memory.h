/* SPDX-License-Identifier: MIT */
/* What corrections of positions keep during a substep: the velocities that forces alone give, and the multiplier of
 * each block, which is its force times h^2 (kg m), summed over the iterations. */
#ifndef RIGOR_MODEL_ROWS_POSITION_MEMORY_H
#define RIGOR_MODEL_ROWS_POSITION_MEMORY_H

#include "model/array.h"
#include "model/world.h"

typedef struct BlockMultiplier {
    double lambda; /* of a block of one row */
    Vec3 on_body2; /* lambda grad C on the second body; of several rows the sum of lambda n, since n turns */
} BlockMultiplier;

typedef struct PositionMemory {
    Velocity *predicted; /* of each body */
    size_t capacity;
    BlockMultiplier *of; /* each block */
} PositionMemory;

/* Room for all of the world's blocks; false, with a message, when out of memory. A zeroed one is empty. It is a
 * backend's `reserve`, if its memory begins with this. */
static inline bool position_memory_reserve(void *self, const World *world, Status *status)
{
    PositionMemory *memory = self;
    bool done =
        (memory->predicted || NEW_ARRAY(memory->predicted, (size_t)world->body_count)) &&
        array_reserve_zeroed((void **)&memory->of, &memory->capacity, sizeof *memory->of, (size_t)world->block_count);
    return done || status_set(status, STATUS_FAILED, "out of memory");
}

static inline void position_memory_free(PositionMemory *memory)
{
    free(memory->predicted);
    free(memory->of);
}

/* The velocities are those that are predicted; all multipliers are zero. */
static inline void position_memory_begin(PositionMemory *memory, const World *world)
{
    memcpy(memory->predicted, world->velocity, sizeof *memory->predicted * (size_t)world->body_count);
    for (int b = 0; b < world->block_count; b++)
        memory->of[b] = (BlockMultiplier){0};
}

/* Leaves what every block gave its second body in world->block_impulse. */
static inline void position_memory_store(const PositionMemory *memory, World *world, double h)
{
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = vec3_scale(1.0 / h, memory->of[b].on_body2);
}

#endif
