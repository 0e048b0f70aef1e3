/* Room for a problem's truth at one time. */
#ifndef RIGOR_BENCH_TRUTH_H
#define RIGOR_BENCH_TRUTH_H

#include "scenes/scene.h"

typedef struct TruthBuffer TruthBuffer;

TruthBuffer *truth_create(const World *world); /* NULL: out of memory */
void truth_destroy(TruthBuffer *buffer);

/* The truth at time t, valid until the next call. */
const Truth *truth_at(TruthBuffer *buffer, const Problem *problem, double t);

typedef enum TruthPart { TRUTH_POSITION, TRUTH_ORIENTATION, TRUTH_FORCE } TruthPart;

/* Whether the problem knows that part of the truth for any body or joint. */
bool truth_knows(const Problem *problem, TruthPart part);

#endif
