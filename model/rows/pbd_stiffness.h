/* SPDX-License-Identifier: MIT */
/* PBD's stiffness of what a scene gives a compliance alone. */
#ifndef RIGOR_MODEL_ROWS_PBD_STIFFNESS_H
#define RIGOR_MODEL_ROWS_PBD_STIFFNESS_H

#include "model/world.h"

/* For every soft block that has no stiffness of its own: k = w / (w + alpha/h^2), w = J M^-1 J^T as the world is placed
 * (the mean over a block's rows), h = 1/60 s. A solve of PBD then removes the share of an error that XPBD removes with
 * its first solve of a step of 1/60 s. It is fixed here, once: how soft PBD is then depends on the step and the number
 * of iterations of a run, and that is its nature. A block without rows as placed is left as it is. */
void world_freeze_stiffness(World *world);

#endif
