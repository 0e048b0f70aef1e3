#include "solvers/rows/joint_quads.h"

#include "solvers/rows/quad_lanes.h"

#include <stddef.h>
#include <string.h>

enum {
    NUMBERS = sizeof(JointLanes) / sizeof(Double4),
    BALL_NUMBERS = offsetof(JointLanes, linear) / sizeof(Double4) /* a ball's have no linear part */
};

_Static_assert(sizeof(JointLanes) == QUAD * (sizeof(JointRow) - offsetof(JointRow, lambda)), "lanes are JointRow's");

int joint_quad_kind(const JointRow *row)
{
    if (row->kind != ROWS_BILATERAL || row->is_soft)
        return 0;
    return row->is_ball && row->count > 0 ? JOINT_BALLS : row->count;
}

/* A lane without a joint has zeros, and the bodies of the first, which it does not write. */
static void lane_leave(QuadUnits *units, JointLanes *lanes, int i)
{
    double *number = (double *)lanes;
    for (int k = 0; k < 2; k++)
        units->body[k][i] = units->body[k][0];
    units->has_fixed = true;
    for (int n = 0; n < NUMBERS; n++)
        number[QUAD * n + i] = 0.0;
}

WIDE_VERSIONS void joint_quads_fill(RowQuads *quads, const RowSystem *system, int from, int to)
{
    for (int q = from; q < to; q++) {
        QuadUnits *units = &quads->joints.quads[q];
        JointLanes *lanes = &quads->joint_lanes[q];
        int numbers = units->count == JOINT_BALLS ? BALL_NUMBERS : NUMBERS;
        const double *p[QUAD];
        for (int i = 0; i < QUAD; i++) {
            const JointRow *row = &system->joints[units->at[i < units->filled ? i : 0]];
            units_set_bodies(units, i, row->body, row->inv_mass);
            p[i] = row->lambda;
        }
        lanes_fill(p, numbers, (Double4 *)lanes);
        for (int i = units->filled; i < QUAD; i++)
            lane_leave(units, lanes, i);
    }
}

void joint_quads_store(const RowQuads *quads, RowSystem *system)
{
    for (int q = 0; q < quads->joints.quad_count; q++) {
        const QuadUnits *units = &quads->joints.quads[q];
        const JointLanes *lanes = &quads->joint_lanes[q];
        int rows = units->count == JOINT_BALLS ? BLOCK_MAX_ROWS : units->count;
        for (int k = 0; k < units->filled; k++)
            for (int i = 0; i < rows; i++)
                system->joints[units->at[k]].lambda[i] = lanes->lambda[i][k];
    }
}

/* T J V of each lane's row i. */
static ALWAYS_INLINE Double4 joints_rate(const JointLanes *joints, int i, const QuadVelocity *V)
{
    Double4 p[JOINT_COLUMNS];
    for (int c = 0; c < JOINT_COLUMNS; c++)
        p[c] = joints->TJ[c][i];
    return quad_rate(p, V);
}

/* V -= M^-1 J^T e of each lane's row i. */
static ALWAYS_INLINE void joints_push(const JointLanes *joints, int i, bool are_balls, Double4 e, QuadVelocity *V)
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

/* dlambda = -T r = -(T J V + T bias): joint_solve of joint_rows.c, a lane for each of four joints */
static ALWAYS_INLINE void joints_solve(const QuadUnits *units, JointLanes *joints, int count, bool are_balls,
                                       Velocity *velocity)
{
    QuadVelocity V;
    Double4 e[BLOCK_MAX_ROWS];
    quad_gather(units, velocity, &V);
    for (int i = 0; i < count; i++)
        e[i] = joints->Tbias[i] + joints_rate(joints, i, &V);
    for (int i = 0; i < count; i++) {
        joints->lambda[i] -= e[i];
        joints_push(joints, i, are_balls, e[i], &V);
    }
    quad_scatter(units, joints->inv_mass, velocity, &V);
}

WIDE_VERSIONS long joint_quads_sweep(const RowQuads *quads, int from, int to, Velocity *velocity)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        const QuadUnits *units = &quads->joints.quads[q];
        JointLanes *joints = &quads->joint_lanes[q];
        if (units->count == JOINT_BALLS)
            joints_solve(units, joints, 3, true, velocity);
        else if (units->count == 3)
            joints_solve(units, joints, 3, false, velocity);
        else if (units->count == 2)
            joints_solve(units, joints, 2, false, velocity);
        else
            joints_solve(units, joints, 1, false, velocity);
        rows += units->filled * (units->count == JOINT_BALLS ? 3 : units->count);
    }
    return rows;
}
