/* SPDX-License-Identifier: MIT */
/* Building blocks: the atoms of every constraint, after the joint lecture (000).
 *
 * A block has 1 to 3 scalar rows over two bodies (volume: four particles). Its error is that of body 2 against body 1,
 *     C = p2 - p1,   dC/dt = J V,   V = (v1, w1, v2, w2),
 * and J^T lambda is the force on the bodies: +lambda pushes body 2 along +C, body 1 along -C. Position-level and
 * velocity-level solvers read the same evaluation. block_rows gives C and J row by row. block_error gives the same
 * error as one vector, along which a position-based solver corrects it (the lecture's ApplyLinearCorrection). */
#ifndef RIGOR_MODEL_BLOCK_H
#define RIGOR_MODEL_BLOCK_H

#include "model/cache.h"
#include "model/math3.h"

typedef struct World World;

typedef enum BlockKind {
    BLOCK_ATTACH,   /* 3 rows: p2 - p1 */
    BLOCK_DISTANCE, /* 1: |p2 - p1| - rest */
    BLOCK_GUIDE,    /* 2: b1.(p2 - p1), c1.(p2 - p1): p2 on the line through p1 along a1 (RestrictToAxis) */
    BLOCK_SLIDE,    /* 1: a1.(p2 - p1) within lower..upper (the rest of RestrictToAxis) */
    BLOCK_ALIGN,    /* 2: b1.a2, c1.a2: a2 parallel to a1 (AlignAxes); as a spring see soft_turn.h */
    BLOCK_ORIENT,   /* 3: 2 vec(q_rel): body 2 turned as placed; likewise */
    BLOCK_TWIST,    /* 1: the twist of body 2 about a1 within lower..upper, or driven (LimitAngle) */
    BLOCK_SWING,    /* 1: the angle between a1 and a2, at most upper, or upper where lower is the same (LimitAngle) */
    BLOCK_TURN,     /* 1: the angle of body 2's whole turn, at most upper */
    BLOCK_WIRE,     /* 2: p2 on the circle about p1 with axis a1: along the axis, and |radial| - rest */
    BLOCK_VOLUME,   /* 1, four particles: 6 (V - V0) */
    BLOCK_CONTACT,  /* 1: n.(p2 - p1) >= 0 */
    BLOCK_FRICTION, /* 2: slip along two tangents since the substep began; |lambda| <= friction x its contact's lambda
                     */
    BLOCK_TORSION,  /* 1: spin about the normal since then; see patch_radius */
    BLOCK_KINDS
} BlockKind;

typedef enum BlockUnit { UNIT_LENGTH, UNIT_ANGLE, UNIT_VOLUME } BlockUnit;

/* Where a block sits on its bodies: two lines of memory. A contact's numbers up to `rest` are those of its
 * ContactPoint; its normal[0] is n in its carrier's frame (along the cores: world, at detection), normal[1] a tangent
 * in the world at detection. Friction and torsion have their contact's seat. */
typedef struct BlockSeat {
    Vec3 anchor[2];      /* in the bodies' internal frames */
    double radius[2];    /* m, of the round surfaces over the anchors; contact kinds */
    double rest;         /* distance, wire radius, 6 V0, a contact's C at detection */
    Vec3 normal[2];      /* b1 in body 1, c1 in body 1: with a1 a right-handed frame */
    double patch_radius; /* m; torsion: |lambda| <= 2/3 friction patch_radius x the sum of its contacts' lambda when
                          * nothing slides; with the slip force f the ellipsoid (m/m_max)^2 + (f/f_max)^2 <= 1 */
} BlockSeat;

/* What a joint's block has beside: directions, range, softness, drive. Ask block_terms for them. */
typedef struct JointTerms {
    BlockSeat seat; /* first: the block points at it */

    double compliance;        /* m/N, rad/(N m), m^3/(N m^-2)...: 0 is rigid */
    double stiffness;         /* k of PBD in the place of compliance; NaN: not given */
    double max_force;         /* N or N m, bound on |lambda|; infinite: none */
    double lower, upper;      /* of slide, twist, swing; equal: a target */
    Vec3 axis[2];             /* a1 in body 1, a2 in body 2, unit */
    Quat placed;              /* angular kinds: q1^-1 q2 as placed */
    bool one_sided;           /* distance as a rope: pulls only */
    bool driven;              /* twist: the target moves at speed */
    bool actuator;            /* its multiplier may do work: servo, motor, cylinder target */
    double speed;             /* rad/s */
    const struct LawRow *law; /* slide, twist, orient: its compliance and target are those of a law in this substep
                               * (model/joint/law_rows.h); NULL: its own */

    /* Memory from substep to substep. */
    double angle;                 /* twist, align: the twist, unwrapped, at the end of the last substep */
    double target_before, target; /* driven twist: where it should be as the substep begins and ends */
} JointTerms;

/* One line of memory: a pile has tens of thousands, written anew in every substep. */
typedef struct Block {
    _Alignas(CACHE_LINE) BlockKind kind;
    int joint;             /* index of its joint, -1 for a contact's */
    int body[4];           /* the last two only for a volume */
    int normal_block;      /* friction: the contact block whose multiplier bounds it */
    int manifold;          /* index into world->manifolds */
    double friction;       /* mu */
    double restitution;    /* e */
    bool off;              /* its body was removed */
    bool recovers;         /* a contact that was found in deep overlap, and has not been apart since */
    bool rolls;            /* a contact of a cylinder's side */
    unsigned char carrier; /* NormalCarrier */
    BlockSeat *seat;
} Block;

/* Two, or the four particles of a volume. */
static inline int block_body_count(const Block *block)
{
    return block->kind == BLOCK_VOLUME ? 4 : 2;
}
_Static_assert(sizeof(Block) == CACHE_LINE && sizeof(BlockSeat) == 2 * CACHE_LINE, "whole lines of memory");

/* Those of all contacts: rigid, without bounds. */
extern const JointTerms block_contact_terms;

static inline const JointTerms *block_terms(const Block *block)
{
    return block->joint < 0 ? &block_contact_terms : (const JointTerms *)block->seat;
}

/* k of PBD; 1 where none is given. */
static inline double block_stiffness(const Block *block)
{
    double k = block_terms(block)->stiffness;
    return isnan(k) ? 1.0 : k;
}

/* Of a joint's block, for whoever makes or moves it. */
static inline JointTerms *joint_terms(const Block *block)
{
    return (JointTerms *)block->seat;
}

/* m, of a torsion block: its largest torque over the largest force. Torque counts as force at this arm; friction is
 * force, and has 1. */
static inline double block_patch_arm(const Block *block)
{
    return block->kind == BLOCK_TORSION ? 2.0 / 3.0 * block->seat->patch_radius : 1.0;
}

/* Whether the block is a contact with friction of its own; points of a patch have theirs together, with its torsion. */
static inline bool contact_rubs_alone(const Block *block)
{
    return block->kind == BLOCK_CONTACT && block->friction > 0.0 && block->seat->patch_radius == 0.0;
}

enum { BLOCK_MAX_ROWS = 3, ROW_WIDTH = 12 };

/* One evaluation at the current poses. A row of J is (v1, w1, v2, w2), or the four particles' v for a volume.
 * A limit is always a row: C is its signed distance to the nearer end, and one bound of its multiplier is zero.
 * A driven twist has C against where its target was at the beginning of the substep, and the speed in `velocity`. */
typedef struct Rows {
    int count; /* 0: nothing to solve */
    double C[BLOCK_MAX_ROWS];
    double J[BLOCK_MAX_ROWS][ROW_WIDTH];
    double lower[BLOCK_MAX_ROWS], upper[BLOCK_MAX_ROWS]; /* bounds on the multiplier, as a force */
    double velocity[BLOCK_MAX_ROWS];                     /* target of J V */
} Rows;

/* The same error as one vector, for a correction along it. Kinds of several rows give `error` (a length or a rotation
 * vector) and are corrected along it; kinds of one row give the signed C and its gradient dC/dp2 or dC/dw2.
 * A driven twist has C against its target at the end of the substep. */
typedef struct BlockError {
    bool active;         /* false: undefined at this pose, or its body was removed */
    bool scalar;         /* one row: C, gradient and bounds count; else error */
    bool angular;        /* the correction is a turn */
    Vec3 error;          /* m or rad, world */
    double C;            /* m or rad, signed */
    Vec3 gradient;       /* world */
    Vec3 arm1, arm2;     /* from the centres to where a linear correction acts */
    double lower, upper; /* bounds on the multiplier, as a force */
} BlockError;

void block_rows(const World *world, const Block *block, Rows *rows);
void block_error(const World *world, const Block *block, BlockError *error);

/* k = Jdot V of every row at the current poses and velocities: C'' = J V' + k. */
void block_rows_bias(const World *world, const Block *block, double k[BLOCK_MAX_ROWS]);

/* 6 V - 6 V0 of a volume block and its gradients to the four particles. */
double block_volume(const World *world, const Block *block, Vec3 gradient[4]);

BlockUnit block_unit(BlockKind kind);

/* What one means for the errors of a kind: the world's length scale for a length, 1 rad for an angle, the cube of the
 * length scale for a volume. Errors and their rates divided by it, and multipliers times it, can be compared. */
double block_scale(const World *world, BlockKind kind);

/* The same seen from lengths: the metres that one of its unit stands for, 1, L, or 1 / L^2. Errors and rates times it,
 * and multipliers divided by it, add up in one norm. */
double block_metres(const World *world, BlockKind kind);

bool block_is_drive(const Block *block); /* a servo or a motor: its multiplier may do work */
bool block_is_limit(const Block *block); /* a range, a rope or a contact: its multiplier has one sign */
int block_row_count(BlockKind kind);

/* How far the block is violated (m, rad, m^3 for a volume): a limit only counts outside its range. */
double block_violation(const World *world, const Block *block);

/* The unwrapped twist of body 2 about body 1's axis, nearest to its `angle`; zero as placed. */
double block_twist(const World *world, const Block *block);

/* Axial blocks: the turn or shift along a joint's own axis, driven or within a range. Some solvers (solver2d, Box2D)
 * keep them apart from the others: they come first of their joint, or are left out. */
static inline bool block_is_axial(const Block *block)
{
    return block->kind == BLOCK_TWIST || block->kind == BLOCK_SLIDE;
}

#endif
