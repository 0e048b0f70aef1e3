/* SPDX-License-Identifier: MIT */
/* A small generator that gives the same numbers everywhere (splitmix64). Scenes take a seed, tests have fixed ones. */
#ifndef RIGOR_MODEL_RANDOM_H
#define RIGOR_MODEL_RANDOM_H

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

/* Uniform in low..high. */
static inline double random_in(Random *random, double low, double high)
{
    return low + (high - low) * (double)(random_bits(random) >> 11) * 0x1p-53;
}

/* Uniform in the cube of this half width. */
static inline Vec3 random_vec3(Random *random, double half_width)
{
    double x = random_in(random, -half_width, half_width), y = random_in(random, -half_width, half_width);
    return vec3(x, y, random_in(random, -half_width, half_width));
}

#endif
