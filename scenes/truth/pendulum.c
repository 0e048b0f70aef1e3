/* SPDX-License-Identifier: MIT */
#include "scenes/truth/pendulum.h"

#include "scenes/truth/elliptic.h"

/* rad/s, of small swings */
static double pendulum_frequency(const Pendulum *pendulum)
{
    double J = pendulum->inertia + pendulum->mass * pendulum->arm * pendulum->arm;
    return sqrt(pendulum->mass * pendulum->gravity * pendulum->arm / J);
}

/* tan(angle / 2) = k cn u / k' */
double pendulum_time(const Pendulum *pendulum, double angle)
{
    double k = sin(0.5 * pendulum->amplitude), k1 = cos(0.5 * pendulum->amplitude);
    double cn = fmin(1.0, tan(0.5 * angle) * k1 / k), sn = sqrt((1.0 - cn) * (1.0 + cn));
    return elliptic_inverse(sn, cn, k1 * k1) / pendulum_frequency(pendulum);
}

PendulumState pendulum_at(const Pendulum *pendulum, double t)
{
    double k = sin(0.5 * pendulum->amplitude), k1 = cos(0.5 * pendulum->amplitude);
    double omega = pendulum_frequency(pendulum);
    Jacobi j = elliptic_jacobi(omega * t, k1 * k1);
    PendulumState state;
    state.angle = 2.0 * atan2(k * j.cn, k1);
    state.rate = -2.0 * omega * k * k1 * j.sn / j.dn;
    state.acceleration = -omega * omega * sin(state.angle);

    Vec3 along = vec3(sin(state.angle), -cos(state.angle), 0.0), across = vec3(-along.y, along.x, 0.0);
    double r = pendulum->arm, m = pendulum->mass;
    state.centre = vec3_scale(r, along);
    Vec3 a = vec3_add_scaled(vec3_scale(r * state.acceleration, across), -r * state.rate * state.rate, along);
    state.force = vec3_scale(m, vec3_add(a, vec3(0.0, pendulum->gravity, 0.0)));
    return state;
}
