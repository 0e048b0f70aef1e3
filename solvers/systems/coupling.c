/* SPDX-License-Identifier: MIT */
#include "solvers/systems/coupling.h"

/* Counts, then beginnings, then the blocks in their places. */
static void coupling_list_blocks(Coupling *coupling, const World *world)
{
    int *start = coupling->start;
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < world->block_count; b++)
            for (int k = 0; k < block_body_count(&world->blocks[b]); k++) {
                int body = world->blocks[b].body[k];
                if (world_is_fixed(world, body))
                    continue;
                if (pass == 1) {
                    coupling->block[start[body]] = b;
                    coupling->slot[start[body]] = k;
                }
                start[body]++;
            }
        for (int i = 0, sum = 0; pass == 0 && i <= world->body_count; i++) {
            int count = start[i];
            start[i] = sum;
            sum += count;
        }
    }
    /* Each beginning has moved on to the next one's. */
    for (int i = world->body_count; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

/* How many blocks, counted once for each body they share, are coupled to a block. */
static int coupling_degree(const Coupling *coupling, const Block *block)
{
    int degree = 0;
    for (int k = 0; k < block_body_count(block); k++)
        degree += coupling->start[block->body[k] + 1] - coupling->start[block->body[k]];
    return degree;
}

/* Appends the blocks coupled to `block` that are not placed yet, those with few neighbours first. */
static int coupling_append_neighbours(Coupling *coupling, const World *world, const Block *block, bool *placed, int end)
{
    int *order = coupling->order, begin = end;
    for (int k = 0; k < block_body_count(block); k++)
        for (int p = coupling->start[block->body[k]]; p < coupling->start[block->body[k] + 1]; p++) {
            int b = coupling->block[p], at = end;
            if (placed[b])
                continue;
            placed[b] = true;
            int degree = coupling_degree(coupling, &world->blocks[b]);
            for (; at > begin && coupling_degree(coupling, &world->blocks[order[at - 1]]) > degree; at--)
                order[at] = order[at - 1];
            order[at] = b;
            end++;
        }
    return end;
}

/* The block with the fewest neighbours of those not placed yet. */
static int coupling_seed(const Coupling *coupling, const World *world, const bool *placed)
{
    int seed = -1, fewest = 0;
    for (int b = 0; b < world->block_count; b++) {
        int degree = coupling_degree(coupling, &world->blocks[b]);
        if (!placed[b] && (seed < 0 || degree < fewest)) {
            seed = b;
            fewest = degree;
        }
    }
    return seed;
}

/* Reverse Cuthill-McKee: breadth first from a block with few neighbours, then backwards. */
static void coupling_order_blocks(Coupling *coupling, const World *world, bool *placed)
{
    int count = world->block_count, end = 0, *order = coupling->order;
    for (int next = 0; next < count; next++) {
        if (next == end) {
            int seed = coupling_seed(coupling, world, placed);
            placed[seed] = true;
            order[end++] = seed;
        }
        end = coupling_append_neighbours(coupling, world, &world->blocks[order[next]], placed, end);
    }
    for (int i = 0; i < count / 2; i++) {
        int b = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = b;
    }
}

/* first: where each block's rows would begin. */
static int coupling_find_band(const Coupling *coupling, const World *world, int *first)
{
    int band = 0, rows = 0;
    for (int k = 0; k < world->block_count; k++) {
        first[coupling->order[k]] = rows;
        rows += block_row_count(world->blocks[coupling->order[k]].kind);
    }
    for (int i = 0; i < world->body_count; i++)
        for (int p = coupling->start[i]; p < coupling->start[i + 1]; p++)
            for (int q = coupling->start[i]; q < coupling->start[i + 1]; q++) {
                int last = first[coupling->block[q]] + block_row_count(world->blocks[coupling->block[q]].kind) - 1;
                int distance = last - first[coupling->block[p]];
                band = distance > band ? distance : band;
            }
    return band;
}

bool coupling_init(Coupling *coupling, const World *world, bool narrow)
{
    size_t blocks = (size_t)world->block_count + 1;
    Arrays *own = &coupling->arrays;
    bool *placed;
    int *first;
    bool ok = OWN_ARRAY(own, coupling->start, (size_t)world->body_count + 1) &&
              OWN_ARRAY(own, coupling->block, 4 * blocks) && OWN_ARRAY(own, coupling->slot, 4 * blocks) &&
              OWN_ARRAY(own, coupling->order, blocks) && OWN_ARRAY(own, placed, blocks) &&
              OWN_ARRAY(own, first, blocks);
    if (ok) {
        coupling_list_blocks(coupling, world);
        for (int b = 0; b < world->block_count; b++)
            coupling->order[b] = b;
        if (narrow)
            coupling_order_blocks(coupling, world, placed);
        coupling->band = coupling_find_band(coupling, world, first);
    }
    return ok;
}

void coupling_free(Coupling *coupling)
{
    arrays_free(&coupling->arrays);
}
