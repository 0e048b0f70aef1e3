/* SPDX-License-Identifier: MIT */
/* A problem for tests: particles thrown from the origin under gravity, with the parabola as truth. */
#ifndef RIGOR_TESTS_SUPPORT_THROW_H
#define RIGOR_TESTS_SUPPORT_THROW_H

#include "scenes/scene.h"
#include "tests/support/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void throw_truth(const Problem *problem, double t, Truth *truth)
{
    for (int i = 1; i < problem->world->body_count; i++) {
        Vec3 start = vec3_scale(t, problem->world->bodies[i].velocity);
        truth->has_position[i] = true;
        truth->position[i] = vec3_add_scaled(start, 0.5 * t * t, problem->world->gravity);
    }
}

static inline Problem *throw_problem(int particles, const Vec3 *velocities)
{
    Problem *problem = calloc(1, sizeof *problem);
    assert_non_null(problem);
    problem->world = world_create();
    assert_non_null(problem->world);
    problem->name = malloc(sizeof "throw");
    assert_non_null(problem->name);
    strcpy(problem->name, "throw");
    problem->time = 1.0;
    problem->energy_scale = 37.5;
    problem->speed_scale = 11.0;
    problem->conserves = CONSERVES_ENERGY;
    problem->passive = true;
    problem->truth = throw_truth;
    for (int i = 0; i < particles; i++) {
        BodyDef def = BODY_DEF_INIT;
        char name[16];
        snprintf(name, sizeof name, "p%d", i + 1);
        def.name = name;
        def.mass = 1.7 + i;
        def.velocity = velocities[i];
        build_body(problem->world, &def);
    }
    return problem;
}

#endif
