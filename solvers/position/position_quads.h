/* Position solves of four units at once that share no moving body (solvers/rows/quad_units.h), with the bits that they
 * have one by one. Joints: those that attach two points. Manifolds: of surfaces that do not roll about an axis, without
 * a patch. The others, and units that find no three of their kind, are left over. */
#ifndef RIGOR_SOLVERS_POSITION_POSITION_QUADS_H
#define RIGOR_SOLVERS_POSITION_POSITION_QUADS_H

#include "solvers/position/contact.h"
#include "solvers/rows/quad_units.h"

/* A fresh one is all zero. */
typedef struct PositionQuads {
    bool four; /* quads are made: else all units are left over */
    QuadColours joints, manifolds;
    struct ManifoldLanes *lanes; /* of each quad of manifolds (solvers/position/four_place.h) */
    struct PointPlaces *points;  /* of each quad of manifolds, point by point */
    int point_capacity;
} PositionQuads;

/* Room for the world's units as they are now; false when out of memory. Nothing else allocates. */
bool position_quads_reserve(PositionQuads *quads, const World *world);
void position_quads_free(PositionQuads *quads);

/* Joints do not change: once. */
void position_quads_set_joints(PositionQuads *quads, const World *world, const Colouring *colouring, bool whole);

/* After each change of contacts: those of each colour, or, NULL, those of the list, in its order; and whether a sweep
 * through that gains by it. */
void position_quads_set_manifolds(PositionQuads *quads, const World *world, const Colouring *colouring,
                                  const PositionSolve *how);
bool position_quads_gain(const PositionQuads *quads);

/* Sweeps over quads [from, to) as position_solve_joints, stick_tangents, stick_normals, contact_solve_positions,
 * stick_velocities and contact_solve_velocities make them; they return the rows solved. */
long joint_quads_positions(const PositionQuads *quads, int from, int to, World *world, const PositionSolve *how,
                           Multiplier *multipliers);
long stick_quads_tangents(const PositionQuads *quads, int from, int to, World *world, const PositionSolve *how,
                          Multiplier *multipliers);
long stick_quads_normals(const PositionQuads *quads, int from, int to, World *world, const PositionSolve *how,
                         Multiplier *multipliers);
long stick_quads_velocities(const PositionQuads *quads, int from, int to, World *world, const Multiplier *multipliers,
                            double h);
long contact_quads_positions(const PositionQuads *quads, int from, int to, World *world, const PositionSolve *how,
                             Multiplier *multipliers);
long contact_quads_velocities(const PositionQuads *quads, int from, int to, World *world,
                              const ContactVelocitySolve *how, const Multiplier *multipliers);

#endif
