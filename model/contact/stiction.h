/* SPDX-License-Identifier: MIT */
/* Static above kinetic friction. Who sticks and who slides is decided as a substep begins, by the loop and alike for
 * every solver: a pair of shapes of which no point slips faster than what the friction of its weight takes away in the
 * substep sticks, and has the static coefficient; any other slides, and has the kinetic one. That speed shrinks with
 * the substep. */
#ifndef RIGOR_MODEL_CONTACT_STICTION_H
#define RIGOR_MODEL_CONTACT_STICTION_H

#include "model/world.h"

/* Sets the coefficients of the contacts' blocks for a substep of h (s). */
void contacts_set_stiction(World *world, double h);

#endif
