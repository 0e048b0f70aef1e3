/* SPDX-License-Identifier: MIT */
/* What a detection takes over from the one before: the impulses of points that are found again. With `keep` it also
 * takes over whole manifolds of pairs that hardly moved since their points were found. */
#ifndef RIGOR_MODEL_CONTACT_MEMORY_H
#define RIGOR_MODEL_CONTACT_MEMORY_H

#include "model/contact.h"

/* Puts the points of the old manifold before the others. */
void manifold_prefer(const Manifold *old, Patch *patch);

/* Each point takes the impulse and the past of the old point with its id, else of an old point at the same place. */
void manifold_inherit(Manifold *manifold, const Manifold *old, double length);

/* Where body 2 is in body 1's frame. */
Pose contacts_relative_pose(const World *world, int one, int two);

/* Whether the pair moved by at most `keep` since the manifold's points were found: its centres against each other, and
 * by its turn at a length scale or at the points, if they are farther from the centre of body 2. */
bool manifold_stays(const World *world, const Manifold *manifold);

/* Moves normals and gaps of all manifolds that stay on to the current poses, by their blocks, which must be those of
 * the last detection. */
void contacts_follow(World *world);

/* Whether some point does. */
static inline bool manifold_recovers(const Manifold *manifold)
{
    for (int i = 0; i < manifold->count; i++)
        if (manifold->recovers[i])
            return true;
    return false;
}

/* The larger of the two materials'. */
double manifold_patch_radius(const World *world, const Manifold *manifold);

#endif
