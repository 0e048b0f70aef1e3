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

/* All blocks after the joints', and their packed form, for row_system_prepare: where each manifold's rows begin; then
 * the rows of manifolds [from, to) of the setup's order, or of `units` of it, their b^2 in `multipliers`, which returns
 * the active ones; then what needs all of them. */
void contact_rows_place(RowSystem *system, const World *world, const RowSetup *setup);
int contact_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup, const int *units, int from,
                         int to);
void contact_rows_finish(RowSystem *system, const World *world, const RowSetup *setup);

/* Their part of row_system_drop_errors; needs their blocks (not sweeps_only). */
void contact_rows_drop_errors(RowSystem *system, const RowSetup *setup);

/* Which manifold is at place k of the order. */
static inline const ManifoldBlocks *manifold_at(const World *world, const RowSetup *setup, int k)
{
    return &world->manifolds[setup->manifolds ? setup->manifolds[k] : k];
}

/* Changes the bias of a contact's normal. */
void contact_row_set_bias(RowSystem *system, int b, double bias);

/* Over packed rows [from, to), in order: V += M^-1 J^T lambda; one sweep, which returns the rows solved. */
void contact_rows_apply(const RowSystem *system, int from, int to, Velocity *velocity);
int contact_rows_sweep(RowSystem *system, int from, int to, Velocity *velocity);

/* One of them: a point, a manifold at its first point, or a patch's torsion. */
void contact_row_solve(RowSystem *system, ContactRow *row, Velocity *velocity);

/* `sum` with the squared natural map of every packed row added. */
double contact_rows_residual(const RowSystem *system, const Velocity *velocity, double sum);

/* J V of a point's normal; and a change of its multiplier towards J V + bias = 0, rigid, which may not pull. */
double contact_row_approach(const ContactRow *row, const Velocity *velocity);
void contact_row_bounce(ContactRow *row, double bias, Velocity *velocity);

/* One Jacobi sweep over all manifolds: each sees the same velocities, its own points solved one after the other; the
 * changes are added up in the end. `change` is scratch, zero before and after, of each body. Returns the rows solved.
 */
int contact_rows_jacobi(RowSystem *system, const World *world, Velocity *velocity, Velocity *change);

/* The impulse of a point on its second body: along the normal, or of its friction. */
Vec3 contact_row_on_body2(const ContactRow *row, bool friction);

#endif
