/* What the rows gave: multipliers, and impulses on the blocks' second bodies. */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/row_schedule.h"

/* sum of lambda_i times the part of J_i at `at`: where the second body's v or w stands, or the second particle's v */
static Vec3 row_block_impulse(const RowBlock *rb, int at)
{
    Vec3 sum = VEC3_ZERO;
    for (int i = 0; i < rb->count; i++)
        sum = vec3_add_scaled(sum, rb->lambda[i], vec3(rb->J[i][at], rb->J[i][at + 1], rb->J[i][at + 2]));
    return sum;
}

/* Where the impulse on the second body stands in a row of J. */
static int row_second(BlockKind kind)
{
    return kind == BLOCK_VOLUME ? 3 : block_unit(kind) == UNIT_ANGLE ? 9 : 6;
}

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
    return row_block_impulse(rb, row_second(kind));
}

typedef struct Storing {
    const RowSystem *system;
    World *world;
} Storing;

/* Rows, quads and manifolds that are worth a thread's while. */
enum { STORE_LEAST = 256, STORE_QUADS_LEAST = 16, STORE_REST_LEAST = 64 };

static long store_joints(void *context, int from, int to)
{
    const Storing *job = context;
    for (int b = from; b < to; b++)
        job->world->block_impulse[b] = row_system_on_body2(job->system, job->world, b);
    return 0;
}

static long store_contacts(void *context, int from, int to)
{
    const RowSystem *system = ((const Storing *)context)->system;
    World *world = ((const Storing *)context)->world;
    for (int k = from; k < to; k++) {
        const ContactRow *row = &system->contacts[k];
        Vec3 *impulse = &world->block_impulse[row->block];
        if (row->kind == ROWS_TORSION) {
            *impulse = row_system_on_body2(system, world, row->block);
            continue;
        }
        impulse[0] = contact_row_on_body2(row, false);
        impulse[1] = contact_row_on_body2(row, true);
    }
    return 0;
}

static long store_quads(void *context, int from, int to)
{
    const Storing *job = context;
    contact_quads_store_impulses(job->system, job->world, from, to);
    return 0;
}

static long store_rest(void *context, int from, int to)
{
    const RowSystem *system = ((const Storing *)context)->system;
    const int *unit = system->quads->manifolds.rest;
    for (int k = from; k < to; k++)
        store_contacts(context, system->first_row[unit[k]], system->first_row[unit[k] + 1]);
    return 0;
}

void row_system_store_impulses(const RowSystem *system, World *world)
{
    Storing job = {system, world};
    if (system->quads)
        joint_quads_copy_back(system);
    team_share(world->team, world->joint_block_count, STORE_LEAST, store_joints, &job);
    if (!system->quads) {
        team_share(world->team, system->contact_count, STORE_LEAST, store_contacts, &job);
        return;
    }
    const Schedule *colours = &system->quads->manifolds;
    team_share(world->team, colours->quad_count, STORE_QUADS_LEAST, store_quads, &job);
    team_share(world->team, colours->rest_start[colours->count], STORE_REST_LEAST, store_rest, &job);
}

void row_system_recall_impulses(RowSystem *system, const World *world)
{
    for (int b = 0; b < system->joint_count; b++) {
        Rows rows;
        block_rows(world, &world->blocks[b], &rows);
        int at = row_second(world->blocks[b].kind);
        for (int i = 0; i < rows.count; i++) {
            Vec3 direction = vec3(rows.J[i][at], rows.J[i][at + 1], rows.J[i][at + 2]);
            double square = vec3_dot(direction, direction);
            system->joints[b].lambda[i] = square > 0.0 ? vec3_dot(direction, world->block_impulse[b]) / square : 0.0;
        }
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
