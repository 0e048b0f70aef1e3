/* Sweeps colour by colour. A colour's units are shared by a team; the next colour begins when all are done. The order
 * in which units of one colour are solved does not matter, so the bits are the same for any number of threads. */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/joint_rows.h"
#include "solvers/rows/quad.h"
#include "solvers/rows/row_kernel.h"

/* Units of a colour that are worth a thread's while, some microseconds; as many quads do as much. */
enum { SWEEP_LEAST = 32 };

typedef struct ColourSweep {
    RowSystem *system;
    const RowQuads *quads;
    const int *units; /* of this colour: joints' blocks, or manifolds in the order of the rows */
    int first;        /* where the colour begins among its quads, or in the order of the rows */
    Velocity *velocity;
} ColourSweep;

static long sweep_joint_quads(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    return joint_quads_sweep(sweep->quads, sweep->first + from, sweep->first + to, sweep->velocity);
}

static long sweep_manifold_quads(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    return manifold_quads_sweep(sweep->quads, sweep->system, sweep->first + from, sweep->first + to, sweep->velocity);
}

static long sweep_joints(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    return row_system_sweep_part(sweep->system, sweep->velocity, sweep->units + from, to - from);
}

static long sweep_manifolds(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    const int *row = sweep->system->first_row;
    long rows = 0;
    for (int k = from; k < to; k++)
        rows += contact_rows_sweep(sweep->system, row[sweep->units[k]], row[sweep->units[k] + 1], sweep->velocity);
    return rows;
}

static long apply_joints(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    for (int k = from; k < to; k++)
        joint_row_apply(sweep->system, sweep->units[k], sweep->velocity);
    return 0;
}

static long apply_manifolds(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    const int *row = sweep->system->first_row + sweep->first;
    contact_rows_apply(sweep->system, row[from], row[to], sweep->velocity);
    return 0;
}

/* Every colour in turn; the units of one may share bodies. */
static long colours_run(const Colours *colours, Team *team, TeamWork *work, ColourSweep *sweep)
{
    long sum = 0;
    for (int c = 0; c < colours->count; c++) {
        int count = colours->start[c + 1] - colours->start[c];
        sweep->units = colours->units + colours->start[c];
        sweep->first = colours->start[c];
        if (count > 0)
            sum += team_share(c == colours->serial ? NULL : team, count, SWEEP_LEAST, work, sweep);
    }
    return sum;
}

void row_system_apply_colours(RowSystem *system, const Colouring *colouring, Team *team, Velocity *velocity)
{
    ColourSweep sweep = {.system = system, .velocity = velocity};
    colours_run(&colouring->joints, team, apply_joints, &sweep);
    colours_run(&colouring->manifolds, team, apply_manifolds, &sweep);
}

/* Each colour's quads, then what is left over; one whose units may share bodies has no quads. */
static long quads_run(const QuadColours *colours, Team *team, TeamWork *quads, TeamWork *rest, ColourSweep *sweep)
{
    long rows = 0;
    for (int c = 0; c < colours->count; c++) {
        int count = colours->start[c + 1] - colours->start[c];
        int left = colours->rest_start[c + 1] - colours->rest_start[c];
        sweep->first = colours->start[c];
        sweep->units = colours->rest + colours->rest_start[c];
        if (count > 0)
            rows += team_share(team, count, SWEEP_LEAST, quads, sweep);
        if (left > 0)
            rows += team_share(c == colours->serial ? NULL : team, left, SWEEP_LEAST, rest, sweep);
    }
    return rows;
}

long row_system_sweep_colours(RowSystem *system, const RowQuads *quads, Team *team, Velocity *velocity)
{
    ColourSweep sweep = {.system = system, .quads = quads, .velocity = velocity};
    return quads_run(&quads->joints, team, sweep_joint_quads, sweep_joints, &sweep) +
           quads_run(&quads->manifolds, team, sweep_manifold_quads, sweep_manifolds, &sweep);
}

/* A quad takes about the time of two units one by one. */
static bool quads_worth(const QuadColours *colours)
{
    return 2 * colours->quad_count > colours->rest_start[colours->count];
}

long row_system_sweep_levels(RowSystem *system, const RowQuads *quads, Team *team, Velocity *velocity)
{
    ColourSweep sweep = {.system = system, .quads = quads, .velocity = velocity};
    if (!quads_worth(&quads->manifolds))
        return row_system_sweep(system, velocity, NULL);
    return row_system_sweep_joints(system, velocity) +
           quads_run(&quads->manifolds, team, sweep_manifold_quads, sweep_manifolds, &sweep);
}
