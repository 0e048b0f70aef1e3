/* SPDX-License-Identifier: MIT */
/* A tree of links in reduced coordinates, and the two linear-time recursions on it (Featherstone 2008, ch. 5 and 7):
 * the articulated-body algorithm (forces -> accelerations) and recursive Newton-Euler (accelerations -> forces).
 *
 * Spatial vectors are (angular, linear) in world axes at a link's own reference point: its centre of mass. A link obeys
 *     V = X V_parent + S qdot,   A = X A_parent + c + S qddot,   F = I A + p + sum of the children's X^T F,
 *     S^T F = tau,
 * F the wrench its joint gives it, X the shift by r = x - x_parent; A holds plain time derivatives of (w, v). The same
 * recursions carry impulses: c = 0, p = -impulse, A and qddot are then jumps of velocity.
 *
 * Most links hang on a ball joint without limits: articulated_ball.h has their part of the recursions, and a Link holds
 * no more than that needs, so that long chains stream through the cache. What other joints need stands in LinkJoint. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_H

#include "model/array.h"
#include "model/joint/graph.h"
#include "solvers/motion.h"

#include <string.h>

enum { LINK_MAX_DOFS = 6 };

typedef enum LinkTurn { TURN_NONE, TURN_AXIS, TURN_FREE } LinkTurn;
typedef enum LinkShift { SHIFT_NONE, SHIFT_AXIS, SHIFT_CIRCLE, SHIFT_SPHERE, SHIFT_FREE } LinkShift;

/* A link's coordinates and speeds against its parent, in the parent's frame; also their time derivatives. A ball has
 * the first two alone: there is no more of it in memory. */
typedef struct LinkState {
    Quat turn;    /* q_parent^-1 q */
    Vec3 spin;    /* AXIS: x is the rate; FREE: relative angular velocity */
    double angle; /* TURN_AXIS, rad: turn = exp(axis angle) base */
    Vec3 shift;   /* of the anchors. AXIS: x is the position; CIRCLE: x is the angle; SPHERE: unit; FREE: itself */
    Vec3 rate;    /* of shift */
} LinkState;

enum { LINK_STATE_SIZE = sizeof(LinkState) / sizeof(double), BALL_STATE_SIZE = 7 };

/* One of a series, in the parent's frame as placed. */
typedef struct LinkAxis {
    bool turns;
    Vec3 axis, anchor;
} LinkAxis;

/* A link's joint that is no ball, and its factors. */
typedef struct LinkJoint {
    Vec3 axis, normal[2]; /* in the parent's frame; angle and position of the joint count along +axis */
    Vec3 child_axis;      /* in the body's: the same direction as placed */
    Quat base;
    double rest;   /* m, of CIRCLE and SPHERE */
    Vec3 basis[3]; /* TURN_FREE: orthonormal directions of its coordinates, world */
    LinkAxis axes[LINK_MAX_DOFS];
    Pose placed;                    /* of a series: the link in the parent's frame */
    double S[LINK_MAX_DOFS][6];     /* columns */
    double diagonal[LINK_MAX_DOFS]; /* what the coordinates have on the diagonal of D beside */
    int free_count, free[LINK_MAX_DOFS];
    double L[LINK_MAX_DOFS][LINK_MAX_DOFS], Y[LINK_MAX_DOFS][6], z[LINK_MAX_DOFS]; /* D = L L^T, Y = L^-1 U^T */
} LinkJoint;

/* Of a ball without limits, whose coordinates turn about the world's axes: Y row by row, then L (00, 10, 11, 20, 21,
 * 22) and z. */
enum { BALL_L = 18, BALL_Z = 24 };

typedef struct BallFactor {
    double number[27];
} BallFactor;

/* Where a link is: each pass of a recursion streams through what it needs. */
typedef struct LinkPlace {
    Vec3 r, arm;  /* x - x_parent; from x to the anchor */
    Mat3 inertia; /* world; zero for a particle */
    double c[6], p[6];
} LinkPlace;

/* How it is accelerated, and by what. */
typedef struct LinkMoves {
    double A[6], F[6];
    double qddot[LINK_MAX_DOFS];
    double given[LINK_MAX_DOFS]; /* tau of a coordinate that is not prescribed */
} LinkMoves;

/* In the frames of the parent's body and the link's own. */
typedef struct LinkAnchors {
    Vec3 parent, own;
} LinkAnchors;

typedef struct Link {
    int body, parent_body;
    int parent;    /* link, -1: the parent is fixed */
    int joint;     /* -1: none, the link floats */
    int branch;    /* of the tree's: where children wait that are not the next link; -1: none */
    int reaction;  /* block that carries a ball's force */
    int state;     /* where its LinkState begins among the tree's numbers */
    bool reversed; /* its body is the joint's first one */
    bool particle; /* never turns: torques on it go nowhere; its reference point is its anchor */
    bool limited;  /* TURN_FREE with limits: basis[0] is the direction of swing, basis[1] of twist */
    bool series;   /* a column for each axis (articulated_series.h) */
    bool ball;     /* any turn about the anchor, without limits, of a parent that turns */
    bool absolute; /* a ball whose turn and spin are q and w, against the world */
    bool four;     /* the first of four balls, each on the one before, whose bodies follow each other */
    bool prescribed[LINK_MAX_DOFS]; /* its qddot is given */
    unsigned char turn, shift;      /* LinkTurn, LinkShift */
    unsigned char dofs;             /* turns first */
    double mass;
    LinkAnchors *anchors;
    LinkPlace *at;
    LinkMoves *moves;
    union {
        LinkJoint *own;     /* of what is no ball */
        BallFactor *factor; /* of a ball */
    };
} Link;

/* What subtrees are to the link that they hang on: F = sum_j A_j inertia[j] + bias, inertia by columns. */
typedef struct Subtree {
    double inertia[6][6], bias[6];
} Subtree;

typedef struct Articulated {
    Arrays arrays;
    int link_count, dof_count;
    Link *links;          /* parents before children */
    LinkAnchors *anchors; /* of the links, one after the other; likewise these */
    LinkPlace *at;
    LinkMoves *moves;
    BallFactor *factors;
    LinkJoint *own; /* of the links that are no balls */
    int own_count;
    double *state;     /* the links' LinkStates, one after the other */
    size_t state_size; /* numbers */
    bool absolute;     /* balls are: chosen before the tree is connected */
    bool general;      /* no link is treated as a ball, likewise: what those are held against */
    bool with_rows;    /* likewise: a caller has rows for what coordinates do not hold. Soft blocks leave them free,
                        * joints that would have none are cut, and limits are no business of the tree */
    Subtree *branches; /* zero but while the tree is solved; as many as links at most */
    int *link_of_body; /* -1: fixed */
    int *group;        /* of the bodies, a forest while the tree is chosen */
    int first_cut;     /* likewise: this joint and those after it are cut; as many as there are: none */
    bool *cut;         /* of each joint: it closes a loop, and is no part of the tree */
    int cut_count;
    JointLists joints;
} Articulated;

/* Room for every tree of this world; false when out of memory. free copes with zeroed ones. */
bool articulated_init(Articulated *tree, const World *world);
void articulated_free(Articulated *tree);

/* Chooses which joints are cut where they form loops, those with a limit or a drive last; then grows the tree from the
 * fixed bodies, and from each body that hangs on none. False with a message naming the joint that has no reduced
 * coordinates. */
bool articulated_connect(Articulated *tree, const World *world, Status *status);

/* With rows: what holds the block is a row of the caller's. */
bool articulated_leaves_block(const Articulated *tree, const World *world, int block);

/* Bodies that were taken out: when their number changes, a tree must be connected anew. */
int articulated_count_removed(const World *world);

/* Coordinates from the poses, what a joint forbids being dropped, and speeds from the momenta of the given velocities:
 * from rest every body gets its momentum as an impulse, so velocities that break a joint are projected as an impact
 * would. Leaves the tree placed. */
void articulated_read(Articulated *tree, World *world, const Velocity *velocity);

/* Poses and velocities of all links from `state`, and r, S, c, inertia. */
void articulated_place(Articulated *tree, const double *state, World *world);

/* Places the tree and loads it with all that acts on the bodies there, outside forces as motion_collect_forces found
 * them; `alone` is room for accelerations. */
void articulated_place_loaded(Articulated *tree, const double *state, World *world, Motion *motion, Velocity *alone);

/* No load: p, c, given forces and prescribed motions are zero; which coordinates are prescribed stays. */
void articulated_unload(Articulated *tree);

/* p of every link from the accelerations it would have alone: p = -I a. */
void articulated_load(Articulated *tree, const Velocity *acceleration);

/* Forward dynamics: qddot of the free coordinates, and A. In two: inward, then outward from the first link on, as many
 * at once as one likes. */
void articulated_solve(Articulated *tree);
void articulated_solve_inward(Articulated *tree);
void articulated_solve_outward(Articulated *tree, int from, int to);

/* J u of a row over two bodies, u given as the links' A. */
double articulated_rate(const Articulated *tree, const int body[2], const double *J);

/* J^T lambda acts on the links of two bodies. A particle takes no torque. */
void articulated_push(Articulated *tree, const int body[2], const double *J, double lambda);

/* Inverse dynamics: A from all qddot. */
void articulated_accelerate(Articulated *tree);

/* After this or after articulated_solve, once: F from A. */
void articulated_forces(Articulated *tree);

/* The same, and adds, for a time `share` (s), what each joint gives its second body to the impulses of its blocks. */
void articulated_reactions(Articulated *tree, const World *world, double share, Vec3 *impulse);

/* A link's part of that, if it has a joint that is no ball (articulated_reaction.c). */
void link_add_reaction(const Link *link, const World *world, double share, Vec3 *impulse);

/* tau = S^T F of coordinate k. */
double link_torque(const Link *link, int k);

/* A link's part of a tree's numbers. */
static inline LinkState *link_state(const Link *link, double *state)
{
    return (LinkState *)(state + link->state);
}

static inline const LinkState *link_state_of(const Link *link, const double *state)
{
    return (const LinkState *)(state + link->state);
}

/* All of it, and back; what a ball does not have is zero. */
static inline LinkState link_get(const Link *link, const double *state)
{
    LinkState all = {0};
    memcpy(&all, state + link->state, sizeof(double) * (link->ball ? BALL_STATE_SIZE : LINK_STATE_SIZE));
    return all;
}

static inline void link_put(const Link *link, double *state, const LinkState *all)
{
    memcpy(state + link->state, all, sizeof(double) * (link->ball ? BALL_STATE_SIZE : LINK_STATE_SIZE));
}

/* Column k of S. */
void link_column(const Link *link, int k, double S[6]);

/* The time derivative of a link's state at its qddot; SPHERE with or without the centripetal part -|rate|^2 shift,
 * which a motion along arcs has of itself. */
LinkState link_derivative(const Link *link, const LinkState *state, const World *world, bool centripetal);

/* Back onto the coordinates' own manifold: unit quaternions and directions, speeds along them. */
void link_normalise(const Link *link, LinkState *state);

/* A link's coordinates after h at these speeds: turns and directions along arcs, a direction's rate with it. */
void link_move(const Link *link, LinkState *state, const LinkState *speeds, double h);

/* A state without speeds. */
void link_stop(const Link *link, LinkState *state);

/* Coordinate speed number `dof` of a link in a state; and adds qddot as a jump of the speeds. */
double link_speed(const Link *link, const LinkState *state, const World *world, int dof);
void link_add_jump(const Link *link, LinkState *state, const World *world);

#endif
