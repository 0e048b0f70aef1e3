/* High-entropy numbers that are the same in every run: what tests draw beyond model/random.h. */
#ifndef RIGOR_TESTS_RANDOM_H
#define RIGOR_TESTS_RANDOM_H

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

static inline Quat random_quat(Random *random)
{
    return quat_axis_angle(random_unit(random), random_in(random, -PI, PI));
}

#endif
