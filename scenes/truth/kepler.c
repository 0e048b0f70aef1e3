/* SPDX-License-Identifier: MIT */
#include "scenes/truth/kepler.h"

#include <assert.h>

/* Solves E - e sin E = M for 0 <= M <= pi. The left side is convex in 0..pi, and both M + e and pi lie right of the
 * root, so that Newton's iterates fall towards it without overshooting; the first that does not fall has met
 * round-off. */
static double kepler_anomaly(double e, double M)
{
    double E = fmin(M + e, PI);
    for (;;) {
        double next = E - (E - e * sin(E) - M) / (1.0 - e * cos(E));
        if (next >= E)
            return E;
        E = next;
    }
}

void kepler_at(double eccentricity, double t, Vec3 *position, Vec3 *velocity)
{
    assert(eccentricity >= 0.0 && eccentricity < 1.0);
    double e = eccentricity, M = remainder(t, 2.0 * PI);
    double E = copysign(kepler_anomaly(e, fabs(M)), M);
    double minor = sqrt((1.0 - e) * (1.0 + e)), rate = 1.0 / (1.0 - e * cos(E));
    *position = vec3(cos(E) - e, minor * sin(E), 0.0);
    *velocity = vec3(-rate * sin(E), rate * minor * cos(E), 0.0);
}
