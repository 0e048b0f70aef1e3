#include "solvers/order/colour.h"

#include <stdlib.h>
#include <string.h>

static bool room_for(void **array, int *capacity, int needed, size_t size)
{
    if (needed < *capacity)
        return true;
    int larger = 2 * needed + 1;
    void *grown = realloc(*array, size * (size_t)larger);
    *array = grown ? grown : *array;
    *capacity = grown ? larger : *capacity;
    return grown != NULL;
}

static bool colours_reserve(Colours *colours, int units)
{
    int starts = colours->capacity, needed = units + COLOUR_MAX + 1;
    return room_for((void **)&colours->start, &starts, needed, sizeof *colours->start) &&
           room_for((void **)&colours->units, &colours->capacity, needed, sizeof *colours->units);
}

bool colouring_reserve(Colouring *colouring, const World *world)
{
    int joints = world->joint_block_count, manifolds = world->manifold_count;
    return colours_reserve(&colouring->joints, joints) && colours_reserve(&colouring->manifolds, manifolds) &&
           room_for((void **)&colouring->taken, &colouring->body_capacity, world->body_count,
                    sizeof *colouring->taken) &&
           room_for((void **)&colouring->colour, &colouring->unit_capacity, joints > manifolds ? joints : manifolds,
                    sizeof *colouring->colour);
}

void colouring_free(Colouring *colouring)
{
    free(colouring->joints.start);
    free(colouring->joints.units);
    free(colouring->manifolds.start);
    free(colouring->manifolds.units);
    free(colouring->taken);
    free(colouring->colour);
}

/* The smallest colour that is free at all these bodies, or the last; it is taken then. */
static int colour_take(Colouring *colouring, const World *world, const int body[], int bodies)
{
    uint64_t used = 0;
    for (int k = 0; k < bodies; k++)
        used |= colouring->taken[body[k]];
    int colour = ~used != 0 ? __builtin_ctzll(~used) : COLOUR_MAX - 1;
    for (int k = 0; k < bodies; k++)
        if (!world_is_fixed(world, body[k]))
            colouring->taken[body[k]] |= UINT64_C(1) << colour;
    return colour;
}

static void colouring_begin(Colouring *colouring, const World *world)
{
    memset(colouring->taken, 0, sizeof *colouring->taken * (size_t)world->body_count);
}

/* Sorts the units by the colours that they took. */
static void colouring_end(const Colouring *colouring, Colours *colours, int units, int count, int serial)
{
    int *start = colours->start;
    colours->count = count;
    colours->serial = serial;
    memset(start, 0, sizeof *start * (size_t)(count + 1));
    for (int u = 0; u < units; u++)
        start[colouring->colour[u] + 1]++;
    for (int c = 0; c < count; c++)
        start[c + 1] += start[c];
    for (int u = 0; u < units; u++)
        colours->units[start[colouring->colour[u]]++] = u;
    memmove(start + 1, start, sizeof *start * (size_t)count); /* each has become the next one's */
    start[0] = 0;
}

void colouring_set_joints(Colouring *colouring, const World *world)
{
    colouring_begin(colouring, world);
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        colouring->colour[b] = colour_take(colouring, world, block->body, block->kind == BLOCK_VOLUME ? 4 : 2);
    }
    colouring_end(colouring, &colouring->joints, world->joint_block_count, COLOUR_MAX, COLOUR_MAX - 1);
}

void colouring_set_manifolds(Colouring *colouring, const World *world)
{
    colouring_begin(colouring, world);
    for (int m = 0; m < world->manifold_count; m++)
        colouring->colour[m] = colour_take(colouring, world, world->manifolds[m].body, 2);
    colouring_end(colouring, &colouring->manifolds, world->manifold_count, COLOUR_MAX, COLOUR_MAX - 1);
}

void colouring_list(const Colouring *colouring, const World *world, int *order)
{
    for (int k = 0; k < world->joint_block_count; k++)
        *order++ = colouring->joints.units[k];
    for (int k = 0; k < world->manifold_count; k++) {
        const ManifoldBlocks *manifold = &world->manifolds[colouring->manifolds.units[k]];
        for (int i = 0; i < manifold->count; i++) {
            *order++ = manifold_contact(manifold, i);
            *order++ = manifold_friction(manifold, i);
        }
        if (manifold->torsion >= 0)
            *order++ = manifold->torsion;
    }
}
