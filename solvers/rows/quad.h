/* Four units of one colour side by side (solvers/rows/colour.h): they share no moving body, so a sweep solves them at
 * once, a lane each, with the bits that it has one by one. A quad holds its rows' numbers lane by lane, of joints
 * the multipliers, too; those of contacts stay where they are, in ContactRow. Manifolds that find no three of their
 * kind in their colour, joints that find none, and kinds that are rare (soft or bounded joints, points without
 * friction, patches), are solved one by one. */
#ifndef RIGOR_SOLVERS_ROWS_QUAD_H
#define RIGOR_SOLVERS_ROWS_QUAD_H

#include "solvers/rows/rows.h"

enum { QUAD = 4 };

/* Four of a kind: joints' blocks of `count` rows (or JOINT_BALLS), or manifolds of `count` points. */
typedef struct QuadUnits {
    int body[2][QUAD];
    bool has_fixed; /* a body of theirs is fixed */
    int at[QUAD];   /* joints: their blocks; manifolds: their first ContactRow */
    int count;
    int filled; /* lanes that have a unit: of manifolds all */
    int first;  /* manifolds: where their points begin in `points` */
} QuadUnits;

/* The units of all colours, either in quads or left over. */
typedef struct QuadColours {
    int count, serial;       /* as in Colours */
    int *start, *rest_start; /* quads[start[c]] .. have colour c, likewise rest */
    int quad_count;
    QuadUnits *quads;
    int *rest;            /* joints: blocks; manifolds: in the order of the rows */
    unsigned char *kinds; /* by unit */
    int capacity;
} QuadColours;

/* A fresh one is all zero. */
typedef struct RowQuads {
    QuadColours joints, manifolds;
    int point_capacity;
    struct JointLanes *joint_lanes; /* of each quad of joints (solvers/rows/joint_quads.h) */
    struct PointLanes *points;      /* of each quad of manifolds, point by point */
    struct InverseLanes *inverses;  /* of each quad of manifolds, if they are solved together */
} RowQuads;

/* Room for so many units, and the manifolds' points; false when out of memory. Nothing else allocates. */
bool row_quads_reserve(RowQuads *quads, int joints, int manifolds, int points);
void row_quads_free(RowQuads *quads);

/* From the rows of a system that was prepared in the order of these colours; again after each change of them. */
void row_quads_fill(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team);

/* The same for levels of the manifolds, of a system that was prepared in the order of the list. */
void row_quads_fill_levels(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team);

/* The joints' multipliers, from the quads back to the system: before anybody but a sweep looks at them. */
void joint_quads_store(const RowQuads *quads, RowSystem *system);

/* Sweeps over quads [from, to) of joints and of manifolds; they return the rows solved. */
long joint_quads_sweep(const RowQuads *quads, int from, int to, Velocity *velocity);
long manifold_quads_sweep(const RowQuads *quads, RowSystem *system, int from, int to, Velocity *velocity);

/* One Gauss-Seidel sweep colour by colour, which a team may share. Returns the rows solved. */
long row_system_sweep_colours(RowSystem *system, const RowQuads *quads, Team *team, Velocity *velocity);

/* One through the list: joints one by one, manifolds level by level where most are in quads. */
long row_system_sweep_levels(RowSystem *system, const RowQuads *quads, Team *team, Velocity *velocity);

#endif
