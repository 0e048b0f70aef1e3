/* SPDX-License-Identifier: MIT */
/* The equations of a robot at one state in the coordinates of its file, M q'' + bias = passive + drives (MuJoCo's
 * names), computed in joint coordinates of our own: with T the change of speeds, qdot = T qvel,
 *
 *     M = T^T (M_tree + armature) T,   bias = T^T tau at q'' = 0 by recursive Newton-Euler,
 *
 * and T, column by column, from the velocities that the reader of the file gives the bodies at a unit of one speed. */
#ifndef RIGOR_BENCH_STUDIES_ROBOT_DYNAMICS_H
#define RIGOR_BENCH_STUDIES_ROBOT_DYNAMICS_H

#include "solvers/motion.h"
#include "solvers/tree/articulated_law.h"

typedef struct RobotDynamics {
    Arrays arrays;
    World *world; /* the state's, not its own */
    Articulated tree;
    Motion motion;
    Velocity *alone;
    int count, bodies;
    double *T;                   /* count x count */
    Velocity *V;                 /* by speed and body: of the bodies that move, at a unit of it */
    Velocity *bias_acceleration; /* of each of them at q'' = 0 */
    double *M, *bias, *passive;
    double *work;
} RobotDynamics;

/* Of a world that has as many coordinates as the file has speeds; free copes with zeroed ones. False with a message. */
bool robot_dynamics_init(RobotDynamics *dynamics, World *world, int speeds, Status *status);
void robot_dynamics_free(RobotDynamics *dynamics);

/* The same world at a unit of speed k, and at no other speed. */
void robot_dynamics_set_column(RobotDynamics *dynamics, int k, World *unit);

/* M, bias and passive, once all columns are set. */
bool robot_dynamics_finish(RobotDynamics *dynamics, Status *status);

/* Forces on the speeds: of the laws of a world at this state, whose drives may be others; of friction at its bound. */
void robot_dynamics_drives(RobotDynamics *dynamics, World *world, double *force);
void robot_dynamics_friction(RobotDynamics *dynamics, const double *speed, double *force);

/* q'' under passive forces and `force` (NULL: none). */
bool robot_dynamics_accelerate(RobotDynamics *dynamics, const double *force, double *qacc, Status *status);

/* The same with loops and couplings held at their accelerations. */
bool robot_dynamics_close(RobotDynamics *dynamics, double *qacc, Status *status);

/* J M^-1 J^T of points (world) of bodies: 3 rows each, A is (3 count)^2. */
bool robot_dynamics_response(RobotDynamics *dynamics, int points, const int body[], const Vec3 at[], double *A,
                             Status *status);

#endif
