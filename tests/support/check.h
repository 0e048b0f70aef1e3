/* SPDX-License-Identifier: MIT */
/* What every test file needs: CMocka and comparison of doubles (CMocka's own compares floats). */
#ifndef RIGOR_TESTS_SUPPORT_CHECK_H
#define RIGOR_TESTS_SUPPORT_CHECK_H

#include "model/math3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void check_near(double actual, double expected, double tolerance, const char *what, const char *file,
                              int line)
{
    if (actual == expected || fabs(actual - expected) <= tolerance) /* the first also holds for infinities */
        return;
    print_error("%s is %.17g, not %.17g: off by %.3g, more than %.3g\n", what, actual, expected, actual - expected,
                tolerance);
    _fail(file, line);
}

#define assert_near(actual, expected, tolerance)                                                                       \
    check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void check_vec3_near(Vec3 actual, Vec3 expected, double tolerance, const char *what, const char *file,
                                   int line)
{
    double off = vec3_norm(vec3_sub(actual, expected));
    if (off <= tolerance)
        return;
    print_error("%s is (%.17g, %.17g, %.17g), not (%.17g, %.17g, %.17g): off by %.3g, more than %.3g\n", what, actual.x,
                actual.y, actual.z, expected.x, expected.y, expected.z, off, tolerance);
    _fail(file, line);
}

#define assert_vec3_near(actual, expected, tolerance)                                                                  \
    check_vec3_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void assert_mat3_near(Mat3 a, Mat3 b, double tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(a.m[i][j], b.m[i][j], tolerance);
}

#endif
