/* SPDX-License-Identifier: MIT */
#include "solvers/cone/bodies.h"

#include "model/array.h"
#include "solvers/linear/small.h"

/* Less leaves nothing of 1 beside M^-1 J^T D^-1 Q J. */
static const double BODIES_LEAST_DELTA = 1e-9;

void cone_bodies_free(ConeBodies *bodies)
{
    cone_system_free(&bodies->graph);
    cone_factor_free(&bodies->factor);
    arrays_free(&bodies->arrays);
    *bodies = (ConeBodies){0};
}

/* The block of the graph that the p-th three numbers of a row belong to: v or w of a body; -1: a fixed one. */
static int bodies_block(const ConeBodies *bodies, const RowBlock *rb, int p)
{
    int each = row_block_width(rb) / 3, first = bodies->first[rb->body[p / each]];
    return first < 0 ? -1 : first / 3 + p % each;
}

enum { ROW_PARTS = ROW_WIDTH / 3 };

bool cone_bodies_init(ConeBodies *bodies, const RowSystem *rows, const ConeAssembly *assembly, const World *world)
{
    const ConeSystem *system = &assembly->system;
    size_t entries = (size_t)system->count * ROW_PARTS * ROW_PARTS, n = 0;
    Arrays scratch = {0};
    ConeBlock *blocks;
    ConeEntry *entry;
    int moving = 0;
    Status status = {0};
    *bodies = (ConeBodies){.rows = rows, .assembly = assembly};
    bool ok = OWN_ARRAY(&scratch, blocks, 2 * (size_t)world->body_count) && OWN_ARRAY(&scratch, entry, entries) &&
              OWN_ARRAY(&bodies->arrays, bodies->first, (size_t)world->body_count) &&
              OWN_ARRAY(&bodies->arrays, bodies->turn, 6 * (size_t)world->body_count);
    for (int i = 0; ok && i < world->body_count; i++) {
        bodies->first[i] = world_is_fixed(world, i) ? -1 : 6 * moving++;
        blocks[2 * i].size = blocks[2 * i + 1].size = 3;
    }
    for (int i = 0; ok && i < system->count; i++)
        for (int p = 0; p < ROW_PARTS; p++)
            for (int q = 0; q < ROW_PARTS; q++) {
                const RowBlock *rb = &rows->blocks[assembly->of[i]];
                int a = bodies_block(bodies, rb, p), b = bodies_block(bodies, rb, q);
                if (a >= 0 && b >= 0)
                    entry[n++] = (ConeEntry){3 * a, 3 * b, 0.0};
            }
    ok = ok && cone_system_init(&bodies->graph, blocks, 2 * moving, entry, (long)n, bodies->turn, &status) &&
         cone_factor_values(&bodies->factor, &bodies->graph);
    arrays_free(&scratch);
    return ok;
}

/* F <- D^-1 F and Q <- D^-1 Q of the group that ends with block i, F as a velocity. */
static void bodies_group(const ConeBodies *bodies, const NewtonLaw *law, double delta, int i, const double *r,
                         const double *u, NewtonGroup *group)
{
    const ConeSystem *system = &bodies->assembly->system;
    law->linearise(law, system, i, r, u, group);
    for (int b = 0; b < group->count; b++) {
        const RowBlock *rb = &bodies->rows->blocks[bodies->assembly->of[group->block[b]]];
        double w = cone_block_weight(system, group->block[b]);
        double soft = rb->soft[group->row[b] - system->blocks[group->block[b]].first] * rb->metres * rb->metres;
        group->F[b] *= w;
        for (int a = 0; a < group->count; a++)
            group->P[a][b] += group->Q[a][b] * (soft + delta * w);
    }
    small_divide(group->count, NEWTON_GROUP_MAX, group->P[0], group->Q[0], group->F);
}

/* Row a of the group: M^-1 J^T and J in metres, of its block. */
static const RowBlock *group_row(const ConeBodies *bodies, const NewtonGroup *group, int a, int *row)
{
    *row = group->row[a] - bodies->assembly->system.blocks[group->block[a]].first;
    return &bodies->rows->blocks[bodies->assembly->of[group->block[a]]];
}

static void bodies_add(ConeBodies *bodies, const NewtonGroup *group, int a)
{
    int row, other;
    double SJ[ROW_WIDTH] = {0};
    const RowBlock *rb = group_row(bodies, group, a, &row);
    for (int b = 0; b < group->count; b++) { /* the blocks of a group have the same bodies */
        const RowBlock *rj = group_row(bodies, group, b, &other);
        for (int c = 0; group->Q[a][b] != 0.0 && c < ROW_WIDTH; c++)
            SJ[c] += group->Q[a][b] * rj->metres * rj->J[other][c];
    }
    for (int p = 0; p < ROW_PARTS; p++) {
        int to = bodies_block(bodies, rb, p);
        const double *B = rb->B[row] + 3 * p;
        for (int k = 0; to >= 0 && k < 3; k++)
            bodies->turn[3 * to + k] -= rb->metres * B[k] * group->F[a];
        for (int q = 0; to >= 0 && q < ROW_PARTS; q++) {
            int from = bodies_block(bodies, rb, q);
            if (from < 0)
                continue;
            double *out = bodies->factor.value + bodies->graph.at[cone_system_find(&bodies->graph, to, from)];
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    out[3 * k + l] += rb->metres * B[k] * SJ[3 * q + l];
        }
    }
}

bool cone_bodies_direction(ConeBodies *bodies, const NewtonLaw *law, double delta, const double *r, const double *u,
                           double *d)
{
    const ConeSystem *system = &bodies->assembly->system, *graph = &bodies->graph;
    NewtonGroup group;
    int row;
    delta = fmax(delta, BODIES_LEAST_DELTA);
    memset(bodies->turn, 0, sizeof *bodies->turn * (size_t)graph->rows);
    memset(bodies->factor.value, 0, sizeof(double) * (size_t)cone_system_numbers(graph));
    for (int i = 0; i < graph->count; i++)
        for (int k = 0; k < 3; k++)
            bodies->factor.value[graph->at[graph->diagonal[i]] + 4 * k] = 1.0;
    for (int i = 0; i < system->count; i++) {
        bodies_group(bodies, law, delta, i, r, u, &group);
        for (int a = 0; a < group.count; a++)
            bodies_add(bodies, &group, a);
    }
    if (!cone_factor(&bodies->factor, graph) || !cone_factor_solve(&bodies->factor, bodies->turn))
        return false;
    for (int i = 0; i < system->count; i++) {
        double rates[NEWTON_GROUP_MAX] = {0};
        bodies_group(bodies, law, delta, i, r, u, &group);
        for (int a = 0; a < group.count; a++) {
            const RowBlock *rb = group_row(bodies, &group, a, &row);
            for (int c = 0; c < ROW_WIDTH; c++)
                if (bodies_block(bodies, rb, c / 3) >= 0)
                    rates[a] += rb->metres * rb->J[row][c] * bodies->turn[3 * bodies_block(bodies, rb, c / 3) + c % 3];
        }
        for (int a = 0; a < group.count; a++) {
            d[group.row[a]] = -group.F[a];
            for (int b = 0; b < group.count; b++)
                d[group.row[a]] -= group.Q[a][b] * rates[b];
        }
    }
    return true;
}
