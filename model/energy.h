/* SPDX-License-Identifier: MIT */
/* Energy, momentum and reactions: computed by the model from the state, never by a solver. */
#ifndef RIGOR_MODEL_ENERGY_H
#define RIGOR_MODEL_ENERGY_H

#include "model/world.h"

double world_kinetic_energy(const World *world);
double world_potential_energy(const World *world); /* gravity (zero at the origin) and attractor */
double world_elastic_energy(const World *world);   /* C^2 / (2 alpha) of every compliant block within its max_force */
double world_energy(const World *world);           /* all three */

Vec3 world_momentum(const World *world);
Vec3 world_angular_momentum(const World *world); /* about the origin */

/* Sums of the bodies' absolute momenta: the scale that momentum errors are relative to. */
double world_momentum_scale(const World *world);
double world_angular_momentum_scale(const World *world);

/* The joint's mean force and torque on its second body over the last frame of length dt, world frame, torque about the
 * anchor on that body; actuators included. */
void world_reaction(const World *world, int joint, double dt, Vec3 *force, Vec3 *torque);

/* J, the work of motors, servos, actuators and constant forces in the substep of length h that ends now (work.c). */
double world_substep_work(const World *world, double h);

/* Whether the drive gave all it can in a substep of length h. */
bool block_is_at_bound(const Block *block, Vec3 impulse, double h);

/* Largest speed of any moving body; NaN or infinity if a state is not finite. */
double world_max_speed(const World *world);

/* A state is not finite, or a body is faster than BLOW_UP_FACTOR times the scene's speed scale. */
#define BLOW_UP_FACTOR 100.0
bool world_blew_up(const World *world, double speed_scale);

#endif
