/* SPDX-License-Identifier: MIT */
#include "solvers/rows/joint_quads.h"

#include "solvers/rows/point_lanes.h"

#include <stddef.h>

LANE_CHOICE(row_schedule_joints)
LANE_CHOICE(joint_quads_copy_back)
LANE_CHOICE(joint_quads_sweep)

/* Numbers that lanes hold: of any joint, of balls, which have no linear part, and of rows that are alone. */
enum {
    NUMBERS = sizeof(JointLanes) / sizeof(Lanes4),
    BALL_NUMBERS = offsetof(JointLanes, linear) / sizeof(Lanes4),
    ALONE_NUMBERS = offsetof(JointLanes, TJ) / sizeof(Lanes4) + ALONE_WIDTH
};

_Static_assert(sizeof(JointLanes) == LANES * (sizeof(JointRow) - offsetof(JointRow, lambda)), "lanes are JointRow's");

/* Units, and quads, that are worth a thread's while. */
enum { KINDS_LEAST = 256, FILL_LEAST = 32 };

/* 0: solved by itself. */
static int joint_kind(const JointRow *row)
{
    if (row->kind != ROWS_BILATERAL || row->is_soft)
        return 0;
    return row->is_ball && row->count > 0 ? JOINT_BALLS : row->count;
}

/* What a team shares. */
typedef struct Filling {
    RowSchedule *quads;
    const RowSystem *system;
} Filling;

static long set_kinds(void *context, int from, int to)
{
    const Filling *job = context;
    for (int b = from; b < to; b++)
        job->quads->joints.kinds[b] = (unsigned char)joint_kind(&job->system->joints[b]);
    return 0;
}

/* `count` numbers at each p, four at least, become lanes. */
LANE_INLINE void lanes_fill(const double *const p[LANES], int count, Lanes4 *lanes)
{
    for (int c = 0; c < count; c += LANES) {
        int at = c < count - LANES ? c : count - LANES;
        Lanes4 x[LANES];
        for (int i = 0; i < LANES; i++)
            x[i] = LOAD4(p[i] + at);
        lanes4_turn(x);
        for (int i = 0; i < LANES; i++)
            lanes[at + i] = x[i];
    }
}

/* Lanes without a joint repeat the first, whose bodies they read and, having no mass, do not write. */
static long fill_lanes(void *context, int from, int to)
{
    const Filling *job = context;
    for (int q = from; q < to; q++) {
        ScheduleUnits *units = &job->quads->joints.quads[q];
        JointLanes *lanes = &job->quads->joint_lanes[q];
        const double *p[LANES];
        for (int i = 0; i < LANES; i++) {
            const JointRow *row = &job->system->joints[units->unit[i]];
            for (int k = 0; k < 2; k++)
                units->body[k][i] = row->body[k];
            units->has_fixed = units->has_fixed || row->fixed != 0;
            p[i] = row->lambda;
        }
        int numbers = units->count == JOINT_BALLS ? BALL_NUMBERS : units->count == 1 ? ALONE_NUMBERS : NUMBERS;
        lanes_fill(p, numbers, (Lanes4 *)lanes);
        for (int i = units->lanes; i < LANES; i++)
            lanes->inv_mass[0][i] = lanes->inv_mass[1][i] = 0.0;
    }
    return 0;
}

void LANE_BODY(row_schedule_joints)(RowSchedule *quads, const RowSystem *system, const World *world, bool by_colour)
{
    Filling job = {quads, system};
    Team *team = world->team;
    if (!by_colour) {
        schedule_plain(&quads->joints, system->joint_count);
        return;
    }
    team_share(team, system->joint_count, KINDS_LEAST, set_kinds, &job);
    schedule_by_colour(&quads->joints, world, SCHEDULE_JOINTS, QUAD_LEAST);
    team_share(team, quads->joints.quad_count, FILL_LEAST, fill_lanes, &job);
}

static int quad_rows(const ScheduleUnits *units)
{
    return units->count == JOINT_BALLS ? BLOCK_MAX_ROWS : units->count;
}

void LANE_BODY(joint_quads_copy_back)(const RowSystem *system)
{
    for (int q = 0; q < system->quads->joints.quad_count; q++) {
        const ScheduleUnits *units = &system->quads->joints.quads[q];
        const JointLanes *lanes = &system->quads->joint_lanes[q];
        for (int k = 0; k < units->lanes; k++)
            for (int i = 0; i < quad_rows(units); i++)
                system->joints[units->unit[k]].lambda[i] = lanes->lambda[i][k];
    }
}

/* T J V of each lane's row i. */
LANE_INLINE Lanes4 joints_rate(const JointLanes *joints, int i, const LaneVelocities *V)
{
    Lanes4 p[JOINT_COLUMNS];
    for (int c = 0; c < JOINT_COLUMNS; c++)
        p[c] = joints->TJ[c][i];
    return lanes_rate(p, V);
}

/* V -= M^-1 J^T e of each lane's row i. */
LANE_INLINE void joints_push(const JointLanes *joints, int i, bool are_balls, Lanes4 e, LaneVelocities *V)
{
    if (are_balls) {
        V->u[0][i] += e * joints->inv_mass[0];
        V->u[1][i] -= e * joints->inv_mass[1];
    }
    for (int c = 0; c < 3; c++) {
        if (!are_balls) {
            V->u[0][c] -= e * (joints->inv_mass[0] * joints->linear[i][c]);
            V->u[1][c] += e * (joints->inv_mass[1] * joints->linear[i][c]);
        }
        V->u[0][3 + c] -= e * joints->turn[i][c];
        V->u[1][3 + c] -= e * joints->turn[i][3 + c];
    }
}

/* dlambda = -T r = -(T J V + T bias): joint_solve of joint_sweep.c, a lane for each of four joints */
LANE_INLINE void joints_solve(const ScheduleUnits *units, JointLanes *joints, int count, bool are_balls,
                              Velocity *velocity)
{
    LaneVelocities V;
    Lanes4 e[BLOCK_MAX_ROWS];
    velocities_gather(units->body, velocity, &V);
    for (int i = 0; i < count; i++)
        e[i] = joints->Tbias[i] + joints_rate(joints, i, &V);
    for (int i = 0; i < count; i++) {
        joints->lambda[i] -= e[i];
        joints_push(joints, i, are_balls, e[i], &V);
    }
    velocities_scatter(units->body, units->has_fixed, joints->inv_mass, velocity, &V);
}

/* The same for rows that are alone. */
LANE_INLINE void rows_solve(const ScheduleUnits *units, JointLanes *joints, Velocity *velocity)
{
    const Lanes4 *row = joints->TJ[0];
    LaneVelocities V;
    velocities_gather(units->body, velocity, &V);
    Lanes4 d = -(joints->Tbias[0] + lanes_rate(row, &V));
    joints->lambda[0] += d;
    lanes_push(joints->inv_mass, row + ALONE_LINEAR, row + ALONE_TURN, d, &V);
    velocities_scatter(units->body, units->has_fixed, joints->inv_mass, velocity, &V);
}

long LANE_BODY(joint_quads_sweep)(const RowSchedule *quads, int from, int to, Velocity *velocity)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        const ScheduleUnits *units = &quads->joints.quads[q];
        JointLanes *joints = &quads->joint_lanes[q];
        if (units->count == JOINT_BALLS)
            joints_solve(units, joints, 3, true, velocity);
        else if (units->count == 3)
            joints_solve(units, joints, 3, false, velocity);
        else if (units->count == 2)
            joints_solve(units, joints, 2, false, velocity);
        else
            rows_solve(units, joints, velocity);
        rows += units->lanes * quad_rows(units);
    }
    return rows;
}
