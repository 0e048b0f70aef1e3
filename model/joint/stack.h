/* SPDX-License-Identifier: MIT */
/* Coordinates and their rates of a series that two bodies' poses do not give in closed form. */
#ifndef RIGOR_MODEL_JOINT_STACK_H
#define RIGOR_MODEL_JOINT_STACK_H

#include "model/world.h"

/* Body 2 in body 1's internal frame as placed: the anchor of body 1 stands so much behind as slides begin with. */
Pose stack_placed(const World *world, const Joint *joint);

void stack_coordinates(const World *world, const Joint *joint, double q[SERIES_MAX_AXES], double rate[SERIES_MAX_AXES]);

#endif
