/* SPDX-License-Identifier: MIT */
/* Restitution after all substeps of a frame, as Box2D v3 has it: a point that was approached faster than the threshold
 * as the frame began, and has pushed in one of its substeps, gets
 *     v_n >= -e v_n-,   lambda = max(lambda - (v_n + e v_n-)/A_nn, 0),
 * point after point in one pass. Substeps themselves have none, so that a warm start does not repeat a bounce. */
#ifndef RIGOR_SOLVERS_PGS_LATE_BOUNCE_H
#define RIGOR_SOLVERS_PGS_LATE_BOUNCE_H

#include "solvers/contact/point_memory.h"
#include "solvers/rows/rows.h"

typedef struct LateBounce {
    Velocity *before;   /* as the frame began */
    PointMemory pushed; /* bool of each point: it has, in this frame */
} LateBounce;

bool late_bounce_reserve(LateBounce *bounce, const World *world);
void late_bounce_free(LateBounce *bounce);

/* As a frame begins, before free flight. */
void late_bounce_begin_frame(LateBounce *bounce, const World *world);

/* At the end of each substep: whether a contact may bounce. If not, who has pushed does not matter, and is forgotten.
 */
bool late_bounce_awaits(LateBounce *bounce, const World *world);

/* If so: keeps who has pushed. */
void late_bounce_note(LateBounce *bounce, const RowSystem *system, const World *world);

/* At the end of a frame, after the note. Returns the rows solved. */
int late_bounce_apply(const LateBounce *bounce, RowSystem *system, const World *world, double threshold);

#endif
