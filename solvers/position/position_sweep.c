/* Sweeps of the position-based backends: through the list, or colour by colour. A colour's units share no moving body
 * and are shared by a team; the bits are the same for any number of threads. */
#include "solvers/position/kernels.h"
#include "solvers/position/position_based.h"

const char *const position_order_names[] = {"list", "colour", NULL};

/* Units of a colour that are worth a thread's while, some microseconds. */
enum { SWEEP_LEAST = 16 };

/* A kernel at both widths. */
typedef struct SweepWork {
    TeamWork *one, *four;
} SweepWork;

static const SweepWork JOINTS = {joint_positions_one, joint_positions};
static const SweepWork TANGENTS = {stick_tangents_one, stick_tangents};
static const SweepWork CONTACTS[] = {[CONTACT_PUBLISHED] = {contact_positions_one, contact_positions},
                                     [CONTACT_APPROACH] = {contact_positions_one, contact_positions},
                                     [CONTACT_STICK] = {stick_normals_one, stick_normals}};
static const SweepWork VELOCITIES[] = {[CONTACT_PUBLISHED] = {contact_velocities_one, contact_velocities},
                                       [CONTACT_APPROACH] = {contact_velocities_one, contact_velocities},
                                       [CONTACT_STICK] = {stick_velocities_one, stick_velocities}};

static PositionSweep sweep_of(const PositionBased *based, World *world)
{
    return (PositionSweep){.world = world,
                           .how = &based->how,
                           .multipliers = based->lambda.of,
                           .quads = &based->quads,
                           .predicted = based->predicted};
}

/* Each colour's quads, then what is left over; one whose units may share bodies has no quads. Returns the rows solved.
 */
static long sweep_colours(PositionSweep *sweep, const Schedule *colours, SweepWork work)
{
    Team *team = sweep->world->team;
    long rows = 0;
    for (int c = 0; c < colours->count; c++) {
        int quads = colours->start[c + 1] - colours->start[c];
        int left = colours->rest_start[c + 1] - colours->rest_start[c];
        sweep->first = colours->start[c];
        sweep->units = colours->rest + colours->rest_start[c];
        rows += team_share(team, quads, SWEEP_LEAST, work.four, sweep);
        rows += team_share(c == colours->serial ? NULL : team, left, SWEEP_LEAST, work.one, sweep);
    }
    return rows;
}

/* In the order of the list they are one after the other, since units share bodies, or in levels, which keep the order.
 */
static void sweep_units(PositionSweep *sweep, bool lined_up, const Schedule *colours, int count, SweepWork work,
                        Step *step)
{
    step->row_solves += lined_up ? sweep_colours(sweep, colours, work) : work.one(sweep, 0, count);
}

static void sweep_manifolds(PositionBased *based, PositionSweep *sweep, SweepWork work, Step *step)
{
    sweep_units(sweep, based->lined_up, &based->quads.manifolds, step->world->manifold_count, work, step);
}

void position_based_tangents(PositionBased *based, Step *step)
{
    PositionSweep sweep = sweep_of(based, step->world);
    sweep_manifolds(based, &sweep, TANGENTS, step);
}

void position_based_joints(PositionBased *based, Step *step)
{
    PositionSweep sweep = sweep_of(based, step->world);
    sweep_units(&sweep, based->joints_lined_up, &based->quads.joints, step->world->joint_block_count, JOINTS, step);
}

void position_based_contacts(PositionBased *based, Step *step)
{
    PositionSweep sweep = sweep_of(based, step->world);
    sweep_manifolds(based, &sweep, CONTACTS[based->options.contact], step);
}

void position_based_velocities(void *self, Step *step)
{
    PositionBased *based = self;
    PositionSweep sweep = sweep_of(based, step->world);
    long dropped = 0;
    sweep.threshold = position_based_threshold(based, step);
    sweep.by_approach = based->options.contact == CONTACT_APPROACH;
    sweep.dropped = &dropped;
    sweep_manifolds(based, &sweep, VELOCITIES[based->options.contact], step);
    for (; dropped > 0; dropped--)
        step_report(step, "a bounce was dropped: the position solve had left no speed to test");
}
