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
    int first;        /* where the colour begins among its quads */
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

static long apply_quads(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    return contact_quads_apply(sweep->quads, sweep->first + from, sweep->first + to, sweep->velocity);
}

static long apply_manifolds(void *context, int from, int to)
{
    const ColourSweep *sweep = context;
    const int *row = sweep->system->first_row;
    for (int k = from; k < to; k++)
        contact_rows_apply(sweep->system, row[sweep->units[k]], row[sweep->units[k] + 1], sweep->velocity);
    return 0;
}

/* The joints of every colour in turn; those of one may share bodies. */
static void joints_apply(const Colours *colours, Team *team, ColourSweep *sweep)
{
    for (int c = 0; c < colours->count; c++) {
        int count = colours->start[c + 1] - colours->start[c];
        sweep->units = colours->units + colours->start[c];
        if (count > 0)
            team_share(c == colours->serial ? NULL : team, count, SWEEP_LEAST, apply_joints, sweep);
    }
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

void row_system_apply_quads(RowSystem *system, const Colouring *colouring, Team *team, Velocity *velocity)
{
    ColourSweep sweep = {.system = system, .quads = system->quads, .velocity = velocity};
    if (colouring)
        joints_apply(&colouring->joints, team, &sweep);
    else
        joint_rows_apply(system, velocity);
    quads_run(&system->quads->manifolds, team, apply_quads, apply_manifolds, &sweep);
}

long row_system_sweep_quads(RowSystem *system, bool coloured, Team *team, Velocity *velocity)
{
    ColourSweep sweep = {.system = system, .quads = system->quads, .velocity = velocity};
    long joints = coloured ? quads_run(&system->quads->joints, team, sweep_joint_quads, sweep_joints, &sweep)
                           : row_system_sweep_joints(system, velocity);
    return joints + quads_run(&system->quads->manifolds, team, sweep_manifold_quads, sweep_manifolds, &sweep);
}
