/* SPDX-License-Identifier: MIT */
/* High-entropy numbers that are the same in every run: what tests draw beyond model/random.h. */
#ifndef RIGOR_TESTS_SUPPORT_RANDOM_H
#define RIGOR_TESTS_SUPPORT_RANDOM_H

#include "model/random.h"

static inline Vec3 random_unit(Random *random)
{
    for (;;) {
        Vec3 v = random_vec3(random, 1.0);
        double d = vec3_norm(v);
        if (d > 0.1 && d < 1.0)
            return vec3_scale(1.0 / d, v);
    }
}

/* Below, numbers are drawn one after the other: C leaves open which argument of a call is computed first, and tests are
 * to see the same worlds whatever the compiler. */

static inline Quat random_quat(Random *random)
{
    double angle = random_in(random, -PI, PI);
    return quat_axis_angle(random_unit(random), angle);
}

/* Each part uniform in low..high. */
static inline Vec3 random_sides(Random *random, double low, double high)
{
    double z = random_in(random, low, high), y = random_in(random, low, high);
    return vec3(random_in(random, low, high), y, z);
}

/* x and z uniform in low..high. */
static inline Vec3 random_across(Random *random, double low, double high, double y)
{
    double z = random_in(random, low, high);
    return vec3(random_in(random, low, high), y, z);
}

/* Any direction, a length uniform in low..high. */
static inline Vec3 random_arrow(Random *random, double low, double high)
{
    Vec3 direction = random_unit(random);
    return vec3_scale(random_in(random, low, high), direction);
}

#endif
