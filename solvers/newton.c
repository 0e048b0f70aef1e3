/* Semismooth Newton on the natural map of Coulomb's law (Alart, Curnier 1991; Acary, Bremond, Huber 2018):
 *
 *     F(r) = r - P_K(r - rho (u + mu |u_t| e_n)) = 0,   u = W r + q,   rho = 1/w, w the mean diagonal of W_ii
 *     (F' + regularisation) d = -F,   F'_ij = (1 - P') d_ij + rho P' S W_ij,   S = 1 + mu e_n (u_t/|u_t|)^T
 *     r += t d, t halved until |F| falls
 *
 * after some sweeps of projected Gauss-Seidel, which are counted. Where F' is singular (W often is) W + delta w takes
 * its place, delta growing while steps fail and falling while they succeed (Levenberg, Marquardt, on a proximal term);
 * where nothing helps another sweep is made. */
#include "solvers/cone/backend.h"
#include "solvers/cone/factor.h"
#include "solvers/cone/projection.h"
#include "solvers/cone/sweep.h"

#include <stdlib.h>
#include <string.h>

static const double NEWTON_FIRST_DELTA = 1e-9, NEWTON_LEAST_DELTA = 1e-14, NEWTON_MOST_DELTA = 1e-2;
static const double NEWTON_DELTA_FACTOR = 10.0;
/* A step must lower |F|^2 by this share of what the slope promises. */
static const double NEWTON_ARMIJO = 1e-4;
enum { NEWTON_HALVINGS = 12 };

typedef struct NewtonOptions {
    ConeOptions cone;
    int sweeps;
} NewtonOptions;

enum { NEWTON_AT, NEWTON_F, NEWTON_U, NEWTON_STEP, NEWTON_TRIAL, NEWTON_VECTORS };

typedef struct Newton {
    NewtonOptions options;
    double *vector[NEWTON_VECTORS];
    ConeFactor factor;
    double delta;
    int swept;
} Newton;

static void *newton_method_create(const void *options, Status *status)
{
    Newton *newton = cone_method_memory(sizeof *newton, status);
    if (newton)
        newton->options = *(const NewtonOptions *)options;
    return newton;
}

static void newton_method_destroy(void *self)
{
    Newton *newton = self;
    if (!newton)
        return;
    cone_vectors_free(newton->vector, NEWTON_VECTORS);
    cone_factor_free(&newton->factor);
    free(newton);
}

static bool newton_method_reserve(void *self, int blocks, int rows)
{
    Newton *newton = self;
    (void)blocks;
    return cone_vectors_reserve(newton->vector, NEWTON_VECTORS, rows) && cone_factor_reserve(&newton->factor, rows);
}

/* x = r - rho (u + mu |u_t| e_n): what is projected. */
static void newton_argument(const ConeBlock *block, double rho, const double *r, const double *u,
                            double x[CONE_MAX_SIZE])
{
    for (int a = 0; a < block->size; a++)
        x[a] = r[a] - rho * u[a];
    if (block->kind == CONE_CONTACT)
        x[0] -= rho * block->mu * cone_tangent_norm(block->size, u);
}

/* F and |F|^2 in velocities (w F), u = W r + q. */
static double newton_map(const ConeSystem *system, const double *r, double *u, double *F)
{
    double sum = 0.0;
    cone_system_velocity(system, r, u);
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        double x[CONE_MAX_SIZE] = {0}, w = cone_block_weight(system, i);
        newton_argument(block, 1.0 / w, r + block->first, u + block->first, x);
        cone_block_project(block, x);
        for (int a = 0; a < block->size; a++) {
            double f = r[block->first + a] - x[a];
            F[block->first + a] = f;
            sum += w * w * f * f;
        }
    }
    return sum;
}

/* P'(x) of the cone: the identity inside, zero in the polar cone; between them, with e = x_t/|x_t| and the projection
 * c (1, mu e), it is (1, mu e)(1, mu e)^T / (1 + mu^2) + mu c/|x_t| (1 - e e^T). */
static void cone_slope(int size, double mu, const double x[CONE_MAX_SIZE], double D[CONE_MAX_SIZE][CONE_MAX_SIZE])
{
    double t = cone_tangent_norm(size, x);
    memset(D, 0, sizeof(double[CONE_MAX_SIZE][CONE_MAX_SIZE]));
    if (t <= mu * x[0]) {
        for (int a = 0; a < size; a++)
            D[a][a] = 1.0;
    } else if (mu * t > -x[0]) {
        double c = (x[0] + mu * t) / (1.0 + mu * mu), ray[CONE_MAX_SIZE] = {1.0};
        for (int a = 1; a < size; a++)
            ray[a] = mu * x[a] / t;
        for (int a = 0; a < size; a++)
            for (int b = 0; b < size; b++) {
                double across = a > 0 && b > 0 ? (a == b) - x[a] * x[b] / (t * t) : 0.0;
                D[a][b] = ray[a] * ray[b] / (1.0 + mu * mu) + mu * c / t * across;
            }
    }
}

static void block_slope(const ConeBlock *block, const double x[CONE_MAX_SIZE], double D[CONE_MAX_SIZE][CONE_MAX_SIZE])
{
    if (block->kind == CONE_CONTACT) {
        cone_slope(block->size, block->mu, x, D);
        return;
    }
    memset(D, 0, sizeof(double[CONE_MAX_SIZE][CONE_MAX_SIZE]));
    for (int a = 0; a < block->size; a++)
        D[a][a] = block->kind == CONE_JOINT || (x[a] > block->lower[a] && x[a] < block->upper[a]);
}

/* P' S */
static void slope_times_saxce(const ConeBlock *block, const double *u, double D[CONE_MAX_SIZE][CONE_MAX_SIZE],
                              double PS[CONE_MAX_SIZE][CONE_MAX_SIZE])
{
    double slip = block->kind == CONE_CONTACT ? cone_tangent_norm(block->size, u) : 0.0;
    for (int a = 0; a < block->size; a++)
        for (int b = 0; b < block->size; b++)
            PS[a][b] = D[a][b] + (b > 0 && slip > 0.0 ? D[a][0] * block->mu * u[b] / slip : 0.0);
}

/* w F'_ij of block row i, with W_ii + delta w in the place of W_ii. */
static void newton_block_row(Newton *newton, const ConeSystem *system, int i, const double *r)
{
    const ConeBlock *block = &system->blocks[i];
    double x[CONE_MAX_SIZE] = {0}, D[CONE_MAX_SIZE][CONE_MAX_SIZE], PS[CONE_MAX_SIZE][CONE_MAX_SIZE],
           w = cone_block_weight(system, i);
    const double *u = newton->vector[NEWTON_U] + block->first;
    newton_argument(block, 1.0 / w, r + block->first, u, x);
    block_slope(block, x, D);
    slope_times_saxce(block, u, D, PS);
    for (int e = system->start[i]; e < system->start[i + 1]; e++) {
        int columns = system->blocks[system->column[e]].size;
        double *out = newton->factor.value + system->at[e];
        for (int a = 0; a < block->size; a++)
            for (int b = 0; b < columns; b++) {
                double sum = 0.0;
                for (int k = 0; k < block->size; k++)
                    sum += PS[a][k] * (cone_entry(system, e, k, b) +
                                       (e == system->diagonal[i] && k == b ? newton->delta * w : 0.0));
                out[a * columns + b] = sum + (e == system->diagonal[i] ? w * ((a == b) - D[a][b]) : 0.0);
            }
    }
}

static bool newton_direction(Newton *newton, const ConeSystem *system, const double *r)
{
    double *d = newton->vector[NEWTON_STEP];
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        double w = cone_block_weight(system, i);
        newton_block_row(newton, system, i, r);
        for (int a = block->first; a < block->first + block->size; a++)
            d[a] = -w * newton->vector[NEWTON_F][a];
    }
    if (!cone_factor(&newton->factor, system) || !cone_factor_solve(&newton->factor, d))
        return false;
    for (int a = 0; a < system->rows; a++)
        if (!isfinite(d[a]))
            return false;
    return true;
}

/* r + t d, t halved until |F|^2 falls; false if it never does. The trial's u and F are left. */
static bool newton_search(Newton *newton, const ConeSystem *system, double *r, double before)
{
    double *trial = newton->vector[NEWTON_TRIAL], t = 1.0;
    for (int k = 0; k < NEWTON_HALVINGS; k++, t *= 0.5) {
        memcpy(trial, r, sizeof *r * (size_t)system->rows);
        cone_add(trial, t, newton->vector[NEWTON_STEP], system->rows);
        double after = newton_map(system, trial, newton->vector[NEWTON_U], newton->vector[NEWTON_F]);
        if (after <= (1.0 - 2.0 * NEWTON_ARMIJO * t) * before) {
            memcpy(r, trial, sizeof *r * (size_t)system->rows);
            return true;
        }
    }
    return false;
}

static bool newton_method_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    Newton *newton = self;
    if (!cone_factor_values(&newton->factor, system))
        return status_set(status, STATUS_FAILED, "out of memory");
    memcpy(newton->vector[NEWTON_AT], r, sizeof *r * (size_t)system->rows);
    newton->delta = NEWTON_FIRST_DELTA;
    newton->swept = 0;
    return true;
}

/* One step from r, with more and more delta until it succeeds; false if it never does. */
static bool newton_step(Newton *newton, const ConeSystem *system, double *r)
{
    double before = newton_map(system, r, newton->vector[NEWTON_U], newton->vector[NEWTON_F]);
    while (before > 0.0) {
        if (newton_direction(newton, system, r) && newton_search(newton, system, r, before))
            break;
        newton->delta *= NEWTON_DELTA_FACTOR;
        if (newton->delta > NEWTON_MOST_DELTA)
            return false;
        newton_map(system, r, newton->vector[NEWTON_U], newton->vector[NEWTON_F]);
    }
    newton->delta = fmax(newton->delta / NEWTON_DELTA_FACTOR, NEWTON_LEAST_DELTA);
    return true;
}

/* The answer is the iterate put back on the cones, which it may leave by a little. */
static long newton_method_iterate(void *self, const ConeSystem *system, double *r)
{
    Newton *newton = self;
    double *at = newton->vector[NEWTON_AT];
    if (newton->swept < newton->options.sweeps) {
        newton->swept++;
        cone_sweep(system, 1.0, at);
    } else if (!newton_step(newton, system, at)) {
        newton->delta = NEWTON_FIRST_DELTA;
        cone_sweep(system, 1.0, at);
    }
    memcpy(r, at, sizeof *r * (size_t)system->rows);
    for (int i = 0; i < system->count; i++)
        cone_block_project(&system->blocks[i], r + system->blocks[i].first);
    return system->rows;
}

static const ConeMethod NEWTON_METHOD = {CONE_COULOMB,          newton_method_create, newton_method_destroy,
                                         newton_method_reserve, newton_method_begin,  newton_method_iterate};

static const Setting NEWTON_SETTINGS[] = {
    CONE_SETTINGS(30),
    PARAM_INT(NewtonOptions, sweeps, "Gauss-Seidel sweeps before the first Newton step, counted as iterations", 10, 0,
              1e6),
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
    .settings = NEWTON_SETTINGS,
    .setting_count = sizeof NEWTON_SETTINGS / sizeof NEWTON_SETTINGS[0],
    .options_size = sizeof(NewtonOptions),
    .row_bytes = 8000,
    .method = &NEWTON_METHOD,
    .conventions = NEWTON_CONVENTIONS,
    .convention_count = sizeof NEWTON_CONVENTIONS / sizeof NEWTON_CONVENTIONS[0],
};
