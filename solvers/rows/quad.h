/* Four units of one colour side by side (solvers/rows/colour.h): they share no moving body, so a sweep solves them at
 * once, a lane each, with the bits that it has one by one. A quad holds its rows' numbers lane by lane; the multipliers
 * stay where they are, in JointRow and ContactRow. Units that find no three of their kind in their colour, and kinds
 * that are rare (soft or bounded joints, points without friction, patches), are solved one by one. */
#ifndef RIGOR_SOLVERS_ROWS_QUAD_H
#define RIGOR_SOLVERS_ROWS_QUAD_H

#include "solvers/rows/rows.h"

enum { QUAD = 4 };

/* Four of a kind: joints' blocks of `count` rows, or manifolds of `count` points. */
typedef struct QuadUnits {
    int body[2][QUAD];
    bool has_fixed; /* a body of theirs is fixed */
    int at[QUAD];   /* joints: their blocks; manifolds: their first ContactRow */
    int count;
    int first; /* manifolds: where their points begin in `points` */
} QuadUnits;

/* The units of all colours, either in quads or left over. */
typedef struct QuadColours {
    int start[COLOUR_MAX + 1];      /* quads[start[c]] .. have colour c */
    int rest_start[COLOUR_MAX + 1]; /* likewise of `rest` */
    QuadUnits *quads;
    int *rest;            /* joints: blocks; manifolds: in the order of the rows */
    unsigned char *kinds; /* of the units, colour by colour */
    int capacity;
} QuadColours;

/* A fresh one is all zero. */
typedef struct RowQuads {
    QuadColours joints, manifolds;
    int point_capacity;
    struct JointLanes *joint_lanes; /* of each quad of joints (solvers/rows/quad_lanes.h) */
    struct PointLanes *points;      /* of each quad of manifolds, point by point */
    struct InverseLanes *inverses;  /* of each quad of manifolds, if they are solved together */
} RowQuads;

/* Room for all units of the world; false when out of memory. Nothing else allocates. */
bool row_quads_reserve(RowQuads *quads, const World *world);
void row_quads_free(RowQuads *quads);

/* From the rows of a system that was prepared in the order of these colours; again after each change of them. */
void row_quads_fill(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team);

/* Sweeps over quads [from, to) of joints and of manifolds; they return the rows solved. */
long joint_quads_sweep(const RowQuads *quads, RowSystem *system, int from, int to, Velocity *velocity);
long manifold_quads_sweep(const RowQuads *quads, RowSystem *system, int from, int to, Velocity *velocity);

/* One Gauss-Seidel sweep colour by colour, which a team may share. Returns the rows solved. */
long row_system_sweep_colours(RowSystem *system, const RowQuads *quads, Team *team, Velocity *velocity);

#endif
