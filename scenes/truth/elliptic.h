/* SPDX-License-Identifier: MIT */
/* Jacobi elliptic functions and integrals in terms of the complementary parameter mc = 1 - m = k'^2.
 * Near a separatrix (a pendulum almost upright, a spin almost about the middle axis) mc is tiny and known to full
 * relative precision, while m = 1 - mc has lost it: gsl_sf_elljac_e, which takes m, is off by about 1e-16/mc there. */
#ifndef RIGOR_SCENES_TRUTH_ELLIPTIC_H
#define RIGOR_SCENES_TRUTH_ELLIPTIC_H

typedef struct Jacobi {
    double sn, cn, dn;
} Jacobi;

/* sn, cn, dn of u, for 0 <= mc <= 1. */
Jacobi elliptic_jacobi(double u, double mc);

/* The quarter period K(mc); infinite for mc = 0. */
double elliptic_quarter_period(double mc);

/* The u in -K..K with these sn and cn >= 0 (given up to a common factor): F(phi), but with no angle in between, which
 * near pi/2 would lose a small cn. sn and cn must not both be those of an infinite u: cn = 0 with mc = 0. */
double elliptic_inverse(double sn, double cn, double mc);

#endif
