/* SPDX-License-Identifier: MIT */
/* Accelerated projected gradient descent (Mazhar, Heyn, Negrut, Tasora 2015) on the convex relaxation of friction,
 *
 *     minimise  f(g) = 1/2 g^T W g + q^T g   over the cones,      W symmetric:
 *
 *     g' = P_K(y - (W y + q)/L), L doubled until f(g') <= f(y) + grad.(g' - y) + L/2 |g' - y|^2;
 *     theta'^2 = (1 - theta') theta^2;   y = g' + theta (1 - theta)/(theta^2 + theta') (g' - g);
 *     restart (y = g', theta = 1) where grad(y).(g' - g) > 0;   L *= 0.9.       The best g so far is the answer.
 * A sliding contact lifts off at mu |u_t|: the law is not Coulomb's, and its residual is judged without that term. */
#include "solvers/cone/backend.h"
#include "solvers/cone/projection.h"

#include <string.h>

/* Beyond this a matrix is not the round-off of a symmetric one. */
static const double APGD_ASYMMETRY = 1e-9;
/* How often L may double in a step. */
enum { APGD_DOUBLINGS = 60 };

enum { APGD_G, APGD_NEXT, APGD_Y, APGD_GRADIENT, APGD_IMAGE, APGD_BEST_SO_FAR, APGD_VECTORS };

typedef struct ApgdOptions {
    ConeOptions cone;
    double shrink;
} ApgdOptions;

typedef struct Apgd {
    ConeMemory memory;
    double shrink;
    double theta, L, best;
} Apgd;

static bool apgd_method_take(void *self, const void *options, Status *status)
{
    (void)status;
    ((Apgd *)self)->shrink = ((const ApgdOptions *)options)->shrink;
    return true;
}

static void apgd_project(const ConeSystem *system, double *x)
{
    for (int i = 0; i < system->count; i++)
        cone_block_project(&system->blocks[i], x + system->blocks[i].first);
}

/* |W 1| / |1|: where L starts. The paper's |W (g - 1)| / |g - 1| is the same from g = 0, and else takes its 1 for an
 * impulse, which would depend on units. */
static double apgd_first_L(Apgd *apgd, const ConeSystem *system)
{
    double *d = apgd->memory.vector[APGD_NEXT], *image = apgd->memory.vector[APGD_IMAGE];
    int n = system->rows;
    for (int i = 0; i < n; i++)
        d[i] = 1.0;
    cone_system_product(system, d, image);
    double size = cone_dot(d, d, n), L = size > 0.0 ? sqrt(cone_dot(image, image, n) / size) : 1.0;
    return L > 0.0 ? L : 1.0;
}

static bool apgd_method_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    Apgd *apgd = self;
    size_t bytes = sizeof *r * (size_t)system->rows;
    double asymmetry = cone_system_asymmetry(system);
    if (asymmetry > APGD_ASYMMETRY)
        return status_set(status, STATUS_UNSUPPORTED,
                          "solver apgd minimises an energy: W must be symmetric, and is not by %.2g", asymmetry);
    memcpy(apgd->memory.vector[APGD_G], r, bytes);
    memcpy(apgd->memory.vector[APGD_Y], r, bytes);
    memcpy(apgd->memory.vector[APGD_BEST_SO_FAR], r, bytes);
    apgd->theta = 1.0;
    apgd->best = INFINITY;
    apgd->L = apgd_first_L(apgd, system);
    return true;
}

/* g' from y; false while L is too small for the step to be below the parabola. image = W g' + q. */
static bool apgd_step(Apgd *apgd, const ConeSystem *system)
{
    double *next = apgd->memory.vector[APGD_NEXT], *y = apgd->memory.vector[APGD_Y],
           *gradient = apgd->memory.vector[APGD_GRADIENT], *image = apgd->memory.vector[APGD_IMAGE];
    int n = system->rows;
    double slope = 0.0, length = 0.0, rise = 0.0;
    memcpy(next, y, sizeof *y * (size_t)n);
    cone_add(next, -1.0 / apgd->L, gradient, n);
    apgd_project(system, next);
    cone_system_velocity(system, next, image);
    for (int i = 0; i < n; i++) {
        double d = next[i] - y[i];
        slope += gradient[i] * d;
        length += d * d;
        rise += 0.5 * (gradient[i] + image[i]) * d; /* f(g') - f(y), exactly: f is quadratic */
    }
    return rise <= slope + 0.5 * apgd->L * length;
}

/* What the projected gradient leaves at g': the measure by which the best is kept. */
static double apgd_left(const Apgd *apgd, const ConeSystem *system)
{
    const double *g = apgd->memory.vector[APGD_NEXT], *u = apgd->memory.vector[APGD_IMAGE];
    double sum = 0.0;
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        double x[CONE_MAX_SIZE] = {0};
        for (int a = 0; a < block->size; a++)
            x[a] = g[block->first + a] - u[block->first + a];
        cone_block_project(block, x);
        for (int a = 0; a < block->size; a++)
            sum += (g[block->first + a] - x[a]) * (g[block->first + a] - x[a]);
    }
    return sum;
}

/* y beyond g', or back to it where that leads uphill. */
static void apgd_accelerate(Apgd *apgd, int n)
{
    double *g = apgd->memory.vector[APGD_G], *next = apgd->memory.vector[APGD_NEXT], *y = apgd->memory.vector[APGD_Y];
    double theta = apgd->theta, square = theta * theta;
    double after = 0.5 * (sqrt(square * square + 4.0 * square) - square);
    double beta = theta * (1.0 - theta) / (square + after), uphill = 0.0;
    for (int i = 0; i < n; i++) {
        uphill += apgd->memory.vector[APGD_GRADIENT][i] * (next[i] - g[i]);
        y[i] = next[i] + beta * (next[i] - g[i]);
    }
    if (uphill > 0.0)
        memcpy(y, next, sizeof *y * (size_t)n);
    apgd->theta = uphill > 0.0 ? 1.0 : after;
    memcpy(g, next, sizeof *g * (size_t)n);
}

static long apgd_method_iterate(void *self, const ConeSystem *system, double *r)
{
    Apgd *apgd = self;
    int n = system->rows;
    long products = 2;
    cone_system_velocity(system, apgd->memory.vector[APGD_Y], apgd->memory.vector[APGD_GRADIENT]);
    for (int i = 0; !apgd_step(apgd, system) && i < APGD_DOUBLINGS; i++, products++)
        apgd->L *= 2.0;
    double left = apgd_left(apgd, system);
    if (left < apgd->best) {
        apgd->best = left;
        memcpy(apgd->memory.vector[APGD_BEST_SO_FAR], apgd->memory.vector[APGD_NEXT], sizeof *r * (size_t)n);
    }
    memcpy(r, apgd->memory.vector[APGD_BEST_SO_FAR], sizeof *r * (size_t)n);
    apgd_accelerate(apgd, n);
    apgd->L *= apgd->shrink;
    return products * n;
}

static const ConeMethod APGD_METHOD = {.law = CONE_CONVEX,
                                       .vectors = APGD_VECTORS,
                                       .size = sizeof(Apgd),
                                       .take = apgd_method_take,
                                       .begin = apgd_method_begin,
                                       .iterate = apgd_method_iterate};

static const Setting APGD_SETTINGS[] = {
    CONE_SETTINGS(100),
    PARAM_REAL(ApgdOptions, shrink, "by which L, one over the step's length, falls after a step", 0.9, 1e-3, 1),
};

static const PhaseStep APGD_STEPS[] = {
    CONE_STEPS("projected gradients with momentum, on the convex relaxation of friction"),
    {"velocity", PHASE_SWEEP, "step",
     "Along the gradient and back to the cones; L doubles until the step is below its "
     "parabola.",
     "g' = P_K(y - (W y + q)/L)"},
    {"velocity", PHASE_SWEEP, "momentum",
     "Restart (y = g', theta = 1) where it leads uphill. The best g is the answer.",
     "theta'^2 = (1 - theta') theta^2\ny = g' + theta (1 - theta)/(theta^2 + theta') (g' - g),  L <- {shrink} L"},
    {NULL},
};

static const Convention APGD_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone, convex relaxation: a sliding contact lifts off at mu |u_t|"},
    {CONVENTION_NORMALS, NULL, NULL, "all rows of the world together, by projected gradients"},
    {CONVENTION_ORDER, NULL, NULL, "with the normals, in the same problem"},
    CONE_CONVENTIONS,
};

const Solver apgd_solver = {
    CONE_BACKEND,
    .name = "apgd",
    .summary = "accelerated projected gradient descent on the convex relaxation of friction",
    .reference = "Mazhar, Heyn, Negrut, Tasora 2015",
    SOLVER_SETTINGS(APGD_SETTINGS),
    .options_size = sizeof(ApgdOptions),
    .row_bytes = 1500,
    .method = &APGD_METHOD,
    SOLVER_CONVENTIONS(APGD_CONVENTIONS),
    .steps = APGD_STEPS,
};
