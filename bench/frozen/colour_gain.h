/* SPDX-License-Identifier: MIT */
/* What colours (solvers/order/schedule.h) let threads gain: units of one colour go at once, colours one after the
 * other. If every unit takes the same time, p threads take sum over the colours of ceil(units / p) in place of all
 * units. */
#ifndef RIGOR_BENCH_FROZEN_COLOUR_GAIN_H
#define RIGOR_BENCH_FROZEN_COLOUR_GAIN_H

#include "model/world.h"

typedef struct ColourGain {
    int units, colours;                 /* joints' blocks and manifolds; colours that have any */
    double speedup_2, speedup_16, most; /* of 2, 16 and any number of threads */
} ColourGain;

/* And all blocks in the order of the colours, room for world->block_count. False when out of memory. */
bool colour_gain_compute(ColourGain *gain, const World *world, int *order);

#endif
