/* SPDX-License-Identifier: MIT */
/* What the rows gave: multipliers, and impulses on the blocks' second bodies. */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/row_schedule.h"

Vec3 row_system_on_body2(const RowSystem *system, const World *world, int b)
{
    const RowBlock *rb = &system->blocks[b];
    BlockKind kind = world->blocks[b].kind;
    if (b < system->joint_count && system->joints[b].is_bare)
        return vec3(system->joints[b].lambda[0], system->joints[b].lambda[1], system->joints[b].lambda[2]);
    if (b >= system->plain_count && kind != BLOCK_TORSION) {
        int at = system->packed[world->blocks[b].normal_block];
        return contact_row_on_body2(&system->contacts[at], kind == BLOCK_FRICTION);
    }
    Vec3 sum = VEC3_ZERO;
    for (int i = 0; i < rb->count; i++)
        sum = vec3_add_scaled(sum, rb->lambda[i], row_on_body2(rb->J[i], kind));
    return sum;
}

/* Joints, quads and manifolds that are worth a thread's while. */
enum { STORE_LEAST = 256, STORE_QUADS_LEAST = 16, STORE_REST_LEAST = 64 };

static long store_joints(void *context, int from, int to)
{
    const RowWork *work = context;
    for (int b = from; b < to; b++)
        work->world->block_impulse[b] = row_system_on_body2(work->system, work->world, b);
    return 0;
}

static void store_contact(const RowSystem *system, const World *world, const ContactRow *row)
{
    Vec3 *impulse = &world->block_impulse[row->block];
    if (row->kind == ROWS_TORSION) {
        *impulse = row_system_on_body2(system, world, row->block);
        return;
    }
    impulse[0] = contact_row_on_body2(row, false);
    impulse[1] = contact_row_on_body2(row, true);
}

/* Manifolds, all of them or those that are left over. */
static long store_manifolds(void *context, int from, int to)
{
    const RowWork *work = context;
    const RowSystem *system = work->system;
    for (int k = from; k < to; k++) {
        const int *first = &system->first_row[work->span.units ? work->span.units[k] : k];
        for (int i = first[0]; i < first[1]; i++)
            store_contact(system, work->world, &system->contacts[i]);
    }
    return 0;
}

void row_system_store_impulses(const RowSystem *system, World *world)
{
    RowWork work = {.system = (RowSystem *)system, .world = world};
    if (system->quads)
        joint_quads_copy_back(system);
    team_share(world->team, world->joint_block_count, STORE_LEAST, store_joints, &work);
    if (!system->quads) {
        team_share(world->team, system->unit_count, STORE_REST_LEAST, store_manifolds, &work);
        return;
    }
    const Schedule *colours = &system->quads->manifolds;
    work.span.units = colours->rest;
    team_share(world->team, colours->quad_count, STORE_QUADS_LEAST, contacts_store, &work);
    team_share(world->team, colours->rest_start[colours->count], STORE_REST_LEAST, store_manifolds, &work);
}

void row_system_recall_impulses(RowSystem *system, const World *world)
{
    for (int b = 0; b < system->joint_count; b++) {
        Rows rows;
        block_rows(world, &world->blocks[b], &rows);
        for (int i = 0; i < rows.count; i++)
            system->joints[b].lambda[i] = row_recall(rows.J[i], world->blocks[b].kind, world->block_impulse[b]);
    }
}

int row_system_multipliers(RowSystem *system, const double **lambda)
{
    int count = 0;
    row_system_copy_back(system);
    for (int b = 0; b < system->joint_count; b++)
        for (int i = 0; i < system->joints[b].count; i++)
            system->multipliers[count++] = system->joints[b].lambda[i];
    for (int b = system->joint_count; b < system->plain_count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            system->multipliers[count++] = system->blocks[b].lambda[i];
    for (int b = system->plain_count; b < system->count; b++) {
        const ContactRow *row = system->packed[b] >= 0 ? &system->contacts[system->packed[b]] : NULL;
        for (int i = 0; row && i < row->count; i++)
            system->multipliers[count++] = row->lambda[i];
    }
    *lambda = system->multipliers;
    return count;
}
