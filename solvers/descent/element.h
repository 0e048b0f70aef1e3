/* SPDX-License-Identifier: MIT */
/* What pulls at bodies in a descent body by body: the rows of a joint's block or of a contact point, each with a
 * multiplier and a penalty. The force of a row is f = clamp(lambda - k C*, lower, upper), along J^T.
 *
 *     joints    C* = C(x) - alpha C(x_old); the J of the current poses
 *     contacts  C* = (1 - alpha) C_old + J (x - x_old), linearised where the substep began; open gaps count in full
 *     springs   compliance a > 0: lambda = 0, C* = C, k at most 1/a
 *
 * Not its authors': penalties are given per kg of a row's effective mass m = 1/(J M^-1 J^T), unless `per_kg` is off, so
 * that heavy bodies are held like light ones; angles count in length scales; an open gap counts in full (theirs: 1 -
 * alpha of it); k J J^T is that of rows that pull, or have pulled in this substep (theirs: of every row); a multiplier
 * of friction is bounded by the load after the sweep (theirs: before it); a point sticks within 0.01 length scales
 * (theirs: 0.01 m). With `demo` contacts are theirs: all of that, points that overlap alone, by a margin at rest, each
 * body pushed at its own point, a point that sticks kept for its normal, too, and all forgotten as another face of the
 * two boxes becomes the reference. */
#ifndef RIGOR_SOLVERS_DESCENT_ELEMENT_H
#define RIGOR_SOLVERS_DESCENT_ELEMENT_H

#include "model/contact.h"
#include "solvers/solver.h"

/* What is kept of a contact point from substep to substep. */
typedef struct ElementMemory {
    double lambda, k[BLOCK_MAX_ROWS]; /* N; N/m */
    Vec3 friction;                    /* N on body 2 */
    bool sticks;
    int face;                  /* demo_reference_face of the pair's boxes, with `demo` */
    Vec3 anchor[2];            /* in the bodies' frames, where it began to stick */
    double torsion, torsion_k; /* of the pair's patch, at its first point: N m; N m/rad */
} ElementMemory;

typedef struct Element {
    int b;              /* block */
    int count;          /* rows; 0: inactive */
    bool linear, patch; /* a contact: as the substep began; a patch's spin */
    bool demo;          /* a contact as its authors' demo has it */
    int bodies, body[4];
    double C_old[BLOCK_MAX_ROWS];
    double J[BLOCK_MAX_ROWS][ROW_WIDTH]; /* contacts */
    double mass[BLOCK_MAX_ROWS];         /* kg, or kg m^2: what penalties are given by; 1 where they are not per kg */
    double metres;                       /* block_metres */
    double stiffness;                    /* N/m; infinite: a constraint */
    double mu, arm;                      /* contacts; of a patch's torque */
    int first, points;                   /* a patch's: the elements whose load bounds it */
    double lambda[BLOCK_MAX_ROWS], k[BLOCK_MAX_ROWS];
    bool pulled[BLOCK_MAX_ROWS]; /* its multiplier was not zero at some time in this substep */
    ElementMemory *memory;       /* contacts */
} Element;

/* The rows of an element at the current poses. */
typedef struct ElementRows {
    double C[BLOCK_MAX_ROWS]; /* C* */
    double J[BLOCK_MAX_ROWS][ROW_WIDTH];
    double f[BLOCK_MAX_ROWS];    /* N */
    bool inside[BLOCK_MAX_ROWS]; /* f is within its bounds, not at one */
} ElementRows;

/* How penalties grow and fade. */
typedef struct PenaltyRule {
    bool per_kg;        /* of a row's effective mass; else the following are without it, in N/m */
    double least, most; /* 1/s^2, per kg */
    double growth;      /* beta, 1/(m s^2): k += beta m |C*| */
    double keep_k;      /* gamma */
    double keep_lambda; /* of the multipliers, at a substep's beginning */
    bool dual;          /* false: no multipliers, and constant penalties */
    bool demo;          /* contacts as in the authors' demo */
} PenaltyRule;

/* As a substep begins, at the old poses: of joint block b; of a contact point; of a patch. */
void element_begin_joint(Element *e, const World *world, int b, double h, const PenaltyRule *rule);
void element_begin_point(Element *e, const World *world, int b, ElementMemory *memory, const PenaltyRule *rule);
void element_begin_patch(Element *e, const World *world, int b, ElementMemory *memory, int first, int points,
                         const PenaltyRule *rule);

/* Forces at the current poses. `all` are the elements, for those whose bound is others' load. */
void element_evaluate(const Element *e, const Element *all, const World *world, double h, double alpha, bool dual,
                      ElementRows *rows);

/* lambda = f, and k grows where f is inside its bounds. */
void element_raise(Element *e, const ElementRows *rows, const PenaltyRule *rule);

/* Of a contact point: whether it sticks by now. */
void element_note_sticking(Element *e, const World *world);

/* At the substep's end: keeps a contact's multipliers; N on body 2 of its block, and of its friction. */
void element_keep(Element *e, const World *world);
Vec3 element_on_body2(const Element *e, const World *world, const ElementRows *rows, bool friction);

/* A row at a bound of zero pulls at nothing, but one that has pulled keeps its stiffness, or it would be let go and
 * caught again by turns. So: A += k J J^T + |f| x the lengths of the columns of C's second derivative, on the diagonal,
 * and g += J f, for body k of the element; A is 6 x 6. */
void element_add(const Element *e, const World *world, const ElementRows *rows, int k, double A[6][6], double g[6]);

#endif
