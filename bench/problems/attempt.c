/* SPDX-License-Identifier: MIT */
#include "bench/problems/attempt.h"

#include "bench/process/clock.h"
#include "solvers/cone/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double attempt_goals[ATTEMPT_GOALS] = {1e-3, 1e-4, 1e-6, 1e-8};
const char *const attempt_goal_names[ATTEMPT_GOALS] = {"1e-3", "1e-4", "1e-6", "1e-8"};

/* Below this there is nothing left to gain. */
static const double ATTEMPT_ROUND_OFF = 1e-15;

void attempt_free(Attempt *attempt)
{
    free(attempt->residuals);
    attempt->residuals = NULL;
}

static const Setting *attempt_setting(const Solver *solver, const char *name)
{
    return settings_find(solver->settings, solver->setting_count, name);
}

/* Whether a variant's `slop=0:iterations=50` has them. */
static bool sets_iterations(const char *sets)
{
    static const char KEY[] = "iterations=";
    for (const char *at = sets; at; at = strchr(at, ':'), at = at ? at + 1 : NULL)
        if (strncmp(at, KEY, strlen(KEY)) == 0)
            return true;
    return false;
}

void attempt_choose_iterations(const Solver *solver, void *options)
{
    if (attempt_setting(solver, "iterations") && !sets_iterations(solver->sets))
        ((CommonOptions *)options)->iterations = ATTEMPT_ITERATIONS;
}

int attempt_iterations(const Solver *solver, const void *options)
{
    return attempt_setting(solver, "iterations") ? ((const CommonOptions *)options)->iterations : 1;
}

/* The residual at which the iterations end. */
static double attempt_stop(const Solver *solver, const void *options)
{
    double asked = attempt_setting(solver, "stop_residual") ? ((const CommonOptions *)options)->stop_residual : 0.0;
    return fmax(asked, ATTEMPT_ROUND_OFF);
}

static void attempt_note(Attempt *attempt, ConeResidual left, int iterations)
{
    attempt->residual = left.plain;
    attempt->residual_scaled = left.scaled;
    for (int g = 0; g < ATTEMPT_GOALS; g++)
        if (attempt->iterations_to[g] < 0 && left.plain <= attempt_goals[g]) {
            attempt->iterations_to[g] = iterations;
            attempt->row_solves_to[g] = (double)attempt->row_solves;
            attempt->seconds_to[g] = attempt->seconds;
        }
}

static void attempt_iterate(Attempt *attempt, const ConeMethod *method, void *self, const ConeSystem *system, double *r,
                            double *u, int most, double stop)
{
    attempt_note(attempt, cone_system_residual(system, method->law, r, u), 0);
    while (attempt->iterations < most && attempt->residual > stop) {
        double begin = clock_now();
        attempt->row_solves += method->iterate(self, system, r);
        attempt->seconds += clock_now() - begin;
        attempt_note(attempt, cone_system_residual(system, method->law, r, u), attempt->iterations + 1);
        attempt->residuals[attempt->iterations++] = attempt->residual;
    }
    attempt->residual_coulomb = cone_system_residual(system, CONE_COULOMB, r, u).plain;
}

bool attempt_make(Attempt *attempt, const ContactProblem *problem, const Solver *solver, const void *options,
                  int iterations, Status *status)
{
    const ConeMethod *method = solver->method;
    const ConeSystem *system = &problem->system;
    *attempt = (Attempt){.residual = NAN, .residual_scaled = NAN, .residual_coulomb = NAN};
    for (int g = 0; g < ATTEMPT_GOALS; g++) {
        attempt->iterations_to[g] = -1;
        attempt->row_solves_to[g] = attempt->seconds_to[g] = NAN;
    }
    if (!method) {
        status_set(&attempt->status, STATUS_UNSUPPORTED, "solver %s needs bodies: it cannot run a problem given by W",
                   solver->name);
        return true;
    }
    attempt->law = method->law;
    double *vectors[2] = {NULL, NULL};
    void *self = cone_method_create(method, options, &attempt->status);
    bool room = cone_vectors_reserve(vectors, 2, system->rows) &&
                (attempt->residuals = malloc(sizeof(double) * ((size_t)iterations + 1))) &&
                (!self || cone_method_reserve(method, self, system->rows));
    if (self && room) {
        for (int i = 0; i < system->rows; i++)
            vectors[0][i] = 0.0;
        if (cone_method_begin(method, self, system, vectors[0], &attempt->status))
            attempt_iterate(attempt, method, self, system, vectors[0], vectors[1], iterations,
                            attempt_stop(solver, options));
    }
    cone_method_destroy(method, self);
    cone_vectors_free(vectors, 2);
    return room || status_set(status, STATUS_FAILED, "out of memory");
}
