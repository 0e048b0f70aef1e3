/* SPDX-License-Identifier: MIT */
#include "model/rows/soft_turn.h"

#include "model/block/pose.h"
#include "model/rows/row.h"

/* rad: of a smaller angle the sine is the same to round-off, and the derivative, too. */
#define TURN_IS_SINE 1e-9
/* rad: below it the bias is the rigid rows' to this part; above, its quotients keep ten digits. */
#define TURN_HAS_BIAS 1e-6

/* R of the header. */
static double turn_part(const Block *block)
{
    return block->kind == BLOCK_ORIENT ? 2.0 : 1.0;
}

/* theta, and n. */
static double turn_angle(const World *world, const Block *block, Vec3 *n)
{
    BlockError e;
    block_error(world, block, &e);
    double angle = vec3_norm(e.error);
    *n = angle > 0.0 ? vec3_scale(1.0 / angle, e.error) : VEC3_ZERO;
    return angle;
}

static double length_of(const double *C, int count)
{
    double squares = 0.0;
    for (int i = 0; i < count; i++)
        squares += C[i] * C[i];
    return sqrt(squares);
}

void soft_turn_rows(const World *world, const Block *block, Rows *rows)
{
    Vec3 n;
    double angle = turn_angle(world, block, &n), length = length_of(rows->C, rows->count);
    if (angle < TURN_IS_SINE)
        return;
    /* At 180 degrees the axes of an alignment have no plane: the error lies in the first row, about any normal. */
    bool lost = length < SWING_MIN_SINE;
    double u[BLOCK_MAX_ROWS], along[ROW_WIDTH], rate[ROW_WIDTH] = {0}; /* n^T, and u^T J: the rate of |C| */
    row_angular(along, n);
    for (int i = 0; i < rows->count; i++) {
        u[i] = lost ? i == 0 : rows->C[i] / length;
        for (int c = 0; c < ROW_WIDTH; c++)
            rate[c] += u[i] * rows->J[i][c];
    }
    for (int i = 0; i < rows->count; i++) {
        for (int c = 0; c < ROW_WIDTH; c++)
            rows->J[i][c] = u[i] * along[c] + (lost ? 0.0 : angle / length * (rows->J[i][c] - u[i] * rate[c]));
        rows->C[i] = angle * u[i];
    }
}

/* n turns with body 1, and with u in it: n = R1 u, or a1 x (u_0 b1 + u_1 c1). */
static Vec3 turn_axis_rate(const World *world, const Block *block, Vec3 n, const double u_rate[BLOCK_MAX_ROWS])
{
    Vec3 in_1 = vec3(u_rate[0], u_rate[1], u_rate[2]);
    if (block->kind == BLOCK_ALIGN) {
        const Vec3 *normal = block->seat->normal;
        in_1 = vec3_cross(block_terms(block)->axis[0],
                          vec3_add(vec3_scale(u_rate[0], normal[0]), vec3_scale(u_rate[1], normal[1])));
    }
    return vec3_add(vec3_cross(world->velocity[block->body[0]].w, n), quat_rotate(block_quat1(world, block), in_1));
}

/* With r = |C|: k* = theta'' u + 2 theta' u' + (theta / r) (k - r'' u - 2 r' u'), without accelerations. */
void soft_turn_bias(const World *world, const Block *block, double k[BLOCK_MAX_ROWS])
{
    Vec3 n, spin = vec3_sub(world->velocity[block->body[1]].w, world->velocity[block->body[0]].w);
    double angle = turn_angle(world, block, &n), R = turn_part(block), r = R * sin(angle / R);
    if (angle < TURN_HAS_BIAS || r < SWING_MIN_SINE)
        return;
    Rows rows;
    block_rows(world, block, &rows);
    double angle_rate = vec3_dot(n, spin), r_rate = cos(angle / R) * angle_rate, r_bias = 0.0;
    double u[BLOCK_MAX_ROWS], u_rate[BLOCK_MAX_ROWS] = {0};
    for (int i = 0; i < rows.count; i++) {
        Vec3 on_2 = vec3(rows.J[i][9], rows.J[i][10], rows.J[i][11]);
        u[i] = rows.C[i] / angle;
        u_rate[i] = (vec3_dot(on_2, spin) - u[i] * angle_rate) / angle;
        r_bias += u[i] * k[i] + r * u_rate[i] * u_rate[i];
    }
    double angle_bias = vec3_dot(turn_axis_rate(world, block, n, u_rate), spin);
    for (int i = 0; i < rows.count; i++)
        k[i] = angle_bias * u[i] + 2.0 * angle_rate * u_rate[i] +
               angle / r * (k[i] - r_bias * u[i] - 2.0 * r_rate * u_rate[i]);
}
