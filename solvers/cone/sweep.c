#include "solvers/cone/sweep.h"

#include "solvers/cone/projection.h"

#include <stdlib.h>

/* Tangents whose 2 x 2 matrix has a determinant below this share of its diagonal's product take the common step. */
static const double SINGULAR_TANGENTS = 1e-12;

/* The inverse of the largest eigenvalue of the tangents' symmetric part: the longest step that contracts. */
static double common_step(double a, double b, double c)
{
    double mean = 0.5 * (a + c), half = 0.5 * (a - c), largest = mean + sqrt(half * half + b * b);
    return largest > 0.0 ? 1.0 / largest : 0.0;
}

/* r_t where the slip stops; false if it is beyond the limit, or the matrix is singular. */
static bool tangents_stop(const double A[2][2], const double u[2], const double r[2], double limit, double next[2])
{
    double determinant = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    if (!(fabs(determinant) > SINGULAR_TANGENTS * fabs(A[0][0] * A[1][1])))
        return false;
    next[0] = r[0] - (A[1][1] * u[0] - A[0][1] * u[1]) / determinant;
    next[1] = r[1] - (A[0][0] * u[1] - A[1][0] * u[0]) / determinant;
    return next[0] * next[0] + next[1] * next[1] <= limit * limit;
}

/* A step against the slip and back to the disc. */
static void tangents_slide(double step, const double u[2], const double r[2], double limit, double next[2])
{
    next[0] = r[0] - step * u[0];
    next[1] = r[1] - step * u[1];
    double size = sqrt(next[0] * next[0] + next[1] * next[1]);
    if (size > limit) {
        next[0] *= limit / size;
        next[1] *= limit / size;
    }
}

static void contact_tangents(const ConeSystem *system, int i, double share, const double *u, double *r)
{
    int e = system->diagonal[i], size = system->blocks[i].size;
    double limit = system->blocks[i].mu * r[0], next[2];
    if (size == 2) {
        double w = share * cone_entry(system, e, 1, 1);
        r[1] = w > 0.0 ? fmin(fmax(r[1] - u[1] / w, -limit), limit) : 0.0;
    } else if (size == 3) {
        double A[2][2] = {{share * cone_entry(system, e, 1, 1), share * cone_entry(system, e, 1, 2)},
                          {share * cone_entry(system, e, 2, 1), share * cone_entry(system, e, 2, 2)}};
        if (!tangents_stop(A, u + 1, r + 1, limit, next))
            tangents_slide(common_step(A[0][0], 0.5 * (A[0][1] + A[1][0]), A[1][1]), u + 1, r + 1, limit, next);
        r[1] = next[0];
        r[2] = next[1];
    }
}

/* A row by itself; returns its change. */
static double row_solve(const ConeBlock *block, int a, double w, double relaxation, double u, double *r)
{
    double before = r[a], lower = block->kind == CONE_BOUNDS ? block->lower[a] : -INFINITY,
           upper = block->kind == CONE_BOUNDS ? block->upper[a] : INFINITY;
    if (block->kind == CONE_CONTACT)
        lower = 0.0;
    if (w > 0.0)
        r[a] = fmin(fmax(r[a] - relaxation * u / w, lower), upper);
    return r[a] - before;
}

void cone_block_solve(const ConeSystem *system, int i, double relaxation, double share, double u[CONE_MAX_SIZE],
                      double r[CONE_MAX_SIZE])
{
    const ConeBlock *block = &system->blocks[i];
    int e = system->diagonal[i], alone = block->kind == CONE_CONTACT ? 1 : block->size;
    for (int a = 0; a < alone; a++) {
        double d = row_solve(block, a, share * cone_entry(system, e, a, a), relaxation, u[a], r);
        for (int b = 0; b < block->size; b++)
            u[b] += share * cone_entry(system, e, b, a) * d;
    }
    if (block->kind == CONE_CONTACT)
        contact_tangents(system, i, share, u, r);
}

long cone_sweep(const ConeSystem *system, double relaxation, double *r)
{
    for (int i = 0; i < system->count; i++) {
        double u[CONE_MAX_SIZE];
        cone_block_velocity(system, i, r, u);
        cone_block_solve(system, i, relaxation, 1.0, u, r + system->blocks[i].first);
    }
    return system->rows;
}

static void *sweep_create(const void *options)
{
    ConeSweepOptions *self = malloc(sizeof *self);
    if (self)
        *self = *(const ConeSweepOptions *)options;
    return self;
}

static bool sweep_reserve(void *self, int blocks, int rows)
{
    (void)self, (void)blocks, (void)rows;
    return true;
}

static bool sweep_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    (void)self, (void)r;
    for (int i = 0; i < system->count; i++)
        for (int a = 0; a < system->blocks[i].size; a++)
            if (!(cone_entry(system, system->diagonal[i], a, a) >= 0.0))
                return status_set(status, STATUS_UNSUPPORTED, "row %d of W has a negative diagonal",
                                  system->blocks[i].first + a);
    return true;
}

static long sweep_iterate(void *self, const ConeSystem *system, double *r)
{
    return cone_sweep(system, ((const ConeSweepOptions *)self)->relaxation, r);
}

const ConeMethod cone_sweep_method = {CONE_COULOMB, sweep_create, free, sweep_reserve, sweep_begin, sweep_iterate};
