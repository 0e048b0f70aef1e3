/* SPDX-License-Identifier: MIT */
/* A disc that slides and spins on dry ground until friction stops both at once. In units of R and mu g,
 *     (vx, vz)' = f(direction, angle),   (R w)' = 2 m(direction, angle)      (I = m R^2 / 2),
 * where force f and moment m depend on the direction of s = (vx, vz, R w) alone, not on its length. That is singular
 * where s = 0; along dsigma = dt / |s| everything is smooth and s decays exponentially, so that the stop is exact.
 * Integrated by rk8pd to 1e-13, kept at steps of sigma, and continued in time from the last one before t. */
#ifndef RIGOR_SCENES_TRUTH_DISC_H
#define RIGOR_SCENES_TRUTH_DISC_H

#include <stdbool.h>

/* vx, vz and R w */
enum { DISC_VX, DISC_VZ, DISC_SPIN, DISC_SPEEDS };

/* Mean friction force over mu N (x, z) and its moment about +y over mu N R, of points that move with s, on a disc that
 * is turned by `angle` about +y. s is not zero. */
typedef void DiscLaw(const double s[DISC_SPEEDS], double angle, double force[DISC_SPEEDS]);

/* The ellipsoid (f / (mu N))^2 + (m / m_max)^2 = 1 with m_max = 2/3 mu N R, by maximum dissipation. */
DiscLaw disc_ellipsoid;
/* Points all around at r = 2/3 R with equal loads, by complete elliptic integrals of h, the smaller of v and r w over
 * the larger: the larger motion has (2/pi) E(h) of mu N (or mu N r), the smaller (2/pi) (E(h) - (1 - h^2) K(h)) / h. */
DiscLaw disc_ring;
/* Uniform pressure on the whole disc, exact: Farkas, Bartels, Unger and Wolf, Phys. Rev. Lett. 90 (2003) 248302. */
DiscLaw disc_uniform;

typedef struct DiscState {
    double time;           /* s */
    double s[DISC_SPEEDS]; /* m/s */
    double x, z;           /* m */
    double angle;          /* rad, about +y */
} DiscState;

/* |s| falls by e^-0.5 a step at least: after all of them nothing is left of it in double precision. */
enum { DISC_STEPS = 72 };

typedef struct Disc {
    DiscLaw *law;
    double radius;   /* m */
    double friction; /* m/s^2, mu g */
    DiscState kept[DISC_STEPS + 1];
} Disc;

/* From speed v along +x and angular velocity w about +y; false if the integrator could not keep its tolerance. */
bool disc_start(Disc *disc, DiscLaw *law, double radius, double friction, double v, double w);

/* The state at time t >= 0. */
bool disc_at(const Disc *disc, double t, DiscState *state);

/* When and where it stops, if there is friction. */
const DiscState *disc_stop(const Disc *disc);

#endif
