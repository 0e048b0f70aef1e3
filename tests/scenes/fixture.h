/* Builds scenes by name with settings as text, and puts their bodies where a truth says they are. */
#ifndef RIGOR_TESTS_SCENES_FIXTURE_H
#define RIGOR_TESTS_SCENES_FIXTURE_H

#include "scenes/scene.h"

/* `settings` as in "links=3 angle=0"; NULL with a message in `status` if the scene refuses them. */
Problem *fixture_try(const char *scene, const char *settings, Status *status);

/* The same; fails the test if the scene cannot be built. */
Problem *fixture_build(const char *scene, const char *settings);

Truth fixture_truth_create(const World *world);
void fixture_truth_destroy(Truth *truth);

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
