/* Free motion of bodies in fours, for motion.c alone: the form that most runs have, which is semi-implicit Euler with
 * the implicit gyroscopic term. Each function takes bodies from `from` on, four at a time with the bits of one after
 * the other, and returns the first that it leaves: at the end, where one of four is fixed or a particle, or at once on
 * processors without AVX2. */
#ifndef RIGOR_SOLVERS_MOTION_FOUR_H
#define RIGOR_SOLVERS_MOTION_FOUR_H

#include "solvers/motion.h"

/* Newton steps on the implicit gyroscopic equation: quadratic, and the start is within O(h) of the root. */
enum { GYROSCOPIC_NEWTON_STEPS = 4 };
/* A step that changes w by less than this part is the last: what it leaves is h w times the square of that. */
#define GYROSCOPIC_CONVERGED 1e-7

int motion_begin_fours(Motion *motion, World *world, double h, int from, int to);
int motion_move_fours(const Motion *motion, World *world, const Velocity *extra, double h, int from, int to);
int motion_derive_fours(const Motion *motion, World *world, double h, int from, int to);

#endif
