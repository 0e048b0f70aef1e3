/* SPDX-License-Identifier: MIT */
/* Sweeps of the position-based backends: through the list, or colour by colour. A colour's units share no moving body
 * and are shared by a team; the bits are the same for any number of threads. */
#include "solvers/position/kernels.h"
#include "solvers/position/position_based.h"

const char *const position_order_names[] = {"list", "colour", NULL};

/* Units of a colour that are worth a thread's while, some microseconds. */
enum { SWEEP_LEAST = 16 };

static const ScheduleWork JOINTS = {joint_positions, joint_positions_one};
static const ScheduleWork TANGENTS = {stick_tangents, stick_tangents_one};
static const ScheduleWork CONTACTS[] = {[CONTACT_PUBLISHED] = {contact_positions, contact_positions_one},
                                        [CONTACT_APPROACH] = {contact_positions, contact_positions_one},
                                        [CONTACT_STICK] = {stick_normals, stick_normals_one}};
static const ScheduleWork VELOCITIES[] = {[CONTACT_PUBLISHED] = {contact_velocities, contact_velocities_one},
                                          [CONTACT_APPROACH] = {contact_velocities, contact_velocities_one},
                                          [CONTACT_STICK] = {stick_velocities, stick_velocities_one}};

static PositionSweep sweep_of(const PositionBased *based, World *world)
{
    return (PositionSweep){.world = world,
                           .how = &based->how,
                           .multipliers = based->lambda.of,
                           .quads = &based->quads,
                           .predicted = based->predicted};
}

/* In the order of the list they are one after the other, since units share bodies, or in levels, which keep the order.
 */
static void sweep_units(PositionSweep *sweep, bool lined_up, const Schedule *colours, int count, ScheduleWork work,
                        Step *step)
{
    step->row_solves += lined_up ? schedule_run(colours, step->world->team, SWEEP_LEAST, work, &sweep->span, sweep)
                                 : work.one(sweep, 0, count);
}

static void sweep_manifolds(PositionBased *based, PositionSweep *sweep, ScheduleWork work, Step *step)
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
