/* SPDX-License-Identifier: MIT */
/* What do contacts with Coulomb friction do at one instant? Over the rows (n, t1, t2) of at most MODES_MAX contacts,
 *
 *     w = W r + q,   w_n >= 0,  r_n >= 0,  w_n r_n = 0,   |r_t| <= mu r_n,   r_t = -mu r_n w_t / |w_t|  where w_t != 0
 *
 * with accelerations and forces, or, in an impact, speeds after it and impulses. A contact that slides already has its
 * friction against that slip instead. Every choice of a mode for each contact is tried: open, stick, slide; what slides
 * from rest has a direction of its own, by Newton's method on the cone itself (no polygon). */
#ifndef RIGOR_SOLVERS_TRUTH_MODES_H
#define RIGOR_SOLVERS_TRUTH_MODES_H

#include <stdbool.h>

enum { MODES_MAX = 8, MODES_ROWS = 3 * MODES_MAX };

typedef enum Mode { MODE_OPEN, MODE_STICK, MODE_SLIDE } Mode;

typedef struct ModesProblem {
    int count;
    double W[MODES_ROWS][MODES_ROWS], q[MODES_ROWS];
    double friction[MODES_MAX];
    int pair[MODES_MAX];    /* number of the pair of bodies, from 0: from rest its points slide in one sense */
    bool slides[MODES_MAX]; /* it has a slip, along `slip`, a unit vector over (t1, t2) */
    double slip[MODES_MAX][2];
} ModesProblem;

typedef struct ModesAnswer {
    Mode mode[MODES_MAX];
    double slip[MODES_MAX][2]; /* of those that slide: unit vectors */
    double r[MODES_ROWS], w[MODES_ROWS];
    int loose; /* dimensions in which the loads may change and nothing else does */
} ModesAnswer;

typedef enum ModesCount { MODES_NONE, MODES_ONE, MODES_MANY } ModesCount;

/* How many motions there are; loads may differ where w does not. Fills the answer in which most contacts bear a load.
 * Adds the rows solved. */
ModesCount modes_find(const ModesProblem *problem, ModesAnswer *answer, long long *row_solves);

/* The answer's r and w for its modes and slips. False: there is none, or the motion is not determined. Loads that
 * are not determined are chosen inside the cones where that can be. */
bool modes_solve(const ModesProblem *problem, ModesAnswer *answer);

/* The r that makes w zero in all rows that the modes hold, whatever its sign and without friction: what takes speeds
 * and places back onto contacts. Rows that contradict each other are left. */
void modes_cancel(const ModesProblem *problem, ModesAnswer *answer);

/* How far inside what its modes allow the answer is, at contact i: the least of r_n and mu r_n - |r_t|. */
double modes_margin(const ModesProblem *problem, const ModesAnswer *answer, int i);

/* What counts as zero among the r of an answer. */
double modes_slack(const ModesProblem *problem, const ModesAnswer *answer);

#endif
