/* SPDX-License-Identifier: MIT */
/* A problem's truth at the end of a frame: its closed form, or the motion of the `reference` backend. */
#ifndef RIGOR_BENCH_TRUTH_TRUTH_H
#define RIGOR_BENCH_TRUTH_TRUTH_H

#include "scenes/scene.h"

typedef struct TruthBuffer TruthBuffer;

TruthBuffer *truth_create(const World *world); /* NULL: out of memory */
void truth_destroy(TruthBuffer *buffer);

/* The truth as frame 1, 2, ... ends, valid until the next call; nothing is known in it if there is none. Forces are
 * means over the frame, as reactions are. */
const Truth *truth_of_frame(TruthBuffer *buffer, const Problem *problem, int frame, double dt);

typedef enum TruthPart { TRUTH_POSITION, TRUTH_ORIENTATION, TRUTH_FORCE } TruthPart;

/* Whether the problem has that part of the truth for any body or joint, or leaves it to `reference`. */
bool truth_knows(const Problem *problem, TruthPart part);

#endif
