/* SPDX-License-Identifier: MIT */
/* How bodies come into the world: what its own files share. */
#ifndef RIGOR_MODEL_WORLD_BODY_H
#define RIGOR_MODEL_WORLD_BODY_H

#include "model/world.h"

/* Room for one more body; false when out of memory. */
bool world_reserve_bodies(World *world);

/* A body's own copy of its shapes. */
void body_shapes_free(BodyShape *shapes, int count);

/* The colliders of body `index`, the world's last: of its shape, of each of several, or one of no kind. */
bool body_add_colliders(World *world, int index, Status *status);

/* Places them anew after the body's seat changed. */
void colliders_place(World *world, int body);

/* Mass and inertia of a body of several shapes. */
bool body_mass_of_shapes(const BodyDef *def, Mass *mass, Quat *principal, Status *status);

/* The body's own mass and axes become those of the body that moves it; a fused one's are joined with all others'. */
bool body_settle(World *world, int index, Status *status);

#endif
