#include "solvers/rows/ball_rows.h"

#include "model/row.h"
#include "solvers/rows/joint_quads.h"

#include <string.h>

typedef struct FourBalls {
    const int *blocks;
    int body[2][FOUR];
    FourVec3 arm[2];                        /* a1, a2: what J is made of */
    FourVec3 bias;                          /* of the three rows */
    FourVec3 T[BLOCK_MAX_ROWS];             /* its rows */
    FourVec3 B[2][BLOCK_MAX_ROWS];          /* I^-1 times the angular part of J's rows on either body */
    Wide A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J M^-1 J^T, the lower triangle */
    JointLanes lanes;                       /* as in a JointRow, number by number */
} FourBalls;

/* From Tbias on all numbers of a row are stored. */
enum { STORED = (sizeof(JointLanes) - offsetof(JointLanes, Tbias)) / sizeof(Wide) };

bool ball_rows_take(const Block *block, const RowSetup *setup)
{
    bool swept = setup->sweeps_only && !setup->whole && setup->soft_joint.share == 0.0;
    const JointTerms *terms = block_terms(block);
    return swept && block->kind == BLOCK_ATTACH && !block->off && terms->compliance == 0.0 && isinf(terms->max_force);
}

/* One number of each body. */
#define OF_BODIES(array, body, field)                                                                                  \
    ((Wide){(array)[(body)[0]].field, (array)[(body)[1]].field, (array)[(body)[2]].field, (array)[(body)[3]].field})

/* Where the blocks are: arms and errors, which a row keeps for those who ask for its J and C; bias = rate C. */
WIDE_INLINE void balls_place(FourBalls *balls, const World *world, double rate)
{
    FourVec3 anchor[2], at[2];
    const double *p[FOUR];
    for (int i = 0; i < FOUR; i++) {
        const Block *block = &world->blocks[balls->blocks[i]];
        p[i] = &block->seat->anchor[0].x;
        balls->body[0][i] = block->body[0];
        balls->body[1][i] = block->body[1];
    }
    four_gather_two(p, anchor);
    for (int k = 0; k < 2; k++) {
        FourVec3 arm = four_rotate(four_gather_turns(world->pose, balls->body[k]), anchor[k]);
        at[k] = four_add(four_gather_centres(world->pose, balls->body[k]), arm);
        balls->lanes.arm[k] = arm;
        balls->arm[k] = k == 0 ? arm : four_negate(arm);
        balls->lanes.inv_mass[k] = OF_BODIES(world->mass, balls->body[k], inv_mass);
    }
    balls->lanes.C = four_sub(at[1], at[0]);
    balls->bias = four_scale(wide_all(rate), balls->lanes.C);
}

/* sum + number i of a x u, added product by product in the order of the columns. */
WIDE_INLINE Wide ball_add(Wide sum, int i, FourVec3 a, FourVec3 u)
{
    if (i == 0)
        return sum - a.z * u.y + a.y * u.z;
    if (i == 1)
        return sum + a.z * u.x - a.x * u.z;
    return sum - a.y * u.x + a.x * u.y;
}

/* B = I^-1 J^T of the angular parts, whose number c of row i is that at i of a x (row c of I^-1); then A. */
WIDE_INLINE void balls_couple(FourBalls *balls, const Mat3 *inv_inertia)
{
    for (int k = 0; k < 2; k++) {
        FourVec3 row[3], turned[3], *B = balls->B[k];
        const int *body = balls->body[k];
        four_gather_three((const double *[]){inv_inertia[body[0]].m[0], inv_inertia[body[1]].m[0],
                                             inv_inertia[body[2]].m[0], inv_inertia[body[3]].m[0]},
                          row);
        for (int i = 0; i < 3; i++)
            turned[i] = four_cross(balls->arm[k], row[i]);
        B[0] = (FourVec3){turned[0].x, turned[1].x, turned[2].x};
        B[1] = (FourVec3){turned[0].y, turned[1].y, turned[2].y};
        B[2] = (FourVec3){turned[0].z, turned[1].z, turned[2].z};
    }
    for (int i = 0; i < BLOCK_MAX_ROWS; i++)
        for (int j = 0; j <= i; j++) {
            Wide sum = {0.0, 0.0, 0.0, 0.0};
            for (int k = 0; k < 2; k++) {
                if (i == j)
                    sum += balls->lanes.inv_mass[k];
                sum = ball_add(sum, i, balls->arm[k], balls->B[k][j]);
            }
            balls->A[i][j] = sum;
        }
}

/* T = (D/w + L)^-1 as small_invert_triangle has it; false if it does not exist. */
WIDE_INLINE bool balls_invert(FourBalls *balls, double relaxation)
{
    const Wide(*A)[BLOCK_MAX_ROWS] = (const Wide(*)[BLOCK_MAX_ROWS])balls->A;
    const Wide zero = {0.0, 0.0, 0.0, 0.0};
    Wide D[BLOCK_MAX_ROWS] = {A[0][0], A[1][1], A[2][2]};
    for (int i = 0; i < BLOCK_MAX_ROWS && relaxation != 1.0; i++)
        D[i] /= relaxation;
    if (!four_all((D[0] > 0.0) & (D[1] > 0.0) & (D[2] > 0.0)))
        return false;
    Wide T00 = 1.0 / D[0], T11 = 1.0 / D[1], T22 = 1.0 / D[2];
    Wide T10 = (0.0 - A[1][0] * T00) * T11, T21 = (0.0 - A[2][1] * T11) * T22;
    Wide T20 = (0.0 - A[2][0] * T00 - A[2][1] * T10) * T22;
    balls->T[0] = (FourVec3){T00, zero, zero};
    balls->T[1] = (FourVec3){T10, T11, zero};
    balls->T[2] = (FourVec3){T20, T21, T22};
    return true;
}

/* T J, T bias and B as a JointRow has them. */
WIDE_INLINE void balls_pack(FourBalls *balls)
{
    JointLanes *lanes = &balls->lanes;
    FourVec3 b = balls->bias;
    for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
        FourVec3 T = balls->T[i], one = four_cross(T, balls->arm[0]), two = four_cross(T, balls->arm[1]);
        const Wide TJ[JOINT_COLUMNS] = {-T.x, -T.y, -T.z, one.x, one.y, one.z, two.x, two.y, two.z};
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
WIDE_INLINE void balls_square_b(const FourBalls *balls, const Velocity *velocity, double *multipliers)
{
    FourVelocity one = four_gather_velocities(velocity, balls->body[0]);
    FourVelocity two = four_gather_velocities(velocity, balls->body[1]);
    FourVec3 a1 = balls->arm[0], a2 = balls->arm[1], w1 = one.w, w2 = two.w, v = four_sub(two.v, one.v);
    Wide x = v.x + (-a1.z * w1.y - a2.z * w2.y) + (a1.y * w1.z + a2.y * w2.z);
    Wide y = v.y + (a1.z * w1.x + a2.z * w2.x) + (-a1.x * w1.z - a2.x * w2.z);
    Wide z = v.z + (a1.x * w1.y + a2.x * w2.y) + (-a1.y * w1.x - a2.y * w2.x);
    FourVec3 b = four_add((FourVec3){x, y, z}, balls->bias);
    Wide square[FOUR] = {b.x * b.x, b.y * b.y, b.z * b.z, b.z};
    wide_turn(square);
    for (int i = 0; i < FOUR; i++)
        for (int k = 0; k < BLOCK_MAX_ROWS; k++)
            multipliers[BLOCK_MAX_ROWS * balls->blocks[i] + k] = square[i][k];
}

/* Numbers go out four at a time; the last four overlap those before. */
WIDE_INLINE void balls_store(const FourBalls *balls, RowSystem *system, double keep)
{
    const Wide *numbers = balls->lanes.Tbias;
    JointRow *row[FOUR];
    for (int i = 0; i < FOUR; i++) {
        row[i] = &system->joints[balls->blocks[i]];
        wide_store(row[i]->lambda, keep * wide_load(row[i]->lambda)); /* and Tbias[0], which is stored below */
        for (int k = 0; k < 2; k++)
            row[i]->body[k] = balls->body[k][i];
        row[i]->count = BLOCK_MAX_ROWS;
        row[i]->kind = ROWS_BILATERAL;
        row[i]->is_soft = false;
        row[i]->is_ball = row[i]->is_bare = true;
    }
    for (int n = 0; n < STORED; n += FOUR) {
        int at = n < STORED - FOUR ? n : STORED - FOUR;
        Wide x[FOUR] = {numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]};
        wide_turn(x);
        for (int i = 0; i < FOUR; i++) {
            double *to = row[i]->Tbias;
            wide_store(to + at, x[i]);
        }
    }
    for (int i = 0; i < FOUR; i++)
        row[i]->fixed = rows_fixed(row[i]->inv_mass);
}

WIDE_VERSIONS bool ball_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup,
                                     const int blocks[FOUR])
{
    FourBalls balls;
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

double ball_rows_residual(const RowSystem *system, int b, const Velocity *velocity, double sum)
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
