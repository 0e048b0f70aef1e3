/* SPDX-License-Identifier: MIT */
/* Coordinates and their rates of a series that two bodies' poses do not give in closed form. */
#ifndef RIGOR_MODEL_JOINT_STACK_H
#define RIGOR_MODEL_JOINT_STACK_H

#include "model/world.h"

void stack_coordinates(const World *world, const Joint *joint, double q[SERIES_MAX_AXES], double rate[SERIES_MAX_AXES]);

#endif
