/* SPDX-License-Identifier: MIT */
/* What a Gauss-Seidel sweep over the rows of a scene's first step leaves of an error: the eigenvalues of
 * -(D + L)^-1 U, A = J M^-1 J^T = D + L + U, and the slowest modes, row by row, with the place of each row's joint. */
#include "reports/generate/generators.h"

#include "solvers/systems/dense.h"

#include <lapacke.h>
#include <stdlib.h>

static const char *const KEYS[] = {"scene", "params", "dt", "modes", NULL};

/* An eigenvalue this close to 1 stands for dependent rows: what a sweep leaves there is no error. */
static const double DEPENDENT = 1e-9;

typedef struct Modes {
    int n;
    double *G; /* n x n, the sweep's matrix, then lost */
    double *real, *imaginary, *vectors;
    int *order; /* slowest first */
} Modes;

static bool modes_allocate(Modes *modes, int n)
{
    size_t size = sizeof(double) * (size_t)n * (size_t)(n > 0 ? n : 1);
    *modes = (Modes){.n = n, .G = calloc(1, size), .vectors = malloc(size)};
    modes->real = malloc(sizeof(double) * (size_t)(n + 1));
    modes->imaginary = malloc(sizeof(double) * (size_t)(n + 1));
    modes->order = malloc(sizeof(int) * (size_t)(n + 1));
    return modes->G && modes->vectors && modes->real && modes->imaginary && modes->order;
}

static void modes_free(Modes *modes)
{
    free(modes->G);
    free(modes->vectors);
    free(modes->real);
    free(modes->imaginary);
    free(modes->order);
}

/* Column by column: (D + L) g = -U e_j. */
static void modes_fill(Modes *modes, const double *A)
{
    int n = modes->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = i < j ? -A[i * n + j] : 0.0;
            for (int k = 0; k < i; k++)
                sum -= A[i * n + k] * modes->G[k * n + j];
            modes->G[i * n + j] = sum / A[i * n + i];
        }
}

static double modes_size(const Modes *modes, int i)
{
    return hypot(modes->real[i], modes->imaginary[i]);
}

/* Few rows: insertion is enough. Those of dependent rows come last. */
static void modes_sort(Modes *modes)
{
    for (int i = 0; i < modes->n; i++) {
        int at = i;
        double size = modes_size(modes, i) > 1.0 - DEPENDENT ? -1.0 : modes_size(modes, i);
        for (; at > 0; at--) {
            double before = modes_size(modes, modes->order[at - 1]);
            if ((before > 1.0 - DEPENDENT ? -1.0 : before) >= size)
                break;
            modes->order[at] = modes->order[at - 1];
        }
        modes->order[at] = i;
    }
}

/* Of unit largest entry, its first large one positive. */
static void mode_add(const Modes *modes, int which, const RowSystem *system, const World *world, json_t *rows)
{
    int n = modes->n, column = modes->order[which], row = 0;
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        if (fabs(modes->vectors[i * n + column]) > fabs(largest) * (1.0 + 1e-9))
            largest = modes->vectors[i * n + column];
    for (int b = 0; b < system->count; b++) {
        int first = system->blocks[b].body[0], second = system->blocks[b].body[1];
        Vec3 from = world->pose[first].x, to = world->pose[second].x;
        for (int i = 0; i < system->blocks[b].count; i++, row++)
            json_array_append_new(rows,
                                  json_pack("{s:s,s:i,s:i,s:f,s:f,s:f,s:i}", "what", "mode", "mode", which + 1, "row",
                                            row + 1, "amplitude", modes->vectors[row * n + column] / largest, "x",
                                            0.5 * (from.x + to.x), "y", 0.5 * (from.y + to.y), "rows", n));
    }
}

static bool modes_solve(Node arguments, Modes *modes, const Dense *dense)
{
    int n = dense->rows;
    if (!modes_allocate(modes, n))
        return node_fail(arguments, "out of memory");
    for (int i = 0; i < n; i++)
        if (!(dense->A[i * n + i] > 0.0))
            return node_fail(arguments, "row %d acts on no body that moves", i + 1);
    modes_fill(modes, dense->A);
    if (n > 0 && LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'V', n, modes->G, n, modes->real, modes->imaginary, NULL, n,
                               modes->vectors, n) != 0)
        return node_fail(arguments, "the eigenvalues do not converge");
    modes_sort(modes);
    return true;
}

static bool modes_of_world(Node arguments, World *world, double h, int wanted, json_t *rows)
{
    RowSystem system = {0};
    Dense dense = {0};
    Modes modes = {0};
    Status status = {0};
    bool ok = row_count_fits_dense(world, "sweep_modes", &status) || node_fail(arguments, "%s", status.message);
    ok =
        ok && ((row_system_init(&system, world) && dense_init(&dense, world)) || node_fail(arguments, "out of memory"));
    if (ok) {
        row_system_prepare(&system, world, &(RowSetup){.h = h, .relaxation = 1.0});
        dense_assemble(&dense, &system, world);
        ok = modes_solve(arguments, &modes, &dense);
    }
    for (int i = 0; ok && i < modes.n; i++)
        json_array_append_new(rows, json_pack("{s:s,s:i,s:f,s:i}", "what", "eigenvalue", "index", i + 1, "size",
                                              modes_size(&modes, modes.order[i]), "rows", modes.n));
    for (int i = 0; ok && i < wanted && i < modes.n; i++)
        mode_add(&modes, i, &system, world, rows);
    modes_free(&modes);
    dense_free(&dense);
    row_system_free(&system);
    return ok;
}

static bool modes_make(Node arguments, json_t *rows)
{
    double h = RUN_DEFAULT_DT, wanted = 1.0;
    if (!node_object(arguments, KEYS) || !node_positive(node_get(&arguments, "dt"), &h) ||
        !node_positive(node_get(&arguments, "modes"), &wanted))
        return false;
    Problem *problem = generator_build_scene(arguments);
    bool ok = problem && (!rows || modes_of_world(arguments, problem->world, h, (int)wanted, rows));
    problem_destroy(problem);
    return ok;
}

const Generator generator_sweep_modes = {
    .name = "sweep_modes",
    .about =
        "what a Gauss-Seidel sweep leaves, as a scene of joints begins; arguments: scene, params, dt, modes (how many "
        "of the slowest); fields: what (eigenvalue: index, size; mode: mode, row, amplitude, x, y of its bodies' "
        "middle), rows",
    .make = modes_make,
};
