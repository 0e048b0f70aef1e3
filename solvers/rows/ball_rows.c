/* SPDX-License-Identifier: MIT */
#include "solvers/rows/ball_rows.h"

#include "model/rows/row.h"
#include "solvers/rows/joint_quads.h"

#include <string.h>

LANE_CHOICE(ball_rows_take)
LANE_CHOICE(ball_rows_prepare)
LANE_CHOICE(ball_rows_residual)

typedef struct LaneBalls {
    const int *blocks;
    int body[2][LANES];
    LanesVec3 arm[2];                         /* a1, a2: what J is made of */
    LanesVec3 bias;                           /* of the three rows */
    LanesVec3 T[BLOCK_MAX_ROWS];              /* its rows */
    LanesVec3 B[2][BLOCK_MAX_ROWS];           /* I^-1 times the angular part of J's rows on either body */
    Lanes4 A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J M^-1 J^T, the lower triangle */
    JointLanes lanes;                         /* as in a JointRow, number by number */
} LaneBalls;

/* From Tbias on all numbers of a row are stored. */
enum { STORED = (sizeof(JointLanes) - offsetof(JointLanes, Tbias)) / sizeof(Lanes4) };

bool LANE_BODY(ball_rows_take)(const Block *block, const RowSetup *setup)
{
    bool swept = setup->sweeps_only && !setup->whole && setup->soft_joint.share == 0.0;
    const JointTerms *terms = block_terms(block);
    return swept && block->kind == BLOCK_ATTACH && !block->off && terms->compliance == 0.0 && isinf(terms->max_force);
}

/* Where the blocks are: arms and errors, which a row keeps for those who ask for its J and C; bias = rate C. */
LANE_INLINE void balls_place(LaneBalls *balls, const World *world, double rate)
{
    LanesVec3 anchor[2], at[2];
    const double *p[LANES];
    for (int i = 0; i < LANES; i++) {
        const Block *block = &world->blocks[balls->blocks[i]];
        p[i] = &block->seat->anchor[0].x;
        balls->body[0][i] = block->body[0];
        balls->body[1][i] = block->body[1];
    }
    lanes_gather_two(p, anchor);
    for (int k = 0; k < 2; k++) {
        LanesPose pose = lanes_gather_poses(world->pose, balls->body[k]);
        LanesVec3 arm = lanes_rotate(pose.q, anchor[k]);
        at[k] = lanes_add(pose.x, arm);
        balls->lanes.arm[k] = arm;
        balls->arm[k] = k == 0 ? arm : lanes_negate(arm);
        balls->lanes.inv_mass[k] = lanes_gather_inv_mass(world->mass, balls->body[k]);
    }
    balls->lanes.C = lanes_sub(at[1], at[0]);
    balls->bias = lanes_scale(lanes_all(rate), balls->lanes.C);
}

/* sum + number i of a x u, added product by product in the order of the columns. */
LANE_INLINE Lanes4 ball_add(Lanes4 sum, int i, LanesVec3 a, LanesVec3 u)
{
    if (i == 0)
        return sum - a.z * u.y + a.y * u.z;
    if (i == 1)
        return sum + a.z * u.x - a.x * u.z;
    return sum - a.y * u.x + a.x * u.y;
}

/* B = I^-1 J^T of the angular parts, whose number c of row i is that at i of a x (row c of I^-1); then A. */
LANE_INLINE void balls_couple(LaneBalls *balls, const Mat3 *inv_inertia)
{
    for (int k = 0; k < 2; k++) {
        LanesVec3 row[3], turned[3], *B = balls->B[k];
        const int *body = balls->body[k];
        lanes_gather_three(LANE_ELEMENTS(inv_inertia, body, m[0][0]), row);
        for (int i = 0; i < 3; i++)
            turned[i] = lanes_cross(balls->arm[k], row[i]);
        B[0] = (LanesVec3){turned[0].x, turned[1].x, turned[2].x};
        B[1] = (LanesVec3){turned[0].y, turned[1].y, turned[2].y};
        B[2] = (LanesVec3){turned[0].z, turned[1].z, turned[2].z};
    }
    for (int i = 0; i < BLOCK_MAX_ROWS; i++)
        for (int j = 0; j <= i; j++) {
            Lanes4 sum = {0.0, 0.0, 0.0, 0.0};
            for (int k = 0; k < 2; k++) {
                if (i == j)
                    sum += balls->lanes.inv_mass[k];
                sum = ball_add(sum, i, balls->arm[k], balls->B[k][j]);
            }
            balls->A[i][j] = sum;
        }
}

/* T = (D/w + L)^-1 as small_invert_triangle has it; false if it does not exist. */
LANE_INLINE bool balls_invert(LaneBalls *balls, double relaxation)
{
    const Lanes4(*A)[BLOCK_MAX_ROWS] = (const Lanes4(*)[BLOCK_MAX_ROWS])balls->A;
    const Lanes4 zero = {0.0, 0.0, 0.0, 0.0};
    Lanes4 D[BLOCK_MAX_ROWS] = {A[0][0], A[1][1], A[2][2]};
    for (int i = 0; i < BLOCK_MAX_ROWS && relaxation != 1.0; i++)
        D[i] /= relaxation;
    if (!mask_all((D[0] > 0.0) & (D[1] > 0.0) & (D[2] > 0.0)))
        return false;
    Lanes4 T00 = 1.0 / D[0], T11 = 1.0 / D[1], T22 = 1.0 / D[2];
    Lanes4 T10 = (0.0 - A[1][0] * T00) * T11, T21 = (0.0 - A[2][1] * T11) * T22;
    Lanes4 T20 = (0.0 - A[2][0] * T00 - A[2][1] * T10) * T22;
    balls->T[0] = (LanesVec3){T00, zero, zero};
    balls->T[1] = (LanesVec3){T10, T11, zero};
    balls->T[2] = (LanesVec3){T20, T21, T22};
    return true;
}

/* T J, T bias and B as a JointRow has them. */
LANE_INLINE void balls_pack(LaneBalls *balls)
{
    JointLanes *lanes = &balls->lanes;
    LanesVec3 b = balls->bias;
    for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
        LanesVec3 T = balls->T[i], one = lanes_cross(T, balls->arm[0]), two = lanes_cross(T, balls->arm[1]);
        const Lanes4 TJ[JOINT_COLUMNS] = {-T.x, -T.y, -T.z, one.x, one.y, one.z, two.x, two.y, two.z};
        for (int c = 0; c < JOINT_COLUMNS; c++)
            lanes->TJ[c][i] = TJ[c];
        lanes->Tbias[i] = T.x * b.x + T.y * b.y + T.z * b.z;
        for (int k = 0; k < 2; k++) {
            lanes->turn[i][3 * k] = balls->B[k][i].x;
            lanes->turn[i][3 * k + 1] = balls->B[k][i].y;
            lanes->turn[i][3 * k + 2] = balls->B[k][i].z;
        }
    }
}

/* b^2 of every row, b = -(J V + bias); J V is summed as in row_times_velocity. */
LANE_INLINE void balls_square_b(const LaneBalls *balls, const Velocity *velocity, double *multipliers)
{
    LanesVelocity one = lanes_gather_velocities(velocity, balls->body[0]);
    LanesVelocity two = lanes_gather_velocities(velocity, balls->body[1]);
    LanesVec3 a1 = balls->arm[0], a2 = balls->arm[1], w1 = one.w, w2 = two.w, v = lanes_sub(two.v, one.v);
    Lanes4 x = v.x + (-a1.z * w1.y - a2.z * w2.y) + (a1.y * w1.z + a2.y * w2.z);
    Lanes4 y = v.y + (a1.z * w1.x + a2.z * w2.x) + (-a1.x * w1.z - a2.x * w2.z);
    Lanes4 z = v.z + (a1.x * w1.y + a2.x * w2.y) + (-a1.y * w1.x - a2.y * w2.x);
    LanesVec3 b = lanes_add((LanesVec3){x, y, z}, balls->bias);
    Lanes4 square[LANES] = {b.x * b.x, b.y * b.y, b.z * b.z, b.z};
    lanes4_turn(square);
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < BLOCK_MAX_ROWS; k++)
            multipliers[BLOCK_MAX_ROWS * balls->blocks[i] + k] = square[i][k];
}

/* Numbers go out four at a time; the last four overlap those before. */
LANE_INLINE void balls_store(const LaneBalls *balls, RowSystem *system, double keep)
{
    const Lanes4 *numbers = balls->lanes.Tbias;
    JointRow *row[LANES];
    for (int i = 0; i < LANES; i++) {
        row[i] = &system->joints[balls->blocks[i]];
        Lanes4 lambda = keep * lanes_load(row[i]->lambda); /* and Tbias[0], which is stored below */
        lanes_store(row[i]->lambda, lanes_choose((LaneMask)(lanes_abs(lambda) < TRACE), 0.0 * lambda, lambda));
        for (int k = 0; k < 2; k++)
            row[i]->body[k] = balls->body[k][i];
        row[i]->count = BLOCK_MAX_ROWS;
        row[i]->kind = ROWS_BILATERAL;
        row[i]->is_soft = false;
        row[i]->is_ball = row[i]->is_bare = true;
    }
    for (int n = 0; n < STORED; n += LANES) {
        int at = n < STORED - LANES ? n : STORED - LANES;
        Lanes4 x[LANES] = {numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]};
        lanes4_turn(x);
        for (int i = 0; i < LANES; i++) {
            double *to = row[i]->Tbias;
            lanes_store(to + at, x[i]);
        }
    }
    for (int i = 0; i < LANES; i++)
        row[i]->fixed = rows_fixed(row[i]->inv_mass);
}

bool LANE_BODY(ball_rows_prepare)(RowSystem *system, const World *world, const RowSetup *setup, const int blocks[LANES])
{
    LaneBalls balls;
    balls.blocks = blocks;
    balls_place(&balls, world, system->joint_rate);
    balls_couple(&balls, system->inv_inertia);
    if (!balls_invert(&balls, setup->relaxation))
        return false;
    balls_pack(&balls);
    balls_square_b(&balls, world->velocity, system->multipliers);
    balls_store(&balls, system, setup->keep);
    return true;
}

double LANE_BODY(ball_rows_residual)(const RowSystem *system, int b, const Velocity *velocity, double sum)
{
    const JointRow *row = &system->joints[b];
    const double *v1 = (const double *)&velocity[row->body[0]], *v2 = (const double *)&velocity[row->body[1]];
    for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
        double J[ROW_WIDTH], part[6], A = 0.0;
        row_linear(J, vec3_axis(i), row->arm[0], row->arm[1]);
        for (int c = 0; c < 6; c++)
            part[c] = J[c] * v1[c] + J[6 + c] * v2[c];
        double rate = ((part[0] + part[2]) + part[4]) + ((part[1] + part[3]) + part[5]);
        for (int k = 0; k < 2; k++) {
            for (int c = 6 * k; c < 6 * k + 3; c++)
                A += J[c] * (row->inv_mass[k] * J[c]);
            for (int c = 3 * k; c < 3 * k + 3; c++)
                A += J[3 * (k + 1) + c] * row->turn[i][c];
        }
        double r = rate + system->joint_rate * vec3_get(row->C, i);
        double moved = row->lambda[i] - 1.0 / A * r, natural = A * (row->lambda[i] - moved);
        sum += natural * natural;
    }
    return sum;
}
