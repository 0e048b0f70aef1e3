/* SPDX-License-Identifier: MIT */
/* Legal but extreme scenes, made from bytes: masses from 1e-9 to 1e9, sizes over nine decades, bodies in one place or
 * touching exactly, huge speeds, many joints on one body, limits that leave no play, compliances from nothing to
 * everything, nothing that can move, time steps from 1e-9 s to 1000 s. The scene is a text, so that a finding can be
 * kept as a file; whatever solver runs it must end with an outcome. */
#ifndef RIGOR_TESTS_FUZZ_EXTREME_H
#define RIGOR_TESTS_FUZZ_EXTREME_H

#include "bench/run/run.h"
#include "bench/run/solver_set.h"

#include <stdint.h>

/* Bytes as they come; 0 beyond the end. */
typedef struct Bytes {
    const uint8_t *data;
    size_t size, at;
} Bytes;

/* Freed by the caller; dt: of a frame, s. NULL when out of memory. */
char *extreme_scene(Bytes *bytes, double *dt);

/* Two frames of the scene at this path with one solver. What is wrong with the outcome, or NULL; a scene that is
 * refused, and a solver that refuses it, are none. */
const char *extreme_run(const char *path, const Solver *solver, double dt, Status *status);

#endif
