#include "bench/colour_gain.h"

#include "solvers/order/colour.h"

#include <limits.h>

/* Turns that `threads` take; of the colour whose units may share bodies each unit is one. */
static double turns(const Colours *colours, int threads)
{
    double sum = 0.0;
    for (int c = 0; c < colours->count; c++) {
        int units = colours->start[c + 1] - colours->start[c];
        sum += c == colours->serial ? units : units / threads + (units % threads > 0);
    }
    return sum;
}

static double speedup(const Colouring *colouring, int units, int threads)
{
    return units > 0 ? units / (turns(&colouring->joints, threads) + turns(&colouring->manifolds, threads)) : 1.0;
}

static int count_used(const Colours *colours)
{
    int used = 0;
    for (int c = 0; c < colours->count; c++)
        used += colours->start[c + 1] > colours->start[c];
    return used;
}

bool colour_gain_compute(ColourGain *gain, const World *world, int *order)
{
    Colouring colouring = {0};
    bool ok = colouring_reserve(&colouring, world);
    if (ok) {
        colouring_set_joints(&colouring, world);
        colouring_set_manifolds(&colouring, world);
        colouring_list(&colouring, world, order);
        int units = world->joint_block_count + world->manifold_count;
        *gain = (ColourGain){.units = units,
                             .colours = count_used(&colouring.joints) + count_used(&colouring.manifolds),
                             .speedup_2 = speedup(&colouring, units, 2),
                             .speedup_16 = speedup(&colouring, units, 16),
                             .most = speedup(&colouring, units, INT_MAX)};
    }
    colouring_free(&colouring);
    return ok;
}
