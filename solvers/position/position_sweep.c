/* Sweeps of the position-based backends: through the list, or colour by colour. A colour's units share no moving body
 * and are shared by a team; the bits are the same for any number of threads. */
#include "model/wide.h"
#include "solvers/position/position_based.h"
#include "solvers/position/stick.h"

const char *const position_order_names[] = {"list", "colour", NULL};

/* Units of a colour that are worth a thread's while, some microseconds. */
enum { SWEEP_LEAST = 16 };

typedef struct PositionSweep {
    PositionBased *based;
    World *world;
    const int *units; /* of this colour or level, left over from its quads; NULL: as created */
    int first;        /* where its quads begin */
    double h, threshold;
} PositionSweep;

static SweepUnits sweep_part(const PositionSweep *sweep, int from, int to)
{
    return (SweepUnits){sweep->units ? sweep->units + from : NULL, to - from};
}

/* For each sweep one function over units and one over quads. */
typedef struct SweepWork {
    TeamWork *units, *quads;
} SweepWork;

static long joints(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return position_solve_joints(sweep->world, &based->how, based->lambda.of, sweep_part(sweep, from, to));
}

static long joint_quads(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return joint_quads_positions(&based->quads, sweep->first + from, sweep->first + to, sweep->world, &based->how,
                                 based->lambda.of);
}

static long tangents(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return stick_tangents(sweep->world, &based->how, based->lambda.of, sweep_part(sweep, from, to));
}

static long tangent_quads(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return stick_quads_tangents(&based->quads, sweep->first + from, sweep->first + to, sweep->world, &based->how,
                                based->lambda.of);
}

static long contacts(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return (based->options.contact == CONTACT_STICK ? stick_normals : contact_solve_positions)(
        sweep->world, &based->how, based->lambda.of, sweep_part(sweep, from, to));
}

static long contact_quads(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    return (based->options.contact == CONTACT_STICK ? stick_quads_normals : contact_quads_positions)(
        &based->quads, sweep->first + from, sweep->first + to, sweep->world, &based->how, based->lambda.of);
}

static long velocities(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    ContactVelocitySolve how = {sweep->h, sweep->threshold, based->predicted};
    SweepUnits part = sweep_part(sweep, from, to);
    return based->options.contact == CONTACT_STICK
               ? stick_velocities(sweep->world, based->lambda.of, sweep->h, part)
               : contact_solve_velocities(sweep->world, &how, based->lambda.of, part);
}

static long velocity_quads(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    PositionBased *based = sweep->based;
    ContactVelocitySolve how = {sweep->h, sweep->threshold, based->predicted};
    int first = sweep->first + from, end = sweep->first + to;
    return based->options.contact == CONTACT_STICK
               ? stick_quads_velocities(&based->quads, first, end, sweep->world, based->lambda.of, sweep->h)
               : contact_quads_velocities(&based->quads, first, end, sweep->world, &how, based->lambda.of);
}

/* Each colour's quads, then what is left over; one whose units may share bodies has no quads. Returns the rows solved.
 */
static long sweep_colours(PositionSweep *sweep, const QuadColours *colours, SweepWork work)
{
    Team *team = sweep->world->team;
    long rows = 0;
    for (int c = 0; c < colours->count; c++) {
        int quads = colours->start[c + 1] - colours->start[c];
        int left = colours->rest_start[c + 1] - colours->rest_start[c];
        sweep->first = colours->start[c];
        sweep->units = colours->rest + colours->rest_start[c];
        if (wide_is_one_register() && quads > 0) /* known to be false where functions for quads need not be built */
            rows += team_share(team, quads, SWEEP_LEAST, work.quads, sweep);
        if (left > 0)
            rows += team_share(c == colours->serial ? NULL : team, left, SWEEP_LEAST, work.units, sweep);
    }
    return rows;
}

/* In the order of the list they are one after the other, since units share bodies; manifolds may be in levels, which
 * keep the order. */
static void sweep_manifolds(PositionSweep *sweep, SweepWork work, Step *step)
{
    step->row_solves += sweep->based->lined_up ? sweep_colours(sweep, &sweep->based->quads.manifolds, work)
                                               : work.units(sweep, 0, step->world->manifold_count);
}

void position_based_tangents(PositionBased *based, Step *step)
{
    PositionSweep sweep = {.based = based, .world = step->world};
    sweep_manifolds(&sweep, (SweepWork){tangents, tangent_quads}, step);
}

void position_based_joints(PositionBased *based, Step *step)
{
    PositionSweep sweep = {.based = based, .world = step->world};
    step->row_solves += based->options.order == POSITION_COLOUR
                            ? sweep_colours(&sweep, &based->quads.joints, (SweepWork){joints, joint_quads})
                            : joints(&sweep, 0, step->world->joint_block_count);
}

void position_based_contacts(PositionBased *based, Step *step)
{
    PositionSweep sweep = {.based = based, .world = step->world};
    sweep_manifolds(&sweep, (SweepWork){contacts, contact_quads}, step);
}

void position_based_velocities(void *self, Step *step)
{
    PositionBased *based = self;
    PositionSweep sweep = {
        .based = based, .world = step->world, .h = step->h, .threshold = position_based_threshold(based, step)};
    sweep_manifolds(&sweep, (SweepWork){velocities, velocity_quads}, step);
}
