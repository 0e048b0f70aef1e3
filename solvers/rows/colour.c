/* Greedy colouring in order of creation: a block takes the smallest colour that none of its moving bodies has yet. */
#include "solvers/rows/colour.h"

#include <stdint.h>
#include <stdlib.h>

/* Colours are bits of a word a body; a block that finds none free joins the last, which is then solved in order. */
enum { COLOUR_MAX = 64 };

bool colour_order(const World *world, int *order)
{
    uint64_t *taken = calloc((size_t)world->body_count, sizeof *taken);
    int *colour = malloc(sizeof *colour * (size_t)(world->block_count + 1));
    int start[COLOUR_MAX + 1] = {0};
    bool ok = taken && colour;
    for (int b = 0; ok && b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        int bodies = block->kind == BLOCK_VOLUME ? 4 : 2;
        uint64_t used = 0;
        for (int k = 0; k < bodies; k++)
            if (!world_is_fixed(world, block->body[k]))
                used |= taken[block->body[k]];
        colour[b] = 0;
        while (colour[b] < COLOUR_MAX - 1 && (used >> colour[b]) & 1)
            colour[b]++;
        for (int k = 0; k < bodies; k++)
            taken[block->body[k]] |= (uint64_t)1 << colour[b];
        start[colour[b] + 1]++;
    }
    for (int c = 0; c < COLOUR_MAX; c++)
        start[c + 1] += start[c];
    for (int b = 0; ok && b < world->block_count; b++)
        order[start[colour[b]]++] = b;
    free(taken);
    free(colour);
    return ok;
}
