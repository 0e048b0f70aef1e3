/* SPDX-License-Identifier: MIT */
/* Four manifolds side by side (solvers/rows/row_schedule.h): prepared straight into the lanes that a sweep reads, and
 * what else looks at their rows. */
#include "solvers/rows/point_prepare.h"
#include "solvers/rows/point_solve.h"

LANE_CHOICE(contacts_prepare)
LANE_CHOICE(contacts_apply)
LANE_CHOICE(contacts_sweep)
LANE_CHOICE(contacts_jacobi)
LANE_CHOICE(contacts_store)
LANE_CHOICE(contact_quads_copy_back)
LANE_CHOICE(contact_quads_take_biases)

/* Quads before their contacts are asked for. */
enum { AHEAD = 3 };

/* The q-th of the work, and its points. */
static ScheduleUnits *quad_at(const RowWork *work, int q, LanePoint **points)
{
    RowSchedule *quads = work->system->quads;
    ScheduleUnits *units = &quads->manifolds.quads[work->span.first + q];
    *points = &quads->points[units->first];
    return units;
}

long LANE_BODY(contacts_prepare)(void *context, int from, int to)
{
    const RowWork *work = context;
    RowSystem *system = work->system;
    const World *world = work->world;
    const RowSetup *setup = work->setup;
    PointSetup points = point_setup(system, world, setup);
    RowSchedule *quads = system->quads;
    long active = 0;
    for (int q = from; q < to; q++) {
        LanePoint *lanes;
        ScheduleUnits *units = quad_at(work, q, &lanes);
        for (int i = 0; i < LANES && q + AHEAD < to; i++)
            manifold_ask(world, &world->manifolds[quads->manifolds.quads[q + AHEAD].unit[i]]);
        InverseLanes *inverse = &quads->inverses[q];
        active +=
            units->count == 1
                ? unit_prepare(system, &points, units->unit, units->lanes, 1, units->body, lanes, inverse)
                : unit_prepare(system, &points, units->unit, units->lanes, units->count, units->body, lanes, inverse);
        units->has_fixed = units->lanes < LANES ||
                           mask_any((LaneMask)(lanes->inv_mass[0] == 0.0) | (LaneMask)(lanes->inv_mass[1] == 0.0));
        for (int n = 0; n < units->count; n++) /* lanes that are no unit's move nothing */
            for (int i = units->lanes; i < LANES; i++)
                lanes[n].inv_mass[0][i] = lanes[n].inv_mass[1][i] = 0.0;
    }
    return active;
}

long LANE_BODY(contacts_apply)(void *context, int from, int to)
{
    const RowWork *work = context;
    for (int q = from; q < to; q++) {
        LanePoint *points;
        const ScheduleUnits *units = quad_at(work, q, &points);
        LaneVelocities V;
        velocities_gather(units->body, work->velocity, &V);
        for (int n = 0; n < units->count; n++)
            for (int r = 0; r < BLOCK_MAX_ROWS; r++)
                point_push(&points[n], r, points[n].lambda[r], &V);
        velocities_scatter(units->body, units->has_fixed, points->inv_mass, work->velocity, &V);
    }
    return 0;
}

LANE_INLINE long quads_solve(const RowWork *work, int from, int to, Velocity *change)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        LanePoint *points;
        const ScheduleUnits *units = quad_at(work, q, &points);
        const InverseLanes *inverse = &work->system->quads->inverses[work->span.first + q];
        LaneUnit unit = {points, units->count, inverse, units->body, units->has_fixed};
        unit_solve(&unit, work->system, work->velocity, change);
        rows += BLOCK_MAX_ROWS * units->lanes * units->count;
    }
    return rows;
}

long LANE_BODY(contacts_sweep)(void *context, int from, int to)
{
    return quads_solve(context, from, to, NULL);
}

long LANE_BODY(contacts_jacobi)(void *context, int from, int to)
{
    return quads_solve(context, from, to, ((const RowWork *)context)->change);
}

/* Of a point's two blocks, as contact_row_on_body2 has them: six numbers. */
LANE_INLINE void point_impulses(const LanePoint *point, Lanes u[6])
{
    for (int c = 0; c < 3; c++) {
        u[c] = 0.0 + point->lambda[0] * -point->row[0][c];
        u[3 + c] = (0.0 + point->lambda[1] * -point->row[1][c]) + point->lambda[2] * -point->row[2][c];
    }
}

long LANE_BODY(contacts_store)(void *context, int from, int to)
{
    const RowWork *work = context;
    const RowSystem *system = work->system;
    for (int q = from; q < to; q++) {
        LanePoint *points;
        const ScheduleUnits *units = quad_at(work, q, &points);
        for (int n = 0; n < units->count; n++) {
            Velocity nowhere;
            double *at[LANES];
            Lanes u[6];
            for (int i = 0; i < LANES; i++) {
                const ContactRow *row = &system->contacts[system->first_row[units->unit[i]] + n];
                at[i] = i < units->lanes ? &work->world->block_impulse[row->block].x : &nowhere.v.x;
            }
            point_impulses(&points[n], u);
            six_scatter(u, at);
        }
    }
    return 0;
}

/* Where point n of each unit is packed. */
static void quad_rows(const RowSystem *system, const ScheduleUnits *units, int n, int at[LANES])
{
    for (int i = 0; i < LANES; i++)
        at[i] = system->first_row[units->unit[i]] + n;
}

void LANE_BODY(contact_quads_copy_back)(const RowSystem *system)
{
    for (int q = 0; q < system->quads->manifolds.quad_count; q++) {
        const ScheduleUnits *units = &system->quads->manifolds.quads[q];
        for (int n = 0; n < units->count; n++) {
            int at[LANES];
            quad_rows(system, units, n, at);
            points_store(&system->quads->points[units->first + n], system->contacts, at, units->lanes);
        }
    }
}

void LANE_BODY(contact_quads_take_biases)(const RowSystem *system)
{
    for (int q = 0; q < system->quads->manifolds.quad_count; q++) {
        const ScheduleUnits *units = &system->quads->manifolds.quads[q];
        for (int n = 0; n < units->count; n++) {
            int at[LANES];
            quad_rows(system, units, n, at);
            for (int i = 0; i < LANES; i++)
                system->quads->points[units->first + n].bias[i] = system->contacts[at[i]].bias;
        }
    }
}
