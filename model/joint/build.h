/* SPDX-License-Identifier: MIT */
/* What the blocks of joints are made with: for joint.c and coordinates.c. */
#ifndef RIGOR_MODEL_JOINT_BUILD_H
#define RIGOR_MODEL_JOINT_BUILD_H

#include "model/world.h"

/* A plain block of the joint at the end of the list; the same of a target or range. NULL: out of memory. */
JointTerms *joint_block(World *world, const Joint *joint, int index, BlockKind kind);
JointTerms *joint_add_range(World *world, const Joint *joint, int index, BlockKind kind, double lower, double upper);

/* The coordinates of a joint with a law, and of a series. */
bool joint_make_coordinates(const World *world, Joint *joint);

/* Whether a coordinate has a push. */
bool joint_is_pushed(const Joint *joint);

/* What a series does not leave free, and its limits; the rows of laws. */
bool joint_add_series(World *world, const Joint *joint, int index);
bool joint_add_laws(World *world, const Joint *joint, int index);

/* body 2's turn against body 1 as placed, in body 1's internal frame: a ball's, a hinge's. */
Quat joint_start_turn(const World *world, const Joint *joint);

#endif
