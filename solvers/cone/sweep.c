/* SPDX-License-Identifier: MIT */
#include "solvers/cone/sweep.h"

#include "solvers/cone/projection.h"

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

static void contact_tangents(const ConeBlock *block, const double *A, const double *u, double *r)
{
    double limit = block->mu * r[0], next[2];
    if (block->size == 2) {
        r[1] = A[3] > 0.0 ? fmin(fmax(r[1] - u[1] / A[3], -limit), limit) : 0.0;
    } else if (block->size == 3) {
        double T[2][2] = {{A[4], A[5]}, {A[7], A[8]}};
        if (!tangents_stop(T, u + 1, r + 1, limit, next))
            tangents_slide(common_step(A[4], 0.5 * (A[5] + A[7]), A[8]), u + 1, r + 1, limit, next);
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

void cone_block_solve(const ConeBlock *block, const double *A, double relaxation, double u[CONE_MAX_SIZE],
                      double r[CONE_MAX_SIZE])
{
    int n = block->size, alone = block->kind == CONE_CONTACT ? 1 : n;
    for (int a = 0; a < alone; a++) {
        double d = row_solve(block, a, A[a * n + a], relaxation, u[a], r);
        for (int b = 0; b < n; b++)
            u[b] += A[b * n + a] * d;
    }
    if (block->kind == CONE_CONTACT)
        contact_tangents(block, A, u, r);
}

long cone_sweep(const ConeSystem *system, double relaxation, double *r)
{
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        double u[CONE_MAX_SIZE];
        cone_block_velocity(system, i, r, u);
        cone_block_solve(block, system->value + system->at[system->diagonal[i]], relaxation, u, r + block->first);
    }
    return system->rows;
}
