/* Four units side by side that share no moving body (solvers/rows/colour.h): a sweep solves them at once, a lane each,
 * with the bits that it has one by one. A quad of manifolds holds all numbers of its points lane by lane, and nobody
 * else has them; one of joints has a copy, whose multipliers alone change. Units that find no others of their kind,
 * and kinds that are rare (soft or bounded joints, points without friction, patches), are solved one by one. */
#ifndef RIGOR_SOLVERS_ROWS_QUAD_H
#define RIGOR_SOLVERS_ROWS_QUAD_H

#include "solvers/rows/quad_units.h"
#include "solvers/rows/rows.h"

/* A fresh one is all zero. */
typedef struct RowQuads {
    QuadColours joints, manifolds;
    int point_capacity;
    struct JointLanes *joint_lanes; /* of each quad of joints (solvers/rows/joint_quads.h) */
    struct PointLanes *points;      /* of each quad of manifolds, point by point */
    struct InverseLanes *inverses;  /* of each quad of manifolds, if they are solved together */
} RowQuads;

/* Room for the world's units as they are now, joints only if asked for; false when out of memory. Nothing else
 * allocates. */
bool row_quads_reserve(RowQuads *quads, const World *world, bool joints);
void row_quads_free(RowQuads *quads);

/* Which manifolds stand side by side, before they are prepared: those of a colour; or those of a list, which returns
 * whether a sweep gains by it. */
void row_quads_set_colours(RowQuads *quads, const Colouring *colouring, const World *world, const RowSetup *setup);
bool row_quads_set_list(RowQuads *quads, const World *world, const RowSetup *setup);

/* The joints of a prepared system, by colour; again after each change of them. Their multipliers go with them, and come
 * back to JointRow for those who look at them. */
void row_quads_fill_joints(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team);
void joint_quads_copy_back(const RowSystem *system);

/* Quads of manifolds [from, to): prepared, as contact_rows_prepare does; V += M^-1 J^T lambda; their impulses, as
 * row_system_store_impulses does. */
int contact_quads_prepare(RowSystem *system, const World *world, const RowSetup *setup, int from, int to);
long contact_quads_apply(const RowQuads *quads, int from, int to, Velocity *velocity);
void contact_quads_store_impulses(const RowSystem *system, World *world, int from, int to);

/* Copies lanes to the packed rows, for those who look at them; and biases of rows that have changed to lanes. */
void contact_quads_copy_back(const RowSystem *system);
void contact_quads_take_biases(const RowSystem *system);

/* Both of a system that may have quads. */
void row_system_copy_back(const RowSystem *system);

/* Sweeps over quads [from, to) of joints and of manifolds; they return the rows solved. */
long joint_quads_sweep(const RowQuads *quads, int from, int to, Velocity *velocity);
long manifold_quads_sweep(const RowQuads *quads, const RowSystem *system, int from, int to, Velocity *velocity);

/* Of a system whose manifolds are in quads: V += M^-1 J^T lambda; and one Gauss-Seidel sweep, which returns the rows
 * solved. Level by level, which a team may share; joints by their colours, or, not coloured, through their list. */
void row_system_apply_quads(RowSystem *system, const Colouring *colouring, Team *team, Velocity *velocity);
long row_system_sweep_quads(RowSystem *system, bool coloured, Team *team, Velocity *velocity);

#endif
