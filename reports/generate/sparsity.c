/* SPDX-License-Identifier: MIT */
/* The pattern of A = J M^-1 J^T at the beginning of a scene: two rows meet where they act on a common body that moves.
 * A is assembled by multiplying the rows out, so that what cancels is seen to be zero. */
#include "reports/generate/generators.h"

#include "model/contact.h"
#include "solvers/systems/dense.h"

static const char *const KEYS[] = {"scene", "params", "dt", NULL};

/* An entry below this part of the largest is what round-off leaves of a zero. */
static const double ROUND_OFF = 1e-14;

static bool sparsity_assemble(Node arguments, Problem *problem, double h, RowSystem *system, Dense *dense)
{
    World *world = problem->world;
    RowSetup setup = {.h = h, .relaxation = 1.0};
    Status status = {0};
    if (!row_count_fits_dense(world, "sparsity", &status))
        return node_fail(arguments, "%s", status.message);
    if (!row_system_init(system, world) || !dense_init(dense, world))
        return node_fail(arguments, "out of memory");
    row_system_prepare(system, world, &setup);
    dense_assemble(dense, system, world);
    return true;
}

static void sparsity_add_rows(const Dense *dense, json_t *rows)
{
    double largest = 0.0;
    int n = dense->rows;
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(dense->A[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double value = dense->A[i * n + j];
            if (fabs(value) > ROUND_OFF * largest)
                json_array_append_new(rows,
                                      json_pack("{s:i,s:i,s:i,s:f,s:f,s:i}", "row", i + 1, "column", j + 1, "offset",
                                                j - i, "value", value, "magnitude", fabs(value), "rows", n));
        }
}

static bool sparsity_make(Node arguments, json_t *rows)
{
    double h = RUN_DEFAULT_DT;
    if (!node_object(arguments, KEYS) || !node_positive(node_get(&arguments, "dt"), &h))
        return false;
    Problem *problem = generator_build_scene(arguments);
    if (!problem || !rows) {
        problem_destroy(problem);
        return problem != NULL;
    }
    RowSystem system = {0};
    Dense dense = {0};
    World *world = problem->world;
    bool ok = !world->collide || (contacts_detect(world) && contacts_add_blocks(world)) ||
              node_fail(arguments, "out of memory");
    ok = ok && sparsity_assemble(arguments, problem, h, &system, &dense);
    if (ok)
        sparsity_add_rows(&dense, rows);
    dense_free(&dense);
    row_system_free(&system);
    problem_destroy(problem);
    return ok;
}

const Generator generator_sparsity = {
    .name = "sparsity",
    .about = "nonzero entries of A = J M^-1 J^T as a scene begins; arguments: scene, params, dt; fields: row, column "
             "(from 1), value, magnitude, rows (of A)",
    .make = sparsity_make,
};
