/* Sweeps of the position-based backends: through the list, or colour by colour. A colour's units share no moving body
 * and are shared by a team; the bits are the same for any number of threads. */
#include "solvers/position/position_based.h"
#include "solvers/position/stick.h"

const char *const position_order_names[] = {"list", "colour", NULL};

/* Units of a colour that are worth a thread's while, some microseconds. */
enum { SWEEP_LEAST = 16 };

typedef struct PositionSweep {
    PositionBased *based;
    World *world;
    const int *units; /* of this colour; NULL: as created */
    double h, threshold;
} PositionSweep;

static SweepUnits sweep_part(const PositionSweep *sweep, int from, int to)
{
    return (SweepUnits){sweep->units ? sweep->units + from : NULL, to - from};
}

static long sweep_joints(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return position_solve_joints(sweep->world, &based->how, based->lambda.of, sweep_part(sweep, from, to));
}

static long sweep_tangents(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return stick_tangents(sweep->world, &based->how, based->lambda.of, sweep_part(sweep, from, to));
}

static long sweep_contacts(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    SweepUnits part = sweep_part(sweep, from, to);
    return based->options.contact == CONTACT_STICK
               ? stick_normals(sweep->world, &based->how, based->lambda.of, part)
               : contact_solve_positions(sweep->world, &based->how, based->lambda.of, part);
}

static long sweep_velocities(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    ContactVelocitySolve how = {sweep->h, sweep->threshold, based->predicted};
    SweepUnits part = sweep_part(sweep, from, to);
    return based->options.contact == CONTACT_STICK
               ? stick_velocities(sweep->world, based->lambda.of, sweep->h, part)
               : contact_solve_velocities(sweep->world, &how, based->lambda.of, part);
}

/* Returns the rows solved. The list is one after the other: its units share bodies. */
static long sweep_run(PositionSweep *sweep, const Colours *colours, int count, TeamWork *work)
{
    long rows = 0;
    sweep->units = NULL;
    if (sweep->based->options.order == POSITION_LIST)
        return work(sweep, 0, count);
    for (int c = 0; c < colours->count; c++) {
        int units = colours->start[c + 1] - colours->start[c];
        sweep->units = colours->units + colours->start[c];
        if (units > 0)
            rows += team_share(c == colours->serial ? NULL : sweep->world->team, units, SWEEP_LEAST, work, sweep);
    }
    return rows;
}

void position_based_sweep(void *self, Step *step)
{
    PositionBased *based = self;
    const World *world = step->world;
    PositionSweep sweep = {.based = based, .world = step->world};
    const Colours *joints = &based->colours.joints, *manifolds = &based->colours.manifolds;
    if (based->options.contact == CONTACT_STICK)
        step->row_solves += sweep_run(&sweep, manifolds, world->manifold_count, sweep_tangents);
    step->row_solves += sweep_run(&sweep, joints, world->joint_block_count, sweep_joints);
    step->row_solves += sweep_run(&sweep, manifolds, world->manifold_count, sweep_contacts);
}

void position_based_velocities(void *self, Step *step)
{
    PositionBased *based = self;
    PositionSweep sweep = {
        .based = based, .world = step->world, .h = step->h, .threshold = position_based_threshold(based, step)};
    step->row_solves += sweep_run(&sweep, &based->colours.manifolds, step->world->manifold_count, sweep_velocities);
}
