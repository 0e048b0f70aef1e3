/* SPDX-License-Identifier: MIT */
/* Sweeps of a system in the order of its schedule. A level's units are shared by a team; the next level begins when all
 * are done. The order in which units of one level are solved does not matter, so the bits are the same for any number
 * of threads. */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/joint_rows.h"
#include "solvers/rows/row_schedule.h"

/* Units of a level that are worth a thread's while, some microseconds; as many quads do as much. */
enum { SWEEP_LEAST = 32 };

static long sweep_joint_quads(void *context, int from, int to)
{
    const RowWork *sweep = context;
    int first = sweep->span.first;
    return joint_quads_sweep(sweep->system->quads, first + from, first + to, sweep->velocity);
}

static long sweep_joints(void *context, int from, int to)
{
    const RowWork *sweep = context;
    return joint_rows_sweep(sweep->system, sweep->span.units, from, to, sweep->velocity);
}

static void velocity_add(Velocity *sum, double scale, Velocity u)
{
    sum->v = vec3_add_scaled(sum->v, scale, u.v);
    sum->w = vec3_add_scaled(sum->w, scale, u.w);
}

/* Adds what manifolds would change, and leaves the velocities. */
static long jacobi_manifolds(void *context, int from, int to)
{
    const RowWork *sweep = context;
    long rows = 0;
    for (int k = from; k < to; k++) {
        const int *body = sweep->world->manifolds[sweep->span.units[k]].body;
        Velocity seen[2] = {sweep->velocity[body[0]], sweep->velocity[body[1]]};
        rows += contacts_sweep_one(context, k, k + 1);
        for (int i = 0; i < 2; i++) {
            Velocity *u = &sweep->velocity[body[i]], *sum = &sweep->change[body[i]];
            velocity_add(sum, 1.0, *u);
            velocity_add(sum, -1.0, seen[i]);
            *u = seen[i];
        }
    }
    return rows;
}

/* Joints are not applied lane by lane: their quads have a copy of their rows. */
static long apply_joint_quads(void *context, int from, int to)
{
    const RowWork *sweep = context;
    for (int q = from; q < to; q++) {
        const ScheduleUnits *units = &sweep->system->quads->joints.quads[sweep->span.first + q];
        joint_rows_apply(sweep->system, units->unit, 0, units->lanes, sweep->velocity);
    }
    return 0;
}

static long apply_joints(void *context, int from, int to)
{
    const RowWork *sweep = context;
    joint_rows_apply(sweep->system, sweep->span.units, from, to, sweep->velocity);
    return 0;
}

static long run(const Schedule *schedule, Team *team, TeamWork *four, TeamWork *one, RowWork *sweep)
{
    return schedule_run(schedule, team, SWEEP_LEAST, (ScheduleWork){four, one}, &sweep->span, sweep);
}

void row_schedule_apply(RowSystem *system, Team *team, Velocity *velocity)
{
    RowWork sweep = {.system = system, .velocity = velocity};
    run(&system->quads->joints, team, apply_joint_quads, apply_joints, &sweep);
    run(&system->quads->manifolds, team, contacts_apply, contacts_apply_one, &sweep);
}

long row_schedule_sweep(RowSystem *system, Team *team, Velocity *velocity)
{
    RowWork sweep = {.system = system, .velocity = velocity};
    long rows = run(&system->quads->joints, team, sweep_joint_quads, sweep_joints, &sweep);
    return rows + run(&system->quads->manifolds, team, contacts_sweep, contacts_sweep_one, &sweep);
}

long row_schedule_jacobi(RowSystem *system, const World *world, Velocity *velocity, Velocity *change)
{
    RowWork sweep = {.system = system, .velocity = velocity, .world = world, .change = change};
    long rows = run(&system->quads->joints, NULL, sweep_joint_quads, sweep_joints, &sweep);
    rows += run(&system->quads->manifolds, NULL, contacts_jacobi, jacobi_manifolds, &sweep);
    for (int i = 0; i < world->body_count; i++) {
        velocity_add(&velocity[i], 1.0, change[i]);
        change[i] = (Velocity){VEC3_ZERO, VEC3_ZERO};
    }
    return rows;
}
