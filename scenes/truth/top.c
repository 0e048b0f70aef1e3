/* SPDX-License-Identifier: MIT */
#include "scenes/truth/top.h"

enum { TOP_VARIABLES = 7 }; /* q, w */

/* s; a frame or two: neither many strides nor a long way on from the last one. */
static const double TOP_STRIDE = 1.0 / 32.0;

static Vec3 top_angular_acceleration(const Top *top, Quat q, Vec3 w)
{
    Vec3 weight = vec3_scale(top->mass, quat_rotate_inverse(q, top->gravity));
    Vec3 torque = vec3_sub(vec3_cross(top->arm, weight), vec3_cross(w, vec3_mul(top->inertia, w)));
    return vec3(torque.x / top->inertia.x, torque.y / top->inertia.y, torque.z / top->inertia.z);
}

static int top_rate(double t, const double y[], double dydt[], void *data)
{
    (void)t;
    Quat q = {y[0], y[1], y[2], y[3]};
    Vec3 w = {y[4], y[5], y[6]};
    Quat turn = quat_mul(q, (Quat){0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
    Vec3 a = top_angular_acceleration(data, quat_unit(q), w);
    double rates[TOP_VARIABLES] = {turn.w, turn.x, turn.y, turn.z, a.x, a.y, a.z};
    for (int i = 0; i < TOP_VARIABLES; i++)
        dydt[i] = rates[i];
    return 0;
}

void top_start(Top *top, Quat orientation, Vec3 angular_velocity)
{
    Quat q = orientation;
    Vec3 w = angular_velocity;
    top->path = (Path){.rate = top_rate,
                       .data = top,
                       .variables = TOP_VARIABLES,
                       .stride = TOP_STRIDE,
                       .start = {q.w, q.x, q.y, q.z, w.x, w.y, w.z}};
}

bool top_at(Top *top, double t, TopState *state)
{
    double y[TOP_VARIABLES];
    if (!path_at(&top->path, t, y))
        return false;
    Quat q = quat_unit((Quat){y[0], y[1], y[2], y[3]});
    Vec3 w = {y[4], y[5], y[6]};
    Vec3 turning = vec3_cross(top_angular_acceleration(top, q, w), top->arm);
    Vec3 a = quat_rotate(q, vec3_add(turning, vec3_cross(w, vec3_cross(w, top->arm))));
    state->orientation = q;
    state->angular_velocity = w;
    state->centre = quat_rotate(q, top->arm);
    state->force = vec3_scale(top->mass, vec3_sub(a, top->gravity));
    return true;
}
