/* The step that PBD and XPBD share; they differ in how a correction is softened, and in their defaults. */
#ifndef RIGOR_SOLVERS_POSITION_POSITION_BASED_H
#define RIGOR_SOLVERS_POSITION_POSITION_BASED_H

#include "solvers/solver.h"

typedef struct PositionBasedSetup {
    CommonOptions common;
    double stiffness; /* k */
    bool whole;
    double restitution_threshold; /* m/s */
    double push_speed;            /* m/s: the overlap that a contact is found with is taken back no faster */
    int velocity_iterations;      /* of an impact: bounce.h */
} PositionBasedSetup;

void *position_based_create(const World *world, const PositionBasedSetup *setup, Status *status);
void position_based_destroy(void *self);
bool position_based_reserve(void *self, const World *world, Status *status);
int position_based_plan(void *self, Phase phases[SOLVER_MAX_PHASES]);

#endif
