/* SPDX-License-Identifier: MIT */
/* Runs a solver, found by its name, on a world without the harness: the stepper, bare. */
#ifndef RIGOR_TESTS_SUPPORT_DRIVE_H
#define RIGOR_TESTS_SUPPORT_DRIVE_H

#include "solvers/stepper.h"

typedef Stepper Drive;

const Solver *drive_find(const char *solver);

/* options: "substeps=4 iterations=2 block=true", or "" for the defaults. Fails the test on any error. */
void drive_begin(Drive *drive, World *world, const char *solver, const char *options);
void drive_frame(Drive *drive, double dt);
void drive_end(Drive *drive);

/* begin, frames, end */
void drive_run(World *world, const char *solver, const char *options, double dt, int frames);

#endif
