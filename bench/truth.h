/* Room for a problem's truth at one time. */
#ifndef RIGOR_BENCH_TRUTH_H
#define RIGOR_BENCH_TRUTH_H

#include "scenes/scene.h"

typedef struct TruthBuffer TruthBuffer;

TruthBuffer *truth_create(const World *world); /* NULL: out of memory */
void truth_destroy(TruthBuffer *buffer);

/* The truth at time t, valid until the next call. */
const Truth *truth_at(TruthBuffer *buffer, const Problem *problem, double t);

#endif
