/* SPDX-License-Identifier: MIT */
/* Contact points as rows of the velocity-level system: a normal row with lambda >= 0, two tangents bounded by it, and
 * the spin of a patch. A point's contact and friction blocks become one ContactRow.
 *
 *     normal    n.v >= -C/h while the gap C is open; >= rate x overlap beyond the slop, at most push_speed;
 *               >= -e v_n- where it is hit faster than the threshold (Newton's law)
 *     friction  |lambda_t| <= mu lambda_n (cone), each <= mu lambda_n (pyramid), each <= mu m_c g h (the slide's box)
 *     torsion   force f and torque m of the patch within (f/f_max)^2 + (m/m_max)^2 <= 1, m_max = 2/3 mu N R */
#ifndef RIGOR_SOLVERS_ROWS_CONTACT_ROWS_H
#define RIGOR_SOLVERS_ROWS_CONTACT_ROWS_H

#include "solvers/rows/rows.h"

/* Over four manifolds at once, quads from span.first on, or one by one (_one): span.units, or all if that is NULL, in
 * the order of the rows. They are prepared, their b^2 in `multipliers`, which returns the active rows; V += M^-1 J^T
 * lambda; one sweep, or one where all see the same velocities, which return the rows solved; impulses go to the world.
 */
TeamWork contacts_prepare, contacts_prepare_one, contacts_apply, contacts_apply_one, contacts_sweep, contacts_sweep_one;
TeamWork contacts_jacobi, contacts_store;

/* One row: a point, a manifold at its first point, or a patch's torsion. */
void contact_row_solve_one(RowSystem *system, ContactRow *row, Velocity *velocity);

/* For row_system_prepare: where each manifold's rows begin; and, in the end, what needs all of them. */
void contact_rows_place(RowSystem *system, const World *world);
void contact_rows_finish(RowSystem *system, const World *world, const RowSetup *setup);

/* A patch's torsion, packed at `at`: its rows; and one step of its spin and its points' friction within their common
 * ellipsoid. */
int patch_prepare(RowSystem *system, const World *world, const ManifoldBlocks *manifold, int at, const RowSetup *setup);
void patch_solve(RowSystem *system, ContactRow *row, Velocity *velocity);

/* What a point's block has beyond its packed row. */
typedef struct PointLook {
    double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS], stop[3], C, bounce;
} PointLook;

/* A point's block, for those who look at J and A; its packed row is filled already. */
void contact_row_unfold(RowSystem *system, int at, const Block *block, const PointLook *look);

/* Where b^2 of a packed row's three is while rows are prepared. */
static inline double *contact_b2(const RowSystem *system, int at)
{
    return &system->multipliers[BLOCK_MAX_ROWS * (system->joint_count + at)];
}

/* Their part of row_system_drop_errors; needs their blocks (not sweeps_only). */
void contact_rows_drop_errors(RowSystem *system, const RowSetup *setup);

/* Changes the bias of a contact's normal. */
void contact_row_set_bias(RowSystem *system, int b, double bias);

/* `sum` with the squared natural map of every packed row added. */
double contact_rows_residual(const RowSystem *system, const Velocity *velocity, double sum);

/* J V of a point's normal; and a change of its multiplier towards J V + bias = 0, rigid, which may not pull. */
double contact_row_approach(const ContactRow *row, const Velocity *velocity);
void contact_row_bounce(ContactRow *row, double bias, Velocity *velocity);

/* The impulse of a point on its second body: along the normal, or of its friction. */
Vec3 contact_row_on_body2(const ContactRow *row, bool friction);

#endif
