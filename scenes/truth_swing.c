#include "scenes/truth_swing.h"

#include <gsl/gsl_sf_ellint.h>
#include <gsl/gsl_sf_elljac.h>
#include <math.h>

double swing_angle(double amplitude, double rate, double t)
{
    double k = sin(0.5 * amplitude), sn, cn, dn;
    gsl_sf_elljac_e(rate * t, k * k, &sn, &cn, &dn);
    return 2.0 * asin(k * cn / dn);
}

/* cd(u) = sn(K - u), so u = K - F(asin(sin(angle / 2) / k), k). */
double swing_time(double amplitude, double rate, double angle)
{
    if (rate == 0.0)
        return INFINITY;
    double k = sin(0.5 * amplitude), phi = asin(sin(0.5 * angle) / k);
    return (gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE) - gsl_sf_ellint_F(phi, k, GSL_PREC_DOUBLE)) / rate;
}
