/* SPDX-License-Identifier: MIT */
/* Free motion of bodies over lanes, for motion.c and, four at a time, motion_four.c: `body` has each lane's. A body
 * that is fixed is not written, one without moments does not turn. */
#ifndef RIGOR_SOLVERS_MOTION_LANES_H
#define RIGOR_SOLVERS_MOTION_LANES_H

#include "model/lanes/vectors.h"
#include "solvers/motion.h"

/* What a team shares: bodies, of which none sees another. */
typedef struct MotionJob {
    const Motion *motion;
    World *world;
    const Velocity *extra;
    double h;
    bool ends; /* with the substep */
} MotionJob;

/* Bodies [from, to), a number of fours (motion_four.c): as bodies_fly, bodies_place and bodies_measure. */
void motion_fly_fours(const MotionJob *job, int from, int to);
void motion_place_fours(const MotionJob *job, int from, int to);
void motion_measure_fours(const MotionJob *job, int from, int to);

/* Newton steps on the implicit gyroscopic equation: quadratic, and the start is within O(h) of the root. */
enum { GYROSCOPIC_NEWTON_STEPS = 4 };
/* A step that changes w by less than this part is the last: what it leaves is h w times the square of that. */
#define GYROSCOPIC_CONVERGED 1e-7

/* Body frame: solves I (w+ - w) + h w+ x I w+ = h tau for w+ by Newton's method; the Jacobian is
 * I + h ([w+]x I - [I w+]x), here by columns, and its equation is solved by Cramer's rule. A lane that has converged
 * stays as it is. */
LANE_INLINE LanesVec3 spin_implicit(LanesVec3 inertia, LanesVec3 w, LanesVec3 torque, double h)
{
    LanesVec3 n = w, before = lanes_mul(inertia, w);
    LaneMask done = mask_first(0);
    for (int step = 0; step < GYROSCOPIC_NEWTON_STEPS; step++) {
        LanesVec3 u = lanes_mul(inertia, n);
        LanesVec3 f = lanes_add_scaled(lanes_sub(u, before), lanes_all(h), lanes_sub(lanes_cross(n, u), torque));
        LanesVec3 x = {inertia.x, h * (n.z * inertia.x - u.z), h * (u.y - n.y * inertia.x)};
        LanesVec3 y = {h * (u.z - n.z * inertia.y), inertia.y, h * (n.x * inertia.y - u.x)};
        LanesVec3 z = {h * (n.y * inertia.z - u.y), h * (u.x - n.x * inertia.z), inertia.z};
        LanesVec3 yz = lanes_cross(y, z), fx = lanes_cross(f, x);
        LanesVec3 change =
            lanes_scale(1.0 / lanes_dot(x, yz), (LanesVec3){lanes_dot(f, yz), -lanes_dot(fx, z), lanes_dot(fx, y)});
        n = lanes_choose_vec3(done, n, lanes_sub(n, change));
        done |= (LaneMask)(lanes_dot(change, change) <= GYROSCOPIC_CONVERGED * GYROSCOPIC_CONVERGED * lanes_dot(n, n));
        if (mask_all(done))
            break;
    }
    return n;
}

/* Angular velocity after h under a torque, world frame; q is the orientation at the beginning. Of a sphere or a cube
 * w x I w is zero, and I the same in every frame. A torque is absent from most runs, and needs no turn then. */
LANE_INLINE LanesVec3 spin_advance(const Mass *mass, const int body[LANES], LanesQuat q, LanesVec3 w, LanesVec3 torque,
                                   double h, Gyroscopic gyroscopic)
{
    LanesVec3 inertia = lanes_gather_inertia(mass, body), inv_inertia = lanes_gather_inv_inertia(mass, body);
    LanesVec3 even = lanes_add_scaled(w, h * inv_inertia.x, torque), next;
    LaneMask is_even = (LaneMask)(inertia.x == inertia.y) & (LaneMask)(inertia.y == inertia.z);
    if (mask_all(is_even))
        return lanes_choose_vec3((LaneMask)(inv_inertia.x == 0.0), w, even);
    LanesVec3 own_torque = mask_all(lanes_is_zero(torque)) ? torque : lanes_rotate_inverse(q, torque);
    LanesVec3 own_w = lanes_rotate_inverse(q, w);
    if (gyroscopic == GYROSCOPIC_IMPLICIT) {
        next = lanes_rotate(q, spin_implicit(inertia, own_w, own_torque, h));
    } else {
        if (gyroscopic == GYROSCOPIC_EXPLICIT)
            own_torque = lanes_sub(own_torque, lanes_cross(own_w, lanes_mul(inertia, own_w)));
        next = lanes_add_scaled(w, lanes_all(h), lanes_rotate(q, lanes_mul(inv_inertia, own_torque)));
    }
    next = lanes_choose_vec3(is_even, even, next);
    return lanes_choose_vec3((LaneMask)(inv_inertia.x == 0.0), w, next);
}

LANE_INLINE LaneMask bodies_move(const World *world, const int body[LANES])
{
    return (LaneMask)(lanes_gather_inv_mass(world->mass, body) != 0.0);
}

LANE_INLINE LaneMask bodies_turn(const World *world, const int body[LANES])
{
    return (LaneMask)((Lanes)LANE_EACH(LANE_VALUE_, world->mass, body, inv_inertia.x) != 0.0);
}

LANE_INLINE void bodies_set_velocity(Velocity *velocity, const int body[LANES], LaneMask mask, LanesVelocity u)
{
    Velocity nowhere[LANES], *to[LANES];
    bool all = mask_all(mask);
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        to[i] = &velocity[body[i]];
    LANE_UNROLL
    for (int i = 0; i < LANES && !all; i++)
        to[i] = mask_lane(mask, i) ? to[i] : &nowhere[i];
    lanes_scatter_velocity(to, u);
}

/* v + h a, and the spin that follows from the torque; `field` is gravity's acceleration. */
LANE_INLINE LanesVelocity bodies_fly(const MotionJob *job, const int body[LANES], LanesVec3 field, LanesQuat q,
                                     LanesVelocity u)
{
    const Motion *motion = job->motion;
    const Mass *mass = job->world->mass;
    LanesVec3 force = lanes_gather_vec3(LANE_ELEMENTS(motion->force, body, x));
    LanesVec3 torque = lanes_gather_vec3(LANE_ELEMENTS(motion->torque, body, x));
    LanesVec3 a = lanes_add_scaled(field, lanes_gather_inv_mass(mass, body), force);
    u.v = lanes_add_scaled(u.v, lanes_all(job->h), a);
    u.w = spin_advance(mass, body, q, u.w, torque, job->h, (Gyroscopic)motion->options.gyroscopic);
    return u;
}

/* x = x_base + h (v - v_base),   q = exp(h (w - w_base)) q_base, with velocities + extra */
LANE_INLINE void bodies_place(const MotionJob *job, const int body[LANES])
{
    World *world = job->world;
    const Motion *motion = job->motion;
    LaneMask moves = bodies_move(world, body);
    if (!mask_any(moves))
        return;
    LanesVelocity u = lanes_gather_velocities(world->velocity, body);
    LanesVelocity u_base = lanes_gather_velocities(motion->base_velocity, body);
    LanesPose base = lanes_gather_poses(motion->base_pose, body), next;
    if (job->extra) {
        LanesVelocity more = lanes_gather_velocities(job->extra, body);
        u = (LanesVelocity){lanes_add(u.v, more.v), lanes_add(u.w, more.w)};
    }
    LanesQuat turn = lanes_exp(lanes_scale(lanes_all(job->h), lanes_sub(u.w, u_base.w)));
    next.x = lanes_add_scaled(base.x, lanes_all(job->h), lanes_sub(u.v, u_base.v));
    next.q = lanes_choose_quat(bodies_turn(world, body), lanes_unit(lanes_quat_mul(turn, base.q)), base.q);
    Pose nowhere[LANES], *to[LANES];
    bool all = mask_all(moves);
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        to[i] = &world->pose[body[i]];
    LANE_UNROLL
    for (int i = 0; i < LANES && !all; i++)
        to[i] = mask_lane(moves, i) ? to[i] : &nowhere[i];
    lanes_scatter_pose(to, next);
}

/* v = v_base + (x - x_base)/h,   w = w_base + log(q q_base^-1)/h */
LANE_INLINE void bodies_measure(const MotionJob *job, const int body[LANES])
{
    World *world = job->world;
    const Motion *motion = job->motion;
    Lanes rate = lanes_all(1.0 / job->h);
    LaneMask moves = bodies_move(world, body);
    if (!mask_any(moves))
        return;
    LanesPose pose = lanes_gather_poses(world->pose, body), base = lanes_gather_poses(motion->base_pose, body);
    LanesVelocity u = lanes_gather_velocities(motion->base_velocity, body);
    LanesVec3 turn = lanes_log(lanes_quat_mul(pose.q, lanes_conj(base.q)));
    u.v = lanes_add_scaled(u.v, rate, lanes_sub(pose.x, base.x));
    u.w = lanes_add_scaled(u.w, rate, turn);
    LaneMask turns = bodies_turn(world, body);
    if (!mask_all(turns))
        u.w = lanes_choose_vec3(turns, u.w, lanes_gather_velocities(world->velocity, body).w);
    bodies_set_velocity(world->velocity, body, moves, u);
}

#endif
