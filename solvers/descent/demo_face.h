/* SPDX-License-Identifier: MIT */
/* Which face of two boxes the authors' demo takes as reference: an axis of the newer box, unless one of the older has a
 * clearly smaller overlap. It names points by the reference's edges: where the reference changes, they are new to it.
 */
#ifndef RIGOR_SOLVERS_DESCENT_DEMO_FACE_H
#define RIGOR_SOLVERS_DESCENT_DEMO_FACE_H

#include "model/world.h"

/* 1 to 6: an axis of the body that the world has first (the demo's newest is first), then of the other; 0: no boxes. */
int demo_reference_face(const World *world, const int body[2]);

#endif
