/* SPDX-License-Identifier: MIT */
/* What a solver makes of a world in one substep, from wherever a run is. It is done in a child of this process: so the
 * state it begins with, the contacts' memory and all, is the run's own, and the run goes on as if nothing had been. */
#ifndef RIGOR_TESTS_LECTURE_ONE_SUBSTEP_H
#define RIGOR_TESTS_LECTURE_ONE_SUBSTEP_H

#include "scenes/scene.h"
#include "solvers/stepper.h"

#include <stdint.h>

/* What a substep leaves, in memory that a child shares with its parent. */
typedef struct Outcome {
    size_t bytes;
    bool done;
    long long row_solves;
    int block_count;
    Pose *pose; /* of each body */
    Velocity *velocity;
    Vec3 *impulse; /* of each block, N s; torques at the world's length scale */
} Outcome;

/* Fails the test when there is no memory. */
Outcome *outcome_create(const World *world);
void outcome_destroy(Outcome *outcome);

/* One substep of `solver` at its defaults from where the run is, but for its iterations, if they are given (0: the
 * default). After the first frame it goes on with the multipliers that it finds in world->block_impulse. */
void outcome_of_substep(Outcome *outcome, const Solver *solver, const Stepper *run, int iterations);

/* The same from a state whose velocities and positions are off by round-off, in directions drawn from the seed: what
 * the outcome differs by then is no property of the algorithm. Velocities are off by at least that of `speed`. */
void outcome_of_nudged_substep(Outcome *outcome, const Solver *solver, const Stepper *run, double speed, uint64_t seed);

/* Puts every moving body's position and velocity off by round-off. */
void world_nudge(World *world, double speed, uint64_t seed);

/* How far two are apart, as shares of the scene's scales; what is not a number is infinitely far. */
typedef struct Apart {
    double pose;     /* of the world's length scale, or 1 rad */
    double velocity; /* of the problem's speed scale; of turning, at the length scale */
    double impulse;  /* of the largest */
    bool same_rows;
} Apart;

double apart_poses(const Problem *problem, const Pose *one, const Pose *two);
double apart_velocities(const Problem *problem, const Velocity *one, const Velocity *two);
Apart apart_outcomes(const Problem *problem, const Outcome *one, const Outcome *two);

#endif
