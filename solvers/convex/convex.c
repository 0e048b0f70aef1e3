/* SPDX-License-Identifier: MIT */
#include "solvers/convex/hessian.h"

#include <math.h>
#include <string.h>

/* The search ends when the slope along the step is this share of what it was: round-off. */
static const double SLOPE_LEFT = 1e-15;
enum { SEARCH_MAX = 60 };

bool convex_reserve(ConvexProblem *problem, int unknowns, int rows, int entries, bool grouped)
{
    ConvexProblem *p = problem;
    p->grouped = grouped;
    if (!(p->hessian || (p->hessian = hessian_create())) || !hessian_reserve(p->hessian, unknowns, grouped))
        return false;
    if (p->arrays.last && unknowns <= p->unknown_capacity && rows <= p->row_capacity && entries <= p->entry_capacity)
        return true;
    size_t n = (size_t)unknowns, m = (size_t)rows;
    Arrays *own = &p->arrays;
    arrays_free(own);
    bool ok = OWN_ARRAY(own, p->M, n * (grouped ? 6 : n)) && OWN_ARRAY(own, p->a0, n) && OWN_ARRAY(own, p->a, n) &&
              OWN_ARRAY(own, p->moved, n) && OWN_ARRAY(own, p->gradient, n) && OWN_ARRAY(own, p->p, n) &&
              OWN_ARRAY(own, p->Mp, n) && OWN_ARRAY(own, p->start, m + 1) && OWN_ARRAY(own, p->D, m) &&
              OWN_ARRAY(own, p->aref, m) && OWN_ARRAY(own, p->z, m) && OWN_ARRAY(own, p->force, m) &&
              OWN_ARRAY(own, p->Jp, m) && OWN_ARRAY(own, p->blocks, m) && OWN_ARRAY(own, p->column, (size_t)entries) &&
              OWN_ARRAY(own, p->value, (size_t)entries);
    p->unknown_capacity = ok ? unknowns : -1;
    p->row_capacity = rows;
    p->entry_capacity = entries;
    return ok;
}

void convex_free(ConvexProblem *problem)
{
    arrays_free(&problem->arrays);
    hessian_destroy(problem->hessian);
}

void convex_clear(ConvexProblem *problem, int unknowns)
{
    problem->unknowns = unknowns;
    problem->rows = problem->block_count = problem->entries = 0;
    problem->start[0] = 0;
    memset(problem->M, 0, sizeof *problem->M * (size_t)unknowns * (size_t)(problem->grouped ? 6 : unknowns));
}

void convex_add_entry(ConvexProblem *problem, int column, double value)
{
    int at = problem->entries++;
    problem->column[at] = column;
    problem->value[at] = value;
}

void convex_end_row(ConvexProblem *problem, double D, double aref)
{
    problem->D[problem->rows] = D;
    problem->aref[problem->rows] = aref;
    problem->start[++problem->rows] = problem->entries;
}

/* y = M x */
static void times_mass(const ConvexProblem *problem, const double *x, double *y)
{
    int n = problem->unknowns, width = problem->grouped ? 6 : n;
    for (int i = 0; i < n; i++) {
        const double *row = problem->M + (size_t)i * (size_t)width;
        int from = problem->grouped ? i / 6 * 6 : 0;
        y[i] = 0.0;
        for (int j = 0; j < width; j++)
            y[i] += row[j] * x[from + j];
    }
}

static double row_dot(const ConvexProblem *problem, int i, const double *x)
{
    double sum = 0.0;
    for (int k = problem->start[i]; k < problem->start[i + 1]; k++)
        sum += problem->value[k] * x[problem->column[k]];
    return sum;
}

/* f and, where asked for, s'' of a row alone. */
static void row_force(const ConvexBlock *block, double D, double z, double *f, double *H)
{
    double free_force = -D * z;
    bool inside = free_force > block->lower && free_force < block->upper;
    *f = inside ? free_force : free_force <= block->lower ? block->lower : block->upper;
    if (H)
        *H = inside ? D : 0.0;
}

/* The middle of a cone: with g = n - mu T, f = -Dm g grad g and s'' = Dm (grad g grad g^T + g g''). */
static void cone_middle(const ConvexBlock *block, double Dm, const double t[], double g, double T, double *f, double *H)
{
    double slope[CONVEX_MAX_SIZE] = {block->mu};
    int count = block->count;
    for (int j = 1; j < count; j++)
        slope[j] = -block->mu * block->friction[j - 1] * t[j] / T;
    for (int i = 0; i < count; i++)
        f[i] = -Dm * g * slope[i];
    for (int i = 0; H && i < count; i++)
        for (int j = 0; j < count; j++) {
            H[i * count + j] = Dm * slope[i] * slope[j];
            if (i > 0 && j > 0)
                H[i * count + j] -= Dm * g * block->mu * block->friction[i - 1] * block->friction[j - 1] *
                                    ((i == j) / T - t[i] * t[j] / (T * T * T));
        }
}

static void cone_force(const ConvexBlock *block, const double *D, const double *z, double *f, double *H)
{
    int count = block->count;
    double t[CONVEX_MAX_SIZE], T = 0.0, n = block->mu * z[0];
    for (int j = 1; j < count; j++) {
        t[j] = block->friction[j - 1] * z[j];
        T += t[j] * t[j];
    }
    T = sqrt(T);
    memset(f, 0, sizeof *f * (size_t)count);
    if (H)
        memset(H, 0, sizeof *H * (size_t)(count * count));
    if (n >= block->mu * T)
        return;
    if (block->mu * n + T <= 0.0) {
        for (int i = 0; i < count; i++) {
            f[i] = -D[i] * z[i];
            if (H)
                H[i * count + i] = D[i];
        }
        return;
    }
    double mu2 = block->mu * block->mu;
    cone_middle(block, D[0] / (mu2 * (1.0 + mu2)), t, n - block->mu * T, T, f, H);
}

static void block_force(const ConvexProblem *problem, const ConvexBlock *block, const double *z, double *f, double *H)
{
    if (block->cone)
        cone_force(block, problem->D + block->first, z, f, H);
    else
        row_force(block, problem->D[block->first], z[0], f, H);
}

void convex_evaluate(ConvexProblem *problem)
{
    int n = problem->unknowns;
    for (int i = 0; i < n; i++)
        problem->p[i] = problem->a[i] - problem->a0[i];
    times_mass(problem, problem->p, problem->moved);
    memcpy(problem->gradient, problem->moved, sizeof *problem->gradient * (size_t)n);
    for (int i = 0; i < problem->rows; i++)
        problem->z[i] = row_dot(problem, i, problem->a) - problem->aref[i];
    for (int b = 0; b < problem->block_count; b++) {
        const ConvexBlock *block = &problem->blocks[b];
        block_force(problem, block, problem->z + block->first, problem->force + block->first, NULL);
    }
    for (int i = 0; i < problem->rows; i++)
        for (int k = problem->start[i]; k < problem->start[i + 1]; k++)
            problem->gradient[problem->column[k]] -= problem->value[k] * problem->force[i];
}

bool convex_begin(ConvexProblem *problem)
{
    convex_evaluate(problem);
    return hessian_begin(problem->hessian, problem);
}

/* Slope and curvature of the objective at a + t p. */
static void along(const ConvexProblem *problem, double t, double *slope, double *curvature)
{
    *slope = *curvature = 0.0;
    for (int i = 0; i < problem->unknowns; i++) {
        *slope += problem->p[i] * (problem->moved[i] + t * problem->Mp[i]);
        *curvature += problem->p[i] * problem->Mp[i];
    }
    for (int b = 0; b < problem->block_count; b++) {
        const ConvexBlock *block = &problem->blocks[b];
        const double *Jp = problem->Jp + block->first;
        double z[CONVEX_MAX_SIZE], f[CONVEX_MAX_SIZE], s[CONVEX_MAX_SIZE * CONVEX_MAX_SIZE];
        for (int i = 0; i < block->count; i++)
            z[i] = problem->z[block->first + i] + t * Jp[i];
        block_force(problem, block, z, f, s);
        for (int i = 0; i < block->count; i++) {
            *slope -= f[i] * Jp[i];
            for (int j = 0; j < block->count; j++)
                *curvature += s[i * block->count + j] * Jp[i] * Jp[j];
        }
    }
}

/* Where the slope along p vanishes: Newton's method, kept between two points that enclose it. */
static double search(const ConvexProblem *problem)
{
    double slope, curvature, low = 0.0, high = INFINITY, t = 0.0;
    along(problem, 0.0, &slope, &curvature);
    double enough = SLOPE_LEFT * fabs(slope);
    for (int i = 0; i < SEARCH_MAX && fabs(slope) > enough && curvature > 0.0; i++) {
        *(slope < 0.0 ? &low : &high) = t;
        t -= slope / curvature;
        if (!(t > low && t < high))
            t = isinf(high) ? 2.0 * low + 1.0 : 0.5 * (low + high);
        if (t == low || t == high)
            break;
        along(problem, t, &slope, &curvature);
    }
    return t;
}

bool convex_step(ConvexProblem *problem)
{
    int n = problem->unknowns;
    hessian_clear(problem->hessian, problem);
    for (int b = 0; b < problem->block_count; b++) {
        const ConvexBlock *block = &problem->blocks[b];
        double f[CONVEX_MAX_SIZE], s[CONVEX_MAX_SIZE * CONVEX_MAX_SIZE];
        block_force(problem, block, problem->z + block->first, f, s);
        hessian_add(problem->hessian, problem, block, s);
    }
    for (int i = 0; i < n; i++)
        problem->p[i] = -problem->gradient[i];
    if (!hessian_solve(problem->hessian, problem, problem->p))
        return false;
    times_mass(problem, problem->p, problem->Mp);
    for (int i = 0; i < problem->rows; i++)
        problem->Jp[i] = row_dot(problem, i, problem->p);
    double t = search(problem);
    for (int i = 0; i < n; i++)
        problem->a[i] += t * problem->p[i];
    convex_evaluate(problem);
    return true;
}

double convex_residual(const ConvexProblem *problem)
{
    double sum = 0.0, trace = 0.0;
    for (int i = 0; i < problem->unknowns; i++) {
        sum += problem->gradient[i] * problem->gradient[i];
        trace += convex_mass(problem, i, i);
    }
    return trace > 0.0 ? sqrt(sum) / trace : 0.0;
}
