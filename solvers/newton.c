/* SPDX-License-Identifier: MIT */
/* Semismooth Newton on the natural map of Coulomb's law (Alart, Curnier 1991; Acary, Bremond, Huber 2018):
 *
 *     F(r) = r - P_K(r - rho (u + mu |u_t| e_n)) = 0,   u = W r + q,   rho = 1/w, w the mean diagonal of W_ii
 *     (F' + regularisation) d = -F,   F'_ij = (1 - P') d_ij + rho P' S W_ij,   S = 1 + mu e_n (u_t/|u_t|)^T
 *     r += t d, t halved until |F| falls                                                            (cone/newton.h)
 *
 * after some sweeps of projected Gauss-Seidel, which are counted. Where no step succeeds another sweep is made. */
#include "solvers/cone/newton.h"
#include "solvers/cone/backend.h"
#include "solvers/cone/projection.h"
#include "solvers/cone/sweep.h"

#include <string.h>

typedef struct NewtonOptions {
    ConeOptions cone;
    int sweeps;
} NewtonOptions;

typedef struct Newton {
    ConeMemory memory; /* the iterate */
    NewtonOptions options;
    ConeNewton cone;
    int swept;
} Newton;

static bool newton_method_take(void *self, const void *options, Status *status)
{
    (void)status;
    ((Newton *)self)->options = *(const NewtonOptions *)options;
    return true;
}

static void newton_method_free(void *self)
{
    cone_newton_free(&((Newton *)self)->cone);
}

static bool newton_method_reserve(void *self, int rows)
{
    return cone_newton_reserve(&((Newton *)self)->cone, rows);
}

static bool newton_method_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    Newton *newton = self;
    if (!cone_newton_begin(&newton->cone, system))
        return status_set(status, STATUS_FAILED, "out of memory");
    memcpy(newton->memory.vector[0], r, sizeof *r * (size_t)system->rows);
    newton->swept = 0;
    return true;
}

/* The answer is the iterate put back on the cones, which it may leave by a little. */
static long newton_method_iterate(void *self, const ConeSystem *system, double *r)
{
    Newton *newton = self;
    double *at = newton->memory.vector[0];
    if (newton->swept < newton->options.sweeps) {
        newton->swept++;
        cone_sweep(system, 1.0, at);
    } else if (!cone_newton_step(&newton->cone, system, &newton_coulomb, at)) {
        cone_sweep(system, 1.0, at);
    }
    memcpy(r, at, sizeof *r * (size_t)system->rows);
    for (int i = 0; i < system->count; i++)
        cone_block_project(&system->blocks[i], r + system->blocks[i].first);
    return system->rows;
}

static const ConeMethod NEWTON_METHOD = {CONE_COULOMB,          1,
                                         sizeof(Newton),        newton_method_take,
                                         newton_method_reserve, newton_method_free,
                                         newton_method_begin,   newton_method_iterate};

static const Setting NEWTON_SETTINGS[] = {
    CONE_SETTINGS(30),
    PARAM_INT(NewtonOptions, sweeps, "Gauss-Seidel sweeps before the first Newton step, counted as iterations", 10, 0,
              1e6),
};

static const PhaseStep NEWTON_STEPS[] = {
    CONE_STEPS("Newton steps on the map that is zero where Coulomb's law holds"),
    {"velocity", PHASE_SWEEP, "first", "The first {sweeps} iterations are sweeps of Gauss-Seidel, point by point."},
    {"velocity", PHASE_SWEEP, "step",
     "Then Newton steps, t halved until |F| falls; where F' is singular, W + delta w takes W's place, and where "
     "nothing helps another sweep is made.",
     "F(r) = r - P_K(r - rho (u + mu |u_t| e_n)),  rho = 1/w,  w the mean of W_ii\n(F' + delta) d = -F,  r <- r + t d"},
    {NULL},
};

static const Convention NEWTON_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, NULL, NULL, "all rows of the world together, by Newton's method"},
    {CONVENTION_ORDER, NULL, NULL, "with the normals, in the same problem"},
    CONE_CONVENTIONS,
};

const Solver newton_solver = {
    CONE_BACKEND,
    .name = "newton",
    .summary = "semismooth Newton on the natural map of Coulomb's law",
    .reference = "Alart, Curnier 1991; Acary, Bremond, Huber 2018",
    SOLVER_SETTINGS(NEWTON_SETTINGS),
    .options_size = sizeof(NewtonOptions),
    .row_bytes = 8000,
    .method = &NEWTON_METHOD,
    SOLVER_CONVENTIONS(NEWTON_CONVENTIONS),
    .steps = NEWTON_STEPS,
};
