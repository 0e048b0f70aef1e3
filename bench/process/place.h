/* SPDX-License-Identifier: MIT */
/* Where this process's run is: what can still be told of a solver that takes its process with it. The runner keeps the
 * place up to date; it lies in memory that a parent may share. */
#ifndef RIGOR_BENCH_PROCESS_PLACE_H
#define RIGOR_BENCH_PROCESS_PLACE_H

#include "solvers/stepper.h"

enum { PLACE_NAME = 64, PLACE_TEXT = 256 };

typedef struct RunPlace {
    char solver[PLACE_NAME]; /* "": no run is at work */
    char phases[SOLVER_MAX_PHASES][PLACE_NAME];
    volatile int created; /* its create has returned */
    volatile int part;    /* StepPart */
    volatile int phase;   /* of phases; -1: none */
    volatile int frame;   /* from 1 */
} RunPlace;

/* So many places that a forked child shares with its parent, all empty; NULL when out of memory. */
RunPlace *places_create(int count);
void places_destroy(RunPlace *places, int count); /* copes with NULL */

/* From now on this process keeps its place: by itself, or there. Until then nobody does. */
void place_keep(void);
void place_keep_at(RunPlace *place);

/* Told by the runner. */
void place_begin(const Solver *solver);
void place_created(const Stepper *stepper);
void place_frame(int frame);
void place_part(StepPart part, int phase);
void place_end(void);

/* " in phase 'velocity' of solver pgs, frame 3", or "" outside of a run. NULL: this process's own place. */
const char *place_text(const RunPlace *place, char text[PLACE_TEXT]);

#endif
