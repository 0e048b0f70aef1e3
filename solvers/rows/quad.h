/* Four units side by side that share no moving body (solvers/rows/colour.h): a sweep solves them at once, a lane each,
 * with the bits that it has one by one. A quad of manifolds holds all numbers of its points lane by lane, and nobody
 * else has them; one of joints has a copy, whose multipliers stay in JointRow. Units that find no others of their kind,
 * and kinds that are rare (soft or bounded joints, points without friction, patches), are solved one by one.
 *
 * Manifolds of a list keep its order: units that share a moving body stand in quads, one after the other, as they stand
 * in the list. Whatever a unit reads was written in an earlier quad, as it was earlier in the list, so a sweep through
 * the quads has the bits of a sweep through the list. A quad waits for units until it is full, and what hangs on those
 * comes later. */
#ifndef RIGOR_SOLVERS_ROWS_QUAD_H
#define RIGOR_SOLVERS_ROWS_QUAD_H

#include "solvers/rows/rows.h"

/* The manifolds of a quad, at most and at least: it takes about the time of two, one by one. Joints' are full. */
enum { QUAD = 4, QUAD_LEAST = 3 };

/* Up to four of a kind: joints' blocks of `count` rows, or manifolds of `count` points. */
typedef struct QuadUnits {
    int body[2][QUAD];
    bool has_fixed; /* a body of theirs is not written: it is fixed, or its lane is none of theirs */
    int unit[QUAD]; /* joints: their blocks; manifolds: places in the order of the rows */
    int lanes;      /* units; lanes beyond repeat the last of them */
    int count;
    int first; /* manifolds: where their points begin in `points` */
} QuadUnits;

/* Units that will be solved at once, if they are enough. */
typedef struct QuadSlot {
    int unit[QUAD], count, kind;
    int level; /* the colour; of a list: after all slots whose bodies are theirs, too, and that come before */
} QuadSlot;

/* The units of all levels, either in quads or left over. */
typedef struct QuadColours {
    int count, serial;       /* as in Colours */
    int *start, *rest_start; /* quads[start[c]] .. have level c, likewise rest */
    int quad_count, slot_count;
    QuadUnits *quads;
    QuadSlot *slots;
    int *rest;            /* joints: blocks; manifolds: in the order of the rows */
    unsigned char *kinds; /* by unit */
    int capacity;
} QuadColours;

/* How a unit of a list stands to the others. */
typedef struct UnitPlan {
    int next[2]; /* the next that has a moving body of its; -1: none */
    int waits;   /* for so many before it */
    int height;  /* how many wait for it, one for the other, at most */
    int link;    /* another that is ready and as high */
} UnitPlan;

/* A fresh one is all zero. */
typedef struct RowQuads {
    QuadColours joints, manifolds;
    int point_capacity, body_capacity;
    int *after;                     /* by body: its last unit, or the level after it; scratch, as all of these */
    UnitPlan *plans;                /* by manifold */
    int *heads;                     /* of lists of units */
    struct JointLanes *joint_lanes; /* of each quad of joints (solvers/rows/quad_lanes.h) */
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

/* The joints of a prepared system, by colour: which stand side by side, for what comes next; and their rows, again
 * after each change of them. */
void row_quads_set_joints(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team);
void row_quads_fill_joints(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team);

/* Quads of manifolds [from, to): prepared, as contact_rows_prepare does; V += M^-1 J^T lambda; their impulses, as
 * row_system_store_impulses does. */
int contact_quads_prepare(RowSystem *system, const World *world, const RowSetup *setup, int from, int to);
long contact_quads_apply(const RowQuads *quads, int from, int to, Velocity *velocity);
void contact_quads_store_impulses(const RowSystem *system, World *world, int from, int to);

/* Copies lanes to the packed rows, for those who look at them; and biases of rows that have changed to lanes. */
void contact_quads_copy_back(const RowSystem *system);
void contact_quads_take_biases(const RowSystem *system);

/* Sweeps over quads [from, to) of joints and of manifolds; they return the rows solved. */
long joint_quads_sweep(const RowQuads *quads, RowSystem *system, int from, int to, Velocity *velocity);
long manifold_quads_sweep(const RowQuads *quads, const RowSystem *system, int from, int to, Velocity *velocity);

/* Of a system whose manifolds are in quads: V += M^-1 J^T lambda; and one Gauss-Seidel sweep, which returns the rows
 * solved. Level by level, which a team may share; joints by their colours, or, not coloured, through their list. */
void row_system_apply_quads(RowSystem *system, const Colouring *colouring, Team *team, Velocity *velocity);
long row_system_sweep_quads(RowSystem *system, bool coloured, Team *team, Velocity *velocity);

#endif
