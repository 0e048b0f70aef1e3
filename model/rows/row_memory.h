/* SPDX-License-Identifier: MIT */
/* The rows of all blocks with the multipliers that they gave in the last substep, which the next one may begin with. A
 * joint's are kept row by row. A contact's live in world->block_impulse, where they follow their point from detection
 * to detection, as one vector: a normal or tangents that have turned since only divide it otherwise. */
#ifndef RIGOR_MODEL_ROWS_ROW_MEMORY_H
#define RIGOR_MODEL_ROWS_ROW_MEMORY_H

#include "model/array.h"
#include "model/rows/prepared_rows.h"

typedef struct RowMemory {
    size_t capacity;
    PreparedRows *of; /* each block */
    bool goes_on;     /* joints begin with what world->block_impulse says, this once: SolverTask.goes_on */
} RowMemory;

/* Room for all of the world's blocks; false, with a message, when out of memory. A zeroed one is empty. It is a
 * backend's `reserve`, if its memory begins with this. */
static inline bool row_memory_reserve(void *self, const World *world, Status *status)
{
    RowMemory *memory = self;
    return array_reserve_zeroed((void **)&memory->of, &memory->capacity, sizeof *memory->of,
                                (size_t)world->block_count) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static inline void row_memory_free(RowMemory *memory)
{
    free(memory->of);
}

/* Within the bounds of row i, as impulses. */
static inline double rows_clamp(const PreparedRows *p, int i, double lambda, double h)
{
    return clamp(lambda, h * p->rows.lower[i], h * p->rows.upper[i]);
}

/* Prepares the rows of all blocks at the current poses (rows_prepare). Their lambda is that of the last substep, within
 * its bounds now; of a row that was inactive, zero. Where there is no friction, its rows are none. */
static inline void row_memory_prepare(RowMemory *memory, const World *world, double h, double rate)
{
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        PreparedRows *p = &memory->of[b];
        double kept[BLOCK_MAX_ROWS];
        memcpy(kept, p->lambda, sizeof kept);
        rows_prepare(world, block, h, rate, p);
        if (block->kind == BLOCK_FRICTION && block->friction == 0.0)
            p->rows.count = 0;
        for (int i = 0; i < p->rows.count; i++) {
            bool recalls = memory->goes_on || b >= world->joint_block_count;
            double last = recalls ? row_recall(p->rows.J[i], block->kind, block_remembered(world, b)) : kept[i];
            p->lambda[i] = rows_clamp(p, i, last, h);
        }
    }
    memory->goes_on = false;
}

/* The largest eigenvalue of A, of one row or of two. */
static inline double rows_largest(const PreparedRows *p)
{
    return p->rows.count == 2 ? symmetric_largest(p->A.m[0][0], p->A.m[0][1], p->A.m[1][1]) : p->A.m[0][0];
}

/* Leaves what every block gave its second body in world->block_impulse. */
static inline void row_memory_store(const RowMemory *memory, World *world)
{
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = rows_impulse(&memory->of[b].rows, world->blocks[b].kind, memory->of[b].lambda);
}

#endif
