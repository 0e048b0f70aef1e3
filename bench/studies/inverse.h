/* SPDX-License-Identifier: MIT */
/* Inverse dynamics: the forces at the joints' coordinates that make a given motion, here q'' = 0: every coordinate
 * keeps its speed. Two ways that share nothing but the bodies' accelerations:
 *
 *     recursive Newton-Euler   from the leaves to the root, each link hands on the wrench it needs; tau = S^T F
 *     the Lagrangian view      virtual work over all bodies at once: tau_k = sum of J_ik^T (M_i a_i - f_i)
 *
 * Forces that act already (gravity, constant forces, actuators, damping) are part of f: tau comes on top of them. */
#ifndef RIGOR_BENCH_STUDIES_INVERSE_H
#define RIGOR_BENCH_STUDIES_INVERSE_H

#include "solvers/tree/articulated.h"

typedef struct InverseForce {
    int joint, body;            /* joint -1: the body floats */
    const char *coordinate;     /* "angle", "position", "turn", ... */
    bool angular;               /* tau in N m, else in N */
    double speed;               /* rad/s or m/s; NaN: it is no single coordinate */
    double free_acceleration;   /* q'' without tau; rad/s^2 or m/s^2 */
    double recursive, lagrange; /* tau */
    double acceleration;        /* q'' without tau again, as M q'' + h = 0 has it; NaN: nobody asked */
} InverseForce;

typedef struct Inverse {
    int count;
    InverseForce *forces;
    double difference; /* the largest |recursive - lagrange|, over the largest |tau| */
    /* Asked for: M of M q'' + h = tau, count^2 numbers (bench/studies/mass_matrix.h); h is `lagrange`. */
    double *mass_matrix;
    double acceleration_difference; /* the largest |acceleration - free_acceleration|, over the largest |q''| */
    double residual;                /* of Featherstone's q'' in M q'' + h = 0, over the largest |h| */
} Inverse;

/* At the world's poses and velocities; M only if it is asked for. False with a message if the joints form no tree, M
 * would have too many rows, or memory runs out. */
bool inverse_compute(Inverse *inverse, World *world, bool mass_matrix, Status *status);
void inverse_free(Inverse *inverse);

#endif
