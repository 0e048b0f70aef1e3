/* SPDX-License-Identifier: MIT */
/* What the scenes of contact have in common: one material for every pair, a ground and walls that only hold things up,
 * and what it means that something still stands. */
#ifndef RIGOR_SCENES_GROUND_H
#define RIGOR_SCENES_GROUND_H

#include "scenes/parts.h"

#define PARAM_MU(Params, initial) PARAM_REAL(Params, mu, "coefficient of friction", initial, 0, 100)
#define PARAM_RESTITUTION(Params, initial) PARAM_REAL(Params, restitution, "of an impact", initial, 0, 1)
#define PARAM_SEED(Params) PARAM_INT(Params, seed, "of the random numbers", 1, 0, 1e9)

/* kg/m^3, where a scene does not say otherwise. */
#define GROUND_DENSITY 1000.0
/* Of world_pace: 0.1 m/s for boxes of 1 m. What moves faster at the end of a run does not stand: it is falling. */
#define STANDS_PACE_MAX 0.032

/* All bodies collide, and every pair of them has this friction and restitution. */
void ground_set_material(World *world, double mu, double restitution);

/* A fixed half-space normal . x <= offset; the ground is that below y = 0. Return the body, or -1 with a message. */
int ground_add_plane(World *world, const char *word, int number, Vec3 normal, double offset, Status *status);
int ground_add(World *world, Status *status);

BodyDef ground_sphere(double radius, double density);

/* The two bodies are placed to each other as they were in the beginning, to within `tolerance` (m). */
bool ground_keeps_place(const Problem *problem, const World *world, int body, int other, double tolerance);

/* No body is faster than STANDS_PACE_MAX. */
bool ground_at_rest(const World *world);

/* Every body where and as it was placed: a truth. */
void ground_rest_truth(const Problem *problem, double t, Truth *truth);

#endif
