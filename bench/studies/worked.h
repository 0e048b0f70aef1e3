/* SPDX-License-Identifier: MIT */
/* A worked example: the first substeps of a run of a lecture text, row by row as they are solved (Step.show), with the
 * states between them. Everything in it is of the run itself; nothing is computed a second time but the change that a
 * row makes, M^-1 J^T (after - before), at the poses where it was solved. */
#ifndef RIGOR_BENCH_STUDIES_WORKED_H
#define RIGOR_BENCH_STUDIES_WORKED_H

#include "scenes/scene.h"
#include "solvers/stepper.h"

/* One row, once solved. */
typedef struct WorkedRow {
    int substep, phase, sweep; /* substep from 0; sweep from 1, 0: as the phase was entered */
    ShownLevel level;
    Block block;
    int index, row; /* of the block in the world, of the row in the block */
    double C, A, bias, before, after;
    double rate; /* J v as it was solved; velocity level */
    double J[ROW_WIDTH];
    double change[ROW_WIDTH]; /* of v1, w1, v2, w2, or the particles' v; of poses or accelerations, as `level` says */
} WorkedRow;

/* Where the bodies are: as a substep begins (phase -1), as a phase has been entered (sweep 0), after a sweep, and as a
 * phase ends (sweep -1). */
typedef struct WorkedState {
    int substep, phase, sweep;
    Pose *pose; /* of every body */
    Velocity *velocity;
} WorkedState;

typedef struct Worked {
    World *world;
    double h; /* s */
    int substeps, phase_count;
    long long row_solves; /* that the solver has counted */
    Phase phases[SOLVER_MAX_PHASES];
    int row_count, row_capacity, state_count, state_capacity;
    WorkedRow *rows;
    WorkedState *states;
    bool failed; /* out of memory */
    Status status;
} Worked;

/* Makes the first substeps of the problem, whose world moves. False with a message; worked_free copes with that. */
bool worked_make(Worked *worked, Problem *problem, const Solver *solver, const void *options, double dt,
                 Detection detect, int substeps, Status *status);
void worked_free(Worked *worked);

/* NULL: there is none. */
const WorkedState *worked_state(const Worked *worked, int substep, int phase, int sweep);

/* `joint1 attach x`: a row's joint or pair of bodies, the block's kind, the direction. */
const char *worked_row_name(const Worked *worked, const WorkedRow *row, char *text, size_t size);

/* The last two of these: `attach`, `x`. What corrects a position goes along the block's error, which has no name. */
const char *worked_kind_name(const WorkedRow *row);
const char *worked_direction_name(const WorkedRow *row);

#endif
