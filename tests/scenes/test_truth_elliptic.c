/* SPDX-License-Identifier: MIT */
#include "scenes/truth/elliptic.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <gsl/gsl_sf_ellint.h>
#include <gsl/gsl_sf_elljac.h>

/* Rounding of u (up to 40) times a slope of 1. */
#define ROUNDING 2e-14

static void jacobi_functions_agree_with_gsl(void **state)
{
    (void)state;
    Random random = {20240611};
    for (int i = 0; i < 2000; i++) {
        /* mc above 0.01: there m = 1 - mc is known well enough for GSL */
        double u = random_in(&random, -20, 20), m = random_in(&random, 0, 0.99), sn, cn, dn;
        gsl_sf_elljac_e(u, m, &sn, &cn, &dn);
        Jacobi j = elliptic_jacobi(u, 1.0 - m);
        assert_near(j.sn, sn, ROUNDING);
        assert_near(j.cn, cn, ROUNDING);
        assert_near(j.dn, dn, ROUNDING);
    }
}

static void quarter_period_and_inverse_agree_with_gsl(void **state)
{
    (void)state;
    Random random = {77};
    for (int i = 0; i < 500; i++) {
        /* GSL's F takes cos^2 as 1 - sin^2: off by 1e-16/cos(phi), so not too near pi/2 */
        double m = random_in(&random, 0, 0.9), phi = random_in(&random, -1.45, 1.45);
        assert_near(elliptic_quarter_period(1 - m), gsl_sf_ellint_Kcomp(sqrt(m), GSL_PREC_DOUBLE), ROUNDING);
        assert_near(elliptic_inverse(sin(phi), cos(phi), 1 - m), gsl_sf_ellint_F(phi, sqrt(m), GSL_PREC_DOUBLE),
                    ROUNDING);
    }
}

static void functions_are_trigonometric_at_mc_one_and_hyperbolic_at_zero(void **state)
{
    (void)state;
    for (double u = -7.3; u < 8; u += 0.61) {
        Jacobi circle = elliptic_jacobi(u, 1.0), separatrix = elliptic_jacobi(u, 0.0);
        assert_near(circle.sn, sin(u), ROUNDING);
        assert_near(circle.cn, cos(u), ROUNDING);
        assert_near(circle.dn, 1.0, ROUNDING);
        assert_near(separatrix.sn, tanh(u), ROUNDING);
        assert_near(separatrix.cn, 1 / cosh(u), ROUNDING);
        assert_near(separatrix.dn, 1 / cosh(u), ROUNDING);
    }
    assert_true(isinf(elliptic_quarter_period(0.0)));
}

/* As mc -> 0, K -> log(4/k') + O(mc log mc), and cn falls to zero there while dn is k'. */
static void quarter_period_is_a_quarter_however_near_the_separatrix(void **state)
{
    (void)state;
    for (double mc = 1e-6; mc > 1e-300; mc *= 1.7e-7) {
        double K = elliptic_quarter_period(mc);
        assert_near(K, log(4.0 / sqrt(mc)), 10.0 * mc + 1e-15 * K);
        Jacobi j = elliptic_jacobi(K, mc);
        assert_near(j.cn, 0.0, 1e-15);
        assert_near(j.sn, 1.0, 1e-15);
        /* Half a period on all is mirrored: dn is 1 again, sn falls through zero. */
        j = elliptic_jacobi(2 * K, mc);
        assert_near(j.dn, 1.0, 1e-14);
        assert_near(j.cn, -1.0, 1e-14);
        assert_near(j.sn, 0.0, 1e-15 * K);
    }
}

static void inverse_inverts(void **state)
{
    (void)state;
    Random random = {31415};
    for (int i = 0; i < 500; i++) {
        double mc = pow(10.0, random_in(&random, -30, 0)), phi = random_in(&random, -1.55, 1.55);
        Jacobi j = elliptic_jacobi(elliptic_inverse(sin(phi), cos(phi), mc), mc);
        assert_near(atan2(j.sn, j.cn), phi, ROUNDING);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_functions_agree_with_gsl),
        cmocka_unit_test(quarter_period_and_inverse_agree_with_gsl),
        cmocka_unit_test(functions_are_trigonometric_at_mc_one_and_hyperbolic_at_zero),
        cmocka_unit_test(quarter_period_is_a_quarter_however_near_the_separatrix),
        cmocka_unit_test(inverse_inverts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
