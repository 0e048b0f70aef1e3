/* Four manifolds side by side (solvers/rows/row_schedule.h): prepared straight into the lanes that a sweep reads, and
 * what else looks at their rows. */
#include "solvers/rows/point_prepare.h"
#include "solvers/rows/point_solve.h"

LANE_CHOICE(contacts_prepare)
LANE_CHOICE(contacts_apply)
LANE_CHOICE(contacts_sweep)
LANE_CHOICE(contact_quads_jacobi)
LANE_CHOICE(contact_quads_store_impulses)
LANE_CHOICE(contact_quads_copy_back)
LANE_CHOICE(contact_quads_take_biases)

/* Quads before their contacts are asked for. */
enum { AHEAD = 3 };

int LANE_BODY(contacts_prepare)(RowSystem *system, const World *world, const RowSetup *setup, const int *units_of_one,
                                int from, int to)
{
    (void)units_of_one;
    PointSetup points = point_setup(system, world, setup);
    RowSchedule *quads = system->quads;
    int active = 0;
    for (int q = from; q < to; q++) {
        ScheduleUnits *units = &quads->manifolds.quads[q];
        LanePoint *lanes = &quads->points[units->first];
        for (int i = 0; i < LANES && q + AHEAD < to; i++)
            manifold_ask(world, manifold_at(world, setup, quads->manifolds.quads[q + AHEAD].unit[i]));
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

long LANE_BODY(contacts_apply)(RowSystem *system, const int *units_of_one, int from, int to, Velocity *velocity)
{
    const RowSchedule *quads = system->quads;
    (void)units_of_one;
    for (int q = from; q < to; q++) {
        const ScheduleUnits *units = &quads->manifolds.quads[q];
        const LanePoint *points = &quads->points[units->first];
        LaneVelocities V;
        velocities_gather(units->body, velocity, &V);
        for (int n = 0; n < units->count; n++)
            for (int r = 0; r < BLOCK_MAX_ROWS; r++)
                point_push(&points[n], r, points[n].lambda[r], &V);
        velocities_scatter(units->body, units->has_fixed, points->inv_mass, velocity, &V);
    }
    return 0;
}

LANE_INLINE long quads_solve(RowSystem *system, int from, int to, Velocity *velocity, Velocity *change)
{
    const RowSchedule *quads = system->quads;
    long rows = 0;
    for (int q = from; q < to; q++) {
        const ScheduleUnits *units = &quads->manifolds.quads[q];
        LaneUnit unit = {&quads->points[units->first], units->count, &quads->inverses[q], units->body,
                         units->has_fixed};
        unit_solve(&unit, system, velocity, change);
        rows += BLOCK_MAX_ROWS * units->lanes * units->count;
    }
    return rows;
}

long LANE_BODY(contacts_sweep)(RowSystem *system, const int *units_of_one, int from, int to, Velocity *velocity)
{
    (void)units_of_one;
    return quads_solve(system, from, to, velocity, NULL);
}

long LANE_BODY(contact_quads_jacobi)(RowSystem *system, int from, int to, Velocity *seen, Velocity *change)
{
    return quads_solve(system, from, to, seen, change);
}

/* Of a point's two blocks, as contact_row_on_body2 has them: six numbers. */
LANE_INLINE void point_impulses(const LanePoint *point, Lanes u[6])
{
    for (int c = 0; c < 3; c++) {
        u[c] = 0.0 + point->lambda[0] * -point->row[0][c];
        u[3 + c] = (0.0 + point->lambda[1] * -point->row[1][c]) + point->lambda[2] * -point->row[2][c];
    }
}

void LANE_BODY(contact_quads_store_impulses)(const RowSystem *system, World *world, int from, int to)
{
    for (int q = from; q < to; q++) {
        const ScheduleUnits *units = &system->quads->manifolds.quads[q];
        for (int n = 0; n < units->count; n++) {
            Velocity nowhere;
            double *at[LANES];
            Lanes u[6];
            for (int i = 0; i < LANES; i++) {
                const ContactRow *row = &system->contacts[system->first_row[units->unit[i]] + n];
                at[i] = i < units->lanes ? &world->block_impulse[row->block].x : &nowhere.v.x;
            }
            point_impulses(&system->quads->points[units->first + n], u);
            six_scatter(u, at);
        }
    }
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
