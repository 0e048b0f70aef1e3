/* SPDX-License-Identifier: MIT */
/* One integration of a world's constrained motion to a tolerance by GSL's rk8pd with step control. Where the joints
 * form a tree, in its joint coordinates (reduced.h); else with the multipliers of lagrange.h as right-hand side of
 *
 *     x' = v,   q' = 1/2 [0, w] q,   (v', w') = a(x, q, v, w),   P' = J^T lambda  (the blocks' impulses),
 *
 * poses and velocities projected after each step. On both routes multipliers find the start and the events, by
 * bisection on the step: a limit is reached or let go, a drive is overloaded or arrives. Contacts are limits that
 * bounce (impact.h). */
#ifndef RIGOR_SOLVERS_TRUTH_TRAJECTORY_H
#define RIGOR_SOLVERS_TRUTH_TRAJECTORY_H

#include "model/random.h"
#include "solvers/tree/reduced.h"
#include "solvers/truth/checkpoint.h"
#include "solvers/truth/impact_orders.h"

#include <gsl/gsl_odeiv2.h>

typedef struct BodyState {
    Pose pose;
    Velocity velocity;
} BodyState;

/* Into the world, with unit quaternions; and back. */
void bodies_give(const BodyState *state, World *world);
void bodies_take(BodyState *state, const World *world);

typedef struct Trajectory {
    Lagrange lagrange;
    Reduced reduced;
    bool is_reduced;     /* y begins with joint coordinates; else with body states */
    int removed;         /* bodies, when the tree was connected */
    BodyState *bodies;   /* as the last substep ended */
    bool stale;          /* y is not yet that state */
    Step *step;          /* at hand: its world is the scratch that states are loaded into */
    size_t size, moving; /* of y; of its part before the blocks' impulses; its last number is the torques' work */
    bool has_torques;    /* a body has a constant one */
    double *y, *y_before, *y_trial, *error, *rate;
    double tolerance; /* of a step */
    double looseness; /* of all other tolerances; above 1: the state is also shaken by round-off after each step */
    Random shaking;
    double longest;  /* of a step, in substeps */
    double h;        /* s, the next step to try */
    int evaluations; /* of the right-hand side in this substep, and impacts */
    bool started;
    double reach; /* m, how far bodies may go in a step; infinite without contacts */
    ImpactOrders orders;
    double *closing; /* m/s, of each contact as the step begins, then as it ends; scratch besides */
    gsl_odeiv2_system system;
    gsl_odeiv2_step *stepper;
    gsl_odeiv2_control *control;
    gsl_odeiv2_evolve *evolve;
} Trajectory;

/* May the integration use joint coordinates, where there are any? */
typedef enum TrajectoryRoute { ROUTE_AUTO, ROUTE_MULTIPLIERS } TrajectoryRoute;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool trajectory_init(Trajectory *trajectory, const World *world, double tolerance, double looseness,
                     TrajectoryRoute route);
void trajectory_free(Trajectory *trajectory);

/* The world's state becomes the trajectory's. */
void trajectory_take(Trajectory *trajectory, const World *world);

/* Moves on by step->h; leaves the world in the state reached, with block_impulse set. */
void trajectory_advance(Trajectory *trajectory, Step *step);

/* Everything of it that is not found anew in every substep. */
void trajectory_checkpoint(Trajectory *trajectory, const World *world, Checkpoint *checkpoint);

/* The blocks' impulses in a state y. */
static inline Vec3 *trajectory_impulses(const Trajectory *trajectory, double *y)
{
    return (Vec3 *)(y + trajectory->moving);
}

#endif
