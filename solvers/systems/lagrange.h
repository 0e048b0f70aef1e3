/* SPDX-License-Identifier: MIT */
/* Lagrange multipliers (lecture 003), shared by `kkt` and `reference`:
 *
 *     [M J^T; J 0] [a; -lambda] = [f; -k],   k = Jdot V,   solved whole (kkt_matrix.h) or by its Schur complement:
 *     J M^-1 J^T lambda = -(J a_free + k),   a = a_free + M^-1 J^T lambda,   a_free = M^-1 f.
 *
 * The same solve takes velocities onto J V = target (lambda: impulses) and poses onto C = 0 (Newton's method).
 * Compliant rows are forces -C/alpha, laws of joints their own, and armature is inertia of a row; a limit is a row
 * while it is held, a drive with a bound pushes with it when it is spent. */
#ifndef RIGOR_SOLVERS_SYSTEMS_LAGRANGE_H
#define RIGOR_SOLVERS_SYSTEMS_LAGRANGE_H

#include "solvers/motion.h"
#include "solvers/rows/rows.h"
#include "solvers/systems/coupling.h"
#include "solvers/systems/kkt_matrix.h"
#include "solvers/systems/schur.h"

/* What a backend reports when it meets them: accelerations are unique, the multipliers are not. */
#define LAGRANGE_DEPENDENT_ROWS "dependent rows: multipliers of least norm"

typedef enum LagrangeState {
    LAGRANGE_HELD,  /* its rows are equalities */
    LAGRANGE_FREE,  /* a limit that does not act */
    LAGRANGE_LOWER, /* a drive that pushes with its lower bound */
    LAGRANGE_UPPER, /* with its upper bound */
    LAGRANGE_SOFT,  /* a spring */
} LagrangeState;

typedef struct Lagrange {
    Arrays arrays;
    Motion motion;
    RowSystem rows;       /* J, M^-1 J^T, C of every block at the last evaluation; lambda of the last solve */
    LagrangeState *state; /* of each block */
    bool *touching;       /* of each block: a solve may take it in */
    double (*bias)[BLOCK_MAX_ROWS];
    double (*pull)[BLOCK_MAX_ROWS]; /* Baumgarte's term at the step's beginning */
    double *soft;                   /* of each block: 1/I of a law with armature I, J u' + lambda/I = 0; else 0 */
    double *law;                    /* of each block of a law: its force at the last evaluation */
    int *first;                     /* of each held block: its first row in the Schur complement; else -1 */
    Velocity *free, *acceleration;
    Coupling coupling;
    Schur schur;
    bool whole;      /* the matrix is solved as it stands on the slide, and by its Schur complement if it is singular */
    bool whole_lost; /* it was singular at the last solve */
    KktMatrix matrix; /* whole */
    double *rhs, *least;
    int held_rows;  /* of the last solve */
    int switchable; /* limits and bounded drives */
    bool unsettled; /* a choice of states went round in circles and was cut */
} Lagrange;

typedef struct LagrangeSetup {
    double h;          /* mean free acceleration over a step of this length; 0: at this instant */
    double elapsed;    /* s since the substep began: where driven targets are */
    double rate;       /* a of Baumgarte's C'' + 2 a C' + a^2 C = 0; 1/s */
    double drive_rate; /* the same for bounded drives */
    /* At a step's beginning the solve finds which limits act and which drives are spent, and Baumgarte's term is taken;
     * the later stages of the step keep both: they are off the constraints by O(h^2), which is no drift. */
    bool begin;
} LagrangeSetup;

/* False when out of memory; free copes with half-built and zeroed ones. banded: rows are ordered for a narrow band, and
 * only that is stored and factored; else all of A, rows as created. */
bool lagrange_init(Lagrange *lagrange, const World *world, const CommonOptions *options, bool banded);
void lagrange_free(Lagrange *lagrange);

/* False with a message that names a ball with a law, which has no row of its own at this level. */
bool lagrange_takes_laws(const World *world, const char *solver, Status *status);

/* From now on the whole matrix is solved; false when out of memory. */
bool lagrange_keep_whole(Lagrange *lagrange, const World *world);

/* Rows at the current poses. */
void lagrange_evaluate(Lagrange *lagrange, const World *world);

/* Evaluates, and leaves the accelerations, and the multipliers as forces. Returns the rows solved, springs' included:
 * each is a force evaluation. */
int lagrange_accelerate(Lagrange *lagrange, const World *world, const LagrangeSetup *setup);

/* Evaluates, and takes the velocities onto J V = target by impulses, left as multipliers. Bounded drives stay out. */
int lagrange_project_velocities(Lagrange *lagrange, World *world, bool choose);

/* Evaluates, and lets one contact bounce: J V becomes -e J V, while joints hold and all other contacts are off. Leaves
 * every contact free. */
int lagrange_bounce(Lagrange *lagrange, World *world, int contact, double e);

/* How far below zero the multiplier of a held limit, times its block's scale, is still round-off, after a solve. */
double lagrange_pull_slack(const Lagrange *lagrange, const World *world);

/* Takes the poses onto C = 0 by Newton's method with M^-1 as weight. Returns the rows solved; *left is the largest |C|
 * that remains, over its block's scale. */
int lagrange_project_positions(Lagrange *lagrange, World *world, double elapsed, double *left);

/* Adds scale J^T lambda on every block's second body. */
void lagrange_add_impulses(const Lagrange *lagrange, const World *world, double scale, Vec3 *impulse);

/* +1: C >= 0 and lambda >= 0; -1: both <= 0; 0: no limit, or inactive at this pose. */
int lagrange_limit_sign(const Lagrange *lagrange, const World *world, int b);

/* A rigid equality row whose multiplier is bounded. */
static inline bool lagrange_is_bounded_drive(const Block *block)
{
    const JointTerms *terms = block_terms(block);
    return isfinite(terms->max_force) && terms->compliance == 0.0 && !block_is_limit(block);
}

/* The velocity that J V should have. */
static inline double lagrange_target_velocity(const Block *block)
{
    const JointTerms *terms = block_terms(block);
    return terms->driven ? terms->speed : 0.0;
}

#endif
