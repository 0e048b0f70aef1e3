/* A row u.(displacement of body 2 at its arm - that of body 1), for the points of a manifold that are solved together:
 *     J = (-u, -r1 x u, u, r2 x u),   J_i M^-1 J_j^T = (1/m1 + 1/m2) u_i.u_j + sum over both of (r x u_i) I^-1 (r x
 * u_j) */
#ifndef RIGOR_SOLVERS_POSITION_PAIR_ROW_H
#define RIGOR_SOLVERS_POSITION_PAIR_ROW_H

#include "model/world.h"

typedef struct PairRow {
    Vec3 u, moment[2], turn[2]; /* moment: r x u; turn: I^-1 (r x u) */
} PairRow;

static inline PairRow pair_row(const World *world, const int body[2], Vec3 u, Vec3 arm1, Vec3 arm2)
{
    PairRow row = {.u = u, .moment = {vec3_cross(arm1, u), vec3_cross(arm2, u)}};
    for (int k = 0; k < 2; k++)
        row.turn[k] = world_inv_inertia_mul(world, body[k], row.moment[k]);
    return row;
}

/* J_i M^-1 J_j^T; inv_mass: 1/m1 + 1/m2 */
static inline double pair_coupling(double inv_mass, const PairRow *i, const PairRow *j)
{
    return inv_mass * vec3_dot(i->u, j->u) + vec3_dot(i->moment[0], j->turn[0]) + vec3_dot(i->moment[1], j->turn[1]);
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
        pose->q = quat_nudge_body(pose->q, quat_rotate_inverse(pose->q, turn));
    }
}

#endif
