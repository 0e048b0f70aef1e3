#include "solvers/spectrum.h"

#include "solvers/dense.h"
#include "solvers/motion.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* An eigenvalue below this share of the largest, with unit diagonal, is zero: it stands for dependent rows. */
#define RANK_TOLERANCE 1e-11
/* Measuring ends when the contraction changes by less than this from sweep to sweep, or after so many sweeps. */
#define CONTRACTION_TOLERANCE 1e-12
enum { MAX_SWEEPS = 100000 };

typedef struct SpectrumWork {
    Motion motion;
    RowSystem system;
    Dense dense;
    double *matrix, *real, *imaginary;
    Velocity *velocity;
} SpectrumWork;

/* False for a limit that would not push in this step, and for rows that move nothing. */
static bool spectrum_takes_part(const RowBlock *rb, const World *world)
{
    if (rb->count == 0 || rb->A[0][0] == 0.0)
        return false;
    double rates[BLOCK_MAX_ROWS];
    row_block_rates(rb, world->velocity, rates);
    double push = -(rates[0] + rb->bias[0]);
    return rb->lower[0] == 0.0 ? push > 0.0 : rb->upper[0] != 0.0 || push < 0.0;
}

/* Rows as the step of length h has them. */
static void spectrum_prepare(SpectrumWork *work, World *world, double h)
{
    RowSystem *system = &work->system;
    motion_begin(&work->motion, world, h);
    row_system_prepare(system, world, &(RowSetup){.h = h, .relaxation = 1.0});
    row_system_unpack(system);
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        if (!spectrum_takes_part(rb, world)) {
            system->rows -= rb->count;
            rb->count = 0;
        }
    }
    dense_assemble(&work->dense, system, world);
}

static bool spectrum_eigenvalues(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows;
    memcpy(work->matrix, work->dense.A, sizeof *work->matrix * (size_t)n * (size_t)n);
    return LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, work->matrix, n, spectrum->eigenvalues) == 0;
}

/* Eigenvalues m of D^-1/2 A D^-1/2: the rank, and Jacobi's radius max |1 - m|. */
static bool spectrum_jacobi(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows;
    const double *A = work->dense.A;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double d = A[i * (long)n + i] * A[j * (long)n + j];
            work->matrix[i * (long)n + j] = d > 0.0 ? A[i * (long)n + j] / sqrt(d) : 0.0;
        }
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, work->matrix, n, work->real) != 0)
        return false;
    for (int i = 0; i < n; i++) {
        if (work->real[i] <= RANK_TOLERANCE * work->real[n - 1])
            continue;
        spectrum->rank++;
        spectrum->jacobi = fmax(spectrum->jacobi, fabs(1.0 - work->real[i]));
    }
    return true;
}

/* Eigenvalues of -(D + L)^-1 U, those of the null space, which are nearest to 1, left out. */
static bool spectrum_gauss_seidel(Spectrum *spectrum, SpectrumWork *work)
{
    int n = spectrum->rows;
    const double *A = work->dense.A;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            work->matrix[i * (long)n + j] = j > i ? -A[i * (long)n + j] : 0.0;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1.0, A, n, work->matrix, n);
    if (LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, work->matrix, n, work->real, work->imaginary, NULL, n, NULL, n) !=
        0)
        return false;
    for (int left = n - spectrum->rank; left > 0; left--) {
        int nearest = 0;
        for (int i = 1; i < n; i++)
            if (hypot(work->real[i] - 1.0, work->imaginary[i]) <
                hypot(work->real[nearest] - 1.0, work->imaginary[nearest]))
                nearest = i;
        work->real[nearest] = work->imaginary[nearest] = INFINITY;
    }
    for (int i = 0; i < n; i++)
        if (isfinite(work->real[i]))
            spectrum->gauss_seidel = fmax(spectrum->gauss_seidel, hypot(work->real[i], work->imaginary[i]));
    return true;
}

/* The homogeneous system, whose solution is zero: what is left of lambda is the error. It starts from numbers without
 * pattern (multiples of the golden ratio modulo 1), so that the slowest mode is in them. */
static void spectrum_begin_sweeps(SpectrumWork *work, const World *world)
{
    int count = 0;
    memset(work->velocity, 0, sizeof *work->velocity * (size_t)world->body_count);
    work->system.b_norm = 1.0;
    for (int b = 0; b < work->system.count; b++) {
        RowBlock *rb = &work->system.blocks[b];
        for (int i = 0; i < rb->count; i++) {
            rb->bias[i] = rb->Tbias[i] = 0.0;
            rb->lower[i] = -INFINITY;
            rb->upper[i] = INFINITY;
            rb->lambda[i] = fmod(++count * 0.6180339887498949, 1.0) - 0.5;
        }
        if (rb->kind == ROWS_CONTACT || rb->kind == ROWS_TORSION)
            rb->kind = ROWS_BOUNDED; /* each row for itself: no cone couples them */
    }
    row_system_apply(&work->system, work->velocity);
}

/* Scales lambda and velocities, so that long sweeping stays clear of underflow. A rigid row's residual is in the
 * velocities alone, so its lambda begins anew: of dependent rows it has a part that never shrinks, and would grow with
 * the scale until it swallows the changes. */
static void spectrum_rescale(SpectrumWork *work, const World *world, double scale)
{
    for (int b = 0; b < work->system.count; b++)
        for (int i = 0; i < work->system.blocks[b].count; i++)
            work->system.blocks[b].lambda[i] *= work->system.blocks[b].soft[i] > 0.0 ? scale : 0.0;
    cblas_dscal(6 * world->body_count, scale, (double *)work->velocity, 1);
}

/* The residual of one sweep over that of the sweep before, once it is steady. */
static void spectrum_measure(Spectrum *spectrum, SpectrumWork *work, const World *world)
{
    double before = 0.0;
    spectrum_begin_sweeps(work, world);
    for (; spectrum->sweeps < MAX_SWEEPS; spectrum->sweeps++) {
        double residual = row_system_residual(&work->system, work->velocity);
        if (!(residual > 0.0))
            return;
        spectrum_rescale(work, world, 1.0 / residual);
        row_system_sweep(&work->system, work->velocity, NULL);
        before = spectrum->measured;
        spectrum->measured = row_system_residual(&work->system, work->velocity);
        if (fabs(spectrum->measured - before) <= CONTRACTION_TOLERANCE)
            return;
    }
}

bool spectrum_compute(Spectrum *spectrum, World *world, double h, Status *status)
{
    CommonOptions options = {1, 1, INTEGRATE_SEMI_IMPLICIT, GYROSCOPIC_IMPLICIT};
    SpectrumWork work = {0};
    size_t bodies = (size_t)world->body_count;
    bool ok = false;
    *spectrum = (Spectrum){.condition = 1.0};
    work.velocity = malloc(sizeof *work.velocity * bodies);
    if (work.velocity && motion_init(&work.motion, world, &options) && row_system_init(&work.system, world) &&
        dense_init(&work.dense, world)) {
        memcpy(work.velocity, world->velocity, sizeof *work.velocity * bodies);
        spectrum_prepare(&work, world, h);
        memcpy(world->velocity, work.velocity, sizeof *work.velocity * bodies);
        size_t n = (size_t)(spectrum->rows = work.dense.rows);
        work.matrix = malloc(sizeof(double) * (n * n + 1));
        work.real = malloc(sizeof(double) * (n + 1));
        work.imaginary = malloc(sizeof(double) * (n + 1));
        spectrum->eigenvalues = malloc(sizeof(double) * (n + 1));
        ok = work.matrix && work.real && work.imaginary && spectrum->eigenvalues;
    }
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    else if (spectrum->rows > 0) {
        ok = spectrum_eigenvalues(spectrum, &work) && spectrum_jacobi(spectrum, &work) &&
             spectrum_gauss_seidel(spectrum, &work);
        if (!ok)
            status_set(status, STATUS_FAILED, "the eigenvalues of A did not converge");
        else if (spectrum->rank > 0)
            spectrum->condition =
                spectrum->eigenvalues[spectrum->rows - 1] / spectrum->eigenvalues[spectrum->rows - spectrum->rank];
        spectrum_measure(spectrum, &work, world);
    }
    motion_free(&work.motion);
    row_system_free(&work.system);
    dense_free(&work.dense);
    free(work.matrix);
    free(work.real);
    free(work.imaginary);
    free(work.velocity);
    return ok;
}

void spectrum_free(Spectrum *spectrum)
{
    free(spectrum->eigenvalues);
}
