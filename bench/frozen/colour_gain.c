/* SPDX-License-Identifier: MIT */
#include "bench/frozen/colour_gain.h"

#include "solvers/order/schedule.h"

#include <limits.h>
#include <string.h>

/* Turns that `threads` take; of the colour whose units may share bodies each unit is one. */
static double turns(const Schedule *colours, int threads)
{
    double sum = 0.0;
    for (int c = 0; c < colours->count; c++) {
        int units = colours->rest_start[c + 1] - colours->rest_start[c];
        sum += c == colours->serial ? units : units / threads + (units % threads > 0);
    }
    return sum;
}

/* Of the joints' blocks, and of the manifolds. */
static double speedup(const Schedule colours[2], int units, int threads)
{
    return units > 0 ? units / (turns(&colours[0], threads) + turns(&colours[1], threads)) : 1.0;
}

static int count_used(const Schedule *colours)
{
    int used = 0;
    for (int c = 0; c < colours->count; c++)
        used += colours->rest_start[c + 1] > colours->rest_start[c];
    return used;
}

bool colour_gain_compute(ColourGain *gain, const World *world, int *order)
{
    Schedule colours[2] = {{0}};
    const int units[2] = {world->joint_block_count, world->manifold_count};
    bool ok = true;
    for (int k = 0; k < 2 && ok; k++) {
        ok = schedule_reserve(&colours[k], units[k], world->body_count);
        if (!ok)
            break;
        memset(colours[k].kinds, 0, sizeof *colours[k].kinds * (size_t)units[k]); /* none stand side by side */
        schedule_by_colour(&colours[k], world, k == 0 ? SCHEDULE_JOINTS : SCHEDULE_MANIFOLDS, QUAD);
    }
    if (ok) {
        int all = units[0] + units[1];
        schedule_list_blocks(&colours[0], &colours[1], world, order);
        *gain = (ColourGain){.units = all,
                             .colours = count_used(&colours[0]) + count_used(&colours[1]),
                             .speedup_2 = speedup(colours, all, 2),
                             .speedup_16 = speedup(colours, all, 16),
                             .most = speedup(colours, all, INT_MAX)};
    }
    for (int k = 0; k < 2; k++)
        schedule_free(&colours[k]);
    return ok;
}
