/* A small generator with a fixed seed, so that a test sees the same high-entropy numbers in every run (splitmix64). */
#ifndef RIGOR_TESTS_RANDOM_H
#define RIGOR_TESTS_RANDOM_H

#include "model/math3.h"

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_bits(Random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double random_in(Random *random, double low, double high)
{
    return low + (high - low) * (double)(random_bits(random) >> 11) * 0x1p-53;
}

static inline Vec3 random_vec3(Random *random, double half_width)
{
    double x = random_in(random, -half_width, half_width), y = random_in(random, -half_width, half_width);
    return vec3(x, y, random_in(random, -half_width, half_width));
}

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
