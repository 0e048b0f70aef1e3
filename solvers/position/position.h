/* SPDX-License-Identifier: MIT */
/* The position-level solve of one block, shared by PBD, XPBD and the position passes of the impulse backends.
 *
 * A block is solved along its error (the lecture's ApplyLinearCorrection / ApplyAngularCorrection):
 *     n = residual / |residual|,  residual = -(C + a Lambda),   dlambda = |residual| / (w1 + w2 + a),   a = alpha/h^2,
 *     w_i = 1/m_i + (r_i x n)^T I_i^-1 (r_i x n)        (angular: n^T I_i^-1 n)
 * or, as a whole, by Newton's step on its rows: (J M^-1 J^T + a) dlambda = -(C + a lambda). */
#ifndef RIGOR_SOLVERS_POSITION_POSITION_H
#define RIGOR_SOLVERS_POSITION_POSITION_H

#include "solvers/solver.h"

/* The multiplier of a block, tracked over the iterations of a substep (kg m, i.e. N s^2). Along the error it is the
 * vector lambda n, in the world, since n turns; a kind of one row uses x alone; as a whole it is row by row. */
typedef struct Multiplier {
    Vec3 lambda;
    Vec3 on_body2; /* J^T lambda on the second body: linear, or angular for angular kinds */
} Multiplier;

typedef struct PositionSolve {
    double h;             /* s */
    double stiffness;     /* k of PBD: scales each correction; 1 otherwise */
    bool by_stiffness;    /* PBD: a block's own k scales it, too, and compliance has no meaning */
    bool whole;           /* solve blocks of several rows as a whole */
    double slop;          /* m, of contacts: overlap that is left alone */
    double push_speed;    /* m/s, of contacts: the overlap that a point was found with is taken back no faster */
    double contact_share; /* of contacts: how much of the error a correction takes back; 0: all of it */
    double contact_most;  /* m, of contacts: no correction is larger; 0: no bound */
    bool exact_turns;     /* orientations turn by exp(phi), not by q + q [0, phi/2] */
    bool no_axial;        /* drives, and limits of angles and slides, are left out */
    bool limits_give;     /* ngs: limits of angles keep a slop, and drives have no part */
    bool push_all;        /* push_speed bounds every correction of a contact: contact_most is that of a substep */
    bool normals_first;   /* of a pair of bodies, all of them before its friction; else point by point */
    bool only_push;       /* ngs: no correction of a contact pulls; else their sum over a substep may not */
} PositionSolve;

/* Of PBD and XPBD: which contacts (contact_kernel.h, stick_tangents_kernel.h). Approach is the published one, but for
 * which speed decides whether a contact bounces. */
typedef enum ContactForm { CONTACT_PUBLISHED, CONTACT_STICK, CONTACT_APPROACH } ContactForm;

extern const char *const contact_form_names[];

/* Of an overlap that the bodies began with, what push_speed does not reach in this substep waits; overlap that came
 * later, under load, never does. */
static inline double position_contact_wait(const Block *block, const PositionSolve *how)
{
    return block->recovers ? fmax(-block->seat->rest - how->push_speed * how->h, 0.0) : 0.0;
}

/* The error of a contact that a solve corrects: C beyond the slop. */
static inline double position_contact_error(const Block *block, double C, const PositionSolve *how)
{
    double error = C + how->slop + position_contact_wait(block, how);
    error = how->contact_share > 0.0 ? how->contact_share * error : error;
    return how->contact_most > 0.0 ? fmax(error, -how->contact_most) : error;
}

/* Corrects the poses of the block's bodies. Returns the rows solved: none if it is satisfied or inactive. Friction and
 * torsion blocks are left to whoever knows their contact's multiplier. */
int position_solve_block(World *world, const Block *block, const PositionSolve *how, Multiplier *multiplier);

/* position_solve_block for a contact whose error has been evaluated, which is changed to what is corrected. */
int position_solve_contact(World *world, const Block *block, BlockError *e, const PositionSolve *how,
                           Multiplier *multiplier);

/* The sum over all blocks of |C + a Lambda|^2 at the current poses; multipliers NULL: of |C|^2. */
double position_residual_squared(const World *world, double h, const Multiplier *multipliers);

#endif
