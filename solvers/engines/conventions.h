/* SPDX-License-Identifier: MIT */
/* How the engines treat contacts, as their documentation and sources say: one table for each engine, in the terms of
 * solvers/conventions.h. What is not published says so. */
#ifndef RIGOR_SOLVERS_ENGINES_CONVENTIONS_H
#define RIGOR_SOLVERS_ENGINES_CONVENTIONS_H

#include "solvers/conventions.h"

/* Every topic once. */
extern const Convention ode_quick_contacts[CONVENTION_COUNT], ode_step_contacts[CONVENTION_COUNT],
    bullet_contacts[CONVENTION_COUNT], bullet_multibody_contacts[CONVENTION_COUNT], chipmunk_contacts[CONVENTION_COUNT],
    jolt_contacts[CONVENTION_COUNT], rapier_contacts[CONVENTION_COUNT], mujoco_contacts[CONVENTION_COUNT],
    physx_contacts[CONVENTION_COUNT], physx_tgs_contacts[CONVENTION_COUNT], box2d_contacts[CONVENTION_COUNT],
    havok_contacts[CONVENTION_COUNT], cannon_contacts[CONVENTION_COUNT];

#endif
