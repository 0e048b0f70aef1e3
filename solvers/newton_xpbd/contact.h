/* SPDX-License-Identifier: MIT */
/* Contact points as Newton has them: anchors and normal stay as detection found them, in the bodies and in the world,
 *     d = n.(b - a) - r1 - r2 at the cores' points,   lambda_n = -share d/(h w_n),
 * friction takes back the distance of the surfaces' points across n, those that met as they were found, within mu
 * lambda_n of this pass; torsion and rolling take back the relative spin of a step within theirs. */
#ifndef RIGOR_SOLVERS_NEWTON_XPBD_CONTACT_H
#define RIGOR_SOLVERS_NEWTON_XPBD_CONTACT_H

#include "solvers/newton_xpbd/change.h"

typedef struct NewtonPoint {
    Vec3 n;                /* from body 1 to body 2, as found */
    Vec3 reach[2];         /* from the anchor to the surface, in its body */
    Vec3 normal, friction; /* N s on body 2 in this pass */
} NewtonPoint;

typedef struct NewtonFriction {
    double share;              /* of an error that a pass takes back */
    double torsional, rolling; /* m */
} NewtonFriction;

/* As it is found. */
void newton_point_set(NewtonPoint *point, const World *world, const Block *block);

/* Adds what the point gives. Returns the rows solved: none where the bodies are apart. */
int newton_point_solve(NewtonPoint *point, const World *world, const Block *block, double h, NewtonFriction how,
                       NewtonChange *change);

#endif
