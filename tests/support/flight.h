/* SPDX-License-Identifier: MIT */
/* A small solver for tests: free flight by semi-implicit Euler, v += g h, x += v h, then v *= boost (1: none).
 * It counts the runner's calls. Its residual is 1/2^n after n iterations. It has no capability but particles. */
#ifndef RIGOR_TESTS_SUPPORT_FLIGHT_H
#define RIGOR_TESTS_SUPPORT_FLIGHT_H

#include "solvers/solver.h"

#include <stdlib.h>

typedef struct FlightCounts {
    int enters, iterates, residuals;
} FlightCounts;

typedef struct FlightOptions {
    CommonOptions common;
    double boost;
    FlightCounts *counts; /* where to count, or NULL */
} FlightOptions;

static const Setting FLIGHT_SETTINGS[] = {
    COMMON_SETTINGS(2, 3),
    STOP_RESIDUAL_SETTING,
    PARAM_REAL(FlightOptions, boost, "factor on every velocity, each substep", 1.0, 0.0, 1e300),
};

enum { FLIGHT_SETTING_COUNT = sizeof FLIGHT_SETTINGS / sizeof FLIGHT_SETTINGS[0] };

typedef struct Flight {
    FlightOptions options;
    FlightCounts own;
    FlightCounts *counts;
    double left;
} Flight;

static void *flight_create(const SolverTask *task, Status *status)
{
    Flight *flight = calloc(1, sizeof *flight);
    if (!flight) {
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    flight->options = *(const FlightOptions *)task->options;
    flight->counts = flight->options.counts ? flight->options.counts : &flight->own;
    return flight;
}

static void flight_enter(void *self, Step *step)
{
    Flight *flight = self;
    World *world = step->world;
    flight->counts->enters++;
    flight->left = 1.0;
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Vec3 v = vec3_add_scaled(world->velocity[i].v, step->h, world_field(world, world->pose[i].x));
        world->velocity[i].v = vec3_scale(flight->options.boost, v);
        world->pose[i].x = vec3_add_scaled(world->pose[i].x, step->h, v);
    }
}

static void flight_iterate(void *self, Step *step)
{
    Flight *flight = self;
    flight->counts->iterates++;
    flight->left *= 0.5;
    step->row_solves += 7;
}

static double flight_residual(void *self, const Step *step)
{
    (void)step;
    Flight *flight = self;
    flight->counts->residuals++;
    return flight->left;
}

static int flight_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    Flight *flight = self;
    phases[0] = (Phase){"flight", flight->options.common.iterations, flight_enter, flight_iterate, flight_residual};
    return 1;
}

#define FLIGHT_SOLVER(abi_number)                                                                                      \
    {                                                                                                                  \
        .abi = (abi_number), .name = "flight", .summary = "free flight and nothing else", .reference = "the tests",    \
        .capabilities = CAN_PARTICLES, .settings = FLIGHT_SETTINGS, .setting_count = FLIGHT_SETTING_COUNT,             \
        .options_size = sizeof(FlightOptions), .create = flight_create, .destroy = free, .plan = flight_plan           \
    }

#endif
