/* SPDX-License-Identifier: MIT */
/* Alternating directions with De Saxce's correction (Carpentier, Le Lidec, Montaut 2024; Acary et al. in Siconos):
 *
 *     (W + (rho + eta) I) r = rho (z - y) + eta r_old - q - s;    z = P_K(r + y);    y += r - z;    s = mu |u_t| e_n
 *
 * z is the answer; the first equation says u + s = -rho y, so u_t is -rho y_t. rho = sqrt(m L) (L/m)^p with m = eta and
 * L the largest eigenvalue of W; p moves by a step where |r - z| and |z - z_old| are too far apart, and y is rescaled
 * with rho. One LU a rho (W may be unsymmetric). */
#include "solvers/cone/backend.h"
#include "solvers/cone/factor.h"
#include "solvers/cone/projection.h"

#include <string.h>

enum { ADMM_POWER_ITERATIONS = 30 };

typedef struct AdmmOptions {
    ConeOptions cone;
    double eta, power, power_step, balance;
} AdmmOptions;

enum { ADMM_R, ADMM_Z, ADMM_Y, ADMM_RIGHT, ADMM_VECTORS };

typedef struct Admm {
    ConeMemory memory;
    AdmmOptions options;
    ConeFactor factor;
    double L, eta, power, rho;
    double factored; /* rho of the factorisation; 0: none */
} Admm;

static bool admm_method_take(void *self, const void *options, Status *status)
{
    (void)status;
    ((Admm *)self)->options = *(const AdmmOptions *)options;
    return true;
}

static void admm_method_free(void *self)
{
    cone_factor_free(&((Admm *)self)->factor);
}

static bool admm_method_reserve(void *self, int rows)
{
    return cone_factor_reserve(&((Admm *)self)->factor, rows);
}

/* The largest eigenvalue of W by power iterations; y and right are scratch. */
static double admm_largest(Admm *admm, const ConeSystem *system)
{
    double *x = admm->memory.vector[ADMM_Y], *image = admm->memory.vector[ADMM_RIGHT], size = 0.0;
    int n = system->rows;
    for (int i = 0; i < n; i++)
        x[i] = 1.0 + 0.5 * sin(1.0 + i); /* no eigenvector of a symmetric arrangement */
    for (int k = 0; k < ADMM_POWER_ITERATIONS; k++) {
        double norm = sqrt(cone_dot(x, x, n));
        for (int i = 0; norm > 0.0 && i < n; i++)
            x[i] /= norm;
        cone_system_product(system, x, image);
        size = sqrt(cone_dot(image, image, n));
        memcpy(x, image, sizeof *x * (size_t)n);
    }
    return size > 0.0 ? size : 1.0;
}

static double admm_rho(const Admm *admm)
{
    double m = admm->eta;
    return sqrt(m * admm->L) * pow(admm->L / m, admm->power);
}

static bool admm_factor(Admm *admm, const ConeSystem *system)
{
    double *value = cone_factor_values(&admm->factor, system);
    if (!value)
        return false;
    memcpy(value, system->value, sizeof *value * (size_t)cone_system_numbers(system));
    for (int i = 0; i < system->count; i++)
        for (int a = 0; a < system->blocks[i].size; a++)
            value[system->at[system->diagonal[i]] + a * system->blocks[i].size + a] += admm->rho + admm->eta;
    admm->factored = admm->rho;
    return cone_factor(&admm->factor, system);
}

static bool admm_method_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    Admm *admm = self;
    size_t bytes = sizeof *r * (size_t)system->rows;
    admm->L = admm_largest(admm, system);
    admm->eta = admm->options.eta * admm->L;
    admm->power = admm->options.power;
    admm->rho = admm_rho(admm);
    memcpy(admm->memory.vector[ADMM_R], r, bytes);
    memcpy(admm->memory.vector[ADMM_Z], r, bytes);
    for (int i = 0; i < system->rows; i++)
        admm->memory.vector[ADMM_Y][i] = 0.0;
    return admm_factor(admm, system) || status_set(status, STATUS_FAILED, "W + rho I cannot be factored");
}

/* rho follows the residuals. y is a velocity over rho. */
static void admm_balance(Admm *admm, double primal, double dual, int n)
{
    double before = admm->rho, balance = admm->options.balance, step = admm->options.power_step;
    if (primal > balance * dual)
        admm->power += step;
    else if (dual > balance * primal)
        admm->power -= step;
    else
        return;
    admm->rho = admm_rho(admm);
    for (int i = 0; i < n; i++)
        admm->memory.vector[ADMM_Y][i] *= before / admm->rho;
}

static long admm_method_iterate(void *self, const ConeSystem *system, double *out)
{
    Admm *admm = self;
    int n = system->rows;
    double *r = admm->memory.vector[ADMM_R], *z = admm->memory.vector[ADMM_Z], *y = admm->memory.vector[ADMM_Y],
           *right = admm->memory.vector[ADMM_RIGHT], primal = 0.0, dual = 0.0;
    if (admm->factored != admm->rho)
        admm_factor(admm, system);
    for (int i = 0; i < n; i++)
        right[i] = admm->rho * (z[i] - y[i]) + admm->eta * r[i] - system->q[i];
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        if (block->kind == CONE_CONTACT)
            right[block->first] -= block->mu * admm->rho * cone_tangent_norm(block->size, y + block->first);
    }
    cone_factor_solve(&admm->factor, right);
    memcpy(r, right, sizeof *r * (size_t)n);
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        double x[CONE_MAX_SIZE] = {0};
        for (int a = 0, k = block->first; a < block->size; a++, k++)
            x[a] = r[k] + y[k];
        cone_block_project(block, x);
        for (int a = 0, k = block->first; a < block->size; a++, k++) {
            dual += (x[a] - z[k]) * (x[a] - z[k]);
            z[k] = x[a];
            y[k] += r[k] - z[k];
            primal += (r[k] - z[k]) * (r[k] - z[k]);
        }
    }
    admm_balance(admm, sqrt(primal), sqrt(dual), n);
    memcpy(out, z, sizeof *z * (size_t)n);
    return n;
}

static const ConeMethod ADMM_METHOD = {CONE_COULOMB,        ADMM_VECTORS,     sizeof(Admm),      admm_method_take,
                                       admm_method_reserve, admm_method_free, admm_method_begin, admm_method_iterate};

static const Setting ADMM_SETTINGS[] = {
    CONE_SETTINGS(100),
    PARAM_REAL(AdmmOptions, eta, "proximal term, a share of W's largest eigenvalue L", 1e-6, 1e-16, 1),
    PARAM_REAL(AdmmOptions, power, "p of the first rho = sqrt(eta) L eta^-p", 0.2, -2, 2),
    PARAM_REAL(AdmmOptions, power_step, "by which p moves where the residuals are out of balance; 0: never", 0.05, 0,
               1),
    PARAM_REAL(AdmmOptions, balance, "out of balance: one residual is more than this times the other", 10, 1, 1e6),
};

static const PhaseStep ADMM_STEPS[] = {
    CONE_STEPS("a linear solve and a projection in turns, drawn together by rho"),
    {"velocity", PHASE_ENTER, "penalty", "From the largest eigenvalue L of W, with eta = {eta} L and p = {power}.",
     "rho = sqrt(eta L) (L/eta)^p"},
    {"velocity", PHASE_SWEEP, "solve", "All rows, with one LU factorisation a rho; s is De Saxce's correction.",
     "(W + (rho + eta) I) r = rho (z - y) + eta r_old - q - s,  s = mu |u_t| e_n"},
    {"velocity", PHASE_SWEEP, "project", "Point by point; z is the answer.", "z = P_K(r + y),  y <- y + r - z"},
    {"velocity", PHASE_SWEEP, "balance",
     "Where |r - z| and |z - z_old| differ by more than the factor {balance}, p moves by {power_step}.",
     "rho = sqrt(eta L) (L/eta)^p,  rho y stays"},
    {NULL},
};

static const Convention ADMM_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, NULL, NULL, "all rows of the world together, then each point back to its cone"},
    {CONVENTION_ORDER, NULL, NULL, "with the normals, in the same problem"},
    CONE_CONVENTIONS,
};

const Solver admm_solver = {
    CONE_BACKEND,
    .name = "admm",
    .summary = "alternating directions with De Saxce's correction",
    .reference = "Carpentier, Le Lidec, Montaut 2024",
    SOLVER_SETTINGS(ADMM_SETTINGS),
    .options_size = sizeof(AdmmOptions),
    .row_bytes = 8000,
    .method = &ADMM_METHOD,
    SOLVER_CONVENTIONS(ADMM_CONVENTIONS),
    .steps = ADMM_STEPS,
};
