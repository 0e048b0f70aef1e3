/* SPDX-License-Identifier: MIT */
#include "solvers/linear/least_norm.h"

#include <math.h>

/* A pivot below this share of its diagonal is lost, and so is a row that moves less than this share of what it would
 * move free bodies: positions that are off by d, as inside a Runge-Kutta step, make dependent rows look independent by
 * d^2. */
#define PIVOT_LOST 1e-9

bool least_norm_init(LeastNorm *system, Arrays *owner, size_t most)
{
    *system = (LeastNorm){0};
    return OWN_ARRAY(owner, system->W, most * most) && OWN_ARRAY(owner, system->G, most * most) &&
           OWN_ARRAY(owner, system->Q, most * most) && OWN_ARRAY(owner, system->R, most * most) &&
           OWN_ARRAY(owner, system->scale, most) && OWN_ARRAY(owner, system->pivot, most) &&
           OWN_ARRAY(owner, system->y, most);
}

void least_norm_scale(LeastNorm *system, int i, double moved, double free)
{
    system->scale[i] = moved > PIVOT_LOST * free ? 1.0 / sqrt(moved) : 0.0;
}

static void scale_rows(LeastNorm *system)
{
    int n = system->count;
    double *W = system->W;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            W[i * n + j] = W[j * n + i] = 0.5 * (W[i * n + j] + W[j * n + i]) * system->scale[i] * system->scale[j];
}

/* The row that has most of its diagonal left after r columns of G, or -1; *left is that much. */
static int find_pivot(const LeastNorm *system, int r, double *left)
{
    int n = system->count, best = -1;
    *left = PIVOT_LOST;
    for (int i = 0; i < n; i++) {
        double rest = system->W[i * n + i];
        for (int k = 0; k < r; k++)
            rest -= system->G[i * n + k] * system->G[i * n + k];
        if (rest > *left) {
            *left = rest;
            best = i;
        }
    }
    return best;
}

/* W = G G^T, G of n x rank, row i of G that of row i of W; the rows of the pivots are a triangle. */
static void factor(LeastNorm *system)
{
    int n = system->count, best;
    double *G = system->G, left;
    for (system->rank = 0; system->rank < n && (best = find_pivot(system, system->rank, &left)) >= 0; system->rank++) {
        int r = system->rank;
        system->pivot[r] = best;
        for (int i = 0; i < n; i++) {
            double sum = system->W[i * n + best];
            for (int k = 0; k < r; k++)
                sum -= G[i * n + k] * G[best * n + k];
            G[i * n + r] = sum / sqrt(left);
        }
        for (int k = 0; k < r; k++) /* done with: nothing of their diagonal is left but round-off */
            G[system->pivot[k] * n + r] = 0.0;
    }
}

/* G = Q R by Gram and Schmidt, each column made normal to the others twice, which is as good as once exactly. */
static void orthogonalise(LeastNorm *system)
{
    int n = system->count;
    double *Q = system->Q, *R = system->R;
    memcpy(Q, system->G, sizeof *Q * (size_t)n * (size_t)n);
    for (int c = 0; c < system->rank; c++) {
        for (int k = 0; k <= c; k++)
            R[k * n + c] = 0.0;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < c; k++) {
                double dot = 0.0;
                for (int i = 0; i < n; i++)
                    dot += Q[i * n + k] * Q[i * n + c];
                R[k * n + c] += dot;
                for (int i = 0; i < n; i++)
                    Q[i * n + c] -= dot * Q[i * n + k];
            }
        double square = 0.0;
        for (int i = 0; i < n; i++)
            square += Q[i * n + c] * Q[i * n + c];
        R[c * n + c] = sqrt(square);
        for (int i = 0; i < n; i++)
            Q[i * n + c] /= R[c * n + c];
    }
}

void least_norm_factor(LeastNorm *system)
{
    scale_rows(system);
    factor(system);
    orthogonalise(system);
}

/* G_p y = b_p, and of all x that G^T x = y the shortest, x = Q R^-T y. */
void least_norm_solve(LeastNorm *system, const double *b, double *x)
{
    int n = system->count;
    double *y = system->y;
    for (int r = 0; r < system->rank; r++) {
        int row = system->pivot[r];
        y[r] = system->scale[row] * b[row];
        for (int k = 0; k < r; k++)
            y[r] -= system->G[row * n + k] * y[k];
        y[r] /= system->G[row * n + r];
    }
    for (int r = 0; r < system->rank; r++) {
        for (int k = 0; k < r; k++)
            y[r] -= system->R[k * n + r] * y[k];
        y[r] /= system->R[r * n + r];
    }
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int r = 0; r < system->rank; r++)
            sum += system->Q[i * n + r] * y[r];
        x[i] = system->scale[i] * sum;
    }
}
