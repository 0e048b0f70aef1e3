/* SPDX-License-Identifier: MIT */
#include "scenes/truth/bounce.h"

#include <math.h>

static double bounce_first(const Bounce *bounce)
{
    return sqrt(2.0 * bounce->height / bounce->gravity);
}

/* From impact 1 to impact k: 2 t_1 (e + e^2 + ... + e^(k-1)). */
static double bounce_since_first(const Bounce *bounce, double k)
{
    double e = bounce->restitution, flight = 2.0 * bounce_first(bounce);
    return e == 1.0 ? flight * (k - 1.0) : flight * e * (1.0 - pow(e, k - 1.0)) / (1.0 - e);
}

double bounce_rest(const Bounce *bounce)
{
    double e = bounce->restitution;
    if (e == 1.0 || bounce->gravity == 0.0)
        return INFINITY;
    return bounce_first(bounce) * (1.0 + 2.0 * e / (1.0 - e));
}

/* The last impact before `since` the first: the inverse of bounce_since_first, for 0 < e. */
static double bounce_last_impact(const Bounce *bounce, double since)
{
    double e = bounce->restitution, flights = since / (2.0 * bounce_first(bounce));
    double k = floor(1.0 + (e == 1.0 ? flights : log1p(-flights * (1.0 - e) / e) / log(e)));
    /* Rounding may have put it one off. */
    if (bounce_since_first(bounce, k) > since)
        k -= 1.0;
    else if (bounce_since_first(bounce, k + 1.0) <= since)
        k += 1.0;
    return fmax(k, 1.0);
}

double bounce_height(const Bounce *bounce, double t)
{
    double g = bounce->gravity;
    if (g == 0.0)
        return bounce->height;
    double since = t - bounce_first(bounce);
    if (since <= 0.0)
        return bounce->height - 0.5 * g * t * t;
    if (t >= bounce_rest(bounce))
        return 0.0;
    double k = bounce_last_impact(bounce, since), flown = since - bounce_since_first(bounce, k);
    double up = pow(bounce->restitution, k) * g * bounce_first(bounce);
    return fmax(0.0, flown * (up - 0.5 * g * flown));
}
