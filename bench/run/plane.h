/* SPDX-License-Identifier: MIT */
/* Scenes that lie in the x-y plane, which engines of two dimensions can run. */
#ifndef RIGOR_BENCH_RUN_PLANE_H
#define RIGOR_BENCH_RUN_PLANE_H

#include "model/world.h"

/* Whether nothing leads out of it as the scene is placed: moving centres have one z, a principal axis along it and no
 * speed, spin, force or torque out of the plane; nor has gravity; joints turn about z or slide across it. */
bool world_lies_in_plane(const World *world);

#endif
