/* What the force-based backend knows about its own step. */
#ifndef RIGOR_SOLVERS_PENALTY_H
#define RIGOR_SOLVERS_PENALTY_H

/* The longest stable step (s) at the last substep's state; infinite without springs. */
double penalty_stable_step(const void *self);

#endif
