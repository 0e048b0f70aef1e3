/* A row of two bodies at the current poses: u.(displacement of body 2 at its arm - that of body 1), or a turn about u.
 *     J = (-u, -r1 x u, u, r2 x u)        a turn: (0, -u, 0, u)
 *     J_i M^-1 J_j^T = sum over both bodies of u_i.u_j / m + (r x u_i)^T I^-1 (r x u_j)
 * Of a row with itself it is the lecture's w1 + w2. Whoever moves poses or velocities row by row forms it here; rows
 * that are prepared once and then swept are packed, and form it in solvers/rows/row_columns.h. */
#ifndef RIGOR_SOLVERS_POSITION_PAIR_ROW_H
#define RIGOR_SOLVERS_POSITION_PAIR_ROW_H

#include "model/world.h"

/* Moments are in the bodies' frames, which saves turning back; of a body with equal moments in the world, which saves
 * turning. */
typedef struct PairRow {
    Vec3 u;                  /* zero for a turn */
    Vec3 moment[2], turn[2]; /* r x u, I^-1 (r x u) */
} PairRow;

static inline void pair_row_set_moment(PairRow *row, const World *world, int k, int body, Vec3 moment)
{
    const Mass *mass = &world->mass[body];
    row->moment[k] = mass_is_even(mass) ? moment : quat_rotate_inverse(world->pose[body].q, moment);
    row->turn[k] = vec3_mul(mass->inv_inertia, row->moment[k]);
}

static inline PairRow pair_row(const World *world, const int body[2], Vec3 u, Vec3 arm1, Vec3 arm2)
{
    PairRow row = {.u = u};
    for (int k = 0; k < 2; k++)
        if (world->mass[body[k]].inv_inertia.x != 0.0)
            pair_row_set_moment(&row, world, k, body[k], vec3_cross(k == 0 ? arm1 : arm2, u));
    return row;
}

static inline PairRow pair_row_turn(const World *world, const int body[2], Vec3 u)
{
    PairRow row = {.u = VEC3_ZERO};
    for (int k = 0; k < 2; k++)
        pair_row_set_moment(&row, world, k, body[k], u);
    return row;
}

/* Of a block's error along n. */
static inline PairRow pair_row_of_error(const World *world, const Block *block, const BlockError *e, Vec3 n)
{
    return e->angular ? pair_row_turn(world, block->body, n) : pair_row(world, block->body, n, e->arm1, e->arm2);
}

/* Of a row J as block_rows gives it. */
static inline PairRow pair_row_of_jacobian(const World *world, const int body[2], const double J[ROW_WIDTH])
{
    PairRow row = {.u = vec3(J[6], J[7], J[8])};
    pair_row_set_moment(&row, world, 0, body[0], vec3(-J[3], -J[4], -J[5]));
    pair_row_set_moment(&row, world, 1, body[1], vec3(J[9], J[10], J[11]));
    return row;
}

/* J_i M^-1 J_j^T */
static inline double pair_coupling(const World *world, const int body[2], const PairRow *i, const PairRow *j)
{
    double along = vec3_dot(i->u, j->u), w[2];
    for (int k = 0; k < 2; k++)
        w[k] = world->mass[body[k]].inv_mass * along + vec3_dot(i->moment[k], j->turn[k]);
    return w[0] + w[1];
}

/* w1 + w2 */
static inline double pair_weight(const World *world, const int body[2], const PairRow *row)
{
    return pair_coupling(world, body, row, row);
}

/* J M^-1 J^T of a volume's one row over four particles. */
static inline double volume_weight(const World *world, const int body[4], const double J[ROW_WIDTH])
{
    double w = 0.0;
    for (int k = 0; k < 4; k++) {
        Vec3 u = vec3(J[3 * k], J[3 * k + 1], J[3 * k + 2]);
        w += world->mass[body[k]].inv_mass * vec3_dot(u, u);
    }
    return w;
}

/* x, q follow M^-1 J^T dlambda of all rows at once. */
static inline void pair_push(World *world, const int body[2], const PairRow *rows, int count, const double dlambda[])
{
    for (int k = 0; k < 2; k++) {
        const Mass *mass = &world->mass[body[k]];
        if (mass->inv_mass == 0.0)
            continue;
        Vec3 shift = VEC3_ZERO, turn = VEC3_ZERO;
        for (int i = 0; i < count; i++) {
            double signed_lambda = k == 0 ? -dlambda[i] : dlambda[i];
            shift = vec3_add_scaled(shift, signed_lambda * mass->inv_mass, rows[i].u);
            turn = vec3_add_scaled(turn, signed_lambda, rows[i].turn[k]);
        }
        Pose *pose = &world->pose[body[k]];
        pose->x = vec3_add(pose->x, shift);
        if (mass->inv_inertia.x != 0.0)
            pose->q = mass_is_even(mass) ? quat_nudge_world(pose->q, turn) : quat_nudge_body(pose->q, turn);
    }
}

/* v, w follow M^-1 J^T impulse of one row. */
static inline void pair_kick(World *world, const int body[2], const PairRow *row, double impulse)
{
    for (int k = 0; k < 2; k++) {
        Velocity *velocity = &world->velocity[body[k]];
        const Mass *mass = &world->mass[body[k]];
        double own = k == 0 ? -impulse : impulse;
        velocity->v = vec3_add_scaled(velocity->v, own * mass->inv_mass, row->u);
        Vec3 turn = mass_is_even(mass) ? row->turn[k] : quat_rotate(world->pose[body[k]].q, row->turn[k]);
        velocity->w = vec3_add_scaled(velocity->w, own, turn);
    }
}

#endif
