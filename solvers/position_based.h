/* The step that PBD and XPBD share; they differ in how a correction is softened, and in their defaults. */
#ifndef RIGOR_SOLVERS_POSITION_BASED_H
#define RIGOR_SOLVERS_POSITION_BASED_H

#include "solvers/solver.h"

void *position_based_create(const World *world, const CommonOptions *common, double stiffness, bool whole,
                            Status *status);
void position_based_destroy(void *self);
bool position_based_reserve(void *self, const World *world, Status *status);
int position_based_plan(void *self, Phase phases[SOLVER_MAX_PHASES]);

#endif
