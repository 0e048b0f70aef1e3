#include "solvers/rows/colour.h"

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

bool colouring_reserve(Colouring *colouring, const World *world)
{
    int joints = world->joint_block_count, manifolds = world->manifold_count;
    return room_for((void **)&colouring->joints.units, &colouring->joint_capacity, joints, sizeof(int)) &&
           room_for((void **)&colouring->manifolds.units, &colouring->manifold_capacity, manifolds, sizeof(int)) &&
           room_for((void **)&colouring->taken, &colouring->body_capacity, world->body_count,
                    sizeof *colouring->taken) &&
           room_for((void **)&colouring->colour, &colouring->unit_capacity, joints > manifolds ? joints : manifolds, 1);
}

void colouring_free(Colouring *colouring)
{
    free(colouring->joints.units);
    free(colouring->manifolds.units);
    free(colouring->taken);
    free(colouring->colour);
}

/* The smallest colour that is free at all these bodies, or the last; it is taken then. */
static unsigned char colour_take(Colouring *colouring, const World *world, const int body[], int bodies)
{
    uint64_t used = 0;
    for (int k = 0; k < bodies; k++)
        used |= colouring->taken[body[k]];
    unsigned char colour = COLOUR_MAX - 1;
    if (~used != 0)
        colour = (unsigned char)__builtin_ctzll(~used);
    for (int k = 0; k < bodies; k++)
        if (!world_is_fixed(world, body[k]))
            colouring->taken[body[k]] |= UINT64_C(1) << colour;
    return colour;
}

static void colouring_begin(Colouring *colouring, const World *world, Colours *colours)
{
    memset(colouring->taken, 0, sizeof *colouring->taken * (size_t)world->body_count);
    memset(colours->start, 0, sizeof colours->start);
}

/* Sorts the units by the colours that they took, which `start` has counted, each one place too far. */
static void colouring_end(const Colouring *colouring, Colours *colours, int units)
{
    int at[COLOUR_MAX];
    for (int c = 0; c < COLOUR_MAX; c++) {
        colours->start[c + 1] += colours->start[c];
        at[c] = colours->start[c];
    }
    for (int u = 0; u < units; u++)
        colours->units[at[colouring->colour[u]]++] = u;
}

void colouring_set_joints(Colouring *colouring, const World *world)
{
    Colours *colours = &colouring->joints;
    colouring_begin(colouring, world, colours);
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        colouring->colour[b] = colour_take(colouring, world, block->body, block->kind == BLOCK_VOLUME ? 4 : 2);
        colours->start[colouring->colour[b] + 1]++;
    }
    colouring_end(colouring, colours, world->joint_block_count);
}

void colouring_set_manifolds(Colouring *colouring, const World *world)
{
    Colours *colours = &colouring->manifolds;
    colouring_begin(colouring, world, colours);
    for (int m = 0; m < world->manifold_count; m++) {
        colouring->colour[m] = colour_take(colouring, world, world->manifolds[m].body, 2);
        colours->start[colouring->colour[m] + 1]++;
    }
    colouring_end(colouring, colours, world->manifold_count);
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
