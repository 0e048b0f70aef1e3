/* SPDX-License-Identifier: MIT */
#include "solvers/cone/assembly.h"

#include <string.h>

void cone_assembly_free(ConeAssembly *assembly)
{
    cone_system_free(&assembly->system);
    arrays_free(&assembly->bodies);
    *assembly = (ConeAssembly){0};
}

/* How many pairs of blocks share a moving body, at most: each block with itself, and all pairs at each body. */
static long pairs_most(const World *world, int *count_at)
{
    long sum = world->block_count;
    memset(count_at, 0, sizeof *count_at * (size_t)world->body_count);
    for (int b = 0; b < world->block_count; b++)
        for (int k = 0; k < block_body_count(&world->blocks[b]); k++)
            count_at[world->blocks[b].body[k]]++;
    for (int i = 0; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            sum += (long)count_at[i] * count_at[i];
    return sum;
}

bool cone_assembly_reserve(ConeAssembly *assembly, const World *world)
{
    ConeSystem *system = &assembly->system;
    if (!assembly->bodies.last && !OWN_ARRAY(&assembly->bodies, assembly->body_start, (size_t)world->body_count + 1))
        return false;
    long wanted = pairs_most(world, assembly->body_start);
    if (system->arrays.last && world->block_count <= assembly->capacity && wanted <= assembly->pair_capacity)
        return true;
    Arrays *own = &system->arrays;
    size_t blocks = (size_t)world->block_capacity, rows = blocks * BLOCK_MAX_ROWS;
    size_t pairs = (size_t)(wanted + wanted / 2);
    arrays_free(own);
    bool ok = OWN_ARRAY(own, system->blocks, blocks) && OWN_ARRAY(own, system->q, rows) &&
              OWN_ARRAY(own, system->start, blocks + 1) && OWN_ARRAY(own, system->diagonal, blocks) &&
              OWN_ARRAY(own, system->split, blocks) && OWN_ARRAY(own, system->column, pairs) &&
              OWN_ARRAY(own, system->at, pairs) &&
              OWN_ARRAY(own, system->value, pairs * CONE_MAX_SIZE * CONE_MAX_SIZE) &&
              OWN_ARRAY(own, assembly->of, blocks) && OWN_ARRAY(own, assembly->touching, 4 * blocks) &&
              OWN_ARRAY(own, assembly->slot, 4 * blocks) && OWN_ARRAY(own, assembly->place, blocks) &&
              OWN_ARRAY(own, assembly->r, rows);
    assembly->capacity = ok ? world->block_capacity : 0;
    assembly->pair_capacity = ok ? (long)pairs : 0;
    return ok;
}

/* Largest torque of a patch under the load that its points begin with. */
static double torsion_bound(const RowSystem *rows, const RowBlock *rb)
{
    double load = 0.0;
    for (int i = 0; i < rb->patch.count; i++)
        load += rows->blocks[manifold_contact(&rb->patch, i)].lambda[0];
    return rb->patch_arm * rb->mu * load;
}

static ConeBlock cone_block_of(const RowSystem *rows, const RowBlock *rb)
{
    ConeBlock block = {.kind = CONE_BOUNDS, .size = rb->count};
    if (rb->kind == ROWS_CONTACT) {
        block.kind = CONE_CONTACT;
        block.mu = rb->mu;
    } else if (rb->kind == ROWS_BILATERAL) {
        block.kind = CONE_JOINT;
    } else {
        memcpy(block.lower, rb->lower, sizeof block.lower);
        memcpy(block.upper, rb->upper, sizeof block.upper);
    }
    if (rb->kind == ROWS_TORSION) {
        block.upper[0] = torsion_bound(rows, rb);
        block.lower[0] = -block.upper[0];
    }
    for (int a = 0; a < rb->count; a++) {
        block.lower[a] /= rb->metres;
        block.upper[a] /= rb->metres;
    }
    return block;
}

/* The active blocks, their q and r, and which of them touch each body. */
static bool assembly_list(ConeAssembly *assembly, const RowSystem *rows, const World *world)
{
    ConeSystem *system = &assembly->system;
    bool exact = true;
    system->count = system->rows = 0;
    memset(assembly->body_start, 0, sizeof *assembly->body_start * (size_t)(world->body_count + 1));
    for (int b = 0; b < rows->count; b++) {
        const RowBlock *rb = &rows->blocks[b];
        if (rb->count == 0)
            continue;
        ConeBlock block = cone_block_of(rows, rb);
        double rates[BLOCK_MAX_ROWS];
        row_block_rates(rb, world->velocity, rates);
        block.first = system->rows;
        exact = exact && rb->kind != ROWS_TORSION;
        for (int a = 0; a < rb->count; a++)
            system->q[system->rows++] = rb->metres * (rates[a] + rb->bias[a]);
        for (int k = 0; k < row_block_bodies(rb); k++)
            assembly->body_start[rb->body[k]]++;
        assembly->of[system->count] = b;
        system->blocks[system->count++] = block;
    }
    return exact;
}

static void assembly_sort_by_body(ConeAssembly *assembly, const RowSystem *rows, const World *world)
{
    int *start = assembly->body_start, sum = 0;
    for (int i = 0; i < world->body_count; i++) {
        sum += start[i];
        start[i] = sum;
    }
    start[world->body_count] = sum;
    for (int i = assembly->system.count - 1; i >= 0; i--) {
        const RowBlock *rb = &rows->blocks[assembly->of[i]];
        for (int k = row_block_bodies(rb) - 1; k >= 0; k--) {
            int at = --start[rb->body[k]];
            assembly->touching[at] = i;
            assembly->slot[at] = k;
        }
    }
}

/* W_ij += J_i B_j^T over the numbers that the two rows have at their common body. */
static void assembly_add(ConeSystem *system, int e, const RowBlock *ri, int slot_i, const RowBlock *rj, int slot_j)
{
    int wide_i = row_block_width(ri), wide_j = row_block_width(rj), common = wide_i < wide_j ? wide_i : wide_j;
    double *out = system->value + system->at[e], metres2 = ri->metres * rj->metres;
    for (int a = 0; a < ri->count; a++)
        for (int b = 0; b < rj->count; b++) {
            const double *J = ri->J[a] + slot_i * wide_i, *B = rj->B[b] + slot_j * wide_j;
            for (int k = 0; k < common; k++)
                out[a * rj->count + b] += metres2 * J[k] * B[k];
        }
}

/* Entry (i, j), made where there is none yet. */
static int assembly_entry(ConeAssembly *assembly, int i, int j, int *value_count)
{
    ConeSystem *system = &assembly->system;
    int e = assembly->place[j];
    if (e >= system->start[i] && e < system->start[i + 1] && system->column[e] == j)
        return e;
    e = assembly->place[j] = system->start[i + 1]++;
    int size = system->blocks[i].size * system->blocks[j].size;
    system->column[e] = j;
    system->at[e] = *value_count;
    memset(system->value + *value_count, 0, sizeof(double) * (size_t)size);
    *value_count += size;
    return e;
}

/* D_i: as W_ii, with each body's share times the blocks that it has. */
static void assembly_split(ConeAssembly *assembly, const RowBlock *ri, int i, const World *world)
{
    double *D = assembly->system.split[i];
    int width = row_block_width(ri);
    for (int a = 0; a < ri->count; a++)
        for (int b = 0; b < ri->count; b++) {
            double sum = a == b ? ri->soft[a] : 0.0;
            for (int k = 0; k < row_block_bodies(ri); k++) {
                int body = ri->body[k], share = assembly->body_start[body + 1] - assembly->body_start[body];
                for (int c = k * width; !world_is_fixed(world, body) && c < (k + 1) * width; c++)
                    sum += share * ri->J[a][c] * ri->B[b][c];
            }
            D[a * ri->count + b] = ri->metres * ri->metres * sum;
        }
}

static void assembly_multiply(ConeAssembly *assembly, const RowSystem *rows, const World *world)
{
    ConeSystem *system = &assembly->system;
    int value_count = 0;
    system->start[0] = 0;
    memset(assembly->place, 0, sizeof *assembly->place * (size_t)system->count);
    for (int i = 0; i < system->count; i++) {
        const RowBlock *ri = &rows->blocks[assembly->of[i]];
        system->start[i + 1] = system->start[i];
        system->diagonal[i] = assembly_entry(assembly, i, i, &value_count);
        assembly_split(assembly, ri, i, world);
        for (int a = 0; a < ri->count; a++)
            system->value[system->at[system->diagonal[i]] + a * ri->count + a] += ri->metres * ri->metres * ri->soft[a];
        for (int k = 0; k < row_block_bodies(ri); k++) {
            int body = ri->body[k];
            if (world_is_fixed(world, body))
                continue;
            for (int t = assembly->body_start[body]; t < assembly->body_start[body + 1]; t++) {
                int j = assembly->touching[t];
                assembly_add(system, assembly_entry(assembly, i, j, &value_count), ri, k,
                             &rows->blocks[assembly->of[j]], assembly->slot[t]);
            }
        }
    }
}

bool cone_assembly_fill(ConeAssembly *assembly, const RowSystem *rows, const World *world)
{
    bool exact = assembly_list(assembly, rows, world);
    cone_assembly_load(assembly, rows);
    assembly_sort_by_body(assembly, rows, world);
    assembly_multiply(assembly, rows, world);
    return exact;
}

void cone_assembly_load(ConeAssembly *assembly, const RowSystem *rows)
{
    for (int i = 0; i < assembly->system.count; i++) {
        const ConeBlock *block = &assembly->system.blocks[i];
        const RowBlock *rb = &rows->blocks[assembly->of[i]];
        for (int a = 0; a < block->size; a++)
            assembly->r[block->first + a] = rb->lambda[a] / rb->metres;
    }
}

void cone_assembly_store(const ConeAssembly *assembly, RowSystem *rows)
{
    for (int i = 0; i < assembly->system.count; i++) {
        const ConeBlock *block = &assembly->system.blocks[i];
        RowBlock *rb = &rows->blocks[assembly->of[i]];
        for (int a = 0; a < block->size; a++)
            rb->lambda[a] = rb->metres * assembly->r[block->first + a];
    }
}
