/* SPDX-License-Identifier: MIT */
/* With beta = c/2:  x = e^(-beta t) [x0 C + (v0 + beta x0) S], where
 *     under-damped, d^2 = omega^2 - beta^2:   C = cos(d t),    S = sin(d t)/d;
 *     over-damped,  d^2 = beta^2 - omega^2:   C = cosh(d t),   S = sinh(d t)/d;   critical: C = 1, S = t.
 * The over-damped pair is written with the slow root beta - d = omega^2/(beta + d), which neither overflows nor
 * cancels. */
#include "scenes/truth/oscillator.h"

#include <math.h>

double oscillator_at(double omega, double c, double x0, double v0, double t)
{
    double beta = 0.5 * c, square = (omega - beta) * (omega + beta), d = sqrt(fabs(square));
    double C, S; /* with the factor e^(-beta t) */
    if (square > 0.0) {
        C = exp(-beta * t) * cos(d * t);
        S = exp(-beta * t) * sin(d * t) / d;
    } else {
        double slow = exp(-omega * omega / (beta + d) * t);
        C = 0.5 * slow * (1.0 + exp(-2.0 * d * t));
        S = d > 0.0 ? slow * -expm1(-2.0 * d * t) / (2.0 * d) : slow * t;
    }
    return x0 * C + (v0 + beta * x0) * S;
}
