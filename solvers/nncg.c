/* SPDX-License-Identifier: MIT */
/* Nonsmooth nonlinear conjugate gradients on projected Gauss-Seidel (Silcowitz-Hansen, Niebe, Erleben 2010):
 *
 *     l2 = sweep(l1);   g' = l1 - l2;   beta = |g'|^2 / |g|^2;
 *     beta > 1:  p = 0 (restart);       else  l1 = l2 + beta p,  p = beta p - g'
 *
 * A sweep's change takes the place of the gradient; the step is one, without a search. It has no parameter of its own.
 * The answer is what a sweep gave, before the extrapolation, so that it obeys all bounds. */
#include "solvers/cone/backend.h"
#include "solvers/cone/sweep.h"

#include <string.h>

enum { NNCG_AT, NNCG_DIRECTION, NNCG_GRADIENT, NNCG_VECTORS };

typedef struct Nncg {
    ConeMemory memory;
    double before; /* |g|^2 of the last sweep; 0: none yet */
} Nncg;

static bool nncg_method_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    Nncg *nncg = self;
    (void)status;
    memcpy(nncg->memory.vector[NNCG_AT], r, sizeof *r * (size_t)system->rows);
    memset(nncg->memory.vector[NNCG_DIRECTION], 0, sizeof *r * (size_t)system->rows);
    nncg->before = 0.0;
    return true;
}

static long nncg_method_iterate(void *self, const ConeSystem *system, double *r)
{
    Nncg *nncg = self;
    int n = system->rows;
    double *at = nncg->memory.vector[NNCG_AT], *p = nncg->memory.vector[NNCG_DIRECTION],
           *g = nncg->memory.vector[NNCG_GRADIENT];
    memcpy(r, at, sizeof *r * (size_t)n);
    long solved = cone_sweep(system, 1.0, r);
    for (int i = 0; i < n; i++)
        g[i] = at[i] - r[i];
    double size = cone_dot(g, g, n), beta = nncg->before > 0.0 ? size / nncg->before : 0.0;
    memcpy(at, r, sizeof *r * (size_t)n);
    if (beta > 1.0) {
        memset(p, 0, sizeof *p * (size_t)n);
    } else {
        cone_add(at, beta, p, n);
        for (int i = 0; i < n; i++)
            p[i] = beta * p[i] - g[i];
    }
    nncg->before = size;
    return solved;
}

static const ConeMethod NNCG_METHOD = {.law = CONE_COULOMB,
                                       .vectors = NNCG_VECTORS,
                                       .size = sizeof(Nncg),
                                       .begin = nncg_method_begin,
                                       .iterate = nncg_method_iterate};

static const Setting NNCG_SETTINGS[] = {
    CONE_SETTINGS(20),
};

static const PhaseStep NNCG_STEPS[] = {
    CONE_STEPS("conjugate gradients whose gradient is what a sweep of Gauss-Seidel changes"),
    {"velocity", PHASE_SWEEP, "sweep", "One sweep, point by point, each back to its cone.",
     "l2 = sweep(l1),  g' = l1 - l2"},
    {"velocity", PHASE_SWEEP, "direction", "The answer is l2, which obeys all bounds; the next sweep begins beyond it.",
     "beta = |g'|^2/|g|^2;  beta > 1: p = 0, l1 = l2\nelse: l1 = l2 + beta p,  p = beta p - g'"},
    {NULL},
};

static const Convention NNCG_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, point after point, then extrapolated"},
    {CONVENTION_ORDER, NULL, NULL, "with its normal, as one point; the answer is what a sweep gave"},
    CONE_CONVENTIONS,
};

const Solver nncg_solver = {
    CONE_BACKEND,
    .name = "nncg",
    .summary = "impulses by nonsmooth nonlinear conjugate gradients on Gauss-Seidel sweeps",
    .reference = "Silcowitz-Hansen, Niebe, Erleben 2010",
    SOLVER_SETTINGS(NNCG_SETTINGS),
    .options_size = sizeof(ConeOptions),
    .row_bytes = 1500,
    .method = &NNCG_METHOD,
    SOLVER_CONVENTIONS(NNCG_CONVENTIONS),
    .steps = NNCG_STEPS,
};
