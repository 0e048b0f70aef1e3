/* SPDX-License-Identifier: MIT */
/* Free motion, the same for every backend: where bodies go without constraints, and the joints' actuators and damping.
 *
 * A substep begins with free flight: from (x, v) the integrator gives (x*, v*). A velocity-level backend then changes
 * v* to v and moves by it; a position-level backend changes x* to x and derives v from it. Both use one relation
 *     x = x_base + h (v - v_base),       q = exp(h (w - w_base)) q_base,
 * where the base is (x, 0) of the substep's beginning for semi-implicit Euler (x = x + h v, as in the lectures) and
 * (x*, v*) for the other integrators, so that a constraint impulse P moves a body by h M^-1 P beyond its free flight.
 * With `gyroscopic` = momentum a body's w* is its mean spin of the step, and its spin at the end follows from L. */
#ifndef RIGOR_SOLVERS_MOTION_H
#define RIGOR_SOLVERS_MOTION_H

#include "solvers/solver.h"

typedef struct Motion {
    CommonOptions options;
    Pose *base_pose;
    Velocity *base_velocity;
    Vec3 *momentum, *spin; /* gyroscopic = momentum: L so far, and the w that goes with it: what w has more is new */
    Vec3 *force, *torque;  /* outside ones and actuators, at the substep's beginning; one more is read */
    bool pushes;           /* some of them are not zero */
    int actuated_count, damped_count;
    int *actuated, *damped; /* joints */
} Motion;

/* False when out of memory; destroy copes with half-built and zeroed ones. */
bool motion_init(Motion *motion, const World *world, const CommonOptions *options);
void motion_free(Motion *motion);

/* Sets world->velocity to v*, and the base. Poses stay. */
void motion_begin(Motion *motion, World *world, double h);

/* (v', w') of every moving body at the current state without constraints: field, outside forces, actuators, joint
 * damping -c u / (w1 + w2), gyroscopic term. h > 0: the mean of a free step of length h, for an implicit gyroscopic
 * term; h = 0: at this instant. */
void motion_accelerations(Motion *motion, const World *world, double h, Velocity *acceleration);

/* The same of one body, at this instant, without damping; forces as motion_collect_forces found them. */
Velocity motion_acceleration(const Motion *motion, const World *world, int body);

/* Fills `force` and `torque` at the current poses. */
void motion_collect_forces(Motion *motion, const World *world);

/* (x, q)' and (v, w)' of one body: q' = 1/2 [0, w] q. */
typedef struct Rate {
    Vec3 x;
    Quat q;
    Vec3 v, w;
} Rate;

static inline Rate motion_rate(Quat q, Velocity u, Velocity acceleration)
{
    Quat half = {0.0, 0.5 * u.w.x, 0.5 * u.w.y, 0.5 * u.w.z};
    return (Rate){u.v, quat_mul(half, q), acceleration.v, acceleration.w};
}

/* State + h rate; the quaternion is left unnormalised. */
void motion_add_rate(Pose *pose, Velocity *u, double h, const Rate *rate);

/* The classical Runge-Kutta method: stage s stands at RK4_AT[s] h, reached with the rate of the stage before it, and
 * its rate counts RK4_WEIGHT[s]. No stage follows the last, whose next place is the start. */
enum { RK4_STAGES = 4 };
extern const double RK4_AT[RK4_STAGES + 1], RK4_WEIGHT[RK4_STAGES];

/* q turned by the angular velocity w for a time h. */
static inline Quat motion_turn(Quat q, Vec3 w, double h)
{
    return quat_unit(quat_mul(quat_exp(vec3_scale(h, w)), q));
}

/* Poses from velocities, by the relation above; velocities stay. */
void motion_predict(const Motion *motion, World *world, double h);

/* The same with velocities + extra (NULL: none), which count for this move alone, as the end of a substep: a spin that
 * carries its momentum is that of the new orientation. */
void motion_move(Motion *motion, World *world, const Velocity *extra, double h);

/* Velocities from poses, likewise at the end of a substep. */
void motion_derive_velocities(Motion *motion, World *world, double h);

/* Joint damping: along each free direction v <- v max(0, 1 - c h), by an impulse pair. */
void motion_damp(const Motion *motion, World *world, double h);

#endif
