/* SPDX-License-Identifier: MIT */
#include "bench/frozen/amplification.h"

#include "bench/frozen/spectrum.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

static double option_or(const Run *run, const char *name, double otherwise)
{
    const Setting *setting = run_find_option(run, name);
    return setting ? setting_get(setting, run->options) : otherwise;
}

bool warm_start_of(const Run *run, WarmStart *warm)
{
    const Setting *position = run_find_option(run, "position");
    if (!run_find_option(run, "warm_start") || !position ||
        strcmp(setting_get_choice(position, run->options), "baumgarte") != 0)
        return false;
    *warm = (WarmStart){.sweeps = ((const CommonOptions *)run->options)->iterations,
                        .relax = (int)option_or(run, "relax", 0.0),
                        .share = option_or(run, "warm_start", 0.0) * option_or(run, "warm_share", 1.0),
                        .beta = option_or(run, "beta", 0.0)};
    return true;
}

/* An error's three parts: positions over h, rates, multipliers. */
typedef struct ErrorState {
    double *c, *u, *lambda;
} ErrorState;

/* One sweep; `feedback`: beta, of rigid rows. */
static void error_sweep(const ScaledRows *rows, double feedback, ErrorState *e)
{
    int n = rows->count;
    for (int i = 0; i < n; i++) {
        double rate = rows->soft[i] > 0.0 ? 1.0 : feedback;
        double change = -(e->u[i] + rate * e->c[i] + rows->soft[i] * e->lambda[i]);
        e->lambda[i] += change;
        for (int j = 0; j < n; j++)
            e->u[j] += rows->S[j * (long)n + i] * change;
        e->u[i] -= rows->soft[i] * change;
    }
}

/* u += A lambda */
static void error_apply(const ScaledRows *rows, ErrorState *e)
{
    int n = rows->count;
    for (int i = 0; i < n; i++) {
        double sum = -rows->soft[i] * e->lambda[i];
        for (int j = 0; j < n; j++)
            sum += rows->S[i * (long)n + j] * e->lambda[j];
        e->u[i] += sum;
    }
}

static void error_substep(const ScaledRows *rows, const WarmStart *warm, ErrorState *e)
{
    for (int i = 0; i < rows->count; i++)
        e->lambda[i] *= warm->share;
    error_apply(rows, e);
    for (int k = 0; k < warm->sweeps; k++)
        error_sweep(rows, warm->beta, e);
    for (int i = 0; i < rows->count; i++)
        e->c[i] += e->u[i];
    for (int k = 0; k < warm->relax; k++)
        error_sweep(rows, 0.0, e);
}

static double basis_at(const ScaledRows *rows, int row, int k)
{
    return rows->basis[row * (long)rows->count + rows->count - rows->rank + k];
}

/* The map in the basis, column by column: each is what a substep makes of one basis vector. */
static void map_fill(const ScaledRows *rows, const WarmStart *warm, double *scratch, double *map)
{
    int n = rows->count, r = rows->rank, size = 3 * r;
    ErrorState e = {scratch, scratch + n, scratch + 2 * n};
    double *parts[3] = {e.c, e.u, e.lambda};
    for (int column = 0; column < size; column++) {
        memset(scratch, 0, sizeof *scratch * 3 * (size_t)n);
        for (int i = 0; i < n; i++)
            parts[column / r][i] = basis_at(rows, i, column % r);
        error_substep(rows, warm, &e);
        for (int row = 0; row < size; row++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++)
                sum += basis_at(rows, i, row % r) * parts[row / r][i];
            map[row * (long)size + column] = sum;
        }
    }
}

bool amplification_compute(const ScaledRows *rows, const WarmStart *warm, double *radius)
{
    int size = 3 * rows->rank;
    double *map = malloc(sizeof *map * ((size_t)size * (size_t)size + 1));
    double *scratch = malloc(sizeof *scratch * (3 * (size_t)rows->count + 2 * (size_t)size + 1));
    double *real = scratch ? scratch + 3 * rows->count : NULL, *imaginary = scratch ? real + size : NULL;
    bool ok = map && scratch;
    *radius = 0.0;
    if (ok && size > 0) {
        map_fill(rows, warm, scratch, map);
        ok = LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', size, map, size, real, imaginary, NULL, size, NULL, size) == 0;
        for (int i = 0; ok && i < size; i++)
            *radius = fmax(*radius, hypot(real[i], imaginary[i]));
    }
    free(map);
    free(scratch);
    return ok;
}

static int row_count(const World *world)
{
    int rows = 0;
    for (int b = 0; b < world->block_count; b++)
        rows += block_row_count(world->blocks[b].kind);
    return rows;
}

double amplification_of_run(const Run *run)
{
    WarmStart warm;
    Status ignored = {0};
    Spectrum spectrum = {0};
    double h = run_substep(run), found = NAN;
    Problem *problem = warm_start_of(run, &warm) ? run_build(run, &ignored) : NULL;
    if (problem && stepper_find_contacts(problem->world, h, &ignored) &&
        row_count(problem->world) <= AMPLIFICATION_ROWS &&
        spectrum_compute(&spectrum, problem->world, h, &warm, &ignored))
        found = spectrum.amplification;
    spectrum_free(&spectrum);
    problem_destroy(problem);
    return found;
}
