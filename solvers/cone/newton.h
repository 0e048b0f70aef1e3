/* SPDX-License-Identifier: MIT */
/* Newton's method on u = W r + q, and a law F(r, u) = 0 between them, group of rows by group of rows:
 *
 *     (P + Q (W + delta w)) d = -F,   P = dF/dr, Q = dF/du;   r += t d, t halved until |F| falls
 *
 * F is an impulse; times w, the mean diagonal of the block's W_ii, it is a velocity, in which |F| is taken. Where the
 * matrix is singular (W often is) delta mends it: it grows while steps fail and falls while they succeed (Levenberg,
 * Marquardt, on a proximal term). */
#ifndef RIGOR_SOLVERS_CONE_NEWTON_H
#define RIGOR_SOLVERS_CONE_NEWTON_H

#include "model/collision/collide.h"
#include "solvers/cone/factor.h"

/* A patch: its points' three rows each, and its spin. */
enum { NEWTON_GROUP_MAX = CONE_MAX_SIZE * MANIFOLD_MAX + 1 };

/* Rows whose law ties them to each other: most often those of one block. */
typedef struct NewtonGroup {
    int count;
    int block[NEWTON_GROUP_MAX], row[NEWTON_GROUP_MAX]; /* of each: its block, and where it stands in r */
    double F[NEWTON_GROUP_MAX];
    double P[NEWTON_GROUP_MAX][NEWTON_GROUP_MAX], Q[NEWTON_GROUP_MAX][NEWTON_GROUP_MAX]; /* times w */
} NewtonGroup;

/* What a law knows besides lies in the structure that begins with it. */
typedef struct NewtonLaw {
    /* F, P and Q of the group that ends with block i, at r and u of all rows; no rows if i belongs to a later one. */
    void (*linearise)(const struct NewtonLaw *law, const ConeSystem *system, int i, const double *r, const double *u,
                      NewtonGroup *group);
} NewtonLaw;

/* Coulomb's law, joints and bounds as a cone system has them: F = r - P_K(r - (u + mu |u_t| e_n) / w). */
extern const NewtonLaw newton_coulomb;

/* Begins the group of block i, at its natural argument x = r - u / w; returns w. P and Q are zero. */
double newton_group_begin(NewtonGroup *group, const ConeSystem *system, int i);

/* A row of the group that nothing bounds: F = u / w. */
void newton_group_free_row(NewtonGroup *group, int a, double w, double u);

enum { NEWTON_F, NEWTON_U, NEWTON_STEP, NEWTON_TRIAL, NEWTON_CENTRE, NEWTON_VECTORS };

typedef struct ConeNewton {
    double *vector[NEWTON_VECTORS];
    ConeFactor factor;
    struct ConeBodies *bodies; /* borrowed; NULL: steps are found from W alone */
    double delta;
    double epsilon; /* of cone_newton_proximal; 0: as the system is */
    int steps;      /* taken since the beginning */
    double left;    /* |F|^2 where the last step ended */
    bool shortest;  /* steps are the shortest that solve the system as it is, without delta: dense */
} ConeNewton;

/* Room for that many rows; false when out of memory. Free copes with zeroed and half-built ones. */
bool cone_newton_reserve(ConeNewton *newton, int rows);
void cone_newton_free(ConeNewton *newton);

/* Before the first step on a system; false when out of memory. */
bool cone_newton_begin(ConeNewton *newton, const ConeSystem *system);

/* |F|^2 at r, in velocities; u and F are left in the vectors. */
double cone_newton_map(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, const double *r);

/* One step from r, with more and more delta until |F| falls; false if it never does. */
bool cone_newton_step(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, double *r);

/* At most `most` steps with epsilon w (r - centre) added to u, the centre being where r begins, until |F| has fallen to
 * a thousandth; returns whether it has. Where the law has kinks these systems lead on, centre by centre, where steps on
 * the system itself get stuck. */
bool cone_newton_proximal(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, double epsilon, int most,
                          double *r);

#endif
