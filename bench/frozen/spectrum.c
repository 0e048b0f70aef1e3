/* SPDX-License-Identifier: MIT */
#include "bench/frozen/spectrum.h"

#include "solvers/motion.h"
#include "solvers/systems/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* An eigenvalue below this share of the largest, with unit diagonal, is zero: it stands for dependent rows. */
#define SPECTRUM_ZERO 1e-11
/* Which rows act is looked for until this is left, or so many sweeps are done: that is known long before lambda is. */
#define ACTIVE_RESIDUAL 1e-9
enum { ACTIVE_SWEEPS = 2000 };
/* Friction this close to its bound slides. */
#define SLIDES (1.0 - 1e-9)

typedef struct SpectrumWork {
    Motion motion;
    RowSystem system;
    Dense dense;
    double *matrix, *scaled, *solved, *errors, *real, *imaginary, *soft;
    Velocity *velocity, *before;
    int *free_rows; /* of each block */
    int *share;     /* of each body: the blocks that it is split among */
    int *coloured;  /* blocks in the order of their colours */
    int *row_order; /* rows in that order */
} SpectrumWork;

/* The rows of a block that are not at a bound of their own: the ones that an iteration still changes as it ends. */
static int spectrum_free_rows(const RowBlock *rb)
{
    if (rb->count == 0 || rb->A[0][0] == 0.0 || rb->lambda[0] == rb->lower[0] || rb->lambda[0] == rb->upper[0])
        return 0;
    if (rb->kind == ROWS_CONTACT && hypot(rb->lambda[1], rb->lambda[2]) >= SLIDES * rb->mu * rb->lambda[0])
        return 1;
    return rb->count;
}

/* Blocks that do not push count, too: a body is split before that is known. */
static void spectrum_count_shares(SpectrumWork *work, const World *world)
{
    const RowSystem *system = &work->system;
    memset(work->share, 0, sizeof *work->share * (size_t)world->body_count);
    for (int b = 0; b < system->count; b++)
        for (int k = 0; system->blocks[b].count > 0 && k < row_block_bodies(&system->blocks[b]); k++)
            work->share[system->blocks[b].body[k]]++;
}

/* Rows as the step of length h has them, without those that are at a bound when the step is solved. */
static void spectrum_prepare(SpectrumWork *work, World *world, double h)
{
    RowSystem *system = &work->system;
    RowSetup search = {.h = h, .relaxation = 1.0, .keep = 1.0, .manifold = true};
    motion_begin(&work->motion, world, h);
    memcpy(work->velocity, world->velocity, sizeof *work->velocity * (size_t)world->body_count);
    row_system_prepare(system, world, &search);
    row_system_apply(system, work->velocity);
    for (int i = 0; i < ACTIVE_SWEEPS && row_system_residual(system, work->velocity) > ACTIVE_RESIDUAL; i++)
        row_system_sweep(system, work->velocity, NULL);
    for (int b = 0; b < system->count; b++)
        work->free_rows[b] = spectrum_free_rows(&system->blocks[b]);
    row_system_prepare(system, world, &(RowSetup){.h = h, .relaxation = 1.0});
    row_system_unpack(system);
    spectrum_count_shares(work, world);
    system->rows = 0;
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        rb->count = work->free_rows[b];
        system->rows += rb->count;
        if (rb->kind == ROWS_CONTACT && rb->count == 1)
            rb->kind = ROWS_BOUNDED;
    }
    dense_assemble(&work->dense, system, world);
}

/* Of A in 1/kg: rows of angles count by their length at the length scale. */
static bool spectrum_eigenvalues(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows;
    const RowSystem *system = &work->system;
    memcpy(work->matrix, work->dense.A, sizeof *work->matrix * (size_t)n * (size_t)n);
    for (int b = 0, row = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++, row++) {
            cblas_dscal(n, system->blocks[b].metres, work->matrix + row * (long)n, 1);
            cblas_dscal(n, system->blocks[b].metres, work->matrix + row, n);
        }
    return LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, work->matrix, n, spectrum->eigenvalues) == 0;
}

/* S = D^-1/2 A D^-1/2 = Q m Q^T: the rank, and Jacobi's radius max |1 - m|. Leaves S in `scaled`, Q in `matrix`. */
static bool spectrum_jacobi(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows;
    const double *A = work->dense.A;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double d = A[i * (long)n + i] * A[j * (long)n + j];
            work->scaled[i * (long)n + j] = d > 0.0 ? A[i * (long)n + j] / sqrt(d) : 0.0;
        }
    memcpy(work->matrix, work->scaled, sizeof *work->matrix * (size_t)n * (size_t)n);
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', n, work->matrix, n, work->real) != 0)
        return false;
    for (int i = 0; i < n; i++) {
        if (work->real[i] <= SPECTRUM_ZERO * work->real[n - 1])
            continue;
        spectrum->rank++;
        spectrum->jacobi = fmax(spectrum->jacobi, fabs(1.0 - work->real[i]));
    }
    return true;
}

/* W = Q m^1/2 without the null space, in place of Q: S = W W^T. */
static void spectrum_root(const Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows, rank = spectrum->rank, null = n - rank;
    double *W = work->matrix;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < rank; j++)
            W[i * (long)n + j] = W[i * (long)n + null + j] * sqrt(work->real[null + j]);
}

/* With P^-1 W in `solved`, the errors of J V follow 1 - W^T P^-1 W: the matrix 1 - P^-1 S without its eigenvalues 1,
 * which round-off would smear over the others. */
static bool spectrum_radius(const Spectrum *spectrum, SpectrumWork *work, double *radius)
{
    int n = spectrum->rows, rank = spectrum->rank;
    double *W = work->matrix, *solved = work->solved, *E = work->errors;
    memset(E, 0, sizeof *E * (size_t)n * (size_t)n);
    for (int i = 0; i < rank; i++)
        E[i * (long)n + i] = 1.0;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rank, rank, n, -1.0, W, n, solved, n, 1.0, E, n);
    if (LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', rank, E, n, work->real, work->imaginary, NULL, n, NULL, n) != 0)
        return false;
    for (int i = 0; i < rank; i++)
        *radius = fmax(*radius, hypot(work->real[i], work->imaginary[i]));
    return true;
}

/* P = 1 + L of S = 1 + L + L^T. */
static bool spectrum_gauss_seidel(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows;
    memcpy(work->solved, work->matrix, sizeof *work->matrix * (size_t)n * (size_t)n);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, spectrum->rank, 1.0, work->scaled, n,
                work->solved, n);
    return spectrum_radius(spectrum, work, &spectrum->gauss_seidel);
}

/* Row a and column b of what a block's split bodies feel. */
static double spectrum_split_entry(const SpectrumWork *work, const RowBlock *rb, int a, int b)
{
    int bodies = row_block_bodies(rb), width = row_block_width(rb);
    double sum = a == b ? rb->soft[a] : 0.0;
    for (int c = 0; c < bodies * width; c++) /* B of a fixed body is zero */
        sum += work->share[rb->body[c / width]] * rb->J[a][c] * rb->B[b][c];
    return sum;
}

/* x <- P^-1 x of a block's rows, `stride` apart: one after the other, but a contact's two tangents together. */
static void spectrum_split_solve(const SpectrumWork *work, const RowBlock *rb, double *x, long stride)
{
    bool contact = rb->kind == ROWS_CONTACT && rb->count == 3;
    for (int a = 0; a < (contact ? 1 : rb->count); a++) {
        x[a * stride] /= spectrum_split_entry(work, rb, a, a);
        for (int b = a + 1; b < rb->count; b++)
            x[b * stride] -= spectrum_split_entry(work, rb, b, a) * x[a * stride];
    }
    if (contact) {
        double a = spectrum_split_entry(work, rb, 1, 1), b = spectrum_split_entry(work, rb, 1, 2),
               c = spectrum_split_entry(work, rb, 2, 2), one = x[stride], two = x[2 * stride];
        x[stride] = (c * one - b * two) / (a * c - b * b);
        x[2 * stride] = (a * two - b * one) / (a * c - b * b);
    }
}

/* S and W are scaled by D^-1/2, so P^-1 is by D^1/2. */
static bool spectrum_jacobi_split(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows, row = 0;
    double *x = work->solved;
    memcpy(x, work->matrix, sizeof *x * (size_t)n * (size_t)n);
    for (int b = 0; b < work->system.count; row += work->system.blocks[b++].count) {
        const RowBlock *rb = &work->system.blocks[b];
        for (int i = row; i < row + rb->count; i++)
            cblas_dscal(spectrum->rank, sqrt(work->dense.A[i * (long)n + i]), x + i * (long)n, 1);
        for (int j = 0; rb->count > 0 && j < spectrum->rank; j++)
            spectrum_split_solve(work, rb, x + row * (long)n + j, n);
        for (int i = row; i < row + rb->count; i++)
            cblas_dscal(spectrum->rank, sqrt(work->dense.A[i * (long)n + i]), x + i * (long)n, 1);
    }
    return spectrum_radius(spectrum, work, &spectrum->jacobi_split);
}

static void spectrum_order_rows(const SpectrumWork *work, int rows)
{
    int *first = work->free_rows, at = 0; /* each block's first row, in place of how many it has */
    for (int b = 0, row = 0; b < work->system.count; row += work->system.blocks[b++].count)
        first[b] = row;
    for (int k = 0; k < work->system.count && at < rows; k++)
        for (int i = 0; i < work->system.blocks[work->coloured[k]].count; i++)
            work->row_order[at++] = first[work->coloured[k]] + i;
}

/* Gauss-Seidel again, S and W with their rows in the order of the colours. The last: W stays so. */
static bool spectrum_coloured(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows;
    double *S = work->errors, *W = work->solved;
    spectrum_order_rows(work, n);
    for (int i = 0; i < n; i++) {
        long from = work->row_order[i];
        for (int j = 0; j < n; j++)
            S[i * (long)n + j] = work->scaled[from * n + work->row_order[j]];
        memcpy(W + i * (long)n, work->matrix + from * n, sizeof *W * (size_t)n);
    }
    memcpy(work->matrix, W, sizeof *W * (size_t)n * (size_t)n);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, spectrum->rank, 1.0, S, n, W, n);
    return spectrum_radius(spectrum, work, &spectrum->gauss_seidel_coloured);
}

/* Between spectrum_jacobi and spectrum_gauss_seidel: needs S and Q. */
static bool spectrum_amplification(Spectrum *spectrum, SpectrumWork *work, const WarmStart *warm)
{
    int n = spectrum->rows, row = 0;
    if (!warm || n > AMPLIFICATION_ROWS)
        return true;
    for (int b = 0; b < work->system.count; b++)
        for (int i = 0; i < work->system.blocks[b].count; i++, row++)
            work->soft[row] = work->system.blocks[b].soft[i] / work->dense.A[row * (long)n + row];
    ScaledRows rows = {n, spectrum->rank, work->scaled, work->soft, work->matrix};
    WarmStart cold = *warm;
    cold.share = 0.0;
    return amplification_compute(&rows, warm, &spectrum->amplification) &&
           amplification_compute(&rows, &cold, &spectrum->amplification_cold);
}

static bool spectrum_allocate(Spectrum *spectrum, SpectrumWork *work)
{
    size_t n = (size_t)spectrum->rows, size = sizeof(double) * (n * n + 1);
    work->matrix = malloc(size);
    work->scaled = malloc(size);
    work->solved = malloc(size);
    work->errors = malloc(size);
    work->real = malloc(sizeof(double) * (n + 1));
    work->imaginary = malloc(sizeof(double) * (n + 1));
    work->soft = malloc(sizeof(double) * (n + 1));
    work->row_order = malloc(sizeof *work->row_order * (n + 1));
    spectrum->eigenvalues = malloc(sizeof(double) * (n + 1));
    return work->matrix && work->scaled && work->solved && work->errors && work->real && work->imaginary &&
           work->soft && work->row_order && spectrum->eigenvalues;
}

static bool spectrum_begin(SpectrumWork *work, const World *world)
{
    CommonOptions options = {1, 1, INTEGRATE_SEMI_IMPLICIT, GYROSCOPIC_IMPLICIT};
    work->velocity = malloc(sizeof *work->velocity * (size_t)world->body_count);
    work->before = malloc(sizeof *work->before * (size_t)world->body_count);
    work->free_rows = malloc(sizeof *work->free_rows * ((size_t)world->block_count + 1));
    work->share = malloc(sizeof *work->share * (size_t)world->body_count);
    work->coloured = malloc(sizeof *work->coloured * ((size_t)world->block_count + 1));
    return work->velocity && work->before && work->free_rows && work->share && work->coloured &&
           motion_init(&work->motion, world, &options) && row_system_init(&work->system, world) &&
           dense_init(&work->dense, world);
}

static void spectrum_end(SpectrumWork *work)
{
    motion_free(&work->motion);
    row_system_free(&work->system);
    dense_free(&work->dense);
    free(work->matrix);
    free(work->scaled);
    free(work->solved);
    free(work->errors);
    free(work->real);
    free(work->imaginary);
    free(work->soft);
    free(work->velocity);
    free(work->before);
    free(work->free_rows);
    free(work->share);
    free(work->coloured);
    free(work->row_order);
}

static bool spectrum_of_rows(Spectrum *spectrum, SpectrumWork *work, const World *world, const WarmStart *warm,
                             Status *status)
{
    if (!spectrum_eigenvalues(spectrum, work) || !spectrum_jacobi(spectrum, work) ||
        !spectrum_amplification(spectrum, work, warm))
        return status_set(status, STATUS_FAILED, "the eigenvalues of A did not converge");
    spectrum_root(spectrum, work);
    if (!spectrum_gauss_seidel(spectrum, work) || !spectrum_jacobi_split(spectrum, work) ||
        !spectrum_coloured(spectrum, work))
        return status_set(status, STATUS_FAILED, "the eigenvalues of A did not converge");
    if (spectrum->rank > 0)
        spectrum->condition =
            spectrum->eigenvalues[spectrum->rows - 1] / spectrum->eigenvalues[spectrum->rows - spectrum->rank];
    return contraction_measure(&spectrum->measured, &work->system, world) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

bool spectrum_compute(Spectrum *spectrum, World *world, double h, const WarmStart *warm, Status *status)
{
    SpectrumWork work = {0};
    *spectrum = (Spectrum){.condition = 1.0, .amplification = NAN, .amplification_cold = NAN};
    bool ok = spectrum_begin(&work, world);
    if (ok) {
        size_t bytes = sizeof *work.before * (size_t)world->body_count;
        memcpy(work.before, world->velocity, bytes);
        spectrum_prepare(&work, world, h);
        memcpy(world->velocity, work.before, bytes);
        spectrum->rows = work.dense.rows;
        ok = spectrum_allocate(spectrum, &work) && colour_gain_compute(&spectrum->colours, world, work.coloured);
    }
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    else if (spectrum->rows > 0)
        ok = spectrum_of_rows(spectrum, &work, world, warm, status);
    spectrum_end(&work);
    return ok;
}

void spectrum_free(Spectrum *spectrum)
{
    free(spectrum->eigenvalues);
}
