/* SPDX-License-Identifier: MIT */
/* A substep of contacts, friction and joints as one mixed linear complementarity problem, for `lcp`, which assembles
 * and factors J M^-1 J^T of the joints, and `direct_contact`, which goes by their sparse graph. */
#ifndef RIGOR_SOLVERS_SYSTEMS_MIXED_LCP_H
#define RIGOR_SOLVERS_SYSTEMS_MIXED_LCP_H

#include "solvers/motion.h"
#include "solvers/systems/complementarity.h"
#include "solvers/systems/joint_projection.h"

typedef enum LcpPosition { LCP_BAUMGARTE, LCP_NONE, LCP_PROJECTION } LcpPosition;
typedef enum LcpLevel { LCP_VELOCITY, LCP_ACCELERATION } LcpLevel;

extern const char *const lcp_levels[];

typedef struct MixedLcpOptions {
    CommonOptions common;
    int position; /* LcpPosition; projection: sparse elimination alone */
    int facets, level;
    double beta, slop, push_speed, restitution_threshold;
} MixedLcpOptions;

/* Rows of the table of options that both have, after `position`. */
#define MIXED_LCP_SETTINGS                                                                                             \
    PARAM_REAL(MixedLcpOptions, beta, "share of the error taken back in a substep (baumgarte)", 0.2, 0, 2.5),          \
        SLOP_SETTING(MixedLcpOptions), PUSH_SPEED_SETTING(MixedLcpOptions),                                            \
        RESTITUTION_THRESHOLD_SETTING(MixedLcpOptions),                                                                \
        PARAM_INT(MixedLcpOptions, facets,                                                                             \
                  "corners of the polygon that stands for the friction disc; even, on the slip", 8, 4, 64)
#define MIXED_LCP_LEVEL(initial)                                                                                       \
    PARAM_CHOICE(                                                                                                      \
        MixedLcpOptions, level,                                                                                        \
        "contacts: a gap that would close, or a >= 0 where gap and speed are closed (lecture 003), impacts apart",     \
        initial, 1, lcp_levels)

/* Parts of a Solver. */
void *mixed_lcp_create(const SolverTask *task, EliminationForm form, Status *status);
void mixed_lcp_destroy(void *self);
bool mixed_lcp_reserve(void *self, const World *world, Status *status);
int mixed_lcp_plan(void *self, Phase phases[SOLVER_MAX_PHASES]);
int mixed_lcp_multipliers(void *self, const double **lambda);

#endif
