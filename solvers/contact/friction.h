/* SPDX-License-Identifier: MIT */
/* The laws of friction: bounds of a point's tangents, and how a sweep goes there (solvers/contact/law.h).
 *
 *     cone     |lambda_t| <= mu lambda_n; where both tangents can be stopped at once within it they are
 *     pyramid  each <= mu lambda_n, one after the other
 *     box      each <= mu m_c g h (the lecture's), one after the other
 *     disc     the cone's bound: one step of a common size for both tangents, and back
 *     facets   a regular polygon of `facets` corners on the circle mu lambda_n, whose first corner lies on the slip of
 *              free flight; else as the cone */
#ifndef RIGOR_SOLVERS_CONTACT_FRICTION_H
#define RIGOR_SOLVERS_CONTACT_FRICTION_H

typedef enum FrictionModel {
    FRICTION_CONE,
    FRICTION_PYRAMID,
    FRICTION_BOX,
    FRICTION_DISC,
    FRICTION_FACETS,
} FrictionModel;

typedef struct FrictionLaw {
    FrictionModel model;
    int facets; /* of FRICTION_FACETS */
} FrictionLaw;

#endif
