/* SPDX-License-Identifier: MIT */
/* Manifolds one by one, in the order of the rows or as told: prepared, applied and swept by the texts of the lanes. */
#define LANES 1

#include "solvers/rows/point_prepare.h"
#include "solvers/rows/point_solve.h"

LANE_CHOICE(contacts_prepare)
LANE_CHOICE(contacts_apply)
LANE_CHOICE(contacts_sweep)
LANE_CHOICE(contact_row_solve)

/* Lets the points of a manifold be gone through as one, if the system says so. */
static void group_begin(const RowSystem *system, ContactRow *first, int count)
{
    if (count <= 1 || first->count == 0 || !(system->together || system->normals_first))
        return;
    first->group = (signed char)count;
    for (int i = 1; i < count; i++)
        first[i].follows = true;
}

/* Manifolds before their contacts are asked for. */
enum { AHEAD = 6 };

long LANE_BODY(contacts_prepare)(void *context, int from, int to)
{
    const RowWork *work = context;
    RowSystem *system = work->system;
    const World *world = work->world;
    const RowSetup *setup = work->setup;
    const int *units = work->span.units;
    PointSetup points = point_setup(system, world, setup);
    long active = 0;
    for (int k = from; k < to; k++) {
        int unit = units ? units[k] : k, body[2][1];
        const ManifoldBlocks *manifold = &world->manifolds[unit];
        ContactRow *first = &system->contacts[system->first_row[unit]];
        if (k + AHEAD < to)
            manifold_ask(world, &world->manifolds[units ? units[k + AHEAD] : k + AHEAD]);
        active += unit_prepare(system, &points, &unit, 1, manifold->count, body, first,
                               (InverseLanes *)&system->inverses[unit]);
        group_begin(system, first, manifold->count);
        if (manifold->torsion >= 0)
            active += patch_prepare(system, world, manifold, system->first_row[unit] + manifold->count, setup);
    }
    return active;
}

LANE_INLINE void row_solve(RowSystem *system, ContactRow *row, Velocity *velocity)
{
    if (row->count == 0 || row->follows)
        return;
    if (row->kind == ROWS_TORSION) {
        patch_solve(system, row, velocity);
        return;
    }
    LaneUnit unit = {row, row->group > 0 ? row->group : 1, (const InverseLanes *)&system->inverses[row->unit],
                     (const int(*)[1])row->body, row->fixed != 0};
    unit_solve(&unit, system, velocity, NULL);
}

void LANE_BODY(contact_row_solve)(RowSystem *system, ContactRow *row, Velocity *velocity)
{
    row_solve(system, row, velocity);
}

/* Where the rows of the k-th manifold of the work begin, and before which they end. */
static const int *rows_at(const RowWork *work, int k)
{
    return &work->system->first_row[work->span.units ? work->span.units[k] : k];
}

long LANE_BODY(contacts_sweep)(void *context, int from, int to)
{
    const RowWork *work = context;
    RowSystem *system = work->system;
    long rows = 0;
    for (int k = from; k < to; k++) {
        const int *first = rows_at(work, k);
        for (int i = first[0]; i < first[1]; i++) {
            row_solve(system, &system->contacts[i], work->velocity);
            rows += system->contacts[i].count;
        }
    }
    return rows;
}

long LANE_BODY(contacts_apply)(void *context, int from, int to)
{
    const RowWork *work = context;
    const RowSystem *system = work->system;
    Velocity *velocity = work->velocity;
    for (int k = from; k < to; k++) {
        const int *first = rows_at(work, k);
        for (int i = first[0]; i < first[1]; i++) {
            const ContactRow *row = &system->contacts[i];
            LaneVelocities V;
            if (row->kind == ROWS_TORSION) {
                row_block_push(&system->blocks[row->block], system->blocks[row->block].lambda, velocity);
                continue;
            }
            velocities_gather((const int(*)[1])row->body, velocity, &V);
            for (int r = 0; r < row->count; r++)
                point_push(row, r, row->lambda[r], &V);
            velocities_scatter((const int(*)[1])row->body, row->fixed != 0, row->inv_mass, velocity, &V);
        }
    }
    return 0;
}
