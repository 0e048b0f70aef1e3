/* SPDX-License-Identifier: MIT */
/* The scenes of joints and chains in several settings, their bodies put where a truth says they are. */
#ifndef RIGOR_TESTS_SCENES_FIXTURE_H
#define RIGOR_TESTS_SCENES_FIXTURE_H

#include "tests/scenes/built.h"

/* Times that hit no symmetry, before and after the stops of the limits, s. */
enum { FIXTURE_TIMES = 5 };
extern const double fixture_times[FIXTURE_TIMES];

/* Fails the test if the scene refuses the settings. */
Problem *fixture_build(const char *scene, const char *settings);

/* The truth at time t, from cleared flags. */
void fixture_truth_at(const Problem *problem, double t, Truth *truth);

/* Moves the bodies to the truth's poses and to velocities from central differences; motors' targets follow. */
void fixture_place(Problem *problem, double t);

/* The largest violation of any block, and the largest |J V - target| of blocks that are no open limits. */
double fixture_worst_violation(const World *world);
double fixture_worst_velocity_error(const World *world);

/* J V of one row. */
double fixture_row_velocity(const World *world, const Block *block, const Rows *rows, int row);

/* Calls check on every scene of this family with its default and some other settings. */
void fixture_for_each(void (*check)(Problem *problem));

#endif
