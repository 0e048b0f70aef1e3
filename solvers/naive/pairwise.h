/* SPDX-License-Identifier: MIT */
/* What the two naive backends share: rows without memory, and the push-apart. */
#ifndef RIGOR_SOLVERS_NAIVE_PAIRWISE_H
#define RIGOR_SOLVERS_NAIVE_PAIRWISE_H

#include "solvers/motion.h"
#include "solvers/rows/rows.h"

typedef struct PairwiseOptions {
    CommonOptions common;
    double restitution_threshold;
    int push_passes;
    double slop, push_speed;
} PairwiseOptions;

#define PAIRWISE_SETTINGS                                                                                              \
    STOP_RESIDUAL_SETTING, RESTITUTION_THRESHOLD_SETTING(PairwiseOptions),                                             \
        PARAM_INT(PairwiseOptions, push_passes, "the push-apart goes over all that still overlap this often", 1, 1,    \
                  1e6),                                                                                                \
        SLOP_FROM(PairwiseOptions, 0), PUSH_SPEED_FROM(PairwiseOptions, INFINITY)

typedef struct Pairwise {
    PairwiseOptions options;
    Motion motion;
    RowSystem system;
    Velocity *seen;   /* the velocities that every row of a pass sees (naive_avg) */
    double *share;    /* of each block: 1 / constraints that compete with it (naive_avg) */
    int *touching;    /* constraints that act on each body */
    size_t capacity;  /* of share */
    double threshold; /* m/s, in this substep: slower impacts do not bounce */
} Pairwise;

void *pairwise_create(const SolverTask *task, Status *status);
void pairwise_destroy(void *self);
bool pairwise_reserve(void *self, const World *world, Status *status);

/* share = 1 / the larger number of constraints (blocks that are at work) on one of the block's moving bodies. A contact
 * point is one constraint, friction included: its rows are solved together. Counted anew before every pass: a point
 * that begins to press later would make the shares on its body exceed 1, and a pass that gives more than what is right
 * adds energy. */
void pairwise_count_competitors(Pairwise *pairwise, const World *world, double h);

/* A pass never takes back what an earlier one gave: a row that may only push, or only pull, has its bound at the
 * impulse given so far while the pass runs. (That is what accumulated clamping in PGS mends.) */
void pairwise_begin_pass(Pairwise *pairwise);
void pairwise_end_pass(Pairwise *pairwise);

/* Who sees what in a pass over the contacts: naive's pairs see what the pairs before them left, naive_avg's all see the
 * same velocities and give a share of their impulses. */
typedef struct Contest {
    const Velocity *seen;
    Velocity *velocity;  /* where impulses go */
    const double *share; /* of each block; NULL: whole impulses */
    double h;
} Contest;

static inline double contest_share(const Contest *contest, int b)
{
    return contest->share ? contest->share[b] : 1.0;
}

/* One pass over the contacts: two colliding bodies get the impulse that would be right if they were alone, friction
 * included (lecture 001, slide "Naive Take", erratum 1). Returns the rows solved. */
int pairwise_collide_all(Pairwise *pairwise, const World *world, const Contest *contest);

/* A substep: passes over the velocities, the move, and then passes that push: every rigid block's position error is
 * corrected, a contact or a limit only as long as it is violated. */
int pairwise_plan(const Pairwise *pairwise, void (*pass)(void *self, Step *step), Phase phases[SOLVER_MAX_PHASES]);

/* Both end alike; and treat contacts alike, but for the normals. */
#define PAIRWISE_PUSH_WORDS                                                                                            \
    {"push", PHASE_ENTER, "", "the move, and bodies pushed apart or together by what is left of the errors"},          \
        MOVE_WORDS("push"),                                                                                            \
    {                                                                                                                  \
        "push", PHASE_SWEEP, "errors",                                                                                 \
            "Pair by pair, at the poses as they are by now: the whole error of a joint; of an overlap what exceeds "   \
            "{slop} m, {push_speed} m/s at most. Velocities stay.",                                                    \
            "x <- x - M^-1 J^T C/(w1 + w2)"                                                                            \
    }
#define PAIRWISE_CONVENTIONS                                                                                           \
    {CONVENTION_LAW, NULL, NULL, "cone: mu times the normal impulse of the same pass"},                                \
        {CONVENTION_ORDER, NULL, NULL, "with its normal's impulse"}, {CONVENTION_SLOP, NULL, NULL, "{slop} m"},        \
        {CONVENTION_PUSH, NULL, NULL, "by position, after the step, all of it, {push_speed} m/s at most"},             \
        {CONVENTION_RESTITUTION, NULL, NULL, "(1 + e) v_n a pass; above {restitution_threshold} m/s"},                 \
    {                                                                                                                  \
        CONVENTION_WARM_START, NULL, NULL, "nothing"                                                                   \
    }

#endif
