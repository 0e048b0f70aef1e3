/* SPDX-License-Identifier: MIT */
#include "solvers/systems/dense.h"

#include <cblas.h>
#include <string.h>

bool dense_init(Dense *dense, const World *world)
{
    *dense = (Dense){.columns = 6 * world->body_count};
    return dense_reserve(dense, world);
}

bool dense_init_rows(Dense *dense, const World *world)
{
    *dense = (Dense){0};
    return dense_reserve(dense, world);
}

bool dense_reserve(Dense *dense, const World *world)
{
    int capacity = row_count_all(world) + 1;
    if (capacity <= dense->capacity)
        return true;
    size_t rows = (size_t)capacity;
    Arrays *own = &dense->arrays;
    arrays_free(own);
    size_t square = dense->columns > 0 ? rows : 0;
    bool ok = OWN_ARRAY(own, dense->G, square * (size_t)dense->columns) && OWN_ARRAY(own, dense->A, square * square) &&
              OWN_ARRAY(own, dense->b, rows) && OWN_ARRAY(own, dense->x, rows) && OWN_ARRAY(own, dense->lower, rows) &&
              OWN_ARRAY(own, dense->upper, rows);
    dense->capacity = ok ? capacity : 0;
    return ok;
}

void dense_free(Dense *dense)
{
    arrays_free(&dense->arrays);
}

/* One row of J M^-1/2; the angular part in the body's frame, where the inertia is diagonal. */
static void dense_row(double *G, const RowBlock *rb, int i, const World *world)
{
    int bodies = row_block_bodies(rb), width = row_block_width(rb);
    for (int k = 0; k < bodies; k++) {
        const double *J = rb->J[i] + width * k;
        const Mass *mass = &world->mass[rb->body[k]];
        double *g = G + 6 * rb->body[k];
        for (int c = 0; c < 3; c++)
            g[c] = sqrt(mass->inv_mass) * J[c];
        if (rb->kind == ROWS_FOUR)
            continue;
        Vec3 turn = quat_rotate_inverse(world->pose[rb->body[k]].q, vec3(J[3], J[4], J[5]));
        g[3] = sqrt(mass->inv_inertia.x) * turn.x;
        g[4] = sqrt(mass->inv_inertia.y) * turn.y;
        g[5] = sqrt(mass->inv_inertia.z) * turn.z;
    }
}

void dense_gather(Dense *dense, const RowSystem *system, const World *world)
{
    int row = 0;
    dense->rows = system->rows;
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double rates[BLOCK_MAX_ROWS];
        if (rb->count > 0)
            row_block_rates(rb, world->velocity, rates);
        for (int i = 0; i < rb->count; i++, row++) {
            dense->b[row] = -(rates[i] + rb->bias[i]);
            dense->x[row] = rb->lambda[i];
            dense->lower[row] = rb->lower[i];
            dense->upper[row] = rb->upper[i];
        }
    }
}

void dense_assemble(Dense *dense, const RowSystem *system, const World *world)
{
    int n = system->rows, row = 0;
    dense_gather(dense, system, world);
    memset(dense->G, 0, sizeof *dense->G * (size_t)n * (size_t)dense->columns);
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++, row++)
            dense_row(dense->G + (size_t)row * (size_t)dense->columns, &system->blocks[b], i, world);
    if (n == 0)
        return;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, dense->columns, 1.0, dense->G, dense->columns, 0.0,
                dense->A, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            dense->A[j * (long)n + i] = dense->A[i * (long)n + j];
    row = 0;
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++, row++)
            dense->A[row * (long)n + row] += system->blocks[b].soft[i];
}

void dense_store(const Dense *dense, RowSystem *system)
{
    int row = 0;
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++, row++)
            system->blocks[b].lambda[i] = dense->x[row];
}
