/* SPDX-License-Identifier: MIT */
#include "solvers/systems/kkt_matrix.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* A reciprocal condition below this is that of dependent rows: round-off, 1e-16, grown by the elimination. Independent
 * rows of the stiffest scenes stay above 1e-10. */
#define KKT_SINGULAR 1e-13
/* dsytrf is fastest with so many columns of scratch. */
enum { KKT_WORK_COLUMNS = 64 };

static bool kkt_turns(const World *world, int body)
{
    return world->mass[body].inv_inertia.x != 0.0;
}

static void kkt_number_motions(KktMatrix *matrix, const World *world)
{
    matrix->motions = 0;
    for (int i = 0; i < world->body_count; i++) {
        bool fixed = world_is_fixed(world, i);
        matrix->first[i] = fixed ? -1 : matrix->motions;
        matrix->motions += fixed ? 0 : kkt_turns(world, i) ? 6 : 3;
    }
}

bool kkt_matrix_init(KktMatrix *matrix, const World *world, int rows)
{
    *matrix = (KktMatrix){0};
    Arrays *own = &matrix->arrays;
    if (!OWN_ARRAY(own, matrix->first, (size_t)world->body_count))
        return false;
    kkt_number_motions(matrix, world);
    matrix->capacity = matrix->motions + rows + 1;
    matrix->work_size = KKT_WORK_COLUMNS * matrix->capacity;
    size_t n = (size_t)matrix->capacity;
    return OWN_ARRAY(own, matrix->A, n * n) && OWN_ARRAY(own, matrix->b, n) && OWN_ARRAY(own, matrix->scale, n) &&
           OWN_ARRAY(own, matrix->work, KKT_WORK_COLUMNS * n) && OWN_ARRAY(own, matrix->pivot, n) &&
           OWN_ARRAY(own, matrix->iwork, n);
}

void kkt_matrix_free(KktMatrix *matrix)
{
    arrays_free(&matrix->arrays);
}

/* Entry (i, j) of the lower triangle, i >= j, of n unknowns. */
static double *kkt_at(KktMatrix *matrix, int n, int i, int j)
{
    return &matrix->A[(size_t)j * (size_t)n + (size_t)i];
}

/* M of every body, and M u_free on the right. */
static void kkt_fill_masses(KktMatrix *matrix, const World *world, int n, const Velocity *u)
{
    for (int i = 1; i < world->body_count; i++) {
        int at = matrix->first[i];
        if (at < 0)
            continue;
        double v[3] = {u[i].v.x, u[i].v.y, u[i].v.z};
        for (int k = 0; k < 3; k++) {
            *kkt_at(matrix, n, at + k, at + k) = world->mass[i].mass;
            matrix->b[at + k] = world->mass[i].mass * v[k];
        }
        if (!kkt_turns(world, i))
            continue;
        Mat3 inertia = mat3_turn_diagonal(world->pose[i].q, world->mass[i].inertia);
        Vec3 spin = mat3_mul_vec(inertia, u[i].w);
        for (int r = 0; r < 3; r++) {
            matrix->b[at + 3 + r] = vec3_get(spin, r);
            for (int c = 0; c <= r; c++)
                *kkt_at(matrix, n, at + 3 + r, at + 3 + c) = inertia.m[r][c];
        }
    }
    for (int i = 0; i < matrix->motions; i++)
        matrix->scale[i] = 1.0 / sqrt(*kkt_at(matrix, n, i, i));
}

/* J of the rows that take part, below M, and -bias on the right. */
static void kkt_fill_rows(KktMatrix *matrix, const World *world, const KktRows *rows, int n)
{
    for (int b = 0; b < rows->system->count; b++) {
        const RowBlock *rb = &rows->system->blocks[b];
        if (rows->first[b] < 0)
            continue;
        int bodies = row_block_bodies(rb), width = row_block_width(rb);
        for (int i = 0; i < rb->count; i++) {
            int row = matrix->motions + rows->first[b] + i;
            matrix->b[row] = -rows->bias[b][i];
            matrix->scale[row] = 1.0 / sqrt(rb->A[i][i]);
            *kkt_at(matrix, n, row, row) = rows->soft ? -rows->soft[b] : 0.0;
            for (int k = 0; k < bodies; k++) {
                int body = rb->body[k], at = matrix->first[body], turns = at >= 0 && kkt_turns(world, body);
                for (int c = 0; at >= 0 && c < (turns ? width : 3); c++)
                    *kkt_at(matrix, n, row, at + c) = rb->J[i][width * k + c];
            }
        }
    }
}

/* D A D and D b; returns the largest column sum of |D A D|, its norm. */
static double kkt_scale(KktMatrix *matrix, int n)
{
    double *sums = matrix->work, norm = 0.0;
    memset(sums, 0, sizeof *sums * (size_t)n);
    for (int j = 0; j < n; j++) {
        matrix->b[j] *= matrix->scale[j];
        for (int i = j; i < n; i++) {
            double *a = kkt_at(matrix, n, i, j);
            *a *= matrix->scale[i] * matrix->scale[j];
            sums[j] += fabs(*a);
            sums[i] += i > j ? fabs(*a) : 0.0;
        }
    }
    for (int j = 0; j < n; j++)
        norm = fmax(norm, sums[j]);
    return norm;
}

/* D A D = L D' L^T with pivoting; b becomes the solution of A. False: singular. */
static bool kkt_factor_and_solve(KktMatrix *matrix, int n)
{
    double norm = kkt_scale(matrix, n), condition = 0.0;
    if (LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, matrix->A, n, matrix->pivot, matrix->work, matrix->work_size) !=
        0)
        return false;
    if (LAPACKE_dsycon_work(LAPACK_COL_MAJOR, 'L', n, matrix->A, n, matrix->pivot, norm, &condition, matrix->work,
                            matrix->iwork) != 0 ||
        !(condition > KKT_SINGULAR))
        return false;
    if (LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, 1, matrix->A, n, matrix->pivot, matrix->b, n) != 0)
        return false;
    for (int i = 0; i < n; i++)
        matrix->b[i] *= matrix->scale[i];
    return true;
}

bool kkt_matrix_solve(KktMatrix *matrix, const World *world, const KktRows *rows, Velocity *u, double *lambda)
{
    kkt_number_motions(matrix, world);
    int n = matrix->motions + rows->count;
    if (n == 0)
        return true;
    memset(matrix->A, 0, sizeof *matrix->A * (size_t)n * (size_t)n);
    kkt_fill_masses(matrix, world, n, u);
    kkt_fill_rows(matrix, world, rows, n);
    if (!kkt_factor_and_solve(matrix, n))
        return false;
    for (int i = 1; i < world->body_count; i++) {
        const double *x = matrix->b + matrix->first[i];
        if (matrix->first[i] < 0)
            continue;
        u[i].v = vec3(x[0], x[1], x[2]);
        if (kkt_turns(world, i))
            u[i].w = vec3(x[3], x[4], x[5]);
    }
    for (int i = 0; i < rows->count; i++)
        lambda[i] = -matrix->b[matrix->motions + i];
    return true;
}
