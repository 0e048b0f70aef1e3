/* SPDX-License-Identifier: MIT */
#include "solvers/cone/cone_system.h"

#include "solvers/cone/projection.h"

#include <stdlib.h>
#include <string.h>

void cone_system_free(ConeSystem *system)
{
    arrays_free(&system->arrays);
    *system = (ConeSystem){0};
}

/* The order of blocks, and of numbers inside a block. */
static int entry_compare(const void *a, const void *b)
{
    const ConeEntry *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Block row i in order of columns: marks its blocks in place_of (-1 elsewhere), writes or counts them. */
typedef struct ConeBuild {
    Arrays arrays;
    int *block_of;
    int *place_of; /* entry of a block column in the row at hand; -1: none */
    int entry_count;
    long value_count;
} ConeBuild;

static void cone_build_entry(ConeSystem *system, ConeBuild *build, int row, int column)
{
    if (build->place_of[column] >= 0)
        return;
    build->place_of[column] = build->entry_count;
    if (system->column) {
        system->column[build->entry_count] = column;
        system->at[build->entry_count] = (int)build->value_count;
        if (row == column)
            system->diagonal[row] = build->entry_count;
    }
    build->entry_count++;
    build->value_count += system->blocks[row].size * system->blocks[column].size;
}

/* One pass over the sorted entries; without room yet it only counts. */
static void cone_build_pass(ConeSystem *system, ConeBuild *build, const ConeEntry *entries, long count)
{
    long e = 0;
    build->entry_count = 0;
    build->value_count = 0;
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        long begin = e;
        system->start[i] = build->entry_count;
        cone_build_entry(system, build, i, i);
        for (; e < count && entries[e].row < block->first + block->size; e++)
            cone_build_entry(system, build, i, build->block_of[entries[e].column]);
        for (long k = begin; k < e; k++) {
            int j = build->block_of[entries[k].column];
            int a = entries[k].row - block->first, b = entries[k].column - system->blocks[j].first;
            if (system->value)
                system->value[system->at[build->place_of[j]] + a * system->blocks[j].size + b] += entries[k].x;
        }
        build->place_of[i] = -1;
        for (long k = begin; k < e; k++)
            build->place_of[build->block_of[entries[k].column]] = -1;
    }
    system->start[system->count] = build->entry_count;
}

static bool cone_system_fill(ConeSystem *system, ConeBuild *build, const ConeEntry *entries, long count)
{
    Arrays *own = &system->arrays;
    size_t blocks = (size_t)system->count + 1;
    if (!OWN_ARRAY(&build->arrays, build->place_of, blocks) || !OWN_ARRAY(own, system->start, blocks) ||
        !OWN_ARRAY(own, system->diagonal, blocks))
        return false;
    for (int i = 0; i < system->count; i++)
        build->place_of[i] = -1;
    cone_build_pass(system, build, entries, count);
    if (!OWN_ARRAY(own, system->column, (size_t)build->entry_count) ||
        !OWN_ARRAY(own, system->at, (size_t)build->entry_count) ||
        !OWN_ARRAY(own, system->value, (size_t)build->value_count))
        return false;
    cone_build_pass(system, build, entries, count);
    return true;
}

bool cone_system_init(ConeSystem *system, const ConeBlock *blocks, int count, ConeEntry *entries, long entry_count,
                      const double *q, Status *status)
{
    *system = (ConeSystem){.count = count};
    ConeBuild build = {0};
    for (int i = 0; i < count; i++)
        system->rows += blocks[i].size;
    bool ok = OWN_ARRAY(&system->arrays, system->blocks, (size_t)count) &&
              OWN_ARRAY(&system->arrays, system->q, (size_t)system->rows) &&
              OWN_ARRAY(&build.arrays, build.block_of, (size_t)system->rows);
    for (int i = 0, row = 0; ok && i < count; i++) { /* block_of[row] */
        system->blocks[i] = blocks[i];
        system->blocks[i].first = row;
        for (int k = 0; k < blocks[i].size; k++, row++) {
            build.block_of[row] = i;
            system->q[row] = q[row];
        }
    }
    if (ok && entry_count > 0)
        qsort(entries, (size_t)entry_count, sizeof *entries, entry_compare);
    ok = ok && cone_system_fill(system, &build, entries, entry_count);
    arrays_free(&build.arrays);
    if (!ok)
        cone_system_free(system);
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

/* u += W_i r of block i. */
static void cone_block_add(const ConeSystem *system, int i, const double *r, double u[CONE_MAX_SIZE])
{
    const ConeBlock *block = &system->blocks[i];
    for (int e = system->start[i]; e < system->start[i + 1]; e++) {
        const ConeBlock *other = &system->blocks[system->column[e]];
        const double *w = system->value + system->at[e], *x = r + other->first;
        for (int a = 0; a < block->size; a++)
            for (int b = 0; b < other->size; b++)
                u[a] += w[a * other->size + b] * x[b];
    }
}

void cone_block_velocity(const ConeSystem *system, int i, const double *r, double u[CONE_MAX_SIZE])
{
    const ConeBlock *block = &system->blocks[i];
    for (int a = 0; a < block->size; a++)
        u[a] = system->q[block->first + a];
    cone_block_add(system, i, r, u);
}

void cone_system_product(const ConeSystem *system, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)system->rows);
    for (int i = 0; i < system->count; i++)
        cone_block_add(system, i, x, y + system->blocks[i].first);
}

void cone_system_velocity(const ConeSystem *system, const double *r, double *u)
{
    for (int i = 0; i < system->count; i++)
        cone_block_velocity(system, i, r, u + system->blocks[i].first);
}

long cone_system_numbers(const ConeSystem *system)
{
    long sum = 0;
    for (int i = 0; i < system->count; i++)
        for (int e = system->start[i]; e < system->start[i + 1]; e++)
            sum += system->blocks[i].size * system->blocks[system->column[e]].size;
    return sum;
}

double cone_block_weight(const ConeSystem *system, int i)
{
    double w = 0.0;
    for (int a = 0; a < system->blocks[i].size; a++)
        w += cone_entry(system, system->diagonal[i], a, a) / system->blocks[i].size;
    return w > 0.0 ? w : 1.0;
}

int cone_system_find(const ConeSystem *system, int j, int i)
{
    for (int e = system->start[j]; e < system->start[j + 1]; e++)
        if (system->column[e] == i)
            return e;
    return -1;
}

double cone_system_asymmetry(const ConeSystem *system)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < system->count; i++)
        for (int e = system->start[i]; e < system->start[i + 1]; e++) {
            int j = system->column[e], back = cone_system_find(system, j, i);
            for (int a = 0; a < system->blocks[i].size; a++)
                for (int b = 0; b < system->blocks[j].size; b++) {
                    double x = cone_entry(system, e, a, b), y = back < 0 ? 0.0 : cone_entry(system, back, b, a);
                    largest = fmax(largest, fabs(x));
                    difference = fmax(difference, fabs(x - y));
                }
        }
    return largest > 0.0 ? difference / largest : 0.0;
}

/* |r - P(r - (u + mu |u_t| e_n) / w)|^2 of one block. */
static double cone_block_gap(const ConeBlock *block, ConeLaw law, const double *r, const double *u, double w)
{
    double x[CONE_MAX_SIZE] = {0}, sum = 0.0;
    for (int a = 0; a < block->size; a++)
        x[a] = r[a] - u[a] / w;
    if (block->kind == CONE_CONTACT && law == CONE_COULOMB)
        x[0] -= block->mu * cone_tangent_norm(block->size, u) / w;
    cone_block_project(block, x);
    for (int a = 0; a < block->size; a++)
        sum += (r[a] - x[a]) * (r[a] - x[a]);
    return sum;
}

ConeResidual cone_system_residual(const ConeSystem *system, ConeLaw law, const double *r, double *u)
{
    double plain = 0.0, scaled = 0.0, qq = 0.0, rr = 0.0, uu = 0.0, ww = 0.0;
    cone_system_velocity(system, r, u);
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        double w = cone_block_weight(system, i);
        plain += cone_block_gap(block, law, r + block->first, u + block->first, 1.0);
        scaled += w * w * cone_block_gap(block, law, r + block->first, u + block->first, w);
        for (int a = block->first; a < block->first + block->size; a++) {
            qq += system->q[a] * system->q[a];
            rr += r[a] * r[a];
            uu += u[a] * u[a];
            ww += w * w * r[a] * r[a];
        }
    }
    double size = sqrt(fmax(qq, fmax(rr, uu))), scaled_size = sqrt(fmax(qq, fmax(ww, uu)));
    return (ConeResidual){size > 0.0 ? sqrt(plain) / size : 0.0, scaled_size > 0.0 ? sqrt(scaled) / scaled_size : 0.0};
}
