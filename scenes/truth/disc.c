/* SPDX-License-Identifier: MIT */
#include "scenes/truth/disc.h"

#include "model/math3.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_sf_ellint.h>
#include <string.h>

/* Local error, as in scenes/truth/path.c. */
static const double DISC_TOLERANCE = 1e-13;
static const double DISC_FIRST_STEP = 1.0 / 64.0; /* of a step */

/* Steps that no smooth motion needs: an integrator that takes them is stuck. */
static const unsigned long DISC_STEPS_MAX = 100000;
/* GSL refuses elliptic integrals of modulus 1, where K is infinite and (1 - h^2) K zero. */
static const double DISC_MODULUS_MAX = 1.0 - 1e-14;

/* The integrator's variables, in units of R and mu g. */
enum { Y_TIME = DISC_SPEEDS, Y_X, Y_Z, Y_ANGLE, Y_COUNT };

static double disc_length(const double s[DISC_SPEEDS])
{
    return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
}

/* Maximum dissipation: (f, m) along (v, (m_max/f_max)^2 w), on the ellipsoid. */
void disc_ellipsoid(const double s[DISC_SPEEDS], double angle, double force[DISC_SPEEDS])
{
    (void)angle;
    const double limit = 2.0 / 3.0;
    double spin = limit * s[DISC_SPIN];
    double d = sqrt(s[DISC_VX] * s[DISC_VX] + s[DISC_VZ] * s[DISC_VZ] + spin * spin);
    force[DISC_VX] = -s[DISC_VX] / d;
    force[DISC_VZ] = -s[DISC_VZ] / d;
    force[DISC_SPIN] = -limit * spin / d;
}

/* E(h) - (1 - h^2) K(h) = h^2 (K - D) with D = (K - E) / h^2. */
void disc_ring(const double s[DISC_SPEEDS], double angle, double force[DISC_SPEEDS])
{
    (void)angle;
    const double r = 2.0 / 3.0;
    double v = hypot(s[DISC_VX], s[DISC_VZ]), u = r * fabs(s[DISC_SPIN]);
    double h = fmin(fmin(v, u) / fmax(v, u), DISC_MODULUS_MAX);
    double larger = 2.0 / PI * gsl_sf_ellint_Ecomp(h, GSL_PREC_DOUBLE);
    double smaller = 2.0 / PI * h * (gsl_sf_ellint_Kcomp(h, GSL_PREC_DOUBLE) - gsl_sf_ellint_Dcomp(h, GSL_PREC_DOUBLE));
    double f = v > u ? larger : smaller, m = v > u ? smaller : larger;
    force[DISC_VX] = v > 0.0 ? -f * s[DISC_VX] / v : 0.0;
    force[DISC_VZ] = v > 0.0 ? -f * s[DISC_VZ] / v : 0.0;
    force[DISC_SPIN] = s[DISC_SPIN] > 0.0 ? -r * m : r * m;
}

/* f and m by elliptic integrals of h, the smaller of v and R w over the larger. Where h is small their terms cancel,
 * and the first terms of the series serve, within 3e-10. */
void disc_uniform(const double s[DISC_SPEEDS], double angle, double force[DISC_SPEEDS])
{
    (void)angle;
    const double series_below = 1e-2;
    double v = hypot(s[DISC_VX], s[DISC_VZ]), w = fabs(s[DISC_SPIN]);
    double h = fmin(fmin(v, w) / fmax(v, w), DISC_MODULUS_MAX), hh = h * h;
    double E = gsl_sf_ellint_Ecomp(h, GSL_PREC_DOUBLE), K = gsl_sf_ellint_Kcomp(h, GSL_PREC_DOUBLE), f, m;
    if (v <= w) {
        f = h < series_below ? h * (1.0 - hh / 8.0) : 4.0 / 3.0 * ((hh + 1.0) * E + (hh - 1.0) * K) / (h * PI);
        m = 4.0 / 9.0 * ((4.0 - 2.0 * hh) * E + (hh - 1.0) * K) / PI;
    } else {
        f = h < series_below ? 1.0 - hh / 8.0 : 4.0 / 3.0 * ((1.0 + hh) * E - (1.0 - hh) * K) / (hh * PI);
        m = h < series_below
                ? h / 4.0 * (1.0 + hh / 12.0)
                : 4.0 / 9.0 * ((4.0 * hh - 2.0) * E + (2.0 - 5.0 * hh + 3.0 * hh * hh) * K) / (h * hh * PI);
    }
    force[DISC_VX] = v > 0.0 ? -f * s[DISC_VX] / v : 0.0;
    force[DISC_VZ] = v > 0.0 ? -f * s[DISC_VZ] / v : 0.0;
    force[DISC_SPIN] = s[DISC_SPIN] > 0.0 ? -m : m;
}

/* d/dt times `pace`: 1, or |s| for d/dsigma. */
static void disc_rates(const Disc *disc, const double y[], double pace, double dydt[])
{
    double force[DISC_SPEEDS];
    disc->law(y, y[Y_ANGLE], force);
    dydt[DISC_VX] = pace * force[DISC_VX];
    dydt[DISC_VZ] = pace * force[DISC_VZ];
    dydt[DISC_SPIN] = pace * 2.0 * force[DISC_SPIN];
    dydt[Y_TIME] = pace;
    dydt[Y_X] = pace * y[DISC_VX];
    dydt[Y_Z] = pace * y[DISC_VZ];
    dydt[Y_ANGLE] = pace * y[DISC_SPIN];
}

static int disc_rate_in_time(double t, const double y[], double dydt[], void *data)
{
    (void)t;
    disc_rates(data, y, 1.0, dydt);
    return GSL_SUCCESS;
}

static int disc_rate_in_sigma(double sigma, const double y[], double dydt[], void *data)
{
    (void)sigma;
    double length = disc_length(y);
    if (length == 0.0)
        memset(dydt, 0, sizeof *dydt * Y_COUNT);
    else
        disc_rates(data, y, length, dydt);
    return GSL_SUCCESS;
}

static bool disc_integrate(const Disc *disc, int (*rate)(double, const double[], double[], void *), double span,
                           double y[])
{
    if (span <= 0.0)
        return true;
    gsl_odeiv2_system system = {rate, NULL, Y_COUNT, (void *)disc};
    gsl_odeiv2_driver *driver = gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, DISC_FIRST_STEP * span,
                                                              DISC_TOLERANCE, DISC_TOLERANCE);
    if (!driver)
        return false;
    double from = 0.0;
    gsl_odeiv2_driver_set_nmax(driver, DISC_STEPS_MAX);
    bool ok = gsl_odeiv2_driver_apply(driver, &from, span, y) == GSL_SUCCESS;
    gsl_odeiv2_driver_free(driver);
    return ok;
}

/* Between SI and units of R and mu g: speeds in sqrt(mu g R), times in sqrt(R / (mu g)). */
static void disc_to_units(const Disc *disc, const DiscState *state, double y[Y_COUNT])
{
    double R = disc->radius, speed = sqrt(disc->friction * R);
    for (int i = 0; i < DISC_SPEEDS; i++)
        y[i] = state->s[i] / speed;
    y[Y_TIME] = state->time * speed / R;
    y[Y_X] = state->x / R;
    y[Y_Z] = state->z / R;
    y[Y_ANGLE] = state->angle;
}

static void disc_from_units(const Disc *disc, const double y[Y_COUNT], DiscState *state)
{
    double R = disc->radius, speed = sqrt(disc->friction * R);
    for (int i = 0; i < DISC_SPEEDS; i++)
        state->s[i] = y[i] * speed;
    state->time = y[Y_TIME] * R / speed;
    state->x = y[Y_X] * R;
    state->z = y[Y_Z] * R;
    state->angle = y[Y_ANGLE];
}

bool disc_start(Disc *disc, DiscLaw *law, double radius, double friction, double v, double w)
{
    *disc = (Disc){.law = law, .radius = radius, .friction = friction};
    disc->kept[0].s[DISC_VX] = v;
    disc->kept[0].s[DISC_SPIN] = radius * w;
    if (friction == 0.0)
        return true;
    double y[Y_COUNT];
    disc_to_units(disc, &disc->kept[0], y);
    for (int i = 0; i < DISC_STEPS; i++) {
        if (!disc_integrate(disc, disc_rate_in_sigma, 1.0, y))
            return false;
        disc_from_units(disc, y, &disc->kept[i + 1]);
    }
    return true;
}

bool disc_at(const Disc *disc, double t, DiscState *state)
{
    if (disc->friction == 0.0) {
        *state = disc->kept[0];
        state->time = t;
        state->x = t * state->s[DISC_VX];
        state->angle = t * state->s[DISC_SPIN] / disc->radius;
        return true;
    }
    int last = DISC_STEPS;
    while (last > 0 && disc->kept[last].time > t)
        last--;
    *state = disc->kept[last];
    if (last == DISC_STEPS || disc_length(state->s) == 0.0)
        return true;
    double y[Y_COUNT], speed = sqrt(disc->friction * disc->radius);
    disc_to_units(disc, state, y);
    if (!disc_integrate(disc, disc_rate_in_time, (t - state->time) * speed / disc->radius, y))
        return false;
    disc_from_units(disc, y, state);
    return true;
}

const DiscState *disc_stop(const Disc *disc)
{
    return &disc->kept[DISC_STEPS];
}
