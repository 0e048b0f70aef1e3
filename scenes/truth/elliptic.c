/* SPDX-License-Identifier: MIT */
/* sn, cn, dn by the arithmetic-geometric mean (DLMF 22.20(ii)):
 *     a' = (a + b)/2,  b' = sqrt(a b),  c' = (a - b)/2   from a = 1, b = k';   K = pi / (2 a_N),
 *     phi_N = 2^N a_N u,   phi_{n-1} = (phi_n + asin((c_n/a_n) sin phi_n))/2,   sn u = sin phi_0.
 * The arcsine is taken as an arctangent, with a_n^2 - c_n^2 = b_n^2, so that nothing cancels as k' -> 0. */
#include "scenes/truth/elliptic.h"

#include "model/math3.h"

#include <assert.h>
#include <gsl/gsl_sf_ellint.h>

/* The mean halves log(a/b) until a/b is near 1, then squares its distance: 16 steps serve the smallest double. */
enum { MEAN_MAX = 16 };

/* a - b below this fraction of a ends the mean: the next difference would be its square, under round-off. */
static const double MEAN_DONE = 1e-9;

typedef struct Mean {
    int last;
    double a[MEAN_MAX + 1], b[MEAN_MAX + 1], c[MEAN_MAX + 1]; /* c[0] = k, which nothing needs */
} Mean;

static Mean elliptic_mean(double mc)
{
    Mean mean = {.last = 0, .a = {1.0}, .b = {sqrt(mc)}};
    double a = 1.0, b = sqrt(mc), difference;
    do {
        difference = a - b;
        int n = ++mean.last;
        mean.a[n] = 0.5 * (a + b);
        mean.b[n] = sqrt(a * b);
        mean.c[n] = 0.5 * difference;
        a = mean.a[n];
        b = mean.b[n];
    } while (difference > MEAN_DONE * a && mean.last < MEAN_MAX);
    return mean;
}

Jacobi elliptic_jacobi(double u, double mc)
{
    assert(mc >= 0.0 && mc <= 1.0);
    if (mc == 0.0)
        return (Jacobi){tanh(u), 1.0 / cosh(u), 1.0 / cosh(u)};
    Mean mean = elliptic_mean(mc);
    double phi = ldexp(mean.a[mean.last] * u, mean.last);
    for (int n = mean.last; n > 0; n--) {
        double s = sin(phi), cosine = hypot(mean.a[n] * cos(phi), mean.b[n] * s);
        phi = 0.5 * (phi + atan2(mean.c[n] * s, cosine));
    }
    double sn = sin(phi), cn = cos(phi);
    return (Jacobi){sn, cn, sqrt(cn * cn + mc * sn * sn)};
}

double elliptic_quarter_period(double mc)
{
    if (mc == 0.0)
        return INFINITY;
    Mean mean = elliptic_mean(mc);
    return 0.5 * PI / mean.a[mean.last];
}

double elliptic_inverse(double sn, double cn, double mc)
{
    double scale = 1.0 / hypot(sn, cn), s = scale * sn, cc = scale * cn * scale * cn;
    /* Carlson: F = s RF(c^2, c^2 + mc s^2, 1) */
    return s * gsl_sf_ellint_RF(cc, cc + mc * s * s, 1.0, GSL_PREC_DOUBLE);
}
