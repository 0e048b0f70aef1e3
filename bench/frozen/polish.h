/* SPDX-License-Identifier: MIT */
/* The bounded rows of a frozen step, solved to round-off: sweeps come near, Newton's method (solvers/cone/newton.h)
 * does the rest, by the law of friction that the rows have; where that stops short, paths of smoothed systems, or, for
 * a polygon, pivoting. */
#ifndef RIGOR_BENCH_FROZEN_POLISH_H
#define RIGOR_BENCH_FROZEN_POLISH_H

#include "bench/frozen/system.h"

/* From the lambda of the system's rows; frozen->velocity, V* of the world, becomes V with the lambda that it finds.
 * False when out of memory. */
bool frozen_polish(FrozenSystem *frozen);

#endif
