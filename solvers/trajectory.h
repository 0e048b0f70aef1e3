/* One integration of a world's constrained motion to a tolerance: the multipliers of lagrange.h as right-hand side of
 *
 *     x' = v,   q' = 1/2 [0, w] q,   (v', w') = a(x, q, v, w),   P' = J^T lambda  (the blocks' impulses),
 *
 * stepped by GSL's rk8pd with step control, poses and velocities projected after each step. Limits and bounded drives
 * switch at events, found by bisection on the step: a limit is reached or let go, a drive is overloaded or arrives.
 * Contacts are limits that bounce (impact.h). */
#ifndef RIGOR_SOLVERS_TRAJECTORY_H
#define RIGOR_SOLVERS_TRAJECTORY_H

#include "solvers/lagrange.h"

#include <gsl/gsl_odeiv2.h>

typedef struct BodyState {
    Pose pose;
    Velocity velocity;
} BodyState;

typedef struct Trajectory {
    Lagrange lagrange;
    Step *step; /* at hand: its world is the scratch that states are loaded into */
    size_t size;
    double *y, *y_before, *y_trial, *error, *rate; /* body states, then the blocks' impulses */
    double h;                                      /* s, the next step to try */
    bool started;
    double reach;    /* m, how far bodies may go in a step; infinite without contacts */
    double *closing; /* m/s, of each contact as the step begins, then as it ends */
    gsl_odeiv2_system system;
    gsl_odeiv2_step *stepper;
    gsl_odeiv2_control *control;
    gsl_odeiv2_evolve *evolve;
} Trajectory;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool trajectory_init(Trajectory *trajectory, const World *world, double tolerance);
void trajectory_free(Trajectory *trajectory);

/* The world's state becomes the trajectory's, and the other way round. */
void trajectory_take(Trajectory *trajectory, const World *world);
void trajectory_give(const Trajectory *trajectory, World *world);

/* Moves on by step->h; leaves the world in the state reached, with block_impulse set. */
void trajectory_advance(Trajectory *trajectory, Step *step);

static inline const BodyState *trajectory_bodies(const Trajectory *trajectory)
{
    return (const BodyState *)trajectory->y;
}

#endif
