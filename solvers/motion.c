/* SPDX-License-Identifier: MIT */
/* Free flight of one body: m v' = f, I w' = tau - w x I w (erratum: the lectures drop the gyroscopic term).
 * One rule for all backends: `implicit` by default, since explicit Euler on the gyroscopic term gains energy at any
 * step, and a fast top needs no tiny step to stay bounded with the implicit one. `momentum` carries L = R I R^T w:
 *     L+ = L + h tau,   q+ = exp(h w*) q with w* = w(q at the middle, L+),   w+ = w(q+, L+),   w(q, L) = R I^-1 R^T L:
 * the explicit midpoint rule, of second order in free flight, where L is kept to round-off and energy to O(h^2). */
#define LANES 1
#include "solvers/motion.h"

#include "model/array.h"
#include "solvers/motion_lanes.h"

#include <stdlib.h>
#include <string.h>

const char *const integrator_names[] = {"forward", "semi_implicit", "rk4", NULL};
const char *const gyroscopic_names[] = {"off", "explicit", "implicit", "momentum", NULL};

static bool joint_is_damped(const Joint *joint)
{
    return joint->def.damping > 0.0 || joint->def.angular_damping > 0.0;
}

bool motion_init(Motion *motion, const World *world, const CommonOptions *options)
{
    size_t bodies = (size_t)world->body_count, joints = (size_t)world->joint_count;
    *motion = (Motion){.options = *options};
    bool ok = NEW_ARRAY(motion->base_pose, bodies) && NEW_ARRAY(motion->base_velocity, bodies) &&
              NEW_ARRAY(motion->momentum, bodies) && NEW_ARRAY(motion->spin, bodies) &&
              NEW_ARRAY(motion->force, bodies + 1) && NEW_ARRAY(motion->torque, bodies + 1) &&
              NEW_ARRAY(motion->actuated, joints + 1) && NEW_ARRAY(motion->damped, joints + 1);
    if (!ok)
        return false;
    for (int j = 0; j < world->joint_count; j++) {
        if (joint_has_actuator(&world->joints[j]))
            motion->actuated[motion->actuated_count++] = j;
        if (joint_is_damped(&world->joints[j]))
            motion->damped[motion->damped_count++] = j;
    }
    return true;
}

void motion_free(Motion *motion)
{
    free(motion->base_pose);
    free(motion->base_velocity);
    free(motion->momentum);
    free(motion->spin);
    free(motion->force);
    free(motion->torque);
    free(motion->actuated);
    free(motion->damped);
}

/* Adds a force on body 2 at p2 and its opposite on body 1 on the same line, and a torque pair. */
static void motion_add_pair(Motion *motion, const World *world, const Joint *joint, Vec3 force, Vec3 torque)
{
    int one = joint->def.body[0], two = joint->def.body[1];
    Vec3 p2 = world_point(world, two, joint->anchor[1]);
    Vec3 moment1 = vec3_cross(vec3_sub(p2, world->pose[one].x), force);
    Vec3 moment2 = vec3_cross(vec3_sub(p2, world->pose[two].x), force);
    motion->force[one] = vec3_sub(motion->force[one], force);
    motion->force[two] = vec3_add(motion->force[two], force);
    motion->torque[one] = vec3_sub(motion->torque[one], vec3_add(moment1, torque));
    motion->torque[two] = vec3_add(motion->torque[two], vec3_add(moment2, torque));
}

/* What is so already is not written: where nothing ever acts, the arrays take no memory. */
static void force_set(Vec3 *to, Vec3 force)
{
    if (to->x != force.x || to->y != force.y || to->z != force.z)
        *to = force;
}

/* Bodies that are worth a thread's while. */
enum { MOTION_LEAST = 256 };

typedef struct ForceJob {
    Motion *motion;
    const World *world;
} ForceJob;

static long bodies_collect(void *context, int from, int to)
{
    const ForceJob *job = context;
    long pushed = 0;
    for (int i = from; i < to; i++) {
        const BodyDef *body = &job->world->bodies[i];
        force_set(&job->motion->force[i], body->force);
        force_set(&job->motion->torque[i], body->torque);
        pushed += !vec3_is_zero(body->force) || !vec3_is_zero(body->torque);
    }
    return pushed;
}

void motion_collect_forces(Motion *motion, const World *world)
{
    long pushed = team_share(world->team, world->body_count, MOTION_LEAST, bodies_collect, &(ForceJob){motion, world});
    motion->pushes = pushed > 0 || motion->actuated_count > 0;
    for (int k = 0; k < motion->actuated_count; k++) {
        const Joint *joint = &world->joints[motion->actuated[k]];
        Vec3 force, torque;
        joint_actuation(world, joint, &force, &torque);
        motion_add_pair(motion, world, joint, force, torque);
    }
}

static bool carries_momentum(const Motion *motion, const Mass *mass)
{
    return motion->options.gyroscopic == GYROSCOPIC_MOMENTUM && mass->inv_inertia.x != 0.0;
}

/* R diag(moments) R^T u: L from w with the inertia, w from L with its inverse. */
static Vec3 turn_diagonal(Quat q, Vec3 moments, Vec3 u)
{
    return quat_rotate(q, vec3_mul(moments, quat_rotate_inverse(q, u)));
}

/* Adds to L what impulses have changed w by since, their inertia taken at the orientation q. */
static void take_momentum(const Motion *motion, const Mass *mass, int i, Quat q, Vec3 w)
{
    motion->momentum[i] = vec3_add(motion->momentum[i], turn_diagonal(q, mass->inertia, vec3_sub(w, motion->spin[i])));
    motion->spin[i] = w;
}

/* The spin of L at the orientation q. */
static Vec3 carried_spin(const Motion *motion, const Mass *mass, int i, Quat q)
{
    return motion->spin[i] = turn_diagonal(q, mass->inv_inertia, motion->momentum[i]);
}

static Rate flight_rate(const World *world, const Motion *motion, int i, Pose pose, Velocity u)
{
    const Mass *mass = &world->mass[i];
    Velocity acceleration = {.v = vec3_add_scaled(world_field(world, pose.x), mass->inv_mass, motion->force[i])};
    Vec3 w = quat_rotate_inverse(pose.q, u.w), torque = quat_rotate_inverse(pose.q, motion->torque[i]);
    if (motion->options.gyroscopic != GYROSCOPIC_OFF)
        torque = vec3_sub(torque, vec3_cross(w, vec3_mul(mass->inertia, w)));
    acceleration.w = quat_rotate(pose.q, vec3_mul(mass->inv_inertia, torque));
    return motion_rate(pose.q, u, acceleration);
}

void motion_add_rate(Pose *pose, Velocity *u, double h, const Rate *rate)
{
    pose->x = vec3_add_scaled(pose->x, h, rate->x);
    pose->q = (Quat){pose->q.w + h * rate->q.w, pose->q.x + h * rate->q.x, pose->q.y + h * rate->q.y,
                     pose->q.z + h * rate->q.z};
    u->v = vec3_add_scaled(u->v, h, rate->v);
    u->w = vec3_add_scaled(u->w, h, rate->w);
}

const double RK4_AT[RK4_STAGES + 1] = {0.0, 0.5, 0.5, 1.0, 0.0};
const double RK4_WEIGHT[RK4_STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

/* The classical Runge-Kutta step. */
static void flight_rk4(const World *world, const Motion *motion, int i, double h, Pose *pose, Velocity *u)
{
    Pose start = *pose;
    Velocity start_u = *u;
    Rate rate = flight_rate(world, motion, i, start, start_u);
    motion_add_rate(pose, u, h * RK4_WEIGHT[0], &rate);
    for (int stage = 1; stage < RK4_STAGES; stage++) {
        Pose mid = start;
        Velocity mid_u = start_u;
        motion_add_rate(&mid, &mid_u, h * RK4_AT[stage], &rate);
        mid.q = quat_unit(mid.q);
        rate = flight_rate(world, motion, i, mid, mid_u);
        motion_add_rate(pose, u, h * RK4_WEIGHT[stage], &rate);
    }
    pose->q = quat_unit(pose->q);
}

static void flight_euler(const MotionJob *job, int i, Pose *pose, Velocity *u)
{
    const Motion *motion = job->motion;
    const Mass *mass = &job->world->mass[i];
    double h = job->h;
    Velocity old = *u;
    bool carries = carries_momentum(motion, mass);
    *u = bodies_fly(job, &i, world_field(job->world, pose->x), pose->q, old);
    u->w = carries ? old.w : u->w;
    if (motion->options.integrator == INTEGRATE_FORWARD) {
        pose->x = vec3_add_scaled(pose->x, h, old.v);
        pose->q = motion_turn(pose->q, old.w, h);
        u->w = carries ? carried_spin(motion, mass, i, pose->q) : u->w;
    } else if (carries) {
        Quat middle = motion_turn(pose->q, carried_spin(motion, mass, i, pose->q), 0.5 * h);
        u->w = carried_spin(motion, mass, i, middle);
    }
}

/* Bodies of a part go in fours, as many as there are, unless they carry their momentum. Returns where the rest begins.
 */
static int fours_end(const Motion *motion, int from, int to)
{
    return motion->options.gyroscopic == GYROSCOPIC_MOMENTUM ? from : to - (to - from) % 4;
}

static long bodies_begin(void *context, int from, int to)
{
    const MotionJob *job = context;
    const Motion *motion = job->motion;
    World *world = job->world;
    bool fours = motion->options.integrator == INTEGRATE_SEMI_IMPLICIT && world->attractor.gm == 0.0;
    int rest = fours ? fours_end(motion, from, to) : from;
    motion_fly_fours(job, from, rest);
    for (int i = rest; i < to; i++) {
        if (world_is_fixed(world, i))
            continue;
        Pose pose = world->pose[i];
        Velocity *u = &world->velocity[i];
        if (carries_momentum(motion, &world->mass[i])) {
            take_momentum(motion, &world->mass[i], i, pose.q, u->w);
            motion->momentum[i] = vec3_add_scaled(motion->momentum[i], job->h, motion->torque[i]);
        }
        if (motion->options.integrator == INTEGRATE_RK4)
            flight_rk4(world, motion, i, job->h, &pose, u);
        else
            flight_euler(job, i, &pose, u);
        motion->base_pose[i] = pose;
        motion->spin[i] = u->w;
        if (motion->options.integrator != INTEGRATE_SEMI_IMPLICIT)
            motion->base_velocity[i] = *u;
    }
    return 0;
}

void motion_begin(Motion *motion, World *world, double h)
{
    motion_collect_forces(motion, world);
    team_share(world->team, world->body_count, MOTION_LEAST, bodies_begin, &(MotionJob){motion, world, NULL, h, false});
}

static long bodies_move_on(void *context, int from, int to)
{
    const MotionJob *job = context;
    const Motion *motion = job->motion;
    World *world = job->world;
    int rest = fours_end(motion, from, to);
    motion_place_fours(job, from, rest);
    for (int i = rest; i < to; i++) {
        const Mass *mass = &world->mass[i];
        Quat before = world->pose[i].q;
        bodies_place(job, &i);
        if (!job->ends || world_is_fixed(world, i) || !carries_momentum(motion, mass))
            continue;
        take_momentum(motion, mass, i, before, world->velocity[i].w);
        world->velocity[i].w = carried_spin(motion, mass, i, world->pose[i].q);
    }
    return 0;
}

void motion_predict(const Motion *motion, World *world, double h)
{
    team_share(world->team, world->body_count, MOTION_LEAST, bodies_move_on,
               &(MotionJob){motion, world, NULL, h, false});
}

void motion_move(Motion *motion, World *world, const Velocity *extra, double h)
{
    team_share(world->team, world->body_count, MOTION_LEAST, bodies_move_on,
               &(MotionJob){motion, world, extra, h, true});
}

static long bodies_derive(void *context, int from, int to)
{
    const MotionJob *job = context;
    const Motion *motion = job->motion;
    World *world = job->world;
    int rest = fours_end(motion, from, to);
    motion_measure_fours(job, from, rest);
    for (int i = rest; i < to; i++) {
        Velocity *u = &world->velocity[i];
        bodies_measure(job, &i);
        if (world_is_fixed(world, i) || !carries_momentum(motion, &world->mass[i]))
            continue;
        take_momentum(motion, &world->mass[i], i, world->pose[i].q, u->w);
        u->w = carried_spin(motion, &world->mass[i], i, world->pose[i].q);
    }
    return 0;
}

void motion_derive_velocities(Motion *motion, World *world, double h)
{
    team_share(world->team, world->body_count, MOTION_LEAST, bodies_derive, &(MotionJob){motion, world, NULL, h, true});
}

/* An impulse pair -part u / (w1 + w2) along n, u the relative velocity along n, added to `out`: with part = c h it
 * takes that share of u away, with part = c it is the damping's acceleration. */
static void damp_linear(const World *world, const Joint *joint, const JointDamping *damping, Vec3 n, double part,
                        Velocity *out)
{
    int body[2] = {joint->def.body[0], joint->def.body[1]};
    Vec3 arm[2] = {damping->arm1, damping->arm2}, turn[2];
    double weight = 0.0, speed = 0.0;
    for (int i = 0; i < 2; i++) {
        Vec3 moment = vec3_cross(arm[i], n);
        turn[i] = world_inv_inertia_mul(world, body[i], moment);
        weight += world->mass[body[i]].inv_mass + vec3_dot(moment, turn[i]);
        speed += (i == 0 ? -1.0 : 1.0) * vec3_dot(n, world_point_velocity(world, body[i], arm[i]));
    }
    double impulse = -part * speed / weight;
    for (int i = 0; i < 2; i++) {
        Velocity *u = &out[body[i]];
        double signed_impulse = i == 0 ? -impulse : impulse;
        u->v = vec3_add_scaled(u->v, signed_impulse * world->mass[body[i]].inv_mass, n);
        u->w = vec3_add_scaled(u->w, signed_impulse, turn[i]);
    }
}

static void damp_angular(const World *world, const Joint *joint, Vec3 n, double part, Velocity *out)
{
    int one = joint->def.body[0], two = joint->def.body[1];
    Vec3 turn1 = world_inv_inertia_mul(world, one, n), turn2 = world_inv_inertia_mul(world, two, n);
    double weight = vec3_dot(n, turn1) + vec3_dot(n, turn2);
    if (weight == 0.0)
        return;
    double spin = vec3_dot(n, vec3_sub(world->velocity[two].w, world->velocity[one].w));
    double impulse = -part * spin / weight;
    out[one].w = vec3_add_scaled(out[one].w, -impulse, turn1);
    out[two].w = vec3_add_scaled(out[two].w, impulse, turn2);
}

/* The direction to damp along: the axis, or that of the relative velocity; false if there is none. */
static bool damping_direction(DampingForm form, Vec3 axis, Vec3 relative, Vec3 *n)
{
    Vec3 line = form == DAMPING_AXIS ? axis : relative;
    double length = vec3_norm(line);
    if (form == DAMPING_NONE || length == 0.0)
        return false;
    *n = vec3_scale(1.0 / length, line);
    return true;
}

/* Every damped joint's pairs; part of a rate c is min(c h, most). */
static void motion_add_damping(const Motion *motion, const World *world, double h, double most, Velocity *out)
{
    for (int k = 0; k < motion->damped_count; k++) {
        const Joint *joint = &world->joints[motion->damped[k]];
        int one = joint->def.body[0], two = joint->def.body[1];
        JointDamping damping;
        Vec3 n;
        joint_damping(world, joint, &damping);
        Vec3 relative = VEC3_ZERO;
        if (damping.linear == DAMPING_VECTOR)
            relative = vec3_sub(world_point_velocity(world, two, damping.arm2),
                                world_point_velocity(world, one, damping.arm1));
        if (damping_direction(damping.linear, damping.axis, relative, &n))
            damp_linear(world, joint, &damping, n, fmin(damping.linear_rate * h, most), out);
        relative = vec3_sub(world->velocity[two].w, world->velocity[one].w);
        if (damping_direction(damping.angular, damping.angular_axis, relative, &n))
            damp_angular(world, joint, n, fmin(damping.angular_rate * h, most), out);
    }
}

void motion_damp(const Motion *motion, World *world, double h)
{
    motion_add_damping(motion, world, h, 1.0, world->velocity);
}

Velocity motion_acceleration(const Motion *motion, const World *world, int body)
{
    Rate rate = flight_rate(world, motion, body, world->pose[body], world->velocity[body]);
    return (Velocity){rate.v, rate.w};
}

void motion_accelerations(Motion *motion, const World *world, double h, Velocity *acceleration)
{
    motion_collect_forces(motion, world);
    for (int i = 0; i < world->body_count; i++) {
        acceleration[i] = (Velocity){VEC3_ZERO, VEC3_ZERO};
        if (world_is_fixed(world, i))
            continue;
        acceleration[i] = motion_acceleration(motion, world, i);
        if (h > 0.0 && motion->options.gyroscopic == GYROSCOPIC_IMPLICIT) {
            Vec3 w = world->velocity[i].w,
                 next = spin_advance(world->mass, &i, world->pose[i].q, w, motion->torque[i], h, GYROSCOPIC_IMPLICIT);
            acceleration[i].w = vec3_scale(1.0 / h, vec3_sub(next, w));
        }
    }
    motion_add_damping(motion, world, 1.0, INFINITY, acceleration);
}
